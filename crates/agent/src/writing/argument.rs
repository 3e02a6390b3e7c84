//! How content gets out of a call that carries it: as it streams, into the same spool as text.
//!
//! Must never guess content: what is cut stays cut, and is gone on with as text. The conversation keeps a stub of the call.

use std::sync::{Mutex, PoisonError};

use engross_llm::{Event, FinishReason, ToolCall, ToolSpec};
use engross_protocol::{WriteSessionId, hex};
use engross_write::framing::{Terminator, TurnFinish};
use engross_write::json_field::FieldScanner;
use engross_write::runner::{ChunkEnd, WriteSessionView};
use engross_write::session::{BeginOptions, WriteOperation};
use engross_write::{Error, WriteFailure};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use tokio::sync::Notify;

use super::tool::{WRITE_FILE, WRITE_TEXT, in_session};
use super::writer::{CallContext, Writer, asked, opened, outcome, refused};
use crate::session::{FileInProgress, ToolResult};

/// What stands beside content in JSON.
const FIELDS: &[&str] = &["target_file", "operation", "intent"];

/// Bytes that are kept of a first line: more than any path that can be written has.
const HEAD: usize = 8 << 10;

/// The calls of one answer whose content is an argument.
pub(crate) struct ArgumentStreams {
    calls: Mutex<Vec<ArgumentStream>>,
    more: Notify,
}

/// Where a call says what is to be written.
enum ArgumentTarget {
    /// In fields beside the content.
    Fields,
    /// In the first line of the text, which has come so far.
    Line { text: Vec<u8>, is_whole: bool },
}

/// One call.
struct ArgumentStream {
    index: usize,
    id: String,
    scanner: FieldScanner,
    head: ArgumentTarget,
    /// Bytes of content.
    length: u64,
    /// Content that is not in the spool.
    pending: Vec<u8>,
    hash: Sha256,
    begun: Option<Result<WriteSessionId, WriteFailure>>,
}

impl ArgumentStreams {
    pub(crate) fn new() -> Self {
        Self { calls: Mutex::default(), more: Notify::new() }
    }

    /// Takes a piece of the answer.
    pub(crate) fn receive(&self, event: &Event) {
        match event {
            Event::ToolCallStart { index, id, name } if [WRITE_FILE, WRITE_TEXT].contains(&name.as_str()) => {
                let (scanner, head) = match name.as_str() {
                    WRITE_FILE => (FieldScanner::new("content", FIELDS), ArgumentTarget::Fields),
                    _ => {
                        let head = ArgumentTarget::Line { text: Vec::new(), is_whole: false };
                        (FieldScanner::new(ToolSpec::INPUT, &[]), head)
                    }
                };
                self.lock().push(ArgumentStream {
                    index: *index,
                    id: id.clone(),
                    scanner,
                    head,
                    length: 0,
                    pending: Vec::new(),
                    hash: Sha256::new(),
                    begun: None,
                });
            }
            Event::ToolCallArguments { index, delta } => {
                if let Some(call) = self.lock().iter_mut().find(|call| call.index == *index) {
                    let ArgumentStream { scanner, head, length, pending, hash, .. } = call;
                    // What is wrong is told when the call is over.
                    let _ = scanner.push(delta.as_bytes(), &mut |span| {
                        let span = head.take(span);
                        pending.extend_from_slice(span);
                        *length += span.len() as u64;
                        hash.update(span);
                    });
                    self.more.notify_one();
                }
            }
            _ => {}
        }
    }

    /// Resolves when more has come.
    pub(crate) async fn is_due(&self) {
        self.more.notified().await;
    }

    /// Whether there is such a call.
    pub(crate) fn is_empty(&self) -> bool {
        self.lock().is_empty()
    }

    /// Passes content on.
    pub(crate) async fn flush(&self, writer: &Writer, calling: &CallContext) {
        // Nothing is received meanwhile: the task that polls the answer waits here.
        let mut calls = self.take();
        for call in &mut calls {
            call.flush(writer, calling, false).await;
        }
        *self.lock() = calls;
    }

    /// Gives up what has begun: the answer will not be a part of the conversation.
    pub(crate) async fn abandon(&self, writer: &Writer) {
        let calls = self.take();
        for id in calls.into_iter().filter_map(|call| call.begun?.ok()) {
            // What is gone is given up.
            let _ = writer.service().cancel(id).await;
        }
    }

    /// The answer is over, with these calls: gives the results of those that wrote, and puts stubs in their place.
    pub(crate) async fn end(
        &self,
        writer: &Writer,
        calling: &mut CallContext,
        calls: &mut [ToolCall],
        finish: FinishReason,
    ) -> Vec<(String, ToolResult)> {
        let mut results = Vec::new();
        for mut argument in self.take() {
            argument.flush(writer, calling, argument.scanner.is_closed()).await;
            let stub = argument.stub();
            let id = argument.id.clone();
            let result = argument.end(writer, calling, finish).await;
            if let Some(call) = calls.iter_mut().find(|call| call.id == id) {
                call.arguments = stub;
            }
            results.push((id, result));
        }
        results
    }

