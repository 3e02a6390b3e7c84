//! The document tools of a session: `list_documents`, `read_document`, `apply_redlines` and `review_playbook` on files.
//!
//! Must never edit a document in another form than the model has read, nor begin to once the turn is to stop. What is wrong
//! with a call is told to the model as its result.

use std::sync::Arc;

use engross_documents::{DocumentEdit, EditWork, Error, Workspace};
use engross_docx::read::ReadOptions;
use engross_docx::{EditOptions, Tracking, WordDocument};
use engross_llm::ToolCall;
use engross_store::files::{FileError, RelPath};
use serde_json::{Map, Value, json};

use super::approval::{self, Approver};
use super::asking;
use super::playbooks::{self, PlaybookCall, REVIEW_PLAYBOOK};
use crate::codes;
use crate::prompt::{FIRST_BYTES, FIRST_PARAGRAPHS, SYSTEM};
use crate::reading;
use crate::session::{
    Briefing, BriefingFuture, SeenFile, ServerTool, ToolResult, ToolResultsFuture, ToolRound, Toolbox,
};
use crate::tools::{
    APPLY_REDLINES, CallResult, PERFORM_RESEARCH, READ_DOCUMENT, Round, RoundResult, ToolError,
    research_spec, specs,
};
use crate::writing::{TEXT_FILES, Writer, offer_texts};

/// Name of the tool that lists.
const LIST_DOCUMENTS: &str = "list_documents";

/// The most documents that are listed at once.
const LISTED: usize = 200;

/// The most bytes of the particulars of a result.
const DETAIL_BYTES: usize = 64 << 10;

/// What a call's `file` is.
const ABOUT_FILE: &str = "Which document; needed when there are several.";

/// In whose name documents are edited when nobody says.
const AUTHOR: &str = "engross";

/// The tools of a workspace.
#[derive(Clone)]
pub struct DocumentTools {
    workspace: Workspace,
    writer: Option<Writer>,
    approver: Option<Arc<dyn Approver>>,
}

impl DocumentTools {
    /// The tools of `workspace`.
    #[must_use]
    pub fn new(workspace: Workspace) -> Self {
        Self { workspace, writer: None, approver: None }
    }

    /// The same with somebody who writes text files.
    #[must_use]
    pub fn with_writer(self, writer: Option<Writer>) -> Self {
        Self { writer, ..self }
    }

    /// The same with somebody who has to agree to edits.
    #[must_use]
    pub fn with_approver(self, approver: Option<Arc<dyn Approver>>) -> Self {
        Self { approver, ..self }
    }

    /// The file that a call names, and the call without it.
    fn file_of(&self, call: &ToolCall) -> Result<(RelPath, ToolCall), ToolError> {
        let mut bare = call.clone();
        let mut named = None;
        if let Ok(Value::Object(mut arguments)) = serde_json::from_str::<Value>(&call.arguments)
            && let Some(file) = arguments.remove("file")
        {
            named = Some(file);
            bare.arguments = Value::Object(arguments).to_string();
        }
        let path = match named {
            Some(Value::String(file)) => {
                let path = self.workspace.named(&file);
                path.map_err(|error| ToolError::new(error.code(), error.to_string()))?
            }
            None | Some(Value::Null) => self.the_document()?,
            Some(_) => {
                return Err(ToolError::new(
                    engross_protocol::shared::INVALID_ARGUMENTS.name,
                    "'file' is no text; name a document",
                ));
            }
        };
        if self.workspace.only().is_some_and(|only| *only != path) {
            return Err(ToolError::new(
                engross_protocol::shared::INVALID_ARGUMENTS.name,
                "there is one document; leave 'file' out",
            ));
        }
        Ok((path, bare))
    }

    /// The document that is meant when none is named.
    fn the_document(&self) -> Result<RelPath, ToolError> {
        if let Some(only) = self.workspace.only() {
            return Ok(only.clone());
        }
        let documents = self.documents().map_err(|error| ToolError::new(error.code(), error.to_string()))?;
        match documents.as_slice() {
            [(only, _)] => Ok(only.clone()),
            [] => {
                let message = "there is no Word document (.docx) in the workspace";
                Err(ToolError::new(engross_protocol::shared::INVALID_ARGUMENTS.name, message))
            }
            _ => {
                let message = format!("say which document with 'file'; {LIST_DOCUMENTS} names them");
                Err(ToolError::new(engross_protocol::shared::INVALID_ARGUMENTS.name, message))
            }
        }
    }

