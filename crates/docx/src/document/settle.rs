//! What becomes of references when a batch moves or deletes what they refer to.
//!
//! Judged when all operations are written: a reference that is deleted with its target, or text that says a new thing, does no
//! harm. A reference to moved text leads to where it stands now. One whose target is gone is refused with the operation that
//! took it, unless that says otherwise. Must never leave a live reference to nothing, or to something else.

use std::collections::{BTreeMap, HashMap};

use engross_xml::{Document, NodeId};

use super::WordDocument;
use super::judge::{FieldChange, Judge, Settlement, live_references, takes_text_away};
use super::run::{Anchor, PartNode, Run};
use crate::edit::evidence::{NestedInsertion, refuse_nested};
use crate::edit::references::{Obstacle, bookmark_paragraph, retarget, unlink};
use crate::edit::{MovedBookmark, RevisionWriter, StorySnapshot, StyleContext, find_paragraph};
use crate::error::{Error, Refusal, RefusalCode};
use crate::model::{RevisionStamp, View, is_revision_wrapper};
use crate::names::{ANCHOR, BOOKMARK_START, FLD_SIMPLE, HYPERLINK, INSTR_TEXT, NAME, RUN};
use crate::ops::{Edit, OperationOutcome, Outcome, Place, ReferencePolicy};
use crate::read::excerpt;
use crate::revisions::Selection;

impl WordDocument {
    /// Lets the batch know of references, where it may move or delete what they lead to.
    pub(super) fn note_references(&self, run: &mut Run<'_>) {
        let matters = |edit: &Edit| takes_text_away(edit) || matches!(edit, Edit::Reference(_));
        if !run.operations().any(|(_, operation)| matters(&operation.edit)) {
            return;
        }
        let mut highest: u64 = 0;
        let trees = self.story_trees();
        let mut parts: Vec<&Document> = vec![trees.main.1];
        parts.extend(trees.others.values().map(|tree| &**tree));
        for tree in parts {
            for node in tree.descendants(tree.root()) {
                match tree.name(node) {
                    BOOKMARK_START => {
                        let name = tree.attribute(node, NAME).unwrap_or_default();
                        let number = name.strip_prefix("_Ref").or(name.strip_prefix("_Toc"));
                        highest = highest.max(number.and_then(|number| number.parse().ok()).unwrap_or(0));
                    }
                    INSTR_TEXT | FLD_SIMPLE => run.has_references = true,
                    HYPERLINK => run.has_references |= tree.attribute(node, ANCHOR).is_some(),
                    _ => {}
                }
            }
        }
        run.pending.next_bookmark = FIRST_BOOKMARK.max(highest.saturating_add(1));
        if run.has_references
            && run.operations().any(|(_, operation)| matches!(operation.edit, Edit::Move { .. }))
        {
            let references = self.references(&trees, View::Accepted);
            let named = references.fields().filter_map(|(.., field)| field.instruction.bookmark());
            run.pending.referenced = named.map(str::to_lowercase).collect();
        }
    }

    /// The paragraphs to which operations retarget references, and those that operations on references name, found before anything
    /// changes.
    pub(super) fn find_anchors(&mut self, run: &mut Run<'_>) -> Result<(), Error> {
        for (index, operation) in run.operations() {
            if run.is_skipped(index) {
                continue;
            }
            let retarget = match &operation.references {
                ReferencePolicy::Retarget(place) => Some(place),
                _ => None,
            };
            let (own, target) = match &operation.edit {
                Edit::Reference(edit) => (edit.place(), edit.target()),
                _ => (None, None),
            };
            let expected = operation.expected_text.as_deref();
            let wanted = [(own, expected), (target.or(retarget), None)];
            for (number, (place, expected)) in wanted.into_iter().enumerate() {
                let Some(place) = place else { continue };
                let anchors = if number == 0 { &mut run.anchors } else { &mut run.targets };
                match self.find_place(place, expected, &run.as_read)? {
                    Ok(found) => {
                        anchors.insert(index, found);
                    }
                    Err(refusal) => run.refuse(index, refusal),
                }
            }
        }
        Ok(())
    }

