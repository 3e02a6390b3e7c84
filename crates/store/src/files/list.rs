//! Which files are beneath a folder, page by page.
//!
//! Must never follow a link, and never list what cannot be named: what [`RelPath`] refuses is left out.

use std::io;

use cap_fs_ext::DirExt;
use cap_std::fs::{Dir, FileType};

use super::error::{FileAction, FileError};
use super::path::RelPath;
use super::root::Folder;
use super::stamp::FileInfo;

/// How many folders deep is looked.
const DEPTH: usize = 64;

/// The most names in one folder.
const NAMES: usize = 100_000;

/// A file beneath a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedFile {
    /// Its path beneath the folder.
    pub path: RelPath,
    /// What is known about it.
    pub info: FileInfo,
}

/// A page of files, in the order of the bytes of their paths.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Listing {
    /// The files.
    pub files: Vec<ListedFile>,
    /// Whether more follow: ask again with the last path as `after`.
    pub more: bool,
}

impl Folder {
    /// At most `limit` ordinary files whose path begins with the text `prefix` and comes behind `after`.
    ///
    /// Links, devices, `.git`, unfinished files, names that [`RelPath`] refuses and what is more than 64 folders deep are
    /// left out. Files that come and go meanwhile may be in it or not.
    ///
    /// # Errors
    /// [`FileError::Unreadable`] when a folder has more than 100,000 names, else as the system says.
    pub fn list(&self, prefix: &str, after: Option<&RelPath>, limit: usize) -> Result<Listing, FileError> {
        let mut page =
            Page { prefix, after: after.map_or("", RelPath::as_str), limit, listing: Listing::default() };
        page.walk(&self.dir, "", DEPTH)?;
        Ok(page.listing)
    }
}

impl Folder {
    /// The names of the folders right beneath this one, in order, and when each was last changed. Links, `.git` and names that
    /// [`RelPath`] refuses are left out.
    ///
    /// # Errors
    /// As [`Folder::list`].
    pub fn folders(&self) -> Result<Vec<ListedFile>, FileError> {
        let mut folders = Vec::new();
        for (name, kind) in entries(&self.dir, "")? {
            let Ok(path) = RelPath::parse(&name) else { continue };
            if !kind.is_dir() || path.as_str() != name {
                continue;
            }
            // What is gone since is left out.
            if let Ok(metadata) = self.dir.symlink_metadata(&name)
                && metadata.is_dir()
            {
                folders.push(ListedFile { path, info: FileInfo::of(&metadata) });
            }
        }
        folders.sort_unstable_by(|one, other| one.path.as_str().cmp(other.path.as_str()));
        Ok(folders)
    }
}

struct Page<'a> {
    prefix: &'a str,
    after: &'a str,
    limit: usize,
    listing: Listing,
}

impl Page<'_> {
    /// Lists what is in `dir`, whose files' paths begin with `base`.
    fn walk(&mut self, dir: &Dir, base: &str, depth: usize) -> Result<(), FileError> {
        let failed = |error: io::Error| FileError::io(at(base), FileAction::Reading, &error);
        // A folder sorts as what is in it does: by its name with a slash.
        let mut names = Vec::new();
        for (name, kind) in entries(dir, base)? {
            if kind.is_dir() && depth > 0 {
                names.push(format!("{base}{name}/"));
            } else if kind.is_file() {
                names.push(format!("{base}{name}"));
            }
        }
        names.sort_unstable();
        for path in names {
            if self.listing.more {
                break;
            }
            let name = path.get(base.len()..).unwrap_or_default();
            if let Some(name) = name.strip_suffix('/') {
                if !self.may_hold(&path) || RelPath::parse(path.trim_end_matches('/')).is_err() {
                    continue;
                }
                // What is gone or exchanged since is left out.
                if let Ok(inner) = dir.open_dir_nofollow(name) {
                    self.walk(&inner, &path, depth - 1)?;
                }
            } else if path.starts_with(self.prefix) && path.as_str() > self.after {
                self.add(dir, name, &path).map_err(failed)?;
            }
        }
        Ok(())
    }

    fn add(&mut self, dir: &Dir, name: &str, path: &str) -> io::Result<()> {
        let Ok(parsed) = RelPath::parse(path) else { return Ok(()) };
        let metadata = match dir.symlink_metadata(name) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            metadata => metadata?,
        };
        if !metadata.is_file() || parsed.as_str() != path {
            return Ok(());
        }
        if self.listing.files.len() < self.limit {
            self.listing.files.push(ListedFile { path: parsed, info: FileInfo::of(&metadata) });
        } else {
            self.listing.more = true;
        }
        Ok(())
    }

    /// Whether a file of this page can be in `folder`, which ends in a slash.
    fn may_hold(&self, folder: &str) -> bool {
        let within = folder.starts_with(self.prefix) || self.prefix.starts_with(folder);
        within && (folder > self.after || self.after.starts_with(folder))
    }
}

/// The names in `dir` that are text, and what they are.
pub(super) fn entries(dir: &Dir, base: &str) -> Result<Vec<(String, FileType)>, FileError> {
    let failed = |error: io::Error| FileError::io(at(base), FileAction::Reading, &error);
    let mut names = Vec::new();
    let found = match dir.entries() {
        // It was removed just now.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(names),
        found => found.map_err(failed)?,
    };
    for entry in found {
        let entry = entry.map_err(failed)?;
        if names.len() == NAMES {
            let reason = format!("it has more than {NAMES} names");
            return Err(FileError::Unreadable { path: at(base).to_owned(), reason });
        }
        if let (Ok(name), Ok(kind)) = (entry.file_name().into_string(), entry.file_type()) {
            names.push((name, kind));
        }
    }
    Ok(names)
}

/// How errors name the folder with this base.
fn at(base: &str) -> &str {
    if base.is_empty() { "." } else { base.trim_end_matches('/') }
}
