//! Hashes files: several at once, each in a fixed amount of memory.
//!
//! Must never give a hash of bytes that no single state of the file had.

use std::cmp::Reverse;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use engross_protocol::Clock;
use engross_store::files::{DiskPath, FileError, Folder, Reader, Stamp, Tree};
use sha2::{Digest, Sha256};

use super::error::shown;
use super::hashes::{Hashes, Sha256Sum, is_settled};

/// The bytes that are read at once.
const BLOCK: usize = 128 << 10;

/// Files of more than these bytes are begun first, as one of them can take longer than all others.
const LARGE: u32 = 23;

/// Files of at least these bytes may have holes that are worth passing over.
const SPARSE: u64 = 1 << 20;

/// Says whether a caller does not want the result any more. It is asked for every block.
pub trait Stop: Sync {
    /// Whether it is so.
    fn is_stopped(&self) -> bool;
}

impl Stop for AtomicBool {
    fn is_stopped(&self) -> bool {
        self.load(Ordering::Relaxed)
    }
}

/// Either of two.
impl Stop for (&AtomicBool, &AtomicBool) {
    fn is_stopped(&self) -> bool {
        self.0.is_stopped() || self.1.is_stopped()
    }
}

/// What helps to hash.
#[derive(Clone, Copy)]
pub struct HashContext<'a> {
    /// What was hashed before.
    pub hashes: &'a dyn Hashes,
    /// The time.
    pub clock: &'a dyn Clock,
    /// How many files are hashed at once.
    pub threads: NonZeroUsize,
    /// Ends the work before its end; nothing does without.
    pub stop: Option<&'a dyn Stop>,
}

impl HashContext<'_> {
    /// Whether nobody wants the result any more.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.stop.is_some_and(Stop::is_stopped)
    }
}

/// What came of a file.
#[derive(Debug)]
pub(super) enum HashResult {
    /// The hash of the file in this state.
    As(Stamp, Sha256Sum),
    /// It was removed.
    Gone,
    /// It changes faster than it can be read.
    Restless,
    /// It is another file now, which may have names elsewhere.
    Exchanged,
    /// It cannot be read.
    Failed(FileError),
    /// Nobody waits for it any more.
    Stopped,
}

/// The hashes of all `files`, in their order.
pub(super) fn hash_all(
    folder: &Folder,
    files: &[(DiskPath, Stamp)],
    with: HashContext<'_>,
) -> Vec<HashResult> {
    let known =
        |(_, stamp): &(DiskPath, Stamp)| with.hashes.get(stamp).map(|sha256| HashResult::As(*stamp, sha256));
    let mut all: Vec<Option<HashResult>> = files.iter().map(known).collect();
    let mut missing: Vec<(usize, &DiskPath, &Stamp)> = files
        .iter()
        .zip(&all)
        .enumerate()
        .filter(|(_, (_, hashed))| hashed.is_none())
        .map(|(at, ((path, stamp), _))| (at, path, stamp))
        .collect();
    missing.sort_by_key(|(_, _, stamp)| Reverse(stamp.size >> LARGE));
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::with_capacity(missing.len()));
    let work = || {
        let mut tree = folder.tree();
        let mut block = vec![0; BLOCK];
        while let Some((at, path, stamp)) = missing.get(next.fetch_add(1, Ordering::Relaxed)) {
            let hashed = hash(&mut tree, path, stamp, with, &mut block);
            done.lock().unwrap_or_else(PoisonError::into_inner).push((*at, hashed));
        }
    };
    thread::scope(|scope| {
        for _ in 1..with.threads.get().min(missing.len()) {
            // Without a further thread this one does the work.
            let _ = thread::Builder::new().name("hashing".to_owned()).spawn_scoped(scope, work);
        }
        work();
    });
    for (at, hashed) in done.into_inner().unwrap_or_else(PoisonError::into_inner) {
        if let Some(place) = all.get_mut(at) {
            *place = Some(hashed);
        }
    }
    all.into_iter().map(|hashed| hashed.unwrap_or(HashResult::Gone)).collect()
}

