//! Those who keep the files of a root elsewhere, too: what they are told, and what they are asked.
//!
//! Must never know how a file is changed.

use std::sync::Arc;

use super::error::FileError;
use super::path::RelPath;

/// What became of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FileChange {
    /// It is another one than was kept, and nobody waits for it: it was found so.
    Found,
    /// It has further bytes at its end; those before are as they were.
    Grown,
    /// It is new, is another one, or is gone.
    Replaced,
}

/// Keeps what is beneath a root elsewhere, too, so that another machine has it when this one is gone.
///
/// It is told *that* something is another thing now, and looks itself what that is. Paths are those of
/// [`super::DiskPath`], also of unfinished files that are staged, with what the root's own are called before them.
pub trait FileMirror: Send + Sync + std::fmt::Debug {
    /// Takes note of what was changed together; gives the number to wait for. Never waits.
    fn changed(&self, changes: &[(String, FileChange)]) -> u64;

    /// Whether it keeps up. While it does not, nothing is to be changed any more.
    fn keeps_up(&self) -> bool;

    /// Waits until all is kept that was noted up to this number; `false` when that cannot be said. Blocks.
    fn is_kept(&self, number: u64) -> bool;

    /// Looks for what others have changed beneath a folder, and waits until it is kept, too; `false` when that cannot be said.
    /// Blocks.
    ///
    /// # Errors
    /// The first of what cannot be read there; all else is kept.
    fn look_beneath(&self, folder: &str) -> Result<bool, FileError>;
}

/// What keeps the files of a root elsewhere, and what the root is called there.
#[derive(Debug, Clone)]
pub(super) struct MirrorLink {
    pub(super) mirror: Arc<dyn FileMirror>,
    pub(super) root: Arc<str>,
}

impl MirrorLink {
    /// What a path beneath a folder is called there.
    pub(super) fn path(&self, folder: Option<&RelPath>, path: &str) -> String {
        match folder {
            Some(folder) => format!("{}/{folder}/{path}", self.root),
            None => format!("{}/{path}", self.root),
        }
    }
}