    /// The paragraph of a place in any story.
    fn find_place(
        &mut self,
        place: &Place,
        expected: Option<&str>,
        as_read: &HashMap<PartNode, Vec<NodeId>>,
    ) -> Result<Result<Anchor, Refusal>, Error> {
        let story = match &place.story {
            None => None,
            Some(name) => match self.stories()?.into_iter().find(|story| story.name == *name) {
                Some(story) => Some(story),
                None => {
                    let message = format!("there is no story '{name}' in this document");
                    return Ok(Err(Refusal::new(RefusalCode::TargetNotFound, message)));
                }
            },
        };
        let part = story.as_ref().map_or(self.main_name.clone(), |story| story.part.clone());
        self.load_mut(&part)?;
        let context = StyleContext { styles: &self.styles, numbering: &self.numbering };
        let first_id = self.ids.peek();
        let tree = self.others.get_mut(&part).unwrap_or(&mut self.tree);
        let root = match &story {
            None => Some(self.body),
            Some(story) => crate::read::story_root(tree, story),
        };
        let Some(root) = root else {
            return Ok(Err(Refusal::new(RefusalCode::TargetNotFound, "the story has no text")));
        };
        let name = story.as_ref().map_or("", |story| story.name.as_str());
        let mut snapshot = StorySnapshot::new(tree, root, name, context, first_id);
        if let Some(read) = as_read.get(&(part.clone(), root)) {
            snapshot.count_as(read);
        }
        let index = match find_paragraph(&mut snapshot, place) {
            Ok(index) => index,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let text = snapshot.text(index).to_owned();
        if expected.is_some_and(|expected| expected.trim() != text.trim()) {
            let message =
                format!("P{} says '{}', not the expected text; read it again", index + 1, excerpt(&text));
            return Ok(Err(Refusal::new(RefusalCode::ExpectedTextMismatch, message)));
        }
        Ok(Ok({
            let paragraph = snapshot.paragraphs.get(index).copied().unwrap_or(root);
            let tree = snapshot.document();
            let run = tree.descendants(paragraph).find(|below| tree.name(*below) == RUN);
            let address = format!("{}P{}", snapshot.prefix, index + 1);
            Anchor { part, address, paragraph, run }
        }))
    }

    /// Looks after the references to what the batch moved or deleted. Gives the operations that must not be done, and why.
    pub(super) fn settle_references(
        &mut self,
        run: &mut Run<'_>,
    ) -> Result<BTreeMap<usize, OperationOutcome>, Error> {
        let mut refused = BTreeMap::new();
        let applied = |done: &OperationOutcome| done.outcome.is_applied();
        let took = run.operations().any(|(index, operation)| {
            takes_text_away(&operation.edit) && run.outcomes.get(index).is_some_and(applied)
        });
        if !run.has_references || !took {
            return Ok(refused);
        }
        let mut changes: Vec<FieldChange> = Vec::new();
        let mut bookmarks: BTreeMap<usize, String> = BTreeMap::new();
        {
            let trees = self.story_trees();
            let before = self.references(&trees, View::Before(run.first_id));
            let after = self.references(&trees, View::Accepted);
            let judge = Judge { trees: &trees, before: &before, after: &after, gone: &run.gone };
            for (name, fields) in live_references(&after) {
                let moved = run.pending.bookmarks.iter().find(|moved| moved.old.eq_ignore_ascii_case(&name));
                if let Some(MovedBookmark { new, .. }) = moved {
                    let operation = judge.mover(new, run);
                    let settlement = Settlement::Lead(new.clone());
                    changes.extend(fields.iter().filter_map(|at| judge.change(*at, operation, &settlement)));
                    continue;
                }
                let Some(culprits) = judge.culprits(&name, &fields, run) else { continue };
                let policies =
                    || culprits.iter().filter_map(|index| Some((*index, &run.operation(*index)?.references)));
                let refusing: Vec<usize> = policies()
                    .filter(|(_, policy)| **policy == ReferencePolicy::Refuse)
                    .map(|(index, _)| index)
                    .collect();
                if !refusing.is_empty() {
                    let refusal = judge.refusal(&name, &fields);
                    refused.extend(
                        refusing.into_iter().map(|index| (index, run.refused(index, refusal.clone()))),
                    );
                    continue;
                }
                let Some((operation, policy)) = policies().next() else { continue };
                let settlement = match policy {
                    ReferencePolicy::Drop => Settlement::Unlink,
                    _ => {
                        let new = bookmarks.entry(operation).or_insert_with(|| run.pending.bookmark_name());
                        Settlement::Lead(new.clone())
                    }
                };
                changes.extend(fields.iter().filter_map(|at| judge.change(*at, operation, &settlement)));
            }
        }
        if refused.is_empty() {
            self.write_settlement(run, &changes, &bookmarks, &mut refused)?;
        }
        Ok(refused)
    }

    fn write_settlement(
        &mut self,
        run: &mut Run<'_>,
        changes: &[FieldChange],
        bookmarks: &BTreeMap<usize, String>,
        refused: &mut BTreeMap<usize, OperationOutcome>,
    ) -> Result<(), Error> {
        let own = self.ids.own().clone();
        for (operation, name) in bookmarks {
            let Some(anchor) = run.targets.get(operation).cloned() else { continue };
            if run.gone.contains(&(anchor.part.clone(), anchor.paragraph)) {
                let message = "the paragraph to which the references shall lead is deleted by this batch; name one that stays";
                let refusal = Refusal::new(RefusalCode::ReferenceBroken, message);
                refused.insert(*operation, run.refused(*operation, refusal));
                continue;
            }
            self.write_for(run, *operation, &anchor.part, |writer| {
                bookmark_paragraph(writer, anchor.element(writer.document), name);
                Ok::<(), Obstacle>(())
            })?
            .ok();
        }
        for change in changes {
            let written =
                self.write_for(run, change.operation, &change.part, |writer| match &change.target {
                    Some((code, bookmark)) => retarget(writer, change.form, code, bookmark, &own),
                    None => unlink(writer, change.form),
                })?;
            if let Err(why) = written {
                let message = format!(
                    "the reference at {} leads to what this takes away, and cannot be changed with it: {why}; \
                     change or remove that reference first",
                    change.address
                );
                let refusal = Refusal::new(RefusalCode::ReferenceBroken, message);
                refused.insert(change.operation, run.refused(change.operation, refusal));
            }
        }
        Ok(())
    }

    /// Writes into a part in the name of an operation, which has these revisions among its own. What fails leaves no trace, and so does
    /// what would stand inside another author's insertion.
    pub(super) fn write_for<T, E: From<NestedInsertion>>(
        &mut self,
        run: &mut Run<'_>,
        operation: usize,
        part: &str,
        write: impl FnOnce(&mut RevisionWriter<'_>) -> Result<T, E>,
    ) -> Result<Result<T, E>, Error> {
        self.load_mut(part)?;
        let author = run.author_of(operation).to_owned();
        let ids = self.ids.clone();
        let first = self.ids.peek();
        let tree = self.others.get_mut(part).unwrap_or(&mut self.tree);
        let checkpoint = tree.checkpoint();
        let mut writer = RevisionWriter {
            document: tree,
            ids: &mut self.ids,
            author: &author,
            date: run.signature.date,
            since: run.first_id,
            pending: &mut run.pending,
            styles: &self.styles,
        };
        let written = write(&mut writer).and_then(|written| {
            refuse_nested(tree, tree.root(), self.ids.own(), Selection::IdsFrom(first))?;
            Ok(written)
        });
        if written.is_err() {
            tree.rollback(checkpoint);
            self.ids = ids;
            return Ok(written);
        }
        tree.commit(checkpoint);
        self.edited.insert(part.to_owned());
        let there = revision_ids(tree, first..self.ids.peek());
        let done = run.outcomes.get_mut(operation).map(|done| &mut done.outcome);
        if let Some(Outcome::Applied(change)) = done {
            change.revision_ids.extend(there);
        }
        Ok(written)
    }
}

/// The first number of a bookmark that is made for a reference; Word uses nine digits.
const FIRST_BOOKMARK: u64 = 100_000_001;

/// The ids of revisions in a range: not those of bookmarks.
fn revision_ids(tree: &Document, ids: std::ops::Range<i64>) -> Vec<i64> {
    let mut found: Vec<i64> = tree
        .descendants(tree.root())
        .filter(|node| is_revision_wrapper(tree.name(*node)))
        .filter_map(|node| RevisionStamp::of(tree, node).id)
        .filter(|id| ids.contains(id))
        .collect();
    found.sort_unstable();
    found
}
