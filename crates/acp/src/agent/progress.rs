//! What the editor shows of a turn: text, tool calls with their places and diffs, and the plan.
//!
//! Pure. Must never show a change as made that is not in the log, nor a step as done that was refused.

use std::path::Path;

use agent_client_protocol_schema::v1::{
    Content, ContentBlock, ContentChunk, Diff, Plan, PlanEntry, PlanEntryPriority, PlanEntryStatus,
    ResourceLink, SessionUpdate, TextContent, ToolCall, ToolCallContent, ToolCallLocation, ToolCallStatus,
    ToolCallUpdate, ToolCallUpdateFields, ToolKind,
};
use engross_agent::session::{CallSide, LogEvent, ModelCall, ToolStep, TurnEvent};
use engross_docx::ops::{OperationResult, Status};
use serde_json::{Map, Value};

use super::folder::SessionFolder;

/// The tool that edits.
const EDITS: &str = "apply_redlines";

/// The most bytes of arguments that are shown.
const INPUT_BYTES: usize = 16 << 10;

/// The most bytes of one side of a diff.
const DIFF_BYTES: usize = 16 << 10;

/// The most characters of a step of the plan.
const STEP_LETTERS: usize = 120;

/// Fields of an operation that say where it is, or what it is about, in the order in which one is shown.
const PLACES: &[&str] =
    &["target", "paragraph", "originalText", "anchor", "after", "before", "find", "text", "content"];

/// A turn, as the editor has it.
#[derive(Debug)]
pub(super) struct TurnProgress {
    folder: SessionFolder,
    /// Its number: ids of calls are the model's, and may come again in another turn.
    turn: u64,
    calls: Vec<CallProgress>,
}

/// A call of a tool.
#[derive(Debug)]
struct CallProgress {
    id: String,
    tool: String,
    file: Option<String>,
    input: Option<Value>,
    /// The steps of the plan that it carries out.
    steps: Vec<PlanEntry>,
    is_shown: bool,
    is_over: bool,
}

impl TurnProgress {
    /// The turn of that number in the session of `folder`.
    pub(super) fn new(folder: SessionFolder, turn: u64) -> Self {
        Self { folder, turn, calls: Vec::new() }
    }

    /// What an entry of the log changes.
    pub(super) fn stored(&mut self, event: &LogEvent) -> Vec<SessionUpdate> {
        match event {
            LogEvent::Answered { calls, .. } => {
                let before = self.steps().count();
                for ModelCall { call, side } in calls {
                    if *side == CallSide::Server {
                        self.announce(&call.id, &call.name, &call.arguments);
                    }
                }
                if self.steps().count() > before { vec![self.plan()] } else { Vec::new() }
            }
            LogEvent::Resulted { id, content, is_error, details, .. } => {
                self.resulted(id, content, *is_error, details.as_ref())
            }
            _ => Vec::new(),
        }
    }

    /// What an event of the answer shows.
    pub(super) fn event(&mut self, event: &TurnEvent) -> Vec<SessionUpdate> {
        match event {
            TurnEvent::Text(text) => vec![SessionUpdate::AgentMessageChunk(text_chunk(text))],
            TurnEvent::Warning { code, message } => {
                vec![SessionUpdate::AgentThoughtChunk(text_chunk(&format!("Warning: {message} [{code}]\n")))]
            }
            TurnEvent::Status { message, id, tool, step } => self.status(message, id, tool, *step),
            TurnEvent::Thinking { more, .. } => vec![SessionUpdate::AgentThoughtChunk(text_chunk(more))],
            TurnEvent::Content { .. }
            | TurnEvent::Call { .. }
            | TurnEvent::Thoughts(_)
            | TurnEvent::Likelihoods(_)
            | TurnEvent::Done { .. }
            | TurnEvent::Failed { .. } => Vec::new(),
        }
    }

    /// The call that edits `file` and has no result yet, as the editor knows it, and what shows it if it was not shown yet: a question
    /// may come before the word that its call has begun.
    pub(super) fn editing(&mut self, file: &str) -> Option<(String, Vec<SessionUpdate>)> {
        let open = |call: &CallProgress| !call.is_over && call.tool == EDITS;
        let named = self.calls.iter().position(|call| open(call) && call.file.as_deref() == Some(file));
        let at = named.or_else(|| self.calls.iter().position(|call| open(call) && call.file.is_none()))?;
        let (turn, folder) = (self.turn, self.folder.clone());
        let call = self.calls.get_mut(at)?;
        let id = shown_id(turn, &call.id);
        let mut updates = Vec::new();
        if !call.is_shown {
            updates.push(call.begin(&folder, id.clone(), "Applying edits".to_owned()));
        }
        Some((id, updates))
    }

    /// What is shown of calls that have no result when the turn ends: they were not carried out.
    pub(super) fn end(&mut self) -> Vec<SessionUpdate> {
        let turn = self.turn;
        let open = self.calls.iter_mut().filter(|call| call.is_shown && !call.is_over);
        let close = |call: &mut CallProgress| {
            call.is_over = true;
            let fields = ToolCallUpdateFields::new().status(ToolCallStatus::Failed);
            SessionUpdate::ToolCallUpdate(ToolCallUpdate::new(shown_id(turn, &call.id), fields))
        };
        open.map(close).collect()
    }

