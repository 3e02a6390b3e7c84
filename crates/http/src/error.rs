//! Every way in which a request can fail, as a status and the error object.
//!
//! Must never lose the code that a lower layer gave, nor hold a secret.

use engross_agent::session::{RefusalKind, RequestError};
use engross_protocol::codes::find;
use engross_protocol::{Code, ErrorBody, Failure, shared};
use serde_json::json;

use super::codes;
use super::error_kind::kind_of;
use super::wire::WriteRefusal;

/// A request that failed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Error {
    /// The body is no JSON.
    #[error("The body is not JSON that can be read: {problem}. Send one JSON object.")]
    InvalidJson {
        /// What the parser says, with line and column.
        problem: String,
    },
    /// A field, header or path has a value it cannot have.
    #[error("`{field}` {problem}.")]
    InvalidRequest {
        /// Which one, as a path such as `messages[2].content`.
        field: String,
        /// What is wrong, and what to send instead.
        problem: String,
    },
    /// There is nothing to answer.
    #[error(
        "Missing user message in `{field}`. Send at least one message of the role user or tool that is not empty."
    )]
    MessageMissing {
        /// Where it is missing.
        field: &'static str,
    },
    /// A tool, or the choice of one, cannot be understood.
    #[error("Invalid tools/tool_choice: `{field}` {problem}.")]
    ToolInvalid {
        /// Which one.
        field: String,
        /// What is wrong, and what to send instead.
        problem: String,
    },
    /// The session's key cannot be one.
    #[error("{problem}")]
    SessionKeyInvalid {
        /// What is wrong, and what to send instead.
        problem: String,
    },
    /// `previous_response_id` is none of ours.
    #[error(
        "No response has the id '{id}'. Send the `id` of an earlier response, or leave `previous_response_id` out."
    )]
    ResponseNotFound {
        /// What was sent.
        id: String,
    },
    /// A response whose session has others.
    #[error(
        "The response is part of a conversation with others, which is deleted as one: DELETE /v1/sessions/{session}."
    )]
    ResponseInUse {
        /// The session.
        session: String,
    },
    /// The server insists on models that it lists.
    #[error("The model '{model}' does not exist here. Use `engross`, or ask GET /v1/models.")]
    ModelNotOffered {
        /// What was asked for.
        model: String,
    },
    /// The bearer token is missing or wrong.
    #[error("Unauthorized: send the server's token as `Authorization: Bearer TOKEN`.")]
    Unauthorized,
    /// The key may not do this.
    #[error("The key has the right '{right}', and this needs '{needed}'. Use a key that has it.")]
    RightMissing {
        /// What is needed.
        needed: &'static str,
        /// What the key has.
        right: &'static str,
    },
    /// Too many wrong tokens came from the same address.
    #[error("Too many wrong tokens came from your address. Wait {seconds} seconds, and check the token.")]
    TooManyAttempts {
        /// Seconds to wait.
        seconds: u64,
    },
    /// The server holds as much as it may.
    #[error("The server has no room for this request now. Try again in a moment.")]
    NoRoom,
    /// The node that has what the owner has is not reached.
    #[error("The node that has what is asked for cannot be reached now. Send the request again.")]
    HomeAway,
    /// The owner has as much as it may.
    #[error(
        "{used} bytes are kept for you, and {allowed} are allowed. Delete sessions or files; it is counted anew within seconds."
    )]
    QuotaExceeded {
        /// What there is.
        used: u64,
        /// What is allowed.
        allowed: u64,
    },
    /// A page that may not use the server, or an address that leads here by deceit.
    #[error(
        "Requests from '{origin}' are not allowed. Start the server with `--cors {origin}` if they should be."
    )]
    OriginNotAllowed {
        /// The page's origin, or the host that was asked for.
        origin: String,
    },
    /// Nothing answers at this path.
    #[error("There is no route {path}. GET /openapi.json lists the routes.")]
    RouteNotFound {
        /// The path.
        path: String,
    },
    /// The route knows other methods.
    #[error("{method} is not allowed for {path}. The header `Allow` lists what is.")]
    MethodNotAllowed {
        /// The method.
        method: String,
        /// The path.
        path: String,
    },
    /// The body is too large.
    #[error(
        "The body is larger than {limit} bytes. Send less. A session knows its history, so that need not be sent again."
    )]
    BodyTooLarge {
        /// The limit in bytes.
        limit: usize,
    },
    /// The body did not come whole.
    #[error("The body broke off or did not come in time. Send the request again.")]
    BodyIncomplete,
    /// The session did not accept the request.
    #[error(transparent)]
    Session(#[from] RequestError),
    /// A write session did not accept the request, or came to an end without a file by it.
    #[error("{}", .0.problem.message)]
    Write(#[from] WriteRefusal),
    /// Something is wrong with a file, a document, or what was to be done with it.
    #[error("{}", failure.message)]
    Document {
        /// HTTP status.
        status: u16,
        /// Code, message and particulars from below.
        failure: Box<Failure>,
    },
    /// The answer failed before anything of it was sent.
    #[error("{message}")]
    Answer {
        /// Stable code.
        code: String,
        /// What happened and what to do next.
        message: String,
        /// Seconds to wait before asking again.
        retry_after: Option<u64>,
    },
    /// The answer ended without an end.
    #[error(
        "The answer broke off on the server. Repeat the request with its Idempotency-Key to hear the rest."
    )]
    AnswerInterrupted,
}

