//! What a table says of the files of an owner.

use crate::Pending;

/// A part of a file that is an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilePart {
    /// Its bytes.
    pub length: u64,
    /// The SHA-256 of its bytes.
    pub sha256: [u8; 32],
    /// In which term it was sent: objects of each term are apart, so that a node whose term is over can remove none that is needed.
    pub term: u64,
}

/// What is at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileContent {
    /// A folder. Those on the way to something need no row.
    Folder,
    /// A file.
    Bytes {
        /// Its first bytes, in objects.
        parts: Vec<FilePart>,
        /// Those behind them.
        tail: Vec<u8>,
    },
}

/// Something beneath a root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileRow {
    /// What the root is called, and the path beneath it, as [`crate::files::DiskPath`] writes it.
    pub path: String,
    /// The rights of owner, group and others; 0 for a folder.
    pub mode: u32,
    /// When its bytes were last written, in nanoseconds since 1970, UTC; 0 for a folder.
    pub modified: i64,
    /// What it is.
    pub content: FileContent,
}

impl FileRow {
    /// How many bytes it has.
    #[must_use]
    pub fn size(&self) -> u64 {
        match &self.content {
            FileContent::Folder => 0,
            FileContent::Bytes { parts, tail } => {
                parts.iter().map(|part| part.length).sum::<u64>() + tail.len() as u64
            }
        }
    }
}

/// A time in which one node may change the rows of an owner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileTerm {
    /// It grows with each opening.
    pub number: u64,
    /// What tells the owner's rows from those of another table, or of one that was made anew: plain letters and digits.
    pub id: String,
    /// The number of the last change of the rows.
    pub changes: u64,
    /// Whether the rows are all that the owner has: a first taking-in has come to its end.
    pub is_whole: bool,
}

/// Keeps the rows of owners' files. Each request is done wholly or not at all.
pub trait FileTable: Send + Sync {
    /// Begins the next term of an owner's files, and gives it; nothing when the owner's home is not `holder`'s. What an earlier term
    /// asks for from now on is refused.
    fn begin(&self, owner: &str, holder: &str) -> Pending<'_, Option<FileTerm>>;

    /// The term that was begun last; nothing when there was none.
    fn term(&self, owner: &str) -> Pending<'_, Option<FileTerm>>;

    /// Notes whether the rows of an owner are all that they have; `false` when `term` is over, and nothing is done.
    fn note_whole(&self, owner: &str, term: u64, is_whole: bool) -> Pending<'_, bool>;

    /// The rows of an owner that were put behind the change `since`, which is 0 at first, and which change is the last one of them.
    fn rows(&self, owner: &str, since: u64) -> Pending<'_, (Vec<FileRow>, u64)>;

    /// Puts rows, also in the place of others, and removes those of these paths, none of which is put; gives the number of the change, or
    /// nothing when `term` is over, and nothing is done.
    fn change(
        &self,
        owner: &str,
        term: u64,
        put: Vec<FileRow>,
        remove: Vec<String>,
    ) -> Pending<'_, Option<u64>>;

    /// The terms of an owner of which there may be objects.
    fn terms(&self, owner: &str) -> Pending<'_, Vec<u64>>;

    /// Notes that there are no objects of an earlier term any more.
    fn forget_term(&self, owner: &str, term: u64) -> Pending<'_, ()>;
}
