//! The files of one owner as this node keeps them elsewhere, from the opening on.
//!
//! Must never tell that something is kept before its row is written, and never write a row of bytes that are not sent.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use futures_util::{StreamExt, TryStreamExt};
use sha2::{Digest, Sha256};
use tokio::sync::Notify;
use tokio::task::JoinSet;

use super::error::MirrorError;
use super::known::{KnownFiles, Plan, both, is_beneath, next_part};
use super::opening::{KeptNote, LocalNote, StandbyFiles};
use super::parts::{MirrorParts, holder};
use super::reading::{FileSource, ReadingThread};
use super::table::{FileContent, FilePart, FileRow, FileTerm};
use super::useless::UselessObjects;
use crate::Millis;
use crate::blobs::Blobs;
use crate::files::{FileChange, FileError, FileMirror, Folder, OnDisk, Stamp};

/// How many files are sent at once.
const AT_ONCE: usize = 8;

/// How many rows are written at once of what was found.
const ROWS: usize = 500;

/// How long it waits before it tries again.
pub(super) const RETRY: Duration = Duration::from_millis(200);

/// How long it may fail before nothing more is changed.
const LAG: Duration = Duration::from_secs(2);

/// How long somebody waits for what they have changed.
const PATIENCE: Duration = Duration::from_secs(60);

/// How long the last look may take.
const LAST_LOOK: Duration = Duration::from_secs(10);

/// The files of one owner as this node keeps them elsewhere.
#[derive(Debug)]
pub struct OwnerMirror {
    pub(super) keeping: Arc<Keeping>,
    working: Mutex<JoinSet<()>>,
    /// How many files came from elsewhere, and how many were set aside.
    pub fetched: usize,
    /// Files that somebody had put here while they were at other nodes.
    pub set_aside: usize,
}

/// What the tasks share.
pub(super) struct Keeping {
    pub(super) parts: MirrorParts,
    pub(super) term: u64,
    /// What tells the owner's rows from those of another table.
    pub(super) id: String,
    own: Arc<dyn Blobs>,
    pub(super) known: Mutex<KnownFiles>,
    state: Mutex<State>,
    kept: Condvar,
    news: Notify,
    /// While something is sent, and while something is removed.
    pub(super) sending: tokio::sync::Mutex<()>,
    pub(super) reading: ReadingThread,
    pub(super) note: LocalNote,
    pub(super) useless: Mutex<UselessObjects>,
}

#[derive(Debug, Default)]
pub(super) struct State {
    /// What was told and is not kept.
    pending: BTreeMap<String, FileChange>,
    noted: u64,
    kept: u64,
    /// The number of the last change of rows.
    changes: u64,
    /// What was found and cannot be read, and why: it is not kept.
    pub(super) unreadable: BTreeMap<String, String>,
    /// Whether another node has them.
    pub(super) is_over: bool,
    failing_since: Option<Instant>,
    /// Whether somebody was refused because storage was away: what that one has in memory may not be what is stored.
    has_refused: bool,
}

/// What was found at a path, and sent.
enum FoundFile {
    Same,
    Gone,
    Folder,
    File(FileRow, Stamp),
}

impl std::fmt::Debug for Keeping {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Keeping").field("owner", &self.parts.owner).field("term", &self.term).finish()
    }
}

impl OwnerMirror {
    /// Begins a term, and makes the folders what the table says. What is in them when the table has nothing is kept from then on.
    /// `standby` is what this node has fetched before. Within a tokio runtime.
    ///
    /// # Errors
    /// [`MirrorError::Over`] when the owner's home is not the holder's; [`MirrorError::Missing`]; else as table, storage and disk say.
    pub async fn open(parts: MirrorParts, standby: StandbyFiles) -> Result<Self, MirrorError> {
        let over = || MirrorError::Over { owner: parts.owner.clone() };
        let term = parts.table.begin(&parts.owner, &parts.holder).await?.ok_or_else(over)?;
        let (rows, _) = parts.table.rows(&parts.owner, 0).await?;
        let note = LocalNote::of(&parts);
        let restored = super::opening::restore(&parts, &term, rows, &note, standby).await?;
        let own = parts.blobs.held_by(&holder(&parts.owner, &term.id, term.number));
        let reading = ReadingThread::start().map_err(|error| {
            let problem = format!("there is no room for a thread: {error}");
            MirrorError::Disk(FileError::Unreadable { path: ".".to_owned(), reason: problem })
        })?;
        let FileTerm { number: term, id, changes, is_whole } = term;
        let state = Mutex::new(State { changes, ..State::default() });
        let (kept, news) = (Condvar::new(), Notify::new());
        let (known, sending) = (Mutex::new(restored.known), tokio::sync::Mutex::default());
        let useless = Mutex::default();
        let keeping = Arc::new(Keeping {
            parts,
            term,
            id,
            own,
            known,
            state,
            kept,
            news,
            sending,
            reading,
            note,
            useless,
        });
        if let Some(adopted) = restored.adopted {
            keeping.take_in(adopted, is_whole).await?;
        }
        let mut working = JoinSet::new();
        let (keeper, looker) = (Arc::clone(&keeping), Arc::clone(&keeping));
        working.spawn(async move { keeper.work().await });
        working.spawn(async move { looker.look_around().await });
        let (fetched, set_aside) = (restored.fetched, restored.set_aside);
        Ok(Self { keeping, working: Mutex::new(working), fetched, set_aside })
    }

