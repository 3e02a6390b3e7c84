//! Writes AGENTS.md and its like: locks the file, reads it again, replaces it as a whole.

use std::fs::File;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::whole::{folder_of, read, unwritable, write, write_beside};
use crate::Error;
use crate::agents_md::{self, BlockWarning, MarkerMode, plan};

/// How often a file that others write at the same time is read again.
const TRIES: u32 = 5;

/// What became of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BlockSync {
    /// Which.
    pub path: PathBuf,
    /// Whether it was written, or would have been.
    pub is_changed: bool,
    /// Where a person's changes inside the block were kept, or the whole file before a repair.
    pub kept: Vec<PathBuf>,
    /// What a person should know.
    pub warnings: Vec<BlockWarning>,
}

/// Brings the blocks of some files up to date; `inner` is Markdown, `None` takes the blocks out. A file that several paths
/// lead to is written once. With `is_dry` nothing is written.
///
/// # Errors
/// [`Error::Markers`], [`Error::ReadFailed`], [`Error::WriteFailed`], for the first file that fails.
pub fn sync_files(
    paths: &[PathBuf],
    inner: Option<&str>,
    mode: MarkerMode,
    is_dry: bool,
) -> Result<Vec<BlockSync>, Error> {
    let mut done: Vec<FileIdentity> = Vec::new();
    let mut synced = Vec::new();
    for path in paths {
        let identity = identity(path);
        if done.contains(&identity) {
            continue;
        }
        synced.push(sync(path, inner, mode, is_dry)?);
        // A file that was not there before has an identity only now.
        done.push(self::identity(path));
    }
    Ok(synced)
}

/// What is wrong with a file's block.
///
/// # Errors
/// As [`sync_files`].
pub fn check_file(path: &Path) -> Result<Vec<BlockWarning>, Error> {
    let bytes = read(path)?.unwrap_or_default();
    agents_md::check(&bytes).map_err(|source| Error::Markers { path: path.display().to_string(), source })
}

/// What is wrong with a file's block, held against what it should show.
///
/// # Errors
/// As [`sync_files`].
pub fn check_file_against(path: &Path, inner: Option<&str>) -> Result<Vec<BlockWarning>, Error> {
    let mut warnings = check_file(path)?;
    if sync(path, inner, MarkerMode::Strict, true)?.is_changed {
        warnings.push(BlockWarning::Outdated);
    }
    Ok(warnings)
}

fn sync(path: &Path, inner: Option<&str>, mode: MarkerMode, is_dry: bool) -> Result<BlockSync, Error> {
    if std::fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink()) && !path.exists() {
        return Err(unwritable(path, &"it is a link that leads nowhere"));
    }
    let _lock = if is_dry { None } else { lock(path)? };
    for _ in 0..TRIES {
        let old = read(path)?;
        let change = plan(old.as_deref(), inner, mode)
            .map_err(|source| Error::Markers { path: path.display().to_string(), source })?;
        let mut synced = BlockSync {
            path: path.to_owned(),
            is_changed: change.bytes.is_some(),
            kept: Vec::new(),
            warnings: change.warnings.clone(),
        };
        let Some(new) = change.bytes.filter(|_| !is_dry) else { return Ok(synced) };
        if std::fs::metadata(path).is_ok_and(|metadata| metadata.permissions().readonly()) {
            return Err(unwritable(path, &"it is read-only"));
        }
        // Someone else may have written in the meantime, without a lock.
        if read(path)? != old {
            continue;
        }
        if let Some(edited) = &change.edited {
            synced.kept.push(write_beside(path, "edited", edited)?);
        }
        if change.warnings.contains(&BlockWarning::Repaired) {
            synced.kept.push(write_beside(path, "before-repair", old.as_deref().unwrap_or_default())?);
        }
        write(path, &new)?;
        return Ok(synced);
    }
    Err(unwritable(path, &"someone else keeps changing it"))
}

/// Keeps other runs of this program away from the files of a folder. Nothing is left behind: the lock is on the folder.
#[expect(clippy::disallowed_methods, reason = "this is the module that touches paths")]
fn lock(path: &Path) -> Result<Option<File>, Error> {
    let real = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let folder = folder_of(&real);
    std::fs::create_dir_all(folder).map_err(|error| unwritable(path, &error))?;
    // Not every system can open or lock a folder; the file is read again before it is replaced all the same.
    let Ok(file) = File::open(folder) else { return Ok(None) };
    Ok(file.lock().is_ok().then_some(file))
}

/// What tells files apart.
type FileIdentity = (Option<(u64, u64)>, PathBuf);

fn identity(path: &Path) -> FileIdentity {
    let real = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        if let Ok(metadata) = std::fs::metadata(path) {
            return (Some((metadata.dev(), metadata.ino())), PathBuf::new());
        }
    }
    (None, real)
}
