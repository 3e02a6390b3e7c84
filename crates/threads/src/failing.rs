//! How a run that is no success is told.
//!
//! Must never hide what the agent said, or the bridge's own word for what went wrong.

use super::outcome::{EndNotes, TaskEnd};
use super::state::{SyncStatus, ThreadEntry};

/// A run of which nothing is known but why it is over.
pub(super) fn failure(code: String, told: String) -> ThreadEntry {
    let (paths, notes) = (Vec::new(), EndNotes::default());
    ThreadEntry::Ended { code, sync: SyncStatus::Failed, paths, text: told, failed: true, notes }
}

/// The same of a run of which something is known.
pub(super) fn failure_of(code: String, told: String, terminal: &TaskEnd) -> ThreadEntry {
    let (paths, notes) = (Vec::new(), terminal.notes.clone());
    ThreadEntry::Ended { code, sync: SyncStatus::Failed, paths, text: told, failed: true, notes }
}

/// What the agent said, and why it is no success.
pub(super) fn said_or(terminal: &TaskEnd, else_: &str) -> String {
    let cause = if terminal.cause.trim().is_empty() { else_ } else { terminal.cause.trim() };
    match terminal.text.trim() {
        "" => cause.to_owned(),
        said if said.contains(cause) || terminal.cause.trim().is_empty() => said.to_owned(),
        said => format!("{said}\n\n{cause}"),
    }
}

/// The bridge's word for it, unless that says nothing; then its code (contracts/tasks.md §4.3).
pub(super) fn failure_code(terminal: &TaskEnd, has_evidence: bool) -> String {
    match terminal.status.as_str() {
        "cancelled" | "canceled" | "aborted" => "aborted".to_owned(),
        "" | "failed" | "completed" | "error" => match &terminal.code {
            Some(code) => code.clone(),
            None if !has_evidence => engross_tasks::codes::OPENCLAW_TERMINAL_WITHOUT_EVIDENCE.name.to_owned(),
            None => "failed".to_owned(),
        },
        status => status.to_owned(),
    }
}
