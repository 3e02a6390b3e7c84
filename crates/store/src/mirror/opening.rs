//! Makes folders what the table says, before anybody works in them.
//!
//! Must never remove what was put there by hand since this node last kept everything, or what it kept in another table: it is set aside.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::{StreamExt, TryStreamExt};
use sha2::{Digest, Sha256};

use super::error::MirrorError;
use super::fetched::FetchedNote;
use super::known::{KnownFiles, is_beneath};
use super::parts::{MirrorParts, MirrorRoot, holder};
use super::table::{FileContent, FilePart, FileRow, FileTerm};
use crate::Millis;
use crate::blobs::Blobs;
use crate::files::{
    FileChange, FileError, FileOnDisk, Folder, OnDisk, Precondition, RelPath, SeenOnDisk, Stamp, is_reserved,
};

/// The note of this node: when all that was in its folders was kept, and in which table.
const NOTE: &str = "files.kept";

/// Where files are put that nobody keeps.
const ASIDE: &str = "set-aside";

/// How many files are looked at or fetched at once.
const AT_ONCE: usize = 8;

/// By how much the time of a file may be before that of the note, in milliseconds.
const SLACK: Millis = 1_000;

/// When this node last had all its files kept, and what the table was then.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct KeptNote {
    /// 0 as long as this node takes in what it has for the first time.
    pub(super) at: Millis,
    /// What tells the table's rows of the owner from others.
    pub(super) id: String,
    pub(super) term: u64,
    /// The number of the last change.
    pub(super) changes: u64,
}

impl KeptNote {
    fn parse(text: &str) -> Option<Self> {
        let mut words = text.split_whitespace();
        let (at, id) = (words.next()?.parse().ok()?, words.next()?.to_owned());
        Some(Self { at, id, term: words.next()?.parse().ok()?, changes: words.next()?.parse().ok()? })
    }

    /// Whether it was kept in the table that has now had all that `term` says. A table that was made anew, is another one or was put back
    /// as it had been does not know what was kept.
    fn is_known(&self, term: &FileTerm) -> bool {
        self.id == term.id && self.term <= term.number && self.changes <= term.changes
    }
}

/// Where this node notes what it kept.
#[derive(Debug, Clone)]
pub(super) struct LocalNote {
    folder: Folder,
}

impl LocalNote {
    pub(super) fn of(parts: &MirrorParts) -> Self {
        Self { folder: parts.place.clone() }
    }

    fn read(&self) -> Option<KeptNote> {
        let (bytes, _) = self.folder.read(&RelPath::parse(NOTE).ok()?, 256).ok()??;
        KeptNote::parse(std::str::from_utf8(&bytes).ok()?)
    }

    /// Without it more is set aside than has to be.
    pub(super) fn write(&self, note: &KeptNote) {
        if let Err(error) = self.try_write(note) {
            tracing::warn!(code = error.code(), "{error}");
        }
    }

    fn try_write(&self, KeptNote { at, id, term, changes }: &KeptNote) -> Result<(), FileError> {
        let text = format!("{at} {id} {term} {changes}\n");
        self.folder.write_private(&RelPath::parse(NOTE)?, text.as_bytes(), &Precondition::Any).map(drop)
    }
}

/// What came of it.
pub(super) struct RestoredFolders {
    pub(super) known: KnownFiles,
    /// What is to be kept for the first time, if the folders are taken in as they are.
    pub(super) adopted: Option<Vec<(String, FileChange)>>,
    pub(super) fetched: usize,
    pub(super) set_aside: usize,
}

/// What a node has fetched of the files of an owner that another one has, so that it has little to fetch when that one is gone.
#[derive(Debug, Default)]
pub struct StandbyFiles {
    /// Of which rows, as their table tells them from others.
    id: String,
    /// Up to which change.
    since: u64,
    /// What the files on this disk were then.
    fetched: Arc<HashMap<String, Stamp>>,
}

impl StandbyFiles {
    /// What was fetched of the rows as they are at `term`, also before this process began.
    async fn at(self, term: &FileTerm, note: &FetchedNote) -> Result<Self, MirrorError> {
        if self.id == term.id && self.since <= term.changes {
            return Ok(self);
        }
        let (note, term) = (note.clone(), term.clone());
        on_thread(move || Self { fetched: Arc::new(note.read(&term)), id: term.id, since: 0 }).await
    }

