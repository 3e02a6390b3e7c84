//! Files that a person names by a path: read within bounds, written whole or not at all.
//!
//! Links are followed: what a path leads to is read and replaced, and the link stays. Must never take a path from anybody but
//! the person: names from models, clients and archives go through a [`super::Folder`]. Everything here blocks.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cap_std::ambient_authority;
use cap_std::fs::{Dir, Metadata};
use engross_protocol::{Code, Failure, shared};

use super::codes;
use super::locks::FolderLock;
use super::platform::sync_entries;
use super::replace::FinishedFile;
use super::stamp::Stamp;
use super::temporary::{Access, TemporaryFile};

/// A file that a person named was not read or not written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// There is nothing at the path.
    #[error("there is no file {path}; check the name and the folder", path = .path.display())]
    NotFound {
        /// The path.
        path: PathBuf,
    },
    /// A folder is there.
    #[error("{path} is a folder; name a file in it", path = .path.display())]
    IsADirectory {
        /// The path.
        path: PathBuf,
    },
    /// The system does not give its bytes.
    #[error("{path} cannot be read: {reason}; check its permissions", path = .path.display())]
    ReadFailed {
        /// The path.
        path: PathBuf,
        /// What the system says.
        reason: String,
    },
    /// It is larger than the caller takes.
    #[error("{path} is larger than {} MiB, which is the most that is opened; split it", .limit >> 20, path = .path.display())]
    TooLarge {
        /// The path.
        path: PathBuf,
        /// The most that is taken, in bytes.
        limit: u64,
    },
    /// A text was wanted.
    #[error("{path} is no UTF-8 text; save it as UTF-8", path = .path.display())]
    NotUtf8 {
        /// The path.
        path: PathBuf,
    },
    /// It holds secrets, and others may read or change it.
    #[error(
        "{path} can be read or changed by others (its mode is {mode:o}), so what it holds may be known; take their rights \
         away (chmod 600), and make new secrets if it was so for long",
        path = .path.display()
    )]
    NotPrivate {
        /// The path.
        path: PathBuf,
        /// The mode that it has.
        mode: u32,
    },
    /// It was not written.
    #[error("{path} cannot be written: {reason}; nothing was changed there", path = .path.display())]
    WriteFailed {
        /// The path.
        path: PathBuf,
        /// What the system says.
        reason: String,
    },
    /// There is no room for it.
    #[error("{path} cannot be written: {reason}; make room there or write elsewhere; nothing was changed", path = .path.display())]
    DiskFull {
        /// The path.
        path: PathBuf,
        /// What the system says.
        reason: String,
    },
    /// It is not the file that was read.
    #[error(
        "{path} was changed by someone else in the meantime, so it was not replaced; read it again, or write elsewhere",
        path = .path.display()
    )]
    InputChanged {
        /// The path.
        path: PathBuf,
    },
}

impl PathError {
    /// The stable code, explained in `docs/errors/CODE.md`.
    #[must_use]
    pub fn code(&self) -> &'static str {
        self.row().name
    }

    /// The row of its code.
    #[must_use]
    pub fn row(&self) -> &'static Code {
        match self {
            Self::NotFound { .. } => codes::NOT_FOUND,
            Self::IsADirectory { .. } => codes::IS_A_DIRECTORY,
            Self::ReadFailed { .. } => shared::READ_FAILED,
            Self::TooLarge { .. } => codes::FILE_TOO_LARGE,
            Self::NotUtf8 { .. } => codes::NOT_UTF8,
            Self::NotPrivate { .. } => codes::NOT_PRIVATE,
            Self::WriteFailed { .. } => shared::WRITE_FAILED,
            Self::DiskFull { .. } => codes::DISK_FULL,
            Self::InputChanged { .. } => codes::INPUT_CHANGED,
        }
    }

    fn reading(path: &Path, error: &std::io::Error) -> Self {
        let path = path.to_owned();
        match error.kind() {
            ErrorKind::NotFound | ErrorKind::NotADirectory => Self::NotFound { path },
            _ => Self::ReadFailed { path, reason: error.to_string() },
        }
    }

    /// What the system's error means for a file that was to be written.
    pub(super) fn writing(path: &Path, error: &std::io::Error) -> Self {
        let (path, reason) = (path.to_owned(), error.to_string());
        match error.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
                Self::DiskFull { path, reason }
            }
            _ => Self::WriteFailed { path, reason },
        }
    }

    fn refused(path: &Path, reason: &str) -> Self {
        Self::WriteFailed { path: path.to_owned(), reason: reason.to_owned() }
    }
}

