//! The one shape in which a failure leaves engross: JSON body, message and exit code.

use serde::{Deserialize, Serialize};

use crate::codes::Code;
use crate::exit::Exit;

/// The error object of every surface: HTTP bodies, JSON-RPC's `error.data`, and `--json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ErrorBody {
    /// Stable, upper snake case; explained in `docs/errors/CODE.md`.
    pub code: String,
    /// What happened to which thing, and what to do next.
    pub message: String,
    /// Class of the failure: `usage`, `refused`, `document`, `model`, `io`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Machine-readable particulars; an empty object when there are none.
    #[serde(default)]
    pub details: serde_json::Value,
}

/// A failure on its way out.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct Failure {
    /// Stable code.
    pub code: &'static str,
    /// What happened to which thing, and what to do next.
    pub message: String,
    /// Exit status it maps to.
    pub exit: Exit,
    /// Machine-readable particulars.
    pub details: serde_json::Value,
}

impl Failure {
    /// A failure without particulars, with the exit status of its code.
    pub fn of(code: &'static Code, message: impl Into<String>) -> Self {
        Self::new(code.exit, code.name, message)
    }

    /// A failure that passes on the code of a lower layer, with an exit status of its own.
    pub fn new(exit: Exit, code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), exit, details: serde_json::json!({}) }
    }

    /// The failure of what this build was made without: a command or a flag, and the cargo feature that has it.
    #[must_use]
    pub fn left_out(what: &str, feature: &str) -> Self {
        let message = format!(
            "this engross was built without {what}; get it by `cargo install --path crates/engross --features {feature}`, or \
             take a published binary, which holds everything"
        );
        Self::new(Exit::Usage, crate::shared::FEATURE_LEFT_OUT.name, message)
    }

    /// The same failure with machine-readable particulars.
    #[must_use]
    pub fn with_details(mut self, details: serde_json::Value) -> Self {
        self.details = details;
        self
    }

    /// The error object printed by `--json`.
    #[must_use]
    pub fn body(&self) -> ErrorBody {
        let kind = match self.exit {
            Exit::Done | Exit::Refused => "refused",
            Exit::Usage => "usage",
            Exit::NotADocument => "document",
            Exit::Model => "model",
            Exit::Io => "io",
        };
        ErrorBody {
            code: self.code.to_owned(),
            message: self.message.clone(),
            kind: kind.to_owned(),
            details: self.details.clone(),
        }
    }
}
