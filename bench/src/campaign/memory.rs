//! A group of processes that the system lets have so much memory, and whose largest it kills when that is not enough.
//!
//! Must never be put around anything but one node: what is killed is what the system chooses.

use std::path::{Path, PathBuf};

use crate::faults::server::{failed, read_file};
use crate::{Error, Result};

/// Where control groups are: those that have memory as a tree of its own, and those of one tree.
const TREES: [(&str, &str, &str); 2] =
    [("/sys/fs/cgroup/memory", "memory.limit_in_bytes", "-1"), ("/sys/fs/cgroup", "memory.max", "max")];

/// How much more is tried where the system takes a limit for too small, in KiB, and how often.
const STEP: (u64, u64) = (512, 200);

/// A group; gone when dropped, if it is empty by then.
pub(super) struct MemoryGroup {
    folder: PathBuf,
    limit: &'static str,
    none: &'static str,
}

impl MemoryGroup {
    /// Makes one; `None` where nobody may.
    pub(super) fn make(name: &str) -> Option<Self> {
        TREES.into_iter().find_map(|(tree, limit, none)| {
            let folder = Path::new(tree).join(name);
            std::fs::create_dir(&folder).ok()?;
            // Dropped, and gone, where this tree has nothing to do with memory.
            let group = Self { folder, limit, none };
            group.folder.join(limit).exists().then_some(group)
        })
    }

    /// Where a process writes its number to be in it.
    pub(super) fn entrance(&self) -> PathBuf {
        self.folder.join("cgroup.procs")
    }

    /// Lets it have what it has, and so many KiB more.
    pub(super) fn tighten(&self, more: u64) -> Result<()> {
        let has = self.has() >> 10;
        let mut limits = (0..STEP.1).map(|step| (has + more + step * STEP.0) << 10);
        // The system refuses one that it cannot reach by giving up copies of files.
        match limits.find(|limit| self.set(&limit.to_string()).is_ok()) {
            Some(_) => Ok(()),
            None => Err(failed(format!("{} takes no limit", self.folder.display()))),
        }
    }

    /// Lets it have what it wants.
    pub(super) fn loosen(&self) -> Result<()> {
        self.set(self.none)
    }

    /// The bytes that it has and that are not just copies of files on a disk.
    fn has(&self) -> u64 {
        let told = read_file(&self.folder.join("memory.stat"));
        let of_name = |name: &str| {
            let line = told.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
            line.and_then(|bytes| bytes.parse::<u64>().ok()).unwrap_or(0)
        };
        let kernel = read_file(&self.folder.join("memory.kmem.usage_in_bytes"));
        let kernel = kernel.trim().parse().unwrap_or_else(|_| of_name("kernel"));
        ["rss", "anon", "shmem"].into_iter().map(of_name).sum::<u64>() + kernel
    }

    #[expect(clippy::disallowed_methods, reason = "a chore limits the processes that it tries")]
    fn set(&self, limit: &str) -> Result<()> {
        let file = self.folder.join(self.limit);
        std::fs::write(&file, limit).map_err(Error::file(&file))
    }
}

impl Drop for MemoryGroup {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir(&self.folder);
    }
}
