//! What is answered of a document: its reading, and the rows of its lists.

use engross_docx::read::Reading;
use engross_docx::revisions::{CommentRow, RevisionRow};
use engross_store::files::RelPath;

/// A document that was read.
pub(crate) struct Read {
    pub(crate) path: RelPath,
    pub(crate) reading: Reading,
    /// SHA-256 of the file.
    pub(crate) sha256: Option<String>,
}

/// What a list of a document holds.
pub(crate) enum DocumentRows {
    /// Its tracked changes.
    Revisions(Vec<RevisionRow>),
    /// Its comments.
    Comments(Vec<CommentRow>),
}
