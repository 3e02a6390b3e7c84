//! What is known to be kept of each file, and what of a changed one is to be sent.
//!
//! Must never read or send anything: it says what.

use std::collections::{BTreeMap, HashMap};

use super::table::{FileContent, FilePart, FileRow};
use crate::files::{FileChange, SeenOnDisk, Stamp, is_reserved};

/// The bytes of the largest part.
pub(super) const PART: u64 = 4 << 20;

/// The bytes of the longest end that a row holds itself.
pub(super) const TAIL: u64 = 32 << 10;

/// So many parts at the end of a file that are smaller than the largest are put together.
const SMALL_PARTS: usize = 16;

/// A file as it is kept, without the end that its row holds: all of these are in memory.
#[derive(Debug)]
struct KnownFile {
    /// Its first parts; nothing for a folder.
    parts: Option<Vec<FilePart>>,
    size: u64,
    /// What the file on this disk was then; nothing for a folder.
    stamp: Option<Stamp>,
}

/// All files of an owner as they are kept.
#[derive(Debug, Default)]
pub(super) struct KnownFiles {
    by_path: BTreeMap<String, KnownFile>,
    by_inode: HashMap<(u64, u64), String>,
}

/// What of a file is to be looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Plan {
    /// It is kept as it is.
    Nothing,
    /// The first parts are there, and what is behind them is to be sent.
    Rest { parts: Vec<FilePart> },
    /// Those of these parts are there which the file still begins with; what is behind them is to be sent.
    Compare { parts: Vec<FilePart> },
}

impl KnownFiles {
    /// What is to be done with the file at `path`, which is `now`.
    pub(super) fn plan(&self, path: &str, change: FileChange, now: &Stamp) -> Plan {
        let known =
            self.by_path.get(path).and_then(|known| Some((known.parts.as_ref()?, known.size, known.stamp?)));
        if known.is_some_and(|(_, _, stamp)| stamp == *now) {
            return Plan::Nothing;
        }
        let inode = (now.device, now.inode);
        match known {
            Some((parts, size, stamp))
                if change == FileChange::Grown
                    && (stamp.device, stamp.inode) == inode
                    && size <= now.size =>
            {
                return Plan::Rest { parts: with_room(parts) };
            }
            _ => {}
        }
        let Some(moved) = self.moved(path, now) else {
            return Plan::Compare { parts: known.map(|(parts, ..)| parts.clone()).unwrap_or_default() };
        };
        let (moved, parts) = moved;
        // A system gives the number of a removed file to the next one, and anybody may set the time: what a program has at hand is another
        // file that looks alike. An unfinished file of engross is nobody else's.
        if change == FileChange::Replaced && is_unfinished(moved) {
            Plan::Rest { parts: parts.clone() }
        } else {
            Plan::Compare { parts: parts.clone() }
        }
    }

    /// Another path that the file now at `path` may have had before, and its parts.
    fn moved(&self, path: &str, now: &Stamp) -> Option<(&str, &Vec<FilePart>)> {
        let moved = self.by_inode.get(&(now.device, now.inode)).filter(|moved| *moved != path)?;
        let KnownFile { parts, size, stamp } = self.by_path.get(moved)?;
        let is_alike = stamp.is_some_and(|stamp| (stamp.size, stamp.modified) == (now.size, now.modified));
        parts.as_ref().filter(|_| is_alike && *size == now.size).map(|parts| (moved.as_str(), parts))
    }

    /// Whether a folder is kept at `path`.
    pub(super) fn has_folder(&self, path: &str) -> bool {
        self.by_path.get(path).is_some_and(|known| known.parts.is_none())
    }

    /// Whether something is kept beneath `path`.
    fn has_beneath(&self, path: &str) -> bool {
        let inner = format!("{path}/");
        self.by_path.range(inner.clone()..).next().is_some_and(|(path, _)| path.starts_with(&inner))
    }

