//! From an operation to the changes it needs, in the coordinates of the batch's start. Changes nothing.

mod align;
mod blocks;
mod columns;
mod controls;
mod list_finder;
mod lists;
mod moves;
mod navigate;
mod objects;
mod pages;
mod phrases;
mod sections;
mod set_table;
pub(in crate::edit) mod step;
mod table_model;
mod tables;
mod targets;

pub(crate) use step::{
    ColumnChange, ControlFill, ListWish, NewParagraphs, NewTable, Plan, RunFormatChange, Step, TextChange,
};

use crate::edit::choice::{barrier_around, choose};
use crate::edit::content::{PARAGRAPH_BREAK, Syntax, read_content};
use crate::edit::hints::near;
use crate::edit::hunks::Hunk;
use crate::edit::pending_parts::PendingParts;
use crate::edit::phrase::find_hits;
use crate::edit::plan::blocks::NewContent;
use crate::edit::plan::phrases::{styled_text, visible};
use crate::edit::properties::{Setting, paragraph_settings, run_settings};
use crate::edit::snapshot::StorySnapshot;
use crate::edit::target::find_paragraph;
use crate::edit::touched::TouchedRange;
use crate::error::{Refusal, RefusalCode};
use crate::model::Barrier;
use crate::ops::{Address, ControlName, Edit, Occurrence, Operation, Place, RunFormat, Search};
use crate::read::{excerpt, without_object_labels};
use crate::text::{LineEnds, StyledText};

