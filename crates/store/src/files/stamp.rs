//! What is known about a file without reading it.
//!
//! Must never open a file.

use std::time::UNIX_EPOCH;

use cap_fs_ext::MetadataExt;
use cap_std::fs::Metadata;

use crate::Millis;

/// What is known about a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FileInfo {
    /// Its length in bytes.
    pub size: u64,
    /// When it was last written to, in milliseconds since 1970, UTC.
    pub modified: Millis,
    /// The device it is on.
    pub device: u64,
    /// Its number there; a file that is replaced gets another one.
    pub inode: u64,
}

impl FileInfo {
    pub(super) fn of(metadata: &Metadata) -> Self {
        Self {
            size: metadata.len(),
            modified: modified(metadata),
            device: metadata.dev(),
            inode: metadata.ino(),
        }
    }
}

/// What tells a file from another one, and one state of it from the next.
///
/// A program that writes to a file changes a time of it, and cannot set the change time back. Only two writes within one tick of
/// the file system's clock can look alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Stamp {
    /// The device it is on.
    pub device: u64,
    /// Its number there.
    pub inode: u64,
    /// Its length in bytes.
    pub size: u64,
    /// When its bytes were last written, in nanoseconds since 1970, UTC. Anybody may set it.
    pub modified: i64,
    /// When anything about it was last changed, in the same unit. Where the system does not tell, the same as `modified`.
    pub changed: i64,
    /// How many names it has.
    pub links: u64,
}

impl Stamp {
    pub(super) fn of(metadata: &Metadata) -> Self {
        let modified = modified_nanoseconds(metadata);
        Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            size: metadata.len(),
            modified,
            changed: changed(metadata).unwrap_or(modified),
            links: metadata.nlink(),
        }
    }

    /// Whether `later` is the same file with the same bytes. Its mode, its owner and its further names may have changed.
    pub(super) fn has_same_bytes(&self, later: &Self) -> bool {
        let of = |stamp: &Self| (stamp.device, stamp.inode, stamp.size, stamp.modified);
        of(self) == of(later)
    }
}

/// When it was last written to.
pub(super) fn modified(metadata: &Metadata) -> Millis {
    let since = metadata.modified().ok().and_then(|at| at.into_std().duration_since(UNIX_EPOCH).ok());
    since.and_then(|since| Millis::try_from(since.as_millis()).ok()).unwrap_or_default()
}

fn modified_nanoseconds(metadata: &Metadata) -> i64 {
    let Ok(at) = metadata.modified().map(cap_std::time::SystemTime::into_std) else { return 0 };
    match at.duration_since(UNIX_EPOCH) {
        Ok(after) => i64::try_from(after.as_nanos()).unwrap_or(i64::MAX),
        Err(before) => i64::try_from(before.duration().as_nanos()).map_or(i64::MIN, |before| -before),
    }
}

#[cfg(unix)]
fn changed(metadata: &Metadata) -> Option<i64> {
    use cap_std::fs::MetadataExt;

    Some(metadata.ctime().saturating_mul(1_000_000_000).saturating_add(metadata.ctime_nsec()))
}

#[cfg(not(unix))]
fn changed(_: &Metadata) -> Option<i64> {
    None
}
