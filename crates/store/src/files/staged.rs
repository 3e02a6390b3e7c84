//! A file that grows under a name of its own, over restarts, and takes its place at the end without being copied.
//!
//! Must never be taken for a finished file: nothing lists or reads it but this. Unlike a temporary file it stays when it is
//! dropped.

use std::io::{self, ErrorKind, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use super::digest::Digest;
use super::error::{FileAction, FileError, shown};
use super::mirror::FileChange;
use super::path::RelPath;
use super::platform::{sync_entries, undress};
use super::put::{Place, Precondition, PutFailure, WrittenFile};
use super::read::{Reader, hash, look, no_follow, open};
use super::replace::FinishedFile;
use super::reserved::STAGED;
use super::root::Folder;
use super::temporary::{Access, Lock, create, lock};
use super::write::{create_beside, place_temporary};
use bytes::Bytes;
use cap_fs_ext::MetadataExt;
use cap_std::fs::{File, Metadata, OpenOptions};
use engross_protocol::hex;
use sha2::Digest as _;

/// The name of a staged file in its folder: 1 to 128 ASCII letters, digits, `_` and `-`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StagedName(String);

impl StagedName {
    /// The characters of the longest name.
    pub const MAX: usize = 128;

    /// Checks a name.
    ///
    /// # Errors
    /// [`FileError::PathInvalid`].
    pub fn new(text: impl Into<String>) -> Result<Self, FileError> {
        let text = text.into();
        let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        if (1..=Self::MAX).contains(&text.len()) && text.chars().all(allowed) {
            Ok(Self(text))
        } else {
            Err(FileError::invalid(&text, "a staged file has 1 to 128 letters, digits, _ and -"))
        }
    }

    /// Its text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    fn file(&self) -> String {
        format!("{STAGED}{}", self.0)
    }

    /// How errors and the helpers that need a path call it.
    fn path(&self) -> RelPath {
        RelPath::unchecked(&self.0)
    }
}

/// A staged file that is open for appending, by this handle alone.
///
/// Its bytes are durable after [`StagedFile::sync`]. It has what [`StagedFile::append`] was told, or less if a crash came before the
/// next sync; a caller who has told others of a length syncs first.
#[derive(Debug)]
pub struct StagedFile {
    folder: Folder,
    name: StagedName,
    file: File,
    length: u64,
    /// Whether it was changed since it was made durable.
    is_changed: AtomicBool,
    /// Of all its bytes; `None` when they were not all appended here.
    digest: Option<Digest>,
}

/// A staged file that did not take its place, and is as it was.
#[derive(Debug, thiserror::Error)]
#[error("{error}")]
pub struct CommitFailure {
    /// Why.
    pub error: FileError,
    /// The file: correct what is wrong and commit it again, or discard it.
    pub staged: StagedFile,
}

impl Folder {
    /// Makes an empty staged file in this folder, durably.
    ///
    /// # Errors
    /// [`FileError::TargetExists`] when there is one, else as the system says.
    pub fn stage(&self, name: &StagedName) -> Result<StagedFile, FileError> {
        let staged = self.stage_unsynced(name)?;
        self.sync_names()?;
        Ok(staged)
    }

    /// Makes the names in this folder durable.
    ///
    /// # Errors
    /// As the system says.
    pub fn sync_names(&self) -> Result<(), FileError> {
        let at = self.path().map_or(".", RelPath::as_str);
        sync_entries(&self.dir).map_err(|error| FileError::io(at, FileAction::Writing, &error))?;
        self.wait_for_noted(at)
    }