/// A path that is absolute and without links, as far as there is something at it.
#[must_use]
pub fn absolute(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// The bytes of a file, at most `limit` of them, and what tells whether it is changed later.
///
/// # Errors
/// [`PathError::NotFound`], [`PathError::IsADirectory`], [`PathError::TooLarge`], [`PathError::ReadFailed`].
#[expect(clippy::disallowed_methods, reason = "this is the module that the ban points to")]
pub fn read(path: &Path, limit: u64) -> Result<(Vec<u8>, Stamp), PathError> {
    let failed = |error: std::io::Error| PathError::reading(path, &error);
    // Opening a pipe waits for a writer, so the kind of file is asked for first.
    let metadata = std::fs::metadata(path).map_err(failed)?;
    if metadata.is_dir() {
        return Err(PathError::IsADirectory { path: path.to_owned() });
    }
    if metadata.len() > limit {
        return Err(PathError::TooLarge { path: path.to_owned(), limit });
    }
    let file = File::open(path).map_err(failed)?;
    let stamp = Metadata::from_file(&file).map_err(failed)?;
    Ok((read_from(file, path, limit)?, Stamp::of(&stamp)))
}

/// The bytes of a stream that a person knows as `path`, at most `limit` of them.
///
/// # Errors
/// [`PathError::TooLarge`], [`PathError::ReadFailed`].
pub fn read_from(source: impl Read, path: &Path, limit: u64) -> Result<Vec<u8>, PathError> {
    let mut bytes = Vec::new();
    source
        .take(limit.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(|error| PathError::ReadFailed { path: path.to_owned(), reason: error.to_string() })?;
    if u64::try_from(bytes.len()).is_ok_and(|length| length > limit) {
        return Err(PathError::TooLarge { path: path.to_owned(), limit });
    }
    Ok(bytes)
}

/// The bytes of all files beneath a folder, as far as they can be looked at; `leave_out` names what at its top is not counted. No
/// link is followed.
#[must_use]
pub fn size_beneath(folder: &Path, leave_out: &[&str]) -> u64 {
    let mut sum = 0_u64;
    let mut folders = vec![(folder.to_owned(), leave_out)];
    while let Some((folder, leave_out)) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for entry in entries.flatten() {
            if leave_out.iter().any(|name| entry.file_name() == *name) {
                continue;
            }
            // Of a link the link itself.
            let Ok(metadata) = entry.metadata() else { continue };
            match metadata.is_dir() {
                true => folders.push((entry.path(), &[])),
                false => sum = sum.saturating_add(metadata.len()),
            }
        }
    }
    sum
}

/// How many bytes a file has; none where there is none.
pub fn size(path: &Path) -> u64 {
    std::fs::metadata(path).map(|metadata| metadata.len()).unwrap_or_default()
}

/// Whether everybody on this machine may read or change what is at a path, as far as the system knows rights.
#[must_use]
pub fn is_open_to_all(path: &Path) -> bool {
    #[cfg(unix)]
    return std::fs::metadata(path)
        .is_ok_and(|metadata| std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o007 != 0);
    #[cfg(not(unix))]
    {
        let _ = path;
        false
    }
}

/// A file that holds secrets, which has to be its owner's alone where the system knows owners; up to `limit` bytes.
///
/// # Errors
/// [`PathError::NotPrivate`]; else as [`read`].
#[expect(clippy::disallowed_methods, reason = "this is the module that the ban points to")]
pub fn read_private(path: &Path, limit: u64) -> Result<Vec<u8>, PathError> {
    let failed = |error: std::io::Error| PathError::reading(path, &error);
    if std::fs::metadata(path).map_err(failed)?.is_dir() {
        return Err(PathError::IsADirectory { path: path.to_owned() });
    }
    let file = File::open(path).map_err(failed)?;
    #[cfg(unix)]
    {
        let metadata = file.metadata().map_err(failed)?;
        let mode = std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o777;
        if mode & 0o077 != 0 {
            return Err(PathError::NotPrivate { path: path.to_owned(), mode });
        }
    }
    read_from(file, path, limit)
}

/// The text of a file.
///
/// # Errors
/// [`PathError::NotUtf8`], else as [`read`].
pub fn read_text(path: &Path, limit: u64) -> Result<String, PathError> {
    String::from_utf8(read(path, limit)?.0).map_err(|_| PathError::NotUtf8 { path: path.to_owned() })
}

/// Whether a new file can be made in a folder. None is left.
///
/// # Errors
/// [`PathError::WriteFailed`].
pub fn check_folder(folder: &Path) -> Result<(), PathError> {
    let made = Dir::open_ambient_dir(folder, ambient_authority())
        .and_then(|dir| TemporaryFile::create(&Arc::new(dir), Access::Owner));
    made.map(drop).map_err(|error| PathError::refused(folder, &error.to_string()))
}

/// Whether both paths lead to one file, by whatever names.
#[must_use]
pub fn is_same_file(one: &Path, other: &Path) -> bool {
    let (Ok(one), Ok(other)) = (std::fs::canonicalize(one), std::fs::canonicalize(other)) else {
        return false;
    };
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let identity = |path| std::fs::metadata(path).ok().map(|metadata| (metadata.dev(), metadata.ino()));
        one == other || identity(&one).is_some_and(|found| Some(found) == identity(&other))
    }
    #[cfg(not(unix))]
    {
        one == other
    }
}

