//! Who wants to know what agents write into documents.
//!
//! Must never keep a write from happening: the one who listens is told afterwards, and has nothing to answer.

use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Is told of documents with tracked changes that were written.
pub trait DeliveryListener: Send + Sync {
    /// A document was written.
    fn delivered(&self, document: &WrittenDocument<'_>);

    /// What is known of the documents in `folder`, an absolute path, for the model that edits one of them: lines for its
    /// instructions, empty when there is nothing. Blocks.
    fn lessons(&self, folder: &Path) -> String {
        let _ = folder;
        String::new()
    }
}

/// A document that was written, with tracked changes of one's own in it.
#[derive(Debug, Clone, Copy)]
pub struct WrittenDocument<'a> {
    /// Where it is; absolute.
    pub path: &'a Path,
    /// In whose names one's own changes in it are.
    pub authors: &'a [String],
    /// Its bytes.
    pub bytes: &'a [u8],
}

/// A listener, and the folder of the documents that it is told of.
#[derive(Clone)]
pub(crate) struct ListenedFolder {
    pub(crate) listener: Arc<dyn DeliveryListener>,
    pub(crate) base: PathBuf,
}