    /// The same, but that its name is durable only after [`Folder::sync_names`]: for several files that are made together.
    ///
    /// # Errors
    /// As [`Folder::stage`].
    pub fn stage_unsynced(&self, name: &StagedName) -> Result<StagedFile, FileError> {
        let failed = |error: io::Error| FileError::io(name.as_str(), FileAction::Writing, &error);
        self.may_write(name.as_str())?;
        let (file, lock) = match create(&self.dir, &name.file(), Access::Owner) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                return Err(FileError::TargetExists { path: shown(name.as_str()) });
            }
            made => made.map_err(failed)?,
        };
        // Somebody may have found it before it was locked.
        if lock == Lock::Elsewhere || !self.leads_to(name, &file)? {
            return Err(FileError::not_written(name.as_str(), "it is being written already"));
        }
        self.note_elsewhere(&[(&name.file(), FileChange::Replaced)]);
        Ok(StagedFile {
            folder: self.clone(),
            name: name.clone(),
            file,
            length: 0,
            is_changed: AtomicBool::new(true),
            digest: Some(Digest::default()),
        })
    }

    /// Opens the staged file of that name again; `None` when there is none.
    ///
    /// # Errors
    /// [`FileError::NotWritten`] while another handle or process has it, also when it took its place meanwhile, else as the system says.
    pub fn staged(&self, name: &StagedName) -> Result<Option<StagedFile>, FileError> {
        let failed = |error: io::Error| FileError::io(name.as_str(), FileAction::Writing, &error);
        if look(&self.dir, &name.path(), &name.file())?.is_none() {
            return Ok(None);
        }
        let mut options = OpenOptions::new();
        options.read(true).append(true);
        let file = match self.dir.open_with(name.file(), no_follow(&mut options)) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            opened => opened.map_err(failed)?,
        };
        let (file, lock) = lock(file);
        // Who has it and is fenced off will not write to it any more.
        if lock == Lock::Elsewhere && self.fence.is_none() {
            return Err(FileError::not_written(name.as_str(), "it is being written already"));
        }
        // What was opened may be somebody's finished file by now: the one who had it locked has given it its place since.
        if !self.leads_to(name, &file)? {
            return Err(FileError::not_written(name.as_str(), "it was being written, and has its place now"));
        }
        let length = file.metadata().map_err(failed)?.len();
        let is_changed = AtomicBool::new(true);
        Ok(Some(StagedFile {
            folder: self.clone(),
            name: name.clone(),
            file,
            length,
            is_changed,
            digest: None,
        }))
    }

    /// Whether the staged file `name` is this very file.
    fn leads_to(&self, name: &StagedName, file: &File) -> Result<bool, FileError> {
        let failed = |error: io::Error| FileError::io(name.as_str(), FileAction::Reading, &error);
        let of = |metadata: &Metadata| (metadata.dev(), metadata.ino());
        let opened = file.metadata().map_err(failed)?;
        let there = look(&self.dir, &name.path(), &name.file())?;
        Ok(there.is_some_and(|there| of(&there) == of(&opened)))
    }

    /// The names of the staged files in this folder, in the order of their bytes.
    ///
    /// # Errors
    /// As the system says.
    pub fn staged_names(&self) -> Result<Vec<StagedName>, FileError> {
        let at = self.path().map_or(".", RelPath::as_str);
        let failed = |error: io::Error| FileError::io(at, FileAction::Reading, &error);
        let mut names = Vec::new();
        for entry in self.dir.entries().map_err(failed)? {
            let name = entry.map_err(failed)?.file_name();
            let name = name.to_str().and_then(|name| name.strip_prefix(STAGED));
            names.extend(name.and_then(|name| StagedName::new(name).ok()));
        }
        names.sort();
        Ok(names)
    }
}

impl StagedFile {
    /// Its name.
    #[must_use]
    pub fn name(&self) -> &StagedName {
        &self.name
    }

