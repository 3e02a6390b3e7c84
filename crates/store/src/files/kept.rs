//! What is beneath a root as it is: looked at, and made what it was at another place.
//!
//! Must never follow a link, and never write for a caller who has a name from anybody but the root itself.

use std::ffi::{OsStr, OsString};
use std::io::{self, ErrorKind, Write};
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use cap_fs_ext::DirExt;
use cap_std::fs::{Dir, File, Metadata, OpenOptions};

use super::disk_path::{DiskPath, name_of};
use super::error::{FileAction, FileError};
use super::platform::sync_entries;
use super::read::{Reader, no_follow};
use super::reserved::is_temporary;
use super::root::Folder;
use super::stamp::Stamp;
use super::temporary::{Access, TemporaryFile};

/// How many folders deep is looked.
const DEPTH: usize = 64;

/// What is at a path.
#[derive(Debug)]
pub(crate) enum OnDisk {
    Nothing,
    /// A link, a pipe, a device.
    Other,
    Folder,
    File(Box<FileOnDisk>),
    /// A file that this process may not read.
    Closed(Stamp, FileError),
}

/// A file that is open.
#[derive(Debug)]
pub(crate) struct FileOnDisk {
    pub(crate) reader: Reader,
    pub(crate) stamp: Stamp,
    pub(crate) mode: u32,
}

/// Something that is beneath a folder.
#[derive(Debug)]
pub(crate) struct SeenOnDisk {
    pub(crate) path: String,
    /// Nothing for a folder.
    pub(crate) stamp: Option<Stamp>,
}