    fn announce(&mut self, id: &str, tool: &str, arguments: &str) {
        if self.calls.iter().any(|call| call.id == id) {
            return;
        }
        let input: Option<Value> = serde_json::from_str(arguments).ok();
        let file = input.as_ref().and_then(|input| input.get("file")?.as_str()).map(str::to_owned);
        let steps = if tool == EDITS { input.as_ref().map(steps_of).unwrap_or_default() } else { Vec::new() };
        let input = input.filter(|_| arguments.len() <= INPUT_BYTES);
        let (id, tool) = (id.to_owned(), tool.to_owned());
        self.calls.push(CallProgress { id, tool, file, input, steps, is_shown: false, is_over: false });
    }

    fn status(&mut self, message: &str, id: &str, tool: &str, step: ToolStep) -> Vec<SessionUpdate> {
        self.announce(id, tool, "");
        let (folder, shown_id) = (self.folder.clone(), shown_id(self.turn, id));
        let Some(call) = self.calls.iter_mut().find(|call| call.id == id) else { return Vec::new() };
        // How it ended is told by the log.
        if call.is_over || matches!(step, ToolStep::Done | ToolStep::Failed) {
            return Vec::new();
        }
        let title = message.trim_end_matches([' ', '…', '.']).to_owned();
        if call.is_shown {
            let fields = ToolCallUpdateFields::new().status(ToolCallStatus::InProgress).title(title);
            return vec![SessionUpdate::ToolCallUpdate(ToolCallUpdate::new(shown_id, fields))];
        }
        vec![call.begin(&folder, shown_id, title)]
    }

    fn resulted(
        &mut self,
        id: &str,
        content: &str,
        is_error: bool,
        details: Option<&Value>,
    ) -> Vec<SessionUpdate> {
        let Some(at) = self.calls.iter().position(|call| call.id == id) else { return Vec::new() };
        let operations = operations_of(details);
        let file = details.and_then(|details| details.get("file")?.as_str());
        let mut updates = Vec::new();
        let mut shown = Vec::new();
        if let Some(file) = file {
            shown = contents(&self.folder, file, &operations);
            if operations.iter().any(|operation| operation.status == Status::Applied) {
                let link = ResourceLink::new(file, self.folder.address(file));
                shown.push(ToolCallContent::Content(Content::new(ContentBlock::ResourceLink(link))));
            }
        }
        if is_error && shown.is_empty() {
            shown.push(text(&error_text(content)));
        }
        let (folder, shown_id) = (self.folder.clone(), shown_id(self.turn, id));
        let Some(call) = self.calls.get_mut(at) else { return Vec::new() };
        if call.tool == EDITS {
            settle(&mut call.steps, &operations);
        }
        let has_steps = !call.steps.is_empty();
        let status = if is_error { ToolCallStatus::Failed } else { ToolCallStatus::Completed };
        let locations = file.map(|file| vec![ToolCallLocation::new(folder.absolute(file))]);
        if call.is_shown {
            let fields = ToolCallUpdateFields::new().status(status).locations(locations);
            let fields = if shown.is_empty() { fields } else { fields.content(shown) };
            updates.push(SessionUpdate::ToolCallUpdate(ToolCallUpdate::new(shown_id, fields)));
        } else {
            let title = call.tool.replace('_', " ");
            let whole = ToolCall::new(shown_id, title)
                .kind(kind_of(&call.tool))
                .status(status)
                .content(shown)
                .locations(locations.unwrap_or_default())
                .raw_input(call.input.clone());
            updates.push(SessionUpdate::ToolCall(whole));
        }
        (call.is_shown, call.is_over) = (true, true);
        if has_steps {
            updates.push(self.plan());
        }
        updates
    }

    fn steps(&self) -> impl Iterator<Item = &PlanEntry> {
        self.calls.iter().flat_map(|call| &call.steps)
    }

    fn plan(&self) -> SessionUpdate {
        SessionUpdate::Plan(Plan::new(self.steps().cloned().collect()))
    }
}

impl CallProgress {
    /// What shows that it has begun.
    fn begin(&mut self, folder: &SessionFolder, id: String, title: String) -> SessionUpdate {
        self.is_shown = true;
        let locations = self.file.iter().map(|file| ToolCallLocation::new(folder.absolute(file)));
        let shown = ToolCall::new(id, title)
            .kind(kind_of(&self.tool))
            .status(ToolCallStatus::InProgress)
            .locations(locations.collect())
            .raw_input(self.input.clone());
        SessionUpdate::ToolCall(shown)
    }
}

/// What the editor knows a call by.
pub(super) fn shown_id(turn: u64, call: &str) -> String {
    format!("{turn}:{call}")
}

