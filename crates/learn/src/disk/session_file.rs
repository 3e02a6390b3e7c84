//! Describes a session file before it is opened, and one that cannot be.
//!
//! Must never touch a path: both are plain data.

use std::path::PathBuf;

/// A session file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionFile {
    /// Where it is.
    pub path: PathBuf,
    /// Its name.
    pub name: String,
    /// Its bytes.
    pub size: u64,
    /// When it was last changed, in milliseconds since 1970.
    pub modified: u64,
    /// What tells it from another file of its name on the same disk; 0 where the system has no such number.
    pub inode: u64,
    /// The session within the file, when the file is a store of many.
    pub session: Option<String>,
}

/// A file that is not opened, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadableFile {
    /// Its name.
    pub name: String,
    /// Why.
    pub reason: String,
}
