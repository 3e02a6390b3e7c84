//! Lists: items that come, go and change, and the numbers they have.

use crate::edit::content::{Syntax, read_content};
use crate::edit::pending_parts::{ListLevel, PendingParts};
use crate::edit::plan::align::{TargetParagraph, align};
use crate::edit::plan::list_finder::{ListFinder, kind_of_marker};
use crate::edit::plan::phrases::styled_text;
use crate::edit::plan::step::{ListWish, NewParagraphs, Plan, Step};
use crate::edit::properties::Setting;
use crate::edit::snapshot::StorySnapshot;
use crate::error::{Refusal, RefusalCode};
use crate::numbering::{NumberFormat, paragraph_numbering};
use crate::ops::{ListKind, NumberStyle, Where};
use crate::styles::DEEPEST_LEVEL;
use crate::text::{BlockKind, Enclosure, LineEnds, parse_blocks, without_marker};

impl StorySnapshot<'_> {
    /// Number and level of the list that a paragraph is in.
    pub(crate) fn list_of(&self, index: usize) -> Option<(i64, u8)> {
        let node = self.paragraphs.get(index)?;
        paragraph_numbering(self.document(), *node, self.styles, self.numbering)
    }

    /// How a level of a list is marked.
    pub(super) fn kind_of(&self, number: i64, level: u8) -> Option<ListKind> {
        Some(match self.numbering.level(number, level, self.styles)?.format {
            NumberFormat::Bullet => ListKind::Bullet,
            NumberFormat::LowerLetter => ListKind::Numbered(NumberStyle::LowerLetter),
            NumberFormat::UpperLetter => ListKind::Numbered(NumberStyle::UpperLetter),
            NumberFormat::LowerRoman => ListKind::Numbered(NumberStyle::LowerRoman),
            NumberFormat::UpperRoman => ListKind::Numbered(NumberStyle::UpperRoman),
            _ => ListKind::Numbered(NumberStyle::Decimal),
        })
    }
}

pub(super) fn edit_list(
    snapshot: &mut StorySnapshot<'_>,
    pending: &mut PendingParts,
    (first, last): (usize, usize),
    (items, kind): (&[String], ListKind),
    syntax: Syntax,
) -> Result<Plan, Refusal> {
    let places: Vec<_> = (first..=last).map(|index| snapshot.table_at(index)).collect();
    if places.iter().any(|place| Some(place) != places.first()) {
        return Err(Refusal::new(
            RefusalCode::TableEditRefused,
            "the range begins or ends inside a table; a list stands outside of it, or within one cell",
        ));
    }
    let old: Vec<usize> = (first..=last).collect();
    // A heading that shows no number stays a heading above the list.
    let base_level = old.iter().find_map(|index| snapshot.list_of(*index)).map_or(0, |(_, level)| level);
    let lines = items.iter().map(|item| as_item(item)).collect::<Vec<_>>().join("\n");
    let parsed = parse_blocks(&lines, LineEnds::Breaks).blocks;
    let mut list = None;
    let mut wanted = Vec::new();
    for (item, text) in parsed.iter().zip(items) {
        let (level, text, typed) = match &item.kind {
            BlockKind::Item(item) => {
                (item.level, item.text.as_str(), Some((kind_of_marker(item.marker), item.enclosure)))
            }
            _ => (0, text.trim(), None),
        };
        let (start, enclosure) = match typed {
            Some(((typed, number), enclosure)) if typed == kind => (number.max(1), enclosure),
            _ => (1, Enclosure::Period),
        };
        let number = *list.get_or_insert_with(|| {
            let marked = ListLevel { kind, enclosure, start };
            ListFinder::of_range(snapshot, &old).number(snapshot, pending, (marked, base_level)).0
        });
        let level = (base_level + level).min(DEEPEST_LEVEL);
        wanted.push(TargetParagraph {
            content: read_content(text, syntax)?,
            style: None,
            list: ListWish::In(number, level),
            settings: Vec::new(),
        });
    }
    Ok(align(snapshot, &old, &wanted, (first, Where::Before)).into())
}

/// One line that is read as an item, whatever marker it has.
fn as_item(text: &str) -> String {
    let line = text.replace(['\n', '\r'], " ");
    if crate::text::split_marker(&line).is_some() {
        return line;
    }
    let indent: String = line.chars().take_while(|c| c.is_whitespace()).collect();
    format!("{indent}- {}", line.trim())
}

pub(super) fn insert_item(
    snapshot: &mut StorySnapshot<'_>,
    index: usize,
    (text, indent): (&str, i64),
    syntax: Syntax,
) -> Result<Plan, Refusal> {
    let Some((number, level)) = snapshot.list_of(index) else {
        return Err(Refusal::new(
            RefusalCode::TargetNotFound,
            format!("P{} is no item of a list; use edit_list to make one, or insert_paragraph", index + 1),
        ));
    };
    let step = indent.clamp(-1, 1);
    let wanted = i64::from(level) + step;
    let deepest = i64::from(DEEPEST_LEVEL);
    let new_level = u8::try_from(wanted.clamp(0, deepest)).unwrap_or(level);
    let remark = (step != indent || wanted != i64::from(new_level))
        .then(|| format!("'indentLevel' was {indent}; the item stands at level {new_level}"));
    let content = read_content(without_marker(text.trim()), syntax)?;
    let list = if new_level == level { ListWish::Like } else { ListWish::In(number, new_level) };
    let settings = Vec::new();
    let new =
        NewParagraphs { index, side: Where::After, content, style: None, list, settings, goes_on: true };
    Ok(Plan { steps: vec![Step::Insert(new)], remark, found: None })
}

pub(super) fn convert_headers(
    snapshot: &mut StorySnapshot<'_>,
    pending: &mut PendingParts,
    indices: &[usize],
    (texts, format): (&[String], NumberStyle),
    syntax: Syntax,
) -> Result<Plan, Refusal> {
    let mut places: Vec<(usize, Option<&String>)> = Vec::new();
    for (at, index) in indices.iter().enumerate() {
        if !places.iter().any(|(known, _)| known == index) {
            places.push((*index, texts.get(at)));
        }
    }
    places.sort_by_key(|(index, _)| *index);
    let first = ListLevel { kind: ListKind::Numbered(format), enclosure: Enclosure::Period, start: 1 };
    let number = pending.list(first, None);
    let mut steps = Vec::new();
    for (index, text) in places {
        let old = snapshot.text(index).to_owned();
        let text = match text {
            Some(text) => read_content(without_marker(text.trim()), syntax)?,
            None => read_content(without_marker(&old), Syntax::Plain)?,
        };
        steps.extend(styled_text(snapshot, index, &text));
        steps.push(Step::ParagraphFormat { index, settings: vec![Setting::list(number, 0)] });
    }
    Ok(steps.into())
}
