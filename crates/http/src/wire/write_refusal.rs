//! A write session that did not accept a request, as a client is told of it.

use engross_protocol::codes::find;
use engross_protocol::shared;
use engross_write::WriteFailure;
use engross_write::runner::WriteSessionView;
use serde_json::{Value, json};

/// A write session did not accept a request.
#[derive(Debug, Clone, PartialEq)]
pub struct WriteRefusal {
    pub(crate) problem: WriteFailure,
    /// The session as it stands, if there is one.
    pub(super) view: Option<Box<WriteSessionView>>,
}

impl std::fmt::Display for WriteRefusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.problem.message)
    }
}

impl std::error::Error for WriteRefusal {}

impl WriteRefusal {
    /// With the session as it stands.
    pub(crate) fn of(problem: WriteFailure, view: Option<WriteSessionView>) -> Self {
        Self { problem, view: view.map(Box::new) }
    }

    /// HTTP status.
    pub(crate) fn status(&self) -> u16 {
        status_of(&self.problem.code)
    }

    /// Adds the session as it stands to the body.
    pub(crate) fn describe(&self, body: &mut Value) {
        if let (Some(view), Some(body)) = (&self.view, body.as_object_mut()) {
            body.insert("session_id".to_owned(), json!(view.id));
            body.insert("state".to_owned(), json!(view.state.name()));
            body.insert("stage".to_owned(), json!(view.state.stage()));
            body.insert("offset".to_owned(), json!(view.offset));
            body.insert("receipt".to_owned(), json!(view.receipt));
        }
    }
}

/// A folder that is the target is a conflict here, as for clients of the seed's routes, and a wrong path elsewhere.
pub fn status_of(code: &str) -> u16 {
    if code == engross_store::files::codes::TARGET_IS_DIR.name {
        return 409;
    }
    find(&[engross_write::codes::ALL, engross_store::files::codes::ALL, shared::ALL], code)
        .map_or(400, |row| row.status)
}
