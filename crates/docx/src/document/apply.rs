//! Batches of operations: each goes to the story that it names, and all mean the document as it was before.
//!
//! Every operation has one outcome from the start, and what carries it out replaces that. Must never leave the document changed
//! by a batch that failed, or by an atomic one of which a single operation was not done.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use engross_xml::{Document, NodeId, TreeCheckpoint};

use super::run::Run;
use super::scope::{asks_elsewhere, is_torn, joined};
use super::{EditOptions, WordDocument};
use crate::canon::IgnoredMarkup;
use crate::edit::{BatchRun, FallbackCopies, Ids, PendingParts, Signature, StyleContext};
use crate::error::{Error, Refusal, RefusalCode};
use crate::markdown::Rewrite;
use crate::numbering::Numbering;
use crate::ops::{Batch, Edit, Operation, OperationOutcome, OperationResult, Outcome, SearchScope};
use crate::package::Package;
use crate::parts::Relationship;
use crate::read::{StoryPart, sections_of, story_root};

/// All that a batch can change, as it was before it.
struct Before {
    styles: crate::styles::Styles,
    tree: TreeCheckpoint,
    others: BTreeMap<String, TreeCheckpoint>,
    package: Package,
    relationships: Vec<Relationship>,
    ids: Ids,
    edited: BTreeSet<String>,
    touched: BTreeSet<String>,
    ignored: IgnoredMarkup,
    numbering: Numbering,
    resolved: bool,
    is_rebased: bool,
}

/// Operations of a batch on one story.
struct Group<'a> {
    /// The body without.
    story: Option<StoryPart>,
    /// With their numbers in the batch.
    operations: Vec<(usize, Cow<'a, Operation>)>,
}

