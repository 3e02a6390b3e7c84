//! The OpenAI-shaped wire as values: bodies in, requests to a session out; events in, bodies and streams out.
//!
//! Must never know HTTP, a socket or the clock.

mod answer;
mod attachments;
mod chat_answer;
mod chat_request;
mod compare;
mod content;
mod fields;
mod options;
mod out;
mod responses_answer;
mod responses_request;
mod responses_shape;
mod session;
mod tools;
mod view;
mod workspace;
mod write_refusal;
mod write_session;

#[cfg(test)]
mod bad_bodies_tests;
#[cfg(test)]
mod chat_answer_tests;
#[cfg(test)]
mod chat_request_tests;
#[cfg(test)]
mod guide_tests;
#[cfg(test)]
mod responses_answer_tests;
#[cfg(test)]
mod responses_request_tests;
#[cfg(test)]
pub(crate) mod samples;

pub(crate) use answer::{
    AnswerShape, Encoder, EventId, Head, Progress, Whole, place_of_response, response_of_item,
};
pub(crate) use chat_answer::{ChatStream, chat_body};
pub(crate) use chat_request::chat_request;
pub(crate) use compare::{ComparedFiles, compare_options, redline_body};
pub(crate) use options::field_of;
pub(crate) use out::Out;
pub(crate) use responses_answer::{ResponsesStream, input_items, response_state, responses_body};
pub(crate) use responses_request::{is_reference, responses_request, with_references};
pub(crate) use responses_shape::ResponsesShape;
pub(crate) use session::{
    page_of_messages, session_body, session_query, sessions_body, sessions_query, settings_request,
};
pub use tools::client_tools;
pub(crate) use view::view_options;
pub(crate) use workspace::{
    AskedReading, CheckpointQuery, DocumentList, Operations, applied_body, checkpoint_query,
    checkpoints_body, forgotten_body, list_body, listed_body, losses_body, names_body, operations_request,
    page_query, read_body, read_query, removed_body, restore_request, written_body,
};
pub(crate) use write_refusal::WriteRefusal;
#[cfg(any(test, feature = "testing"))]
pub use write_refusal::status_of;
pub(crate) use write_session::{
    begin_request, begun_body, fails_request, finalise_request, news_event, patch_request,
    seed_begin_request, seed_finalised_body, seed_request, seed_status_body, state_body, turn_end_request,
    view_body, views_body,
};

use engross_agent::session::TurnRequest;
use engross_llm::MessageAttachment;

/// What the model is called when a request names none.
pub(crate) const DEFAULT_MODEL: &str = "engross";

/// What stands before the name of a further model that the server was given.
pub(crate) const NAMED_MODEL: &str = "engross/";

/// A body that was understood.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct RequestHead {
    /// What the session is asked.
    pub(crate) request: TurnRequest,
    /// The model as the client named it; the answer echoes it.
    pub(crate) model: String,
    /// Whether it came in the shape of responses.
    pub(crate) is_responses: bool,
    /// The person that the request speaks for, as the client says.
    pub(crate) user: Option<String>,
    /// Whether the answer is streamed.
    pub(crate) stream: bool,
    /// Whether a stream ends with the usage. Only chat completions ask.
    pub(crate) include_usage: bool,
    /// The form of its answer, if it came in the shape of responses.
    pub(crate) shape: ResponsesShape,
    /// What was left out of the body, for the client to know.
    pub(crate) notices: Vec<Notice>,
    /// What its messages carry beside text, each with its place in the body.
    pub(crate) attached: Vec<(String, MessageAttachment)>,
}

/// Something to know about a request or an answer, that is no failure.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub(crate) struct Notice {
    /// Stable code.
    pub(crate) code: String,
    /// For people.
    pub(crate) message: String,
}

impl Notice {
    pub(crate) fn new(code: &str, message: impl Into<String>) -> Self {
        Self { code: code.to_owned(), message: message.into() }
    }
}
