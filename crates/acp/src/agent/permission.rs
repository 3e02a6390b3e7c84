//! Who agrees before a document is written: the person, asked through the editor, or the mode that they chose.
//!
//! Must never agree when nobody answers.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use agent_client_protocol_schema::v1::{
    PermissionOption, PermissionOptionKind, RequestPermissionOutcome, RequestPermissionRequest,
    RequestPermissionResponse, ToolCallContent, ToolCallLocation, ToolCallStatus, ToolCallUpdate,
    ToolCallUpdateFields, ToolKind,
};
use engross_agent::workspace::{ApprovalFuture, Approver, ProposedEdits};
use serde_json::Value;
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::oneshot;

use super::profile::{APPLY, SUGGEST};

const ONCE: &str = "once";
const ALWAYS: &str = "always";
const NO: &str = "no";

/// The mode of a session. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub(super) struct Mode(Arc<AtomicBool>);

impl Mode {
    /// Whether documents are written without asking.
    pub(super) fn applies(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }

    /// Its name.
    pub(super) fn name(&self) -> &'static str {
        if self.applies() { APPLY } else { SUGGEST }
    }

    /// Takes the mode of that name; tells whether there is one.
    pub(super) fn set(&self, name: &str) -> bool {
        if ![SUGGEST, APPLY].contains(&name) {
            return false;
        }
        self.0.store(name == APPLY, Ordering::SeqCst);
        true
    }
}

/// Edits, and who waits for the person's word.
pub(super) struct Proposal {
    pub(super) edits: ProposedEdits,
    pub(super) reply: oneshot::Sender<bool>,
}

/// Puts edits to the person.
pub(super) struct EditorApprover {
    proposals: UnboundedSender<Proposal>,
    mode: Mode,
}

impl EditorApprover {
    /// Puts them into `proposals`, unless the mode agrees.
    pub(super) fn new(proposals: UnboundedSender<Proposal>, mode: Mode) -> Self {
        Self { proposals, mode }
    }
}

impl Approver for EditorApprover {
    fn approve(&self, edits: ProposedEdits) -> ApprovalFuture<'_> {
        Box::pin(async move {
            if self.mode.applies() {
                return true;
            }
            let (reply, answer) = oneshot::channel();
            let _ = self.proposals.send(Proposal { edits, reply });
            answer.await.unwrap_or(false)
        })
    }
}

/// What is to be agreed to.
pub(super) struct Question {
    /// The tool call that it is about.
    pub(super) call: String,
    /// For people: "Write 2 changes into nda.docx".
    pub(super) title: String,
    /// What would change.
    pub(super) content: Vec<ToolCallContent>,
    /// Where.
    pub(super) location: ToolCallLocation,
}

/// What the person decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Decision {
    /// It may be written.
    Once,
    /// It may be written, and nothing is asked for from here on.
    Always,
    /// It may not.
    No,
}

impl Question {
    /// As the protocol asks it.
    pub(super) fn request(self, session: &str) -> RequestPermissionRequest {
        let fields = ToolCallUpdateFields::new()
            .title(self.title)
            .kind(ToolKind::Edit)
            .status(ToolCallStatus::Pending)
            .content(self.content)
            .locations(vec![self.location]);
        let options = vec![
            PermissionOption::new(ONCE, "Write", PermissionOptionKind::AllowOnce),
            PermissionOption::new(
                ALWAYS,
                "Write, and do not ask again here",
                PermissionOptionKind::AllowAlways,
            ),
            PermissionOption::new(NO, "Do not write", PermissionOptionKind::RejectOnce),
        ];
        RequestPermissionRequest::new(session.to_owned(), ToolCallUpdate::new(self.call, fields), options)
    }
}

impl Decision {
    /// What an answer of the editor means. An error, a cancellation or an option that was not offered is a no.
    pub(super) fn of<E>(answer: Result<Value, E>) -> Self {
        let answer = answer.ok().and_then(|answer| serde_json::from_value(answer).ok());
        match answer.map(|answer: RequestPermissionResponse| answer.outcome) {
            Some(RequestPermissionOutcome::Selected(chosen)) => match &*chosen.option_id.0 {
                ONCE => Self::Once,
                ALWAYS => Self::Always,
                _ => Self::No,
            },
            _ => Self::No,
        }
    }
}
