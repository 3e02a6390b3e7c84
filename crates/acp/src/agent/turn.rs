//! A message of the person, from the request to the reason why the answer stopped.
//!
//! Must never end while its turn runs, nor write anything itself: the session's tools do.

use agent_client_protocol_schema::v1::{
    CurrentModeUpdate, Error as RpcError, SessionUpdate, StopReason, ToolCallLocation,
};
use engross_agent::session::{AnswerFinish, TurnEvent, TurnRequest};
use engross_docx::ops::Status;
use engross_llm::Message;
use serde_json::Value;
use tokio::sync::oneshot;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::connection::Connection;
use super::host::PRINCIPAL;
use super::permission::{Decision, Proposal, Question};
use super::profile::APPLY;
use super::progress::{TurnProgress, contents};
use super::refusal;
use super::session::{EditorSession, TurnInbox};

/// The code of a turn that was cancelled.
const TURN_CANCELLED: &str = "TURN_CANCELLED";

/// A question that is open.
struct OpenQuestion {
    reply: oneshot::Sender<bool>,
    answer: oneshot::Receiver<Result<Value, RpcError>>,
}

/// Answers a message.
///
/// # Errors
/// When the session refuses the message, or the turn fails.
pub(super) async fn run(
    session: &EditorSession,
    connection: &Connection,
    (text, system): (String, Option<String>),
    cancelled: &CancellationToken,
) -> Result<StopReason, RpcError> {
    let mut inbox = session.inbox.lock().await;
    inbox.clear();
    let request = TurnRequest {
        principal: PRINCIPAL.to_owned(),
        key: Some(session.name()),
        system,
        messages: vec![Message::User { content: text, attachments: Vec::new() }],
        tools: Some(Vec::new()),
        workspace: Some(session.folder.path().display().to_string()),
        ..TurnRequest::default()
    };
    let submitted = session.opened.sessions.submit(request).await;
    let mut answer = submitted.map_err(|error| refusal::of_request(&error))?;
    let mut progress = TurnProgress::new(session.folder.clone(), answer.turn);
    let mut question: Option<OpenQuestion> = None;
    let mut is_stopping = false;
    let mut stopping = JoinSet::new();
    let TurnInbox { stored, proposals } = &mut *inbox;
    let end = loop {
        tokio::select! {
            biased;
            () = cancelled.cancelled(), if !is_stopping => {
                is_stopping = true;
                // Who waits for the person's word gets a no.
                question = None;
                stop(session, &mut stopping);
            }
            Some(event) = stored.recv() => {
                show(session, connection, progress.stored(&event)).await;
            }
            decision = decided(&mut question), if question.is_some() => {
                let decision = Decision::of(decision);
                if decision == Decision::Always && session.mode.set(APPLY) {
                    let mode = SessionUpdate::CurrentModeUpdate(CurrentModeUpdate::new(APPLY));
                    connection.update(&session.id, mode).await;
                }
                if let Some(question) = question.take() {
                    let _ = question.reply.send(decision != Decision::No);
                }
            }
            Some(proposal) = proposals.recv(), if question.is_none() && !is_stopping => {
                question = Some(ask(session, connection, &mut progress, proposal).await);
            }
            event = answer.next() => match event.map(|positioned| positioned.event) {
                None => break Ok(StopReason::Cancelled),
                // A turn that ends by itself before it is stopped was cancelled all the same: the editor said so.
                Some(TurnEvent::Done { .. }) if is_stopping => break Ok(StopReason::Cancelled),
                Some(TurnEvent::Done { finish, .. }) => break Ok(reason_of(finish)),
                Some(TurnEvent::Failed { code, .. }) if code == TURN_CANCELLED => {
                    break Ok(StopReason::Cancelled);
                }
                Some(TurnEvent::Failed { code, message, retry_after }) => {
                    break Err(refusal::of_turn(&code, &message, retry_after));
                }
                Some(event) => show(session, connection, progress.event(&event)).await,
            },
        }
    };
    while let Ok(event) = stored.try_recv() {
        show(session, connection, progress.stored(&event)).await;
    }
    inbox.clear();
    show(session, connection, progress.end()).await;
    while stopping.join_next().await.is_some() {}
    end
}

/// Has the turn of a session stopped; its end comes with its answer.
fn stop(session: &EditorSession, stopping: &mut JoinSet<()>) {
    let (sessions, name) = (session.opened.sessions.clone(), session.name());
    stopping.spawn(async move {
        // Without an end that is told, the answer's own stream tells it.
        let _ = sessions.cancel(PRINCIPAL, &name).await;
    });
}

async fn show(session: &EditorSession, connection: &Connection, updates: Vec<SessionUpdate>) {
    for update in updates {
        connection.update(&session.id, update).await;
    }
}

/// What the editor answers to the open question; nothing when it has gone away.
async fn decided(question: &mut Option<OpenQuestion>) -> Result<Value, Option<RpcError>> {
    match question {
        Some(question) => match (&mut question.answer).await {
            Ok(answer) => answer.map_err(Some),
            Err(_) => Err(None),
        },
        None => std::future::pending().await,
    }
}

/// Puts edits to the person.
async fn ask(
    session: &EditorSession,
    connection: &Connection,
    progress: &mut TurnProgress,
    Proposal { edits, reply }: Proposal,
) -> OpenQuestion {
    let count = edits.operations.iter().filter(|operation| operation.status == Status::Applied).count();
    let changes = if count == 1 { "change" } else { "changes" };
    let (call, updates) =
        progress.editing(&edits.file).unwrap_or_else(|| (format!("write:{}", edits.file), Vec::new()));
    show(session, connection, updates).await;
    let question = Question {
        call,
        title: format!("Write {count} tracked {changes} into {}", edits.file),
        content: contents(&session.folder, &edits.file, &edits.operations),
        location: ToolCallLocation::new(session.folder.absolute(&edits.file)),
    };
    let answer = connection.ask("session/request_permission", &question.request(&session.id)).await;
    OpenQuestion { reply, answer }
}

/// Why a whole answer stopped.
fn reason_of(finish: AnswerFinish) -> StopReason {
    match finish {
        AnswerFinish::Stop | AnswerFinish::ToolCalls => StopReason::EndTurn,
        AnswerFinish::Length => StopReason::MaxTokens,
        AnswerFinish::ContentFilter => StopReason::Refusal,
    }
}
