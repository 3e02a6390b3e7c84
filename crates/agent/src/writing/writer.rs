//! What a call, or the end of an answer, means for the write session.
//!
//! Must never report a file as written that has no receipt, nor hold content.

use std::collections::BTreeMap;

use engross_llm::{AnswerText, ToolCall};
use engross_protocol::WriteSessionId;
use engross_store::files::{FileError, Folder, RelPath};
use engross_write::framing::TurnFinish;
use engross_write::runner::{ChunkEnd, WriteCaller, WriteService, WriteSessionView};
use engross_write::session::{BeginOptions, PromptKind, State, WriteOperation};
use engross_write::{Error, WriteFailure};
use serde_json::{Map, Value, json};

use super::files::{self, FileTools};
use super::texts::Texts;
use super::tool::{self, BEGIN, Begin, ContentTools, WRITE_FILE, WRITE_TEXT};
use crate::session::{FileInProgress, OpenedFile, ServerTool, Standing, ToolResult, WriteReport};
use crate::tools::ToolError;

/// Writes the files of one workspace. Cheap to clone.
#[derive(Clone)]
pub struct Writer {
    service: WriteService,
    /// The folder of the workspace beneath the root of the service.
    folder: Option<String>,
    content: ContentTools,
}

/// What is known of the session that calls.
#[derive(Debug, Clone, Default)]
pub(crate) struct CallContext {
    /// The session, as write sessions know who begins them.
    pub(crate) caller: WriteCaller,
    /// The file that is being written.
    pub(crate) writing: Option<FileInProgress>,
    /// Files that were left incomplete.
    pub(crate) left: BTreeMap<String, WriteSessionId>,
}

impl Writer {
    /// A writer of files beneath the root of `service`, in `folder` if one is named. `content` are further tools of the model.
    #[must_use]
    pub fn new(service: WriteService, folder: Option<String>, content: ContentTools) -> Self {
        Self { service, folder, content }
    }

    /// What the model is offered.
    pub(crate) fn tools(&self) -> Vec<ServerTool> {
        let mut tools = tool::tools(self.content);
        tools.extend(files::tools());
        tools
    }

    /// Whether it carries a tool out.
    pub(crate) fn knows(&self, name: &str) -> bool {
        name == BEGIN
            || files::knows(name)
            || (self.content.argument && name == WRITE_FILE)
            || (self.content.free_text && name == WRITE_TEXT)
    }

    /// Whether calls may hold content.
    pub(crate) fn takes_arguments(&self) -> bool {
        self.content != ContentTools::default()
    }

    /// What people are reply when a call begins.
    pub(crate) fn status(call: &ToolCall) -> String {
        if files::knows(&call.name) {
            return files::status(call);
        }
        let file = tool::file_of(&call.arguments);
        file.map_or_else(|| "Writing a file …".to_owned(), |file| format!("Writing {file} …"))
    }

    /// Carries a call out. `calling` is kept up to date: one file is written at a time.
    pub(crate) async fn call(&self, call: &ToolCall, calling: &mut CallContext) -> ToolResult {
        if files::knows(&call.name) {
            return self.look(call.clone()).await;
        }
        if [WRITE_FILE, WRITE_TEXT].contains(&&*call.name) {
            // As it streamed, it was carried out; this one came in one piece, after a restart.
            return refused(&WriteFailure::from(Error::Options(
                "the call was interrupted and nothing was written: send it again".to_owned(),
            )));
        }
        let done = match tool::read(&call.arguments, self.folder.as_deref()) {
            Err(error) => Err(error.into()),
            Ok(Begin::Again(id)) => self.again(id, calling).await,
            Ok(Begin::New(mut options, not_taken)) => {
                options.target_file = self.relative(&options.target_file);
                if let Some(writing) = calling.writing.as_ref().filter(|writing| waits(writing, &options)) {
                    return waiting(&writing.file, &options.target_file);
                }
                self.begin(*options, calling).await.map(|(view, instruction)| match not_taken {
                    Some(name) => (
                        view,
                        format!("'{name}' of the call was not taken: it is no argument. {instruction}"),
                    ),
                    None => (view, instruction),
                })
            }
        };
        let (view, instruction) = match done {
            Ok(done) => done,
            Err(problem) => return refused(&problem),
        };
        let result = opened(&view, &instruction);
        calling.writing =
            result.opens.as_ref().map(|opens| FileInProgress::new(opens.clone(), call.id.clone()));
        result
    }

