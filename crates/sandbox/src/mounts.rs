//! Gives this process a view of all file systems in which nothing can be changed but beneath its own places.
//!
//! Must never be the only fence: Landlock has no right for the mode, the owner, the times and the attributes of a file, and this
//! closes that where the account may have a view of its own. Must never change what others see.

use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStringExt as _;
use std::path::PathBuf;

use rustix::io::Errno;
use rustix::mount::{MountFlags, MountPropagationFlags, mount_bind_recursive, mount_change, mount_remount};
use rustix::process::{getgid, getuid};
use rustix::thread::{CapabilitySet, CapabilitySets, UnshareFlags, capabilities, set_capabilities};

/// A file of the kernel, and which number in it allows.
type KernelSwitch = (&'static str, fn(u64) -> bool);

/// Where a view of one's own is refused although the kernel has such: what stands there when it is not.
const SWITCHES: &[KernelSwitch] = &[
    ("/proc/sys/user/max_user_namespaces", |most| most > 0),
    ("/proc/sys/user/max_mnt_namespaces", |most| most > 0),
    ("/proc/sys/kernel/unprivileged_userns_clone", |allowed| allowed != 0),
    ("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", |restricted| restricted == 0),
];

/// Whether this account may have a view of its own, as far as the kernel tells.
pub(crate) fn are_separable() -> bool {
    if may_mount() {
        return true;
    }
    // Names of an account of its own would take root's rights over the files of others from it.
    let is_ordinary = !getuid().is_root();
    is_ordinary && SWITCHES.iter().all(|(file, allows)| number(file).is_none_or(allows))
}

/// Takes the view, for this process and all that it starts. `write` are the places that stay as they are. What of the file
/// systems cannot be told apart stays changeable, and an error when that is all of them.
pub(crate) fn separate(write: &[PathBuf]) -> io::Result<()> {
    let here = std::env::current_dir()?;
    let has_own_account = !may_mount();
    if has_own_account {
        if getuid().is_root() {
            return Err(Errno::PERM.into());
        }
        own_account()?;
    } else {
        leave(UnshareFlags::NEWNS)?;
    }
    // Nothing of what follows is seen elsewhere.
    mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)?;
    let places: Vec<PathBuf> = write.iter().filter_map(|place| place.canonicalize().ok()).collect();
    for place in &places {
        mount_bind_recursive(place, place)?;
    }
    let table = own_file("/proc/self/mountinfo")?;
    for (point, flags) in mounts(&table) {
        if places.iter().any(|place| point.starts_with(place)) {
            continue;
        }
        match mount_remount(&point, MountFlags::BIND | MountFlags::RDONLY | flags, "") {
            // Another lies over it, or nobody of this account can enter it.
            Ok(()) | Err(Errno::INVAL | Errno::NOENT | Errno::ACCESS | Errno::NOTDIR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    // The folder that it stands in is still seen in the old way.
    std::env::set_current_dir(here)?;
    if has_own_account {
        let none = CapabilitySet::empty();
        set_capabilities(None, CapabilitySets { effective: none, permitted: none, inheritable: none })?;
    }
    Ok(())
}

fn may_mount() -> bool {
    capabilities(None).is_ok_and(|has| has.effective.contains(CapabilitySet::SYS_ADMIN))
}

#[expect(
    deprecated,
    reason = "the call is only unsafe with a flag that parts the table of open files, which is not given"
)]
fn leave(what: UnshareFlags) -> io::Result<()> {
    Ok(rustix::thread::unshare(what)?)
}

/// An account in which this process may mount, and has the numbers that it had.
#[expect(clippy::disallowed_methods, reason = "/proc is no place of a user's files")]
fn own_account() -> io::Result<()> {
    let (user, group) = (getuid().as_raw(), getgid().as_raw());
    leave(UnshareFlags::NEWUSER | UnshareFlags::NEWNS)?;
    std::fs::write("/proc/self/setgroups", "deny")?;
    std::fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
    std::fs::write("/proc/self/gid_map", format!("{group} {group} 1"))
}

/// The places of all file systems with what holds of them already, which may not be taken away.
pub(super) fn mounts(table: &[u8]) -> Vec<(PathBuf, MountFlags)> {
    table.split(|byte| *byte == b'\n').filter_map(mount).collect()
}

/// A line of `mountinfo`; none for what is no place of files.
fn mount(line: &[u8]) -> Option<(PathBuf, MountFlags)> {
    let mut words = line.split(|byte| *byte == b' ');
    let (point, options) = (words.nth(4)?, words.next()?);
    let kind = words.skip_while(|word| *word != b"-").nth(1)?;
    // The first belongs to processes, whose own entries are theirs to write; to look at the second would mount something.
    if [&b"proc"[..], b"autofs"].contains(&kind) {
        return None;
    }
    let flag = |option: &[u8]| match option {
        b"nosuid" => MountFlags::NOSUID,
        b"nodev" => MountFlags::NODEV,
        b"noexec" => MountFlags::NOEXEC,
        _ => MountFlags::empty(),
    };
    let flags = options.split(|byte| *byte == b',').map(flag).fold(MountFlags::empty(), MountFlags::union);
    Some((PathBuf::from(OsString::from_vec(unescaped(point))), flags))
}

/// Blanks and the like stand as three octal digits.
fn unescaped(word: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(word.len());
    let mut rest = word;
    while let [first, after @ ..] = rest {
        let digits = after.get(..3).filter(|_| *first == b'\\');
        let byte = digits.and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 8).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &after[3..] } else { after };
    }
    bytes
}

#[expect(clippy::disallowed_methods, reason = "/proc is no place of a user's files")]
fn own_file(path: &str) -> io::Result<Vec<u8>> {
    std::fs::read(path)
}

fn number(path: &str) -> Option<u64> {
    let bytes = own_file(path).ok()?;
    String::from_utf8_lossy(&bytes).trim().parse().ok()
}
