//! A control group for what is watched, where this account may make one: the kernel ends all in it at once, and nothing in
//! it can start anything meanwhile.
//!
//! Must never hold a process that is not beneath the one who watches, nor be the only way to an end: many accounts may make
//! none.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What the names of ours begin with; the number of the watching process follows.
const NAME: &str = "engross-";

/// How often it is tried to remove a group whose last process has just gone.
const TRIES: u32 = 100;

/// A group of this process, beneath the one that it is in.
pub(crate) struct ControlGroup {
    own: PathBuf,
    above: PathBuf,
}

impl ControlGroup {
    /// Makes one; `None` where that cannot be done (version 2 of control groups, Linux 5.14, and the right to it).
    pub(crate) fn make() -> Option<Self> {
        let above = own_folder()?;
        remove_left(&above);
        let own = above.join(format!("{NAME}{}", std::process::id()));
        fs::create_dir(&own).ok()?;
        let group = Self { own, above };
        if group.own.join("cgroup.kill").exists() {
            return Some(group);
        }
        group.remove();
        None
    }

    /// Starts something in the group: this process goes in for as long as that takes, so that nothing can be started by what it
    /// starts before it belongs to the group.
    ///
    /// # Errors
    /// When this process cannot leave it again; then nothing may be ended by it.
    pub(crate) fn starting<T>(&self, start: impl FnOnce() -> T) -> io::Result<T> {
        let entered = enter(&self.own).is_ok();
        let started = start();
        if entered {
            enter(&self.above)?;
        }
        Ok(started)
    }

    /// Ends all that is in it.
    #[expect(clippy::disallowed_methods, reason = "what the kernel is told is no file")]
    pub(crate) fn kill(&self) {
        // A group that cannot do it any more is not the only way.
        let _ = fs::write(self.own.join("cgroup.kill"), "1");
    }

    /// Removes it, when nothing is in it any more.
    pub(crate) fn remove(&self) {
        for _ in 0..TRIES {
            match fs::remove_dir(&self.own) {
                // The kernel takes a moment to forget those that have been waited for.
                Err(error) if error.kind() == io::ErrorKind::ResourceBusy => {
                    std::thread::sleep(Duration::from_millis(2));
                }
                _ => return,
            }
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "what the kernel is told is no file")]
fn enter(group: &Path) -> io::Result<()> {
    fs::write(group.join("cgroup.procs"), "0")
}

/// Removes empty groups of those who watched and were killed.
fn remove_left(above: &Path) {
    for entry in fs::read_dir(above).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let number = name.to_str().and_then(|name| name.strip_prefix(NAME)?.parse::<u32>().ok());
        if number.is_some_and(|number| !Path::new(&format!("/proc/{number}")).exists()) {
            // One that still holds somebody stays.
            let _ = fs::remove_dir(entry.path());
        }
    }
}

/// The folder of the group that this process is in.
#[expect(clippy::disallowed_methods, reason = "/proc is no place of a user's files")]
fn own_folder() -> Option<PathBuf> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    let mounts = fs::read_to_string("/proc/self/mountinfo").ok()?;
    folder_of(&groups, &mounts)
}

/// What the two files of the kernel say together: the group of version 2, beneath the place where that is mounted.
pub(crate) fn folder_of(groups: &str, mounts: &str) -> Option<PathBuf> {
    let group = groups.lines().find_map(|line| line.strip_prefix("0::"))?;
    mounts.lines().find_map(|line| {
        let (about, kind) = line.split_once(" - ")?;
        if kind.split(' ').next() != Some("cgroup2") {
            return None;
        }
        let mut words = about.split(' ').skip(3);
        let (root, place) = (words.next()?, words.next()?);
        let beneath = Path::new(group).strip_prefix(root).ok()?;
        Some(Path::new(place).join(beneath))
    })
}
