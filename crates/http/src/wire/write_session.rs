//! Write sessions on the wire: requests as they come, sessions and events as they are shown.
//!
//! Must never show content: of that only lengths and hashes leave here.

use engross_protocol::ErrorBody;
use engross_write::framing::{Terminator, TurnFinish};
use engross_write::patch::PatchSpec;
use engross_write::runner::{Notice, PublishedEvent, WriteSessionView};
use engross_write::session::{BeginOptions, Pause, PromptKind, State, WriteReceipt};
use engross_write::{Error as WriteError, WriteFailure};
use serde_json::{Map, Value, json};

use super::out::Out;
use super::write_refusal::{WriteRefusal, status_of};
use crate::error::Error;
use crate::error_kind::kind_of;

impl From<WriteFailure> for Error {
    fn from(problem: WriteFailure) -> Self {
        Self::Write(WriteRefusal { problem, view: None })
    }
}

impl From<WriteError> for Error {
    fn from(error: WriteError) -> Self {
        WriteFailure::from(error).into()
    }
}

/// Reads what begins a session.
pub(crate) fn begin_request(bytes: &[u8]) -> Result<BeginOptions, Error> {
    Ok(BeginOptions::parse(&Value::Object(object(bytes)?))?)
}

/// Reads the same in the seed's shape, where the first `DONE` ends the file unless it is said.
pub(crate) fn seed_begin_request(bytes: &[u8]) -> Result<BeginOptions, Error> {
    let mut body = object(bytes)?;
    body.entry("terminator").or_insert_with(|| json!(Terminator::Done));
    Ok(BeginOptions::parse(&Value::Object(body))?)
}

/// Reads how a turn ended, and the offset that the sender has come to.
pub(crate) fn turn_end_request(bytes: &[u8]) -> Result<(TurnFinish, Option<u64>), Error> {
    let mut body = object(bytes)?;
    let offset = offset(body.shift_remove("offset"))?;
    let finish = match body.shift_remove("finish_reason") {
        Some(Value::String(label)) => TurnFinish::parse(&label),
        _ => return Err(options("'finish_reason' is to be a text such as stop or length")),
    };
    nothing_else(&body)?;
    Ok((finish, offset))
}

/// What finalises a session.
#[derive(Debug, PartialEq, Eq, Default)]
pub(crate) struct FinaliseRequest {
    /// The offset that the sender has come to.
    pub(crate) offset: Option<u64>,
}

/// Reads what finalises a session; it may be empty.
pub(crate) fn finalise_request(bytes: &[u8]) -> Result<FinaliseRequest, Error> {
    if bytes.trim_ascii().is_empty() {
        return Ok(FinaliseRequest::default());
    }
    let mut body = object(bytes)?;
    let offset = offset(body.shift_remove("offset"))?;
    nothing_else(&body)?;
    Ok(FinaliseRequest { offset })
}

/// Reads where the next content goes in what was refused.
pub(crate) fn patch_request(bytes: &[u8]) -> Result<PatchSpec, Error> {
    serde_json::from_value(Value::Object(object(bytes)?))
        .map_err(|error| options(format!("the patch cannot be read: {error}")))
}

/// A request in the seed's shape.
#[derive(Debug)]
pub(crate) struct SeedRequest {
    pub(crate) session_id: String,
    /// Absent, or what was sent.
    pub(crate) content: Option<Value>,
}

/// Reads a request in the seed's shape.
pub(crate) fn seed_request(bytes: &[u8]) -> Result<SeedRequest, Error> {
    if bytes.trim_ascii().is_empty() {
        return Err(options("'session_id' is to be a text"));
    }
    let mut body = object(bytes)?;
    let content = body.shift_remove("content");
    match body.shift_remove("session_id") {
        Some(Value::String(session_id)) if !session_id.is_empty() => Ok(SeedRequest { session_id, content }),
        _ => Err(options("'session_id' is to be a text")),
    }
}

fn object(bytes: &[u8]) -> Result<Map<String, Value>, Error> {
    match serde_json::from_slice(bytes) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err(options("the body is to be a JSON object")),
        Err(error) => Err(Error::InvalidJson { problem: error.to_string() }),
    }
}

fn offset(value: Option<Value>) -> Result<Option<u64>, Error> {
    match value {
        None | Some(Value::Null) => Ok(None),
        Some(value) => value.as_u64().map(Some).ok_or_else(|| options("'offset' is to be a number from 0")),
    }
}

fn nothing_else(body: &Map<String, Value>) -> Result<(), Error> {
    body.keys().next().map_or(Ok(()), |name| Err(options(format!("'{name}' is not known"))))
}

fn options(problem: impl Into<String>) -> Error {
    WriteError::Options(problem.into()).into()
}

/// The body of a session that began.
pub(crate) fn begun_body(view: &WriteSessionView) -> Value {
    json!({
        "session_id": view.id,
        "stage": view.state.stage(),
        "state": view.state.name(),
        "instruction": view.instruction,
        "instructions": view.instruction,
        "end_marker": view.marker,
        "expires_at": view.expires,
        "max_bytes": view.options.max_bytes,
        "offset": view.offset,
    })
}

