//! What can go wrong between us and a model.
//!
//! Must never hold a key: texts that come from outside are quoted only after [`crate::http`] has cleaned them.

use std::time::Duration;

use engross_protocol::{Code, Failure};
use serde_json::{Value, json};

use crate::codes;

/// A failed answer, or a model that could not be opened. [`Error::code`] is stable and explained in `docs/errors/`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The provider refused the key.
    #[error("{provider} refused the API key (HTTP {status}: {message}); check {variable}")]
    Auth {
        /// Who.
        provider: &'static str,
        /// HTTP status, 401 or 403.
        status: u16,
        /// What the provider said, at most 4 KiB.
        message: String,
        /// The environment variable that holds the key.
        variable: &'static str,
    },
    /// Too many requests, also after the allowed retries.
    #[error("{provider} refuses more requests for now (HTTP 429: {message}); {}", advice(*.retry_after))]
    RateLimited {
        /// Who.
        provider: &'static str,
        /// How long the provider asks to wait, if it said.
        retry_after: Option<Duration>,
        /// What the provider said, at most 4 KiB.
        message: String,
    },
    /// The provider cannot be reached or fails on its side, also after the allowed retries.
    #[error("{provider} is not available ({message}); {}", advice(*.retry_after))]
    Unavailable {
        /// Who.
        provider: &'static str,
        /// How long the provider asks to wait, if it said.
        retry_after: Option<Duration>,
        /// What happened.
        message: String,
    },
    /// The provider does not accept the request.
    #[error(
        "{provider} does not accept the request (HTTP {status}: {message}); check the model's name and what is asked of it"
    )]
    BadRequest {
        /// Who.
        provider: &'static str,
        /// HTTP status.
        status: u16,
        /// What the provider said, at most 4 KiB.
        message: String,
    },
    /// The stream ended before the model said it was done.
    #[error("the model's answer was cut off before its end; ask again, nothing of it was used")]
    Truncated,
    /// The answer is not in the provider's format.
    #[error("{provider} gave an answer that cannot be read ({message}); ask again, or check its address")]
    Protocol {
        /// Who.
        provider: &'static str,
        /// What is wrong with it.
        message: String,
    },
    /// Nothing came for too long.
    #[error("{provider} sent nothing for {} s; ask again, or allow it more time", .waited.as_secs_f64())]
    Timeout {
        /// Who.
        provider: &'static str,
        /// How long we waited.
        waited: Duration,
    },
    /// The provider reported a failure in the middle of its answer.
    #[error("{provider} failed while answering ({message}); ask again, nothing of the answer was used")]
    Stream {
        /// Who.
        provider: &'static str,
        /// What the provider said.
        message: String,
    },
    /// The model spec, or the address that belongs to it, is not one of those understood.
    #[error(
        "the model '{spec}' is not known: {reason}; understood are openai/NAME, anthropic/NAME, gemini/NAME, \
         ollama/NAME, openai-compatible:URL#NAME, script:FILE and rules"
    )]
    UnknownModel {
        /// What was asked for.
        spec: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A model was chosen that is not on offer any more.
    #[error("the model '{name}' is not offered here any more, and no other was asked; choose another one")]
    NotOffered {
        /// The name that was chosen.
        name: String,
    },
    /// The provider needs a key.
    #[error("{provider} needs an API key: {variable} {problem}; set it, or choose another model")]
    KeyMissing {
        /// Who.
        provider: &'static str,
        /// The environment variable to set.
        variable: &'static str,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// The script of a `script:` model is not valid.
    #[error("the script {file} is not valid (line {line}, column {column}): {message}; correct it there")]
    ScriptInvalid {
        /// The file, as it was named.
        file: String,
        /// Line, from 1.
        line: usize,
        /// Column in bytes, from 1; 0 is the end of the line before.
        column: usize,
        /// What is wrong.
        message: String,
    },
    /// The answer is larger than anything we keep.
    #[error("the model's answer is too large: more than {limit} {what}; ask for less at once")]
    TooLarge {
        /// What there is too much of.
        what: &'static str,
        /// How much is allowed.
        limit: usize,
    },
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
            Self::Auth { .. } => codes::MODEL_AUTH,
            Self::RateLimited { .. } => codes::MODEL_RATE_LIMITED,
            Self::Unavailable { .. } => codes::MODEL_UNAVAILABLE,
            Self::BadRequest { .. } => codes::MODEL_BAD_REQUEST,
            Self::Truncated => codes::MODEL_TRUNCATED,
            Self::Protocol { .. } => codes::MODEL_PROTOCOL,
            Self::Timeout { .. } => codes::MODEL_TIMEOUT,
            Self::Stream { .. } => codes::MODEL_STREAM_ERROR,
            Self::UnknownModel { .. } => codes::MODEL_UNKNOWN,
            Self::NotOffered { .. } => codes::MODEL_NOT_OFFERED,
            Self::KeyMissing { .. } => codes::MODEL_KEY_MISSING,
            Self::ScriptInvalid { .. } => codes::MODEL_SCRIPT_INVALID,
            Self::TooLarge { .. } => codes::MODEL_TOO_LARGE,
        }
    }

    /// How long the provider asks to wait before the next request, if it said.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::RateLimited { retry_after, .. } | Self::Unavailable { retry_after, .. } => *retry_after,
            _ => None,
        }
    }

    /// What a status other than success means, by which both providers and scripts name it.
    pub(crate) fn from_status(
        provider: &'static str,
        variable: &'static str,
        status: u16,
        retry_after: Option<Duration>,
        message: String,
    ) -> Self {
        match status {
            401 | 403 => Self::Auth { provider, status, message, variable },
            429 => Self::RateLimited { provider, retry_after, message },
            500.. => {
                Self::Unavailable { provider, retry_after, message: format!("HTTP {status}: {message}") }
            }
            _ => Self::BadRequest { provider, status, message },
        }
    }

    fn details(&self) -> Value {
        let mut details = serde_json::Map::new();
        if let Self::Auth { status, .. } | Self::BadRequest { status, .. } = self {
            details.insert("status".to_owned(), json!(status));
        }
        if let Some(wait) = self.retry_after() {
            details.insert("retryAfterSeconds".to_owned(), json!(wait.as_secs()));
        }
        if let Self::ScriptInvalid { line, column, .. } = self {
            details.insert("line".to_owned(), json!(line));
            details.insert("column".to_owned(), json!(column));
        }
        Value::Object(details)
    }
}

/// A model that is not known is a wrong command line; everything else is the model's failure.
impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::of(error.row(), error.to_string()).with_details(error.details())
    }
}

fn advice(retry_after: Option<Duration>) -> String {
    match retry_after {
        Some(wait) if !wait.is_zero() => format!("ask again in {} s", wait.as_secs()),
        _ => "ask again later".to_owned(),
    }
}
