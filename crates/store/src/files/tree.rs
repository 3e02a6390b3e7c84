//! What others put beneath a folder: every name, with what tells whether a file is still the same.
//!
//! Must never follow a link, hold many folders open however deep they lie, or open anything but an ordinary file.

use std::ffi::OsStr;
use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use cap_fs_ext::DirExt;
use cap_std::fs::{Dir, Metadata, OpenOptions};

use super::disk_path::{DiskPath, name_of, text_of};
use super::error::{FileAction, FileError};
use super::read::{Reader, no_follow};
use super::reserved::is_reserved;
use super::root::Folder;
use super::stamp::Stamp;
use crate::Millis;

/// How many folders are held open on the way to one.
const HELD: usize = 64;

/// A name in a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TreeEntry {
    /// An ordinary file.
    File(DiskPath, Stamp),
    /// A folder.
    Folder(DiskPath),
    /// A symbolic link.
    Link(DiskPath),
    /// A pipe, a socket, a device.
    Special(DiskPath),
    /// Something that no [`DiskPath`] names: its path is too long, or where names are not bytes it is no text. The text is for
    /// people only.
    Unnamed(String),
}

impl Folder {
    /// Looks beneath this folder.
    #[must_use]
    pub fn tree(&self) -> Tree {
        Tree { top: self.dir.clone(), chain: Vec::new(), first_held: 0 }
    }

    /// When it was made, in milliseconds since 1970, UTC; `None` where the system does not tell.
    #[must_use]
    pub fn created(&self) -> Option<Millis> {
        let created = self.dir.dir_metadata().ok()?.created().ok()?.into_std();
        Millis::try_from(created.duration_since(UNIX_EPOCH).ok()?.as_millis()).ok()
    }
}

/// A look beneath a folder. It holds the folders on the way to where it last looked, so neighbours cost little.
#[derive(Debug)]
pub struct Tree {
    top: Arc<Dir>,
    /// The way to the folder that was last looked at.
    chain: Vec<(String, Option<Dir>)>,
    /// All before this one are closed again.
    first_held: usize,
}

impl Tree {
    /// Tells `see` every name in `folder`, or at the top, in the disk's order; says whether there is such a folder. Files
    /// that engross itself keeps are left out.
    ///
    /// Names that come and go meanwhile may be told or not.
    ///
    /// # Errors
    /// As the system says. A link is no folder.
    pub fn list(
        &mut self,
        folder: Option<&DiskPath>,
        mut see: impl FnMut(TreeEntry),
    ) -> Result<bool, FileError> {
        let at = folder.map_or(".", DiskPath::as_str);
        let failed = |error: io::Error| FileError::io(at, FileAction::Reading, &error);
        let Some(dir) = self.folder(folder)? else { return Ok(false) };
        let entries = match dir.entries() {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
            entries => entries.map_err(failed)?,
        };
        for entry in entries {
            let entry = entry.map_err(failed)?;
            let name = entry.file_name();
            if name.to_str().is_some_and(is_reserved) {
                continue;
            }
            let kind = entry.file_type().map_err(failed)?;
            let Some(path) = DiskPath::found(folder, &name) else {
                see(TreeEntry::Unnamed(format!("{at}/{}", name.to_string_lossy())));
                continue;
            };
            if kind.is_dir() {
                see(TreeEntry::Folder(path));
            } else if kind.is_symlink() {
                see(TreeEntry::Link(path));
            } else {
                // Some file systems do not tell what is behind a name, so the file itself is asked.
                match entry.metadata() {
                    Ok(metadata) => see(what(path, &metadata)),
                    // Gone since.
                    Err(error) if error.kind() == ErrorKind::NotFound => {}
                    Err(error) => return Err(failed(error)),
                }
            }
        }
        Ok(true)
    }

    /// Opens the file at `path`, with its stamp from after it was opened; `None` when there is none.
    ///
    /// # Errors
    /// As [`Folder::open`].
    pub fn open(&mut self, path: &DiskPath) -> Result<Option<(Reader, Stamp)>, FileError> {
        let parent = path.parent();
        let Some(dir) = self.folder(parent.as_ref())? else { return Ok(None) };
        let name = name_of(path.name()).ok_or_else(|| FileError::invalid(path.as_str(), "it is no name"))?;
        open(dir, path, &name)
    }

    /// What is known about the file at `path`; `None` when there is none.
    ///
    /// # Errors
    /// As [`Folder::open`].
    pub fn stamp(&mut self, path: &DiskPath) -> Result<Option<Stamp>, FileError> {
        let parent = path.parent();
        let Some(dir) = self.folder(parent.as_ref())? else { return Ok(None) };
        let name = name_of(path.name()).ok_or_else(|| FileError::invalid(path.as_str(), "it is no name"))?;
        look(dir, path, &name)
    }