    /// Keeps what was told so far and what others have put here since the last look, as far as that is possible, and then nothing more.
    pub async fn close(&self) {
        let at = self.keeping.parts.clock.millis();
        let is_over = self.keeping.lock().is_over;
        let last = match is_over {
            true => None,
            false => tokio::time::timeout(LAST_LOOK, self.keeping.look()).await.ok().flatten(),
        };
        let number = last.unwrap_or_else(|| self.keeping.lock().noted);
        let waited = async {
            while !self.keeping.is_settled(number) {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        let _ = tokio::time::timeout(LAG, waited).await;
        self.working.lock().unwrap_or_else(PoisonError::into_inner).abort_all();
        let note = self.keeping.note_at(at);
        let mut state = self.keeping.lock();
        if state.kept < state.noted {
            tracing::warn!(owner = self.keeping.parts.owner, "not all files are kept elsewhere");
        } else if last.is_some() && state.unreadable.is_empty() && !state.is_over {
            self.keeping.note.write(&note);
        }
        state.is_over = true;
        self.keeping.kept.notify_all();
    }

    /// Whether another node has the files by now.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.keeping.lock().is_over
    }
}

impl FileMirror for OwnerMirror {
    fn changed(&self, changes: &[(String, FileChange)]) -> u64 {
        self.keeping.take_note(changes)
    }

    fn keeps_up(&self) -> bool {
        let mut state = self.keeping.lock();
        let keeps_up = !state.is_over && state.failing_since.is_none_or(|since| since.elapsed() < LAG);
        state.has_refused |= !keeps_up;
        keeps_up
    }

    fn is_kept(&self, number: u64) -> bool {
        self.keeping.wait(number)
    }

    fn look_beneath(&self, folder: &str) -> Result<bool, FileError> {
        let number = self.keeping.look_at(folder);
        if !self.keeping.wait(number) {
            return Ok(false);
        }
        let state = self.keeping.lock();
        match state.unreadable.iter().find(|(path, _)| is_beneath(path, folder) || is_beneath(folder, path)) {
            Some((path, reason)) => {
                let path = path.split_once('/').map_or(".", |(_, path)| path).to_owned();
                Err(FileError::Unreadable { path, reason: reason.clone() })
            }
            None => Ok(true),
        }
    }
}

impl Drop for OwnerMirror {
    fn drop(&mut self) {
        self.keeping.end();
    }
}

impl Keeping {
    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn known(&self) -> MutexGuard<'_, KnownFiles> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn note_unreadable(&self, path: &str, reason: &str) {
        if self.lock().unreadable.insert(path.to_owned(), reason.to_owned()).is_none() {
            tracing::warn!(
                owner = self.parts.owner,
                "'{}' is not kept elsewhere: {reason}",
                path.escape_debug()
            );
        }
    }

    pub(super) fn take_note(&self, changes: &[(String, FileChange)]) -> u64 {
        let mut state = self.lock();
        if changes.is_empty() {
            return state.noted;
        }
        for (path, change) in changes {
            let noted = state.pending.entry(path.clone()).or_insert(*change);
            *noted = both(*noted, *change);
        }
        state.noted += 1;
        self.news.notify_one();
        state.noted
    }

    /// What is noted when all that was there at a moment is kept.
    pub(super) fn note_at(&self, at: Millis) -> KeptNote {
        KeptNote { at, id: self.id.clone(), term: self.term, changes: self.lock().changes }
    }

    pub(super) fn is_settled(&self, number: u64) -> bool {
        let state = self.lock();
        state.is_over || state.kept >= number
    }