    /// Fetches what is new, until `stop` says that it is to end; gives how many files came. What is gone elsewhere stays until the opening.
    ///
    /// # Errors
    /// As [`super::OwnerMirror::open`].
    pub async fn follow(&mut self, parts: &MirrorParts, stop: &AtomicBool) -> Result<usize, MirrorError> {
        let Some(term) = parts.table.term(&parts.owner).await? else { return Ok(0) };
        let fetched_note = FetchedNote::in_folder(&parts.place);
        *self = std::mem::take(self).at(&term, &fetched_note).await?;
        if self.since == term.changes || !term.is_whole {
            return Ok(0);
        }
        let (rows, newest) = parts.table.rows(&parts.owner, self.since).await?;
        let rows = rows.into_iter().filter(|row| row.content != FileContent::Folder);
        let note = LocalNote::of(parts);
        let kept_at = on_thread(move || note.read()).await?.filter(|note| note.is_known(&term));
        let kept_at = kept_at.map(|note| note.at);
        let before =
            Before { id: term.id.clone(), kept_at, fetched: Arc::clone(&self.fetched), leaves_others: true };
        let fetching = rows.map(|row| async {
            match stop.load(Ordering::Acquire) {
                true => Ok(None),
                false => match restore_file(parts, row, &before).await {
                    // It is another one by now.
                    Err(MirrorError::Missing { .. }) => Ok(Some(None)),
                    // One file of this disk is no reason to leave the others: the opening will say so.
                    Err(MirrorError::Disk(error)) => {
                        tracing::debug!(code = error.code(), "a file was not fetched beforehand: {error}");
                        Ok(Some(None))
                    }
                    restored => restored.map(|restored| Some(Some(restored))),
                },
            }
        });
        let mut fetching = futures_util::stream::iter(fetching).buffer_unordered(AT_ONCE);
        let (mut is_whole, mut failed) = (true, None);
        let (mut come, mut count) = (Vec::new(), 0);
        while let Some(restored) = fetching.next().await {
            match restored {
                Ok(Some(Some((row, stamp, came)))) => {
                    let stamp = stamp.filter(|stamp| before.fetched.get(&row.path) != Some(stamp));
                    come.extend(stamp.map(|stamp| (row.path, stamp)));
                    count += usize::from(came.is_fetched);
                }
                Ok(Some(None)) => {}
                Ok(None) => is_whole = false,
                // Storage that is away is not waited for with each file.
                Err(error) => {
                    failed = Some(error);
                    break;
                }
            }
        }
        drop(fetching);
        drop(before);
        Arc::make_mut(&mut self.fetched).extend(come.iter().cloned());
        if !come.is_empty() {
            let at = FileTerm { changes: newest.max(term.changes), ..term.clone() };
            on_thread(move || fetched_note.add(&come, &at)).await?;
        }
        if let Some(error) = failed {
            return Err(error);
        }
        if is_whole {
            self.since = newest.max(term.changes);
        }
        Ok(count)
    }
}

/// What is known of the files on this disk.
struct Before {
    /// What tells the owner's rows from those of another table.
    id: String,
    /// When all of them were kept.
    kept_at: Option<Millis>,
    fetched: Arc<HashMap<String, Stamp>>,
    /// Whether what somebody has put there stays where it is, instead of being set aside.
    leaves_others: bool,
}

impl Before {
    /// Whether a file may have been put there while this node did not keep the owner's files.
    fn is_by_hand(&self, path: &str, stamp: &Stamp) -> bool {
        let is_unfinished = path.rsplit('/').next().is_some_and(is_reserved);
        let changed = u64::try_from(stamp.changed / 1_000_000).unwrap_or_default();
        !is_unfinished
            && self.fetched.get(path) != Some(stamp)
            && self.kept_at.is_none_or(|kept_at| changed + SLACK > kept_at)
    }
}