pub(crate) fn plan(
    snapshot: &mut StorySnapshot<'_>,
    pending: &mut PendingParts,
    operation: &Operation,
) -> Result<Plan, Refusal> {
    let syntax = if operation.plain { Syntax::Plain } else { Syntax::Markdown };
    match &operation.edit {
        Edit::ModifyText { place, search, replacement } => {
            let place = guarded_if_given(snapshot, place.as_ref(), operation)?;
            phrases::modify_text(snapshot, place, (search, replacement), syntax)
        }
        Edit::EditParagraph { place, content } => {
            let index = guarded(snapshot, place, operation)?;
            new_text(snapshot, index, content, syntax).map(Plan::from)
        }
        Edit::Append { place, content } => {
            let index = guarded(snapshot, place, operation)?;
            let at = snapshot.text(index).len();
            addition(index, at, content, syntax).map(Plan::from)
        }
        Edit::Prepend { place, content } => {
            let index = guarded(snapshot, place, operation)?;
            addition(index, 0, content, syntax).map(Plan::from)
        }
        Edit::InsertParagraph { place, side, content, style, continues } => {
            let index = guarded(snapshot, place, operation)?;
            let style = match style {
                Some(style) => Some(known_style(snapshot, style)?),
                None => None,
            };
            let blocks = NewContent { text: content, syntax, ends: LineEnds::Breaks, continues: *continues };
            if let Some(plan) = blocks::insert(snapshot, pending, (index, *side), style.clone(), blocks)? {
                return Ok(plan);
            }
            let content = read_content(&without_object_labels(content.trim_matches(['\n', '\r'])), syntax)?;
            let (list, settings) = (ListWish::Like, Vec::new());
            let new = NewParagraphs { index, side: *side, content, style, list, settings, goes_on: false };
            Ok(vec![Step::Insert(new)].into())
        }
        Edit::DeleteParagraph { place, end, comments } => {
            let first = guarded(snapshot, place, operation)?;
            let last = end_of_range(snapshot, first, end.as_ref())?;
            tables::delete_range(snapshot, (first, last), *comments)
        }
        Edit::FormatText { place, search, format } => {
            let place = guarded_if_given(snapshot, place.as_ref(), operation)?;
            let style = match &format.style {
                Some(style) => Some(known_character_style(snapshot, style)?),
                None => None,
            };
            let settings = run_settings(format, style.as_deref());
            format_runs(snapshot, place, search.as_ref(), &settings)
        }
        Edit::Highlight { place, search, color } => {
            let place = guarded_if_given(snapshot, place.as_ref(), operation)?;
            let format = RunFormat { highlight: Some(color.clone()), ..RunFormat::default() };
            format_runs(snapshot, place, search.as_ref(), &run_settings(&format, None))
        }
        Edit::FormatParagraph { place, end, format } => {
            let first = guarded(snapshot, place, operation)?;
            let last = end_of_range(snapshot, first, end.as_ref())?;
            let style = match &format.style {
                Some(style) => Some(known_style(snapshot, style)?),
                None => None,
            };
            let settings = paragraph_settings(snapshot.document(), format, style.as_deref());
            let step = |index| Step::ParagraphFormat { index, settings: settings.clone() };
            Ok((first..=last).map(step).collect::<Vec<_>>().into())
        }
        Edit::InsertComment { place, search, content } => {
            let place = guarded_if_given(snapshot, place.as_ref(), operation)?;
            comment(snapshot, place, search.as_ref(), read_content(content, syntax)?)
        }
        Edit::Replace { place, end, content, continues } => {
            let first = guarded(snapshot, place, operation)?;
            let last = end_of_range(snapshot, first, end.as_ref())?;
            let ends = if pending.is_new_document { LineEnds::Filled } else { LineEnds::Breaks };
            let content = NewContent { text: content, syntax, ends, continues: *continues };
            blocks::replace(snapshot, pending, (first, last), content)
        }
        Edit::EditList { place, end, items, kind } => {
            let first = guarded(snapshot, place, operation)?;
            let last = end_of_range(snapshot, first, Some(end))?;
            lists::edit_list(snapshot, pending, (first, last), (items, *kind), syntax)
        }
        Edit::InsertListItem { place, content, indent } => {
            let index = guarded(snapshot, place, operation)?;
            lists::insert_item(snapshot, index, (content, *indent), syntax)
        }
        Edit::ConvertHeaders { places, texts, format } => {
            let indices =
                places.iter().map(|place| find_paragraph(snapshot, place)).collect::<Result<Vec<_>, _>>()?;
            lists::convert_headers(snapshot, pending, &indices, (texts, *format), syntax)
        }
        Edit::EditSection { place, header, body, preserve } => {
            let index = guarded(snapshot, place, operation)?;
            sections::edit_section(snapshot, index, (header.as_deref(), body.as_deref()), *preserve, syntax)
        }
        Edit::EditTable { place, action } => {
            let index = guarded(snapshot, place, operation)?;
            tables::edit_table(snapshot, index, action, syntax)
        }
        Edit::SetTable { place, format } => {
            let index = guarded(snapshot, place, operation)?;
            set_table::set_table(snapshot, index, format)
        }
        Edit::DeleteTable { place } => {
            let index = guarded(snapshot, place, operation)?;
            set_table::delete_table(snapshot, index)
        }
        Edit::InsertBreak { place, side, kind } => {
            let index = guarded(snapshot, place, operation)?;
            pages::insert_break(snapshot, (index, *side), *kind)
        }
        Edit::PageSetup { place, setup } => {
            let place = guarded_if_given(snapshot, place.as_ref(), operation)?;
            pages::page_setup(snapshot, place, setup)
        }
        Edit::Move { place, end, side, to } => {
            let first = guarded(snapshot, place, operation)?;
            let last = end_of_range(snapshot, first, end.as_ref())?;
            let to = find_paragraph(snapshot, to)?;
            moves::plan_move(snapshot, (first, last), (*side, to))
        }
        Edit::FillControl { control: ControlName::InStory(places), value, shown, .. } => {
            let expected = operation.expected_text.as_deref();
            controls::fill_controls(snapshot, places, (value, shown.as_deref()), expected, syntax)
        }
        Edit::Object(edit) => objects::plan_objects(snapshot, pending, operation, edit, syntax),
        Edit::Navigate { description } => navigate::navigate(snapshot, description),
        Edit::Invalid { code, message, .. } => Err(Refusal::new(*code, message.clone())),
        Edit::Research => Err(Refusal::new(
            RefusalCode::ResearchNotAvailable,
            "the web is searched by a model, not by a batch; ask it in 'engross edit', 'chat' or a session",
        )),
        Edit::Restore { place } => {
            let index = guarded(snapshot, place, operation)?;
            moves::plan_restore(snapshot, index)
        }
        edit => Err(Refusal::new(
            RefusalCode::InvalidOperation,
            format!("{} cannot stand beside edits of text; send it in a batch of its own", edit.name()),
        )),
    }
}

/// The last paragraph of a range that begins at `first`.
pub(super) fn end_of_range(
    snapshot: &mut StorySnapshot<'_>,
    first: usize,
    end: Option<&Place>,
) -> Result<usize, Refusal> {
    let Some(end) = end else { return Ok(first) };
    let last = find_paragraph(snapshot, end)?;
    if last < first {
        return Err(Refusal::new(
            RefusalCode::TargetNotFound,
            format!("the range ends at P{}, before it begins at P{}; swap the two", last + 1, first + 1),
        ));
    }
    Ok(last)
}

/// The steps that give a paragraph this text: words that differ, and the formatting that its marks ask of words that stay.
pub(super) fn new_text(
    snapshot: &mut StorySnapshot<'_>,
    index: usize,
    content: &str,
    syntax: Syntax,
) -> Result<Vec<Step>, Refusal> {
    let content = read_content(&without_object_labels(content.trim_matches(['\n', '\r'])), syntax)?;
    let mut steps = styled_text(snapshot, index, &content);
    if let [Step::Text(change), ..] = steps.as_mut_slice()
        && !content.text.contains(PARAGRAPH_BREAK)
    {
        change.range = TouchedRange::Hunks;
    }
    Ok(steps)
}

