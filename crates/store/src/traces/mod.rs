//! Traces: what happened, for people who look on from a database. Not the log, and never as much as it.
//!
//! Must never hold whole contents, and never anything that a database refuses: one such event would take its neighbours
//! along. So there is no event of free form: text is cleaned and bounded before it is made JSON.

mod details;

#[cfg(test)]
mod details_tests;

pub use details::Details;

use crate::store::Pending;
use crate::types::{Millis, SessionId};

/// Characters of a longest kind.
const KIND: usize = 50;

/// Characters of a longest name or id.
const NAME: usize = 255;

/// One thing that happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceEvent {
    pub(crate) at: Millis,
    pub(crate) session: SessionId,
    pub(crate) seq: u64,
    pub(crate) kind: String,
    pub(crate) tool: Option<String>,
    pub(crate) call: Option<String>,
    pub(crate) details: Details,
    pub(crate) error: Option<Details>,
}

impl TraceEvent {
    /// Something of a session, told by the entry `seq` of its log. Of `kind` the first 50 characters are kept.
    #[must_use]
    pub fn new(at: Millis, session: SessionId, seq: u64, kind: &str) -> Self {
        let kind = details::short(kind, KIND);
        Self { at, session, seq, kind, tool: None, call: None, details: Details::default(), error: None }
    }

    /// The same, about a tool. Of its name the first 255 characters are kept.
    #[must_use]
    pub fn tool(self, name: &str) -> Self {
        Self { tool: Some(details::short(name, NAME)), ..self }
    }

    /// The same, about a call. Of its id the first 255 characters are kept.
    #[must_use]
    pub fn call(self, id: &str) -> Self {
        Self { call: Some(details::short(id, NAME)), ..self }
    }

    /// The same with particulars.
    #[must_use]
    pub fn details(self, details: Details) -> Self {
        Self { details, ..self }
    }

    /// The same, as something that failed.
    #[must_use]
    pub fn error(self, error: Details) -> Self {
        Self { error: Some(error), ..self }
    }
}

/// Keeps traces. A session must neither wait for it nor fail with it.
pub trait Traces: Send + Sync {
    /// Adds events, all of them or none.
    fn insert(&self, events: Vec<TraceEvent>) -> Pending<'_, ()>;

    /// Takes away all events of a session.
    fn erase(&self, session: SessionId) -> Pending<'_, ()>;
}
