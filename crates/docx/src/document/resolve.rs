//! Listing, accepting and rejecting the revisions of a document.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use engross_xml::{Document, NodeId};

use super::WordDocument;
use super::run::Run;
use crate::error::{Error, Refusal, RefusalCode};
use crate::model::paragraphs;
use crate::ops::{Change, Edit, Operation, Outcome};
use crate::read::story_root;
use crate::revisions::{
    Choice, PlacedRevision, Revision, Selection, Side, complete, is_move_or_custom_range, list,
    name_revisions, numbers, resolve,
};

impl WordDocument {
    /// Accepts or rejects every revision of every story. Gives how many.
    ///
    /// # Errors
    /// When another part of the document cannot be read.
    pub fn resolve_all(&mut self, side: Side) -> Result<usize, Error> {
        let marks = self.note_marks();
        let root = self.tree.root();
        let mut resolved = resolve(&mut self.tree, root, side, Selection::All);
        for name in self.other_story_parts() {
            let part = self.story_tree(&name)?;
            let has_range =
                || part.descendants(part.root()).any(|node| is_move_or_custom_range(part.name(node)));
            if list(&part, part.root()).is_empty() && !has_range() {
                continue;
            }
            let part = self.load_mut(&name)?;
            let root = part.root();
            resolved += resolve(part, root, side, Selection::All);
        }
        self.resolved |= resolved > 0;
        self.drop_notes_without_marks(&marks)?;
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
        let marks = self.note_marks();
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
        self.drop_notes_without_marks(&marks)?;
        Ok(resolved)
    }

    /// Carries out what a batch resolves before it edits: what comes then is proven against the document in which that is done.
    /// Numbers of paragraphs stay those that were read. A batch that only resolves does so at its end, as nothing is to be proven.
    pub(super) fn resolve_first(&mut self, run: &mut Run<'_>) -> Result<(), Error> {
        let resolutions: Vec<usize> = run
            .operations()
            .filter(|(_, operation)| matches!(operation.edit, Edit::Resolve { .. }))
            .map(|(index, _)| index)
            .collect();
        if resolutions.is_empty() || resolutions.len() == run.batch.operations.len() {
            return Ok(());
        }
        if !self.edited.is_empty() {
            // The proof of the edits before it would have no base any more.
            for index in resolutions {
                let message =
                    "there are unsaved edits before it; save them, or send it in a batch of its own";
                run.refuse(index, Refusal::new(RefusalCode::InvalidOperation, message));
            }
            return Ok(());
        }
        run.as_read.insert((self.main_name.clone(), self.body), paragraphs(&self.tree, self.body));
        for story in self.stories()? {
            self.load_mut(&story.part)?;
            let tree = self.others.get(&story.part).unwrap_or(&self.tree);
            if let Some(root) = story_root(tree, &story) {
                run.as_read.insert((story.part.clone(), root), paragraphs(tree, root));
            }
        }
        for index in resolutions {
            let Some(Operation { edit: Edit::Resolve { side, choice }, .. }) = run.operation(index) else {
                continue;
            };
            let outcome = self.resolve_operation(*side, choice)?;
            run.set(index, outcome);
            run.skipped.insert(index);
        }
        self.rebase();
        Ok(())
    }

    /// Makes the document as it is now the one that edits are proven against.
    fn rebase(&mut self) {
        let main = (&self.main_name, &self.tree);
        for (name, tree) in std::iter::once(main).chain(&self.others) {
            let written = tree.write();
            if self.package.part(name).map_or(true, |known| *known != *written) {
                self.package.set_part(name, written);
            }
        }
        self.is_rebased |= self.resolved;
        self.resolved = false;
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
        let stories = self.stories()?;
        // The paragraphs of text boxes count apart from those around them.
        let boxes = |document: &Document, part: &str| -> HashMap<NodeId, String> {
            let own = stories.iter().filter(|story| story.part == part && story.kind() == "textbox");
            let places = own.filter_map(|story| Some((story, story_root(document, story)?)));
            let named = places.flat_map(|(story, root)| {
                let paragraphs = paragraphs(document, root).into_iter().enumerate();
                paragraphs.map(move |(at, paragraph)| (paragraph, format!("{}/P{}", story.name, at + 1)))
            });
            named.collect()
        };
        let mut take = |document: &Document, root: NodeId, part: &str, prefix: &str| {
            let mut boxed: Option<HashMap<NodeId, String>> = None;
            let numbers = numbers(&paragraphs(document, root));
            for revision in list(document, root) {
                let number = revision.paragraph.and_then(|paragraph| numbers.get(&paragraph));
                let address = match number {
                    Some(number) if prefix.is_empty() => format!("P{number}"),
                    Some(number) => format!("{prefix}/P{number}"),
                    None => {
                        let boxed = boxed.get_or_insert_with(|| boxes(document, part));
                        let own = revision.paragraph.and_then(|paragraph| boxed.get(&paragraph));
                        own.cloned().unwrap_or_else(|| prefix.to_owned())
                    }
                };
                found.push((part.to_owned(), address, revision));
            }
        };
        take(&self.tree, self.body, &self.main_name, "");
        let mut seen = Vec::new();
        // The notes of a part follow each other, and it is read once for all of them.
        let mut loaded: Option<(&String, Cow<'_, Document>)> = None;
        for story in stories.iter().filter(|story| story.part != self.main_name && story.kind() != "textbox")
        {
            // A header shared by sections is one part.
            if story.key.is_empty() && seen.contains(&story.part) {
                continue;
            }
            seen.push(story.part.clone());
            let part = match loaded.take().filter(|(name, _)| **name == story.part) {
                Some((_, part)) => part,
                None => self.story_tree(&story.part)?,
            };
            if let Some(root) = story_root(&part, story) {
                take(&part, root, &story.part, &story.name);
            }
            loaded = Some((&story.part, part));
        }
        Ok(name_revisions(found))
    }
}