    /// Whether there is a folder at `path`. A link is none.
    ///
    /// # Errors
    /// As the system says.
    pub fn has_folder(&mut self, path: &DiskPath) -> Result<bool, FileError> {
        match self.folder(Some(path)) {
            Ok(folder) => Ok(folder.is_some()),
            Err(FileError::PathOutsideRoot { .. } | FileError::PathInvalid { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Holds the folder at `path`.
    fn folder(&mut self, path: Option<&DiskPath>) -> Result<Option<&Dir>, FileError> {
        let Some(path) = path else { return Ok(Some(&self.top)) };
        let names: Vec<&str> = path.components().collect();
        let common = names.iter().zip(&self.chain).take_while(|(name, (held, _))| *name == held).count();
        self.chain.truncate(common);
        if self.first_held >= common {
            // None of the common ones is open any more.
            self.chain.clear();
            self.first_held = 0;
        }
        for name in names.iter().skip(self.chain.len()) {
            let parent = self.chain.last().and_then(|(_, dir)| dir.as_ref()).unwrap_or(&self.top);
            let Some(next) = step(parent, path, name)? else { return Ok(None) };
            self.chain.push(((*name).to_owned(), Some(next)));
            if self.chain.len() - self.first_held > HELD
                && let Some((_, dir)) = self.chain.get_mut(self.first_held)
            {
                *dir = None;
                self.first_held += 1;
            }
        }
        Ok(self.chain.last().and_then(|(_, dir)| dir.as_ref()))
    }
}

/// What is behind the name at `path`.
fn what(path: DiskPath, metadata: &Metadata) -> TreeEntry {
    if metadata.is_file() {
        TreeEntry::File(path, Stamp::of(metadata))
    } else if metadata.is_dir() {
        TreeEntry::Folder(path)
    } else if metadata.is_symlink() {
        TreeEntry::Link(path)
    } else {
        TreeEntry::Special(path)
    }
}

/// The folder `name` in `dir`, on the way to `path`.
fn step(dir: &Dir, path: &DiskPath, name: &str) -> Result<Option<Dir>, FileError> {
    let name = name_of(name).ok_or_else(|| FileError::invalid(path.as_str(), "it is no name"))?;
    let error = match dir.open_dir_nofollow(&*name) {
        Ok(next) => return Ok(Some(next)),
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => error,
    };
    match dir.symlink_metadata(&*name) {
        Ok(metadata) if metadata.is_symlink() => Err(FileError::link(path.as_str())),
        Ok(metadata) if !metadata.is_dir() => {
            let name = text_of(&name).unwrap_or_default();
            Err(FileError::invalid(path.as_str(), &format!("'{}' in it is no folder", name.escape_debug())))
        }
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        _ => Err(FileError::io(path.as_str(), FileAction::Reading, &error)),
    }
}

fn open(dir: &Dir, path: &DiskPath, name: &OsStr) -> Result<Option<(Reader, Stamp)>, FileError> {
    // Opening is what can hang or wake a device, so it is looked at before, and again after.
    if look(dir, path, name)?.is_none() {
        return Ok(None);
    }
    let failed = |error: &io::Error| FileError::io(path.as_str(), FileAction::Reading, error);
    let mut options = OpenOptions::new();
    options.read(true);
    match dir.open_with(name, no_follow(&mut options)) {
        Ok(file) => {
            let metadata = file.metadata().map_err(|error| failed(&error))?;
            ordinary(&metadata, path)?;
            Ok(Some((Reader::new(file, &metadata), Stamp::of(&metadata))))
        }
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => look(dir, path, name).and(Err(failed(&error))),
    }
}

fn look(dir: &Dir, path: &DiskPath, name: &OsStr) -> Result<Option<Stamp>, FileError> {
    match dir.symlink_metadata(name) {
        Ok(metadata) => ordinary(&metadata, path).map(|()| Some(Stamp::of(&metadata))),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(FileError::io(path.as_str(), FileAction::Reading, &error)),
    }
}

fn ordinary(metadata: &Metadata, path: &DiskPath) -> Result<(), FileError> {
    if metadata.is_file() {
        Ok(())
    } else if metadata.is_symlink() {
        Err(FileError::link(path.as_str()))
    } else if metadata.is_dir() {
        Err(FileError::is_dir(path.as_str()))
    } else {
        Err(FileError::invalid(path.as_str(), "what is there is no ordinary file"))
    }
}
