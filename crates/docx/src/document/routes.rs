//! By what part of the engine each operation of a batch is carried out, and on which story.
//!
//! Must never change the document.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::WordDocument;
use super::run::Run;
use super::scope::asks_elsewhere;
use crate::error::{Error, Refusal, RefusalCode};
use crate::markdown::Rewrite;
use crate::ops::{Batch, Edit, Operation, Outcome, SearchScope};
use crate::read::{StoryPart, sections_of};

/// Operations of a batch on one story.
pub(super) struct Group<'a> {
    /// The body without.
    pub(super) story: Option<StoryPart>,
    /// With their numbers in the batch.
    pub(super) operations: Vec<(usize, Cow<'a, Operation>)>,
}

/// By what part of the engine each operation is carried out, by its number in the batch.
#[derive(Default)]
pub(super) struct Routes<'a> {
    /// Edits by story, the body first.
    pub(super) groups: Vec<Group<'a>>,
    /// Edits that are done in several stories.
    pub(super) parted: BTreeSet<usize>,
    /// Operations on references, which need to know what all others came to.
    pub(super) references: Vec<usize>,
    /// Operations on threads of comments, which concern no story alone.
    pub(super) threads: Vec<usize>,
    /// Headers to make or link, and properties.
    pub(super) surroundings: Vec<usize>,
    /// Revisions to accept or reject.
    pub(super) resolutions: Vec<usize>,
}

impl WordDocument {
    /// By what each operation is carried out. Those whose story is not there are refused.
    pub(super) fn route<'a>(
        &mut self,
        run: &mut Run<'a>,
        stories: &[StoryPart],
    ) -> Result<Routes<'a>, Error> {
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
            let content = match &operation.edit {
                Edit::ReplaceDocument { content } => Some(Ok((content.clone(), Vec::new()))),
                Edit::ReplaceByFile { file } => Some(self.told_by(file, &mut run.pending.files)),
                _ => None,
            };
            if let Some(content) = content {
                let rewritten = match content {
                    Ok((content, told)) => self.rewrite(&content)?.map(|mut rewritten| {
                        rewritten.remarks.extend(told);
                        rewritten
                    }),
                    Err(refusal) => Err(refusal),
                };
                match rewritten {
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
pub(super) fn needs_stories(batch: &Batch) -> bool {
    let needs = |edit: &Edit| {
        let scoped = edit.search().is_some_and(|search| search.scope != SearchScope::Unsaid);
        let fills = matches!(
            edit,
            Edit::FillControl { .. } | Edit::ReplaceDocument { .. } | Edit::ReplaceByFile { .. }
        );
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
