//! Files beneath one root folder, for workspaces, write sessions and exports.
//!
//! Must never follow a link, touch anything outside the root, leave half a file under a person's name, or tell where the root
//! lies. Everything here blocks: asynchronous callers use a blocking thread. `docs/design/files.md` says what is guaranteed
//! where.
//!
//! [`Root`] holds the folder, a [`Folder`] is a place beneath it, a [`RelPath`] names a file in it. What others have put there
//! under names of their own is found by a [`Tree`] and named by a [`DiskPath`].

mod append;
pub mod codes;
mod digest;
mod disk_path;
mod error;
mod list;
mod locks;
mod path;
mod platform;
mod put;
mod read;
mod reserved;
mod root;
mod staged;
mod sweep;
mod temporary;
mod tree;
mod write;

#[cfg(test)]
mod digest_tests;
#[cfg(test)]
mod disk_path_tests;
#[cfg(test)]
mod locks_tests;
#[cfg(test)]
mod path_tests;
#[cfg(test)]
mod platform_tests;

pub use append::AppendFile;
pub use disk_path::DiskPath;
pub use error::FileError;
pub use list::{Listed, Listing};
pub use locks::{LockGuard, LockKey, Locks};
pub use path::RelPath;
pub use put::{Precondition, Written};
pub use read::{FileInfo, Reader};
pub use root::{Folder, Root};
pub use staged::{NotCommitted, Staged, StagedName};
pub use sweep::Ages;
pub use tree::{Found, Stamp, Tree};