    /// The bytes of the file that a model names. It reads a file.
    pub(crate) fn file(&self, named: &str) -> Result<Vec<u8>, ToolError> {
        match folder_of(&self.service, self.folder.as_deref()) {
            Ok(Some(folder)) => FileTools::new(folder).file(named),
            Ok(None) => {
                let error = FileError::TargetMissing { path: named.to_owned() };
                Err(ToolError::new(error.code(), error.to_string()))
            }
            Err(error) => Err(ToolError::new(error.code(), error.to_string())),
        }
    }

    /// Looks at files for a call. They are read on a thread for that.
    async fn look(&self, call: ToolCall) -> ToolResult {
        let (service, folder) = (self.service.clone(), self.folder.clone());
        let looked = tokio::task::spawn_blocking(move || match folder_of(&service, folder.as_deref()) {
            Ok(Some(folder)) => FileTools::new(folder).call(&call),
            Ok(None) => ToolResult::text("There are no files yet."),
            Err(error) => refused(&error.into()),
        });
        looked.await.unwrap_or_else(|_| ToolResult::error("The server is stopping."))
    }

    async fn begin(
        &self,
        options: BeginOptions,
        calling: &mut CallContext,
    ) -> Result<(WriteSessionView, String), WriteFailure> {
        if let Some(writing) = &calling.writing {
            return self.mend(writing, options).await;
        }
        self.begin_new(options, calling).await
    }

    /// Begins a file; one of the same name that this session has left is given up for it.
    pub(super) async fn begin_new(
        &self,
        options: BeginOptions,
        calling: &CallContext,
    ) -> Result<(WriteSessionView, String), WriteFailure> {
        let begun = self.service.begin_for(calling.caller.clone(), options.clone()).await;
        let view = match (begun, calling.left.get(&options.target_file)) {
            (Err(problem), Some(left)) if problem.code == "SESSION_CONFLICT" => {
                self.service.cancel(*left).await?;
                self.service.begin_for(calling.caller.clone(), options).await?
            }
            (begun, _) => begun?,
        };
        let instruction = view.instruction.clone();
        Ok((view, instruction))
    }

    /// A second call while a file is being written: only a patch of it makes sense, if one was asked for.
    async fn mend(
        &self,
        writing: &FileInProgress,
        options: BeginOptions,
    ) -> Result<(WriteSessionView, String), WriteFailure> {
        let is_it = options.target_file == writing.file && options.operation == WriteOperation::Patch;
        let view = self.service.sessions().get(writing.id)?;
        let Some(spec) = options.patch.filter(|_| is_it && view.state == State::NeedsRepair) else {
            let problem = format!(
                "{} is being written and is not complete: write its content first, then begin {} by the same call",
                writing.file, options.target_file
            );
            return Err(Error::Options(problem).into());
        };
        let errors =
            view.problem.as_ref().map(|problem| format!(" ({})", problem.message)).unwrap_or_default();
        let marker = view.marker.clone();
        let view = self.service.patch(writing.id, spec).await?;
        let instruction = format!(
            "Now write only the new text for that place{errors}, as plain text: no explanation, no code fence. \
             End with the line {marker} alone."
        );
        Ok((view, instruction))
    }

    /// Goes on with a file that was left.
    async fn again(
        &self,
        id: WriteSessionId,
        calling: &CallContext,
    ) -> Result<(WriteSessionView, String), WriteFailure> {
        if let Some(writing) = &calling.writing {
            let problem = format!("{} is being written; one file at a time", writing.file);
            return Err(Error::Options(problem).into());
        }
        let view = self.service.sessions().get(id)?;
        // Sessions of others are not there.
        if !calling.left.values().any(|left| *left == id) {
            return Err(Error::SessionNotFound(id.to_string()).into());
        }
        let view = match view.state {
            state if (is_pausing(state) || state == State::Incomplete) && asked(&view).is_none() => {
                self.service.turn_end(id, TurnFinish::Length).await?
            }
            _ => view,
        };
        match (&view.problem, view.state) {
            (Some(problem), state) if state.is_final() => Err(problem.clone()),
            (_, State::Open) => {
                let instruction = view.instruction.clone();
                Ok((view, instruction))
            }
            (problem, _) => match asked(&view).map(str::to_owned) {
                Some(prompt) => Ok((view, prompt)),
                None => Err(problem.clone().unwrap_or_else(|| Error::SessionNotFound(id.to_string()).into())),
            },
        }
    }