    /// Waits until it is kept. Blocks.
    fn wait(&self, number: u64) -> bool {
        let state = self.lock();
        let waits = |state: &mut State| !state.is_over && state.kept < number;
        let (mut state, _) =
            self.kept.wait_timeout_while(state, PATIENCE, waits).unwrap_or_else(PoisonError::into_inner);
        let is_kept = state.kept >= number;
        state.has_refused |= !is_kept;
        is_kept
    }

    fn end(&self) {
        self.lock().is_over = true;
        self.kept.notify_all();
    }

    /// Keeps what is told, again and again until the term is over.
    async fn work(&self) {
        let mut batch = BTreeMap::new();
        loop {
            let number = {
                let mut state = self.lock();
                for (path, change) in std::mem::take(&mut state.pending) {
                    let noted = batch.entry(path).or_insert(change);
                    *noted = both(*noted, change);
                }
                state.noted
            };
            if batch.is_empty() {
                self.news.notified().await;
                continue;
            }
            match self.keep(batch.iter().map(|(path, change)| (path.clone(), *change)).collect()).await {
                Ok(()) => {
                    batch.clear();
                    let mut state = self.lock();
                    state.kept = number;
                    state.failing_since = None;
                    if std::mem::take(&mut state.has_refused) {
                        self.parts.fence.note_refusal();
                    }
                    self.kept.notify_all();
                }
                Err(MirrorError::Over { .. }) => {
                    // The home may still be this node's, and then it is to be opened anew.
                    self.parts.fence.note_refusal();
                    return self.end();
                }
                Err(error) => {
                    let (is_news, is_long) = {
                        let mut state = self.lock();
                        let is_news = state.failing_since.is_none();
                        let since = *state.failing_since.get_or_insert_with(Instant::now);
                        (is_news, since.elapsed() >= LAG)
                    };
                    if is_long && matches!(error, MirrorError::Disk(_)) {
                        // No waiting mends this disk: an opening gives back the rights on what is ours.
                        self.parts.fence.note_refusal();
                    }
                    if is_news {
                        tracing::warn!(code = error.code(), "files are not kept elsewhere: {error}");
                    }
                    tokio::time::sleep(RETRY).await;
                }
            }
        }
    }

    /// Keeps for the first time what is in the folders: wholly, or nobody has a part of it for all.
    async fn take_in(&self, adopted: Vec<(String, FileChange)>, is_whole: bool) -> Result<(), MirrorError> {
        let MirrorParts { owner, table, .. } = &self.parts;
        if adopted.is_empty() && is_whole {
            return Ok(());
        }
        let over = || MirrorError::Over { owner: owner.clone() };
        if is_whole && !table.note_whole(owner, self.term, false).await? {
            return Err(over());
        }
        self.keep(adopted).await?;
        if !table.note_whole(owner, self.term, true).await? {
            return Err(over());
        }
        // It has come to its end; when all was kept is for the next look to say.
        self.note.write(&self.note_at(1));
        Ok(())
    }

    /// Keeps what is at these paths now. What was told is in one change, since some of it is to be seen together; what was found may be in
    /// several.
    async fn keep(&self, batch: Vec<(String, FileChange)>) -> Result<(), MirrorError> {
        let (found, told): (Vec<_>, Vec<_>) =
            batch.into_iter().partition(|(_, change)| *change == FileChange::Found);
        for some in std::iter::once(&*told).chain(found.chunks(ROWS)).filter(|some| !some.is_empty()) {
            // Nothing is removed meanwhile that is found to be there.
            let _sending = self.sending.lock().await;
            let found = futures_util::stream::iter(some.iter().cloned().map(|(path, change)| async move {
                match self.send(&path, change).await {
                    Ok(found) => {
                        self.lock().unreadable.remove(&path);
                        Ok((path, found))
                    }
                    // One of a program's that cannot be read is no reason not to keep the others; somebody is told of their own.
                    Err(MirrorError::Disk(error)) if change == FileChange::Found => {
                        self.note_unreadable(&path, &error.to_string());
                        Ok((path, FoundFile::Same))
                    }
                    Err(error) => Err(error),
                }
            }));
            let found: Vec<(String, FoundFile)> = found.buffer_unordered(AT_ONCE).try_collect().await?;
            let (mut put, mut remove) = (Vec::new(), Vec::new());
            for (path, found) in found {
                match found {
                    FoundFile::Same => {}
                    FoundFile::Gone => remove.extend(self.known().beneath(&path)),
                    FoundFile::Folder => {
                        let row = FileRow { path, mode: 0, modified: 0, content: FileContent::Folder };
                        put.push((row, None));
                    }
                    FoundFile::File(row, stamp) => {
                        // What was in a folder of this name.
                        let inner = self.known().beneath(&path).into_iter().filter(|known| *known != path);
                        remove.extend(inner);
                        put.push((row, Some(stamp)));
                    }
                }
            }
            remove.retain(|path| put.iter().all(|(row, _)| row.path != *path));
            if put.is_empty() && remove.is_empty() {
                continue;
            }
            let rows = put.iter().map(|(row, _)| row.clone()).collect();
            let MirrorParts { owner, table, .. } = &self.parts;
            let done = table.change(owner, self.term, rows, remove.clone()).await?;
            self.lock().changes = done.ok_or_else(|| MirrorError::Over { owner: owner.clone() })?;
            let mut known = self.known();
            for path in remove {
                known.remove(&path);
            }
            for (row, stamp) in put {
                known.put(row, stamp);
            }
        }
        Ok(())
    }

