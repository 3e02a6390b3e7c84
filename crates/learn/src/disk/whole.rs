//! Whole files: read within bounds, written whole or not at all.

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use crate::Error;

/// Bytes of the largest file that is read at once.
const LARGEST: u64 = 1 << 30;

pub(super) fn unreadable(path: &Path, reason: &dyn std::fmt::Display) -> Error {
    Error::ReadFailed { path: path.display().to_string(), reason: reason.to_string() }
}

pub(super) fn unwritable(path: &Path, reason: &dyn std::fmt::Display) -> Error {
    Error::WriteFailed { path: path.display().to_string(), reason: reason.to_string() }
}

/// The bytes of a file; `None` when there is none.
#[expect(clippy::disallowed_methods, reason = "this is the module that touches paths")]
pub(super) fn read(path: &Path) -> Result<Option<Vec<u8>>, Error> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unreadable(path, &error)),
    };
    let metadata = file.metadata().map_err(|error| unreadable(path, &error))?;
    if !metadata.is_file() {
        return Err(unreadable(path, &"it is no ordinary file"));
    }
    if metadata.len() > LARGEST {
        return Err(unreadable(path, &format!("it is larger than {} MiB", LARGEST >> 20)));
    }
    let mut bytes = Vec::new();
    file.take(LARGEST).read_to_end(&mut bytes).map_err(|error| unreadable(path, &error))?;
    Ok(Some(bytes))
}

/// The text of a file; `None` when there is none.
///
/// # Errors
/// [`Error::ReadFailed`], for text that is no UTF-8 too.
pub fn read_text(path: &Path) -> Result<Option<String>, Error> {
    let Some(bytes) = read(path)? else { return Ok(None) };
    String::from_utf8(bytes).map(Some).map_err(|_| unreadable(path, &"it is no UTF-8 text"))
}

/// Writes a file whole: a new one takes its place. The mode and the owner of the old one stay; what the path links to is
/// replaced, not the link.
///
/// # Errors
/// [`Error::WriteFailed`]; the old file is whole then.
#[expect(clippy::disallowed_methods, reason = "this is the module that touches paths")]
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let real = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let folder = folder_of(&real);
    let failed = |error: std::io::Error| unwritable(path, &error);
    std::fs::create_dir_all(folder).map_err(failed)?;
    let (mut file, temporary) = temporary(&real).map_err(failed)?;
    let written = fill(&mut file, bytes, &real).and_then(|()| std::fs::rename(&temporary, &real));
    if let Err(error) = written {
        let _ = std::fs::remove_file(&temporary);
        return Err(failed(error));
    }
    // The file is in its place; that a crash cannot undo the renaming is the folder's affair.
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
    Ok(())
}

fn fill(file: &mut File, bytes: &[u8], replaced: &Path) -> std::io::Result<()> {
    if let Ok(metadata) = std::fs::metadata(replaced) {
        file.set_permissions(metadata.permissions())?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::{MetadataExt, fchown};
            // Only a privileged program may give a file away; for others it is theirs already.
            let _ = fchown(&*file, Some(metadata.uid()), Some(metadata.gid()));
        }
    }
    file.write_all(bytes)?;
    file.sync_all()
}

/// A new file beside `real`, with a name that nobody has.
fn temporary(real: &Path) -> std::io::Result<(File, PathBuf)> {
    let name = real.file_name().and_then(|name| name.to_str()).unwrap_or("file");
    let mut last = None;
    for attempt in 0..100u32 {
        let path = real.with_file_name(format!(".engross-{name}-{}-{attempt}.tmp", std::process::id()));
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(file) => return Ok((file, path)),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => last = Some(error),
            Err(error) => return Err(error),
        }
    }
    Err(last.unwrap_or_else(|| std::io::Error::other("no name is free for a temporary file")))
}

/// Keeps bytes beside a file under a new name such as `AGENTS.md.edited-1`, and gives that name.
///
/// # Errors
/// [`Error::WriteFailed`].
pub fn write_beside(path: &Path, suffix: &str, bytes: &[u8]) -> Result<PathBuf, Error> {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or("file").to_owned();
    for number in 1..10_000u32 {
        let beside = path.with_file_name(format!("{name}.{suffix}-{number}"));
        match OpenOptions::new().write(true).create_new(true).open(&beside) {
            Ok(mut file) => {
                file.write_all(bytes)
                    .and_then(|()| file.sync_all())
                    .map_err(|error| unwritable(&beside, &error))?;
                return Ok(beside);
            }
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(unwritable(&beside, &error)),
        }
    }
    Err(unwritable(path, &"no name is free beside it"))
}

pub(super) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    }
}
