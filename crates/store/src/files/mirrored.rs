//! What is told to those who keep the files of a root elsewhere, too: which of them are others now.
//!
//! Must never wait for anybody while a file is half done: what is told is on the disk.

use super::error::{FileError, shown};
use super::mirror::FileChange;
use super::path::RelPath;
use super::root::Folder;

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
        let changes: Vec<_> =
            changes.iter().map(|(path, change)| (link.path(self.path(), path), *change)).collect();
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
    /// [`FileError::HomeLost`]; [`FileError::Unreadable`] for the first of what cannot be read: all else is kept.
    pub fn keep_what_others_changed(&self) -> Result<(), FileError> {
        let Some(link) = &self.mirror else { return Ok(()) };
        let folder = match self.path() {
            Some(own) => format!("{}/{own}", link.root),
            None => link.root.to_string(),
        };
        match link.mirror.look_beneath(&folder)? {
            true => Ok(()),
            false => Err(FileError::HomeLost { path: shown(self.path().map_or(".", RelPath::as_str)) }),
        }
    }
}