    /// The Word documents with their sizes.
    fn documents(&self) -> Result<Vec<(RelPath, u64)>, Error> {
        let listing = self.workspace.list(None, 10 * LISTED)?;
        let is_document = |path: &RelPath| {
            let name = path.name().to_ascii_lowercase();
            (name.ends_with(".docx") || name.ends_with(".docm")) && !name.starts_with("~$")
        };
        let documents = listing.files.into_iter().filter(|listed| is_document(&listed.path));
        Ok(documents.take(LISTED).map(|listed| (listed.path, listed.info.size)).collect())
    }

    /// Sorts calls by the documents they mean, in the order in which these come first.
    fn sort(&self, calls: Vec<ToolCall>) -> SortedCalls {
        let mut sorted = SortedCalls::default();
        for (place, call) in calls.into_iter().enumerate() {
            match call.name.as_str() {
                LIST_DOCUMENTS => {
                    sorted.answered.push((place, self.list()));
                    continue;
                }
                PERFORM_RESEARCH => {
                    sorted.searches.push((place, call));
                    continue;
                }
                _ => {}
            }
            match self.file_of(&call) {
                Err(error) => sorted.answered.push((place, of_call(error.into()))),
                Ok((file, call)) => match sorted.on_files.iter_mut().find(|(known, _)| *known == file) {
                    Some((_, calls)) => calls.push((place, call)),
                    None => sorted.on_files.push((file, vec![(place, call)])),
                },
            }
        }
        sorted
    }

    fn list(&self) -> ToolResult {
        match self.documents() {
            Ok(documents) => {
                let list: Vec<Value> = documents
                    .iter()
                    .map(|(path, size)| json!({"file": path.as_str(), "bytes": size}))
                    .collect();
                ToolResult::text(json!({ "documents": list }).to_string())
            }
            Err(error) => refused(error.code(), &error.to_string()),
        }
    }

    /// What the model is told before each of its answers: the documents as they are now.
    fn brief(&self) -> Briefing {
        let only = self.workspace.only().cloned();
        let documents = match &only {
            Some(only) => vec![(only.clone(), 0)],
            None => self.documents().unwrap_or_default(),
        };
        let mut text = SYSTEM.to_owned();
        if self.writer.is_some() {
            text.push_str("\n\n");
            text.push_str(TEXT_FILES);
        }
        let mut seen = Vec::new();
        match documents.as_slice() {
            [] => text.push_str("\n\nThe workspace holds no Word document now."),
            [(file, _)] => match self.first_reading(file) {
                Ok((reading, revision)) => {
                    text.push_str(&format!("\n\nThe document {file} as it is now:\n\n{reading}"));
                    seen.push(SeenFile { file: file.as_str().to_owned(), revision });
                }
                Err(error) => text.push_str(&format!("\n\nThe document {file} cannot be read now: {error}")),
            },
            many => {
                text.push_str(
                    "\n\nThe documents of the workspace; say in each call which one you mean with 'file':\n",
                );
                for (file, size) in many {
                    text.push_str(&format!("- {file} ({size} bytes)\n"));
                }
            }
        }
        let lessons = self.workspace.lessons(documents.iter().map(|(file, _)| file));
        if !lessons.is_empty() {
            text.push_str(&format!("\n\n## Learned Strategies\n\n{lessons}"));
        }
        Briefing { text, seen }
    }

    fn first_reading(&self, file: &RelPath) -> Result<(String, String), Error> {
        let document = self.workspace.open(file)?.document;
        let options = ReadOptions { limit: Some(FIRST_PARAGRAPHS), ..ReadOptions::default() };
        let reading = reading::text(&document, &options, FIRST_BYTES)
            .map_err(|error| Error::document(file.as_str(), error))?;
        Ok((reading.text, document.revision()))
    }

