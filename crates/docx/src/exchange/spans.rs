//! Whether an edit of a paragraph is nothing but other words, and which.
//!
//! Offsets count UTF-16 code units, as JavaScript and Word do, in the text that the paragraph had when all its changes were accepted;
//! a picture, a note mark or another object is one unit.

use std::ops::Range;

use engross_xml::NodeId;
use serde::Serialize;

use super::items::StoryItems;
use crate::model::{Atom, AtomKind, FieldContext, Paragraph, View, effective_text, is_revision_wrapper};
use crate::names::P;
use crate::signature::number_of;
use crate::text::{Hunk, diff};

/// Words of a paragraph that give way to others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TextSpan {
    /// Where the words begin.
    pub start: usize,
    /// Where they end.
    pub end: usize,
    /// The words; empty for an insertion.
    pub delete: String,
    /// What comes in their place; empty for a deletion.
    pub insert: String,
    /// What the new words look like.
    pub like: NewTextFormat,
}

/// Which text has the form of new words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum NewTextFormat {
    /// The words that give way.
    Deleted,
    /// The character before.
    Before,
    /// The character behind.
    After,
}

/// One character, or one thing that is none.
struct Unit {
    /// Equal numbers mean equal to a reader, place included.
    number: u64,
    /// What a character looks like and stands in.
    form: u64,
    /// Bytes of the text; empty for what shows none.
    range: Range<usize>,
    is_text: bool,
}

/// A paragraph as its units.
struct Units {
    text: String,
    units: Vec<Unit>,
}

/// The words that turn one paragraph into the other, the last first; nothing where more than words differ.
pub(crate) fn text_spans(
    (before, old): (&StoryItems<'_>, NodeId),
    (after, new): (&StoryItems<'_>, NodeId),
    fields: (Option<&FieldContext>, Option<&FieldContext>),
) -> Option<Vec<TextSpan>> {
    let old = units(before, old, fields.0);
    let new = units(after, new, fields.1);
    let hunks = diff(&old.text, &new.text);
    let kept = |units: &Units, range: fn(&Hunk) -> &Range<usize>| -> Option<Vec<u64>> {
        let mut numbers = Vec::with_capacity(units.units.len());
        for unit in &units.units {
            let within = hunks.iter().map(range).find(|hunk| match unit.range.is_empty() {
                true => hunk.start < unit.range.start && unit.range.start < hunk.end,
                false => hunk.start < unit.range.end && unit.range.start < hunk.end,
            });
            match within {
                Some(_) if !unit.is_text => return None,
                Some(_) => {}
                None => numbers.push(unit.number),
            }
        }
        Some(numbers)
    };
    if kept(&old, |hunk| &hunk.old)? != kept(&new, |hunk| &hunk.new)? {
        return None;
    }
    let mut spans = hunks.iter().map(|hunk| span(hunk, &old, &new)).collect::<Option<Vec<_>>>()?;
    spans.reverse();
    Some(spans)
}

fn span(hunk: &Hunk, old: &Units, new: &Units) -> Option<TextSpan> {
    let (from, to) = (old.text.get(..hunk.old.start)?, old.text.get(hunk.old.clone())?);
    let start = width(from);
    let insert = new.text.get(hunk.new.clone())?;
    let mut forms = new.within(&hunk.new).map(|unit| unit.form);
    let like = match forms.next() {
        None => NewTextFormat::Deleted,
        Some(form) => {
            if forms.any(|other| other != form) {
                return None;
            }
            let gone = old.within(&hunk.old).next().map(|unit| unit.form);
            let mut shown = new.units.iter().filter(|unit| unit.is_text);
            let after = shown.clone().find(|unit| unit.range.start >= hunk.new.end).map(|unit| unit.form);
            let before = shown.rfind(|unit| unit.range.end <= hunk.new.start).map(|unit| unit.form);
            match Some(form) {
                own if own == gone => NewTextFormat::Deleted,
                own if own == before => NewTextFormat::Before,
                own if own == after => NewTextFormat::After,
                // Where all text is new, it takes the form of the paragraph.
                _ => return None,
            }
        }
    };
    Some(TextSpan { start, end: start + width(to), delete: to.to_owned(), insert: insert.to_owned(), like })
}

fn width(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

impl Units {
    fn within(&self, range: &Range<usize>) -> impl Iterator<Item = &Unit> {
        let Range { start, end } = range.clone();
        self.units.iter().filter(move |unit| unit.range.start < end && start < unit.range.end)
    }
}

fn units(story: &StoryItems<'_>, node: NodeId, fields: Option<&FieldContext>) -> Units {
    let (document, signer) = (&*story.tree, story.signer());
    let paragraph = Paragraph::read(document, node, View::Accepted, fields);
    let mut units = Vec::new();
    let mut last: Option<(NodeId, u64)> = None;
    let is_gone = |atom: &&Atom| atom.deleted.is_some();
    for atom in paragraph.atoms.iter().filter(|atom| !is_gone(atom)) {
        let form = match last {
            Some((run, form)) if run == atom.run => form,
            _ => {
                let form =
                    number_of(51, &format!("{:x} {:x}", signer.format(atom.run), frame(story, atom.run)));
                last = Some((atom.run, form));
                form
            }
        };
        if !atom.visible || !matches!(atom.kind, AtomKind::Text) {
            let is_text = atom.visible && matches!(atom.kind, AtomKind::Character('\t' | '\n'));
            let what = if atom.kind == AtomKind::Text {
                number_of(52, &effective_text(document, atom.node))
            } else {
                signer.whole(atom.node)
            };
            let number = number_of(53, &format!("{form:x} {what:x}"));
            units.push(Unit { number, form, range: atom.range.clone(), is_text });
            continue;
        }
        let text = paragraph.text.get(atom.range.clone()).unwrap_or_default();
        units.extend(text.char_indices().map(|(at, character)| {
            let start = atom.range.start + at;
            let number = form ^ u64::from(u32::from(character)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            Unit { number, form, range: start..start + character.len_utf8(), is_text: atom.barrier.is_none() }
        }));
    }
    Units { text: paragraph.text, units }
}

/// What stands around a run within its paragraph, tracked changes aside.
fn frame(story: &StoryItems<'_>, run: NodeId) -> u64 {
    let (document, signer) = (&*story.tree, story.signer());
    let around = document.ancestors(run).take_while(|above| document.name(*above) != P);
    let shells = around.filter(|above| !is_revision_wrapper(document.name(*above)));
    let shells: Vec<u64> = shells.map(|above| signer.shell(above)).collect();
    if shells.is_empty() { 0 } else { number_of(54, &format!("{shells:?}")) }
}
