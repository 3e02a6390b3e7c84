//! What systems do differently: renaming without replacing, and making a folder's entries durable.
//!
//! Must never be asked with more than one component: the callers hold the folder itself.

use std::io;

use cap_std::fs::{Dir, File, Metadata};

/// Gives `from` in `source` the name `to` in `target`; fails when the name is taken, also by a link.
pub(super) fn rename_new(source: &Dir, from: &str, target: &Dir, to: &str) -> io::Result<()> {
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
pub(super) fn link_new(source: &Dir, from: &str, target: &Dir, to: &str) -> io::Result<()> {
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

/// Gives `file` the mode of the file it replaces, and its owner where that is allowed.
pub(super) fn dress_like(file: &File, old: &Metadata) -> io::Result<()> {
    #[cfg(unix)]
    {
        use cap_std::fs::{MetadataExt, PermissionsExt};
        use rustix::fs::{Gid, Uid, fchown};

        let new = file.metadata()?;
        let mut mode = old.mode() & 0o7777;
        let owner = (new.uid() != old.uid()).then(|| Uid::from_raw(old.uid()));
        let group = (new.gid() != old.gid()).then(|| Gid::from_raw(old.gid()));
        // Only root may give files away. A file of another owner must not keep the bits that lend his rights.
        if (owner.is_some() || group.is_some())
            && fchown(file, owner, group).is_err()
            && (fchown(file, None, group).is_err() || owner.is_some())
        {
            mode &= 0o1777;
        }
        file.set_permissions(cap_std::fs::Permissions::from_mode(mode))
    }
    #[cfg(not(unix))]
    file.set_permissions(old.permissions())
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
