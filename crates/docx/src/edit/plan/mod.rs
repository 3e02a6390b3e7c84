//! From an operation to the changes it needs, in the coordinates of the batch's start. Changes nothing.

mod align;
mod blocks;
mod lists;
mod moves;
mod navigate;
mod phrases;
pub(in crate::edit) mod step;
mod tables;
mod texts;

pub(crate) use step::{ListWish, NewParagraphs, NewTable, Planned, Step, TextChange, TextLook};

use crate::edit::base::Base;
use crate::edit::claims::Claim;
use crate::edit::content::{Syntax, read_content};
use crate::edit::hints::near;
use crate::edit::hunks::Hunk;
use crate::edit::phrase::find_phrase;
use crate::edit::plan::texts::{FOLDED, styled_text, visible};
use crate::edit::properties::{Setting, paragraph_settings, text_settings};
use crate::edit::supplies::Supplies;
use crate::edit::target::find_paragraph;
use crate::error::{Refusal, RefusalCode};
use crate::ops::{Address, Edit, Occurrence, Operation, Place, TextFormat};
use crate::read::{excerpt, without_object_labels};
use crate::text::StyledText;

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