    fn take(&self) -> Vec<ArgumentStream> {
        std::mem::take(&mut *self.lock())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<ArgumentStream>> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ArgumentStream {
    /// Passes content on. Without any nothing is begun, unless it is to be.
    async fn flush(&mut self, writer: &Writer, calling: &CallContext, begin: bool) {
        if self.begun.is_none() && (begin || !self.pending.is_empty()) {
            let Some(options) = self.options(writer) else { return };
            self.begun = Some(match options {
                Ok(_) if calling.writing.is_some() => Err(one_at_a_time()),
                Ok(options) => writer.begin_new(options, calling).await.map(|(view, _)| view.id),
                Err(error) => Err(error.into()),
            });
        }
        let pending = std::mem::take(&mut self.pending);
        if pending.is_empty() {
            return;
        }
        if let Some(Ok(id)) = self.begun
            && let Err(problem) = writer.service().chunk(id, None, pending, ChunkEnd::More).await
        {
            self.begun = Some(Err(problem));
        }
    }

    /// The file and what is to become of it, once both are known.
    fn names(&self) -> Option<(String, String)> {
        match &self.head {
            ArgumentTarget::Fields => {
                let text = |name: &str| {
                    let value = self.scanner.small().get(name)?;
                    Some(value.as_str().unwrap_or_default().to_owned())
                };
                Some((text("target_file")?, text("operation")?))
            }
            ArgumentTarget::Line { text, is_whole } => {
                if !is_whole && !self.scanner.is_closed() {
                    return None;
                }
                let line = String::from_utf8_lossy(text);
                let (operation, target) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
                Some((target.trim().to_owned(), operation.to_owned()))
            }
        }
    }

    /// What is to be written, once that is known.
    fn options(&self, writer: &Writer) -> Option<Result<BeginOptions, Error>> {
        let (target, operation) = self.names()?;
        let (target, operation) = (writer.relative(&target), operation.as_str());
        let read = WriteOperation::deserialize(&Value::from(operation)).ok();
        let Some(operation) = read.filter(|operation| *operation != WriteOperation::Patch) else {
            return Some(Err(Error::InvalidOperation(operation.chars().take(40).collect())));
        };
        // Nothing in a string ends it; text that goes on with it ends with the line that is told.
        let mut options =
            BeginOptions { terminator: Terminator::Sentinel, ..BeginOptions::new(target, operation) };
        in_session(&mut options, writer.folder());
        Some(options.check().map(|()| options))
    }

    async fn end(self, writer: &Writer, calling: &mut CallContext, finish: FinishReason) -> ToolResult {
        let Self { id: call, scanner, begun, head, .. } = self;
        let finished = scanner.finish();
        let id = match begun {
            Some(Ok(id)) => id,
            Some(Err(problem)) => return refused(&problem),
            None => {
                let (code, message) = match &finished {
                    Err(error) => (error.row().name, error.to_string()),
                    Ok(_) if matches!(head, ArgumentTarget::Fields) => (
                        engross_write::codes::ARGS_INVALID.name,
                        "'target_file' and 'operation' are required".to_owned(),
                    ),
                    Ok(_) => (
                        engross_write::codes::ARGS_INVALID.name,
                        "the first line is to be an operation and a path".to_owned(),
                    ),
                };
                return refused(&WriteFailure { code: code.to_owned(), message });
            }
        };
        let ended = match &finished {
            Ok(_) => writer.service().finalise(id).await,
            Err(_) if matches!(finish, FinishReason::ContentFilter | FinishReason::Recitation) => {
                writer.service().turn_end(id, TurnFinish::ContentFilter).await
            }
            Err(_) => writer.service().turn_end(id, TurnFinish::Length).await,
        };
        let view = match ended {
            Ok(view) => view,
            Err(problem) => return refused(&problem),
        };
        if view.receipt.is_some() {
            return ToolResult::text(outcome(&view));
        }
        let Some(prompt) = asked(&view).filter(|_| !view.state.is_final()) else {
            return ToolResult::error(outcome(&view));
        };
        if calling.writing.is_some() {
            // What is gone is given up.
            let _ = writer.service().cancel(id).await;
            return refused(&one_at_a_time());
        }
        let cause = finished.err().map(|error| error.to_string());
        let result = open_cut(&view, prompt, cause);
        calling.writing = result.opens.clone().map(|opens| FileInProgress::new(opens, call));
        result
    }

    /// What the conversation keeps of the call: valid, and without the content.
    fn stub(&self) -> String {
        let hash = hex::encode(self.hash.clone().finalize());
        if let ArgumentTarget::Line { text, .. } = &self.head {
            let (line, length) = (String::from_utf8_lossy(text), self.length);
            let input = format!("{line}\n({length} bytes of content with the SHA-256 {hash})");
            return json!({ ToolSpec::INPUT: input }).to_string();
        }
        let mut stub = Map::new();
        for (name, value) in self.scanner.small() {
            stub.insert(name.clone(), value.clone());
        }
        stub.insert("content_bytes".to_owned(), json!(self.length));
        stub.insert("content_sha256".to_owned(), json!(hash));
        Value::Object(stub).to_string()
    }
}

impl ArgumentTarget {
    /// Takes what is of the first line; gives the content behind it.
    fn take<'a>(&mut self, span: &'a [u8]) -> &'a [u8] {
        let Self::Line { text, is_whole: is_whole @ false } = self else { return span };
        let Some(end) = span.iter().position(|byte| *byte == b'\n') else {
            // A line that is no path by far is not kept whole.
            text.extend(span.iter().take(HEAD.saturating_sub(text.len())));
            return &[];
        };
        let (line, content) = span.split_at(end);
        text.extend(line.iter().take(HEAD.saturating_sub(text.len())));
        *is_whole = true;
        content.get(1..).unwrap_or_default()
    }
}

fn one_at_a_time() -> WriteFailure {
    Error::Options("another file is being written: one at a time".to_owned()).into()
}

/// The result of a call that broke off in its content.
fn open_cut(view: &WriteSessionView, prompt: &str, cause: Option<String>) -> ToolResult {
    let cause = cause.or_else(|| view.problem.as_ref().map(|problem| problem.message.clone()));
    let instruction = match cause {
        Some(cause) => format!("{cause}.\n{prompt}"),
        None => prompt.to_owned(),
    };
    opened(view, &instruction)
}