pub(super) async fn restore(
    parts: &MirrorParts,
    term: &FileTerm,
    rows: Vec<FileRow>,
    note: &LocalNote,
    standby: StandbyFiles,
) -> Result<RestoredFolders, MirrorError> {
    let (reading, note) = (note.clone(), note.clone());
    let noted = on_thread(move || reading.read()).await?;
    // The term before this one is the last one in which something can have been kept.
    let before_this = FileTerm { number: term.number.saturating_sub(1), ..term.clone() };
    let kept_at = noted.as_ref().filter(|note| note.is_known(&before_this)).map(|note| note.at);
    if noted.is_some() && kept_at.is_none() {
        tracing::warn!(
            owner = parts.owner,
            "what is here was kept in another database, or in a later state of this one: nothing of it is removed"
        );
    }
    let fetched = standby.at(term, &FetchedNote::in_folder(&parts.place)).await?.fetched;
    let before = Arc::new(Before { id: term.id.clone(), kept_at, fetched, leaves_others: false });
    let mut known = KnownFiles::default();
    // The node that has begun to take in what it has goes on, and has all of it still.
    let has_begun = noted.as_ref().is_some_and(|note| note.at == 0 && note.id == term.id);
    if !term.is_whole && term.changes > 0 && !has_begun {
        return Err(MirrorError::HalfTaken { owner: parts.owner.clone() });
    }
    if !term.is_whole || (rows.is_empty() && kept_at.is_none()) {
        let begun = KeptNote { at: 0, id: term.id.clone(), term: term.number, changes: term.changes };
        on_thread(move || note.try_write(&begun)).await??;
        for row in rows {
            known.put(row, None);
        }
        let adopted = seen(parts.roots.clone()).await?;
        let adopted = adopted
            .into_iter()
            .flat_map(|(root, seen, _)| known.differing(&root.name, &root.name, &seen, &[], true));
        let adopted = Some(adopted.collect());
        return Ok(RestoredFolders { known, adopted, fetched: 0, set_aside: 0 });
    }
    let mut set_aside = clear(parts, &rows, &before).await?;
    let mut fetched = 0;
    // Folders first, outer before inner.
    let (folders, files): (Vec<_>, Vec<_>) =
        rows.into_iter().partition(|row| row.content == FileContent::Folder);
    for row in folders {
        if let Some((folder, inner)) = place(&parts.roots, &row.path) {
            on_thread(move || folder.restore_folder(&inner)).await??;
        }
        known.put(row, None);
    }
    let files = futures_util::stream::iter(files.into_iter().map(|row| restore_file(parts, row, &before)));
    let mut files = files.buffer_unordered(AT_ONCE);
    while let Some((row, stamp, came)) = files.try_next().await? {
        fetched += usize::from(came.is_fetched);
        set_aside += usize::from(came.is_set_aside);
        known.put(row, stamp);
    }
    drop(files);
    Ok(RestoredFolders { known, adopted: None, fetched, set_aside })
}

/// How a file came to be what it is to be.
#[derive(Default)]
struct Came {
    is_fetched: bool,
    is_set_aside: bool,
}

async fn restore_file(
    parts: &MirrorParts,
    row: FileRow,
    before: &Before,
) -> Result<(FileRow, Option<Stamp>, Came), MirrorError> {
    let Some((folder, inner)) = place(&parts.roots, &row.path) else {
        return Ok((row, None, Came::default()));
    };
    let mut came = Came::default();
    let (there, to_compare) = (folder.clone(), row.clone());
    let path = inner.clone();
    let compared = on_thread(move || compare(&there, &path, &to_compare)).await?;
    match compared? {
        Comparison::Same(stamp) => return Ok((row, Some(stamp), came)),
        Comparison::Other(stamp) => {
            if before.is_by_hand(&row.path, &stamp) {
                if before.leaves_others {
                    return Ok((row, None, came));
                }
                let (aside, from, path) = (aside(parts), folder.clone(), inner.clone());
                let whole = row.path.clone();
                on_thread(move || put_aside(&from, &path, &aside, &whole)).await??;
                came.is_set_aside = true;
            }
        }
        Comparison::Nothing if before.leaves_others => {
            let (there, path) = (folder.clone(), inner.clone());
            if on_thread(move || there.is_in_the_way(&path)).await?? {
                return Ok((row, None, came));
            }
        }
        Comparison::Nothing => {}
    }
    let FileContent::Bytes { parts: pieces, tail } = row.content.clone() else {
        return Ok((row, None, came));
    };
    let path = inner.clone();
    let mut restored = on_thread(move || folder.restore_file(&path)).await??;
    for part in pieces {
        let bytes = fetch(&*parts.blobs, &holder(&parts.owner, &before.id, part.term), &part).await?;
        let bytes = bytes.ok_or_else(|| MirrorError::Missing { path: inner.clone() })?;
        restored = on_thread(move || restored.append(&bytes).map(|()| restored)).await??;
    }
    let (mode, modified) = (row.mode, row.modified);
    let finish = move || restored.append(&tail).and_then(|()| restored.finish(mode, modified));
    let stamp = on_thread(finish).await??;
    came.is_fetched = true;
    Ok((row, Some(stamp), came))
}

