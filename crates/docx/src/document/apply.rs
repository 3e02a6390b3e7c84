//! Batches of operations: each goes to the story that it names, and all mean the document as it was before.
//!
//! Every operation has one outcome from the start, and what carries it out replaces that. Must never leave the document changed
//! by a batch that failed, or by an atomic one of which a single operation was not done.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use engross_xml::{Document, NodeId};

use super::routes::{Group, needs_stories};
use super::run::Run;
use super::scope::{asks_elsewhere, is_torn, joined};
use super::{EditOptions, WordDocument};
use crate::edit::{BatchRun, FallbackCopies, PendingParts, Signature, StyleContext};
use crate::error::{Error, Refusal, RefusalCode};
use crate::ops::{Batch, Edit, Operation, OperationOutcome, OperationResult, Outcome};
use crate::read::{StoryPart, story_root};

/// What became of a batch.
enum Attempt {
    /// The outcomes of its operations.
    Whole(Vec<OperationOutcome>),
    /// Operations that were done in some of their stories and cannot be in others, or that break references: it must be taken back
    /// and run without them.
    Torn(BTreeMap<usize, OperationOutcome>),
}

/// How many comments a refusal names, and how many characters of each.
const COMMENTS_SHOWN: usize = 5;
const COMMENT_SHOWN: usize = 200;

const OTHER_COPY: &str =
    "the copy of the text box for programs before Word 2010 says something else there, so it stays as it was";

const MENDED_TYPE: &str =
    "the comments part had a content type that Word does not know; it has the right one now";

impl WordDocument {
    /// Applies a batch. Each operation is applied and proven, or leaves no trace. When the batch is atomic, one that is not
    /// done takes back all others.
    ///
    /// # Errors
    /// When the batch was made for another state of the document, or a part cannot be read; then nothing is changed.
    /// Single operations are refused in their results.
    pub fn apply(&mut self, batch: &Batch, options: &EditOptions) -> Result<Vec<OperationResult>, Error> {
        if let Some(expected) = &batch.expected_revision {
            let actual = self.revision();
            if *expected != actual {
                return Err(Error::StaleRevision { expected: expected.clone(), actual });
            }
        }
        if self.tree.rebinds_root_prefix() && rebinds_main_prefix(&self.tree) {
            return Err(Error::UnsupportedNamespaces { part: self.main_name.clone() });
        }
        self.adopt(batch, batch.author.as_deref().unwrap_or(&options.author))?;
        let mut refused = BTreeMap::new();
        let (before, outcomes) = loop {
            let before = self.state();
            match self.run_batch(batch, options, &refused) {
                Ok(Attempt::Torn(more)) => {
                    self.roll_back(before);
                    refused.extend(more);
                }
                Ok(Attempt::Whole(outcomes)) => break (before, Ok(outcomes)),
                Err(error) => break (before, Err(error)),
            }
        };
        let outcomes = match outcomes {
            Ok(outcomes) if !batch.atomic || outcomes.iter().all(|done| done.outcome.is_done()) => {
                self.commit(before);
                outcomes
            }
            Ok(mut outcomes) => {
                self.roll_back(before);
                // What was no change may have been that only because of an operation before it.
                let done = outcomes.iter_mut().filter(|done| done.outcome.is_done());
                done.for_each(|done| done.outcome = Outcome::NotAttempted);
                outcomes
            }
            Err(error) => {
                self.roll_back(before);
                return Err(error);
            }
        };
        let operations = batch.operations.iter().zip(outcomes).enumerate();
        Ok(operations
            .map(|(index, (operation, done))| OperationResult::new(index, operation.edit.name(), done))
            .collect())
    }

