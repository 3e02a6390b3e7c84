//! What can go wrong with a store.
//!
//! Must never hold a body, a value or a password: places are named as [`Error`]'s maker cleaned them.

use engross_protocol::{Code, Failure, SessionId, shared};
use serde_json::{Value, json};

use crate::codes;
use crate::name::{Fence, Name};

/// A request that was not done. [`Error::code`] is stable and explained in `docs/errors/`.
///
/// `place` names the store: a path, or an address without its password.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The session has another head.
    #[error(
        "session {session} is at entry {head}, not {expected}: load it again, then repeat what still applies"
    )]
    Conflict {
        /// The session.
        session: SessionId,
        /// The head that the writer knew.
        expected: u64,
        /// The head that is.
        head: u64,
    },
    /// The writer's lease is not the newest one.
    #[error(
        "the lease {} of session {session} is not the newest one ({}): take the lease again and load the session",
        .fence.0, .newest.0
    )]
    Fenced {
        /// The session.
        session: SessionId,
        /// The writer's.
        fence: Fence,
        /// The newest one that was given out; 0 when none was.
        newest: Fence,
    },
    /// This process had a home of which these logs are a part, and has it no more.
    #[error("another node has taken over what this belongs to: send the request again")]
    HomeLost,
    /// The name leads to a session already.
    #[error("the name '{}' already leads to session {session}: load it, or choose another name", .name.as_str().escape_debug())]
    NameTaken {
        /// The name.
        name: Name,
        /// Where it leads.
        session: SessionId,
    },
    /// No such session.
    #[error("there is no session {session}: list the sessions, or create it")]
    UnknownSession {
        /// Its id.
        session: SessionId,
    },
    /// Not usable as a name.
    #[error("'{}' cannot name a session ({problem}): choose another name", .name.escape_debug())]
    InvalidName {
        /// How it begins, at most 40 characters.
        name: String,
        /// What is wrong with it.
        problem: String,
    },
    /// More than one request may write.
    #[error("{bytes} bytes are too many to be written at once (allowed are {limit}): write them in parts")]
    TooLarge {
        /// How many there are.
        bytes: usize,
        /// How many there may be.
        limit: usize,
    },
    /// There is no room.
    #[error("there is no room left for {place}: make room, then repeat the request; nothing was lost")]
    Full {
        /// The store.
        place: String,
    },
    /// Another process has it.
    #[error("{place} is in use by another engross process: stop that one, or choose another place")]
    InUse {
        /// The store.
        place: String,
    },
    /// Not now.
    #[error(
        "{place} is not available ({message}): ask again; whether the last request was done shows when the session is \
         loaded"
    )]
    Unavailable {
        /// The store.
        place: String,
        /// What happened.
        message: String,
    },
    /// What is there cannot be read.
    #[error(
        "{place} is damaged ({message}): restore it from a copy, or move it away to begin with an empty one"
    )]
    Damaged {
        /// The store.
        place: String,
        /// What is wrong with it.
        message: String,
    },
    /// It was written by a later version.
    #[error("{place} has schema {found}, this engross knows up to {known}: use the newer engross")]
    Newer {
        /// The store.
        place: String,
        /// Its schema.
        found: u32,
        /// The newest schema known here.
        known: u32,
    },
    /// An entry was written by a later version.
    #[error(
        "entry {seq} of session {session} ('{}') says what this engross does not know: use the newer engross",
        .kind.escape_debug()
    )]
    NewerEntry {
        /// The session.
        session: SessionId,
        /// The entry.
        seq: u64,
        /// Its kind.
        kind: String,
    },
    /// It will not do, and asking again will not help.
    #[error("{place} cannot be used ({message}): correct the address or its rights")]
    Unusable {
        /// The store.
        place: String,
        /// What is wrong.
        message: String,
    },
    /// It was closed.
    #[error("the store is closed: engross is shutting down, ask again when it is back")]
    Closed,
}

impl Error {
    /// The stable code, explained in `docs/errors/CODE.md`.
    #[must_use]
    pub fn code(&self) -> &'static str {
        self.row().name
    }

    /// The row of its code.
    #[must_use]
    pub fn row(&self) -> &'static Code {
        match self {
            Self::Conflict { .. } => codes::STORE_CONFLICT,
            Self::Fenced { .. } => codes::STORE_FENCED,
            Self::HomeLost => shared::HOME_AWAY,
            Self::NameTaken { .. } => codes::STORE_NAME_TAKEN,
            Self::UnknownSession { .. } => codes::STORE_SESSION_UNKNOWN,
            Self::InvalidName { .. } => codes::STORE_NAME_INVALID,
            Self::TooLarge { .. } => codes::STORE_TOO_LARGE,
            Self::Full { .. } => codes::STORE_FULL,
            Self::InUse { .. } => codes::STORE_IN_USE,
            Self::Unavailable { .. } => codes::STORE_UNAVAILABLE,
            Self::Damaged { .. } => codes::STORE_DAMAGED,
            Self::Newer { .. } | Self::NewerEntry { .. } => codes::STORE_NEWER,
            Self::Unusable { .. } => codes::STORE_UNUSABLE,
            Self::Closed => codes::STORE_CLOSED,
        }
    }

    fn details(&self) -> Value {
        match self {
            Self::Conflict { session, expected, head } => {
                json!({ "session": session, "expected": expected, "head": head })
            }
            Self::Fenced { session, .. } | Self::UnknownSession { session } => json!({ "session": session }),
            Self::NewerEntry { session, seq, kind } => {
                json!({ "session": session, "entry": seq, "kind": kind })
            }
            Self::NameTaken { name, session } => json!({ "name": name.as_str(), "session": session }),
            Self::TooLarge { bytes, limit } => json!({ "bytes": bytes, "limit": limit }),
            Self::Newer { found, known, .. } => json!({ "found": found, "known": known }),
            _ => json!({}),
        }
    }
}

/// What a request itself causes is refused; everything else is the store's failure.
impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::of(error.row(), error.to_string()).with_details(error.details())
    }
}
