//! Writing a whole file or nothing: a temporary file in the same folder takes the place of the old one.

use std::fs::Metadata;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use super::Error;
use super::read::{FileState, Input};
use crate::signals::HeldBack;

/// Where a result shall go.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Target<'a> {
    /// Into this file.
    File(&'a Path),
    /// In place of the document.
    InPlace,
    /// Beside the document, as `NAME.SUFFIX.docx`.
    Beside(&'static str),
}

/// Where a result goes.
#[derive(Debug)]
pub(crate) struct Destination {
    /// As the person knows it.
    shown: PathBuf,
    /// Where the bytes go: what `shown` links to.
    real: PathBuf,
    /// The state that the replaced document must still have.
    expected: Option<FileState>,
}

impl Destination {
    /// Finds the place for the result about `input`. Nothing is written yet, but what would certainly fail does so here.
    pub(crate) fn of(input: &Input, target: Target<'_>) -> Result<Self, Error> {
        let shown = match target {
            Target::File(path) => path.to_owned(),
            Target::InPlace => input.path.clone(),
            Target::Beside(suffix) => beside(&input.path, suffix),
        };
        let real = std::fs::canonicalize(&shown).unwrap_or_else(|_| shown.clone());
        if matches!(target, Target::InPlace) {
            return Ok(Self { shown, real, expected: Some(input.state.clone()) });
        }
        if let Ok(metadata) = std::fs::metadata(&real)
            && is_same_file(&input.path, &real, &metadata)
        {
            return Err(Error::OutputIsInput { path: shown });
        }
        Self::new_file(&shown)
    }

    /// Whether the document itself is replaced.
    pub(crate) fn is_in_place(&self) -> bool {
        self.expected.is_some()
    }

    /// A file that is made of nothing that is there.
    pub(crate) fn new_file(path: &Path) -> Result<Self, Error> {
        let shown = path.to_owned();
        let real = std::fs::canonicalize(&shown).unwrap_or_else(|_| shown.clone());
        if let Ok(metadata) = std::fs::metadata(&real) {
            let refused =
                |reason: &str| Error::WriteFailed { path: shown.clone(), reason: reason.to_owned() };
            if metadata.is_dir() {
                return Err(refused("it is a folder"));
            }
            if !metadata.is_file() {
                return Err(refused("it is no ordinary file"));
            }
        }
        Ok(Self { shown, real, expected: None })
    }

    /// The file as the person knows it.
    pub(crate) fn path(&self) -> &Path {
        &self.shown
    }

    /// The folder in which the file is or will be, by its absolute path, and the file's name in it. Links are followed.
    pub(crate) fn place(&self) -> Result<(PathBuf, String), Error> {
        let folder =
            std::fs::canonicalize(folder_of(&self.real)).map_err(|error| failed(&self.shown, &error))?;
        let name = self.real.file_name().and_then(|name| name.to_str());
        let name = name.ok_or_else(|| Error::WriteFailed {
            path: self.shown.clone(),
            reason: "its name is no Unicode text".to_owned(),
        })?;
        Ok((folder, name.to_owned()))
    }

    /// Writes all of `bytes`, or nothing.
    pub(crate) fn write(&self, bytes: &[u8]) -> Result<(), Error> {
        let _held_back = HeldBack::new();
        let failed = |error: &std::io::Error| failed(&self.shown, error);
        let replaced = std::fs::metadata(&self.real).ok();
        if let (Some(expected), replaced) = (&self.expected, &replaced)
            && replaced.as_ref().map(FileState::of).as_ref() != Some(expected)
        {
            return Err(Error::InputChanged { path: self.shown.clone() });
        }
        let folder = folder_of(&self.real);
        let mut file = temporary_file(folder, replaced.as_ref()).map_err(|error| failed(&error))?;
        file.write_all(bytes).and_then(|()| file.as_file().sync_all()).map_err(|error| failed(&error))?;
        file.persist(&self.real).map_err(|error| failed(&error.error))?;
        // The file is in its place; that a crash cannot undo the renaming is the folder's affair.
        sync_folder(folder);
        Ok(())
    }
}

/// Makes a folder and those above it, unless they are there.
pub(crate) fn make_folder(path: &Path) -> Result<(), Error> {
    std::fs::create_dir_all(path)
        .map_err(|error| Error::WriteFailed { path: path.to_owned(), reason: error.to_string() })
}

/// Writes a file that only this person may read, in place of an older one.
pub(crate) fn write_private(path: &Path, text: &str) -> Result<(), Error> {
    let failed = |error: &std::io::Error| failed(path, error);
    // Such files are made for their owner alone.
    let mut file = tempfile::Builder::new()
        .prefix(".engross-")
        .tempfile_in(folder_of(path))
        .map_err(|error| failed(&error))?;
    file.write_all(text.as_bytes()).map_err(|error| failed(&error))?;
    file.persist(path).map(drop).map_err(|error| failed(&error.error))
}

/// Whether temporary files can be made.
pub(crate) fn temporary_folder_is_writable() -> Result<PathBuf, (PathBuf, String)> {
    let folder = std::env::temp_dir();
    match tempfile::Builder::new().prefix(".engross-").tempfile_in(&folder) {
        Ok(_) => Ok(folder),
        Err(error) => Err((folder, error.to_string())),
    }
}

/// `NAME.SUFFIX.docx` in the folder of `path`.
fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push(".");
    name.push(suffix);
    name.push(".docx");
    path.with_file_name(name)
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    }
}

/// Whether both are one file, by whatever names.
fn is_same_file(input: &Path, output: &Path, output_metadata: &Metadata) -> bool {
    if std::fs::canonicalize(input).is_ok_and(|input| input == *output) {
        return true;
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let identity = |metadata: &Metadata| (metadata.dev(), metadata.ino());
        std::fs::metadata(input).is_ok_and(|input| identity(&input) == identity(output_metadata))
    }
    #[cfg(not(unix))]
    {
        let _ = output_metadata;
        false
    }
}

/// A temporary file with the permissions of the file that it will replace, else the usual ones of a new file.
fn temporary_file(folder: &Path, replaced: Option<&Metadata>) -> std::io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".engross-").suffix(".tmp");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // The system takes away what its mask forbids.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    let file = builder.tempfile_in(folder)?;
    if let Some(replaced) = replaced {
        file.as_file().set_permissions(replaced.permissions())?;
    }
    Ok(file)
}

pub(super) fn failed(path: &Path, error: &std::io::Error) -> Error {
    let (path, reason) = (path.to_owned(), error.to_string());
    match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
            Error::DiskFull { path, reason }
        }
        _ => Error::WriteFailed { path, reason },
    }
}

#[cfg(unix)]
#[expect(clippy::disallowed_methods, reason = "this is the file module that the ban points to")]
fn sync_folder(folder: &Path) {
    let _ = std::fs::File::open(folder).and_then(|folder| folder.sync_all());
}

#[cfg(not(unix))]
fn sync_folder(_: &Path) {}