    /// The calls on one document, with their places in the round.
    async fn on_file(&self, file: RelPath, calls: PositionedEvent, work: &Work) -> Vec<(usize, ToolResult)> {
        let (places, calls): (Vec<usize>, Vec<ToolCall>) = calls.into_iter().unzip();
        let results = self.carry_out(file, &calls, work).await;
        let results = results.unwrap_or_else(|error| {
            let failed = refused(error.code(), &error.to_string());
            calls.iter().map(|_| failed.clone()).collect()
        });
        places.into_iter().zip(results).collect()
    }

    /// The file that a call names: of the folder whose texts the model writes, else of the workspace. It reads a file.
    fn named_file(&self, named: &str) -> Result<Vec<u8>, ToolError> {
        if let Some(writer) = &self.writer {
            return writer.file(named);
        }
        let failed = |error: FileError| ToolError::new(error.code(), error.to_string());
        let path = self.workspace.named(named).map_err(failed)?;
        let found = self.workspace.read(&path).map_err(failed)?;
        found.ok_or_else(|| failed(FileError::TargetMissing { path: path.to_string() }))
    }

    /// Carries out calls, of which those about a playbook are answered, or become edits, first.
    async fn carry_out(
        &self,
        file: RelPath,
        calls: &[ToolCall],
        work: &Work,
    ) -> Result<Vec<ToolResult>, Error> {
        if calls.iter().all(|call| call.name != REVIEW_PLAYBOOK) {
            return self.carry_out_edits(file, calls, work).await;
        }
        let (tools, path, named) = (self.clone(), file.clone(), calls.to_vec());
        let understood = blocking(move || {
            let document = tools.workspace.open(&path)?.document;
            let understood = named.into_iter().map(|call| match call.name.as_str() {
                REVIEW_PLAYBOOK => playbooks::understand(&call, &document, |named| tools.named_file(named)),
                _ => PlaybookCall::Edits(call, String::new()),
            });
            Ok::<Vec<PlaybookCall>, Error>(understood.collect())
        });
        let (mut results, mut edits, mut told) = (Vec::new(), Vec::new(), Vec::new());
        for call in understood.await?? {
            match call {
                PlaybookCall::Answered(result) => results.push(Some(of_call(result))),
                PlaybookCall::Edits(call, text) => {
                    edits.push(call);
                    told.push(text);
                    results.push(None);
                }
            }
        }
        if edits.is_empty() {
            return Ok(results.into_iter().flatten().collect());
        }
        let done = self.carry_out_edits(file, &edits, work).await?;
        let mut done = done.into_iter().zip(told).map(|(result, told)| match told.as_str() {
            "" => result,
            told => ToolResult { content: format!("{told}\n{}", result.content), ..result },
        });
        Ok(results.into_iter().filter_map(|result| result.or_else(|| done.next())).collect())
    }

