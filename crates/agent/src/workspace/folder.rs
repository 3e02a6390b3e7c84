//! The documents of one workspace: found, read, edited, put, removed.
//!
//! Must never replace a document that is not the one it was made from, or without its checkpoint. Blocks.

use std::sync::Arc;
use std::time::Duration;

use engross_docx::ops::Proof;
use engross_docx::{Limits, Tracking, WordDocument};
use engross_protocol::{Clock, hex};
use engross_store::files::{FileError, Folder, Listing, LockGuard, Locks, Precondition, RelPath, Written};
use sha2::{Digest, Sha256};

use super::checkpoint::{self, Checkpoint};
use super::error::WorkspaceError;
use super::losses::{self, Losses};

/// Where a workspace keeps what is its own; no document is there.
pub(super) const OWN: &str = ".engross";

/// A name behind all others of a folder.
const LAST: &str = "\u{10fffd}";

/// How long a writer waits for another one of this process.
const PATIENCE: Duration = Duration::from_secs(10);

/// How often it looks.
const PAUSE: Duration = Duration::from_millis(20);

/// A folder of documents. Cheap to clone.
#[derive(Clone)]
pub struct Workspace {
    files: Folder,
    checkpoints: Folder,
    locks: Locks,
    clock: Arc<dyn Clock>,
    only: Option<Only>,
}

/// The one document of a workspace that has just one.
#[derive(Clone)]
pub(super) struct Only {
    /// Where it is, or will be once it is changed.
    pub(super) file: RelPath,
    /// What it is made from as long as it is not there.
    source: Arc<[u8]>,
}

/// A document that was opened.
pub struct Opened {
    /// The document.
    pub document: WordDocument,
    /// SHA-256 of the file; `None` when it is not there yet.
    pub sha256: Option<String>,
}

/// A document that was changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edited {
    /// What the engine has proven.
    pub proof: Proof,
    /// SHA-256 of the new file.
    pub sha256: String,
    /// The document as it was before; `None` when nothing was changed or there was none.
    pub checkpoint: Option<String>,
}

impl Workspace {
    /// The documents in `files`; what they were before goes into `checkpoints`.
    #[must_use]
    pub fn new(files: Folder, checkpoints: Folder, locks: Locks, clock: Arc<dyn Clock>) -> Self {
        Self { files, checkpoints, locks, clock, only: None }
    }

    /// The same with nothing but the document `file`, which is made from `source` when it is changed for the first time.
    #[must_use]
    pub fn of_one(self, file: RelPath, source: Vec<u8>) -> Self {
        Self { only: Some(Only { file, source: source.into() }), ..self }
    }

    /// The one document, if there is just one by design.
    pub(super) fn only(&self) -> Option<&RelPath> {
        self.only.as_ref().map(|only| &only.file)
    }

    /// The moment of the call, as documents say it.
    pub(super) fn date(&self) -> String {
        self.clock.now().to_string()
    }

    /// The path that a caller names.
    ///
    /// # Errors
    /// When it cannot name a document in any workspace.
    pub fn path(text: &str) -> Result<RelPath, FileError> {
        let path = RelPath::parse(text)?;
        if is_own(&path) {
            return Err(FileError::ProtectedPath {
                path: path.as_str().to_owned(),
                problem: "the workspace keeps its checkpoints there".to_owned(),
            });
        }
        Ok(path)
    }

    /// The files, at most `limit` behind `after`, in the order of the bytes of their paths.
    ///
    /// # Errors
    /// As the system says.
    pub fn list(&self, after: Option<&RelPath>, limit: usize) -> Result<Listing, FileError> {
        let mut listing = Listing::default();
        let mut after = after.cloned();
        loop {
            let page = self.files.list("", after.as_ref(), limit - listing.files.len())?;
            let own = page.files.iter().position(|listed| is_own(&listed.path));
            // What is our own may be more than a page, so it is stepped over as a whole.
            after = match own.and_then(|own| page.files.get(own)?.path.components().next()) {
                Some(folder) => Some(RelPath::parse(&format!("{folder}/{LAST}"))?),
                None => None,
            };
            listing.more = page.more;
            listing.files.extend(page.files.into_iter().take(own.unwrap_or(usize::MAX)));
            if after.is_none() {
                return Ok(listing);
            }
        }
    }

    /// The bytes of a file; `None` when it is not there.
    ///
    /// # Errors
    /// As the system says, and when it is larger than a document may be.
    pub fn read(&self, path: &RelPath) -> Result<Option<Vec<u8>>, FileError> {
        let limit = Limits::default().package.max_file_bytes;
        let found = self.files.read(path, limit)?.map(|(bytes, _)| bytes);
        let source = self.only.as_ref().filter(|only| only.file == *path).map(|only| only.source.to_vec());
        Ok(found.or(source))
    }

