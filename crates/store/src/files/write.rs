//! Writing and removing whole files.
//!
//! Must never write into a file that has a name already: the new bytes take the name from the old ones. So a reader sees one
//! or the other, and the old file's further names keep the old bytes.

use std::io::{self, ErrorKind, Read};

use super::error::{FileAction, FileError};
use super::mirror::FileChange;
use super::path::RelPath;
use super::platform::sync_entries;
use super::put::{Place, Precondition, PutFailure, WrittenFile, check};
use super::replace::FinishedFile;
use super::root::Folder;
use super::temporary::{Access, TemporaryFile};

impl Folder {
    /// Makes `content` the bytes of the file at `path`, all of them or none, durably. Missing folders are made. A file that
    /// is replaced passes on its mode and attributes, and its owner and group where that is allowed.
    ///
    /// # Errors
    /// Nothing is changed and nothing left behind, if not said otherwise:
    /// * [`FileError::TargetExists`], [`FileError::TargetMissing`], [`FileError::TargetChanged`]: the precondition does not
    ///   hold, or the folder was moved away meanwhile.
    /// * [`FileError::PathOutsideRoot`], [`FileError::TargetIsDir`], [`FileError::PathInvalid`]: as [`Folder::open`].
    /// * [`FileError::NoSpace`], [`FileError::PermissionDenied`].
    /// * [`FileError::NotWritten`]: `content` failed, or the disk did. If the disk failed in making the new name durable, the
    ///   file is there but may be the old one again after a loss of power.
    pub fn write(
        &self,
        path: &RelPath,
        mut content: impl Read,
        precondition: &Precondition,
    ) -> Result<WrittenFile, FileError> {
        let mut place = Place::find(self, path, precondition)?;
        let access = if place.there { Access::Owner } else { Access::Usual };
        let mut temporary = create_beside(&place, access)?;
        let sha256 = temporary.fill(&mut content, path)?;
        place_temporary(&mut place, temporary, access, sha256)
    }

    /// As [`Folder::write`], for what only its owner may read; a file that is replaced keeps its mode.
    ///
    /// # Errors
    /// As [`Folder::write`].
    pub fn write_private(
        &self,
        path: &RelPath,
        mut content: impl Read,
        precondition: &Precondition,
    ) -> Result<WrittenFile, FileError> {
        let mut place = Place::find(self, path, precondition)?;
        let mut temporary = create_beside(&place, Access::Owner)?;
        let sha256 = temporary.fill(&mut content, path)?;
        // Nothing widens what it was made with.
        let access = if place.there { Access::Owner } else { Access::Usual };
        place_temporary(&mut place, temporary, access, sha256)
    }

    /// Removes the file at `path`, durably; says whether there was one.
    ///
    /// # Errors
    /// As [`Folder::write`]. A link is not removed.
    pub fn remove(&self, path: &RelPath, precondition: &Precondition) -> Result<bool, FileError> {
        let failed = |error: io::Error| FileError::io(path.as_str(), FileAction::Writing, &error);
        let there = match self.parent_of(path)? {
            Some(parent) if check(&parent, path, precondition)?.is_some() => Some(parent),
            Some(_) => None,
            None if matches!(precondition, Precondition::Exists | Precondition::Sha256(_)) => {
                return Err(FileError::missing(path.as_str()));
            }
            None => None,
        };
        let Some(parent) = there else { return Ok(false) };
        self.may_write(path.as_str())?;
        match parent.remove_file(path.name()) {
            Ok(()) => {
                sync_entries(&parent).map_err(failed)?;
                self.keep_elsewhere(&[(path.as_str(), FileChange::Replaced)]).map(|()| true)
            }
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
            Err(error) => Err(failed(error)),
        }
    }
}

/// A temporary file in the target's own folder.
pub(super) fn create_beside(place: &Place<'_>, access: Access) -> Result<TemporaryFile, FileError> {
    TemporaryFile::create(&place.parent.dir, access)
        .map_err(|error| FileError::io(place.path().as_str(), FileAction::Writing, &error))
}

/// Gives a temporary file of the target's own folder its name.
pub(super) fn place_temporary(
    place: &mut Place<'_>,
    temporary: TemporaryFile,
    access: Access,
    sha256: String,
) -> Result<WrittenFile, FileError> {
    match place.put(&FinishedFile::of(&temporary, access), sha256, None) {
        Ok(written) => {
            temporary.placed();
            Ok(written)
        }
        // It has its new name, but is not kept wherever it is to be.
        Err(PutFailure::NotKept(error)) => {
            temporary.placed();
            Err(error)
        }
        Err(PutFailure::Refused(error)) => Err(error),
        Err(PutFailure::Elsewhere) => {
            Err(FileError::not_written(place.path().as_str(), "its folder spans two file systems"))
        }
    }
}