    /// What the next answer's text is: content, in whose place a patch of it may be begun if that was asked for.
    pub(crate) fn answer_text(&self, id: WriteSessionId) -> AnswerText {
        let view = self.service.sessions().get(id);
        let is_to_mend = view.as_ref().is_ok_and(|view| view.state == State::NeedsRepair);
        let marker = view.map(|view| view.marker);
        AnswerText::Content {
            ends: marker.into_iter().chain(["DONE".to_owned()]).collect(),
            calls: if is_to_mend { vec![BEGIN.to_owned()] } else { Vec::new() },
        }
    }

    /// Takes text for a file.
    pub(crate) async fn stream(
        &self,
        id: WriteSessionId,
        text: String,
    ) -> Result<WriteSessionView, WriteFailure> {
        self.service.chunk(id, None, text.into_bytes(), ChunkEnd::More).await
    }

    /// The turn is over: files that it has left do not keep others from writing them.
    pub(crate) fn leave(&self, left: impl IntoIterator<Item = WriteSessionId>) {
        for id in left {
            // What is not there any more keeps nobody from anything.
            let _ = self.service.sessions().leave(id);
        }
    }

    /// The model's answer has ended.
    pub(crate) async fn end(&self, id: WriteSessionId, finish: TurnFinish) -> WriteReport {
        self.settle(id, self.service.turn_end(id, finish).await)
    }

    /// What a file that a session was writing came to, when its process died; `None` when nothing has come yet.
    pub(crate) async fn catch_up(&self, id: WriteSessionId) -> Option<WriteReport> {
        let looked = self.service.sessions().get(id);
        match &looked {
            Ok(view) if view.state == State::Open => None,
            // Nobody knows what else the model said: that is as good as cut off.
            Ok(view) if is_pausing(view.state) && asked(view).is_none() => {
                Some(self.end(id, TurnFinish::Length).await)
            }
            _ => Some(self.settle(id, looked)),
        }
    }

    /// What the state of a write session means for the one who writes.
    pub(crate) fn settle(
        &self,
        id: WriteSessionId,
        view: Result<WriteSessionView, WriteFailure>,
    ) -> WriteReport {
        let view = match view {
            Ok(view) => view,
            // What is over says so; only what is not there any more has no view.
            Err(problem) => match self.service.sessions().get(id) {
                Ok(view) => view,
                Err(_) => return WriteReport::failed(id, &problem),
            },
        };
        let (standing, say) = match (&view.receipt, asked(&view)) {
            (Some(_), _) => (Standing::Written, outcome(&view)),
            _ if view.state.is_final() => (Standing::Failed, outcome(&view)),
            (None, Some(prompt)) => (Standing::GoesOn, prompt.to_owned()),
            _ => (Standing::Left, outcome(&view)),
        };
        WriteReport {
            id,
            standing,
            bytes: view.receipt.as_ref().map_or(view.bytes, |receipt| receipt.bytes),
            lines: view.receipt.as_ref().map_or(view.lines, |receipt| receipt.lines),
            say,
            code: view.problem.map(|problem| problem.code).unwrap_or_default(),
            ..WriteReport::failed(id, &WriteFailure { code: String::new(), message: String::new() })
        }
    }

    /// The file that a model names, beneath the folder of the workspace: some name it by its absolute path.
    pub(super) fn relative(&self, file: &str) -> String {
        let named = self.service.sessions().root().top().relative(file).into_owned();
        let is_here = |folder: &str| Some(named.strip_prefix(folder)?.strip_prefix('/')?.to_owned());
        match &self.folder {
            // What is named as it stands is beneath the folder already.
            Some(folder) if named != file => is_here(folder).unwrap_or_else(|| file.to_owned()),
            _ => named,
        }
    }

