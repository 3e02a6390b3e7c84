//! `/accept` and `/compare`: what is done to documents without a model, with the person's word before it.
//!
//! Must never replace a document without a checkpoint, nor write a result over a file that is there.

use std::sync::Arc;

use agent_client_protocol_schema::v1::{
    Content, ContentBlock, CurrentModeUpdate, Error as RpcError, ResourceLink, SessionUpdate, StopReason,
    ToolCall, ToolCallContent, ToolCallLocation, ToolCallStatus, ToolCallUpdate, ToolCallUpdateFields,
    ToolKind,
};
use engross_documents::{EditWork, Error, Workspace, differences, listing, redline};
use engross_docx::revisions::Side;
use engross_docx::{CompareOptions, ComparedView, Granularity, Tracking, WordDocument};
use engross_protocol::Failure;
use engross_store::files::{FileError, Precondition, RelPath};
use tokio_util::sync::CancellationToken;

use super::codes;
use super::connection::Connection;
use super::folder::SessionFolder;
use super::permission::{Decision, Question};
use super::profile::APPLY;
use super::progress::{text, text_chunk};
use super::refusal;
use super::session::EditorSession;

/// The last number that a result's name gets.
const LAST_NUMBER: u32 = 1000;

/// The most documents that are looked for when none is named.
const LOOKED_AT: usize = 2000;

/// What is about to be written.
struct PreparedWrite {
    title: String,
    /// What would change, for people.
    summary: String,
    file: RelPath,
    work: Work,
}

enum Work {
    /// Accept the tracked changes of the file.
    Accept,
    /// Put a new file there.
    Put(Vec<u8>),
}

/// A document without a model.
pub(super) enum DocumentCommand {
    /// Two versions become a redline.
    Compare(Vec<String>),
    /// The tracked changes of a document are accepted.
    Accept(Vec<String>),
}

/// Carries a command out.
///
/// # Errors
/// When a file cannot be used, or the result cannot be written.
pub(super) async fn run(
    session: &EditorSession,
    connection: &Connection,
    call: &str,
    command: DocumentCommand,
    cancelled: &CancellationToken,
) -> Result<StopReason, RpcError> {
    let say = |words: String| async move {
        connection.update(&session.id, SessionUpdate::AgentMessageChunk(text_chunk(&words))).await;
    };
    let (workspace, folder) = (session.opened.workspace.clone(), session.folder.clone());
    let author = session.opened.author.clone();
    let prepared = blocking(move || match command {
        DocumentCommand::Accept(files) => accept(&workspace, &folder, &files),
        DocumentCommand::Compare(files) => compare(&workspace, &folder, &files, author),
    })
    .await?;
    let prepared = match prepared {
        Ok(prepared) => prepared,
        Err(nothing) => {
            say(nothing).await;
            return Ok(StopReason::EndTurn);
        }
    };
    let PreparedWrite { title, summary, file, work } = prepared;
    let location = ToolCallLocation::new(session.folder.absolute(file.as_str()));
    let shown = ToolCall::new(call.to_owned(), title.clone())
        .kind(ToolKind::Edit)
        .status(ToolCallStatus::Pending)
        .content(vec![text(&summary)])
        .locations(vec![location.clone()]);
    connection.update(&session.id, SessionUpdate::ToolCall(shown)).await;
    let status = |status: ToolCallStatus, content: Option<Vec<ToolCallContent>>| {
        let fields = ToolCallUpdateFields::new().status(status).content(content);
        SessionUpdate::ToolCallUpdate(ToolCallUpdate::new(call.to_owned(), fields))
    };
    if !session.mode.applies() {
        let question = Question { call: call.to_owned(), title, content: vec![text(&summary)], location };
        let answer = connection.ask("session/request_permission", &question.request(&session.id)).await;
        let decision = tokio::select! {
            biased;
            () = cancelled.cancelled() => None,
            answer = answer => Some(answer.map_or(Decision::No, Decision::of)),
        };
        match decision {
            Some(Decision::Once) => {}
            Some(Decision::Always) => {
                session.mode.set(APPLY);
                let mode = SessionUpdate::CurrentModeUpdate(CurrentModeUpdate::new(APPLY));
                connection.update(&session.id, mode).await;
            }
            Some(Decision::No) => {
                connection.update(&session.id, status(ToolCallStatus::Failed, None)).await;
                say("Nothing was written.".to_owned()).await;
                return Ok(StopReason::EndTurn);
            }
            None => {
                connection.update(&session.id, status(ToolCallStatus::Failed, None)).await;
                return Ok(StopReason::Cancelled);
            }
        }
    }
    let stop = cancelled.clone();
    let workspace = session.opened.workspace.clone().until(Arc::new(move || stop.is_cancelled()));
    let path = file.clone();
    let written = blocking(move || write(&workspace, &path, work)).await;
    if let Err(error) = written {
        connection.update(&session.id, status(ToolCallStatus::Failed, None)).await;
        if cancelled.is_cancelled() {
            return Ok(StopReason::Cancelled);
        }
        return Err(error);
    }
    let link = ResourceLink::new(file.as_str(), session.folder.address(file.as_str()));
    let content =
        vec![text(&summary), ToolCallContent::Content(Content::new(ContentBlock::ResourceLink(link)))];
    connection.update(&session.id, status(ToolCallStatus::Completed, Some(content))).await;
    say(format!("{}\n\nWrote {file}.", summary.trim_end())).await;
    Ok(StopReason::EndTurn)
}

