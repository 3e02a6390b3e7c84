//! The formatting of a paragraph's text, as far as a text edit has to know it.
//!
//! Must never change formatting itself.

use std::ops::Range;

use engross_xml::Document;

use crate::canon::normal_form;
use crate::edit::hunks::{Hunk, join_phrases};
use crate::edit::plan::step::{RunFormatChange, Step};
use crate::edit::properties::run_settings;
use crate::edit::revision_writer::CODE_FONT;
use crate::edit::snapshot::StorySnapshot;
use crate::model::{OBJECT, Paragraph, is_on};
use crate::names::{ASCII, B, HIGHLIGHT, I, R_FONTS, R_PR, STRIKE, U, VAL, VERT_ALIGN};
use crate::ops::{RunFormat, Vertical};
use crate::text::{Marks, StyledText};

/// Joins the changes of one paragraph into phrases within which the formatting does not change.
pub(crate) fn phrases(snapshot: &StorySnapshot<'_>, index: usize, hunks: Vec<Hunk>) -> Vec<Hunk> {
    if hunks.len() < 2 {
        return hunks;
    }
    let model = read(snapshot, index);
    let format = |at: usize| {
        let atom = model.visible().find(|atom| atom.range.contains(&at))?;
        let properties = snapshot.document().child(atom.run, R_PR);
        Some((
            snapshot.document().parent(atom.run),
            properties.map(|node| normal_form(snapshot.document(), node)),
        ))
    };
    join_phrases(&model.text, hunks, |first, second| {
        let wanted = format(second);
        wanted.is_some() && format(first.start) == wanted && format(first.end.saturating_sub(1)) == wanted
    })
}

fn read(snapshot: &StorySnapshot<'_>, index: usize) -> Paragraph {
    Paragraph::read_chain(
        snapshot.document(),
        &snapshot.chain(index),
        snapshot.view,
        snapshot.context(index).as_ref(),
    )
}

/// The formatting that the marks of the new text ask of words that stay and do not have it.
pub(crate) fn unheeded_marks(
    snapshot: &StorySnapshot<'_>,
    (first, last): (usize, usize),
    offset: usize,
    new: &StyledText,
    hunks: &[Hunk],
) -> Vec<Step> {
    if !new.has_marks() || first != last {
        return Vec::new();
    }
    let model = read(snapshot, first);
    let mut wanted: Vec<(Range<usize>, Marks)> = Vec::new();
    // Walks both texts side by side: what is between two hunks is the same, objects aside.
    let (mut old_at, mut new_at) = (offset, 0);
    let ends = hunks.iter().map(|hunk| (hunk.range.clone(), hunk.new.text.len()));
    for (gone, come) in ends.chain(std::iter::once((usize::MAX..usize::MAX, 0))) {
        for (at, c) in model.text.get(old_at..).unwrap_or_default().char_indices() {
            let at = old_at + at;
            if at >= gone.start || new_at >= new.text.len() {
                break;
            }
            if c == OBJECT {
                continue;
            }
            let marks = new.marks_at(new_at);
            new_at += c.len_utf8();
            if marks.is_empty() {
                continue;
            }
            match wanted.last_mut() {
                Some((range, known)) if range.end == at && *known == marks => range.end += c.len_utf8(),
                _ => wanted.push((at..at + c.len_utf8(), marks)),
            }
        }
        new_at += come;
        old_at = gone.end;
    }
    let differs = |(range, marks): &(Range<usize>, Marks)| {
        let text = model.text.get(range.clone()).unwrap_or_default();
        let mut places = text.char_indices().filter(|(_, c)| !c.is_whitespace());
        places.any(|(at, _)| !looks_like(snapshot.document(), &model, range.start + at, *marks))
    };
    let step = |(range, marks): (Range<usize>, Marks)| {
        let on = |on: bool| on.then_some(true);
        let format = RunFormat {
            bold: on(marks.bold),
            italic: on(marks.italic),
            underline: on(marks.underline),
            strike: on(marks.strike),
            highlight: marks.highlight.then(|| "yellow".to_owned()),
            vertical: match (marks.subscript, marks.superscript) {
                (true, _) => Some(Vertical::Subscript),
                (_, true) => Some(Vertical::Superscript),
                _ => None,
            },
            font: marks.code.then(|| CODE_FONT.to_owned()),
            ..RunFormat::default()
        };
        Step::RunFormat(RunFormatChange { index: first, range, settings: run_settings(&format, None) })
    };
    wanted.into_iter().filter(differs).map(step).collect()
}

fn looks_like(document: &Document, model: &Paragraph, at: usize, wanted: Marks) -> bool {
    let atom = model.visible().find(|atom| atom.range.contains(&at));
    let properties = atom.and_then(|atom| document.child(atom.run, R_PR));
    let on = |name| {
        let property = properties.and_then(|properties| document.child(properties, name));
        property.is_some_and(|property| is_on(document, property))
    };
    // `w:u` names a kind of line, or says that there is none (§17.3.2.40).
    let underlined = || {
        let property = properties.and_then(|properties| document.child(properties, U));
        let kind = property.and_then(|property| document.attribute(property, VAL));
        kind.is_some_and(|kind| kind != "none")
    };
    let value = |name, key| {
        let property = properties.and_then(|properties| document.child(properties, name));
        property.and_then(|property| document.attribute(property, key)).unwrap_or_default()
    };
    let small = value(VERT_ALIGN, VAL);
    (!wanted.bold || on(B))
        && (!wanted.highlight || !matches!(&*value(HIGHLIGHT, VAL), "" | "none"))
        && (!wanted.subscript || small == "subscript")
        && (!wanted.superscript || small == "superscript")
        && (!wanted.code || value(R_FONTS, ASCII) == CODE_FONT)
        && (!wanted.italic || on(I))
        && (!wanted.strike || on(STRIKE))
        && (!wanted.underline || underlined())
}
