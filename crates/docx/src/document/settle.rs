//! What becomes of references when a batch moves or deletes what they refer to.
//!
//! Judged when all operations are written: a reference that is deleted with its target, or text that says a new thing, does no
//! harm. A reference to moved text leads to where it stands now. One whose target is gone is refused with the operation that
//! took it, unless that says otherwise. Must never leave a live reference to nothing, or to something else.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use engross_xml::{Document, NodeId};

use super::WordDocument;
use super::apply::Run;
use crate::edit::references::{Obstacle, bookmark_paragraph, retarget, unlink};
use crate::edit::{MovedBookmark, RevisionWriter, StorySnapshot, StyleContext, find_paragraph};
use crate::error::{Error, Refusal, RefusalCode};
use crate::model::{RevisionStamp, View, is_revision_wrapper, mark_revisions};
use crate::names::{
    ANCHOR, BOOKMARK_START, CELL_DEL, DEL, FLD_SIMPLE, HYPERLINK, INSTR_TEXT, MOVE_FROM, NAME, P, RUN, TC,
    TC_PR, TR, TR_PR,
};
use crate::ops::{Edit, OperationOutcome, Outcome, Place, ReferencePolicy};
use crate::read::excerpt;
use crate::references::{Field, FieldForm, PlacedStory, References, Shows, StoryTrees};

/// A paragraph of a part.
pub(super) type PartNode = (String, NodeId);

/// A paragraph as it was before a batch.
#[derive(Debug, Clone)]
pub(super) struct Anchor {
    pub(super) part: String,
    /// `P12`, as it was.
    pub(super) address: String,
    pub(super) paragraph: NodeId,
    /// Its first run: what new paragraphs at the end of a container do not move it out of.
    run: Option<NodeId>,
}

impl Anchor {
    /// The element in which the paragraph's beginning stands now.
    pub(super) fn element(&self, tree: &Document) -> NodeId {
        let around = self.run.and_then(|run| tree.ancestors(run).find(|above| tree.name(*above) == P));
        around.unwrap_or(self.paragraph)
    }
}

/// What becomes of the references to one bookmark.
enum Settlement {
    /// They lead to another bookmark.
    Lead(String),
    /// They become text.
    Unlink,
}

/// A change of one reference.
struct FieldChange {
    part: String,
    address: String,
    form: FieldForm,
    /// The new code and the bookmark in it; none when the reference becomes text.
    target: Option<(String, String)>,
    /// The operation for whose sake it changes.
    operation: usize,
}

