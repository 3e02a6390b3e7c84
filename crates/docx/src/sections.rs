//! Sections: which paragraphs head something, how deep, and where what they head ends.
//!
//! A heading is known by the outline level of its style, by the number that a list shows, by a number that is typed, or as the title of
//! a schedule or of the part for signatures. Operations on sections and outlines for readers share this one notion. Must never
//! change the tree.

use std::collections::{BTreeMap, HashMap};

use engross_xml::{Document, NodeId};

use crate::model::is_on;
use crate::names::{OUTLINE_LVL, P_PR, PAGE_BREAK_BEFORE, SECT_PR, TC};
use crate::numbering::{Counter, Numbering, paragraph_numbering};
use crate::styles::{DEEPEST_LEVEL, Styles, integer, value_of};
use crate::text::typed_numbers::{
    Family, TypedNumber, is_attachment_title, is_short, is_signature_title, shown_number, typed_number,
};

/// Beyond this depth paragraphs head nothing of their own.
const DEEPEST: usize = 32;

/// A page break in a text.
const PAGE_BREAK: char = '\u{C}';

/// By what a paragraph is known as a heading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HeadingKind {
    /// The outline level of its style or its own.
    Styled,
    /// The number of a list.
    Numbered,
    /// A number that is typed.
    Typed,
    /// The title of a schedule, annex, exhibit or the like.
    Attachment,
    /// What begins the part for signatures.
    Signature,
}

/// A paragraph that heads a section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Heading {
    /// Its place among the paragraphs, from 0.
    pub(crate) index: usize,
    /// How many sections it lies in.
    pub(crate) depth: usize,
    pub(crate) kind: HeadingKind,
    /// The number as shown or typed; empty without one.
    pub(crate) number: String,
    /// Bytes of its text that are a typed number, with the white space behind it.
    pub(crate) typed: usize,
    /// Whether it reads as a title: by its style, or because it is short and ends as no sentence does.
    pub(crate) is_title: bool,
}

/// Why a section ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SectionEnd {
    /// A heading of the same or higher rank.
    Heading,
    /// A page break.
    PageBreak,
    /// A section break of the format (`w:sectPr`).
    SectionBreak,
    /// A table that begins or ends.
    Table,
    /// The story ends.
    Story,
}

/// What is known of a heading's rank.
#[derive(Debug, Clone)]
struct Rank {
    outline: Option<u8>,
    list: Option<(usize, u8)>,
    number: Option<TypedNumber>,
    is_attachment: bool,
}

/// The sections of a story.
#[derive(Debug, Default)]
pub(crate) struct Sections {
    headings: BTreeMap<usize, Heading>,
    /// Paragraphs before which a section ends whatever stands there.
    breaks: BTreeMap<usize, SectionEnd>,
    count: usize,
}

/// The story whose sections are wanted.
#[derive(Clone, Copy)]
pub(crate) struct SectionSource<'a> {
    pub(crate) document: &'a Document,
    /// All paragraphs of the story in file order.
    pub(crate) paragraphs: &'a [NodeId],
    pub(crate) styles: &'a Styles,
    pub(crate) numbering: &'a Numbering,
}