impl Folder {
    /// What is at `path`, also where engross itself keeps something.
    pub(crate) fn on_disk(&self, path: &str) -> Result<OnDisk, FileError> {
        let path = DiskPath::parse_any(path)?;
        let failed = |error: io::Error| FileError::io(path.as_str(), FileAction::Reading, &error);
        let Some((dir, name)) = self.way_to(&path, false)? else { return Ok(OnDisk::Nothing) };
        let metadata = match dir.symlink_metadata(&*name) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(OnDisk::Nothing),
            metadata => metadata.map_err(failed)?,
        };
        if metadata.is_dir() {
            return Ok(OnDisk::Folder);
        }
        if !metadata.is_file() {
            return Ok(OnDisk::Other);
        }
        let mut options = OpenOptions::new();
        options.read(true);
        let file = match dir.open_with(&*name, no_follow(&mut options)) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(OnDisk::Nothing),
            Err(error) if error.kind() == ErrorKind::PermissionDenied => {
                return Ok(OnDisk::Closed(Stamp::of(&metadata), failed(error)));
            }
            file => file.map_err(failed)?,
        };
        let metadata = file.metadata().map_err(failed)?;
        if !metadata.is_file() {
            return Ok(OnDisk::Other);
        }
        let (stamp, mode) = (Stamp::of(&metadata), mode(&metadata));
        Ok(OnDisk::File(Box::new(FileOnDisk { reader: Reader::new(file, &metadata), stamp, mode })))
    }

    /// Tells `see` of every file and folder beneath this one but unfinished ones that were never staged, and those at its top of
    /// these names. Gives the folders of which not all could be looked at; the empty path is this one.
    pub(crate) fn all_on_disk(&self, leave_out: &[&str], see: &mut dyn FnMut(SeenOnDisk)) -> Vec<String> {
        let mut walk = Walk { opens: false, leave_out, see, closed: Vec::new() };
        walk.look(&self.dir, None, DEPTH);
        walk.closed
    }

    /// The same, and gives this process the rights on folders that their owner can give. Nobody else is to work in them meanwhile.
    pub(crate) fn all_on_disk_opened(
        &self,
        leave_out: &[&str],
        see: &mut dyn FnMut(SeenOnDisk),
    ) -> Vec<String> {
        let mut walk = Walk { opens: true, leave_out, see, closed: Vec::new() };
        walk.look(&self.dir, None, DEPTH);
        walk.closed
    }

    /// Lets this process read the file at `path`, if it is the file's owner.
    pub(crate) fn open_to_owner(&self, path: &str) -> Result<(), FileError> {
        let path = DiskPath::parse_any(path)?;
        let Some((dir, name)) = self.way_to(&path, false)? else { return Ok(()) };
        let failed = |error: io::Error| FileError::io(path.as_str(), FileAction::Writing, &error);
        let metadata = dir.symlink_metadata(&*name).map_err(failed)?;
        if metadata.is_file() { give_rights(&dir, &name, &metadata, 0o400).map_err(failed) } else { Ok(()) }
    }

    /// Moves the file at `path` to another folder, unread.
    pub(crate) fn move_unread(&self, path: &str, to: &Self, target: &str) -> Result<(), FileError> {
        let (path, target) = (DiskPath::parse_any(path)?, DiskPath::parse_any(target)?);
        let failed = |error: io::Error| FileError::io(path.as_str(), FileAction::Writing, &error);
        let (Some((dir, name)), Some((to, new))) = (self.way_to(&path, false)?, to.way_to(&target, true)?)
        else {
            return Ok(());
        };
        dir.rename(&*name, &to, &*new).and_then(|()| sync_entries(&to)).map_err(failed)
    }

    /// Makes the folder at `path`.
    pub(crate) fn restore_folder(&self, path: &str) -> Result<(), FileError> {
        let path = DiskPath::parse_any(path)?;
        let Some((dir, name)) = self.way_to(&path, true)? else { return Ok(()) };
        let failed = |error: io::Error| FileError::io(path.as_str(), FileAction::Writing, &error);
        match dir.symlink_metadata(&*name) {
            Ok(metadata) if metadata.is_dir() => return Ok(()),
            Ok(_) => dir.remove_file(&*name).map_err(failed)?,
            Err(_) => {}
        }
        made(dir.create_dir(&*name)).map_err(failed)
    }

    /// Whether something else than folders is on the way to `path`, or something else than a file at it.
    pub(crate) fn is_in_the_way(&self, path: &str) -> Result<bool, FileError> {
        let path = DiskPath::parse_any(path)?;
        let failed = |error: io::Error| FileError::io(path.as_str(), FileAction::Reading, &error);
        let mut dir = Arc::clone(&self.dir);
        let mut names = path.components().peekable();
        while let Some(name) = names.next() {
            let name = name_of(name).ok_or_else(|| FileError::invalid(path.as_str(), "it is no name"))?;
            match dir.symlink_metadata(&*name) {
                Ok(there) if names.peek().is_none() => return Ok(!there.is_file()),
                Ok(there) if !there.is_dir() => return Ok(true),
                Ok(_) => dir = Arc::new(dir.open_dir_nofollow(&*name).map_err(failed)?),
                Err(error) if is_nothing(&error) => return Ok(false),
                Err(error) => return Err(failed(error)),
            }
        }
        Ok(false)
    }

    /// Begins to make the file at `path` another one.
    pub(crate) fn restore_file(&self, path: &str) -> Result<RestoredFile, FileError> {
        let path = DiskPath::parse_any(path)?;
        let gone = || FileError::not_written(path.as_str(), "there is no place for it");
        let (dir, name) = self.way_to(&path, true)?.ok_or_else(gone)?;
        let failed = |error: io::Error| FileError::io(path.as_str(), FileAction::Writing, &error);
        let temporary = TemporaryFile::create(&dir, Access::Owner).map_err(failed)?;
        Ok(RestoredFile { path, dir, name, temporary })
    }

    /// Removes what is at `path`: a file, or a folder with all that is in it.
    pub(crate) fn remove_from_disk(&self, path: &str) -> Result<(), FileError> {
        let path = DiskPath::parse_any(path)?;
        let Some((dir, name)) = self.way_to(&path, false)? else { return Ok(()) };
        let is_folder = dir.symlink_metadata(&*name).is_ok_and(|there| there.is_dir());
        let removed = if is_folder { dir.remove_dir_all(&*name) } else { dir.remove_file(&*name) };
        match removed.and_then(|()| sync_entries(&dir)) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(FileError::io(path.as_str(), FileAction::Writing, &error))
            }
            _ => Ok(()),
        }
    }

    /// The folder that `path` is in, and its name there; with `is_made` it is made if it is missing, also in the place of a file.
    fn way_to(&self, path: &DiskPath, is_made: bool) -> Result<Option<(Arc<Dir>, OsString)>, FileError> {
        let doing = if is_made { FileAction::Writing } else { FileAction::Reading };
        let failed = |error: io::Error| FileError::io(path.as_str(), doing, &error);
        let no_name = || FileError::invalid(path.as_str(), "it is no name");
        let mut dir = Arc::clone(&self.dir);
        let mut names = path.components().peekable();
        while let Some(name) = names.next() {
            let name = name_of(name).ok_or_else(no_name)?;
            if names.peek().is_none() {
                return Ok(Some((dir, name.into_owned())));
            }
            if is_made {
                match dir.symlink_metadata(&*name) {
                    Ok(there) if there.is_dir() => {}
                    Ok(_) => dir.remove_file(&*name).and_then(|()| dir.create_dir(&*name)).map_err(failed)?,
                    // Another one may make it in this moment.
                    Err(_) => made(dir.create_dir(&*name)).map_err(failed)?,
                }
            }
            dir = match dir.open_dir_nofollow(&*name) {
                Ok(next) => Arc::new(next),
                Err(error) if is_made => return Err(failed(error)),
                Err(error) if !is_nothing(&error) && is_folder_or_unknown(&dir, &name) => {
                    return Err(failed(error));
                }
                Err(_) => return Ok(None),
            };
        }
        Ok(None)
    }
}