/// Refuses what no file can be written to: a folder, a device. Nothing is written.
///
/// # Errors
/// [`PathError::WriteFailed`].
pub fn check_target(path: &Path) -> Result<(), PathError> {
    match std::fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => Err(PathError::refused(path, "it is a folder")),
        Ok(metadata) if !metadata.is_file() => Err(PathError::refused(path, "it is no ordinary file")),
        _ => Ok(()),
    }
}

/// The folder in which the file at `path` is or will be, by its absolute path, and the file's name in it. Links are followed.
///
/// # Errors
/// [`PathError::WriteFailed`] when there is no such folder, or the name is no Unicode text.
pub fn folder_and_name(path: &Path) -> Result<(PathBuf, String), PathError> {
    let real = absolute(path);
    let folder = std::fs::canonicalize(folder_of(&real)).map_err(|error| PathError::writing(path, &error))?;
    let name = real.file_name().and_then(OsStr::to_str);
    let name = name.ok_or_else(|| PathError::refused(path, "its name is no Unicode text"))?;
    Ok((folder, name.to_owned()))
}

/// Makes `bytes` those of the file at `path`, all of them or none, durably. A file that is replaced passes on its mode and
/// attributes, and its owner and group where the system allows; its further names (hard links) keep the old bytes. With
/// `unchanged_since` it must still be the file of that stamp.
///
/// # Errors
/// [`PathError::InputChanged`], [`PathError::DiskFull`], [`PathError::WriteFailed`]; nothing is changed then.
pub fn write(path: &Path, bytes: &[u8], unchanged_since: Option<&Stamp>) -> Result<(), PathError> {
    put(path, bytes, unchanged_since, false)
}

/// As [`write()`], for a file that only its owner may read, whatever mode an older one has.
///
/// # Errors
/// As [`write()`].
pub fn write_private(path: &Path, bytes: &[u8]) -> Result<(), PathError> {
    put(path, bytes, None, true)
}