    /// What is kept at `path` and beneath it.
    pub(super) fn beneath(&self, path: &str) -> Vec<String> {
        let inner = format!("{path}/");
        let own = self.by_path.contains_key(path).then(|| path.to_owned());
        let beneath = self.by_path.range(inner.clone()..).map(|(path, _)| path);
        own.into_iter().chain(beneath.take_while(|path| path.starts_with(&inner)).cloned()).collect()
    }

    /// Notes what is kept now.
    pub(super) fn put(&mut self, row: FileRow, stamp: Option<Stamp>) {
        self.remove(&row.path);
        if let Some(stamp) = stamp {
            self.by_inode.insert((stamp.device, stamp.inode), row.path.clone());
        }
        let size = row.size();
        let parts = match row.content {
            FileContent::Folder => None,
            FileContent::Bytes { parts, .. } => Some(parts),
        };
        self.by_path.insert(row.path, KnownFile { parts, size, stamp });
    }

    /// Notes what is not kept any more.
    pub(super) fn remove(&mut self, path: &str) {
        let Some(KnownFile { stamp: Some(stamp), .. }) = self.by_path.remove(path) else { return };
        let inode = (stamp.device, stamp.inode);
        if self.by_inode.get(&inode).is_some_and(|known| known == path) {
            self.by_inode.remove(&inode);
        }
    }

    /// The paths beneath `folder`, which begins with what its root is called, that are not as they are kept: `seen` is what is there, by
    /// paths beneath the root, and of the folders `closed` that is not all. What engross itself has not finished is left out, unless it
    /// is to be taken in, too.
    pub(super) fn differing(
        &self,
        root: &str,
        folder: &str,
        seen: &[SeenOnDisk],
        closed: &[String],
        takes_in: bool,
    ) -> Vec<(String, FileChange)> {
        let is_left_out = |path: &str| !takes_in && is_unfinished(path);
        let mut differing = Vec::new();
        let mut there = std::collections::BTreeSet::new();
        for SeenOnDisk { path, stamp } in seen {
            let path = format!("{root}/{path}");
            let known = self.by_path.get(&path);
            let is_known = match (known, stamp) {
                (Some(known), Some(stamp)) => known.stamp == Some(*stamp),
                (Some(known), None) => known.parts.is_none(),
                // A folder with something in it needs no row.
                (None, None) => self.has_beneath(&path),
                (None, Some(_)) => false,
            };
            if !is_known && !is_left_out(&path) {
                differing.push((path.clone(), FileChange::Found));
            }
            there.insert(path);
        }
        let gone = self.beneath(folder).into_iter().filter(|path| !there.contains(path));
        let gone = gone.filter(|path| !is_left_out(path) && path != folder);
        // Nobody knows of what cannot be looked at that it is gone.
        let gone = gone.filter(|path| !closed.iter().any(|closed| is_beneath(path, closed)));
        differing.extend(gone.map(|path| (path, FileChange::Found)));
        differing
    }

    /// The objects of a term that are needed.
    pub(super) fn needed(&self, term: u64) -> std::collections::HashSet<[u8; 32]> {
        let parts = self.by_path.values().filter_map(|known| known.parts.as_ref()).flatten();
        parts.filter(|part| part.term == term).map(|part| part.sha256).collect()
    }
}

/// What two changes of one file come to: one that was found may be another one than what was told.
pub(super) fn both(one: FileChange, other: FileChange) -> FileChange {
    if one == other { one } else { FileChange::Replaced }
}

/// How many of the next bytes are the next part, of `left`; none when they are what the row itself holds.
pub(super) fn next_part(left: u64) -> Option<u64> {
    (left > TAIL).then(|| left.min(PART))
}

/// The parts of a file that grows, so that it never has many small ones: when there are, they are sent again as fewer.
fn with_room(parts: &[FilePart]) -> Vec<FilePart> {
    let small = parts.iter().rev().take_while(|part| part.length < PART).count();
    let kept = if small >= SMALL_PARTS { parts.len() - small } else { parts.len() };
    parts.get(..kept).unwrap_or_default().to_vec()
}

/// Whether a path is that of a folder, or beneath it.
pub(super) fn is_beneath(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn is_unfinished(path: &str) -> bool {
    path.rsplit('/').next().is_some_and(is_reserved)
}