/// Edits as they would come out, as the editor shows them: text before and after, and what is no change of text in words.
pub(super) fn contents(
    folder: &SessionFolder,
    file: &str,
    operations: &[OperationResult],
) -> Vec<ToolCallContent> {
    let path = folder.absolute(file);
    operations.iter().map(|operation| content_of(&path, operation)).collect()
}

/// A piece of a message.
pub(super) fn text_chunk(words: &str) -> ContentChunk {
    ContentChunk::new(ContentBlock::Text(TextContent::new(words)))
}

/// Words within a tool call.
pub(super) fn text(words: &str) -> ToolCallContent {
    ToolCallContent::Content(Content::new(ContentBlock::Text(TextContent::new(words))))
}

/// What the editor takes a tool for.
pub(super) fn kind_of(tool: &str) -> ToolKind {
    match tool {
        EDITS => ToolKind::Edit,
        "read_document" => ToolKind::Read,
        "list_documents" => ToolKind::Search,
        "perform_research" => ToolKind::Fetch,
        _ => ToolKind::Other,
    }
}

fn content_of(path: &Path, operation: &OperationResult) -> ToolCallContent {
    let (before, after) = (operation.before.as_deref(), operation.after.as_deref());
    // A comment changes no text; what its paragraph says now came of another operation.
    let changes = operation.comment_ids.is_empty() && before.unwrap_or_default() != after.unwrap_or_default();
    if operation.status == Status::Applied && changes {
        let before = operation.before.as_deref().map(|before| cut(before, DIFF_BYTES));
        let after = cut(operation.after.as_deref().unwrap_or_default(), DIFF_BYTES);
        return ToolCallContent::Diff(Diff::new(path, after).old_text(before));
    }
    let place = operation.address.as_ref().map(|address| format!(" at {address}")).unwrap_or_default();
    let became = match operation.status {
        Status::Applied if !operation.comment_ids.is_empty() => "comment written",
        Status::Applied => "applied",
        Status::NoChange => "nothing to change",
        Status::Refused => "refused",
        Status::Failed => "failed",
    };
    let code = operation.code.as_ref().map(|code| format!(" [{code}]")).unwrap_or_default();
    let why = operation.message.as_ref().map(|message| format!(": {message}")).unwrap_or_default();
    text(&format!("{}{place}: {became}{why}{code}", operation.op))
}

/// The operations that the particulars of a result tell.
fn operations_of(details: Option<&Value>) -> Vec<OperationResult> {
    let operations = details.and_then(|details| details.get("operations")).cloned().unwrap_or_default();
    serde_json::from_value(operations).unwrap_or_default()
}

/// The steps of a call that edits: one for each operation.
fn steps_of(input: &Value) -> Vec<PlanEntry> {
    let entry = |words: String| PlanEntry::new(words, PlanEntryPriority::Medium, PlanEntryStatus::InProgress);
    let operations = input.get("operations").and_then(Value::as_array);
    match operations {
        Some(operations) => {
            operations.iter().filter_map(Value::as_object).map(|operation| entry(step(operation))).collect()
        }
        None => {
            let instruction = input.get("instruction").and_then(Value::as_str);
            instruction.map(|words| entry(cut_letters(words))).into_iter().collect()
        }
    }
}

fn step(operation: &Map<String, Value>) -> String {
    let word = |name: &&str| operation.get(*name).and_then(Value::as_str);
    let name = ["op", "operation"].iter().find_map(word).unwrap_or("edit").replace('_', " ");
    match PLACES.iter().find_map(word) {
        Some(place) => cut_letters(&format!("{name}: {place}")),
        None => cut_letters(&name),
    }
}

/// Marks the steps whose operations are done; what was refused stays open and says so.
fn settle(steps: &mut [PlanEntry], operations: &[OperationResult]) {
    for (at, step) in steps.iter_mut().enumerate() {
        step.status = match operations.get(at) {
            Some(operation) if matches!(operation.status, Status::Applied | Status::NoChange) => {
                PlanEntryStatus::Completed
            }
            result => {
                let code = result.and_then(|result| result.code.as_deref()).unwrap_or("NOT_DONE");
                step.content = format!("{} (not done: {code})", step.content);
                PlanEntryStatus::Pending
            }
        };
    }
}

/// The words of an error result: its message, where it is one of ours.
fn error_text(content: &str) -> String {
    let error: Option<Value> = serde_json::from_str(content).ok();
    let field = |name: &str| Some(error.as_ref()?.get("error")?.get(name)?.as_str()?.to_owned());
    match (field("message"), field("code")) {
        (Some(message), Some(code)) => format!("{message} [{code}]"),
        _ => cut(content, 2 << 10),
    }
}

fn cut_letters(words: &str) -> String {
    let mut shown: String = words.split_whitespace().collect::<Vec<_>>().join(" ");
    if shown.chars().count() > STEP_LETTERS {
        shown = shown.chars().take(STEP_LETTERS).chain(['…']).collect();
    }
    shown
}

/// At most so many bytes of a text.
fn cut(words: &str, bytes: usize) -> String {
    if words.len() <= bytes {
        return words.to_owned();
    }
    let mut end = bytes;
    while !words.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}…", words.get(..end).unwrap_or_default())
}
