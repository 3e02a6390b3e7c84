//! What is told to those who keep the files of a root elsewhere, too: which of them are others now.
//!
//! Must never wait for anybody while a file is half done: what is told is on the disk.

use std::sync::Arc;

use super::error::{FileError, shown};
use super::root::Folder;

/// What became of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FileChange {
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
    fn look_beneath(&self, folder: &str) -> bool;
}

/// What keeps the files of a root elsewhere, and what the root is called there.
#[derive(Debug, Clone)]
pub(super) struct MirrorLink {
    pub(super) mirror: Arc<dyn FileMirror>,
    pub(super) root: Arc<str>,
}

impl MirrorLink {
    pub(super) fn path(&self, folder: &Folder, path: &str) -> String {
        match folder.path() {
            Some(folder) => format!("{}/{folder}/{path}", self.root),
            None => format!("{}/{path}", self.root),
        }
    }
}

impl Folder {
    /// Has these files of this folder kept elsewhere, if somebody does that. Nothing is to be told as done before.
    pub(super) fn keep_elsewhere(&self, changes: &[(&str, FileChange)]) -> Result<(), FileError> {
        let (Some(number), Some((path, _))) = (self.note_elsewhere(changes), changes.last()) else {
            return Ok(());
        };
        self.wait_elsewhere(number, path)
    }

    /// The same without a wait; gives what to wait for.
    pub(super) fn note_elsewhere(&self, changes: &[(&str, FileChange)]) -> Option<u64> {
        let link = self.mirror.as_ref()?;
        let changes: Vec<_> = changes.iter().map(|(path, change)| (link.path(self, path), *change)).collect();
        Some(link.mirror.changed(&changes))
    }

    /// Waits until all is kept elsewhere that was noted up to `number`; `path` is for the error.
    pub(super) fn wait_elsewhere(&self, number: u64, path: &str) -> Result<(), FileError> {
        match &self.mirror {
            Some(link) if !link.mirror.is_kept(number) => Err(FileError::HomeLost { path: shown(path) }),
            _ => Ok(()),
        }
    }

    /// Waits until all is kept elsewhere that was noted so far; `path` is for the error.
    pub(super) fn wait_for_noted(&self, path: &str) -> Result<(), FileError> {
        self.note_elsewhere(&[]).map_or(Ok(()), |number| self.wait_elsewhere(number, path))
    }

    /// Has kept elsewhere what others have put beneath this folder or changed there, if somebody does that: programs that write
    /// files themselves do not tell.
    ///
    /// # Errors
    /// [`FileError::HomeLost`].
    pub fn keep_what_others_changed(&self) -> Result<(), FileError> {
        let Some(link) = &self.mirror else { return Ok(()) };
        let folder = match self.path() {
            Some(own) => format!("{}/{own}", link.root),
            None => link.root.to_string(),
        };
        match link.mirror.look_beneath(&folder) {
            true => Ok(()),
            false => Err(FileError::HomeLost { path: shown(self.path().map_or(".", |own| own.as_str())) }),
        }
    }
}