/// The bytes of a part; nothing when the storage does not have them.
async fn fetch(blobs: &dyn Blobs, holder: &str, part: &FilePart) -> Result<Option<Vec<u8>>, MirrorError> {
    let held = blobs.held_by(holder);
    let Some(mut stream) = held.get(part.sha256, 0..part.length).await? else { return Ok(None) };
    let mut bytes = Vec::with_capacity(usize::try_from(part.length).unwrap_or_default());
    while let Some(piece) = stream.next().await {
        bytes.extend_from_slice(&piece?);
    }
    Ok((*Sha256::digest(&bytes) == part.sha256).then_some(bytes))
}

enum Comparison {
    Same(Stamp),
    Other(Stamp),
    Nothing,
}

/// Whether the file at `path` has the bytes of the row.
fn compare(folder: &Folder, path: &str, row: &FileRow) -> Result<Comparison, FileError> {
    let mut file = match folder.on_disk(path)? {
        OnDisk::File(file) => file,
        OnDisk::Closed(stamp, _) => return Ok(Comparison::Other(stamp)),
        OnDisk::Nothing | OnDisk::Other | OnDisk::Folder => return Ok(Comparison::Nothing),
    };
    let FileContent::Bytes { parts, tail } = &row.content else { return Ok(Comparison::Other(file.stamp)) };
    let mut is_same = file.stamp.size == row.size();
    let mut bytes = Vec::new();
    let ends = parts.iter().map(|part| (part.length, Some(part.sha256)));
    for (length, sha256) in ends.chain([(tail.len() as u64, None)]) {
        if !is_same {
            break;
        }
        bytes.clear();
        let read = std::io::Read::read_to_end(&mut std::io::Read::take(&mut file.reader, length), &mut bytes);
        is_same = match sha256 {
            // What the disk does not give is another file than that of the row.
            _ if read.is_err() => false,
            Some(sha256) => bytes.len() as u64 == length && *Sha256::digest(&bytes) == sha256,
            None => bytes == *tail,
        };
    }
    Ok(if is_same { Comparison::Same(file.stamp) } else { Comparison::Other(file.stamp) })
}

/// Takes away what no row names; gives how many files were set aside.
async fn clear(parts: &MirrorParts, rows: &[FileRow], before: &Arc<Before>) -> Result<usize, MirrorError> {
    let mut set_aside = 0;
    let named: Arc<HashSet<String>> = Arc::new(rows.iter().flat_map(|row| with_parents(&row.path)).collect());
    let folders = rows.iter().flat_map(|row| {
        let own = (row.content == FileContent::Folder).then(|| row.path.clone());
        with_parents(&row.path).into_iter().filter(|path| *path != row.path).chain(own)
    });
    let folders: Arc<HashSet<String>> = Arc::new(folders.collect());
    let aside = aside(parts);
    for (root, seen, closed) in seen(parts.roots.clone()).await? {
        let (named, before, aside) = (Arc::clone(&named), Arc::clone(before), aside.clone());
        let folders = Arc::clone(&folders);
        set_aside += on_thread(move || {
            let mut count = 0;
            // Inner before outer.
            for SeenOnDisk { path, stamp } in seen.into_iter().rev() {
                let whole = format!("{}/{path}", root.name);
                // What is in a folder that somebody else has closed stays where it is.
                // A file in the place of a folder is in its way.
                let is_named = named.contains(&whole) && !(stamp.is_some() && folders.contains(&whole));
                if is_named || closed.iter().any(|closed| is_beneath(closed, &path)) {
                    continue;
                }
                let is_by_hand = stamp.is_some_and(|stamp| before.is_by_hand(&whole, &stamp));
                if is_by_hand {
                    put_aside(&root.folder, &path, &aside, &whole)?;
                    count += 1;
                }
                match root.folder.remove_from_disk(&path) {
                    // In a folder of somebody else; a copy of it is set aside.
                    Err(error @ FileError::PermissionDenied { .. }) if is_by_hand || stamp.is_none() => {
                        tracing::warn!(code = error.code(), "'{}' stays: {error}", path.escape_debug());
                    }
                    removed => removed?,
                }
            }
            Ok::<_, FileError>(count)
        })
        .await??;
    }
    Ok(set_aside)
}