    async fn carry_out_edits(
        &self,
        file: RelPath,
        calls: &[ToolCall],
        work: &Work,
    ) -> Result<Vec<ToolResult>, Error> {
        let (workspace, path, calls) = (self.workspace.clone(), file.clone(), calls.to_vec());
        let texts = self.writer.as_ref().map(Writer::texts).unwrap_or_default();
        let opened = blocking(move || Ok::<_, Error>((Round::of(&calls, &texts), workspace.open(&path)?)));
        let (mut round, opened) = opened.await??;
        let revision = opened.document.revision();
        asking::ask_all(&mut round, &opened.document, &work.round)
            .await
            .map_err(|error| Error::document(file.as_str(), error))?;
        if !round.edits().is_empty() {
            match work.round.seen.get(file.as_str()) {
                _ if work.round.cancelled.is_cancelled() => {
                    round.refuse_edits(&ToolError::new(
                        codes::TURN_CANCELLED.name,
                        "the turn was stopped; nothing was edited",
                    ));
                }
                None => round.refuse_edits(&ToolError::new(
                    codes::DOCUMENT_NOT_READ.name,
                    format!("'{file}' was not edited: read it with {READ_DOCUMENT} first"),
                )),
                Some(seen) if *seen != revision => round.refuse_edits(&ToolError::new(
                    engross_documents::codes::DOCUMENT_CHANGED.name,
                    format!("'{file}' has changed since you read it, so nothing was edited; read it again"),
                )),
                Some(_) => {
                    if let Some(approver) = &self.approver {
                        let document = (self.workspace.clone(), file.clone());
                        approval::propose(&**approver, document, &mut round, &work.options).await?;
                    }
                }
            }
        }
        let cancelled = work.round.cancelled.clone();
        let workspace = self.workspace.clone().until(Arc::new(move || cancelled.is_cancelled()));
        let path = file.clone();
        let (options, tracking) = (work.options.clone(), work.tracking);
        let name = file.as_str().to_owned();
        blocking(move || {
            let failed = |error| Error::document(path.as_str(), error);
            let editing = round.editing();
            if editing.is_empty() {
                let mut opened = workspace.open(&path)?;
                let done = round.carry_out(&mut opened.document, &options).map_err(failed)?;
                return Ok(results(&name, &round, done, &[], &opened.document.revision()));
            }
            // Each call is a step of its own, so that a person can take it back by itself.
            let pictures = workspace.pictures(round.operations());
            let edit = |step: usize, document: &mut WordDocument| {
                document.give_files(pictures.clone());
                round.first_edits(step).carry_out(document, &options)
            };
            let batch = round.batch();
            let work = EditWork::Operations { batch: &batch, options: &options };
            let (steps, document) =
                workspace.edit_in_steps(&path, Some(&revision), (tracking, &work), editing.len(), edit)?;
            let (done, edited): (Vec<RoundResult>, Vec<DocumentEdit>) = steps.into_iter().unzip();
            let done = done.into_iter().next_back().unwrap_or_default();
            Ok(results(&name, &round, done, &edited, &document.revision()))
        })
        .await?
    }
}

/// What the calls of a round came to on `file`, which is at `revision` now; `edited` has a step for each call that edits.
fn results(
    file: &str,
    round: &Round,
    done: RoundResult,
    edited: &[DocumentEdit],
    revision: &str,
) -> Vec<ToolResult> {
    let editing = round.editing();
    let mut operations = done.operations.into_iter().map(|(result, _)| json!(result));
    let mut results = Vec::with_capacity(done.results.len());
    for (place, CallResult { content, is_error }) in done.results.into_iter().enumerate() {
        let mut details = Map::new();
        details.insert("file".to_owned(), json!(file));
        details.insert("revision".to_owned(), json!(revision));
        let step = editing.iter().position(|editing| *editing == place);
        if let Some((step, edited)) = step.and_then(|step| Some((step, edited.get(step)?))) {
            details.insert("sha256".to_owned(), json!(edited.sha256));
            details.insert("checkpoint".to_owned(), json!(edited.checkpoint));
            details.insert("proof".to_owned(), json!(edited.proof));
            let count = round.edits().get(step).map_or(0, |proposals| proposals.len());
            let own: Value = operations.by_ref().take(count).collect();
            if own.to_string().len() <= DETAIL_BYTES {
                details.insert("operations".to_owned(), own);
            }
        }
        // What failed as a whole has shown nothing.
        let has_shown = !is_error || !edited.is_empty();
        let seen = SeenFile { file: file.to_owned(), revision: revision.to_owned() };
        results.push(ToolResult {
            content,
            is_error,
            details: Some(Value::Object(details)),
            seen: if has_shown { vec![seen] } else { Vec::new() },
            ..ToolResult::default()
        });
    }
    results
}

/// Calls with their places in the round.
type PositionedEvent = Vec<(usize, ToolCall)>;

/// Calls by what they are about.
#[derive(Default)]
struct SortedCalls {
    /// What needs no document.
    answered: Vec<(usize, ToolResult)>,
    /// What is looked up in the web.
    searches: PositionedEvent,
    /// The rest.
    on_files: Vec<(RelPath, PositionedEvent)>,
}

/// A round, and how its edits are made.
struct Work {
    round: ToolRound,
    options: EditOptions,
    tracking: Tracking,
}

