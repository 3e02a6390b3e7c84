//! The root folder and the folders beneath it, each held by a handle.
//!
//! Must never resolve more than one component at a time, nor follow a link: a name is looked up in the folder that is held,
//! so nobody can exchange what lies between.

use std::borrow::Cow;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cap_fs_ext::{DirExt, MetadataExt};
use cap_std::ambient_authority;
use cap_std::fs::Dir;

use super::error::{FileAction, FileError, shown};
use super::mirror::{FileChange, FileMirror, MirrorLink};
use super::path::RelPath;
use super::platform::sync_entries;
use crate::WriteFence;

/// How errors name the root itself.
const TOP: &str = ".";

/// The identity of a file that may not exist yet: two paths that some file system takes for one have the same key.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct LockKey {
    /// Device and inode of the root.
    pub(super) root: (u64, u64),
    /// The folded path beneath the root.
    pub(super) path: String,
}

/// The one folder that may be touched. Clones share its handle.
#[derive(Debug, Clone)]
pub struct Root(Folder);

impl Root {
    /// Opens the folder at `path`, and makes it if it is missing. Links on the way to it are followed.
    ///
    /// # Errors
    /// As the system says; the root is named `.`.
    pub fn open(path: &Path) -> Result<Self, FileError> {
        let failed = |error: io::Error| FileError::io(TOP, FileAction::Writing, &error);
        Dir::create_ambient_dir_all(path, ambient_authority()).map_err(failed)?;
        let dir = Dir::open_ambient_dir(path, ambient_authority()).map_err(failed)?;
        let id = identity(&dir).map_err(failed)?;
        let mut names = Vec::from_iter(std::fs::canonicalize(path));
        names.extend(std::path::absolute(path).ok().filter(|named| !names.contains(named)));
        Ok(Self(Folder {
            id,
            path: None,
            dir: Arc::new(dir),
            names: names.into(),
            fence: None,
            mirror: None,
        }))
    }

    /// The same root, beneath which nothing is written but while `fence` is open: for a root that another process may take over,
    /// by then sure that nothing is. So no lock is waited for that a process holds which is cut off.
    #[must_use]
    pub fn fenced(mut self, fence: WriteFence) -> Self {
        self.0.fence = Some(fence);
        self
    }

    /// The same root, whose files `mirror` keeps, too, as those of `root`: nothing beneath it is told as done before.
    #[must_use]
    pub fn mirrored(mut self, mirror: Arc<dyn FileMirror>, root: &str) -> Self {
        self.0.mirror = Some(MirrorLink { mirror, root: root.into() });
        self
    }

    /// The root as a folder.
    #[must_use]
    pub fn top(&self) -> Folder {
        self.0.clone()
    }

    /// The folder at `path`; `None` when there is none.
    ///
    /// # Errors
    /// As [`Folder::folder`].
    pub fn folder(&self, path: &RelPath) -> Result<Option<Folder>, FileError> {
        self.0.folder(path)
    }

    /// The folder at `path`, made if it is missing.
    ///
    /// # Errors
    /// As [`Folder::make_folder`].
    pub fn make_folder(&self, path: &RelPath) -> Result<Folder, FileError> {
        self.0.make_folder(path)
    }
}

/// A folder beneath the root. Clones share its handle.
///
/// Files are named by their path beneath it, in requests and in errors. Nothing above it can be reached. When the folder is
/// renamed the handle stays with it; when it is removed every request fails.
#[derive(Debug, Clone)]
pub struct Folder {
    /// Device and inode of the root.
    id: (u64, u64),
    /// Beneath the root; `None` for the root itself.
    path: Option<RelPath>,
    pub(super) dir: Arc<Dir>,
    /// The absolute paths by which the root was known when it was opened: only to understand what is named, never to go there.
    names: Arc<[PathBuf]>,
    /// As long as it is open one may write; always where there is none.
    pub(super) fence: Option<WriteFence>,
    /// What keeps its files elsewhere, too.
    pub(super) mirror: Option<MirrorLink>,
}

