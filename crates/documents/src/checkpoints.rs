//! States of documents that can be gone back to, kept apart from the documents.
//!
//! A checkpoint is a list of pieces, each kept once under its hash: what an edit leaves alone costs nothing. Must never give
//! a number twice, remove a piece that a checkpoint needs, or mix the checkpoints of two documents.
//!
//! | Place | What it holds |
//! |---|---|
//! | `KEY/lists/NUMBER.json` | one checkpoint: name, moment, size, SHA-256, pieces |
//! | `KEY/pieces/SHA256` | bytes that checkpoints share |
//! | `KEY/last` | the number of the last one that was forgotten, so that no number is given twice |
//! | `KEY/lock` | the lock of the process that works on them |
//! | `written/…` | what was written, by hash ([`crate::written`]) |
//! | `PATH/MOMENT-SHA256` | a whole document, as version 0.1.0 kept those of workspaces and chats; read, and pruned like the others |

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;

use engross_docx::{Package, PackageLimits as Limits};
use engross_protocol::{Clock, FixedClock, InvalidDate, Timestamp, hex};
use engross_store::Millis;
use engross_store::files::{FileError, Folder, FolderLock, Precondition, RelPath, Root};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::Error;
use crate::written::WrittenFiles;

/// How many are kept of each document.
const KEPT: usize = 100;

/// How many bytes are kept of each document; the newest checkpoint is kept whatever its size.
const KEPT_BYTES: u64 = 256 << 20;

/// Bytes of a largest list of pieces.
const LIST_BYTES: u64 = 16 << 20;

/// Bytes below which entries of a package share a piece: a file of its own would cost more than it saves.
const SMALL: usize = 4 << 10;

/// The folder of a workspace's checkpoints that no path of a document leads to.
const APART: &str = ".engross";

/// Digits of a document's key.
const KEY: usize = 32;

/// Where the number of the last one that was forgotten is.
const LAST: &str = "last";

/// How long another process is waited for, and how often it is looked whether it is done.
const PATIENCE: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(10);

/// A document as it once was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkpoint {
    /// Names it among those of its document; greater is later.
    pub id: String,
    /// Counted from 1; greater is later. No number is given twice. 0 for a whole file of version 0.1.0.
    pub number: u64,
    /// What a person called it; nothing for one that was made before a change.
    pub name: Option<String>,
    /// When it was made.
    pub at: Timestamp,
    /// The same in milliseconds since 1970, UTC. No two of a document have the same.
    pub millis: u64,
    /// Bytes of the document.
    pub size: u64,
    /// SHA-256 of the document; its first twelve digits for a whole file of version 0.1.0.
    pub sha256: String,
    /// Its pieces in order, hash and size of each; none for a whole file.
    pieces: Vec<(String, u64)>,
}

/// A checkpoint as it is kept.
#[derive(Serialize, Deserialize)]
struct Record {
    id: u64,
    name: Option<String>,
    at: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    millis: Option<u64>,
    size: u64,
    sha256: String,
    pieces: Vec<(String, u64)>,
}

/// The checkpoints of many documents. Cheap to clone.
#[derive(Debug, Clone)]
pub struct CheckpointStore {
    folder: Folder,
    /// What comes before a document's key in `folder`.
    apart: Option<RelPath>,
    /// The folder that paths of documents are beneath, where they are known by their absolute ones.
    base: Option<PathBuf>,
    /// Where whole files of version 0.1.0 are.
    whole: Option<Folder>,
}

impl CheckpointStore {
    /// Those of documents that are known by their absolute paths, in the folder `data`.
    ///
    /// # Errors
    /// As the system says.
    pub fn in_data(data: &Path) -> Result<Self, FileError> {
        let folder = Root::open(&data.join("documents"))?.top();
        Ok(Self { folder, apart: None, base: None, whole: None })
    }

    /// The same for paths beneath the absolute path `base`. Whole files of version 0.1.0 are in `whole`, if there are any.
    #[must_use]
    pub fn beneath(self, base: PathBuf, whole: Option<Folder>) -> Self {
        Self { base: Some(base), whole, ..self }
    }

