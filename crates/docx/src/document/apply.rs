//! Batches of operations: each goes to the story that it names, and all mean the document as it was before.

use std::collections::{BTreeMap, BTreeSet};

use engross_xml::{Document, NodeId};

use super::{EditOptions, WordDocument};
use crate::canon::Aside;
use crate::edit::{BatchRun, Ids, Sheets, Signature, Supplies};
use crate::error::{Error, RefusalCode};
use crate::numbering::Numbering;
use crate::ops::{Batch, Edit, OperationResult, Status};
use crate::package::Package;
use crate::parts::Relationship;
use crate::read::{StoryPart, sections_of, story_root};

/// What a batch can change besides the main tree.
struct Beside {
    package: Package,
    relationships: Vec<Relationship>,
    ids: Ids,
    others: BTreeMap<String, Document>,
    edited: BTreeSet<String>,
    touched: BTreeSet<String>,
    aside: Aside,
    numbering: Numbering,
    resolved: bool,
}

fn is_thread(edit: &Edit) -> bool {
    matches!(edit, Edit::CommentReply { .. } | Edit::CommentResolve { .. } | Edit::CommentDelete { .. })
}

/// Operations of a batch on one story.
struct Group {
    /// The body without.
    story: Option<StoryPart>,
    /// Places in the batch.
    operations: Vec<usize>,
}

/// How many comments a refusal tells of, and how many characters of each.
const COMMENTS_SHOWN: usize = 5;
const COMMENT_SHOWN: usize = 200;

