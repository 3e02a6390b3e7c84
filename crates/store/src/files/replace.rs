//! How finished bytes take a name: the one place where a file replaces another.
//!
//! Must never rename what is not durable, and never write into a file that has a name already.

use std::io;
use std::path::Path;
use std::sync::Arc;

use cap_std::fs::{Dir, File, Metadata};

use super::platform::{dress_as_new, dress_like, rename_new};
use super::read::no_follow;
use super::temporary::{Access, TemporaryFile};

/// A file with all its bytes, under a name that nobody else uses.
pub(super) struct FinishedFile<'a> {
    pub(super) dir: &'a Dir,
    pub(super) name: &'a str,
    pub(super) file: &'a File,
    /// Whom it was made for.
    pub(super) access: Access,
}

impl<'a> FinishedFile<'a> {
    /// What is in `temporary`.
    pub(super) fn of(temporary: &'a TemporaryFile, access: Access) -> Self {
        Self { dir: &temporary.dir, name: &temporary.name, file: &temporary.file, access }
    }

    /// Gives it the mode, the owner and the attributes of the file `name` in `dir`, whose metadata is `old`, else those of a
    /// new file, and makes its bytes durable.
    pub(super) fn prepare(&self, dir: &Arc<Dir>, name: &Path, old: Option<&Metadata>) -> io::Result<()> {
        match (old, self.access) {
            (Some(old), _) => {
                let mut options = cap_std::fs::OpenOptions::new();
                options.read(true);
                // Without the right to read it, its attributes stay behind.
                let opened = dir.open_with(name, no_follow(&mut options)).ok();
                dress_like(self.file, old, opened.as_ref())?;
            }
            (None, Access::Owner) => dress_as_new(self.file, &usual(dir)?)?,
            (None, Access::Usual) => {}
        }
        self.file.sync_all()
    }

    /// Gives it the name; with `must_be_free` only if nothing has it.
    pub(super) fn rename(&self, dir: &Dir, name: &Path, must_be_free: bool) -> io::Result<()> {
        if must_be_free {
            rename_new(self.dir, self.name, dir, name)
        } else {
            self.dir.rename(self.name, dir, name)
        }
    }
}

/// What a new file in `dir` looks like. The process's mask cannot be asked for without changing it.
fn usual(dir: &Arc<Dir>) -> io::Result<Metadata> {
    TemporaryFile::create(dir, Access::Usual)?.file.metadata()
}
