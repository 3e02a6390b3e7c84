//! The exit statuses of the command line.

/// Exit status of the command line (`docs/guide/commands.md`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Exit {
    /// All asked for was done.
    Done = 0,
    /// A finding, or an edit that was refused.
    Refused = 1,
    /// The command line itself is wrong.
    Usage = 2,
    /// The file is not a usable document.
    NotADocument = 3,
    /// The model or its provider failed.
    Model = 4,
    /// A file could not be read or written.
    Io = 5,
}