impl Folder {
    /// A file as it is named beneath this folder, where `text` names it by an absolute path that leads here; else `text` as it is.
    #[must_use]
    pub fn relative<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let named = Path::new(text.strip_prefix("file://").unwrap_or(text));
        let beneath = |root: &PathBuf| {
            let own = self.path.as_ref().map_or_else(|| root.clone(), |own| root.join(own.as_str()));
            named.strip_prefix(own).ok()
        };
        match self.names.iter().find_map(beneath) {
            Some(beneath) if named.is_absolute() => {
                let parts: Vec<Cow<'_, str>> =
                    beneath.components().map(|part| part.as_os_str().to_string_lossy()).collect();
                Cow::Owned(parts.join("/"))
            }
            _ => Cow::Borrowed(text),
        }
    }

    /// Its path beneath the root; `None` for the root itself.
    #[must_use]
    pub fn path(&self) -> Option<&RelPath> {
        self.path.as_ref()
    }

    /// The folder at `path` beneath this one; `None` when there is none.
    ///
    /// # Errors
    /// [`FileError::PathOutsideRoot`] when a link is on the way, [`FileError::PathInvalid`] when a file is, else as the system
    /// says.
    pub fn folder(&self, path: &RelPath) -> Result<Option<Self>, FileError> {
        let inner = self.beneath(path)?;
        let dir = self.walk(path, path.components())?;
        Ok(dir.map(|dir| Self { path: Some(inner), dir, ..self.clone() }))
    }

    /// The folder at `path` beneath this one, made durably if it is missing.
    ///
    /// # Errors
    /// As [`Folder::folder`].
    pub fn make_folder(&self, path: &RelPath) -> Result<Self, FileError> {
        let inner = self.beneath(path)?;
        let mut made = self.make(path, path.components())?;
        if made.is_new() {
            self.keep_elsewhere(&[(path.as_str(), FileChange::Replaced)])?;
        }
        made.keep();
        Ok(Self { path: Some(inner), dir: made.dir.clone(), ..self.clone() })
    }

    /// What stands for the file at `path` in [`super::Locks`], through whichever folder and in whichever spelling it is named.
    #[must_use]
    pub fn lock_key(&self, path: &RelPath) -> LockKey {
        let folded = path.folded();
        let path =
            self.path.as_ref().map_or_else(|| folded.clone(), |own| format!("{}/{folded}", own.folded()));
        LockKey { root: self.id, path }
    }

    /// Removes the folder at `path` and all that is in it, hidden and protected files too; says whether there was one. Links
    /// in it are removed, what they lead to is not.
    ///
    /// # Errors
    /// As [`Folder::folder`]; some of it may then be gone.
    pub fn remove_folder(&self, path: &RelPath) -> Result<bool, FileError> {
        self.may_write(path.as_str())?;
        let Some(parent) = self.parent_of(path)? else { return Ok(false) };
        if step(&parent, path, path.name(), FileAction::Writing)?.is_none() {
            return Ok(false);
        }
        match parent.remove_dir_all(path.name()).and_then(|()| sync_entries(&parent)) {
            Ok(()) => self.keep_elsewhere(&[(path.as_str(), FileChange::Replaced)]).map(|()| true),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
            Err(error) => {
                self.note_elsewhere(&[(path.as_str(), FileChange::Replaced)]);
                Err(FileError::io(path.as_str(), FileAction::Writing, &error))
            }
        }
    }

    /// The folder in which the file at `path` is or would be; `None` when there is none.
    pub(super) fn parent_of(&self, path: &RelPath) -> Result<Option<Arc<Dir>>, FileError> {
        self.walk(path, parents(path))
    }

    /// The same, made if it is missing. What was made is removed again unless it is kept.
    pub(super) fn make_parent_of(&self, path: &RelPath) -> Result<NewFolders, FileError> {
        self.make(path, parents(path))
    }

    /// Whether something may be written here now; `path` is for the error.
    pub(super) fn may_write(&self, path: &str) -> Result<(), FileError> {
        passes(self.fence.as_ref(), path)?;
        match &self.mirror {
            Some(link) if !link.mirror.keeps_up() => Err(FileError::HomeLost { path: shown(path) }),
            _ => Ok(()),
        }
    }

    fn beneath(&self, path: &RelPath) -> Result<RelPath, FileError> {
        self.path.as_ref().map_or_else(|| Ok(path.clone()), |own| own.join(path))
    }

    fn walk<'a>(
        &self,
        path: &RelPath,
        names: impl Iterator<Item = &'a str>,
    ) -> Result<Option<Arc<Dir>>, FileError> {
        let mut dir = self.dir.clone();
        for name in names {
            match step(&dir, path, name, FileAction::Reading)? {
                Some(next) => dir = Arc::new(next),
                None => return Ok(None),
            }
        }
        Ok(Some(dir))
    }

    fn make<'a>(
        &self,
        path: &RelPath,
        names: impl Iterator<Item = &'a str>,
    ) -> Result<NewFolders, FileError> {
        let failed = |error: io::Error| FileError::io(path.as_str(), FileAction::Writing, &error);
        let mut made = NewFolders { dir: self.dir.clone(), new: Vec::new() };
        for name in names {
            if let Some(next) = step(&made.dir, path, name, FileAction::Writing)? {
                made.dir = Arc::new(next);
                continue;
            }
            self.may_write(path.as_str())?;
            match made.dir.create_dir(name) {
                Ok(()) => made.new.push((made.dir.clone(), name.to_owned())),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(failed(error)),
            }
            sync_entries(&made.dir).map_err(failed)?;
            let gone = || FileError::not_written(path.as_str(), "somebody removed its folder");
            made.dir = Arc::new(step(&made.dir, path, name, FileAction::Writing)?.ok_or_else(gone)?);
        }
        Ok(made)
    }
}

