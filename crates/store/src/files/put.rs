//! The moment in which a finished file takes its name, and the conditions under which it may.
//!
//! Must never change a name before the bytes behind it are durable, and never report a file that is not.

use std::io;
use std::path::Path;
use std::sync::Arc;

use cap_fs_ext::MetadataExt;
use cap_std::fs::Dir;

use super::error::{FileAction, FileError};
use super::mirror::FileChange;
use super::path::RelPath;
use super::platform::sync_entries;
use super::read::{hash, look, open};
use super::replace::FinishedFile;
use super::root::{Folder, NewFolders, identity};
use super::stamp::FileInfo;

/// What must hold of the target for it to be written or removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Precondition {
    /// It is not there. Two writers never both succeed, whatever processes they are in.
    Absent,
    /// It is there.
    Exists,
    /// Its bytes have this SHA-256, in hexadecimal digits. Somebody else's change that falls between the last look and the
    /// renaming, which follow each other at once, is not seen.
    Sha256(String),
    /// Nothing.
    Any,
}

/// A file that is in its place, durably.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenFile {
    /// What is known about it.
    pub info: FileInfo,
    /// The SHA-256 of its bytes, in lower-case hexadecimal digits.
    pub sha256: String,
    /// That of the file it replaced, if there was one.
    pub previous_sha256: Option<String>,
}

/// Where a file is to go.
pub(super) struct Place<'a> {
    folder: &'a Folder,
    path: &'a RelPath,
    precondition: &'a Precondition,
    pub(super) parent: NewFolders,
    /// Whether a file was there.
    pub(super) there: bool,
}

/// Why a file is not in its place.
pub(super) enum PutFailure {
    /// It cannot be moved there, as that is another file system.
    Elsewhere,
    /// It is, but not wherever else it is to be kept.
    NotKept(FileError),
    Refused(FileError),
}

impl From<FileError> for PutFailure {
    fn from(error: FileError) -> Self {
        Self::Refused(error)
    }
}

impl<'a> Place<'a> {
    /// Finds the place and makes its folders, unless it is clear already that the file may not go there.
    pub(super) fn find(
        folder: &'a Folder,
        path: &'a RelPath,
        precondition: &'a Precondition,
    ) -> Result<Self, FileError> {
        let there = match folder.parent_of(path)? {
            Some(parent) => look(&parent, path, path.name())?.is_some(),
            None => false,
        };
        permit(path, precondition, there)?;
        folder.may_write(path.as_str())?;
        let parent = folder.make_parent_of(path)?;
        Ok(Self { folder, path, precondition, parent, there })
    }

    pub(super) fn path(&self) -> &RelPath {
        self.path
    }

    /// Gives the finished file, whose bytes have this hash, its name. `staged` is what it was called, if that is kept elsewhere, too.
    pub(super) fn put(
        &mut self,
        finished: &FinishedFile<'_>,
        sha256: String,
        staged: Option<(&Folder, &str)>,
    ) -> Result<WrittenFile, PutFailure> {
        let (path, dir) = (self.path, self.parent.dir.clone());
        let failed = |error: io::Error| FileError::io(path.as_str(), FileAction::Writing, &error);
        let old = look(&dir, path, path.name())?;
        finished.prepare(&dir, Path::new(path.name()), old.as_ref()).map_err(failed)?;
        self.still_beneath()?;
        self.folder.may_write(path.as_str())?;
        still_named(finished, path)?;
        let previous_sha256 = check(&dir, path, self.precondition)?;
        match finished.rename(&dir, Path::new(path.name()), *self.precondition == Precondition::Absent) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::CrossesDevices => return Err(PutFailure::Elsewhere),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                return Err(FileError::exists(path.as_str()).into());
            }
            Err(error) => return Err(failed(error).into()),
        }
        self.parent.keep();
        sync_entries(&dir).map_err(failed)?;
        let info = FileInfo::of(&finished.file.metadata().map_err(failed)?);
        self.keep_elsewhere(staged).map_err(PutFailure::NotKept)?;
        Ok(WrittenFile { info, sha256, previous_sha256 })
    }

    /// Both names are changed at once, so that nobody finds it under two of them or under none.
    fn keep_elsewhere(&self, staged: Option<(&Folder, &str)>) -> Result<(), FileError> {
        let Some(link) = &self.folder.mirror else { return Ok(()) };
        let mut changes = vec![(link.path(self.folder.path(), self.path.as_str()), FileChange::Replaced)];
        if let Some((folder, name)) = staged
            && let Some(link) = &folder.mirror
        {
            changes.push((link.path(folder.path(), name), FileChange::Replaced));
        }
        let number = link.mirror.changed(&changes);
        self.folder.wait_elsewhere(number, self.path.as_str())
    }

    /// The folder that is held may have been moved away, with a link in its place.
    fn still_beneath(&self) -> Result<(), FileError> {
        let same = match self.folder.parent_of(self.path)? {
            Some(now) => identity(&now).ok() == identity(&self.parent.dir).ok(),
            None => false,
        };
        if same { Ok(()) } else { Err(FileError::changed(self.path.as_str(), "", "")) }
    }
}

/// Somebody may have put something else under the name of the unfinished file.
fn still_named(finished: &FinishedFile<'_>, path: &RelPath) -> Result<(), FileError> {
    let failed = |error: io::Error| FileError::io(path.as_str(), FileAction::Writing, &error);
    let there = finished.dir.symlink_metadata(finished.name).map_err(failed)?;
    let held = finished.file.metadata().map_err(failed)?;
    let same = (there.dev(), there.ino()) == (held.dev(), held.ino());
    if same {
        Ok(())
    } else {
        Err(FileError::not_written(path.as_str(), "its unfinished file was exchanged"))
    }
}

/// Checks the precondition on what is there now; gives its hash.
pub(super) fn check(
    dir: &Arc<Dir>,
    path: &RelPath,
    precondition: &Precondition,
) -> Result<Option<String>, FileError> {
    let found = open(dir, path, path.name())?;
    permit(path, precondition, found.is_some())?;
    let Some(mut found) = found else { return Ok(None) };
    let sha256 =
        hash(&mut found).map_err(|error| FileError::io(path.as_str(), FileAction::Reading, &error))?;
    if let Precondition::Sha256(expected) = precondition {
        let now = look(dir, path, path.name())?.as_ref().map(FileInfo::of);
        if !sha256.eq_ignore_ascii_case(expected) || now != Some(found.info()) {
            return Err(FileError::changed(path.as_str(), expected, &sha256));
        }
    }
    Ok(Some(sha256))
}

/// Checks what can be told without its bytes.
fn permit(path: &RelPath, precondition: &Precondition, there: bool) -> Result<(), FileError> {
    match (precondition, there) {
        (Precondition::Absent, true) => Err(FileError::exists(path.as_str())),
        (Precondition::Exists | Precondition::Sha256(_), false) => Err(FileError::missing(path.as_str())),
        _ => Ok(()),
    }
}
