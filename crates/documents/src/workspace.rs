//! The documents of one workspace: found, read, edited, put, removed.
//!
//! Must never replace a document that is not the one it was made from, or without its checkpoint. Blocks.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use engross_docx::ops::{Batch, Operation, OperationResult, Proof, Summary, parse_batch};
use engross_docx::{EditOptions, Limits, Tracking, WordDocument};
use engross_protocol::Clock;
use engross_store::Millis;
use engross_store::files::{
    FileError, Folder, Listing, LockGuard, Locks, Precondition, RelPath, WrittenFile,
};
use serde_json::Value;

use crate::Error;
use crate::changes::Losses;
use crate::checkpoints::{Checkpoint, CheckpointStore, Checkpoints, sha256_of};
use crate::delivery::Delivery;
use crate::document_job::EditJob;
use crate::isolation::DocumentIsolation;
use crate::listener::{DeliveryListener, ListenedFolder, WrittenDocument};
use crate::pictures::pictures_of;
use crate::receipt::{Receipt, has_result};

/// The folder in which a workspace keeps its own files; no document is there.
pub const OWN_FOLDER: &str = ".engross";

/// A name behind all others of a folder.
const LAST: &str = "\u{10fffd}";

/// How long a writer waits for another one of this process.
const PATIENCE: Duration = Duration::from_secs(10);

/// How often it looks.
const PAUSE: Duration = Duration::from_millis(20);

/// The folders whose lessons are given at once.
const FOLDERS: usize = 8;

/// Whether the caller has taken back what it asked for.
pub type StopSignal = Arc<dyn Fn() -> bool + Send + Sync>;

/// A folder of documents. Cheap to clone.
#[derive(Clone)]
pub struct Workspace {
    files: Folder,
    store: CheckpointStore,
    locks: Locks,
    clock: Arc<dyn Clock>,
    only: Option<SingleDocument>,
    listened: Option<ListenedFolder>,
    stop: Option<StopSignal>,
    isolation: DocumentIsolation,
}

/// The one document of a workspace that has just one.
#[derive(Clone)]
struct SingleDocument {
    /// Where it is, or will be once it is changed.
    file: RelPath,
    /// What it is made from as long as it is not there.
    source: Arc<[u8]>,
    /// The absolute path of the file that this was read from, if there is one.
    named: Option<PathBuf>,
}

/// A document, and the state of its file.
pub struct OpenDocument {
    /// The document.
    pub document: WordDocument,
    /// SHA-256 of the file; `None` when it is not there yet.
    pub sha256: Option<String>,
}

/// What became of one change of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentEdit {
    /// What the engine has proven.
    pub proof: Proof,
    /// SHA-256 of the new file.
    pub sha256: String,
    /// The document as it was before; `None` when nothing was changed or there was none.
    pub checkpoint: Option<String>,
}

/// What operations did to a document of a workspace.
#[derive(Debug)]
pub struct Application {
    /// Whether any was applied, or none had to be.
    pub is_applied: bool,
    /// What each did.
    pub receipt: Receipt<OperationResult>,
    /// The document's state now.
    pub revision: String,
    /// The document as it was before; `None` when it is unchanged.
    pub checkpoint: Option<String>,
}

/// What an edit does to a document, in words that can be told to another process.
#[derive(Debug, Clone, Copy)]
pub enum EditWork<'a> {
    /// It applies a batch of the operation language.
    Operations {
        /// The batch.
        batch: &'a Value,
        /// In whose name, and when.
        options: &'a EditOptions,
    },
    /// It does nothing but accept or reject, which is done with every document that is opened.
    Resolution,
}

impl Workspace {
    /// The documents in `files`; their earlier states go into `store`.
    #[must_use]
    pub fn new(files: Folder, store: CheckpointStore, locks: Locks, clock: Arc<dyn Clock>) -> Self {
        Self {
            files,
            store,
            locks,
            clock,
            only: None,
            listened: None,
            stop: None,
            isolation: DocumentIsolation::default(),
        }
    }

