//! Removes what killed processes have left.
//!
//! Must never remove what somebody is still writing: that is locked, and a lock ends with its process. A file is made before
//! it is locked, so nothing young is touched either.

use cap_fs_ext::DirExt;
use cap_std::fs::{Dir, OpenOptions};

use super::error::FileError;
use super::list::entries;
use super::mirror::FileChange;
use super::read::no_follow;
use super::reserved::{is_reserved, is_temporary};
use super::root::Folder;
use super::stamp::modified;
use super::temporary::{Lock, lock};
use crate::Millis;

/// How many folders deep is swept.
const DEPTH: usize = 64;

/// How long it must be since an unfinished file was last written to, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ages {
    /// For files whose writing was cut off. Nothing can be made of them.
    pub temporary: Millis,
    /// For staged files, which somebody may want to go on with.
    pub staged: Millis,
}

/// A minute, and a day.
impl Default for Ages {
    fn default() -> Self {
        Self { temporary: 60_000, staged: 24 * 60 * 60 * 1000 }
    }
}

impl Folder {
    /// As [`Folder::sweep`], in this folder alone.
    ///
    /// # Errors
    /// As [`Folder::sweep`].
    pub fn sweep_here(&self, now: Millis, ages: Ages) -> Result<usize, FileError> {
        self.sweep_down_to(0, &|name, modified| {
            is_temporary(name) && modified.saturating_add(ages.temporary) <= now
        })
    }

    /// Removes unfinished files beneath this folder that nobody has open and that are old enough at `now`; says how many.
    /// Where the file system has no locks, nothing is removed.
    ///
    /// # Errors
    /// When this folder itself cannot be read. What else cannot be opened or removed is left.
    pub fn sweep(&self, now: Millis, ages: Ages) -> Result<usize, FileError> {
        self.sweep_down_to(DEPTH, &|name, modified| {
            let age = if is_temporary(name) { ages.temporary } else { ages.staged };
            modified.saturating_add(age) <= now
        })
    }

    fn sweep_down_to(&self, depth: usize, is_old: &dyn Fn(&str, Millis) -> bool) -> Result<usize, FileError> {
        let mut removed = Vec::new();
        sweep(&self.dir, "", depth, is_old, &mut removed)?;
        let changes: Vec<_> = removed.iter().map(|path| (path.as_str(), FileChange::Replaced)).collect();
        self.keep_elsewhere(&changes)?;
        Ok(removed.len())
    }
}

fn sweep(
    dir: &Dir,
    base: &str,
    depth: usize,
    is_old: &dyn Fn(&str, Millis) -> bool,
    removed: &mut Vec<String>,
) -> Result<(), FileError> {
    for (name, kind) in entries(dir, base)? {
        if kind.is_dir() && depth > 0 {
            if let Ok(inner) = dir.open_dir_nofollow(&name) {
                let _ = sweep(&inner, &format!("{base}{name}/"), depth - 1, is_old, removed);
            }
        } else if kind.is_file() && is_reserved(&name) && remove(dir, &name, is_old) {
            removed.push(format!("{base}{name}"));
        }
    }
    Ok(())
}

fn remove(dir: &Dir, name: &str, is_old: &dyn Fn(&str, Millis) -> bool) -> bool {
    let mut options = OpenOptions::new();
    options.read(true);
    let opened = dir.open_with(name, no_follow(&mut options));
    let Ok(file) = opened else { return false };
    let is_old =
        file.metadata().is_ok_and(|metadata| metadata.is_file() && is_old(name, modified(&metadata)));
    // Only what is old is locked, so that its owner is never told that somebody else has it.
    if !is_old {
        return false;
    }
    let (_locked, lock) = lock(file);
    lock == Lock::Taken && dir.remove_file(name).is_ok()
}