    /// Those of documents that are known by their paths in a workspace, in its own `folder` for them.
    ///
    /// # Errors
    /// None on any system that takes names with a dot at their beginning.
    pub fn of_workspace(folder: Folder) -> Result<Self, FileError> {
        let whole = Some(folder.clone());
        Ok(Self { folder, apart: Some(RelPath::parse(APART)?), base: None, whole })
    }

    /// What was written, kept beside the checkpoints.
    pub(crate) fn written(&self) -> Result<WrittenFiles, FileError> {
        let place = RelPath::parse("written")?;
        let place = self.apart.as_ref().map_or_else(|| Ok(place.clone()), |apart| apart.join(&place))?;
        Ok(WrittenFiles::new(self.folder.clone(), place))
    }

    /// The checkpoints of the document at the absolute path `document`.
    ///
    /// # Errors
    /// [`Error::Busy`] while another process works on them, else as the system says. Blocks.
    pub fn of_path(&self, document: &Path) -> Result<Checkpoints, Error> {
        self.open(document.as_os_str().as_encoded_bytes(), document.display().to_string(), None)
    }

    /// The checkpoints of the document at `path` of the workspace.
    ///
    /// # Errors
    /// As [`CheckpointStore::of_path`].
    pub fn of_file(&self, path: &RelPath) -> Result<Checkpoints, Error> {
        let whole = self.whole.clone().map(|folder| (folder, path.clone()));
        match &self.base {
            Some(base) => {
                let document = base.join(path.as_str());
                self.open(document.as_os_str().as_encoded_bytes(), path.to_string(), whole)
            }
            None => self.open(path.as_str().as_bytes(), path.to_string(), whole),
        }
    }

    /// Forgets what documents were before the moment `before`, those that are gone by now, too, and what is recorded of files that were
    /// written before it. Gives how many checkpoints and records are gone. Blocks.
    ///
    /// # Errors
    /// As the system says. What somebody works on stays for now.
    pub fn forget_before(&self, before: Millis) -> Result<usize, Error> {
        let mut gone = self.written()?.forget_before(before)?;
        let place = match &self.apart {
            Some(apart) => self.folder.folder(apart)?,
            None => Some(self.folder.clone()),
        };
        for listed in place.map(|place| place.folders()).transpose()?.unwrap_or_default() {
            if !is_key(listed.path.as_str()) {
                continue;
            }
            let place = match &self.apart {
                Some(apart) => apart.join(&listed.path)?,
                None => listed.path,
            };
            let Some(folder) = self.folder.folder(&place)? else { continue };
            let file = place.to_string();
            let mut opened =
                Checkpoints { parent: self.folder.clone(), place, open: None, whole: None, file };
            if let Some(lock) = folder.lock()? {
                opened.open = Some((folder, lock));
                gone += opened.forget_before(before)?;
            }
        }
        let Some(whole) = &self.whole else { return Ok(gone) };
        for path in files(whole, "")? {
            let moment = path.name().split_once('-').and_then(|(millis, _)| millis.parse::<Millis>().ok());
            let is_apart =
                self.apart.as_ref().is_some_and(|apart| path.components().next() == Some(apart.as_str()));
            if !is_apart && moment.is_some_and(|moment| moment < before) {
                gone += usize::from(whole.remove(&path, &Precondition::Any)?);
            }
        }
        Ok(gone)
    }

    fn open(&self, key: &[u8], file: String, whole: Option<(Folder, RelPath)>) -> Result<Checkpoints, Error> {
        let key = sha256_of(key);
        let key = RelPath::parse(key.get(..KEY).unwrap_or(&key))?;
        let place = self.apart.as_ref().map_or_else(|| Ok(key.clone()), |apart| apart.join(&key))?;
        let mut opened = Checkpoints { parent: self.folder.clone(), place, open: None, whole, file };
        if let Some(folder) = opened.parent.folder(&opened.place)? {
            opened.lock(folder)?;
        }
        Ok(opened)
    }
}

/// The checkpoints of one document. No other process changes them meanwhile.
pub struct Checkpoints {
    parent: Folder,
    place: RelPath,
    /// Their folder with its lock; none before the first is made.
    open: Option<(Folder, FolderLock)>,
    whole: Option<(Folder, RelPath)>,
    /// The document, for errors.
    file: String,
}