fn put(path: &Path, bytes: &[u8], unchanged_since: Option<&Stamp>, private: bool) -> Result<(), PathError> {
    check_target(path)?;
    let failed = |error: std::io::Error| PathError::writing(path, &error);
    let real = absolute(path);
    let dir = Dir::open_ambient_dir(folder_of(&real), ambient_authority()).map(Arc::new).map_err(failed)?;
    let name = Path::new(real.file_name().ok_or_else(|| PathError::refused(path, "it names no file"))?);
    // A link that leads nowhere is replaced itself.
    let look = || dir.symlink_metadata(name).ok().filter(Metadata::is_file);
    let check = |now: Option<&Metadata>| match (unchanged_since, now) {
        (None, _) => Ok(()),
        (Some(then), Some(now)) if then.has_same_bytes(&Stamp::of(now)) => Ok(()),
        (Some(_), _) => Err(PathError::InputChanged { path: path.to_owned() }),
    };
    let old = look();
    check(old.as_ref())?;
    let access = if private || old.is_some() { Access::Owner } else { Access::Usual };
    let mut temporary = TemporaryFile::create(&dir, access).map_err(failed)?;
    temporary.file.write_all(bytes).map_err(failed)?;
    let finished = FinishedFile::of(&temporary, access);
    if private { finished.file.sync_all() } else { finished.prepare(&dir, name, old.as_ref()) }
        .map_err(failed)?;
    check(look().as_ref())?;
    finished.rename(&dir, name, false).map_err(failed)?;
    temporary.placed();
    // The file is in its place; that a crash cannot undo the renaming is the folder's affair.
    let _ = sync_entries(&dir);
    Ok(())
}

/// Removes a file, if it is there.
///
/// # Errors
/// [`PathError::WriteFailed`].
pub fn remove(path: &Path) -> Result<(), PathError> {
    let failed = |error: std::io::Error| PathError::refused(path, &error.to_string());
    let name = path.file_name().ok_or_else(|| PathError::refused(path, "it names no file"))?;
    let dir = Dir::open_ambient_dir(folder_of(path), ambient_authority()).map_err(failed)?;
    match dir.remove_file(name) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(failed(error)),
        _ => Ok(()),
    }
}

/// Makes a folder and those above it, unless they are there.
///
/// # Errors
/// [`PathError::WriteFailed`].
pub fn make_folder(path: &Path) -> Result<(), PathError> {
    std::fs::create_dir_all(path).map_err(|error| PathError::refused(path, &error.to_string()))
}

/// Makes a folder with all above it, unless it is there; what is made is its owner's alone, where the system knows owners.
///
/// # Errors
/// As [`make_folder`].
pub fn make_private_folder(path: &Path) -> Result<(), PathError> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path).map_err(|error| PathError::refused(path, &error.to_string()))
}

/// Takes a folder for this process by the lock on the file `lock` in it; `None` while another process has it.
///
/// # Errors
/// [`PathError::WriteFailed`], also where the file system has no locks.
pub fn lock_folder(folder: &Path) -> Result<Option<FolderLock>, PathError> {
    let path = folder.join("lock");
    match lock_by(&path)? {
        Some(lock) if !lock.is_exclusive() => Err(PathError::refused(&path, "its file system has no locks")),
        lock => Ok(lock),
    }
}

/// Takes the lock on the file `path`, which is made; `None` while somebody else has it. Two who first read a file and then
/// replace it need one beside that file: a condition of the write alone has a moment between its check and the new name.
///
/// # Errors
/// [`PathError::WriteFailed`].
pub fn lock_by(path: &Path) -> Result<Option<FolderLock>, PathError> {
    let file = File::options().create(true).truncate(false).write(true).open(path);
    let file = file.map_err(|error| PathError::refused(path, &error.to_string()))?;
    Ok(FolderLock::of(cap_std::fs::File::from_std(file)))
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    }
}

/// A folder, or more than can be opened, is no document; everything else is the disk.
impl From<PathError> for Failure {
    fn from(error: PathError) -> Self {
        Self::of(error.row(), error.to_string())
    }
}
