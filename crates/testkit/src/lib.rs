//! Test support: what the tests of several crates need. Never part of the product.

pub mod acp_agent;
pub mod docx;
mod instant_model;
mod model_server;
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

#[cfg(test)]
mod docx_tests;
