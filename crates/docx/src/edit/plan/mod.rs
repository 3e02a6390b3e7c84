//! From an operation to the changes it needs, in the coordinates of the batch's start. Changes nothing.

mod blocks;
mod lists;
mod moves;
mod navigate;
mod phrases;
mod tables;

use std::ops::{Range, RangeInclusive};

use engross_xml::NodeId;

use crate::edit::base::Base;
use crate::edit::claims::Claim;
use crate::edit::content::{Syntax, read_content};
use crate::edit::hints::near;
use crate::edit::hunks::{Hunk, hunks};
use crate::edit::looks::{phrases, unheeded_marks};
use crate::edit::phrase::find_phrase;
use crate::edit::properties::{Setting, paragraph_settings, text_settings};
use crate::edit::supplies::Supplies;
use crate::edit::target::find_paragraph;
use crate::error::{Refusal, RefusalCode};
use crate::model::OBJECT;
use crate::ops::{Address, Edit, Occurrence, Operation, Place, TextFormat, Where};
use crate::read::{excerpt, without_object_labels};
use crate::text::{ColumnAlignment, StyledText};

/// Text changes of paragraphs that stand together.
#[derive(Debug, Clone)]
pub(crate) struct TextChange {
    /// First paragraph, from 0.
    pub(crate) first: usize,
    /// Last paragraph; more than one when the change crosses borders.
    pub(crate) last: usize,
    /// In bytes of their texts joined by [`PARAGRAPH_BREAK`], in order.
    pub(crate) hunks: Vec<Hunk>,
    pub(crate) claim: Claim,
}

/// A look for a part of a paragraph's text.
#[derive(Debug, Clone)]
pub(crate) struct TextLook {
    pub(crate) index: usize,
    /// In bytes of its text.
    pub(crate) range: Range<usize>,
    pub(crate) settings: Vec<Setting>,
}

/// New paragraphs beside one.
#[derive(Debug, Clone)]
pub(crate) struct NewParagraphs {
    pub(crate) index: usize,
    pub(crate) side: Where,
    /// Parted by [`PARAGRAPH_BREAK`](crate::edit::content::PARAGRAPH_BREAK).
    pub(crate) content: StyledText,
    /// Id of their style; like the paragraph beside without.
    pub(crate) style: Option<String>,
    pub(crate) list: ListWish,
    /// Whether they are more of the same as the paragraph beside, even behind a heading.
    pub(crate) goes_on: bool,
}

impl NewParagraphs {
    /// One without text, behind a paragraph.
    pub(crate) fn empty_behind(index: usize) -> Self {
        let content = StyledText::default();
        Self { index, side: Where::After, content, style: None, list: ListWish::Outside, goes_on: false }
    }
}

/// Which list a new paragraph is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum ListWish {
    /// That of the paragraph beside.
    #[default]
    Like,
    /// None.
    Outside,
    /// This one, at this level.
    In(i64, u8),
}

/// A table to be made.
#[derive(Debug, Clone)]
pub(crate) struct NewTable {
    pub(crate) rows: Vec<Vec<StyledText>>,
    pub(crate) has_head: bool,
    pub(crate) alignments: Vec<ColumnAlignment>,
}

/// One thing to do. An operation is a row of them, all in the coordinates of the batch's start.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    Text(TextChange),
    Insert(NewParagraphs),
    Delete {
        index: usize,
    },
    Look(TextLook),
    ParagraphLook {
        index: usize,
        settings: Vec<Setting>,
    },
    /// A row more, beside the row `like`.
    Row {
        index: usize,
        like: NodeId,
        /// The row that it looks like.
        pattern: NodeId,
        side: Where,
        cells: Vec<StyledText>,
        /// Whether its text looks like none of that row's.
        plain: bool,
    },
    /// A row goes, with the paragraphs in it.
    DeleteRow {
        row: NodeId,
        paragraphs: Vec<usize>,
    },
    /// A cell more, beside the cell `like`.
    Cell {
        index: usize,
        like: NodeId,
        side: Where,
        content: StyledText,
    },
    /// A cell goes, with the paragraphs in it.
    DeleteCell {
        cell: NodeId,
        paragraphs: Vec<usize>,
    },
    /// A new table beside a paragraph.
    Table {
        index: usize,
        side: Where,
        table: NewTable,
    },
    /// Paragraphs stand elsewhere.
    Move {
        first: usize,
        last: usize,
        index: usize,
        side: Where,
    },
    /// A comment on parts of paragraphs that follow each other.
    Comment {
        places: Vec<(usize, Range<usize>)>,
        content: StyledText,
    },
}