    pub(super) fn service(&self) -> &WriteService {
        &self.service
    }

    /// The texts that it has written.
    pub(crate) fn texts(&self) -> Texts {
        Texts::of(self.service.sessions().clone(), self.folder.clone())
    }

    pub(super) fn folder(&self) -> Option<&str> {
        self.folder.as_deref()
    }
}

/// The folder of a writer beneath its root, if it is there.
fn folder_of(service: &WriteService, folder: Option<&str>) -> Result<Option<Folder>, FileError> {
    let root = service.sessions().root();
    match folder {
        Some(folder) => RelPath::parse(folder).and_then(|folder| root.folder(&folder)),
        None => Ok(Some(root.top())),
    }
}

/// What the model is to be asked, if anything. Whether it is finished is asked of those who send without an answer's end.
pub(super) fn asked(view: &WriteSessionView) -> Option<&str> {
    let prompt = view.prompt.as_ref()?;
    (!matches!(prompt.kind, PromptKind::Begin | PromptKind::Idle)).then_some(&prompt.text)
}

fn is_pausing(state: State) -> bool {
    matches!(state, State::Receiving | State::Paused(_))
}

/// The result of a call that opens a file.
pub(super) fn opened(view: &WriteSessionView, instruction: &str) -> ToolResult {
    let mut reply = about(view);
    let instruction = Value::from(instruction);
    reply.insert("instruction".to_owned(), instruction.clone());
    reply.insert("instructions".to_owned(), instruction);
    reply.insert("end_marker".to_owned(), json!(view.marker));
    reply.insert("expires_at".to_owned(), json!(view.expires));
    reply.insert("max_bytes".to_owned(), json!(view.options.max_bytes));
    reply.insert("offset".to_owned(), json!(view.offset));
    let opens = OpenedFile { id: view.id, file: view.options.target_file.clone() };
    ToolResult { content: Value::Object(reply).to_string(), opens: Some(opens), ..ToolResult::default() }
}

/// The result of a call whose file is over, or left: what the model reads in place of the content.
pub(super) fn outcome(view: &WriteSessionView) -> String {
    let mut reply = about(view);
    if let Some(receipt) = &view.receipt {
        reply.insert("success".to_owned(), json!(true));
        reply.insert("receipt".to_owned(), json!(receipt));
    } else {
        reply.insert("success".to_owned(), json!(false));
        reply.insert("bytes".to_owned(), json!(view.bytes));
        let message = if view.state.is_final() {
            "nothing was written"
        } else {
            "the file is not complete and nothing was written under its name; what came is kept for some minutes: \
             go on with it by session_id, or begin anew"
        };
        reply.insert("message".to_owned(), json!(message));
    }
    if let Some(problem) = &view.problem {
        reply.insert("error".to_owned(), json!({"code": problem.code, "message": problem.message}));
    }
    Value::Object(reply).to_string()
}

fn about(view: &WriteSessionView) -> Map<String, Value> {
    let mut reply = Map::new();
    reply.insert("session_id".to_owned(), json!(view.id.to_string()));
    reply.insert("target_file".to_owned(), json!(view.options.target_file));
    reply.insert("stage".to_owned(), json!(view.state.stage()));
    reply.insert("state".to_owned(), json!(view.state.name()));
    reply
}

/// Whether a file has to wait for the one that is being written. A patch of that one may mend it.
fn waits(writing: &FileInProgress, options: &BeginOptions) -> bool {
    options.target_file != writing.file
}

/// The result of a call whose file has its turn when `before` is written.
fn waiting(before: &str, file: &str) -> ToolResult {
    let message = format!(
        "{before} comes first: write its content now. {file} is begun by itself when {before} is written; do not call for it again."
    );
    let reply = json!({"target_file": file, "stage": "waiting", "message": message});
    ToolResult { content: reply.to_string(), waits: true, ..ToolResult::default() }
}

/// The result of a call that was refused.
pub(super) fn refused(problem: &WriteFailure) -> ToolResult {
    let next = "Nothing was begun, so write no content now: no file would take it. Mend the call, or say what is wrong.";
    let error = json!({"code": problem.code, "message": problem.message});
    ToolResult::error(json!({"success": false, "error": error, "message": next}).to_string())
}