impl Checkpoints {
    /// All of them, oldest first.
    ///
    /// # Errors
    /// [`Error::CheckpointDamaged`], else as the system says.
    pub fn list(&self) -> Result<Vec<Checkpoint>, Error> {
        let mut known = self.whole_files()?;
        let Some((folder, _)) = &self.open else { return Ok(known) };
        let mut listed: Vec<Record> = Vec::new();
        for path in files(folder, "lists/")? {
            let Some((bytes, _)) = folder.read(&path, LIST_BYTES)? else { continue };
            let record = serde_json::from_slice(&bytes);
            listed.push(record.map_err(|error| damaged(path.as_str(), &error.to_string()))?);
        }
        listed.sort_by_key(|record| record.id);
        for record in listed {
            let earliest = known.last().map_or(0, |before| before.millis + 1);
            let broken = |error: InvalidDate| damaged(&record.id.to_string(), &error.to_string());
            known.push(record.checkpoint(earliest).map_err(broken)?);
        }
        Ok(known)
    }

    /// The checkpoint `id`.
    ///
    /// # Errors
    /// [`Error::CheckpointUnknown`], else as [`Checkpoints::list`].
    pub fn find(&self, id: &str) -> Result<Checkpoint, Error> {
        let found = self.list()?.into_iter().find(|checkpoint| checkpoint.id == id);
        found.ok_or_else(|| Error::CheckpointUnknown {
            file: self.file.clone(),
            id: id.chars().take(80).collect(),
        })
    }

    /// Keeps `bytes`. Without a name, what is the same as the newest is not kept again.
    ///
    /// # Errors
    /// As [`Checkpoints::list`]; nothing is kept then.
    pub fn save(&mut self, bytes: &[u8], name: Option<&str>, clock: &dyn Clock) -> Result<Checkpoint, Error> {
        let known = self.list()?;
        let sha256 = sha256_of(bytes);
        let is_same = |newest: &&Checkpoint| name.is_none() && sha256.starts_with(&newest.sha256);
        if let Some(newest) = known.last().filter(is_same) {
            return Ok(newest.clone());
        }
        if self.open.is_none() {
            let folder = self.parent.make_folder(&self.place)?;
            self.lock(folder)?;
        }
        let Some((folder, lock)) = &self.open else { return Err(self.busy()) };
        let mut pieces = Vec::new();
        for range in cut(bytes) {
            let piece = bytes.get(range).unwrap_or_default();
            let hash = sha256_of(piece);
            let path = piece_path(&hash)?;
            if folder.info(&path)?.is_none_or(|info| info.size != piece.len() as u64) {
                folder.write(&path, piece, &Precondition::Any)?;
            }
            pieces.push((hash, piece.len() as u64));
        }
        let earliest = known.last().map_or(0, |newest| newest.millis + 1);
        let forgotten = folder.read(&RelPath::parse(LAST)?, 32)?.map(|(bytes, _)| bytes).unwrap_or_default();
        let forgotten =
            std::str::from_utf8(&forgotten).ok().and_then(|number| number.parse().ok()).unwrap_or(0);
        let record = Record {
            id: known.last().map_or(0, |newest| newest.number).max(forgotten) + 1,
            name: name.map(str::to_owned),
            at: clock.now().to_string(),
            // Two in one millisecond, or a clock that was set back, must not shuffle their order.
            millis: Some(clock.millis().max(earliest)),
            size: bytes.len() as u64,
            sha256,
            pieces,
        };
        let broken = |reason: String| damaged("lists", &reason);
        let text = serde_json::to_vec(&record).map_err(|error| broken(error.to_string()))?;
        let made = record.checkpoint(earliest).map_err(|error| broken(error.to_string()))?;
        folder.write(&list_path(made.number)?, text.as_slice(), &Precondition::Absent)?;
        self.prune(folder, lock, known.into_iter().chain([made.clone()]).collect())?;
        Ok(made)
    }

