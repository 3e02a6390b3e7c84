//! What systems do differently: renaming without replacing, and making a folder's entries durable.
//!
//! Must never be asked with more than one component: the callers hold the folder itself.

use std::io;
use std::path::Path;

use cap_std::fs::{Dir, File, Metadata};

/// Gives `from` in `source` the name `to` in `target`; fails when the name is taken, also by a link.
pub(super) fn rename_new(source: &Dir, from: &str, target: &Dir, to: &Path) -> io::Result<()> {
    #[cfg(unix)]
    {
        use rustix::fs::{RenameFlags, renameat_with};
        use rustix::io::Errno;

        match renameat_with(source, from, target, to, RenameFlags::NOREPLACE) {
            // The kernel or the file system does not know the flag.
            Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {}
            done => return Ok(done?),
        }
    }
    link_new(source, from, target, to)
}

/// The same in two steps: a crash between them leaves both names.
pub(super) fn link_new(source: &Dir, from: &str, target: &Dir, to: &Path) -> io::Result<()> {
    source.hard_link(from, target, to)?;
    source.remove_file(from)
}

/// Makes the entries of a folder durable, where the system can.
pub(super) fn sync_entries(folder: &Dir) -> io::Result<()> {
    #[cfg(unix)]
    {
        use rustix::fs::{Mode, OFlags, fsync, openat};

        // The handle that is held may be one that only resolves paths.
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        fsync(openat(folder, ".", flags, Mode::empty())?)?;
    }
    #[cfg(not(unix))]
    let _ = folder;
    Ok(())
}

/// Makes all that was written to the file system of a folder durable, where the system can.
pub(super) fn sync_file_system(folder: &Dir) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{Mode, OFlags, openat, syncfs};

        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        syncfs(openat(folder, ".", flags, Mode::empty())?)?;
    }
    #[cfg(all(unix, not(target_os = "linux")))]
    rustix::fs::sync();
    #[cfg(not(unix))]
    let _ = folder;
    Ok(())
}

/// Gives `file` the mode of the file that it replaces, its owner and group where the system allows, and, when `opened` is that
/// file, its access list and extended attributes as far as the system allows. Nobody gets a right that he had not: where the
/// owner or the group cannot be kept, the bits that lend their rights go, and members of another group get what all others have.
pub(super) fn dress_like(file: &File, old: &Metadata, opened: Option<&File>) -> io::Result<()> {
    #[cfg(unix)]
    {
        use cap_std::fs::{MetadataExt, PermissionsExt};
        use rustix::fs::{Gid, Uid, fchown};

        let new = file.metadata()?;
        let owner = (new.uid() != old.uid()).then(|| Uid::from_raw(old.uid()));
        let group = (new.gid() != old.gid()).then(|| Gid::from_raw(old.gid()));
        // Only root may give files away; to a group of his own their owner may.
        let all_kept = (owner.is_none() && group.is_none()) || fchown(file, owner, group).is_ok();
        let group_kept = all_kept || group.is_none() || fchown(file, None, group).is_ok();
        let mut mode = old.mode() & if all_kept { 0o7777 } else { 0o1777 };
        if !group_kept {
            mode = (mode & !0o070) | ((mode & 0o007) << 3);
        }
        attributes::remove_access_list(file);
        file.set_permissions(cap_std::fs::Permissions::from_mode(mode))?;
        if let Some(opened) = opened.filter(|_| group_kept) {
            attributes::copy(opened, file);
        }
        Ok(())
    }
    #[cfg(not(unix))]
    {
        let _ = opened;
        file.set_permissions(old.permissions())
    }
}

/// Extended attributes, where they are those of an open file. A file system without them has nothing to copy.
#[cfg(any(target_os = "linux", target_os = "macos"))]
mod attributes {
    use cap_std::fs::File;
    use rustix::fs::{XattrFlags, fgetxattr, flistxattr, fremovexattr, fsetxattr};

    /// The attribute in which Linux keeps an access list.
    const ACCESS_LIST: &[u8] = b"system.posix_acl_access";

    /// Bytes of a longest value, and of all names.
    const LONGEST: usize = 64 << 10;

    /// Takes away the access list that a new file has from its folder.
    pub(super) fn remove_access_list(file: &File) {
        let _ = fremovexattr(file, ACCESS_LIST);
    }

    /// Copies what people and programs have noted, and the access list. Labels of the system (`security.`, `trusted.`) are
    /// its own affair.
    pub(super) fn copy(from: &File, to: &File) {
        let mut names = vec![0; LONGEST];
        let Ok(length) = flistxattr(from, names.as_mut_slice()) else { return };
        let mut value = vec![0; LONGEST];
        for name in names.get(..length).unwrap_or_default().split(|byte| *byte == 0) {
            let is_ours = cfg!(target_os = "macos") || name.starts_with(b"user.") || name == ACCESS_LIST;
            if name.is_empty() || !is_ours {
                continue;
            }
            if let Ok(length) = fgetxattr(from, name, value.as_mut_slice()) {
                let _ = fsetxattr(to, name, value.get(..length).unwrap_or_default(), XattrFlags::empty());
            }
        }
    }
}

/// Systems on which attributes stay behind.
#[cfg(all(unix, not(any(target_os = "linux", target_os = "macos"))))]
mod attributes {
    use cap_std::fs::File;

    pub(super) fn remove_access_list(_: &File) {}

    pub(super) fn copy(_: &File, _: &File) {}
}

/// Makes `file` its owner's alone.
pub(super) fn undress(file: &File) -> io::Result<()> {
    #[cfg(unix)]
    {
        use cap_std::fs::PermissionsExt;

        file.set_permissions(cap_std::fs::Permissions::from_mode(0o600))
    }
    #[cfg(not(unix))]
    {
        let _ = file;
        Ok(())
    }
}

/// Gives `file`, which only its owner may read, the mode that new files have.
pub(super) fn dress_as_new(file: &File, usual: &Metadata) -> io::Result<()> {
    file.set_permissions(usual.permissions())
}
