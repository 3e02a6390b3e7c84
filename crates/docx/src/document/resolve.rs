//! Listing, accepting and rejecting the revisions of a document.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use engross_xml::{Document, NodeId};

use super::WordDocument;
use crate::error::{Error, Refusal, RefusalCode};
use crate::model::paragraphs;
use crate::ops::{Change, Outcome};
use crate::read::story_root;
use crate::revisions::{
    Choice, PlacedRevision, Revision, Selection, Side, complete, list, name_revisions, numbers, resolve,
};

impl WordDocument {
    /// Accepts or rejects every revision of every story. Gives how many.
    ///
    /// # Errors
    /// When another part of the document cannot be read.
    pub fn resolve_all(&mut self, side: Side) -> Result<usize, Error> {
        let root = self.tree.root();
        let mut resolved = resolve(&mut self.tree, root, side, Selection::All);
        for name in self.other_story_parts() {
            let part = self.story_tree(&name)?;
            if list(&part, part.root()).is_empty() {
                continue;
            }
            let part = self.load_mut(&name)?;
            let root = part.root();
            resolved += resolve(part, root, side, Selection::All);
        }
        self.resolved |= resolved > 0;
        Ok(resolved)
    }

    /// Accepts or rejects the revisions that `choice` means, in every story. Gives them as they were.
    ///
    /// # Errors
    /// [`Error::UnknownRevision`] when an id of the choice names none; or when a part cannot be read. Nothing is
    /// changed then.
    pub fn resolve(&mut self, side: Side, choice: &Choice) -> Result<Vec<PlacedRevision>, Error> {
        let all = self.revisions()?;
        if let Some(id) = choice.ids.iter().find(|id| !all.iter().any(|placed| placed.id == **id)) {
            let known: Vec<&str> = all.iter().take(20).map(|placed| placed.id.as_str()).collect();
            return Err(Error::UnknownRevision { id: id.clone(), known: known.join(", ") });
        }
        if choice.is_all() {
            self.resolve_all(side)?;
            return Ok(all);
        }
        let mut by_part: BTreeMap<String, HashSet<NodeId>> = BTreeMap::new();
        for placed in all.iter().filter(|placed| choice.holds(placed)) {
            by_part.entry(placed.part.clone()).or_default().insert(placed.revision.node);
        }
        let mut resolved = Vec::new();
        for (part, mut chosen) in by_part {
            let tree = self.load_mut(&part)?;
            complete(tree, &mut chosen);
            let root = tree.root();
            resolve(tree, root, side, Selection::Only(&chosen));
            let own =
                |placed: &&PlacedRevision| placed.part == part && chosen.contains(&placed.revision.node);
            resolved.extend(all.iter().filter(own).cloned());
        }
        self.resolved |= !resolved.is_empty();
        Ok(resolved)
    }

    /// The same as an operation of a batch.
    pub(super) fn resolve_operation(&mut self, side: Side, choice: &Choice) -> Result<Outcome, Error> {
        let resolved = match self.resolve(side, choice) {
            Ok(resolved) => resolved,
            Err(error @ Error::UnknownRevision { .. }) => {
                return Ok(Refusal::new(RefusalCode::UnknownRevision, error.to_string()).into());
            }
            Err(error) => return Err(error),
        };
        if resolved.is_empty() {
            return Ok(Outcome::NoChange { remark: Some("no tracked change fits".to_owned()) });
        }
        let count = resolved.len();
        let remark =
            format!("{count} tracked changes are resolved; paragraphs may be numbered anew, so read again");
        let ids: BTreeSet<i64> = resolved.iter().filter_map(|placed| placed.revision.stamp.id).collect();
        let revision_ids = ids.into_iter().collect();
        Ok(Outcome::Applied(Change { remark: Some(remark), revision_ids, ..Change::default() }))
    }

    /// Every revision of the document, story by story.
    ///
    /// # Errors
    /// When another part of the document cannot be read.
    pub fn revisions(&self) -> Result<Vec<PlacedRevision>, Error> {
        let mut found: Vec<(String, String, Revision)> = Vec::new();
        let mut take = |document: &Document, root: NodeId, part: &str, prefix: &str| {
            let numbers = numbers(&paragraphs(document, root));
            for revision in list(document, root) {
                let number = revision.paragraph.and_then(|paragraph| numbers.get(&paragraph));
                let address = match number {
                    Some(number) if prefix.is_empty() => format!("P{number}"),
                    Some(number) => format!("{prefix}/P{number}"),
                    None => prefix.to_owned(),
                };
                found.push((part.to_owned(), address, revision));
            }
        };
        take(&self.tree, self.body, &self.main_name, "");
        let stories = self.stories()?;
        let mut seen = Vec::new();
        for story in stories.iter().filter(|story| story.part != self.main_name && story.kind() != "textbox")
        {
            // A header shared by sections is one part.
            if story.key.is_empty() && seen.contains(&story.part) {
                continue;
            }
            seen.push(story.part.clone());
            let part = self.story_tree(&story.part)?;
            if let Some(root) = story_root(&part, story) {
                take(&part, root, &story.part, &story.name);
            }
        }
        Ok(name_revisions(found))
    }
}
