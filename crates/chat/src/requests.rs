//! What chats say to the session service: the beginning of names, and refusals as failures of the command.

use engross_agent::session::{RefusalKind, RequestError};
use engross_protocol::{Exit, Failure};

/// What stands before the names of sessions that begin here, in their canonical form.
pub(super) const AGENT: &str = "agent:main:";

/// A request that the session refused, as a failure of the command.
pub(super) fn refusal(error: &RequestError) -> Failure {
    let exit = match error.kind {
        RefusalKind::Invalid => Exit::Usage,
        RefusalKind::Conflict | RefusalKind::NotFound | RefusalKind::Busy => Exit::Refused,
        RefusalKind::Unavailable => Exit::Io,
    };
    Failure::new(exit, error.code, error.to_string()).with_details((*error.details).clone())
}