/// The code of a response that tells of an error, for what counts them.
#[derive(Debug, Clone)]
pub(crate) struct ErrorCode(pub(crate) String);

impl Error {
    /// What a room below refused, with the status to answer.
    #[must_use]
    pub fn of_failure(status: u16, failure: Failure) -> Self {
        Self::Document { status, failure: Box::new(failure) }
    }

    /// A field with a value it cannot have.
    pub fn invalid(field: impl Into<String>, problem: impl Into<String>) -> Self {
        Self::InvalidRequest { field: field.into(), problem: problem.into() }
    }

    /// A tool that cannot be understood.
    pub(crate) fn tool(field: impl Into<String>, problem: impl Into<String>) -> Self {
        Self::ToolInvalid { field: field.into(), problem: problem.into() }
    }

    /// The row of its code; `None` when the code comes from below, with a status of its own.
    fn row(&self) -> Option<&'static Code> {
        Some(match self {
            Self::InvalidJson { .. } => shared::INVALID_JSON,
            Self::InvalidRequest { .. } => codes::INVALID_REQUEST,
            Self::MessageMissing { .. } => codes::MESSAGE_MISSING,
            Self::ToolInvalid { .. } => codes::TOOL_INVALID,
            Self::SessionKeyInvalid { .. } => engross_agent::codes::SESSION_KEY_INVALID,
            Self::ResponseNotFound { .. } => codes::RESPONSE_NOT_FOUND,
            Self::ResponseInUse { .. } => codes::RESPONSE_IN_USE,
            Self::ModelNotOffered { .. } => engross_llm::codes::MODEL_NOT_OFFERED,
            Self::Unauthorized => codes::UNAUTHORIZED,
            Self::RightMissing { .. } => codes::RIGHT_MISSING,
            Self::TooManyAttempts { .. } => codes::TOO_MANY_ATTEMPTS,
            Self::NoRoom => shared::SERVER_BUSY,
            Self::HomeAway => shared::HOME_AWAY,
            Self::QuotaExceeded { .. } => codes::QUOTA_EXCEEDED,
            Self::OriginNotAllowed { .. } => codes::ORIGIN_NOT_ALLOWED,
            Self::RouteNotFound { .. } => codes::ROUTE_NOT_FOUND,
            Self::MethodNotAllowed { .. } => codes::METHOD_NOT_ALLOWED,
            Self::BodyTooLarge { .. } => codes::BODY_TOO_LARGE,
            Self::BodyIncomplete => codes::BODY_INCOMPLETE,
            Self::AnswerInterrupted => engross_agent::codes::ANSWER_INTERRUPTED,
            Self::Session(_) | Self::Write(_) | Self::Document { .. } | Self::Answer { .. } => return None,
        })
    }

    /// Stable code.
    pub(crate) fn code(&self) -> &str {
        match self {
            Self::Session(error) => error.code,
            Self::Write(refusal) => &refusal.problem.code,
            Self::Document { failure, .. } => failure.code,
            Self::Answer { code, .. } => code,
            _ => self.row().map_or("", |row| row.name),
        }
    }

    /// HTTP status.
    pub(crate) fn status(&self) -> u16 {
        match self {
            Self::Session(error) => match error.kind {
                RefusalKind::Invalid => 400,
                RefusalKind::Conflict => 409,
                RefusalKind::NotFound => 404,
                RefusalKind::Busy => 429,
                RefusalKind::Unavailable => 503,
            },
            Self::Write(refusal) => refusal.status(),
            Self::Document { status, .. } => *status,
            Self::Answer { code, .. } => status_of_answer(code),
            _ => self.row().map_or(500, |row| row.status),
        }
    }

    /// Seconds to wait before asking again.
    pub(crate) fn retry_after(&self) -> Option<u64> {
        match self {
            Self::Session(error) => error.retry_after,
            Self::Write(_) if self.status() == 429 => Some(5),
            Self::TooManyAttempts { seconds } => Some(*seconds),
            Self::NoRoom | Self::HomeAway => Some(1),
            Self::Answer { retry_after, .. } => *retry_after,
            Self::Document { status: 429 | 503, .. } => Some(1),
            _ => None,
        }
    }

    /// The error object.
    pub(crate) fn body(&self) -> ErrorBody {
        if let Self::Session(error) = self {
            return error.body();
        }
        let details = match self {
            Self::InvalidRequest { field, .. } | Self::ToolInvalid { field, .. } => json!({"field": field}),
            Self::MessageMissing { field } => json!({"field": field}),
            Self::Document { failure, .. } => failure.details.clone(),
            Self::BodyTooLarge { limit } => json!({"limit": limit}),
            Self::QuotaExceeded { used, allowed } => json!({"used": used, "allowed": allowed}),
            _ => json!({}),
        };
        ErrorBody {
            code: self.code().to_owned(),
            message: self.to_string(),
            kind: self.kind().to_owned(),
            details,
        }
    }

    /// The error object with its envelope, as JSON.
    pub(crate) fn json(&self) -> Vec<u8> {
        let mut body = json!({"error": self.body()});
        // OpenAI's name for the field, which its libraries show.
        let field = match self {
            Self::InvalidRequest { field, .. } | Self::ToolInvalid { field, .. } => Some(field.as_str()),
            Self::Session(error) => error.details["field"].as_str(),
            _ => None,
        };
        if let Some(field) = field {
            body["error"]["param"] = json!(field);
        }
        if let Self::Write(refusal) = self {
            refusal.describe(&mut body);
        }
        serde_json::to_vec(&body).unwrap_or_default()
    }

    /// The class, in the words of the OpenAI API.
    fn kind(&self) -> &'static str {
        kind_of(self.status())
    }
}

/// The status of an answer that failed before anything of it was sent. Our key at the provider is no business of the
/// client's, so that a refused one is a bad gateway and not a 401.
pub fn status_of_answer(code: &str) -> u16 {
    use engross_agent::codes::{LISTENER_GONE, TOOL_CALL_MISSING, TURN_CANCELLED, TURN_SUPERSEDED};
    let tables = [
        engross_llm::codes::ALL,
        engross_store::codes::ALL,
        &[LISTENER_GONE, TOOL_CALL_MISSING, TURN_CANCELLED, TURN_SUPERSEDED],
    ];
    find(&tables, code).map_or(500, |row| row.status)
}
