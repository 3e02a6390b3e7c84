//! Footnotes and endnotes that nothing leads to any more: what was struck or given up must not stay in the file unseen.
//!
//! A note goes with the last of its marks: when a revision is accepted or rejected, when words of one's own are given up, and when
//! edits are written without revisions. Must never take away a note that had no mark before.

use std::collections::BTreeSet;

use engross_xml::{Document, NodeId, QName};

use super::WordDocument;
use crate::error::Error;
use crate::lost_parts::drop_lost_parts;
use crate::names::{ENDNOTE, ENDNOTE_REFERENCE, FOOTNOTE, FOOTNOTE_REFERENCE, ID};
use crate::package::Package;
use crate::parts;
use crate::text::NoteKind;

/// Notes, as marks in the body name them.
pub(super) type NoteMarks = BTreeSet<(NoteKind, String)>;

/// The kinds of notes: the relationship of their part and the element of one, in the order of [`crate::canon::IgnoredMarkup::notes`].
const KINDS: [(NoteKind, &str, QName); 2] =
    [(NoteKind::Footnote, "footnotes", FOOTNOTE), (NoteKind::Endnote, "endnotes", ENDNOTE)];

/// The notes that marks below `body` lead to.
fn marks_below(tree: &Document, body: NodeId) -> NoteMarks {
    let kind = |node: &NodeId| match tree.name(*node) {
        FOOTNOTE_REFERENCE => Some(NoteKind::Footnote),
        ENDNOTE_REFERENCE => Some(NoteKind::Endnote),
        _ => None,
    };
    let nodes = tree.descendants(body);
    nodes.filter_map(|node| Some((kind(&node)?, tree.attribute(node, ID)?.into_owned()))).collect()
}

/// The ids of one kind that only `before` has.
fn lost_ids<'a>(before: &'a NoteMarks, now: &'a NoteMarks, kind: NoteKind) -> BTreeSet<&'a str> {
    before.difference(now).filter(|(own, _)| *own == kind).map(|(_, id)| id.as_str()).collect()
}

/// Takes the notes with these ids out of their part.
fn detach_notes(tree: &mut Document, element: QName, ids: &BTreeSet<&str>) {
    let gone: Vec<NodeId> = tree
        .children(tree.root())
        .filter(|node| tree.name(*node) == element)
        .filter(|node| tree.attribute(*node, ID).is_some_and(|id| ids.contains(&*id)))
        .collect();
    gone.into_iter().for_each(|node| tree.detach(node));
}

impl WordDocument {
    /// The notes that marks in the body lead to, pending revisions and all.
    pub(super) fn note_marks(&self) -> NoteMarks {
        marks_below(&self.tree, self.body)
    }

    /// The marks that an edit can take away for good: there are none unless words of one's own are pending.
    pub(super) fn marks_at_stake(&self) -> NoteMarks {
        let has_new = self.ignored.notes.iter().any(|notes| notes.from.is_some());
        if has_new || self.ids.own().has_adopted() { self.note_marks() } else { NoteMarks::new() }
    }

    /// Takes away the notes that marks led to before and that none leads to now.
    pub(super) fn drop_notes_without_marks(&mut self, before: &NoteMarks) -> Result<(), Error> {
        if before.is_empty() {
            return Ok(());
        }
        let now = self.note_marks();
        for (slot, (kind, relationship, element)) in KINDS.into_iter().enumerate() {
            let lost = lost_ids(before, &now, kind);
            let Some(part) = self.related_name(relationship).filter(|_| !lost.is_empty()) else { continue };
            detach_notes(self.load_mut(&part)?, element, &lost);
            if let Some(ignored) = self.ignored.notes.get_mut(slot) {
                ignored.gone.extend(lost.iter().filter_map(|id| id.trim().parse::<i64>().ok()));
            }
            self.touched.insert(part);
        }
        Ok(())
    }

    /// The same in a package in which edits are written without revisions: marks that the session only strikes are not there.
    pub(super) fn drop_struck_notes(&self, package: &mut Package) -> Result<(), Error> {
        let before = self.note_marks();
        if before.is_empty() {
            return Ok(());
        }
        let main = parts::parse(package, &self.main_name, &self.limits.xml)?;
        let now = marks_below(&main, main.root());
        for (kind, relationship, element) in KINDS {
            let lost = lost_ids(&before, &now, kind);
            let Some(part) = self.related_name(relationship).filter(|_| !lost.is_empty()) else { continue };
            let mut tree = parts::parse(package, &part, &self.limits.xml)?;
            detach_notes(&mut tree, element, &lost);
            package.set_part(&part, tree.write());
            drop_lost_parts(package, &part, &self.limits.xml)?;
        }
        Ok(())
    }
}