impl Step {
    /// The paragraphs that it concerns.
    pub(crate) fn paragraphs(&self) -> RangeInclusive<usize> {
        match self {
            Self::Text(change) => change.first..=change.last,
            Self::Insert(new) => new.index..=new.index,
            Self::Look(look) => look.index..=look.index,
            Self::Row { index, .. } | Self::Cell { index, .. } | Self::Table { index, .. } => *index..=*index,
            Self::DeleteRow { paragraphs, .. } | Self::DeleteCell { paragraphs, .. } => {
                let index = |index: Option<&usize>| index.copied().unwrap_or_default();
                index(paragraphs.first())..=index(paragraphs.last())
            }
            Self::Move { first, last, .. } => *first..=*last,
            Self::Comment { places, .. } => {
                let index = |place: Option<&(usize, Range<usize>)>| place.map_or(0, |(index, _)| *index);
                index(places.first())..=index(places.last())
            }
            Self::Delete { index } | Self::ParagraphLook { index, .. } => *index..=*index,
        }
    }

    /// The paragraphs whose proof it concerns.
    pub(crate) fn scope(&self) -> Vec<RangeInclusive<usize>> {
        match self {
            Self::Move { index, .. } => vec![self.paragraphs(), *index..=*index],
            _ => vec![self.paragraphs()],
        }
    }

    /// Whether no text that is there changes.
    pub(crate) fn only_adds(&self) -> bool {
        matches!(self, Self::Insert(_) | Self::Row { .. } | Self::Cell { .. } | Self::Table { .. })
    }

    /// Whether there is nothing in it to do.
    pub(crate) fn is_idle(&self) -> bool {
        match self {
            Self::Text(change) => change.hunks.is_empty(),
            Self::Look(look) => look.range.is_empty(),
            _ => false,
        }
    }
}

/// What an operation comes down to, and what people should know about how it was found.
#[derive(Debug, Clone, Default)]
pub(crate) struct Planned {
    pub(crate) steps: Vec<Step>,
    pub(crate) remark: Option<String>,
    /// The paragraph that was looked for, where nothing is done.
    pub(crate) found: Option<usize>,
}

impl From<Vec<Step>> for Planned {
    fn from(steps: Vec<Step>) -> Self {
        Self { steps, ..Self::default() }
    }
}

