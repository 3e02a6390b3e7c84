//! Test support: what the tests of several crates need. Never part of the product.

pub mod acp_agent;
pub mod docx;
mod instant_model;
mod model_server;
pub mod object_storage;
#[cfg(unix)]
pub mod pooler;
#[cfg(unix)]
pub mod postgres;
pub mod task_requests;

/// A model provider that answers at once.
pub mod instant {
    pub use crate::instant_model::InstantModel;
}

/// A model provider that answers from a script.
pub mod scripted {
    pub use crate::model_server::{ModelServer, RecordedCall};
}

/// A test's own setting, unless it is empty.
#[expect(clippy::disallowed_methods, reason = "a test's own setting")]
pub(crate) fn setting(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

#[cfg(test)]
mod docx_tests;