/// Where a session stands after a request to it.
pub(crate) fn state_body(view: &WriteSessionView) -> Value {
    json!({
        "session_id": view.id,
        "state": view.state.name(),
        "stage": view.state.stage(),
        "offset": view.offset,
        "error": view.problem.as_ref().map(error_body),
        "receipt": view.receipt,
        "prompt": view.prompt,
    })
}

/// A session as it is shown.
pub(crate) fn view_body(view: &WriteSessionView) -> Value {
    let mut body = state_body(view);
    if let Some(body) = body.as_object_mut() {
        body.insert("target_file".to_owned(), json!(view.options.target_file));
        body.insert("operation".to_owned(), json!(view.options.operation));
        body.insert("bytes".to_owned(), json!(view.bytes));
        body.insert("end_marker".to_owned(), json!(view.marker));
        body.insert("instruction".to_owned(), json!(view.instruction));
        body.insert("max_bytes".to_owned(), json!(view.options.max_bytes));
        body.insert("created_at".to_owned(), json!(view.created));
        body.insert("last_activity".to_owned(), json!(view.updated));
        body.insert("expires_at".to_owned(), json!(view.expires));
    }
    body
}

/// All sessions.
pub(crate) fn views_body(views: &[WriteSessionView]) -> Value {
    json!({"object": "list", "data": views.iter().map(view_body).collect::<Vec<Value>>()})
}

/// What finalising came to, in the seed's shape, beside the receipt.
pub(crate) fn seed_finalised_body(view: &WriteSessionView) -> Value {
    let success = view.state == State::Committed;
    let errors: Vec<&str> = view.problem.iter().map(|problem| problem.message.as_str()).collect();
    let mut body = state_body(view);
    if let Some(body) = body.as_object_mut() {
        body.insert("success".to_owned(), json!(success));
        body.insert("errors".to_owned(), json!(errors));
        body.insert("validation_summary".to_owned(), summary(view.receipt.as_ref()));
        body.insert("written_path".to_owned(), json!(view.receipt.as_ref().map(|receipt| &receipt.path)));
    }
    body
}

fn summary(receipt: Option<&WriteReceipt>) -> Value {
    let Some(receipt) = receipt else { return json!({}) };
    json!({
        "validators": receipt.validators, "repairs": receipt.repairs, "warnings": receipt.warnings,
        "bytes": receipt.bytes, "lines": receipt.lines, "sha256": receipt.sha256,
    })
}

/// A session that is not over, in the seed's shape.
pub(crate) fn seed_status_body(view: &WriteSessionView) -> Value {
    json!({
        "session_id": view.id,
        "stage": view.state.stage(),
        "created_at": view.created,
        "last_activity": view.updated,
    })
}

fn error_body(problem: &WriteFailure) -> ErrorBody {
    let kind = kind_of(status_of(&problem.code)).to_owned();
    ErrorBody { code: problem.code.clone(), message: problem.message.clone(), kind, details: json!({}) }
}

/// One event of the stream.
pub(crate) fn news_event(told: &PublishedEvent, out: &mut Out) {
    let error = |problem: &Option<WriteFailure>| json!(problem.as_ref().map(error_body));
    let (name, more) = match &told.news {
        Notice::Opened => ("opened", json!({})),
        Notice::Progress { bytes, lines, rate } => {
            ("progress", json!({"bytes": bytes, "lines": lines, "bytes_per_second": rate}))
        }
        Notice::Prompt(prompt) if prompt.kind == PromptKind::Idle => {
            ("idle_prompt", json!({"prompt": prompt}))
        }
        Notice::Prompt(prompt) => ("prompt", json!({"prompt": prompt})),
        Notice::Cut { pause, error: problem } => {
            ("cut", json!({"cause": pause.map(cause), "error": error(problem)}))
        }
        Notice::Ambiguous(problem) => ("ambiguous", json!({"error": error(problem)})),
        Notice::Resumed => ("resumed", json!({})),
        Notice::Validating => ("validating", json!({})),
        Notice::RepairNeeded(problem) => ("repair_needed", json!({"error": error(problem)})),
        Notice::Committing => ("committing", json!({})),
        Notice::Committed(receipt) => ("committed", json!({"receipt": receipt})),
        Notice::Over { state, error: problem } => (state.name(), json!({"error": error(problem)})),
    };
    let mut data = json!({"type": name, "at": told.at, "offset": told.offset});
    if let (Some(data), Value::Object(more)) = (data.as_object_mut(), more) {
        data.extend(more);
    }
    out.raw("id: ").number(told.id).raw("\nevent: ").raw(name).raw("\ndata: ").json(&data).raw("\n\n");
}

fn cause(pause: Pause) -> &'static str {
    match pause {
        Pause::Idle => "idle",
        Pause::Length => "length",
        Pause::Disconnect => "disconnect",
    }
}

/// Whether a session that failed by a request makes that a failure, too; else its state says so.
pub(crate) fn fails_request(view: &WriteSessionView) -> bool {
    let told_by_state =
        ["VALIDATION_FAILED", "MARKER_IN_CONTENT", "PATCH_NO_MATCH", "PATCH_AMBIGUOUS", "PATCH_INVALID"];
    view.state == State::Failed
        && view.problem.as_ref().is_some_and(|problem| !told_by_state.contains(&problem.code.as_str()))
}