pub(crate) fn plan(
    base: &mut Base<'_>,
    supplies: &mut Supplies,
    operation: &Operation,
) -> Result<Planned, Refusal> {
    let syntax = if operation.plain { Syntax::Plain } else { Syntax::Markdown };
    match &operation.edit {
        Edit::ModifyText { place, original, replacement, occurrence } => {
            let phrase = phrases::Phrase { original, replacement, occurrence: *occurrence, syntax };
            let place = guarded_if_given(base, place.as_ref(), operation)?;
            phrases::modify_text(base, place, &phrase)
        }
        Edit::EditParagraph { place, content } => {
            let index = guarded(base, place, operation)?;
            new_text(base, index, content, syntax).map(Planned::from)
        }
        Edit::Append { place, content } => {
            let index = guarded(base, place, operation)?;
            let at = base.text(index).len();
            addition(index, at, content, syntax).map(Planned::from)
        }
        Edit::Prepend { place, content } => {
            let index = guarded(base, place, operation)?;
            addition(index, 0, content, syntax).map(Planned::from)
        }
        Edit::InsertParagraph { place, side, content, style } => {
            let index = guarded(base, place, operation)?;
            let style = match style {
                Some(style) => Some(known_style(base, style)?),
                None => None,
            };
            let content = read_content(&without_object_labels(content.trim_matches(['\n', '\r'])), syntax)?;
            let new =
                NewParagraphs { index, side: *side, content, style, list: ListWish::Like, goes_on: false };
            Ok(vec![Step::Insert(new)].into())
        }
        Edit::DeleteParagraph { place } => {
            Ok(vec![Step::Delete { index: guarded(base, place, operation)? }].into())
        }
        Edit::FormatText { place, text, occurrence, format } => {
            let place = guarded_if_given(base, place.as_ref(), operation)?;
            let style = match &format.style {
                Some(style) => Some(known_character_style(base, style)?),
                None => None,
            };
            let settings = text_settings(format, style.as_deref());
            text_looks(base, place, (text.as_deref(), *occurrence), &settings)
        }
        Edit::Highlight { place, text, occurrence, color } => {
            let place = guarded_if_given(base, place.as_ref(), operation)?;
            let format = TextFormat { highlight: Some(color.clone()), ..TextFormat::default() };
            text_looks(base, place, (text.as_deref(), *occurrence), &text_settings(&format, None))
        }
        Edit::FormatParagraph { place, end, format } => {
            let first = guarded(base, place, operation)?;
            let last = end_of_range(base, first, end.as_ref())?;
            let style = match &format.style {
                Some(style) => Some(known_style(base, style)?),
                None => None,
            };
            let settings = paragraph_settings(base.document(), format, style.as_deref());
            let step = |index| Step::ParagraphLook { index, settings: settings.clone() };
            Ok((first..=last).map(step).collect::<Vec<_>>().into())
        }
        Edit::InsertComment { place, text, occurrence, content } => {
            let place = guarded_if_given(base, place.as_ref(), operation)?;
            comment(base, place, (text.as_deref(), *occurrence), read_content(content, syntax)?)
        }
        Edit::Replace { place, end, content } => {
            let first = guarded(base, place, operation)?;
            let last = end_of_range(base, first, end.as_ref())?;
            blocks::replace(base, supplies, (first, last), content, syntax)
        }
        Edit::EditList { place, end, items, kind } => {
            let first = guarded(base, place, operation)?;
            let last = end_of_range(base, first, Some(end))?;
            lists::edit_list(base, supplies, (first, last), (items, *kind), syntax)
        }
        Edit::InsertListItem { place, content, indent } => {
            let index = guarded(base, place, operation)?;
            lists::insert_item(base, index, (content, *indent), syntax)
        }
        Edit::ConvertHeaders { places, texts, format } => {
            let indices =
                places.iter().map(|place| find_paragraph(base, place)).collect::<Result<Vec<_>, _>>()?;
            lists::convert_headers(base, supplies, &indices, (texts, *format), syntax)
        }
        Edit::EditSection { place, header, body, preserve } => {
            let index = guarded(base, place, operation)?;
            lists::edit_section(base, index, (header.as_deref(), body.as_deref()), *preserve, syntax)
        }
        Edit::EditTable { place, action } => {
            let index = guarded(base, place, operation)?;
            tables::edit_table(base, index, action, syntax)
        }
        Edit::Move { place, end, side, to } => {
            let first = guarded(base, place, operation)?;
            let last = end_of_range(base, first, end.as_ref())?;
            let to = find_paragraph(base, to)?;
            moves::plan_move(base, (first, last), (*side, to))
        }
        Edit::Navigate { description } => navigate::navigate(base, description),
        Edit::Research => Err(Refusal::new(
            RefusalCode::ResearchNotAvailable,
            "the web is searched by a model, not by a batch; ask it in 'engross edit', 'chat' or a session",
        )),
        Edit::Restore { place } => {
            let index = guarded(base, place, operation)?;
            moves::plan_restore(base, index)
        }
        edit => Err(Refusal::new(
            RefusalCode::InvalidOperation,
            format!("{} cannot stand beside edits of text; send it in a batch of its own", edit.name()),
        )),
    }
}

/// The last paragraph of a range that begins at `first`.
pub(super) fn end_of_range(base: &mut Base<'_>, first: usize, end: Option<&Place>) -> Result<usize, Refusal> {
    let Some(end) = end else { return Ok(first) };
    let last = find_paragraph(base, end)?;
    if last < first {
        return Err(Refusal::new(
            RefusalCode::TargetNotFound,
            format!("the range ends at P{}, before it begins at P{}; swap the two", last + 1, first + 1),
        ));
    }
    Ok(last)
}

/// The steps that give a paragraph this text: words that differ, and looks that its marks ask of words that stay.
pub(super) fn new_text(
    base: &mut Base<'_>,
    index: usize,
    content: &str,
    syntax: Syntax,
) -> Result<Vec<Step>, Refusal> {
    let content = read_content(&without_object_labels(content.trim_matches(['\n', '\r'])), syntax)?;
    Ok(styled_text(base, index, &content))
}

/// The same for a text that is read already.
pub(super) fn styled_text(base: &mut Base<'_>, index: usize, content: &StyledText) -> Vec<Step> {
    let words = hunks(base.text(index), content, 0);
    let hunks = phrases(base, index, words);
    let looks = unheeded_marks(base, (index, index), 0, content, &hunks);
    let change = TextChange { first: index, last: index, hunks, claim: Claim::Whole };
    std::iter::once(Step::Text(change)).chain(looks).collect()
}

