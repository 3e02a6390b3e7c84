//! What is in use of a quota.
//!
//! Must never go on counting when the answer is known.

use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use crate::order::{Quota, WatchVerdict};

/// The size of a block in what the system tells of a file.
const BLOCK: u64 = 512;

/// Whether what lies in `places` is more than `quota` allows. Links are counted, and not followed.
pub(crate) fn exceeds(quota: &Quota, places: &[PathBuf]) -> Option<WatchVerdict> {
    if quota.files.is_none() && quota.bytes.is_none() {
        return None;
    }
    let (mut files, mut bytes) = (0_u64, 0_u64);
    let mut folders = places.to_vec();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            // Of the entry itself: a link is no way out.
            let Ok(about) = entry.metadata() else { continue };
            files += 1;
            bytes += about.blocks() * BLOCK;
            if about.is_dir() {
                folders.push(entry.path());
            }
            if quota.files.is_some_and(|most| files > most) {
                return Some(WatchVerdict::Files);
            }
            if quota.bytes.is_some_and(|most| bytes > most) {
                return Some(WatchVerdict::Bytes);
            }
        }
    }
    None
}
