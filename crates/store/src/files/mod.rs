//! Files: beneath one root folder for workspaces, write sessions and exports, and wherever the person says.
//!
//! Must never follow a link, touch anything outside the root, leave half a file under a person's name, or tell where the root
//! lies. Everything here blocks: asynchronous callers use a blocking thread. `docs/design/files.md` says what is guaranteed
//! where.
//!
//! [`Root`] holds the folder, a [`Folder`] is a place beneath it, a [`RelPath`] names a file in it. What others have put there
//! under names of their own is found by a [`Tree`] and named by a [`DiskPath`]. A file that the person at the keyboard names by
//! any path is read and written by [`by_path`]. However it is named, one mechanism (`replace`) gives it its new bytes.

mod append;
pub mod by_path;
pub mod codes;
mod digest;
mod disk_path;
mod error;
mod frozen;
#[cfg(feature = "postgres")]
mod kept;
mod lines;
mod list;
mod locks;
mod mirror;
mod mirrored;
mod path;
mod platform;
mod put;
mod read;
mod replace;
mod reserved;
mod root;
mod staged;
mod stamp;
mod sweep;
mod temporary;
mod tree;
mod write;

#[cfg(test)]
mod by_path_tests;
#[cfg(test)]
mod digest_tests;
#[cfg(test)]
mod disk_path_tests;
#[cfg(test)]
mod lines_tests;
#[cfg(test)]
mod locks_tests;
#[cfg(test)]
mod path_tests;
#[cfg(test)]
mod platform_tests;

pub use append::AppendFile;
pub use by_path::PathError;
pub use disk_path::DiskPath;
pub use error::FileError;
pub use frozen::FreezeResult;
#[cfg(feature = "postgres")]
pub(crate) use kept::{FileOnDisk, OnDisk, SeenOnDisk};
pub use lines::LineFile;
pub use list::{ListedFile, Listing};
pub use locks::{FolderLock, LockGuard, Locks};
pub use mirror::{FileChange, FileMirror};
pub use path::RelPath;
pub use put::{Precondition, WrittenFile};
pub use read::Reader;
#[cfg(feature = "postgres")]
pub(crate) use reserved::is_reserved;
pub use root::{Folder, LockKey, Root};
pub use staged::{CommitFailure, StagedFile, StagedName};
pub use stamp::{FileInfo, Stamp};
pub use sweep::Ages;
pub use tree::{Tree, TreeEntry};