impl WordDocument {
    /// Applies a batch. Each operation is applied and proven, or leaves no trace.
    ///
    /// # Errors
    /// When the batch was made for another state of the document; single operations are refused in their results.
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
        let before = batch.atomic.then(|| (self.tree.checkpoint(), self.beside_the_tree()));
        let outcome = self.run_batch(batch, options);
        let Some((checkpoint, beside)) = before else { return outcome };
        let whole = |results: &Vec<OperationResult>| {
            !results.iter().any(|result| matches!(result.status, Status::Refused | Status::Failed))
        };
        if outcome.as_ref().is_ok_and(whole) {
            self.tree.commit(checkpoint);
            return outcome;
        }
        self.tree.rollback(checkpoint);
        self.restore(beside);
        let mut results = outcome?;
        take_back(&mut results);
        Ok(results)
    }

    fn run_batch(&mut self, batch: &Batch, options: &EditOptions) -> Result<Vec<OperationResult>, Error> {
        let resolves = |edit: &Edit| matches!(edit, Edit::Resolve { .. });
        let operations = &batch.operations;
        let mut results = if operations.iter().all(|operation| resolves(&operation.edit)) {
            self.run_resolutions(batch)?
        } else {
            self.run_groups(batch, options)?
        };
        results.sort_by_key(|result| result.index);
        self.name_comments(&mut results)?;
        if batch.track_revisions && results.iter().any(|result| result.status == Status::Applied) {
            self.track_revisions()?;
        }
        Ok(results)
    }

    /// Says whose comments are in the way, and what they say (case 132).
    fn name_comments(&self, results: &mut [OperationResult]) -> Result<(), Error> {
        let code = RefusalCode::CommentedContent.as_str();
        let mut refused = results.iter_mut().filter(|result| result.code.as_deref() == Some(code)).peekable();
        if refused.peek().is_none() {
            return Ok(());
        }
        let comments = self.comments()?;
        for result in refused {
            let said = result.comment_ids.iter().filter_map(|id| {
                let placed = comments.iter().find(|placed| placed.comment.id.parse() == Ok(*id))?;
                let author = &placed.comment.stamp.author;
                let text: String = placed.comment.text.chars().take(COMMENT_SHOWN).collect();
                Some(format!("comment {id} by {author}: '{text}'"))
            });
            let said: Vec<String> = said.take(COMMENTS_SHOWN).collect();
            if let Some(message) = result.message.as_mut().filter(|_| !said.is_empty()) {
                *message = format!("{message} ({})", said.join("; "));
            }
        }
        Ok(())
    }

    /// All that a batch can change besides the main tree.
    fn beside_the_tree(&self) -> Beside {
        Beside {
            package: self.package.clone(),
            relationships: self.relationships.clone(),
            ids: self.ids.clone(),
            others: self.others.clone(),
            edited: self.edited.clone(),
            touched: self.touched.clone(),
            aside: self.aside.clone(),
            numbering: self.numbering.clone(),
            resolved: self.resolved,
        }
    }

    fn restore(&mut self, beside: Beside) {
        let Beside { package, relationships, ids, others, edited, touched, aside, numbering, resolved } =
            beside;
        self.resolved = resolved;
        self.numbering = numbering;
        self.package = package;
        self.relationships = relationships;
        self.ids = ids;
        self.others = others;
        self.edited = edited;
        self.touched = touched;
        self.aside = aside;
    }

    /// Accepts and rejects, one operation after the other.
    fn run_resolutions(&mut self, batch: &Batch) -> Result<Vec<OperationResult>, Error> {
        let mut results = Vec::new();
        for (index, operation) in batch.operations.iter().enumerate() {
            let Edit::Resolve { side, choice } = &operation.edit else { continue };
            let mut result = refused(index, Some(&operation.edit), RefusalCode::TargetNotFound, "");
            match self.resolve(*side, choice) {
                Ok(resolved) => {
                    result.status = if resolved.is_empty() { Status::NoChange } else { Status::Applied };
                    result.code = None;
                    let count = resolved.len();
                    result.message = Some(if count == 0 {
                        "no tracked change fits".to_owned()
                    } else {
                        format!(
                            "{count} tracked changes are resolved; paragraphs may be numbered anew, so read again"
                        )
                    });
                    result.revision_ids =
                        resolved.iter().filter_map(|placed| placed.revision.stamp.id).collect();
                    result.revision_ids.sort_unstable();
                    result.revision_ids.dedup();
                }
                Err(error @ Error::UnknownRevision { .. }) => {
                    result.code = Some(error.code().to_owned());
                    result.message = Some(error.to_string());
                }
                Err(error) => return Err(error),
            }
            results.push(result);
        }
        Ok(results)
    }

    /// Carries out the operations on threads of comments, which concern no story alone.
    fn run_threads(
        &mut self,
        batch: &Batch,
        signature: Signature<'_>,
        results: &mut Vec<OperationResult>,
    ) -> Result<(), Error> {
        for (index, operation) in batch.operations.iter().enumerate().filter(|(_, it)| is_thread(&it.edit)) {
            let author = operation.author.as_deref().unwrap_or(signature.author);
            let signature = Signature { author, ..signature };
            let outcome = self.thread_operation(&operation.edit, operation.plain, signature)?;
            let mut result = refused(index, Some(&operation.edit), RefusalCode::CommentNotFound, "");
            match outcome {
                Ok(comment_ids) => {
                    result.status = if comment_ids.is_empty() { Status::NoChange } else { Status::Applied };
                    result.code = None;
                    result.message = None;
                    result.comment_ids = comment_ids;
                }
                Err(refusal) => {
                    result.code = Some(refusal.code.as_str().to_owned());
                    result.message = Some(refusal.message);
                }
            }
            results.push(result);
        }
        Ok(())
    }

    fn run_groups(&mut self, batch: &Batch, options: &EditOptions) -> Result<Vec<OperationResult>, Error> {
        let author = batch.author.as_deref().unwrap_or(&options.author);
        let date = batch.date.as_deref().unwrap_or(&options.date);
        let (groups, mut results) = self.route(batch)?;
        let next_list = self.numbering.highest_instance() + 1;
        let mut supplies = Supplies { next_list, ..Supplies::default() };
        let comments = |edit: &Edit| matches!(edit, Edit::InsertComment { .. });
        if batch.operations.iter().any(|operation| comments(&operation.edit)) {
            supplies.next_comment = self.next_comment_id()?;
        }
        self.ids.begin_batch();
        let first_id = self.ids.peek();
        for group in groups {
            let part = group.story.as_ref().map_or(self.main_name.clone(), |story| story.part.clone());
            self.load_mut(&part)?;
            let (tree, root) = match &group.story {
                None => (&mut self.tree, Some(self.body)),
                Some(story) => {
                    let tree = match self.others.get_mut(&story.part) {
                        Some(tree) => tree,
                        None => &mut self.tree,
                    };
                    let root = story_root(tree, story);
                    (tree, root)
                }
            };
            let name = group.story.as_ref().map_or("", |story| story.name.as_str());
            let Some(root) = root else { continue };
            if part != self.main_name && tree.rebinds_root_prefix() && rebinds_main_prefix(tree) {
                let message =
                    format!("the part of {name} binds a namespace prefix twice; save the file again in Word");
                let refuse = |index: &usize| {
                    let edit = batch.operations.get(*index).map(|operation| &operation.edit);
                    refused(*index, edit, RefusalCode::StoryNotEditable, &message)
                };
                results.extend(group.operations.iter().map(refuse));
                continue;
            }
            let shared = group.story.as_ref().map_or(1, |story| story.sections);
            let sheets = Sheets { styles: &self.styles, numbering: &self.numbering };
            let signature = Signature { author, date };
            let own = (&mut self.ids, &mut supplies);
            let mut run = BatchRun::new((tree, root, name), sheets, own, &self.aside, first_id, signature);
            let mut own = Vec::with_capacity(group.operations.len());
            for index in group.operations {
                if let Some(operation) = batch.operations.get(index) {
                    own.push(run.run(index, operation));
                }
            }
            run.finish(self.first_id, &mut own);
            if own.iter().any(|result| result.status == Status::Applied) {
                self.edited.insert(part);
            }
            if shared > 1 {
                own.iter_mut().for_each(|result| tell_shared(result, shared));
            }
            results.append(&mut own);
        }
        self.write_lists(&supplies.lists)?;
        if self.write_comments(&supplies.comments)? {
            let commented = results
                .iter_mut()
                .filter(|result| result.status == Status::Applied && !result.comment_ids.is_empty());
            commented.for_each(|result| tell(result, MENDED_TYPE));
        }
        self.run_threads(batch, Signature { author, date }, &mut results)?;
        Ok(results)
    }

    /// The operations by story, the body first, and the refusals of those whose story is not there.
    fn route(&self, batch: &Batch) -> Result<(Vec<Group>, Vec<OperationResult>), Error> {
        let mut body = Group { story: None, operations: Vec::new() };
        let mut by_root: BTreeMap<(String, String), Group> = BTreeMap::new();
        let mut results = Vec::new();
        let named: BTreeSet<&str> =
            batch.operations.iter().filter_map(|operation| operation.edit.story()).collect();
        let stories = if named.is_empty() { Vec::new() } else { self.stories()? };
        for (index, operation) in batch.operations.iter().enumerate() {
            if is_thread(&operation.edit) {
                continue;
            }
            let Some(wanted) = operation.edit.story() else {
                body.operations.push(index);
                continue;
            };
            let Some(story) = find_story(&stories, wanted) else {
                let mut known: Vec<&str> = stories.iter().map(|story| story.name.as_str()).collect();
                known.truncate(20);
                let known = if known.is_empty() { "only the body".to_owned() } else { known.join(", ") };
                let message = format!("there is no story '{wanted}' in this document; it has {known}");
                results.push(refused(index, Some(&operation.edit), RefusalCode::TargetNotFound, &message));
                continue;
            };
            let key = (story.part.clone(), story.key.clone());
            let group = by_root
                .entry(key)
                .or_insert_with(|| Group { story: Some(story.clone()), operations: Vec::new() });
            group.operations.push(index);
        }
        let mut groups: Vec<Group> =
            Some(body).into_iter().filter(|body| !body.operations.is_empty()).collect();
        groups.extend(by_root.into_values().map(|mut group| {
            if let Some(story) = group.story.as_mut().filter(|story| story.key.is_empty()) {
                story.sections = sections_of(&self.tree, &self.relationships, &story.part);
            }
            group
        }));
        Ok((groups, results))
    }
}

