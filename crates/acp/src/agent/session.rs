//! A session while the editor has it open: its folder, its mode, and what arrives for its turn.
//!
//! Must never hold what was said: that is in the log.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use engross_agent::session::{LogEvent, Observer, SessionName, StoredEntries};
use engross_protocol::Failure;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio_util::sync::CancellationToken;

use super::folder::SessionFolder;
use super::host::{EditorHost, OpenedFolder};
use super::permission::{EditorApprover, Mode, Proposal};

/// What stands before the names of sessions, in their canonical form.
const KEY: &str = "agent:editor:";

/// What begins an id.
const PREFIX: &str = "sess_";

/// Letters behind it.
const LETTERS: usize = 32;

/// A session that is open in the editor.
pub(super) struct EditorSession {
    /// As the editor names it.
    pub(super) id: String,
    pub(super) folder: SessionFolder,
    pub(super) opened: OpenedFolder,
    pub(super) mode: Mode,
    /// What a turn reads; held by the one that runs.
    pub(super) inbox: tokio::sync::Mutex<TurnInbox>,
    running: Mutex<Option<CancellationToken>>,
}

/// What arrives for a turn.
pub(super) struct TurnInbox {
    /// Entries of the log that are shown.
    pub(super) stored: UnboundedReceiver<LogEvent>,
    /// Edits that need the person's word.
    pub(super) proposals: UnboundedReceiver<Proposal>,
}

/// The right to run a turn. Dropping it gives it back.
pub(super) struct TurnGuard {
    session: Arc<EditorSession>,
    /// Cancelled when the turn is to stop.
    pub(super) cancelled: CancellationToken,
}

/// Passes on what a turn shows.
struct EditorObserver(UnboundedSender<LogEvent>);

impl Observer for EditorObserver {
    fn stored(&self, stored: StoredEntries<'_>) {
        let shown =
            |event: &&LogEvent| matches!(event, LogEvent::Answered { .. } | LogEvent::Resulted { .. });
        for event in stored.events.iter().filter(shown) {
            let _ = self.0.send(event.clone());
        }
    }
}

impl EditorSession {
    /// The session `id`, which works on the documents of `folder`. Blocks.
    pub(super) fn open(host: &dyn EditorHost, id: &str, folder: &Path) -> Result<Arc<Self>, Failure> {
        let folder = SessionFolder::open(folder)?;
        let mode = Mode::default();
        let (proposer, proposals) = unbounded_channel();
        let (teller, stored) = unbounded_channel();
        let approver = Arc::new(EditorApprover::new(proposer, mode.clone()));
        let opened = host.open(folder.path(), approver, Arc::new(EditorObserver(teller)))?;
        let inbox = tokio::sync::Mutex::new(TurnInbox { stored, proposals });
        let running = Mutex::default();
        Ok(Arc::new(Self { id: id.to_owned(), folder, opened, mode, inbox, running }))
    }

    /// Its name in the store.
    pub(super) fn name(&self) -> SessionName {
        name_of(&self.id)
    }

    /// Begins a turn; `None` while one runs.
    pub(super) fn begin(self: &Arc<Self>) -> Option<TurnGuard> {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        if running.is_some() {
            return None;
        }
        let cancelled = CancellationToken::new();
        *running = Some(cancelled.clone());
        Some(TurnGuard { session: Arc::clone(self), cancelled })
    }

    /// Stops the turn, if one runs; tells whether.
    pub(super) fn cancel(&self) -> bool {
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        running.as_ref().inspect(|cancelled| cancelled.cancel()).is_some()
    }

    /// Whether a turn runs.
    pub(super) fn runs(&self) -> bool {
        self.running.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }
}

impl Drop for TurnGuard {
    fn drop(&mut self) {
        *self.session.running.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

impl TurnInbox {
    /// Drops what came after the last turn. Who waits for a word gets a no.
    pub(super) fn clear(&mut self) {
        while self.stored.try_recv().is_ok() {}
        while self.proposals.try_recv().is_ok() {}
    }
}

/// An id of the editor's from a name that no session has.
pub(super) fn id_of(name: &str) -> String {
    format!("{PREFIX}{name}")
}

/// Whether a session can have this id.
pub(super) fn is_id(id: &str) -> bool {
    let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    id.strip_prefix(PREFIX).is_some_and(|name| name.len() == LETTERS && name.bytes().all(is_digit))
}

/// The name in the store of the session with this id.
pub(super) fn name_of(id: &str) -> SessionName {
    SessionName::Named(format!("{KEY}{id}"))
}

/// The id of the session that is called so in the store.
pub(super) fn id_in(key: &str) -> Option<&str> {
    key.strip_prefix(KEY).filter(|id| is_id(id))
}