    /// Looks at a path, and sends what is not there yet.
    async fn send(&self, path: &str, change: FileChange) -> Result<FoundFile, MirrorError> {
        let Some((folder, inner)) = self.place(path) else { return Ok(FoundFile::Same) };
        let on_disk = self.reading.run(move || folder.on_disk(&inner)).await;
        let file = match on_disk {
            Some(Ok(OnDisk::File(file))) => *file,
            Some(Ok(OnDisk::Folder)) if self.known().has_folder(path) => return Ok(FoundFile::Same),
            Some(Ok(OnDisk::Folder)) => return Ok(FoundFile::Folder),
            Some(Ok(OnDisk::Nothing | OnDisk::Other)) => return Ok(FoundFile::Gone),
            Some(Ok(OnDisk::Closed(_, error)) | Err(error)) => return Err(error.into()),
            None => return Err(MirrorError::Over { owner: self.parts.owner.clone() }),
        };
        let (stamp, mode) = (file.stamp, file.mode);
        let row = |parts, tail| {
            let content = FileContent::Bytes { parts, tail };
            let row = FileRow { path: path.to_owned(), mode, modified: stamp.modified, content };
            FoundFile::File(row, stamp)
        };
        let mut source = FileSource { reader: file.reader, at: 0 };
        let plan = self.known().plan(path, change, &stamp);
        let mut parts = match plan {
            Plan::Nothing => return Ok(FoundFile::Same),
            Plan::Rest { parts } => {
                source.at = parts.iter().map(|part| part.length).sum();
                parts
            }
            Plan::Compare { parts } => {
                let mut same = Vec::new();
                for part in parts {
                    let bytes;
                    (source, bytes) = self.read(path, source, part.length).await?;
                    if bytes.len() as u64 != part.length || *Sha256::digest(&bytes) != part.sha256 {
                        source.at -= bytes.len() as u64;
                        break;
                    }
                    same.push(part);
                }
                same
            }
        };
        loop {
            let left = stamp.size.saturating_sub(source.at);
            let bytes;
            let Some(length) = next_part(left) else {
                (_, bytes) = self.read(path, source, left).await?;
                return Ok(row(parts, bytes));
            };
            (source, bytes) = self.read(path, source, length).await?;
            if bytes.is_empty() {
                // It is shorter by now, and will be looked at again.
                return Ok(row(parts, bytes));
            }
            let (sha256, length) = (<[u8; 32]>::from(Sha256::digest(&bytes)), bytes.len() as u64);
            self.own.put_bytes(sha256, bytes.into()).await?;
            parts.push(FilePart { length, sha256, term: self.term });
        }
    }

    async fn read(
        &self,
        path: &str,
        source: FileSource,
        length: u64,
    ) -> Result<(FileSource, Vec<u8>), MirrorError> {
        let over = || MirrorError::Over { owner: self.parts.owner.clone() };
        let read = self.reading.run(move || source.read(length)).await.ok_or_else(over)?;
        read.map_err(|error| {
            let reason = error.to_string();
            FileError::Unreadable { path: path.to_owned(), reason }.into()
        })
    }

    /// The folder of a path's root, and the path beneath it.
    fn place(&self, path: &str) -> Option<(Folder, String)> {
        let (name, inner) = path.split_once('/')?;
        let root = self.parts.roots.iter().find(|root| root.name == name)?;
        Some((root.folder.clone(), inner.to_owned()))
    }
}