/// The story of that name. A header without its section is meant when there is only one of its kind.
fn find_story<'a>(stories: &'a [StoryPart], wanted: &str) -> Option<&'a StoryPart> {
    let wanted = wanted.trim();
    let exact = stories.iter().find(|story| story.name == wanted);
    exact.or_else(|| {
        let fits = |story: &&StoryPart| {
            let name = story.name.split('@').next().unwrap_or_default();
            name == wanted || name.split(':').next() == Some(wanted)
        };
        let first = stories.iter().find(fits)?;
        let same = |story: &StoryPart| story.part == first.part && story.key == first.key;
        stories.iter().filter(fits).all(same).then_some(first)
    })
}

const MENDED_TYPE: &str =
    "the comments part had a content type that Word does not know; it has the right one now";

fn tell_shared(result: &mut OperationResult, sections: usize) {
    if result.status == Status::Applied {
        tell(result, &format!("{sections} sections show this part, so it changes in all of them"));
    }
}

/// Adds a remark to what is said already.
fn tell(result: &mut OperationResult, remark: &str) {
    result.message = Some(match result.message.take() {
        Some(message) => format!("{message}; {remark}"),
        None => remark.to_owned(),
    });
}

pub(super) fn refused(
    index: usize,
    edit: Option<&Edit>,
    code: RefusalCode,
    message: &str,
) -> OperationResult {
    OperationResult {
        index,
        op: edit.map_or("", Edit::name).to_owned(),
        status: Status::Refused,
        code: Some(code.as_str().to_owned()),
        message: Some(message.to_owned()),
        address: None,
        revision_ids: Vec::new(),
        comment_ids: Vec::new(),
        before: None,
        after: None,
    }
}

/// Of an atomic batch that was taken back, nothing is done: what was found to be no change may have been that only because of an
/// operation before it.
fn take_back(results: &mut [OperationResult]) {
    let done = |status| matches!(status, Status::Applied | Status::NoChange);
    for result in results.iter_mut().filter(|result| done(result.status)) {
        result.status = Status::Refused;
        result.code = Some(RefusalCode::NotAttempted.as_str().to_owned());
        result.message =
            Some("taken back, because another operation of this atomic batch was refused".to_owned());
        result.revision_ids.clear();
        result.comment_ids.clear();
        result.after = None;
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