/// Copies a file to the folder for those that are set aside, and leaves it where it is; one that cannot be read is moved.
fn put_aside(
    folder: &Folder,
    path: &str,
    (to, time): &(Folder, String),
    whole: &str,
) -> Result<(), FileError> {
    let target = format!("{time}/{whole}");
    let copied = match folder.on_disk(path)? {
        OnDisk::Nothing | OnDisk::Other | OnDisk::Folder => return Ok(()),
        OnDisk::File(file) => copy_to(*file, path, to, &target),
        OnDisk::Closed(_, error) => match folder.open_to_owner(path).and_then(|()| folder.on_disk(path)) {
            Ok(OnDisk::File(file)) => copy_to(*file, path, to, &target),
            _ => Err(error),
        },
    };
    match copied {
        Err(FileError::Unreadable { .. } | FileError::PermissionDenied { .. }) => {
            folder.move_unread(path, to, &target)
        }
        copied => copied,
    }
}

fn copy_to(file: FileOnDisk, path: &str, to: &Folder, target: &str) -> Result<(), FileError> {
    let mut copy = to.restore_file(target)?;
    let mut reader = file.reader;
    let mut block = vec![0; 128 << 10];
    loop {
        let count = std::io::Read::read(&mut reader, &mut block)
            .map_err(|error| FileError::Unreadable { path: path.to_owned(), reason: error.to_string() })?;
        match block.get(..count) {
            Some([]) | None => break,
            Some(bytes) => copy.append(bytes)?,
        }
    }
    copy.finish_durably(file.mode, file.stamp.modified)
}

fn aside(parts: &MirrorParts) -> (Folder, String) {
    (parts.place.clone(), format!("{ASIDE}/{}", parts.clock.millis()))
}

/// What is in the whole roots, outer before inner, and the folders in them of which not all can be looked at. Those that are ours are
/// opened.
async fn seen(
    roots: Vec<MirrorRoot>,
) -> Result<Vec<(MirrorRoot, Vec<SeenOnDisk>, Vec<String>)>, MirrorError> {
    on_thread(move || {
        let whole = roots.into_iter().filter(|root| root.is_whole).map(|root| {
            let mut seen = Vec::new();
            let closed = root.folder.all_on_disk_opened(&root.leave_out, &mut |file| seen.push(file));
            (root, seen, closed)
        });
        whole.collect()
    })
    .await
}

/// A path, and those of the folders on the way to it.
fn with_parents(path: &str) -> Vec<String> {
    let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
    ends.filter_map(|end| path.get(..end)).map(str::to_owned).collect()
}

fn place(roots: &[MirrorRoot], path: &str) -> Option<(Folder, String)> {
    let (name, inner) = path.split_once('/')?;
    let root = roots.iter().find(|root| root.name == name)?;
    Some((root.folder.clone(), inner.to_owned()))
}

async fn on_thread<T: Send + 'static>(act: impl FnOnce() -> T + Send + 'static) -> Result<T, MirrorError> {
    tokio::task::spawn_blocking(act).await.map_err(|error| {
        let reason = error.to_string();
        FileError::Unreadable { path: ".".to_owned(), reason }.into()
    })
}
