//! Caches hashes by what tells one state of a file from the next.
//!
//! Must never give the hash of other bytes: a file that was written to shortly before it was hashed is not kept, as a later
//! write could look the same.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use engross_protocol::hex;
use engross_store::Millis;
use engross_store::files::{FileError, Folder, Precondition, RelPath, Stamp};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// How old the last change of a file must be when it is hashed. The coarsest file systems tell times to two seconds.
const MARGIN: u64 = 2_500;

/// The first line of the saved form.
const HEADER: &str = "engross hashes 1";

/// The bytes of the longest saved form.
const SAVED_MAX: u64 = 64 << 20;

/// A SHA-256, shown as 64 lower-case hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sha256Sum([u8; 32]);

impl Sha256Sum {
    /// Of these bytes.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The 32 bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Reads 64 hexadecimal digits; `None` for anything else.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        hex::decode(text).map(Self)
    }
}

impl fmt::Display for Sha256Sum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}

impl fmt::Debug for Sha256Sum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for Sha256Sum {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Sha256Sum {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| serde::de::Error::custom("a SHA-256 has 64 hexadecimal digits"))
    }
}

/// Where hashes are kept.
pub trait Hashes: Send + Sync {
    /// The hash of the file with exactly this stamp, if it is known.
    fn get(&self, stamp: &Stamp) -> Option<Sha256Sum>;

    /// Keeps a hash. `stamp` was the same before and after hashing, and [`is_settled`] holds.
    fn put(&self, stamp: &Stamp, sha256: Sha256Sum);
}

/// Whether a hash may be kept, of a file with this stamp whose hashing began at `hashed_at`, in milliseconds since 1970.
///
/// A file that was changed less than 2.5 seconds before, or in the future, could be written to again without its times
/// telling. The clock of the file system and that of the caller must not differ by more than this.
#[must_use]
pub fn is_settled(stamp: &Stamp, hashed_at: Millis) -> bool {
    let last = u64::try_from(stamp.modified.max(stamp.changed) / 1_000_000).unwrap_or_default();
    last.saturating_add(MARGIN) < hashed_at
}

/// Hashes in memory, as many as it was made for; those that are not asked for any more go first. It can be saved to a file.
#[derive(Debug)]
pub struct MemoryHashes {
    kept: Mutex<HashGenerations>,
    half: usize,
}

/// What was asked for lately, and what before that.
#[derive(Debug, Default)]
struct HashGenerations {
    new: HashMap<(u64, u64), (Stamp, Sha256Sum)>,
    old: HashMap<(u64, u64), (Stamp, Sha256Sum)>,
}

impl HashGenerations {
    fn put(&mut self, stamp: &Stamp, sha256: Sha256Sum, half: usize) {
        if self.new.len() >= half {
            self.old = std::mem::take(&mut self.new);
        }
        self.new.insert((stamp.device, stamp.inode), (*stamp, sha256));
    }
}

impl MemoryHashes {
    /// Room for `most` files, at least two. One takes about 150 bytes.
    #[must_use]
    pub fn new(most: usize) -> Self {
        Self { kept: Mutex::default(), half: (most / 2).max(1) }
    }

    /// Those that were saved at `path`; none when there is no such file. Lines that cannot be read are passed over, as
    /// everything can be hashed again.
    ///
    /// # Errors
    /// As [`Folder::read`].
    pub fn load(folder: &Folder, path: &RelPath, most: usize) -> Result<Self, FileError> {
        let hashes = Self::new(most);
        let Some((bytes, _)) = folder.read(path, SAVED_MAX)? else { return Ok(hashes) };
        let text = String::from_utf8_lossy(&bytes);
        let mut lines = text.lines();
        if lines.next() == Some(HEADER) {
            for (stamp, sha256) in lines.filter_map(read_line) {
                hashes.put(&stamp, sha256);
            }
        }
        Ok(hashes)
    }

    /// Saves them at `path`, all or none. The folder must be one that agents cannot write to.
    ///
    /// # Errors
    /// As [`Folder::write`].
    pub fn save(&self, folder: &Folder, path: &RelPath) -> Result<(), FileError> {
        let mut text = format!("{HEADER}\n");
        {
            let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            let old = kept.old.iter().filter(|(file, _)| !kept.new.contains_key(*file));
            for (_, (stamp, sha256)) in old.chain(&kept.new) {
                text.push_str(&line(stamp, *sha256));
            }
        }
        folder.write(path, text.as_bytes(), &Precondition::Any).map(|_| ())
    }
}

impl Hashes for MemoryHashes {
    fn get(&self, stamp: &Stamp) -> Option<Sha256Sum> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let file = (stamp.device, stamp.inode);
        if let Some((known, sha256)) = kept.new.get(&file) {
            return (known == stamp).then_some(*sha256);
        }
        let (known, sha256) = kept.old.remove(&file)?;
        if known != *stamp {
            return None;
        }
        kept.put(stamp, sha256, self.half);
        Some(sha256)
    }

    fn put(&self, stamp: &Stamp, sha256: Sha256Sum) {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).put(stamp, sha256, self.half);
    }
}

fn line(stamp: &Stamp, sha256: Sha256Sum) -> String {
    let Stamp { device, inode, size, modified, changed, links } = stamp;
    format!("{device} {inode} {size} {modified} {changed} {links} {sha256}\n")
}

fn read_line(line: &str) -> Option<(Stamp, Sha256Sum)> {
    let mut words = line.split(' ');
    let stamp = Stamp {
        device: words.next()?.parse().ok()?,
        inode: words.next()?.parse().ok()?,
        size: words.next()?.parse().ok()?,
        modified: words.next()?.parse().ok()?,
        changed: words.next()?.parse().ok()?,
        links: words.next()?.parse().ok()?,
    };
    let sha256 = Sha256Sum::parse(words.next()?)?;
    words.next().is_none().then_some((stamp, sha256))
}