impl Sections {
    /// Reads the sections of a story. `text` gives the text of the paragraph at a place, as it is meant to be read.
    pub(crate) fn read(source: SectionSource<'_>, mut text: impl FnMut(usize) -> String) -> Self {
        let SectionSource { document, paragraphs, styles, numbering } = source;
        let mut sections = Self { count: paragraphs.len(), ..Self::default() };
        let mut counter = Counter::new(numbering, styles);
        // Each cell counts for itself.
        let mut open: HashMap<Option<NodeId>, Vec<Rank>> = HashMap::new();
        let mut container = None;
        for (index, node) in paragraphs.iter().enumerate() {
            let list = paragraph_numbering(document, *node, styles, numbering);
            let marker = list.and_then(|(id, level)| counter.next(id, level));
            let text = text(index);
            let own = document.ancestors(*node).find(|above| document.name(*above) == TC);
            if index > 0 && own != container {
                sections.breaks.insert(index, SectionEnd::Table);
            }
            container = own;
            sections.note_breaks(document, *node, index, &text);
            if text.trim().is_empty() {
                continue;
            }
            let style = styles.of_paragraph(document, *node);
            // What a table of contents repeats heads nothing.
            if style.and_then(|style| styles.name(style)).is_some_and(is_contents_style) {
                continue;
            }
            let outline = outline_level(document, *node)
                .unwrap_or_else(|| style.and_then(|style| styles.outline_level(style)));
            let shown = marker.as_ref().filter(|marker| !marker.bullet && !marker.text.is_empty());
            let stack = open.entry(own).or_default();
            let typed =
                typed_number(&text).filter(|_| shown.is_none()).map(|number| settle_letter(number, stack));
            let is_signature = is_signature_title(&text);
            let is_attachment =
                is_signature || is_attachment_title(&text) && (shown.is_none() || outline.is_some());
            let list = shown.and_then(|shown| {
                numbering.list_identity(shown.num_id, styles).map(|list| (list, shown.level))
            });
            if outline.is_none() && list.is_none() && typed.is_none() && !is_attachment {
                continue;
            }
            let number = match shown {
                Some(shown) => shown_number(&shown.text).map(|number| {
                    let value = u32::try_from(shown.number).unwrap_or(number.value);
                    settle_letter(TypedNumber { value, ..number }, stack)
                }),
                None => typed,
            };
            let rank = Rank { outline, list, number, is_attachment };
            let depth = stack.iter().position(|above| ends(&rank, above)).unwrap_or(stack.len());
            stack.truncate(depth);
            if depth >= DEEPEST {
                continue;
            }
            let typed_len = typed.map_or(0, |number| number.len);
            let kind = match (is_signature, is_attachment, outline, shown) {
                (true, ..) => HeadingKind::Signature,
                (_, true, ..) => HeadingKind::Attachment,
                (_, _, Some(_), _) => HeadingKind::Styled,
                (_, _, _, Some(_)) => HeadingKind::Numbered,
                _ => HeadingKind::Typed,
            };
            let number = match shown {
                Some(shown) => shown.text.clone(),
                None => text.get(..typed_len).unwrap_or_default().trim().to_owned(),
            };
            let is_title = outline.is_some() || is_attachment || is_short(&text);
            stack.push(rank);
            sections
                .headings
                .insert(index, Heading { index, depth, kind, number, typed: typed_len, is_title });
        }
        sections
    }

    /// Page and section breaks at a paragraph.
    fn note_breaks(&mut self, document: &Document, node: NodeId, index: usize, text: &str) {
        let properties = document.child(node, P_PR);
        let begins_page = properties
            .and_then(|properties| document.child(properties, PAGE_BREAK_BEFORE))
            .is_some_and(|property| is_on(document, property));
        let trimmed = text.trim_matches([' ', '\t', '\n']);
        let has_break = text.contains(PAGE_BREAK);
        if begins_page || trimmed.starts_with(PAGE_BREAK) {
            self.breaks.insert(index, SectionEnd::PageBreak);
        } else if has_break {
            self.breaks.entry(index + 1).or_insert(SectionEnd::PageBreak);
        }
        if properties.is_some_and(|properties| document.child(properties, SECT_PR).is_some()) {
            // An empty paragraph that carries a break is the break.
            let at = if text.trim().is_empty() { index } else { index + 1 };
            self.breaks.insert(at, SectionEnd::SectionBreak);
        }
    }

    /// The headings in file order.
    pub(crate) fn headings(&self) -> impl Iterator<Item = &Heading> {
        self.headings.values()
    }

    /// The heading that the paragraph is, if it is one.
    pub(crate) fn heading_at(&self, index: usize) -> Option<&Heading> {
        self.headings.get(&index)
    }