    /// Its length in bytes.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.length
    }

    /// Whether it has no bytes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Adds `bytes` at its end, all of them or none.
    ///
    /// # Errors
    /// [`FileError::NoSpace`], else as the system says. Its length is unchanged.
    pub fn append(&mut self, bytes: &[u8]) -> Result<(), FileError> {
        self.append_part(bytes, None)
    }

    /// The same for bytes that are a part of `source`: they are not copied to be summed.
    ///
    /// # Errors
    /// As there.
    pub fn append_part(&mut self, bytes: &[u8], source: Option<&Bytes>) -> Result<(), FileError> {
        self.folder.may_write(self.name.as_str())?;
        *self.is_changed.get_mut() = true;
        if let Err(error) = self.file.write_all(bytes) {
            // Should this fail too, the next length that is asked of the disk tells.
            let _ = self.file.set_len(self.length);
            return Err(self.failed(&error));
        }
        self.length += bytes.len() as u64;
        if let Some(digest) = &mut self.digest {
            digest.update(bytes, source);
        }
        Ok(())
    }

    /// Makes its bytes durable, unless they are.
    ///
    /// # Errors
    /// As the system says. What was not durable before may be lost then, whatever a later sync says.
    pub fn sync(&self) -> Result<(), FileError> {
        self.folder.may_write(self.name.as_str())?;
        if self.is_changed.load(Ordering::Acquire) {
            self.file.sync_data().map_err(|error| self.failed(&error))?;
            self.folder.keep_elsewhere(&[(&self.name.file(), FileChange::Grown)])?;
            self.is_changed.store(false, Ordering::Release);
        }
        Ok(())
    }

    /// Makes its bytes durable from another thread, while more are appended. The one who uses it has to see to its error: a
    /// later [`StagedFile::sync`] does not tell it again.
    ///
    /// # Errors
    /// As the system says.
    pub fn syncer(&self) -> Result<impl FnOnce() -> Result<(), FileError> + Send + 'static, FileError> {
        let (file, name) = (self.file.try_clone().map_err(|error| self.failed(&error))?, self.name.clone());
        let folder = self.folder.clone();
        Ok(move || {
            file.sync_data().map_err(|error| FileError::io(name.as_str(), FileAction::Writing, &error))?;
            folder.keep_elsewhere(&[(&name.file(), FileChange::Grown)])
        })
    }

    /// Takes away what is behind the first `length` bytes.
    ///
    /// # Errors
    /// As the system says.
    pub fn truncate(&mut self, length: u64) -> Result<(), FileError> {
        if length < self.length {
            self.folder.may_write(self.name.as_str())?;
            *self.is_changed.get_mut() = true;
            // What is being kept of it elsewhere is read from the file as it was.
            self.folder.wait_for_noted(self.name.as_str())?;
            self.file.set_len(length).map_err(|error| self.failed(&error))?;
            self.length = length;
            self.folder.note_elsewhere(&[(&self.name.file(), FileChange::Replaced)]);
            self.digest = (length == 0).then(Digest::default);
        }
        Ok(())
    }

    /// Its bytes, from the first one. Reading does not disturb appending.
    ///
    /// # Errors
    /// As the system says; [`FileError::NotWritten`] when somebody removed it, as it cannot become the file any more.
    pub fn reader(&self) -> Result<Reader, FileError> {
        let path = self.name.path();
        let opened = open(&self.folder.dir, &path, &self.name.file())?;
        opened.ok_or_else(|| FileError::not_written(path.as_str(), "somebody removed its unfinished content"))
    }

    /// The SHA-256 of its bytes, in lower-case hexadecimal digits. They are read again only if they were not all appended
    /// through this handle.
    ///
    /// # Errors
    /// As [`StagedFile::reader`].
    pub fn sha256(&self) -> Result<String, FileError> {
        if let Some(sum) = self.digest.as_ref().and_then(Digest::sum) {
            return Ok(hex::encode(sum.finalize()));
        }
        let mut reader = self.reader()?;
        hash(&mut reader).map_err(|error| FileError::io(self.name.as_str(), FileAction::Reading, &error))
    }

    /// Makes it the file at `path` of `folder`, with the same guarantees and errors as [`Folder::write`]. It is renamed;
    /// if the target is on another file system it is copied there first.
    ///
    /// A crash can come between the renaming and what the caller notes about it. After a restart there is then no staged
    /// file, and the target has the hash that [`StagedFile::sha256`] gave before: note that first.
    ///
    /// # Errors
    /// [`CommitFailure`] has the error and the file.
    pub fn commit(
        self,
        folder: &Folder,
        path: &RelPath,
        precondition: &Precondition,
    ) -> Result<WrittenFile, Box<CommitFailure>> {
        match self.place(folder, path, precondition) {
            Ok(written) => Ok(written),
            Err(error) => Err(Box::new(CommitFailure { error, staged: self })),
        }
    }

    /// Removes it.
    ///
    /// # Errors
    /// As the system says.
    pub fn discard(self) -> Result<(), FileError> {
        self.folder.may_write(self.name.as_str())?;
        match self.folder.dir.remove_file(self.name.file()) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(self.failed(&error)),
            _ => self.folder.keep_elsewhere(&[(&self.name.file(), FileChange::Replaced)]),
        }
    }

    fn place(
        &self,
        folder: &Folder,
        path: &RelPath,
        precondition: &Precondition,
    ) -> Result<WrittenFile, FileError> {
        let (name, sha256) = (self.name.file(), self.sha256()?);
        let mut place = Place::find(folder, path, precondition)?;
        let finished =
            FinishedFile { dir: &self.folder.dir, name: &name, file: &self.file, access: Access::Owner };
        match place.put(&finished, sha256.clone(), Some((&self.folder, &name))) {
            // The name that it had needs no wait of its own: who comes back to it finds the target with its hash.
            Ok(written) => Ok(written),
            Err(PutFailure::NotKept(error)) => Err(error),
            Err(PutFailure::Refused(error)) => {
                // It may look like the target already, which others may read.
                undress(&self.file).map_err(|error| self.failed(&error))?;
                Err(error)
            }
            Err(PutFailure::Elsewhere) => {
                let mut temporary = create_beside(&place, Access::Owner)?;
                let copied = temporary.fill(&mut self.reader()?, path)?;
                if copied != sha256 {
                    return Err(FileError::not_written(path.as_str(), "its staged bytes changed"));
                }
                let written = place_temporary(&mut place, temporary, Access::Owner, copied)?;
                // What cannot be removed now is swept later.
                let _ = self.folder.dir.remove_file(&name);
                self.folder.keep_elsewhere(&[(&name, FileChange::Replaced)])?;
                Ok(written)
            }
        }
    }

    fn failed(&self, error: &io::Error) -> FileError {
        FileError::io(self.name.as_str(), FileAction::Writing, error)
    }
}

/// So that a file can be copied into it. The inner error is a [`FileError`].
impl Write for StagedFile {
    /// As [`StagedFile::append`].
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.append(bytes).map_err(io::Error::other)?;
        Ok(bytes.len())
    }

    /// Nothing is held back; [`StagedFile::sync`] makes it durable.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
