//! The configuration of a runner and its limits.

use std::sync::Arc;

use engross_protocol::{Clock, IdSource};
use engross_store::Millis;
use engross_store::files::{Folder, Locks, RelPath, Root};

use crate::error::WriteFailure;

/// A document that was made of Markdown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComposedDocument {
    /// Its bytes, checked.
    pub bytes: Vec<u8>,
    /// What of the Markdown it does not say, for its reader.
    pub warnings: Vec<String>,
}

/// Makes a Word document of the Markdown that was sent.
pub trait Composer: Send + Sync {
    /// The document.
    ///
    /// # Errors
    /// What of the text no document can hold, for its author.
    fn compose(&self, markdown: &str) -> Result<ComposedDocument, String>;
}

/// A file that is complete and about to take its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProposedFile<'a> {
    /// Its path, as its sender named it.
    pub path: &'a str,
    /// Bytes of its text.
    pub length: u64,
    /// Its text, Markdown where a document is made of it; `None` when it is too large to be looked at.
    pub text: Option<&'a [u8]>,
    /// What stands in its place now; `None` when nothing does, or it is a document or too large.
    pub before: Option<&'a [u8]>,
}

/// Keeps what a file was before another takes its place.
pub trait FileKeeper: Send + Sync {
    /// Keeps `bytes` of the file at `path` beneath the root; the id of the checkpoint, or nothing where none are kept.
    ///
    /// # Errors
    /// As the system says: the file is not replaced then.
    fn keep(&self, path: &RelPath, bytes: &[u8]) -> Result<Option<String>, WriteFailure>;
}

/// Agrees to files before they take their place.
pub trait Reviewer: Send + Sync {
    /// Whether the file may take its place. May block for as long as a person thinks; the session can be cancelled meanwhile.
    fn agrees(&self, file: &ProposedFile<'_>) -> bool;
}

/// What a runner needs.
#[derive(Clone)]
pub struct Config {
    /// The only folder that is touched.
    pub root: Root,
    /// Where unfinished content is kept, under names that nobody else can use: of this root alone, and the root itself if not said.
    pub spool: Option<Folder>,
    /// Who writes which file, shared with everyone else who writes beneath the root.
    pub locks: Locks,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// Makes ids and end lines.
    pub ids: Arc<dyn IdSource>,
    /// Makes documents; without it a target `.docx` is refused.
    pub composer: Option<Arc<dyn Composer>>,
    /// Keeps what files were; without it, nobody does.
    pub keeper: Option<Arc<dyn FileKeeper>>,
    /// Is asked before a file takes its place; without it, nobody is.
    pub reviewer: Option<Arc<dyn Reviewer>>,
    /// Bounds.
    pub limits: Limits,
}

/// When content is made durable before its sender waits for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// Begun every 256 KiB, but 20 ms apart, beside what goes on; the journal counts on it every 200 ms. Always before an offset is
    /// acknowledged.
    Paced,
    /// With every chunk.
    EveryChunk,
}

/// Bounds. Times are in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Sessions that are not over, at once.
    pub sessions: usize,
    /// Sessions that are over and can still be asked for.
    pub finished: usize,
    /// The most that a session may allow itself in `max_bytes`.
    pub max_bytes: u64,
    /// The silence after which a sender is asked whether it is finished.
    pub silence: Millis,
    /// The silence after which a session expires.
    pub expire: Millis,
    /// How long content and receipts are kept after that.
    pub keep: Millis,
    /// When content is made durable.
    pub durability: Durability,
    /// Files that are validated at once.
    pub validations: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            sessions: 64,
            finished: 4096,
            max_bytes: 16 << 30,
            silence: 2_000,
            expire: 5 * 60_000,
            keep: 24 * 60 * 60_000,
            durability: Durability::Paced,
            validations: 2,
        }
    }
}