/// Whether `fence` lets one write.
pub(super) fn passes(fence: Option<&WriteFence>, path: &str) -> Result<(), FileError> {
    match fence {
        Some(fence) if !fence.lets_write() => Err(FileError::HomeLost { path: shown(path) }),
        _ => Ok(()),
    }
}

/// A folder, and those that were made on the way to it.
pub(super) struct NewFolders {
    pub(super) dir: Arc<Dir>,
    new: Vec<(Arc<Dir>, String)>,
}

impl NewFolders {
    fn is_new(&self) -> bool {
        !self.new.is_empty()
    }

    pub(super) fn keep(&mut self) {
        self.new.clear();
    }
}

impl Drop for NewFolders {
    /// Removes what is still empty.
    fn drop(&mut self) {
        while let Some((parent, name)) = self.new.pop() {
            if parent.remove_dir(name).is_err() {
                return;
            }
        }
    }
}

/// Device and inode.
pub(super) fn identity(dir: &Dir) -> io::Result<(u64, u64)> {
    dir.dir_metadata().map(|metadata| (metadata.dev(), metadata.ino()))
}

fn parents(path: &RelPath) -> impl Iterator<Item = &str> {
    path.as_str().rsplit_once('/').into_iter().flat_map(|(parents, _)| parents.split('/'))
}

/// The folder `name` in `dir`, on the way to `path`.
fn step(dir: &Dir, path: &RelPath, name: &str, doing: FileAction) -> Result<Option<Dir>, FileError> {
    let error = match dir.open_dir_nofollow(name) {
        Ok(next) => return Ok(Some(next)),
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => error,
    };
    match dir.symlink_metadata(name) {
        Ok(metadata) if metadata.is_symlink() => Err(FileError::link(path.as_str())),
        Ok(metadata) if !metadata.is_dir() => {
            Err(FileError::invalid(path.as_str(), &format!("'{}' in it is no folder", name.escape_debug())))
        }
        _ => Err(FileError::io(path.as_str(), doing, &error)),
    }
}