/// A file on its way to a path. It is removed if it is not finished.
pub(crate) struct RestoredFile {
    path: DiskPath,
    dir: Arc<Dir>,
    name: OsString,
    temporary: TemporaryFile,
}

impl RestoredFile {
    /// Adds bytes at its end.
    pub(crate) fn append(&mut self, bytes: &[u8]) -> Result<(), FileError> {
        let written = self.temporary.file.write_all(bytes);
        written.map_err(|error| self.failed(&error))
    }

    /// Gives it its name, with this mode and time; gives what tells it from another one.
    pub(crate) fn finish(self, mode: u32, modified: i64) -> Result<Stamp, FileError> {
        let stamp = self.place(mode, modified).map_err(|error| self.failed(&error))?;
        self.temporary.placed();
        Ok(stamp)
    }

    /// The same, and has it durable.
    pub(crate) fn finish_durably(self, mode: u32, modified: i64) -> Result<(), FileError> {
        let failed =
            |path: &DiskPath, error: io::Error| FileError::io(path.as_str(), FileAction::Writing, &error);
        let (dir, path) = (Arc::clone(&self.dir), self.path.clone());
        self.temporary.file.sync_all().map_err(|error| failed(&path, error))?;
        self.finish(mode, modified)?;
        sync_entries(&dir).map_err(|error| failed(&path, error))
    }

    fn place(&self, mode: u32, modified: i64) -> io::Result<Stamp> {
        let Self { dir, name, temporary, .. } = self;
        set_mode(&temporary.file, mode)?;
        let since = Duration::from_nanos(u64::try_from(modified).unwrap_or_default());
        temporary.file.try_clone()?.into_std().set_modified(UNIX_EPOCH + since)?;
        if dir.symlink_metadata(name).is_ok_and(|there| there.is_dir()) {
            dir.remove_dir_all(name)?;
        }
        dir.rename(&temporary.name, dir, name)?;
        temporary.file.metadata().map(|metadata| Stamp::of(&metadata))
    }

    fn failed(&self, error: &io::Error) -> FileError {
        FileError::io(self.path.as_str(), FileAction::Writing, error)
    }
}