    /// Whether a file is there; what it would be made from does not count.
    ///
    /// # Errors
    /// As the system says.
    pub fn is_there(&self, path: &RelPath) -> Result<bool, FileError> {
        Ok(self.files.info(path)?.is_some())
    }

    /// Puts a file in its place, with a checkpoint of what it replaces.
    ///
    /// # Errors
    /// When the condition does not hold, somebody else writes it, or the system refuses.
    pub fn put(
        &self,
        path: &RelPath,
        bytes: &[u8],
        precondition: &Precondition,
    ) -> Result<Written, WorkspaceError> {
        let _lock = self.lock(path)?;
        self.keep(path)?;
        Ok(self.files.write(path, bytes, precondition)?)
    }

    /// Removes a file, with a checkpoint of what it was; tells whether there was one.
    ///
    /// # Errors
    /// As [`Workspace::put`].
    pub fn remove(&self, path: &RelPath, precondition: &Precondition) -> Result<bool, WorkspaceError> {
        let _lock = self.lock(path)?;
        self.keep(path)?;
        Ok(self.files.remove(path, precondition)?)
    }

    /// Opens a document.
    ///
    /// # Errors
    /// When it is not there, or no document.
    pub fn open(&self, path: &RelPath) -> Result<Opened, WorkspaceError> {
        let bytes = self.read(path)?;
        let bytes = bytes.ok_or_else(|| FileError::TargetMissing { path: path.as_str().to_owned() })?;
        let is_there = self.files.info(path)?.is_some();
        let sha256 = is_there.then(|| hex::encode(Sha256::digest(&bytes)));
        let document = WordDocument::open(bytes, &Limits::default())
            .map_err(|error| WorkspaceError::Document { file: path.as_str().to_owned(), error })?;
        Ok(Opened { document, sha256 })
    }

    /// Changes a document: opens it, has `edit` change it, proves it, and puts it in its place with a checkpoint before it.
    /// When `edit` changes nothing, nothing is written.
    ///
    /// # Errors
    /// When the document is not the one of `revision` any more, somebody else writes it, the edit fails as a whole or cannot
    /// be proven, or the system refuses.
    pub fn edit<T>(
        &self,
        path: &RelPath,
        revision: Option<&str>,
        tracking: Tracking,
        edit: impl Fn(&mut WordDocument) -> Result<T, engross_docx::Error>,
    ) -> Result<(T, Edited, WordDocument), WorkspaceError> {
        let (mut steps, document) =
            self.edit_in_steps(path, revision, tracking, 1, |_, document| edit(document))?;
        match steps.pop() {
            Some((done, edited)) => Ok((done, edited, document)),
            None => Err(WorkspaceError::Stopped),
        }
    }

    /// Changes a document in `count` steps, each with a checkpoint before it, so that each can be taken back by itself. `edit`
    /// is given the document as it was before all of them, and does what step `n` and those before it do: what they name
    /// means that document.
    ///
    /// # Errors
    /// As [`Workspace::edit`]; steps that were made by then stay.
    pub fn edit_in_steps<T>(
        &self,
        path: &RelPath,
        revision: Option<&str>,
        tracking: Tracking,
        count: usize,
        edit: impl Fn(usize, &mut WordDocument) -> Result<T, engross_docx::Error>,
    ) -> Result<(Vec<(T, Edited)>, WordDocument), WorkspaceError> {
        let _lock = self.lock(path)?;
        let failed = |error| WorkspaceError::Document { file: path.as_str().to_owned(), error };
        let Opened { mut document, mut sha256 } = self.open(path)?;
        if revision.is_some_and(|revision| document.revision() != revision) {
            return Err(WorkspaceError::Changed { file: path.as_str().to_owned() });
        }
        let before = if count > 1 { self.read(path)?.unwrap_or_default() } else { Vec::new() };
        let mut steps = Vec::with_capacity(count);
        for step in 1..=count {
            if step > 1 {
                document = WordDocument::open(before.clone(), &Limits::default()).map_err(failed)?;
            }
            let done = edit(step, &mut document).map_err(failed)?;
            let saved = document.save(tracking).map_err(failed)?;
            let new = hex::encode(Sha256::digest(&saved.bytes));
            let is_source =
                |only: &Only| only.file == *path && hex::encode(Sha256::digest(&only.source)) == new;
            let is_as_before = match &sha256 {
                Some(sha256) => *sha256 == new,
                None => self.only.as_ref().is_some_and(is_source),
            };
            let checkpoint =
                if is_as_before { None } else { self.replace(path, sha256.as_deref(), &saved.bytes)? };
            if !is_as_before {
                sha256 = Some(new.clone());
            }
            steps.push((done, Edited { proof: saved.proof, sha256: new, checkpoint }));
            if step == count && !is_as_before && matches!(tracking, Tracking::Untracked) {
                // What was tracked in memory only is accepted in the file.
                document = WordDocument::open(saved.bytes, &Limits::default()).map_err(failed)?;
            }
        }
        Ok((steps, document))
    }