/// A write, or why there is nothing to do.
type Preparation = Result<Result<PreparedWrite, String>, Failure>;

fn accept(workspace: &Workspace, folder: &SessionFolder, files: &[String]) -> Preparation {
    let file = match files.first() {
        Some(named) => folder.file(named)?,
        None => the_document(workspace)?,
    };
    let document = workspace.open(&file)?.document;
    let revisions = document.revisions().map_err(|error| Error::document(file.as_str(), error))?;
    if revisions.is_empty() {
        return Ok(Err(format!("{file} has no tracked changes; nothing was written.")));
    }
    let count = revisions.len();
    let title = format!("Accept {count} tracked change{} of {file}", if count == 1 { "" } else { "s" });
    let summary = format!("{title}:\n{}", listing::revisions(&revisions));
    Ok(Ok(PreparedWrite { title, summary, file, work: Work::Accept }))
}

fn compare(workspace: &Workspace, folder: &SessionFolder, files: &[String], author: String) -> Preparation {
    let read = |name: &str| {
        let file = folder.file(name)?;
        let bytes = workspace.read(&file)?;
        let missing = || Failure::from(FileError::TargetMissing { path: file.as_str().to_owned() });
        Ok::<_, Failure>((bytes.ok_or_else(missing)?, file))
    };
    let [before, after] = files else { return Ok(Err("Name two documents.".to_owned())) };
    let ((before, first), (after, second)) = (read(before)?, read(after)?);
    let options = CompareOptions {
        author,
        date: workspace.date(),
        view: ComparedView::Accepted,
        keep_revisions: false,
        formatting: true,
        moves: true,
        granularity: Granularity::default(),
    };
    let made = redline(before.clone(), after, &options).map_err(|error| {
        let file = if error.is_after { &second } else { &first };
        Failure::from(Error::document(file.as_str(), error.error))
    })?;
    // Changes that were pending before are no difference.
    if made.bytes == before || made.report.changes.is_empty() {
        return Ok(Err(format!("{first} and {second} say the same; nothing was written.")));
    }
    let file = free_name(workspace, &first)?;
    let title = format!("Write the redline of {first} and {second} to {file}");
    let summary = format!("{title}\n{}", differences::summary(&made.report.changes, made.report.proof));
    Ok(Ok(PreparedWrite { title, summary, file, work: Work::Put(made.bytes) }))
}

/// `NAME.redline.docx` beside a document, with the first number that is free.
fn free_name(workspace: &Workspace, file: &RelPath) -> Result<RelPath, Failure> {
    let (stem, ending) = file.as_str().rsplit_once('.').unwrap_or((file.as_str(), "docx"));
    for number in 1..=LAST_NUMBER {
        let suffix = if number == 1 { "redline".to_owned() } else { format!("redline-{number}") };
        let path = Workspace::path(&format!("{stem}.{suffix}.{ending}"))?;
        if !workspace.is_there(&path)? {
            return Ok(path);
        }
    }
    Err(FileError::TargetExists { path: file.as_str().to_owned() }.into())
}

/// The only document of the folder.
fn the_document(workspace: &Workspace) -> Result<RelPath, Failure> {
    let files = workspace.list(None, LOOKED_AT)?.files.into_iter().map(|listed| listed.path);
    let is_document = |path: &RelPath| {
        path.name().to_ascii_lowercase().ends_with(".docx") && !path.name().starts_with("~$")
    };
    let documents: Vec<RelPath> = files.filter(is_document).collect();
    match documents.as_slice() {
        [only] => Ok(only.clone()),
        [] => Err(Failure::of(
            codes::EDITOR_FILE_OUTSIDE,
            "there is no Word document in the folder of this session",
        )),
        many => {
            let names: Vec<&str> = many.iter().take(10).map(RelPath::as_str).collect();
            let message = format!("say which document: /accept FILE; there are {}", names.join(", "));
            Err(Failure::of(codes::EDITOR_PROMPT_INVALID, message))
        }
    }
}

fn write(workspace: &Workspace, file: &RelPath, work: Work) -> Result<(), Failure> {
    match work {
        Work::Accept => {
            let accept = |document: &mut WordDocument| document.resolve_all(Side::Accept);
            workspace.edit(file, None, (Tracking::Tracked, &EditWork::Resolution), accept)?;
        }
        Work::Put(bytes) => {
            workspace.put(file, &bytes, &Precondition::Absent)?;
        }
    }
    Ok(())
}

/// Does what blocks on a thread for that.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
) -> Result<T, RpcError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done.map_err(|failure| refusal::of_failure(&failure)),
        Err(_) => Err(refusal::of_failure(&Error::Stopped.into())),
    }
}
