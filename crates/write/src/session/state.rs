//! The states, inputs and actions of a session.

use serde::{Deserialize, Serialize};

use crate::error::WriteFailure;
use crate::framing::TurnFinish;
use crate::patch::{PatchError, PatchSpec};
use crate::validate::{FileKind, ValidationMode, ValidationReport};

/// Why nothing comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Pause {
    /// The sender is silent.
    Idle,
    /// The model reached its output limit.
    Length,
    /// The connection is gone.
    Disconnect,
}

/// Where a session stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Nothing has come.
    Open,
    /// Content comes.
    Receiving,
    /// More is expected.
    Paused(Pause),
    /// The turn ended and the file did not. It can be gone on with.
    Incomplete,
    /// It is doubtful where the file ends. An answer settles it.
    Ambiguous,
    /// The content is complete and looked at.
    Validating,
    /// It has errors. The next content replaces it, or patches it.
    NeedsRepair,
    /// It is being written.
    Committing,
    /// It is written. The only success.
    Committed,
    /// Given up by its sender.
    Cancelled,
    /// Given up because nothing came for too long.
    Expired,
    /// Given up because of its problem.
    Failed,
}

impl State {
    /// Whether nothing can follow.
    #[must_use]
    pub fn is_final(self) -> bool {
        matches!(self, Self::Committed | Self::Cancelled | Self::Expired | Self::Failed)
    }

    /// Whether content may come.
    #[must_use]
    pub fn takes_content(self) -> bool {
        !self.is_final() && !matches!(self, Self::Validating | Self::Committing)
    }

    /// The stage, in the words of the first routes and of tools.
    #[must_use]
    pub fn stage(self) -> &'static str {
        match self {
            Self::Open | Self::Receiving | Self::Paused(_) => "awaiting_content",
            Self::Incomplete | Self::Ambiguous => "awaiting_done_or_more",
            Self::Validating | Self::Committing => "finalizing",
            Self::NeedsRepair => "needs_corrections",
            Self::Committed => "complete",
            Self::Cancelled | Self::Expired | Self::Failed => self.name(),
        }
    }

    /// The name on the wire.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Receiving => "receiving",
            Self::Paused(_) => "paused",
            Self::Incomplete => "incomplete",
            Self::Ambiguous => "ambiguous",
            Self::Validating => "validating",
            Self::NeedsRepair => "needs_repair",
            Self::Committing => "committing",
            Self::Committed => "committed",
            Self::Cancelled => "cancelled",
            Self::Expired => "expired",
            Self::Failed => "failed",
        }
    }
}

/// What happens to a session.
#[derive(Debug, Clone, PartialEq)]
pub enum WriteInput<'a> {
    /// Bytes, for this offset of all bytes sent, or for the next.
    Chunk {
        /// Where they belong.
        offset: Option<u64>,
        /// The bytes.
        bytes: &'a [u8],
    },
    /// All of the content at once: nothing in it ends it, and nothing follows.
    Whole(&'a [u8]),
    /// The turn has ended.
    TurnEnd(TurnFinish),
    /// Nothing came for a while.
    Idle,
    /// The connection is gone.
    Disconnect,
    /// The sender says that the content ends here.
    Finalise,
    /// The same, and the content has come to this offset: who knows that has lost nothing with a connection.
    FinaliseAt(u64),
    /// The next content is a patch of what was refused.
    Patch(PatchSpec),
    /// The content was looked at.
    Validated(ValidationReport),
    /// The content, a patch, could not be applied.
    PatchFailed(PatchError),
    /// The file is written.
    Committed(CommittedFile),
    /// It could not be written.
    CommitFailed(WriteFailure),
    /// Its content could not be kept, or its file not be put together.
    Lost(WriteFailure),
    /// The sender gives up.
    Cancel,
    /// Nothing came for too long.
    Expire,
}