fn text_looks(
    base: &mut Base<'_>,
    place: Option<usize>,
    (text, occurrence): (Option<&str>, Option<Occurrence>),
    settings: &[Setting],
) -> Result<Planned, Refusal> {
    let look = |index, range| Step::Look(TextLook { index, range, settings: settings.to_vec() });
    let Some(text) = text else {
        let index = place.unwrap_or_default();
        let range = 0..base.text(index).len();
        return Ok(vec![look(index, range)].into());
    };
    let phrase = without_object_labels(&text.replace("\r\n", "\n"));
    let hits = find_phrase(base, place, &phrase, occurrence)?;
    let folded = hits.iter().any(|hit| !hit.exact);
    let mut steps = Vec::new();
    for hit in hits {
        for (index, range) in base.ranges_of(hit.first, hit.last, hit.range) {
            steps.push(look(index, range));
        }
    }
    Ok(Planned { steps, remark: folded.then(|| FOLDED.to_owned()), found: None })
}

fn comment(
    base: &mut Base<'_>,
    place: Option<usize>,
    (text, occurrence): (Option<&str>, Option<Occurrence>),
    content: StyledText,
) -> Result<Planned, Refusal> {
    let allowed = ["", "footnote:", "endnote:"];
    if !allowed.contains(&base.prefix.split_inclusive(':').next().unwrap_or_default()) {
        return Err(Refusal::new(
            RefusalCode::StoryNotEditable,
            "Word has comments only in the body and its notes; comment there on what this is about",
        ));
    }
    if content.text.trim().is_empty() {
        return Err(Refusal::new(RefusalCode::InvalidContent, "the comment is empty; give it some text"));
    }
    let Some(text) = text else {
        let index = place.unwrap_or_default();
        let places = vec![(index, 0..base.text(index).len())];
        return Ok(vec![Step::Comment { places, content }].into());
    };
    let phrase = without_object_labels(&text.replace("\r\n", "\n"));
    let mut steps = Vec::new();
    let hits = find_phrase(base, place, &phrase, occurrence)?;
    let folded = hits.iter().any(|hit| !hit.exact);
    for hit in hits {
        let places = base.ranges_of(hit.first, hit.last, hit.range);
        steps.push(Step::Comment { places, content: content.clone() });
    }
    Ok(Planned { steps, remark: folded.then(|| FOLDED.to_owned()), found: None })
}

fn guarded_if_given(
    base: &mut Base<'_>,
    place: Option<&Place>,
    operation: &Operation,
) -> Result<Option<usize>, Refusal> {
    match place {
        // A story named alone is where the phrase is looked for.
        None => Ok(None),
        Some(Place { address: Address::Any, .. }) if base.paragraphs.len() != 1 => Ok(None),
        Some(place) => guarded(base, place, operation).map(Some),
    }
}

pub(super) fn guarded(base: &mut Base<'_>, place: &Place, operation: &Operation) -> Result<usize, Refusal> {
    let index = find_paragraph(base, place)?;
    if let Some(expected) = &operation.expected_text {
        let actual = visible(base.text(index));
        if actual != visible(&without_object_labels(expected)) {
            return Err(Refusal::new(
                RefusalCode::ExpectedTextMismatch,
                format!(
                    "P{} says '{}', not the expected text; read it again{}",
                    index + 1,
                    excerpt(&actual),
                    near(base, expected)
                ),
            ));
        }
    }
    Ok(index)
}

fn visible(text: &str) -> String {
    text.chars().filter(|c| *c != OBJECT).collect()
}

fn addition(index: usize, at: usize, content: &str, syntax: Syntax) -> Result<Vec<Step>, Refusal> {
    let new = read_content(&without_object_labels(content), syntax)?;
    let hunks = if new.text.is_empty() { vec![] } else { vec![Hunk { range: at..at, new }] };
    Ok(vec![Step::Text(TextChange { first: index, last: index, hunks, claim: Claim::Text(at..at) })])
}

pub(super) fn known_style(base: &Base<'_>, style: &str) -> Result<String, Refusal> {
    base.styles.id_of(style).map(str::to_owned).ok_or_else(|| {
        Refusal::new(
            RefusalCode::StyleNotFound,
            format!(
                "the document has no paragraph style '{}'; leave 'style' out to take the neighbour's",
                excerpt(style)
            ),
        )
    })
}

fn known_character_style(base: &Base<'_>, style: &str) -> Result<String, Refusal> {
    base.styles.character_id_of(style).map(str::to_owned).ok_or_else(|| {
        Refusal::new(
            RefusalCode::StyleNotFound,
            format!(
                "the document has no character style '{}'; ask for bold, color and the like",
                excerpt(style)
            ),
        )
    })
}

pub(super) const FOLDED: &str = "matched after treating quotes, dashes, spaces and ellipses alike; the document's own characters were kept";