    /// The documents in `files`; their earlier states go into a folder in it that no path leads to.
    ///
    /// # Errors
    /// As the system says.
    pub fn with_own_checkpoints(
        files: Folder,
        locks: Locks,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, FileError> {
        let place = RelPath::parse(OWN_FOLDER)?.join(&RelPath::parse("checkpoints")?)?;
        let store = CheckpointStore::of_workspace(files.make_folder(&place)?)?;
        Ok(Self::new(files, store, locks, clock))
    }

    /// The same with nothing but the document `file`, which is made from `source` when it is changed for the first time; that was read
    /// from the file with the absolute path `named`, if from any.
    #[must_use]
    pub fn of_one(self, file: RelPath, source: Vec<u8>, named: Option<PathBuf>) -> Self {
        Self { only: Some(SingleDocument { file, source: source.into(), named }), ..self }
    }

    /// The same; `listener` is told of every document that is written. `base` is the folder's absolute path.
    #[must_use]
    pub fn heard_by(self, listener: Option<Arc<dyn DeliveryListener>>, base: &Path) -> Self {
        let listened = listener.map(|listener| ListenedFolder { listener, base: base.to_owned() });
        Self { listened, ..self }
    }

    /// The same for one piece of work that its caller may take back: no edit and no new file is written from the moment on at which
    /// `stop` says so. Steps of one edit of which the first is written already are ended.
    #[must_use]
    pub fn until(self, stop: StopSignal) -> Self {
        Self { stop: Some(stop), ..self }
    }

    /// The same whose documents are worked on elsewhere before they are opened here.
    #[must_use]
    pub fn isolated(self, isolation: DocumentIsolation) -> Self {
        Self { isolation, ..self }
    }

    /// An error, if the caller has taken back what it asked for.
    fn check_wanted(&self) -> Result<(), Error> {
        if self.stop.as_ref().is_some_and(|stop| stop()) { Err(Error::Stopped) } else { Ok(()) }
    }

    /// The one document, if there is just one by design.
    #[must_use]
    pub fn only(&self) -> Option<&RelPath> {
        self.only.as_ref().map(|only| &only.file)
    }

    /// The moment of the call, as documents say it.
    #[must_use]
    pub fn date(&self) -> String {
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

    /// The same for one that may be named by its absolute path.
    ///
    /// # Errors
    /// As there.
    pub fn named(&self, text: &str) -> Result<RelPath, FileError> {
        Self::path(&self.files.relative(text))
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
    ) -> Result<WrittenFile, Error> {
        let _lock = self.lock(path)?;
        self.check_wanted()?;
        self.keep(path)?;
        Ok(self.files.write(path, bytes, precondition)?)
    }

    /// Removes a file, with a checkpoint of what it was; tells whether there was one.
    ///
    /// # Errors
    /// As [`Workspace::put`].
    pub fn remove(&self, path: &RelPath, precondition: &Precondition) -> Result<bool, Error> {
        let _lock = self.lock(path)?;
        self.keep(path)?;
        Ok(self.files.remove(path, precondition)?)
    }

    /// The document that a file was made from, if the file is as engross wrote it.
    ///
    /// # Errors
    /// As the system says.
    pub fn made_from(&self, path: &RelPath) -> Result<Option<String>, Error> {
        let written = self.store.written()?;
        Ok(self.read(path)?.and_then(|bytes| written.source_of(&sha256_of(&bytes))))
    }

    /// Opens a document.
    ///
    /// # Errors
    /// When it is not there, or no document.
    pub fn open(&self, path: &RelPath) -> Result<OpenDocument, Error> {
        let bytes = self.read(path)?;
        let bytes = bytes.ok_or_else(|| FileError::TargetMissing { path: path.as_str().to_owned() })?;
        let is_there = self.files.info(path)?.is_some();
        let sha256 = is_there.then(|| sha256_of(&bytes));
        let document = self.recalled(path, bytes)?;
        Ok(OpenDocument { document, sha256 })
    }

    /// A document that knows which revisions in it are one's own.
    fn recalled(&self, path: &RelPath, bytes: Vec<u8>) -> Result<WordDocument, Error> {
        let sha256 = sha256_of(&bytes);
        let mut document = self.isolation.open(path.as_str(), bytes)?;
        self.store.written()?.recall(&mut document, &sha256);
        Ok(document)
    }

    /// Changes a document: opens it, has `edit` change it, proves it, and puts it in its place with a checkpoint before it.
    /// When `edit` changes nothing, nothing is written. `work` is what it does, for one who has to do it elsewhere first.
    ///
    /// # Errors
    /// When the document is not the one of `revision` any more, somebody else writes it, the edit fails as a whole or cannot
    /// be proven, the caller takes it back before it is written, or the system refuses.
    pub fn edit<T>(
        &self,
        path: &RelPath,
        revision: Option<&str>,
        (tracking, work): (Tracking, &EditWork<'_>),
        edit: impl Fn(&mut WordDocument) -> Result<T, engross_docx::Error>,
    ) -> Result<(T, DocumentEdit, WordDocument), Error> {
        let (mut steps, document) =
            self.edit_in_steps(path, revision, (tracking, work), 1, |_, document| edit(document))?;
        match steps.pop() {
            Some((done, edited)) => Ok((done, edited, document)),
            None => Err(Error::Stopped),
        }
    }

    /// The pictures of the workspace that operations name, by those names.
    #[must_use]
    pub fn pictures<'a>(
        &self,
        operations: impl IntoIterator<Item = &'a Operation>,
    ) -> BTreeMap<String, Vec<u8>> {
        pictures_of(&self.files, operations)
    }

    /// Applies operations to a document, and puts it in its place as [`Workspace::edit`] does; `json` is the batch as it was read.
    ///
    /// # Errors
    /// As [`Workspace::edit`]. Operations that were refused are no error: the receipt says so.
    pub fn apply(
        &self,
        path: &RelPath,
        (batch, json): (&Batch, &Value),
        options: &EditOptions,
        tracking: Tracking,
    ) -> Result<Application, Error> {
        let pictures = self.pictures(&batch.operations);
        let work = EditWork::Operations { batch: json, options };
        let (operations, edit, document) = self.edit(path, None, (tracking, &work), |document| {
            document.give_files(pictures.clone());
            document.apply(batch, options)
        })?;
        let file = path.as_str().to_owned();
        let delivery = has_result(&operations).then(|| Delivery {
            output: Some(file.clone()),
            sha256: edit.sha256,
            proof: edit.proof,
        });
        Ok(Application {
            is_applied: delivery.is_some(),
            receipt: Receipt::new(file, Summary::of(&operations), operations, delivery, Vec::new()),
            revision: document.revision(),
            checkpoint: edit.checkpoint,
        })
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
        (tracking, work): (Tracking, &EditWork<'_>),
        count: usize,
        edit: impl Fn(usize, &mut WordDocument) -> Result<T, engross_docx::Error>,
    ) -> Result<(Vec<(T, DocumentEdit)>, WordDocument), Error> {
        let _lock = self.lock(path)?;
        let failed = |error| Error::document(path.as_str(), error);
        let OpenDocument { mut document, mut sha256 } = self.open(path)?;
        if revision.is_some_and(|revision| document.revision() != revision) {
            return Err(Error::Changed { file: path.as_str().to_owned() });
        }
        self.try_elsewhere(path, tracking, work)?;
        let before = if count > 1 { self.read(path)?.unwrap_or_default() } else { Vec::new() };
        let mut steps = Vec::with_capacity(count);
        for step in 1..=count {
            if step > 1 {
                document = self.recalled(path, before.clone())?;
            }
            let done = edit(step, &mut document).map_err(failed)?;
            let saved = document.save(tracking).map_err(failed)?;
            let new = sha256_of(&saved.bytes);
            let is_source = |only: &SingleDocument| only.file == *path && sha256_of(&only.source) == new;
            let is_as_before = match &sha256 {
                Some(sha256) => *sha256 == new,
                None => self.only.as_ref().is_some_and(is_source),
            };
            // What one of several steps has written stays, and so do the others: together they are one piece of work.
            if step == 1 && !is_as_before {
                self.check_wanted()?;
            }
            let checkpoint =
                if is_as_before { None } else { self.replace(path, sha256.as_deref(), &saved.bytes)? };
            let written = self.store.written()?;
            // The hash of a document that is as it came says nothing of who wrote it.
            if !is_as_before || written.source_of(&new).is_some() {
                written.remember(&document, tracking, (&new, &self.source_of(path)));
            }
            if !is_as_before {
                sha256 = Some(new.clone());
            }
            if step == count && tracking == Tracking::Tracked {
                self.tell(path, &document, &saved.bytes);
            }
            steps.push((done, DocumentEdit { proof: saved.proof, sha256: new, checkpoint }));
            if step == count && !is_as_before && matches!(tracking, Tracking::Untracked) {
                // What was tracked in memory only is accepted in the file.
                document = WordDocument::open(saved.bytes, &Limits::default()).map_err(failed)?;
            }
        }
        Ok((steps, document))
    }

    /// Has an edit made elsewhere that is about to be made here, in memory alone; [`Workspace::edit`] does so by itself.
    ///
    /// # Errors
    /// When it passes a bound, or as the system says.
    pub fn try_elsewhere(
        &self,
        path: &RelPath,
        tracking: Tracking,
        work: &EditWork<'_>,
    ) -> Result<(), Error> {
        let EditWork::Operations { batch, options } = work else { return Ok(()) };
        if !self.isolation.has_runner() {
            return Ok(());
        }
        let document = self.read(path)?.unwrap_or_default();
        let own = self.store.written()?.own_of(&sha256_of(&document));
        self.isolation.try_edit(path.as_str(), || {
            let parsed = parse_batch(batch).unwrap_or_default();
            let (names, files): (Vec<String>, Vec<Vec<u8>>) =
                self.pictures(&parsed.operations).into_iter().unzip();
            let job = EditJob {
                batch: (*batch).clone(),
                author: options.author.clone(),
                date: options.date.clone(),
                own,
                untracked: tracking == Tracking::Untracked,
                files: names,
            };
            (job, std::iter::once(document).chain(files).collect())
        })
    }

    /// What is known of documents that stand where `files` do, for the model that edits them; empty when nothing is. Blocks.
    #[must_use]
    pub fn lessons<'f>(&self, files: impl IntoIterator<Item = &'f RelPath>) -> String {
        let Some(listened) = &self.listened else { return String::new() };
        let folders: BTreeSet<PathBuf> = files
            .into_iter()
            .map(|file| {
                file.parent().map_or(listened.base.clone(), |parent| listened.base.join(parent.as_str()))
            })
            .collect();
        let of_each = folders.iter().take(FOLDERS).map(|folder| listened.listener.lessons(folder));
        of_each.filter(|lessons| !lessons.is_empty()).collect::<Vec<_>>().join("\n")
    }

    /// Tells the one who listens what was written.
    fn tell(&self, path: &RelPath, document: &WordDocument, bytes: &[u8]) {
        let Some(folder) = &self.listened else { return };
        let Ok(own) = document.own_record(Tracking::Tracked) else { return };
        let authors: Vec<String> = own.authors().map(str::to_owned).collect();
        let path = folder.base.join(path.as_str());
        folder.listener.delivered(&WrittenDocument { path: &path, authors: &authors, bytes });
    }

    /// What records call the document.
    fn source_of(&self, path: &RelPath) -> String {
        let named = self.only.as_ref().and_then(|only| only.named.as_ref());
        named.map_or_else(|| path.as_str().to_owned(), |named| named.display().to_string())
    }

    /// Puts a changed document in the place of the one it was made from; gives the checkpoint.
    fn replace(&self, path: &RelPath, sha256: Option<&str>, bytes: &[u8]) -> Result<Option<String>, Error> {
        let checkpoint = self.keep(path)?;
        let precondition =
            sha256.map_or(Precondition::Absent, |sha256| Precondition::Sha256(sha256.to_owned()));
        match self.files.write(path, bytes, &precondition) {
            Ok(_) => Ok(checkpoint),
            Err(FileError::TargetChanged { .. } | FileError::TargetMissing { .. }) => {
                Err(Error::Changed { file: path.as_str().to_owned() })
            }
            Err(error) => Err(error.into()),
        }
    }

    /// The checkpoints of a document, oldest first.
    ///
    /// # Errors
    /// As the system says.
    pub fn checkpoints(&self, path: &RelPath) -> Result<Vec<Checkpoint>, Error> {
        self.store.of_file(path)?.list()
    }

    /// The bytes of a checkpoint of a document.
    ///
    /// # Errors
    /// When there is no such checkpoint, or it is damaged.
    pub fn earlier(&self, path: &RelPath, id: &str) -> Result<Vec<u8>, Error> {
        let known = self.store.of_file(path)?;
        known.read(&known.find(id)?)
    }

    /// Forgets for good what a document was, all of it; gives how many checkpoints that were. The document stays as it is.
    ///
    /// # Errors
    /// When somebody else writes the document, or as the system says.
    pub fn forget(&self, path: &RelPath) -> Result<usize, Error> {
        let _lock = self.lock(path)?;
        self.store.of_file(path)?.forget_before(Millis::MAX)
    }

    /// Forgets for good what documents were before the moment `before`, those that were removed, too; gives how much was forgotten.
    ///
    /// # Errors
    /// As the system says.
    pub fn forget_before(&self, before: Millis) -> Result<usize, Error> {
        self.store.forget_before(before)
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
    ) -> Result<WrittenFile, Error> {
        let _lock = self.lock(path)?;
        let mut known = self.store.of_file(path)?;
        let bytes = known.read(&known.find(id)?)?;
        self.keep_in(&mut known, path)?;
        Ok(self.files.write(path, bytes.as_slice(), precondition)?)
    }

    /// What [`Workspace::restore`] would take from a document and give back.
    ///
    /// # Errors
    /// When there is no such checkpoint or file, or one of them is no document.
    pub fn losses(&self, path: &RelPath, id: &str) -> Result<Losses, Error> {
        let known = self.store.of_file(path)?;
        let then = known.read(&known.find(id)?)?;
        let now = self.read(path)?;
        let now = now.ok_or_else(|| FileError::TargetMissing { path: path.as_str().to_owned() })?;
        self.isolation.losses(path.as_str(), &now, &then)
    }

    /// Keeps what is there as a checkpoint.
    fn keep(&self, path: &RelPath) -> Result<Option<String>, Error> {
        self.keep_in(&mut self.store.of_file(path)?, path)
    }

    fn keep_in(&self, known: &mut Checkpoints, path: &RelPath) -> Result<Option<String>, Error> {
        let limit = Limits::default().package.max_file_bytes;
        let Some((bytes, _)) = self.files.read(path, limit)? else { return Ok(None) };
        Ok(Some(known.save(&bytes, None, &*self.clock)?.id))
    }

    fn lock(&self, path: &RelPath) -> Result<LockGuard, Error> {
        let key = self.files.lock_key(path);
        let tries = PATIENCE.as_millis() / PAUSE.as_millis();
        for _ in 0..tries {
            if let Some(guard) = self.locks.lock(&key) {
                return Ok(guard);
            }
            std::thread::sleep(PAUSE);
        }
        Err(Error::Busy { file: path.as_str().to_owned() })
    }
}

/// Whether a file is the workspace's own.
fn is_own(path: &RelPath) -> bool {
    path.components().next().is_some_and(|first| first.eq_ignore_ascii_case(OWN_FOLDER))
}
