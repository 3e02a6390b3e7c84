//! The names under which a thread's log is found: each belongs to a principal.
//!
//! Must never let a text of one principal lead to the log of another.

use engross_protocol::hex;
use engross_store::Name;
use sha2::{Digest, Sha256};

use super::error::RunError;

/// What is looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Thread,
    Session,
    Run,
    /// Says that runs of several threads have an id.
    SharedRun,
    Turn,
    Job,
    Idempotency,
}

impl Kind {
    fn as_str(self) -> &'static str {
        match self {
            Self::Thread => "thread",
            Self::Session => "session",
            Self::Run => "run",
            Self::SharedRun => "run-shared",
            Self::Turn => "turn",
            Self::Job => "job",
            Self::Idempotency => "idempotency",
        }
    }
}

/// The name of `text` among the texts of a kind and a principal.
pub(super) fn name(kind: Kind, principal: &str, text: &str) -> Result<Name, RunError> {
    Ok(Name::new(format!("task/{}/{}/{}", kind.as_str(), short(principal), short(text)))?)
}

/// The name of a run of a session: a run id belongs to the session that it was given for.
pub(super) fn run_name(principal: &str, session: &str, run: &str) -> Result<Name, RunError> {
    let (principal, session, run) = (short(principal), short(session), short(run));
    Ok(Name::new(format!("task/run-of/{principal}/{session}/{run}"))?)
}

/// The name of a session key. All principals share these, as folders are named after them.
pub(super) fn key_name(key: &str) -> Result<Name, RunError> {
    Ok(Name::new(format!("task/key/{}", short(key)))?)
}

/// The name of a principal's list of jobs.
pub(super) fn list_name(principal: &str) -> Result<Name, RunError> {
    Ok(Name::new(format!("task/jobs/{}", short(principal)))?)
}

/// Whether a log of this name is a list of jobs.
pub(super) fn is_list(name: &Name) -> bool {
    name.as_str().starts_with("task/jobs/")
}

/// A text that has no slash and no more than 260 bytes; another one for every text.
fn short(text: &str) -> String {
    if text.len() <= 256 && !text.starts_with('#') && !text.contains(['/', '\0']) {
        return text.to_owned();
    }
    format!("#{}", hex::encode(Sha256::digest(text)))
}

/// Checks the key of a thread: 1 to 512 bytes, not blank, without control characters.
pub(super) fn check_thread(field: &'static str, text: &str) -> Result<(), RunError> {
    let problem = if text.trim().is_empty() {
        "it is missing or blank"
    } else if text.len() > 512 {
        "it is longer than 512 bytes"
    } else if text.contains(char::is_control) {
        "it has a control character"
    } else {
        return Ok(());
    };
    Err(RunError::ThreadInvalid { field, problem: problem.to_owned() })
}
