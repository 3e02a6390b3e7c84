//! Changes before they are made: shown to the person, who agrees or declines.
//!
//! Must never agree by itself unless it was told to, nor when nobody is there to ask.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use engross_agent::workspace::{ApprovalFuture, Approver, ProposedEdits};
use engross_write::runner::{ProposedFile, Reviewer};
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::oneshot;

/// A change that is about to be made.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Change {
    /// Edits of the document.
    Edits(ProposedEdits),
    /// A text file.
    File(FileChange),
}

/// A text file, before and after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FileChange {
    /// Its path beneath the root.
    pub(super) path: String,
    /// Its text now; `None` when there is none, or it cannot be shown.
    pub(super) before: Option<String>,
    /// Its new text; `None` when it cannot be shown.
    pub(super) after: Option<String>,
    /// Bytes of the new text.
    pub(super) bytes: u64,
}

/// A change, and who waits for the person's word.
#[derive(Debug)]
pub(super) struct Proposal {
    pub(super) change: Change,
    /// Nobody waits when everything is agreed to.
    pub(super) reply: Option<oneshot::Sender<bool>>,
}

/// Puts changes to the person.
#[derive(Debug, Clone)]
pub(super) struct Approvals {
    proposals: UnboundedSender<Proposal>,
    /// Whether everything is agreed to.
    is_auto: Arc<AtomicBool>,
}

impl Approvals {
    /// Puts them into `proposals`; with `is_auto`, only to be seen.
    pub(super) fn new(proposals: UnboundedSender<Proposal>, is_auto: bool) -> Self {
        Self { proposals, is_auto: Arc::new(AtomicBool::new(is_auto)) }
    }

    pub(super) fn is_auto(&self) -> bool {
        self.is_auto.load(Ordering::SeqCst)
    }

    /// From now on everything is agreed to, or nothing without being asked.
    pub(super) fn set_auto(&self, is_auto: bool) {
        self.is_auto.store(is_auto, Ordering::SeqCst);
    }

    /// Shows a change; gives who answers, or nobody when it is agreed to already.
    fn propose(&self, change: Change) -> Option<oneshot::Receiver<bool>> {
        let (reply, answer) = oneshot::channel();
        let is_auto = self.is_auto();
        // When nobody is there to see it, nobody answers either.
        let _ = self.proposals.send(Proposal { change, reply: (!is_auto).then_some(reply) });
        (!is_auto).then_some(answer)
    }
}

impl Approver for Approvals {
    fn approve(&self, edits: ProposedEdits) -> ApprovalFuture<'_> {
        let answer = self.propose(Change::Edits(edits));
        Box::pin(async move {
            match answer {
                Some(answer) => answer.await.unwrap_or(false),
                None => true,
            }
        })
    }
}

impl Reviewer for Approvals {
    fn agrees(&self, file: &ProposedFile<'_>) -> bool {
        let text = |bytes: Option<&[u8]>| bytes.and_then(|bytes| String::from_utf8(bytes.to_vec()).ok());
        let change = Change::File(FileChange {
            path: file.path.to_owned(),
            before: text(file.before),
            after: text(file.text),
            bytes: file.length,
        });
        self.propose(change).is_none_or(|answer| answer.blocking_recv().unwrap_or(false))
    }
}
