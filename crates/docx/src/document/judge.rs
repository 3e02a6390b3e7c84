//! Which references a batch breaks, and whose doing it is.
//!
//! Must never change the document.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use engross_xml::{Document, NodeId};

use super::run::{PartNode, Run};
use crate::error::{Refusal, RefusalCode};
use crate::model::{RevisionStamp, mark_revisions};
use crate::names::{CELL_DEL, DEL, MOVE_FROM, TC, TC_PR, TR, TR_PR};
use crate::ops::Edit;
use crate::references::{Field, FieldForm, PlacedStory, References, Shows, StoryTrees};

/// What becomes of the references to one bookmark.
pub(super) enum Settlement {
    /// They lead to another bookmark.
    Lead(String),
    /// They become text.
    Unlink,
}

/// A change of one reference.
pub(super) struct FieldChange {
    pub(super) part: String,
    pub(super) address: String,
    pub(super) form: FieldForm,
    /// The new code and the bookmark in it; none when the reference becomes text.
    pub(super) target: Option<(String, String)>,
    /// The operation for whose sake it changes.
    pub(super) operation: usize,
}

/// How many referring places a refusal names.
const PLACES_SHOWN: usize = 8;

/// Whether an operation can take text away to which something refers.
pub(super) fn takes_text_away(edit: &Edit) -> bool {
    match edit {
        Edit::ModifyText { .. }
        | Edit::EditParagraph { .. }
        | Edit::DeleteParagraph { .. }
        | Edit::Replace { .. }
        | Edit::ReplaceDocument { .. }
        | Edit::ReplaceByFile { .. }
        | Edit::Move { .. }
        | Edit::EditList { .. }
        | Edit::ConvertHeaders { .. }
        | Edit::EditSection { .. }
        | Edit::EditTable { .. }
        | Edit::SetTable { .. }
        | Edit::DeleteTable { .. }
        | Edit::FillControl { .. } => true,
        Edit::Object(edit) => edit.takes_text(),
        Edit::Append { .. }
        | Edit::Prepend { .. }
        | Edit::InsertParagraph { .. }
        | Edit::Restore { .. }
        | Edit::FormatText { .. }
        | Edit::Highlight { .. }
        | Edit::FormatParagraph { .. }
        | Edit::InsertListItem { .. }
        | Edit::InsertBreak { .. }
        | Edit::PageSetup { .. }
        | Edit::CreateStory { .. }
        | Edit::LinkStory { .. }
        | Edit::SetProperties(_)
        | Edit::Invalid { .. }
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
pub(super) fn live_references(after: &References) -> BTreeMap<String, Vec<(usize, usize)>> {
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
pub(super) struct Judge<'a> {
    pub(super) trees: &'a StoryTrees<'a>,
    pub(super) before: &'a References,
    pub(super) after: &'a References,
    /// Paragraphs that are deleted, emptied, or moved away.
    pub(super) gone: &'a HashSet<PartNode>,
}

impl Judge<'_> {
    fn field(&self, (story, field): (usize, usize)) -> Option<(&PlacedStory, &Field)> {
        let placed = self.after.stories.get(story)?;
        Some((placed, placed.story.fields.get(field)?))
    }

    /// The operations that took away what these references lead to; none when it is still there.
    pub(super) fn culprits(
        &self,
        name: &str,
        fields: &[(usize, usize)],
        run: &Run<'_>,
    ) -> Option<BTreeSet<usize>> {
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
    pub(super) fn mover(&self, name: &str, run: &Run<'_>) -> usize {
        let ids = self.after.target(name).map_or_else(BTreeSet::new, |target| {
            let part = self.after.stories.get(target.story).map_or("", |placed| placed.part.as_str());
            let tree = self.trees.tree(part);
            tree.ancestors(target.bookmark.start)
                .filter_map(|above| RevisionStamp::of(tree, above).id)
                .collect()
        });
        run.operations_with(&ids).first().copied().unwrap_or_default()
    }

    pub(super) fn change(
        &self,
        at: (usize, usize),
        operation: usize,
        settlement: &Settlement,
    ) -> Option<FieldChange> {
        let (placed, field) = self.field(at)?;
        let target = match settlement {
            Settlement::Lead(name) => Some((field.instruction.with_bookmark(name), name.clone())),
            Settlement::Unlink => None,
        };
        let (part, address) = (placed.part.clone(), placed.story.address(field.first));
        Some(FieldChange { part, address, form: field.form, target, operation })
    }

    pub(super) fn refusal(&self, name: &str, fields: &[(usize, usize)]) -> Refusal {
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
        let verb = if places.len() == 1 && more == 0 { "refers" } else { "refer" };
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        Refusal::new(
            RefusalCode::ReferenceBroken,
            format!(
                "{}{more} {verb} to this text (bookmark {shown}), and would lead nowhere or elsewhere; change or delete those references \
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