/// By what part of the engine each operation is carried out, by its number in the batch.
#[derive(Default)]
struct Routes<'a> {
    /// Edits by story, the body first.
    groups: Vec<Group<'a>>,
    /// Edits that are done in several stories.
    parted: BTreeSet<usize>,
    /// Operations on references, which need to know what all others came to.
    references: Vec<usize>,
    /// Operations on threads of comments, which concern no story alone.
    threads: Vec<usize>,
    /// Headers to make or link, and properties.
    surroundings: Vec<usize>,
    /// Revisions to accept or reject.
    resolutions: Vec<usize>,
}

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
    "the copy of the text box for programs before Word 2010 says something else, so it stays as it was";

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

    /// Takes note of all that a batch can change; to be ended by `commit` or `roll_back`.
    fn state(&mut self) -> Before {
        Before {
            tree: self.tree.checkpoint(),
            others: self.others.iter_mut().map(|(part, tree)| (part.clone(), tree.checkpoint())).collect(),
            package: self.package.clone(),
            relationships: self.relationships.clone(),
            ids: self.ids.clone(),
            edited: self.edited.clone(),
            touched: self.touched.clone(),
            ignored: self.ignored.clone(),
            styles: self.styles.clone(),
            numbering: self.numbering.clone(),
            resolved: self.resolved,
            is_rebased: self.is_rebased,
        }
    }

    fn commit(&mut self, before: Before) {
        self.tree.commit(before.tree);
        for (part, checkpoint) in before.others {
            if let Some(tree) = self.others.get_mut(&part) {
                tree.commit(checkpoint);
            }
        }
    }

    fn roll_back(&mut self, before: Before) {
        self.tree.rollback(before.tree);
        self.others.retain(|part, _| before.others.contains_key(part));
        for (part, checkpoint) in before.others {
            if let Some(tree) = self.others.get_mut(&part) {
                tree.rollback(checkpoint);
            }
        }
        self.package = before.package;
        self.relationships = before.relationships;
        self.ids = before.ids;
        self.edited = before.edited;
        self.touched = before.touched;
        self.ignored = before.ignored;
        self.styles = before.styles;
        self.numbering = before.numbering;
        self.resolved = before.resolved;
        self.is_rebased = before.is_rebased;
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
        if outcomes.iter().any(|(_, done)| done.outcome.is_applied()) {
            copies.renew(tree, root);
            self.edited.insert(part);
        }
        let sections = group.story.as_ref().map_or(1, |story| story.sections);
        for (index, mut done) in outcomes {
            if copies.has_others() {
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

    /// By what each operation is carried out. Those whose story is not there are refused.
    fn route<'a>(&mut self, run: &mut Run<'a>, stories: &[StoryPart]) -> Result<Routes<'a>, Error> {
        let mut routes = Routes::default();
        let mut body = Group { story: None, operations: Vec::new() };
        let mut by_root: BTreeMap<(String, String), Group<'a>> = BTreeMap::new();
        let operations = &run.batch.operations;
        let resolves = |edit: &Edit| matches!(edit, Edit::Resolve { .. });
        let only_resolves = operations.iter().all(|operation| resolves(&operation.edit));
        let mut add = |story: Option<&StoryPart>, index: usize, operation: Cow<'a, Operation>| match story {
            None => body.operations.push((index, operation)),
            Some(story) => {
                let new = || Group { story: Some(story.clone()), operations: Vec::new() };
                let key = (story.part.clone(), story.key.clone());
                by_root.entry(key).or_insert_with(new).operations.push((index, operation));
            }
        };
        for (index, operation) in operations.iter().enumerate() {
            if run.skipped.contains(&index) {
                continue;
            }
            if matches!(operation.edit, Edit::FillControl { .. }) {
                match self.fills(operation, stories)? {
                    Ok((parts, data)) => {
                        routes.parted.insert(index);
                        run.parts.insert(index, Vec::new());
                        run.data.insert(index, data);
                        for (story, own) in parts {
                            add(story.as_ref(), index, Cow::Owned(own));
                        }
                    }
                    Err(refusal) => run.set(index, Outcome::Refused(refusal)),
                }
                continue;
            }
            if let Edit::ReplaceDocument { content } = &operation.edit {
                match self.rewrite(content)? {
                    Ok(Rewrite { edits, remarks }) => {
                        routes.parted.insert(index);
                        run.parts.insert(index, Vec::new());
                        run.remarks.insert(index, remarks);
                        for edit in edits {
                            let story = edit.story().and_then(|story| find_story(stories, story));
                            add(story, index, Cow::Owned(Operation { edit, ..operation.clone() }));
                        }
                    }
                    Err(refusal) => run.set(index, Outcome::Refused(refusal)),
                }
                continue;
            }
            if let Some(search) = operation.edit.search().filter(|search| search.scope != SearchScope::Unsaid)
            {
                match self.parted(operation, search, stories)? {
                    Ok(parts) => {
                        routes.parted.insert(index);
                        run.parts.insert(index, Vec::new());
                        for (story, own) in parts {
                            add(story.as_ref(), index, Cow::Owned(own));
                        }
                    }
                    Err(refusal) => run.set(index, Outcome::Refused(refusal)),
                }
                continue;
            }
            let wanted = match &operation.edit {
                Edit::CreateStory { .. } | Edit::LinkStory { .. } | Edit::SetProperties(_) => {
                    routes.surroundings.push(index);
                    continue;
                }
                Edit::CommentReply { .. } | Edit::CommentResolve { .. } | Edit::CommentDelete { .. } => {
                    routes.threads.push(index);
                    continue;
                }
                Edit::Reference(_) => {
                    routes.references.push(index);
                    continue;
                }
                Edit::Resolve { .. } if only_resolves => {
                    routes.resolutions.push(index);
                    continue;
                }
                edit => edit.story(),
            };
            let Some(wanted) = wanted else {
                add(None, index, Cow::Borrowed(operation));
                continue;
            };
            let Some(story) = find_story(stories, wanted) else {
                let mut known: Vec<&str> = stories.iter().map(|story| story.name.as_str()).collect();
                known.truncate(20);
                let known = if known.is_empty() { "only the body".to_owned() } else { known.join(", ") };
                let message = format!("there is no story '{wanted}' in this document; it has {known}");
                run.set(index, Outcome::Refused(Refusal::new(RefusalCode::TargetNotFound, message)));
                continue;
            };
            add(Some(story), index, Cow::Borrowed(operation));
        }
        routes.groups.extend(Some(body).filter(|body| !body.operations.is_empty()));
        routes.groups.extend(by_root.into_values().map(|mut group| {
            if let Some(story) = group.story.as_mut().filter(|story| story.key.is_empty()) {
                story.sections = sections_of(&self.tree, &self.relationships, &story.part);
            }
            group
        }));
        Ok(routes)
    }
}

/// Whether an operation of the batch means, or asks about, another story than the body.
fn needs_stories(batch: &Batch) -> bool {
    let needs = |edit: &Edit| {
        let scoped = edit.search().is_some_and(|search| search.scope != SearchScope::Unsaid);
        let fills = matches!(edit, Edit::FillControl { .. } | Edit::ReplaceDocument { .. });
        fills || edit.story().is_some() || scoped || asks_elsewhere(edit).is_some()
    };
    batch.operations.iter().any(|operation| needs(&operation.edit))
}

/// The story of that name. A header without its section is meant when there is only one of its kind.
pub(super) fn find_story<'a>(stories: &'a [StoryPart], wanted: &str) -> Option<&'a StoryPart> {
    let wanted = wanted.trim();
    let exact = stories.iter().find(|story| story.name == wanted);
    exact.or_else(|| {
        let fits = |story: &&StoryPart| {
            let name = story.name.split('@').next().unwrap_or_default();
            !story.name.contains('/') && (name == wanted || name.split(':').next() == Some(wanted))
        };
        let first = stories.iter().find(fits)?;
        let same = |story: &StoryPart| story.part == first.part && story.key == first.key;
        stories.iter().filter(fits).all(same).then_some(first)
    })
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