    /// Runs a batch; the operations `refused` are not tried again.
    fn run_batch(
        &mut self,
        batch: &Batch,
        options: &EditOptions,
        refused: &BTreeMap<usize, OperationOutcome>,
    ) -> Result<Attempt, Error> {
        let author = batch.author.as_deref().unwrap_or(&options.author);
        let date = batch.date.as_deref().unwrap_or(&options.date);
        let mut run = Run {
            batch,
            signature: Signature { author, date },
            pending: PendingParts {
                next_list: self.numbering.highest_instance() + 1,
                files: self.files.clone(),
                is_new_document: self.is_new,
                ..PendingParts::default()
            },
            first_id: 0,
            outcomes: vec![OperationOutcome::default(); batch.operations.len()],
            parts: BTreeMap::new(),
            data: BTreeMap::new(),
            remarks: BTreeMap::new(),
            skipped: BTreeSet::new(),
            has_references: false,
            anchors: BTreeMap::new(),
            targets: BTreeMap::new(),
            gone: HashSet::new(),
            as_read: HashMap::new(),
        };
        for (index, outcome) in refused {
            run.skipped.insert(*index);
            run.set(*index, outcome.clone());
        }
        let marks = self.marks_at_stake();
        self.resolve_first(&mut run)?;
        self.note_references(&mut run);
        self.find_anchors(&mut run)?;
        if batch.operations.iter().any(|operation| matches!(operation.edit, Edit::InsertComment { .. })) {
            run.pending.next_comment = self.next_comment_id()?;
        }
        let stories = match needs_stories(batch) {
            true => self.stories()?,
            false => Vec::new(),
        };
        self.prepare_content(&mut run.pending)?;
        let mut routes = self.route(&mut run, &stories)?;
        if routes.resolutions.is_empty() {
            self.ids.begin_batch();
        }
        run.first_id = self.ids.peek();
        for group in routes.groups {
            self.run_group(&group, &routes.parted, &mut run)?;
        }
        let mut torn = BTreeMap::new();
        for (index, parts) in std::mem::take(&mut run.parts) {
            let whole = joined(parts.clone());
            if is_torn(&parts, &whole) {
                torn.insert(index, whole);
            } else {
                run.set(index, whole);
            }
        }
        if !torn.is_empty() {
            return Ok(Attempt::Torn(torn));
        }
        for (index, remarks) in std::mem::take(&mut run.remarks) {
            if let Some(done) = run.outcomes.get_mut(index) {
                remarks.iter().for_each(|remark| done.outcome.tell(remark));
            }
        }
        self.write_bound_data(&mut run)?;
        let broken = self.settle_references(&mut run)?;
        if !broken.is_empty() {
            return Ok(Attempt::Torn(broken));
        }
        for index in std::mem::take(&mut routes.references) {
            if let Some(Operation { edit: Edit::Reference(edit), .. }) = run.operation(index) {
                self.reference_operation(&mut run, index, edit)?;
            }
        }
        self.tell_elsewhere(&stories, &mut run)?;
        self.write_lists(&run.pending.lists)?;
        self.write_content_parts(&mut run.pending)?;
        if self.write_comments(&run.pending.comments)? {
            for done in &mut run.outcomes {
                if matches!(&done.outcome, Outcome::Applied(change) if !change.comment_ids.is_empty()) {
                    done.outcome.add_remark(MENDED_TYPE);
                }
            }
        }
        let gone: BTreeSet<i64> = run.pending.gone_comments.iter().copied().collect();
        for comment in gone {
            // One that answers another may have gone with it.
            let edit = Edit::CommentDelete { comment: comment.to_string() };
            self.thread_operation(&edit, false, run.signature)?;
        }
        for index in routes.threads {
            let Some(operation) = run.operation(index) else { continue };
            let author = operation.author.as_deref().unwrap_or(run.signature.author);
            let signature = Signature { author, ..run.signature };
            run.set(index, self.thread_operation(&operation.edit, operation.plain, signature)?);
        }
        for index in routes.surroundings {
            let Some(operation) = run.operation(index) else { continue };
            let outcome = match &operation.edit {
                Edit::SetProperties(wanted) => self.property_operation(wanted)?,
                edit => self.header_operation(edit, (operation.plain, operation.allows_untracked))?,
            };
            run.set(index, outcome);
        }
        for index in routes.resolutions {
            let Some(Operation { edit: Edit::Resolve { side, choice }, .. }) = run.operation(index) else {
                continue;
            };
            run.set(index, self.resolve_operation(*side, choice)?);
        }
        self.drop_notes_without_marks(&marks)?;
        self.name_comments(&mut run.outcomes)?;
        if batch.track_revisions && run.outcomes.iter().any(|done| done.outcome.is_applied()) {
            self.track_revisions()?;
        }
        Ok(Attempt::Whole(run.outcomes))
    }

    /// Writes the data of controls that were filled in.
    fn write_bound_data(&mut self, run: &mut Run<'_>) -> Result<(), Error> {
        for (index, data) in std::mem::take(&mut run.data) {
            let Some(Outcome::Applied(change)) = run.outcomes.get_mut(index).map(|done| &mut done.outcome)
            else {
                continue;
            };
            for bound in data {
                change.untracked.push(self.write_data(&bound)?);
            }
        }
        Ok(())
    }

    /// Tells of hits in other stories than the one that a search meant.
    fn tell_elsewhere(&self, stories: &[StoryPart], run: &mut Run<'_>) -> Result<(), Error> {
        let others = match stories {
            [] => return Ok(()),
            stories => self.other_texts(stories)?,
        };
        for (operation, done) in run.batch.operations.iter().zip(&mut run.outcomes) {
            if let Some(told) = asks_elsewhere(&operation.edit).and_then(|search| others.told(search)) {
                done.outcome.tell(&told);
            }
        }
        Ok(())
    }