    /// The bytes of a checkpoint, checked against their hash.
    ///
    /// # Errors
    /// [`Error::CheckpointDamaged`], else as the system says.
    pub fn read(&self, checkpoint: &Checkpoint) -> Result<Vec<u8>, Error> {
        let missing = || damaged(&checkpoint.shown(), "a piece of it is missing");
        let mut bytes = Vec::new();
        match (&self.open, &self.whole) {
            (_, Some((folder, file))) if checkpoint.is_whole() => {
                let path = file.join(&RelPath::parse(&checkpoint.id)?)?;
                bytes = folder.read(&path, checkpoint.size)?.ok_or_else(missing)?.0;
            }
            (Some((folder, _)), _) => {
                for (hash, size) in &checkpoint.pieces {
                    let (piece, _) = folder.read(&piece_path(hash)?, *size)?.ok_or_else(missing)?;
                    bytes.extend_from_slice(&piece);
                }
            }
            _ => return Err(missing()),
        }
        if !sha256_of(&bytes).starts_with(&checkpoint.sha256) {
            return Err(damaged(&checkpoint.shown(), "its bytes are not those that were kept"));
        }
        Ok(bytes)
    }

    /// Forgets those that were made before the moment `before`, the newest, too; gives how many.
    ///
    /// # Errors
    /// As [`Checkpoints::list`]; some may be gone then.
    pub fn forget_before(&mut self, before: Millis) -> Result<usize, Error> {
        let (old, kept): (Vec<Checkpoint>, Vec<Checkpoint>) =
            self.list()?.into_iter().partition(|checkpoint| checkpoint.millis < before);
        if let (Some((folder, _)), Some(last)) = (&self.open, old.last()) {
            folder.write(&RelPath::parse(LAST)?, last.number.to_string().as_bytes(), &Precondition::Any)?;
        }
        for checkpoint in &old {
            self.remove(checkpoint)?;
        }
        // What a process that was killed has left is gone, too.
        if let Some((folder, lock)) = &self.open {
            remove_unneeded(folder, lock, &kept)?;
        }
        Ok(old.len())
    }

    fn remove(&self, checkpoint: &Checkpoint) -> Result<(), Error> {
        match (&self.open, &self.whole) {
            (_, Some((whole, file))) if checkpoint.is_whole() => {
                whole.remove(&file.join(&RelPath::parse(&checkpoint.id)?)?, &Precondition::Any)?;
            }
            (Some((folder, _)), _) => {
                folder.remove(&list_path(checkpoint.number)?, &Precondition::Any)?;
            }
            _ => {}
        }
        Ok(())
    }

    /// Removes the oldest until the rest is within bounds, then pieces that none of the rest needs.
    fn prune(&self, folder: &Folder, lock: &FolderLock, mut known: Vec<Checkpoint>) -> Result<(), Error> {
        let is_too_much = |known: &[Checkpoint]| {
            let whole: u64 = known.iter().filter(|one| one.is_whole()).map(|one| one.size).sum();
            let shared: u64 = pieces(known).iter().map(|(_, size)| size).sum();
            known.len() > KEPT || whole + shared > KEPT_BYTES
        };
        let mut has_pruned = false;
        while known.len() > 1 && is_too_much(&known) {
            let oldest = known.remove(0);
            self.remove(&oldest)?;
            has_pruned |= !oldest.is_whole();
        }
        if has_pruned { remove_unneeded(folder, lock, &known) } else { Ok(()) }
    }

    /// The whole files of version 0.1.0, oldest first.
    fn whole_files(&self) -> Result<Vec<Checkpoint>, Error> {
        let Some((folder, file)) = &self.whole else { return Ok(Vec::new()) };
        let Some(folder) = folder.folder(file)? else { return Ok(Vec::new()) };
        let mut found = Vec::new();
        let mut after: Option<RelPath> = None;
        loop {
            let page = folder.list("", after.as_ref(), 1000)?;
            for listed in &page.files {
                let id = listed.path.as_str();
                // Beneath are those of documents in a folder of this name.
                if let Some((millis, hash)) = id.split_once('-').filter(|_| !id.contains('/'))
                    && let Ok(millis) = millis.parse()
                {
                    found.push(Checkpoint {
                        id: id.to_owned(),
                        number: 0,
                        name: None,
                        at: Timestamp::from_millis(millis),
                        millis,
                        size: listed.info.size,
                        sha256: hash.to_owned(),
                        pieces: Vec::new(),
                    });
                }
            }
            match page.files.last() {
                Some(last) if page.more => after = Some(last.path.clone()),
                _ => return Ok(found),
            }
        }
    }