impl Toolbox for DocumentTools {
    fn tools(&self) -> Vec<ServerTool> {
        let single = self.workspace.only().is_some();
        let mut tools = Vec::new();
        if !single {
            let spec = engross_llm::ToolSpec {
                name: LIST_DOCUMENTS.to_owned(),
                description: "Lists the Word documents of the workspace.".to_owned(),
                parameters: json!({"type": "object", "properties": {}, "additionalProperties": false}),
                strict: None,
            };
            tools.push(ServerTool { spec, read_only: true });
        }
        for mut spec in specs() {
            if self.writer.is_some()
                && let Some(operations) = spec.parameters.pointer_mut("/properties/operations")
            {
                offer_texts(operations);
            }
            if !single && let Some(properties) = spec.parameters["properties"].as_object_mut() {
                properties.insert("file".to_owned(), json!({"type": "string", "description": ABOUT_FILE}));
            }
            tools.push(ServerTool { read_only: spec.name == READ_DOCUMENT, spec });
        }
        let mut review = playbooks::spec();
        if !single && let Some(properties) = review.parameters["properties"].as_object_mut() {
            properties.insert("file".to_owned(), json!({"type": "string", "description": ABOUT_FILE}));
        }
        tools.push(ServerTool { read_only: false, spec: review });
        tools.push(ServerTool { read_only: true, spec: research_spec() });
        tools
    }

    fn briefing(&self) -> BriefingFuture<'_> {
        let tools = self.clone();
        Box::pin(async move { blocking(move || tools.brief()).await.unwrap_or_default() })
    }

    fn status(&self, call: &ToolCall) -> String {
        let arguments: Map<String, Value> = serde_json::from_str(&call.arguments).unwrap_or_default();
        let file = arguments.get("file").and_then(Value::as_str);
        let of = file.map_or_else(String::new, |file| format!(" {}", crate::tools::cut(file, 80)));
        match call.name.as_str() {
            LIST_DOCUMENTS => "Looking for documents …".to_owned(),
            PERFORM_RESEARCH => "Searching the web …".to_owned(),
            APPLY_REDLINES if of.is_empty() => "Applying edits …".to_owned(),
            APPLY_REDLINES => format!("Applying edits to{of} …"),
            REVIEW_PLAYBOOK if of.is_empty() => "Reviewing by the playbook …".to_owned(),
            REVIEW_PLAYBOOK => format!("Reviewing{of} by the playbook …"),
            _ if of.is_empty() => "Reading the document …".to_owned(),
            _ => format!("Reading{of} …"),
        }
    }

    fn writer(&self) -> Option<Writer> {
        self.writer.clone()
    }

    fn run(&self, round: ToolRound) -> ToolResultsFuture<'_> {
        Box::pin(async move {
            let author = round.settings.author.clone().unwrap_or_else(|| AUTHOR.to_owned());
            let tracking =
                if round.settings.redlines == Some(false) { Tracking::Untracked } else { Tracking::Tracked };
            let options = EditOptions { author, date: self.workspace.date() };
            let calls = round.calls.clone();
            let mut results: Vec<Option<ToolResult>> = vec![None; calls.len()];
            let work = Work { round, options, tracking };
            let tools = self.clone();
            let sorted = blocking(move || tools.sort(calls)).await.unwrap_or_default();
            for (place, result) in sorted.answered {
                if let Some(slot) = results.get_mut(place) {
                    *slot = Some(result);
                }
            }
            for (before, (place, call)) in sorted.searches.into_iter().enumerate() {
                let result = asking::research(&call, &work.round, before).await;
                if let Some(slot) = results.get_mut(place) {
                    *slot = Some(of_call(result));
                }
            }
            for (file, calls) in sorted.on_files {
                for (place, result) in self.on_file(file, calls, &work).await {
                    if let Some(slot) = results.get_mut(place) {
                        *slot = Some(result);
                    }
                }
            }
            let missing =
                || refused(engross_protocol::shared::INVALID_ARGUMENTS.name, "the call was not carried out");
            results.into_iter().map(|result| result.unwrap_or_else(missing)).collect()
        })
    }
}

fn refused(code: &'static str, message: &str) -> ToolResult {
    of_call(ToolError::new(code, message).into())
}

fn of_call(CallResult { content, is_error }: CallResult) -> ToolResult {
    ToolResult { content, is_error, ..ToolResult::default() }
}

/// Does what blocks on a thread for that.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Error> {
    tokio::task::spawn_blocking(work).await.map_err(|_| Error::Stopped)
}
