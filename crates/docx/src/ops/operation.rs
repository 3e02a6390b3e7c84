//! An operation: an edit, and what is said besides it.

use std::collections::BTreeSet;

use crate::ops::edit::Edit;
use crate::ops::place::Place;
use crate::text::picture_sources;

/// What to do to which place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operation {
    /// The edit.
    pub edit: Edit,
    /// Text the paragraph must have, or nothing is done.
    pub expected_text: Option<String>,
    /// Whether new text is taken as it stands, without Markdown.
    pub plain: bool,
    /// Author of this operation's revisions instead of the batch's.
    pub author: Option<String>,
    /// Whether it may change text or layout in ways that no revision can tell.
    pub allows_untracked: bool,
    /// What becomes of references to text that it takes away.
    pub references: ReferencePolicy,
}

impl Operation {
    /// An edit without anything further said.
    pub(crate) fn of(edit: Edit) -> Self {
        Self {
            edit,
            expected_text: None,
            plain: false,
            author: None,
            allows_untracked: false,
            references: ReferencePolicy::Refuse,
        }
    }

    /// The files that it names, pictures and a document; the caller gives their bytes by
    /// [`WordDocument::give_files`](crate::WordDocument::give_files).
    #[must_use]
    pub fn file_names(&self) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        if let Edit::ReplaceByFile { file } = &self.edit {
            names.insert(file.clone());
        }
        if let Edit::Object(edit) = &self.edit {
            names.extend(edit.source().filter(|source| !source.starts_with("data:")).map(str::to_owned));
        }
        if !self.plain {
            for content in self.edit.contents() {
                names.extend(picture_sources(content));
            }
        }
        names
    }
}

/// What becomes of references to text that an operation takes away.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum ReferencePolicy {
    /// The operation is refused when there are any.
    #[default]
    Refuse,
    /// They become the text that they show.
    Drop,
    /// They lead to another paragraph.
    Retarget(Place),
}