/// Whether there is a folder, or nobody can say what there is: only what is known not to be there is nothing.
fn is_folder_or_unknown(dir: &Dir, name: &OsStr) -> bool {
    match dir.symlink_metadata(name) {
        Ok(there) => there.is_dir(),
        Err(error) => !is_nothing(&error),
    }
}

fn is_nothing(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

fn made(made: io::Result<()>) -> io::Result<()> {
    match made {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

/// A look at all that is beneath a folder.
struct Walk<'a> {
    /// Whether folders are opened that their owner can open.
    opens: bool,
    /// Names at the top.
    leave_out: &'a [&'a str],
    see: &'a mut dyn FnMut(SeenOnDisk),
    /// Folders of which not all could be looked at.
    closed: Vec<String>,
}

impl Walk<'_> {
    fn look(&mut self, dir: &Dir, folder: Option<&DiskPath>, depth: usize) {
        let own = || folder.map(|folder| folder.as_str().to_owned()).unwrap_or_default();
        let entries = match dir.entries() {
            Ok(entries) => entries,
            Err(error) if folder.is_some() && is_nothing(&error) => return,
            Err(_) => return self.closed.push(own()),
        };
        let mut is_closed = false;
        for entry in entries {
            let Ok(entry) = entry else {
                is_closed = true;
                break;
            };
            let name = entry.file_name();
            let is_left_out = name.to_str().is_some_and(|name| {
                is_temporary(name) || (folder.is_none() && self.leave_out.contains(&name))
            });
            let (Some(path), false) = (DiskPath::found(folder, &name), is_left_out) else { continue };
            let metadata = match dir.symlink_metadata(&name) {
                Ok(metadata) => metadata,
                Err(error) => {
                    is_closed |= !is_nothing(&error);
                    continue;
                }
            };
            if metadata.is_file() {
                (self.see)(SeenOnDisk { path: path.into_text(), stamp: Some(Stamp::of(&metadata)) });
            } else if metadata.is_dir() && depth > 0 {
                if self.opens {
                    // What cannot be opened is told as closed.
                    let _ = give_rights(dir, &name, &metadata, 0o700);
                }
                (self.see)(SeenOnDisk { path: path.as_str().to_owned(), stamp: None });
                match dir.open_dir_nofollow(&name) {
                    Ok(inner) => self.look(&inner, Some(&path), depth - 1),
                    Err(error) if is_nothing(&error) || !is_folder_or_unknown(dir, &name) => {}
                    Err(_) => self.closed.push(path.into_text()),
                }
            }
        }
        if is_closed {
            self.closed.push(own());
        }
    }
}

/// Gives the owner of what was just seen under a name these rights, if they are missing.
#[cfg(unix)]
fn give_rights(dir: &Dir, name: &OsStr, seen: &Metadata, rights: u32) -> io::Result<()> {
    use cap_std::fs::PermissionsExt;

    let mode = seen.permissions().mode() & 0o7777;
    if mode & rights == rights {
        return Ok(());
    }
    dir.set_permissions(name, cap_std::fs::Permissions::from_mode(mode | rights))
}

#[cfg(not(unix))]
fn give_rights(_: &Dir, _: &OsStr, _: &Metadata, _: u32) -> io::Result<()> {
    Ok(())
}

#[cfg(unix)]
fn mode(metadata: &Metadata) -> u32 {
    use cap_std::fs::PermissionsExt;

    metadata.permissions().mode() & 0o777
}

#[cfg(not(unix))]
fn mode(_: &Metadata) -> u32 {
    0o600
}

#[cfg(unix)]
fn set_mode(file: &File, mode: u32) -> io::Result<()> {
    use cap_std::fs::PermissionsExt;

    file.set_permissions(cap_std::fs::Permissions::from_mode(mode & 0o777))
}

#[cfg(not(unix))]
fn set_mode(_: &File, _: u32) -> io::Result<()> {
    Ok(())
}