    /// Adds the author and the text of the comments that are in the way to refusals.
    fn name_comments(&self, outcomes: &mut [OperationOutcome]) -> Result<(), Error> {
        let mut refusals = outcomes
            .iter_mut()
            .filter_map(|done| match &mut done.outcome {
                Outcome::Refused(refusal) if refusal.code == RefusalCode::CommentedContent => Some(refusal),
                _ => None,
            })
            .peekable();
        if refusals.peek().is_none() {
            return Ok(());
        }
        let comments = self.comments()?;
        for refusal in refusals {
            let quotes = refusal.comments.iter().filter_map(|id| {
                let placed = comments.iter().find(|placed| placed.comment.id.parse() == Ok(*id))?;
                let author = &placed.comment.stamp.author;
                let text: String = placed.comment.text.chars().take(COMMENT_SHOWN).collect();
                Some(format!("comment {id} by {author}: '{text}'"))
            });
            let quotes: Vec<String> = quotes.take(COMMENTS_SHOWN).collect();
            if !quotes.is_empty() {
                refusal.message = format!("{} ({})", refusal.message, quotes.join("; "));
            }
        }
        Ok(())
    }

    /// Applies the edits of one story.
    fn run_group(
        &mut self,
        group: &Group<'_>,
        parted: &BTreeSet<usize>,
        run: &mut Run<'_>,
    ) -> Result<(), Error> {
        let part = group.story.as_ref().map_or(self.main_name.clone(), |story| story.part.clone());
        let current = self.current_part(&part)?;
        self.load_mut(&part)?;
        let tree = match self.others.get_mut(&part) {
            Some(tree) => tree,
            None => &mut self.tree,
        };
        let name = group.story.as_ref().map_or("", |story| story.name.as_str());
        let root = match &group.story {
            None => Some(self.body),
            Some(story) => story_root(tree, story),
        };
        let refusal = |code, message| Outcome::Refused(Refusal::new(code, message));
        let root = match root {
            Some(_) if part != self.main_name && tree.rebinds_root_prefix() && rebinds_main_prefix(tree) => {
                let message =
                    format!("the part of {name} binds a namespace prefix twice; save the file again in Word");
                Err(refusal(RefusalCode::StoryNotEditable, message))
            }
            Some(root) => Ok(root),
            None => Err(refusal(RefusalCode::TargetNotFound, format!("{name} has no text to edit"))),
        };
        let root = match root {
            Ok(root) => root,
            Err(outcome) => {
                for (index, _) in &group.operations {
                    match parted.contains(index) {
                        // What has no text holds no hit.
                        true => run.parts.entry(*index).or_default(),
                        false => {
                            run.set(*index, outcome.clone());
                            continue;
                        }
                    };
                }
                return Ok(());
            }
        };
        let copies = FallbackCopies::of(tree, root);
        run.pending.part = current;
        let context = StyleContext { styles: &self.styles, numbering: &self.numbering };
        let own = (&mut self.ids, &mut run.pending);
        let mut edits =
            BatchRun::new((tree, root, name), context, own, &self.ignored, run.first_id, run.signature);
        if let Some(read) = run.as_read.get(&(part.clone(), root)) {
            edits.count_as(read);
        }
        let operations = group.operations.iter();
        let mut outcomes: Vec<(usize, OperationOutcome)> =
            operations.map(|(index, operation)| (*index, edits.run(operation))).collect();
        run.gone.extend(edits.gone().into_iter().map(|node| (part.clone(), node)));
        edits.finish(outcomes.iter_mut().map(|(_, done)| done));
        let mut is_whole = true;
        if outcomes.iter().any(|(_, done)| done.outcome.is_applied()) {
            is_whole = copies.renew(tree, root);
            self.edited.insert(part);
        }
        let sections = group.story.as_ref().map_or(1, |story| story.sections);
        for (index, mut done) in outcomes {
            if !is_whole {
                done.outcome.add_remark(OTHER_COPY);
            }
            if sections > 1 {
                done.outcome
                    .add_remark(&format!("{sections} sections show this part, so it changes in all of them"));
            }
            match parted.contains(&index) {
                true => run.parts.entry(index).or_default().push(done),
                false => run.set(index, done),
            }
        }
        Ok(())
    }
}

/// Whether an element below the root binds the very prefix that new elements would use.
fn rebinds_main_prefix(tree: &Document) -> bool {
    let root = tree.root();
    let prefix = tree.qualified_name(root).split_once(':').map_or("", |(prefix, _)| prefix);
    let declaration = if prefix.is_empty() { "xmlns".to_owned() } else { format!("xmlns:{prefix}") };
    let on_root = tree.raw_attributes(root).find(|(_, name, _)| *name == declaration).map(|(.., uri)| uri);
    tree.children(root).flat_map(|child: NodeId| tree.descendants(child)).any(|node| {
        tree.raw_attributes(node).any(|(_, name, uri)| name == declaration && Some(uri) != on_root)
    })
}