/// Opens one file and gives its hash, from what was computed before if it did not change.
pub(super) fn hash_one(
    tree: &mut Tree,
    path: &DiskPath,
    with: HashContext<'_>,
) -> Result<Option<(Reader, Stamp, HashResult)>, FileError> {
    let Some((mut reader, stamp)) = tree.open(path)? else { return Ok(None) };
    if let Some(sha256) = with.hashes.get(&stamp) {
        return Ok(Some((reader, stamp, HashResult::As(stamp, sha256))));
    }
    let hashed = read_whole(&mut reader, &stamp, with, &mut vec![0; BLOCK]);
    let hashed = hashed.unwrap_or_else(|error| failed(path, &error));
    Ok(Some((reader, stamp, hashed)))
}

fn hash(
    tree: &mut Tree,
    path: &DiskPath,
    seen: &Stamp,
    with: HashContext<'_>,
    block: &mut [u8],
) -> HashResult {
    for _ in 0..2 {
        let (mut reader, stamp) = match tree.open(path) {
            Ok(Some(opened)) => opened,
            Ok(None) => return HashResult::Gone,
            Err(error) => return HashResult::Failed(error),
        };
        let same = (stamp.device, stamp.inode, stamp.links) == (seen.device, seen.inode, seen.links);
        if stamp.links > 1 && !same {
            return HashResult::Exchanged;
        }
        match read_whole(&mut reader, &stamp, with, block) {
            Ok(HashResult::Restless) => {}
            Ok(hashed) => return hashed,
            Err(error) => return failed(path, &error),
        }
    }
    HashResult::Restless
}

/// Reads the file to its end and keeps the hash.
fn read_whole(
    reader: &mut Reader,
    stamp: &Stamp,
    with: HashContext<'_>,
    block: &mut [u8],
) -> io::Result<HashResult> {
    let begun = with.clock.millis();
    let mut digest = Sha256::new();
    let mut length = 0;
    let mut dense_until = if stamp.size < SPARSE { u64::MAX } else { 0 };
    // Not further than it was long, or one that grows on would be read for ever.
    while length <= stamp.size {
        if with.is_stopped() {
            return Ok(HashResult::Stopped);
        }
        if length >= dense_until && length < stamp.size {
            let data = reader.next_data(length)?.unwrap_or(stamp.size).min(stamp.size);
            if !add_zeros(&mut digest, data - length, block, with) {
                return Ok(HashResult::Stopped);
            }
            length = data;
            dense_until = reader.next_hole(length)?.max(length.saturating_add(1));
            reader.seek(SeekFrom::Start(length))?;
        }
        let most = dense_until.min(stamp.size.saturating_add(1)).saturating_sub(length).max(1);
        let room = usize::try_from(most).unwrap_or(usize::MAX).min(block.len());
        match reader.read(block.get_mut(..room).unwrap_or_default()) {
            Ok(0) => break,
            Ok(count) => {
                digest.update(block.get(..count).unwrap_or_default());
                length += count as u64;
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    if length != stamp.size || reader.stamp()? != *stamp {
        return Ok(HashResult::Restless);
    }
    let sha256 = Sha256Sum::from_bytes(digest.finalize().into());
    if is_settled(stamp, begun) {
        with.hashes.put(stamp, sha256);
    }
    Ok(HashResult::As(*stamp, sha256))
}

/// Adds so many zeros, which nobody has to read; `false` when nobody waits any more.
fn add_zeros(digest: &mut Sha256, count: u64, block: &mut [u8], with: HashContext<'_>) -> bool {
    block.fill(0);
    let mut left = count;
    while left > 0 {
        if with.is_stopped() {
            return false;
        }
        let zeros = block.get(..usize::try_from(left).unwrap_or(usize::MAX).min(block.len()));
        let zeros = zeros.unwrap_or_default();
        digest.update(zeros);
        left -= zeros.len() as u64;
    }
    true
}

fn failed(path: &DiskPath, error: &io::Error) -> HashResult {
    let (path, reason) = (shown(path.as_str()), error.to_string());
    HashResult::Failed(FileError::Unreadable { path, reason })
}
