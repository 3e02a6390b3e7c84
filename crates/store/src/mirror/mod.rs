//! Files of an owner that are kept in a database and in object storage, so that any node can have them without a folder that all
//! share: what is beneath the root is then a copy.
//!
//! Must never say that something is kept before another node would find it, and never take away what a person has put beneath a
//! root and nobody has kept: it is set aside.
//!
//! [`OwnerMirror::open`] makes a folder what the table says, and keeps then what [`crate::files`] tells of. Which node may write to the
//! table is said by a number that grows with each opening (*term*): rows of an earlier one are refused. Rows hold the end of each
//! file; what is before that is in objects by the hash of their bytes.

mod error;
mod fetched;
mod known;
mod looking;
mod memory;
mod opening;
mod owner_mirror;
mod parts;
mod reading;
mod table;
mod useless;

#[cfg(test)]
mod known_tests;
// They write names and modes that only Unix has.
#[cfg(all(unix, feature = "objects"))]
#[cfg(test)]
mod opening_tests;
#[cfg(all(unix, feature = "objects"))]
#[cfg(test)]
mod owner_mirror_tests;
#[cfg(all(unix, feature = "objects"))]
#[cfg(test)]
mod test_cluster;

pub use error::MirrorError;
pub use memory::MemoryFileTable;
pub use opening::StandbyFiles;
pub use owner_mirror::OwnerMirror;
pub use parts::{MirrorParts, MirrorRoot};
pub use table::{FileContent, FilePart, FileRow, FileTable, FileTerm};