    fn lock(&mut self, folder: Folder) -> Result<(), Error> {
        for _ in 0..PATIENCE.as_millis() / PAUSE.as_millis() {
            if let Some(lock) = folder.lock()? {
                self.open = Some((folder, lock));
                return Ok(());
            }
            std::thread::sleep(PAUSE);
        }
        Err(self.busy())
    }

    fn busy(&self) -> Error {
        Error::Busy { file: self.file.clone() }
    }
}

impl Checkpoint {
    fn is_whole(&self) -> bool {
        self.number == 0
    }

    /// How errors name it.
    fn shown(&self) -> String {
        if self.is_whole() { self.id.clone() } else { self.number.to_string() }
    }
}

impl Record {
    /// It as one that was made at `earliest` or later. The command line of version 0.1.0 noted whole seconds only.
    fn checkpoint(&self, earliest: u64) -> Result<Checkpoint, InvalidDate> {
        let at: Timestamp = self.at.parse()?;
        let millis = self.millis.unwrap_or_else(|| FixedClock(at).millis()).max(earliest);
        let short = self.sha256.get(..12).unwrap_or(&self.sha256);
        Ok(Checkpoint {
            id: format!("{millis:015}-{short}"),
            number: self.id,
            name: self.name.clone(),
            at,
            millis,
            size: self.size,
            sha256: self.sha256.clone(),
            pieces: self.pieces.clone(),
        })
    }
}

/// The pieces of checkpoints, with their sizes.
fn pieces(known: &[Checkpoint]) -> BTreeSet<(String, u64)> {
    known.iter().flat_map(|checkpoint| checkpoint.pieces.iter().cloned()).collect()
}

/// Removes the pieces that none of `kept` needs. Without a lock another process may just have kept a piece for its own list: then all stay.
fn remove_unneeded(folder: &Folder, lock: &FolderLock, kept: &[Checkpoint]) -> Result<(), Error> {
    if !lock.is_exclusive() {
        return Ok(());
    }
    let needed: BTreeSet<String> = pieces(kept).into_iter().map(|(hash, _)| hash).collect();
    for path in files(folder, "pieces/")? {
        if !needed.contains(path.name()) {
            folder.remove(&path, &Precondition::Any)?;
        }
    }
    Ok(())
}

/// Whether a folder is that of one document's checkpoints.
fn is_key(name: &str) -> bool {
    name.len() == KEY && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Where a document is cut: at the entries of its package, small neighbours together, the directory at its end apart. What is
/// no package is one piece.
fn cut(bytes: &[u8]) -> Vec<Range<usize>> {
    let entries = Package::open(bytes.to_vec(), &Limits::default()).map(|package| package.pieces());
    let Ok(mut entries) = entries else { return std::iter::once(0..bytes.len()).collect() };
    let directory = entries.pop();
    let mut pieces: Vec<Range<usize>> = Vec::new();
    for entry in entries {
        match pieces.last_mut() {
            Some(last) if last.len() < SMALL && entry.len() < SMALL => last.end = entry.end,
            _ => pieces.push(entry),
        }
    }
    pieces.extend(directory);
    pieces
}

fn files(folder: &Folder, place: &str) -> Result<Vec<RelPath>, FileError> {
    let mut found: Vec<RelPath> = Vec::new();
    loop {
        let page = folder.list(place, found.last(), 1000)?;
        found.extend(page.files.into_iter().map(|listed| listed.path));
        if !page.more {
            return Ok(found);
        }
    }
}

fn list_path(number: u64) -> Result<RelPath, FileError> {
    RelPath::parse(&format!("lists/{number:010}.json"))
}

fn piece_path(hash: &str) -> Result<RelPath, FileError> {
    RelPath::parse(&format!("pieces/{hash}"))
}

fn damaged(id: &str, reason: &str) -> Error {
    Error::CheckpointDamaged { id: id.to_owned(), reason: reason.to_owned() }
}

/// SHA-256 in lower-case hexadecimal digits.
pub(crate) fn sha256_of(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}