fn format_runs(
    snapshot: &mut StorySnapshot<'_>,
    place: Option<usize>,
    search: Option<&Search>,
    settings: &[Setting],
) -> Result<Plan, Refusal> {
    let format =
        |index, range| Step::RunFormat(RunFormatChange { index, range, settings: settings.to_vec() });
    let Some(search) = search else {
        let index = place.unwrap_or_default();
        let range = 0..snapshot.text(index).len();
        return Ok(vec![format(index, range)].into());
    };
    let finder = phrases::finder_of(search)?;
    let hits = find_hits(snapshot, place, &finder)?;
    // Formatting of what a field shows goes at its next update; where other text is formatted with it, that is no reason.
    let found = choose(snapshot, hits, (search, &finder), |snapshot, hit| {
        let places = snapshot.ranges_of(hit.first, hit.last, hit.range.clone());
        let steps: Vec<Step> = places.into_iter().map(|(index, range)| format(index, range)).collect();
        let is_many = search.occurrence == Some(Occurrence::All);
        let barrier = barrier_around(snapshot, hit).filter(|barrier| {
            is_many && matches!(barrier, Barrier::Field(_)) || matches!(barrier, Barrier::Move)
        });
        Ok((steps, barrier))
    })?;
    let steps = found.chosen.into_iter().flatten().collect();
    Ok(Plan { steps, remark: phrases::remarks(found.folded, found.left), found: None })
}

fn comment(
    snapshot: &mut StorySnapshot<'_>,
    place: Option<usize>,
    search: Option<&Search>,
    content: StyledText,
) -> Result<Plan, Refusal> {
    let allowed = ["", "footnote:", "endnote:"];
    if !allowed.contains(&snapshot.prefix.split_inclusive(':').next().unwrap_or_default()) {
        return Err(Refusal::new(
            RefusalCode::StoryNotEditable,
            "Word has comments only in the body and its notes; comment there on what this is about",
        ));
    }
    if content.text.trim().is_empty() {
        return Err(Refusal::new(RefusalCode::InvalidContent, "the comment is empty; give it some text"));
    }
    let Some(search) = search else {
        let index = place.unwrap_or_default();
        let places = vec![(index, 0..snapshot.text(index).len())];
        return Ok(vec![Step::Comment { places, content }].into());
    };
    let finder = phrases::finder_of(search)?;
    let hits = find_hits(snapshot, place, &finder)?;
    let found = choose(snapshot, hits, (search, &finder), |snapshot, hit| {
        let places = snapshot.ranges_of(hit.first, hit.last, hit.range.clone());
        Ok((Step::Comment { places, content: content.clone() }, None))
    })?;
    Ok(Plan { steps: found.chosen, remark: phrases::remarks(found.folded, found.left), found: None })
}

pub(super) fn guarded_if_given(
    snapshot: &mut StorySnapshot<'_>,
    place: Option<&Place>,
    operation: &Operation,
) -> Result<Option<usize>, Refusal> {
    match place {
        // A story named alone is where the phrase is looked for.
        None => Ok(None),
        Some(Place { address: Address::Any, .. }) if snapshot.paragraphs.len() != 1 => Ok(None),
        Some(place) => guarded(snapshot, place, operation).map(Some),
    }
}

pub(super) fn guarded(
    snapshot: &mut StorySnapshot<'_>,
    place: &Place,
    operation: &Operation,
) -> Result<usize, Refusal> {
    let index = find_paragraph(snapshot, place)?;
    if let Some(expected) = &operation.expected_text {
        let actual = visible(snapshot.text(index));
        if actual != visible(&without_object_labels(expected)) {
            return Err(Refusal::new(
                RefusalCode::ExpectedTextMismatch,
                format!(
                    "P{} says '{}', not the expected text; read it again{}",
                    index + 1,
                    excerpt(&actual),
                    near(snapshot, expected)
                ),
            ));
        }
    }
    Ok(index)
}

fn addition(index: usize, at: usize, content: &str, syntax: Syntax) -> Result<Vec<Step>, Refusal> {
    let new = read_content(&without_object_labels(content), syntax)?;
    let hunks = if new.text.is_empty() { vec![] } else { vec![Hunk { range: at..at, new }] };
    Ok(vec![Step::Text(TextChange { first: index, last: index, hunks, range: TouchedRange::Text(at..at) })])
}

pub(super) fn known_style(snapshot: &StorySnapshot<'_>, style: &str) -> Result<String, Refusal> {
    snapshot.styles.id_of(style).map(str::to_owned).ok_or_else(|| {
        Refusal::new(
            RefusalCode::StyleNotFound,
            format!(
                "the document has no paragraph style '{}'; leave 'style' out to take the neighbour's",
                excerpt(style)
            ),
        )
    })
}

fn known_character_style(snapshot: &StorySnapshot<'_>, style: &str) -> Result<String, Refusal> {
    snapshot.styles.character_id_of(style).map(str::to_owned).ok_or_else(|| {
        Refusal::new(
            RefusalCode::StyleNotFound,
            format!(
                "the document has no character style '{}'; ask for bold, color and the like",
                excerpt(style)
            ),
        )
    })
}
