//! What becomes of write sessions, in the log of the process.
//!
//! Must never hold content, nor a path: names of files are a person's affair.

use super::WriteSessionId;
use super::hub::Notice;
use crate::session::State;

/// Records a change that somebody looks for who runs a server. `caller` is the session of an agent, or the client.
pub(super) fn record(id: WriteSessionId, caller: &str, news: &Notice) {
    match news {
        Notice::Opened => tracing::info!(write_session = %id, caller, "a write session began"),
        Notice::Committed(receipt) => {
            tracing::info!(write_session = %id, caller, bytes = receipt.bytes, "a write session was committed");
        }
        Notice::RepairNeeded(problem) => {
            let code = problem.as_ref().map_or("", |problem| problem.code.as_str());
            tracing::info!(write_session = %id, caller, code, "a write session is to be repaired");
        }
        Notice::Over { state, error } => {
            let code = error.as_ref().map_or("", |error| error.code.as_str());
            let how = match state {
                State::Expired => "expired",
                State::Cancelled => "cancelled",
                _ => "failed",
            };
            tracing::info!(write_session = %id, caller, code, how, "a write session ended without a file");
        }
        _ => {}
    }
}