/// Where content goes as it comes, before what a step returns is done. A failure to write is kept by the spool, and told by
/// its owner.
pub trait Spool {
    /// Adds content at the end.
    fn append(&mut self, bytes: &[u8]);
    /// Cuts off everything behind `length` bytes.
    fn truncate(&mut self, length: u64);
    /// Sets the content aside, to be patched, and begins an empty one.
    fn set_aside(&mut self);
    /// Whether the content from `offset` on begins with `bytes`.
    fn matches(&mut self, offset: u64, bytes: &[u8]) -> bool;
}

/// What is to be done, in order, once the spool has taken the content.
#[derive(Debug, Clone, PartialEq)]
pub enum WriteAction {
    /// Make what the spool has durable.
    Sync,
    /// Send this prompt to the sender of the content.
    Ask(Prompt),
    /// Put the file together and look at it.
    Validate(Assembly),
    /// Write the file that was looked at.
    Commit,
    /// Delete what the spool has.
    Discard,
    /// Publish this event.
    Publish(WriteEvent),
}

/// How the file comes from the content.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Assembly {
    /// What the content goes to.
    pub base: AssemblyBase,
    /// Whether one fence around the content is taken away.
    pub unwrap: bool,
    /// What the file is taken for.
    pub kind: FileKind,
    /// What findings do; nothing is looked at when it is off.
    pub mode: ValidationMode,
}

/// What the content goes to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AssemblyBase {
    /// Nothing: it is the file.
    Nothing,
    /// It goes behind the target, with a line end between if `newline` and the target has none.
    BehindTarget {
        /// Whether a line end goes between.
        newline: bool,
    },
    /// It is a patch of the target.
    Target(PatchSpec),
    /// It is a patch of the content that was set aside. The result takes the place of the content.
    SetAside(PatchSpec),
}

/// A text for the model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prompt {
    /// What it is about.
    pub kind: PromptKind,
    /// What to say.
    pub text: String,
}

/// What a prompt is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PromptKind {
    /// How to send the content.
    Begin,
    /// Whether it is finished.
    Idle,
    /// To go on.
    Continue,
    /// Where the file ends.
    Ambiguous,
    /// To mend it.
    Repair,
    /// What was written.
    Receipt,
}

/// What those who watch are told.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WriteEvent {
    /// The state has changed.
    State {
        /// The new one.
        state: State,
        /// Bytes received.
        offset: u64,
        /// What is wrong, if it is.
        error: Option<WriteFailure>,
    },
    /// Content has come.
    Progress {
        /// Bytes of content.
        bytes: u64,
        /// Lines of content.
        lines: u64,
    },
    /// The file is written.
    Receipt(WriteReceipt),
}

/// What the one who wrote the file knows of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommittedFile {
    /// The file, relative to the root.
    pub path: String,
    /// Its length.
    pub bytes: u64,
    /// Its lines, a last one without a line end included.
    pub lines: u64,
    /// Its hash, in hexadecimal digits.
    pub sha256: String,
    /// The hash of the file that it took the place of.
    pub previous_sha256: Option<String>,
    /// What was done to the content on the way: unwrapped, joined.
    pub changes: Vec<WriteWarning>,
    /// The checkpoint of the file that it took the place of.
    pub checkpoint: Option<String>,
    /// What a patch has changed, as `diff -u` has it.
    pub diff: Option<String>,
}

/// A remark on the file for the reader of the receipt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WriteWarning {
    /// Stable code.
    pub code: String,
    /// What happened.
    pub message: String,
}

/// The proof that a file is written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WriteReceipt {
    /// The file, relative to the root.
    pub path: String,
    /// Its length.
    pub bytes: u64,
    /// Its lines.
    pub lines: u64,
    /// Its hash.
    pub sha256: String,
    /// The hash of the file that it took the place of.
    pub previous_sha256: Option<String>,
    /// What looked at it.
    pub validators: Vec<String>,
    /// How often it was mended.
    pub repairs: u32,
    /// How often it was gone on with.
    pub continuations: u32,
    /// What was found or done on the way.
    pub warnings: Vec<WriteWarning>,
    /// The checkpoint of the file that it took the place of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checkpoint: Option<String>,
    /// What a patch has changed, as `diff -u` has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
}
