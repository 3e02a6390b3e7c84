//! The numbers of paragraphs as references show them: alone, from where the reference stands, or in full
//! (ISO/IEC 29500-1 §17.16.5.51, switches `\n`, `\r`, `\w`).
//!
//! Must never count by itself: numbers are those of [`Counter`].

use std::collections::HashMap;

use engross_xml::Document;

use super::instruction::NumberContext;
use super::story::Story;
use crate::numbering::{Counter, Numbering, paragraph_numbering};
use crate::styles::Styles;

/// The number of a list paragraph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Label {
    /// As it is shown: `11.`, `(a)`, `Article IV.`.
    pub(crate) text: String,
    list: usize,
    level: u8,
    number: i64,
    /// The paragraph one level up in the same list.
    parent: Option<usize>,
    /// The paragraph one level up in any list.
    above: Option<usize>,
}

/// The numbers of a story in its view, by the paragraph that shows them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Labels {
    labels: HashMap<usize, Label>,
    /// The paragraphs of each list, in order.
    lists: HashMap<usize, Vec<usize>>,
}

impl Labels {
    pub(crate) fn read(document: &Document, story: &Story, styles: &Styles, numbering: &Numbering) -> Self {
        let mut all = Self::default();
        let mut counter = Counter::new(numbering, styles);
        // The last paragraph of each level, by list, and over all lists.
        let mut last_of: HashMap<usize, Vec<(u8, usize)>> = HashMap::new();
        let mut last: Vec<(u8, usize)> = Vec::new();
        for (at, node) in story.paragraphs.iter().enumerate() {
            // A paragraph without its border shows no number: what it says runs into another.
            if story.owner(at) != Some(at) {
                continue;
            }
            let Some((id, level)) = paragraph_numbering(document, *node, styles, numbering) else { continue };
            let Some(marker) = counter.next(id, level) else { continue };
            let Some(list) = numbering.list_number(id, styles).filter(|_| !marker.bullet) else { continue };
            let path = last_of.entry(list).or_default();
            path.retain(|(known, _)| *known < marker.level);
            last.retain(|(known, _)| *known < marker.level);
            let label = Label {
                text: marker.text,
                list,
                level: marker.level,
                number: marker.number,
                parent: path.last().map(|(_, paragraph)| *paragraph),
                above: last.last().map(|(_, paragraph)| *paragraph),
            };
            path.push((marker.level, at));
            last.push((marker.level, at));
            all.lists.entry(list).or_default().push(at);
            all.labels.insert(at, label);
        }
        all
    }

    /// The number that a paragraph shows.
    pub(crate) fn of(&self, paragraph: usize) -> Option<&Label> {
        self.labels.get(&paragraph)
    }

    /// The number of `target` as a reference in the paragraph `from` shows it; without `from`, one in another story.
    pub(crate) fn reference(
        &self,
        target: usize,
        context: NumberContext,
        from: Option<usize>,
    ) -> Option<String> {
        let label = self.labels.get(&target)?;
        let least = match (context, from) {
            (NumberContext::Own, _) => u8::MAX,
            (NumberContext::Relative, Some(from)) => self.common_levels(label, target, from),
            _ => 0,
        };
        let number = self.composed(target, least, |label| label.parent);
        Some(number.trim_end_matches('.').to_owned())
    }

    /// The number of a paragraph as people type it: with those of all levels above, of whatever list.
    pub(crate) fn typed(&self, paragraph: usize) -> Option<String> {
        let number = self.composed(paragraph, 0, |label| label.above);
        Some(number.trim_end_matches(['.', ':']).to_owned()).filter(|number| !number.is_empty())
    }

    /// How many outer levels the places of a reference and of its target have in common.
    fn common_levels(&self, label: &Label, target: usize, from: usize) -> u8 {
        let paragraphs = self.lists.get(&label.list).map(Vec::as_slice).unwrap_or_default();
        let before = paragraphs.partition_point(|paragraph| *paragraph <= from);
        let Some(place) = before.checked_sub(1).and_then(|at| paragraphs.get(at)) else { return 0 };
        let (own, other) = (self.path(target), self.path(*place));
        let common = own.iter().zip(&other).take_while(|(left, right)| left == right);
        common.last().map_or(0, |((level, _), _)| level + 1)
    }

    /// Level and number of a paragraph and of those above it in its list, outermost first.
    fn path(&self, paragraph: usize) -> Vec<(u8, i64)> {
        let chain = std::iter::successors(self.labels.get(&paragraph), |label| {
            label.parent.and_then(|parent| self.labels.get(&parent))
        });
        let mut path: Vec<(u8, i64)> = chain.map(|label| (label.level, label.number)).collect();
        path.reverse();
        path
    }

    /// A number with those of levels from `least` up before it, as Word puts them together: what ends a number goes where the
    /// next one begins with a bracket (`2.` and `(a)` are `2(a)`), else it stays (`1.` and `a.` are `1.a`).
    fn composed(&self, paragraph: usize, least: u8, up: impl Fn(&Label) -> Option<usize>) -> String {
        let mut composed = String::new();
        let mut is_bracketed = true;
        let mut at = self.labels.get(&paragraph);
        while let Some(label) = at {
            let text = label.text.trim();
            let begins_with_bracket = !text.starts_with(char::is_alphanumeric);
            let text = if is_bracketed && !begins_with_bracket { stripped(text) } else { text };
            composed.insert_str(0, text);
            is_bracketed = begins_with_bracket;
            // Levels that the number shows itself (`4.2`) are not put before it again.
            let mut above = up(label).and_then(|above| self.labels.get(&above));
            while let Some(known) = above.filter(|above| is_shown_in(&label.text, &above.text)) {
                above = up(known).and_then(|above| self.labels.get(&above));
            }
            at = above.filter(|above| above.level >= least && least != u8::MAX);
        }
        composed
    }
}

/// A number without what ends it: `11.` is `11`.
fn stripped(text: &str) -> &str {
    text.trim_end_matches(|c: char| !c.is_alphanumeric())
}

/// Whether a number shows another one at its beginning, as `4.2` shows `4.`.
fn is_shown_in(text: &str, above: &str) -> bool {
    let above = stripped(above.trim());
    let rest = text.trim().strip_prefix(above);
    !above.is_empty() && rest.is_some_and(|rest| rest.starts_with(|c: char| !c.is_alphanumeric()))
}