/// How many referring places a refusal names.
const PLACES_SHOWN: usize = 8;

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
                match self.find_place(place, expected)? {
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

    /// Writes into a part in the name of an operation, which has these revisions among its own. What fails leaves no trace.
    pub(super) fn write_for<T, E>(
        &mut self,
        run: &mut Run<'_>,
        operation: usize,
        part: &str,
        write: impl FnOnce(&mut RevisionWriter<'_>) -> Result<T, E>,
    ) -> Result<Result<T, E>, Error> {
        self.load_mut(part)?;
        let author = run.author_of(operation);
        let ids = self.ids.clone();
        let first = self.ids.peek();
        let tree = self.others.get_mut(part).unwrap_or(&mut self.tree);
        let checkpoint = tree.checkpoint();
        let mut writer = RevisionWriter {
            document: tree,
            ids: &mut self.ids,
            author,
            date: run.signature.date,
            since: run.first_id,
        };
        let written = write(&mut writer);
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

/// Whether an operation can take text away to which something refers.
fn takes_text_away(edit: &Edit) -> bool {
    match edit {
        Edit::ModifyText { .. }
        | Edit::EditParagraph { .. }
        | Edit::DeleteParagraph { .. }
        | Edit::Replace { .. }
        | Edit::Move { .. }
        | Edit::EditList { .. }
        | Edit::ConvertHeaders { .. }
        | Edit::EditSection { .. }
        | Edit::EditTable { .. } => true,
        Edit::Append { .. }
        | Edit::Prepend { .. }
        | Edit::InsertParagraph { .. }
        | Edit::Restore { .. }
        | Edit::FormatText { .. }
        | Edit::Highlight { .. }
        | Edit::FormatParagraph { .. }
        | Edit::InsertListItem { .. }
        | Edit::InsertComment { .. }
        | Edit::CommentReply { .. }
        | Edit::CommentResolve { .. }
        | Edit::CommentDelete { .. }
        | Edit::Navigate { .. }
        | Edit::Reference(_)
        | Edit::Research
        | Edit::Resolve { .. } => false,
    }
}

/// All operations that took text away.
fn takers(run: &Run<'_>) -> BTreeSet<usize> {
    let is_applied = |index: usize| run.outcomes.get(index).is_some_and(|done| done.outcome.is_applied());
    let takers =
        run.operations().filter(|(index, operation)| is_applied(*index) && takes_text_away(&operation.edit));
    takers.map(|(index, _)| index).collect()
}

/// The references that stand when all is accepted, by the bookmark that they lead to. Entries of tables of contents are none: those
/// tables make themselves anew.
fn live_references(after: &References) -> BTreeMap<String, Vec<(usize, usize)>> {
    let mut found: BTreeMap<String, Vec<(usize, usize)>> = BTreeMap::new();
    for (at, placed) in after.stories.iter().enumerate() {
        for (number, field) in placed.story.fields.iter().enumerate() {
            let Some(name) = field.instruction.bookmark() else { continue };
            if !placed.story.is_in_contents(field) && !name.starts_with("_Toc") {
                found.entry(name.to_lowercase()).or_default().push((at, number));
            }
        }
    }
    found
}

/// Compares what references lead to before a batch and after it, on the tree that holds both.
struct Judge<'a> {
    trees: &'a StoryTrees<'a>,
    before: &'a References,
    after: &'a References,
    /// Paragraphs that are deleted, emptied, or moved away.
    gone: &'a HashSet<PartNode>,
}

impl Judge<'_> {
    fn field(&self, (story, field): (usize, usize)) -> Option<(&PlacedStory, &Field)> {
        let placed = self.after.stories.get(story)?;
        Some((placed, placed.story.fields.get(field)?))
    }

    /// The operations that took away what these references lead to; none when it is still there.
    fn culprits(&self, name: &str, fields: &[(usize, usize)], run: &Run<'_>) -> Option<BTreeSet<usize>> {
        let old = self.before.target(name)?;
        let placed = self.before.stories.get(old.story)?;
        let tree = self.trees.tree(&placed.part);
        let owner = old.owner?;
        let new = self.after.target(name);
        let anchor = new.as_ref().and_then(|new| new.owner);
        let shown: HashSet<NodeId> = match (anchor, self.after.stories.get(old.story)) {
            (Some(anchor), Some(after)) => {
                let members = after.story.members(anchor);
                members.flat_map(|at| after.story.leaves(tree, at)).map(|leaf| leaf.node).collect()
            }
            _ => HashSet::new(),
        };
        let own: Vec<NodeId> = placed
            .story
            .members(owner)
            .flat_map(|at| placed.story.leaves(tree, at))
            .map(|leaf| leaf.node)
            .collect();
        let content = self.before.content(self.trees, &old);
        let is_filled = new.is_some_and(|new| !self.after.content(self.trees, &new).is_empty());
        let node = placed.story.paragraphs.get(owner).copied()?;
        let is_retained = own.iter().any(|leaf| shown.contains(leaf));
        let stays = is_retained || !self.gone.contains(&(placed.part.clone(), node));
        let keeps_text = content.is_empty() || is_filled;
        let is_broken = fields.iter().filter_map(|at| self.field(*at)).any(|(_, field)| {
            match field.instruction.shows() {
                Shows::Text | Shows::Note => !keeps_text || !stays,
                Shows::Number(_) | Shows::Place => !stays,
            }
        });
        if !is_broken {
            return None;
        }
        let mut nodes = own;
        nodes.extend(content.iter().map(|leaf| leaf.node));
        let mut ids: BTreeSet<i64> =
            nodes.into_iter().flat_map(|leaf| deletions_around(tree, leaf)).collect();
        ids.extend(mark_revisions(tree, node).filter_map(|mark| RevisionStamp::of(tree, mark).id));
        let culprits = run.operations_with(&ids);
        // Whoever it was, the reference must not break.
        Some(if culprits.is_empty() { takers(run) } else { culprits })
    }

    /// The operation that moved the text which a new bookmark marks.
    fn mover(&self, name: &str, run: &Run<'_>) -> usize {
        let ids = self.after.target(name).map_or_else(BTreeSet::new, |target| {
            let part = self.after.stories.get(target.story).map_or("", |placed| placed.part.as_str());
            let tree = self.trees.tree(part);
            tree.ancestors(target.bookmark.start)
                .filter_map(|above| RevisionStamp::of(tree, above).id)
                .collect()
        });
        run.operations_with(&ids).first().copied().unwrap_or_default()
    }

    fn change(&self, at: (usize, usize), operation: usize, settlement: &Settlement) -> Option<FieldChange> {
        let (placed, field) = self.field(at)?;
        let target = match settlement {
            Settlement::Lead(name) => Some((field.instruction.with_bookmark(name), name.clone())),
            Settlement::Unlink => None,
        };
        let (part, address) = (placed.part.clone(), placed.story.address(field.first));
        Some(FieldChange { part, address, form: field.form, target, operation })
    }

    fn refusal(&self, name: &str, fields: &[(usize, usize)]) -> Refusal {
        let mut places: Vec<String> = Vec::new();
        let mut shown = "";
        for (placed, field) in fields.iter().filter_map(|at| self.field(*at)) {
            let address = placed.story.address(field.first);
            shown = field.instruction.bookmark().unwrap_or(shown);
            if !places.contains(&address) {
                places.push(address);
            }
        }
        let more = places.len().saturating_sub(PLACES_SHOWN);
        places.truncate(PLACES_SHOWN);
        let shown = if shown.is_empty() { name } else { shown };
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        Refusal::new(
            RefusalCode::ReferenceBroken,
            format!(
                "{}{more} refer to this text (bookmark {shown}), and would lead nowhere or elsewhere; change or delete those references \
                 in the same batch, or say \"references\": {{\"retarget\": \"P…\"}} to let them lead to another paragraph, or \
                 \"references\": \"drop\" to make them plain text",
                places.join(", ")
            ),
        )
    }
}

/// The ids of the deletions, move sources, deleted rows and cells around a node.
fn deletions_around(tree: &Document, node: NodeId) -> Vec<i64> {
    let id = |node| RevisionStamp::of(tree, node).id;
    let of = |above: NodeId| match tree.name(above) {
        DEL | MOVE_FROM => id(above),
        TR => tree.child(above, TR_PR).and_then(|properties| tree.child(properties, DEL)).and_then(id),
        TC => tree.child(above, TC_PR).and_then(|properties| tree.child(properties, CELL_DEL)).and_then(id),
        _ => None,
    };
    tree.ancestors(node).filter_map(of).collect()
}