    /// The heading of the section that a paragraph lies in; its own if it heads one.
    pub(crate) fn heading_of(&self, index: usize) -> Option<&Heading> {
        let last = self.headings.range(..=index).next_back()?.1;
        (self.end_of(last.index).0 > index).then_some(last)
    }

    /// The paragraph before which the section of the heading at `index` ends, and why.
    pub(crate) fn end_of(&self, index: usize) -> (usize, SectionEnd) {
        let depth = self.heading_at(index).map_or(DEEPEST, |heading| heading.depth);
        let next = self.headings.range(index + 1..).find(|(_, heading)| heading.depth <= depth);
        let heading = next.map(|(at, _)| (*at, SectionEnd::Heading));
        let broken = self.breaks.range(index + 1..).next().map(|(at, why)| (*at, *why));
        [heading, broken]
            .into_iter()
            .flatten()
            .min_by_key(|(at, _)| *at)
            .unwrap_or((self.count, SectionEnd::Story))
    }

    /// The first paragraph behind the heading at `index` that heads something itself, within its section.
    pub(crate) fn first_within(&self, index: usize) -> usize {
        let (end, _) = self.end_of(index);
        self.headings.range(index + 1..end).next().map_or(end, |(at, _)| *at)
    }
}

/// Whether `new` ends the section of `above`.
fn ends(new: &Rank, above: &Rank) -> bool {
    let is_next = new.number.zip(above.number).is_some_and(|(new, above)| {
        (new.family, new.depth) == (above.family, above.depth) && new.value == above.value.saturating_add(1)
    });
    if new.is_attachment {
        let is_within = new.outline.zip(above.outline).is_some_and(|(new, above)| new > above);
        return !(is_within && above.number.is_none() && !above.is_attachment);
    }
    match (new.outline, above.outline) {
        (Some(new), Some(above)) => new <= above || is_next,
        _ if above.is_attachment => new.outline == Some(0),
        // Where headings have a style, other numbers are items below them, unless they count on.
        (None, Some(_)) => is_next || same_list(new, above),
        (Some(level), None) => {
            let is_wide = above.number.is_some_and(TypedNumber::is_wide);
            is_next || !(is_wide && level > 0)
        }
        (None, None)
            if new.list.is_some_and(|(list, _)| above.list.is_some_and(|(known, _)| list == known)) =>
        {
            same_list(new, above)
        }
        (None, None) => new
            .number
            .zip(above.number)
            .is_some_and(|(new, above)| new.family == above.family && new.depth <= above.depth),
    }
}

/// Whether both are items of one list, the new one no deeper.
fn same_list(new: &Rank, above: &Rank) -> bool {
    new.list
        .zip(above.list)
        .is_some_and(|((list, level), (known, deepest))| list == known && level <= deepest)
}

/// Whether a letter is a roman number: `(i)` is, unless `(h)` stands before it; others are if the roman number before is open.
fn settle_letter(number: TypedNumber, stack: &[Rank]) -> TypedNumber {
    let Some(roman) = number.as_roman() else { return number };
    let last = |family: Family| {
        stack
            .iter()
            .rev()
            .filter_map(|rank| rank.number)
            .find(|known| known.family == family)
            .map(|known| known.value)
    };
    if last(number.family).is_some_and(|value| value + 1 == number.value) {
        return number;
    }
    let goes_on = last(roman.family).is_some_and(|value| value + 1 == roman.value);
    if goes_on || roman.value == 1 { roman } else { number }
}

/// The outline level that the paragraph gives itself: `Some(None)` says that it has none, whatever its style.
pub(crate) fn outline_level(document: &Document, paragraph: NodeId) -> Option<Option<u8>> {
    let properties = document.child(paragraph, P_PR)?;
    let level = integer(&value_of(document, properties, OUTLINE_LVL)?)?;
    Some(u8::try_from(level).ok().filter(|level| *level <= DEEPEST_LEVEL))
}

fn is_contents_style(name: &str) -> bool {
    let lower = name.to_lowercase();
    lower.starts_with("toc ") || lower == "table of figures" || lower == "table of authorities"
}