    /// Puts a changed document in the place of the one it was made from; gives the checkpoint.
    fn replace(
        &self,
        path: &RelPath,
        sha256: Option<&str>,
        bytes: &[u8],
    ) -> Result<Option<String>, WorkspaceError> {
        let checkpoint = self.keep(path)?;
        let precondition =
            sha256.map_or(Precondition::Absent, |sha256| Precondition::Sha256(sha256.to_owned()));
        match self.files.write(path, bytes, &precondition) {
            Ok(_) => Ok(checkpoint),
            Err(FileError::TargetChanged { .. } | FileError::TargetMissing { .. }) => {
                Err(WorkspaceError::Changed { file: path.as_str().to_owned() })
            }
            Err(error) => Err(error.into()),
        }
    }

    /// The checkpoints of a document, oldest first.
    ///
    /// # Errors
    /// As the system says.
    pub fn checkpoints(&self, path: &RelPath) -> Result<Vec<Checkpoint>, FileError> {
        checkpoint::list(&self.checkpoints, path)
    }

    /// Makes a document what it was at a checkpoint. What it is now becomes a checkpoint, too.
    ///
    /// # Errors
    /// When there is no such checkpoint, the condition does not hold, somebody else writes the document, or the system refuses.
    pub fn restore(
        &self,
        path: &RelPath,
        id: &str,
        precondition: &Precondition,
    ) -> Result<Written, WorkspaceError> {
        let _lock = self.lock(path)?;
        let bytes = self.at_checkpoint(path, id)?;
        self.keep(path)?;
        Ok(self.files.write(path, bytes.as_slice(), precondition)?)
    }

    /// What [`Workspace::restore`] would take from a document and give back.
    ///
    /// # Errors
    /// When there is no such checkpoint or file, or one of them is no document.
    pub fn losses(&self, path: &RelPath, id: &str) -> Result<Losses, WorkspaceError> {
        let then = self.at_checkpoint(path, id)?;
        let now = self.read(path)?;
        let now = now.ok_or_else(|| FileError::TargetMissing { path: path.as_str().to_owned() })?;
        losses::losses(&now, &then)
            .map_err(|error| WorkspaceError::Document { file: path.as_str().to_owned(), error })
    }

    fn at_checkpoint(&self, path: &RelPath, id: &str) -> Result<Vec<u8>, WorkspaceError> {
        let limit = Limits::default().package.max_file_bytes;
        let bytes = checkpoint::read(&self.checkpoints, path, id, limit)?;
        bytes.ok_or_else(|| WorkspaceError::CheckpointUnknown {
            file: path.as_str().to_owned(),
            id: id.chars().take(80).collect(),
        })
    }

    /// Keeps what is there as a checkpoint.
    fn keep(&self, path: &RelPath) -> Result<Option<String>, WorkspaceError> {
        let limit = Limits::default().package.max_file_bytes;
        let Some((bytes, _)) = self.files.read(path, limit)? else { return Ok(None) };
        let sha256 = hex::encode(Sha256::digest(&bytes));
        let at = self.clock.millis();
        Ok(Some(checkpoint::save(&self.checkpoints, path, &bytes, &sha256, at)?))
    }

    fn lock(&self, path: &RelPath) -> Result<LockGuard, WorkspaceError> {
        let key = self.files.lock_key(path);
        let tries = PATIENCE.as_millis() / PAUSE.as_millis();
        for _ in 0..tries {
            if let Some(guard) = self.locks.lock(&key) {
                return Ok(guard);
            }
            std::thread::sleep(PAUSE);
        }
        Err(WorkspaceError::Busy { file: path.as_str().to_owned() })
    }
}

/// Whether a file is the workspace's own.
fn is_own(path: &RelPath) -> bool {
    path.components().next().is_some_and(|first| first.eq_ignore_ascii_case(OWN))
}
