//! An answer that is content of a file: it goes to the write session as it streams, and listeners hear how far it is.
//!
//! Must never put reasoning into a file, or content into the log.

use std::sync::{Mutex, PoisonError};

use engross_llm::{Error, Event, FinishReason, Limits, Model, Request, ToolCall, collect_within};
use engross_protocol::Clock;
use engross_write::WriteFailure;
use engross_write::framing::TurnFinish;
use tokio::sync::Notify;

use super::{TurnTask, deserted};
use crate::session::decide::{Heard, Input};
use crate::session::error::RequestError;
use crate::session::event::Step;
use crate::session::log::{Standing, ToolResult, Wrote};
use crate::session::record::SessionGuard;
use crate::session::state::{Session, Writing};
use crate::writing::{BEGIN, Calling, Progress, Writer};

/// Text on its way into a file.
#[derive(Default)]
struct Pour {
    text: Mutex<String>,
    more: Notify,
}

impl Pour {
    fn push(&self, delta: &str) {
        self.text.lock().unwrap_or_else(PoisonError::into_inner).push_str(delta);
        self.more.notify_one();
    }

    fn take(&self) -> String {
        std::mem::take(&mut *self.text.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// How an answer came to its end.
enum Over {
    Answered(Box<engross_llm::Answer>),
    Failed(Error),
    Stopped(&'static str, &'static str),
    /// Another server works on the session.
    Lost,
}

impl TurnTask {
    /// What a file that was being written came to while nobody was here.
    pub(super) async fn catch_up(&self, session: &Session) -> Input {
        let writing = session.turn.as_ref().and_then(|turn| turn.writing.as_ref());
        let Some(Writing { id, asked, .. }) = writing else { return Input::Continue };
        let wrote = match &self.writer {
            Some(writer) => writer.catch_up(*id).await,
            None => Some(Wrote::failed(*id, &no_workspace())),
        };
        let known = |wrote: &Wrote| {
            let said = asked.as_ref().map(|(_, said)| said);
            wrote.standing == Standing::GoesOn && said == Some(&wrote.say)
        };
        wrote.filter(|wrote| !known(wrote)).map_or(Input::Continue, |wrote| Input::Wrote(wrote, Vec::new()))
    }

    pub(super) fn calling(&self, session: &Session) -> Calling {
        let writing = session.turn.as_ref().and_then(|turn| turn.writing.clone());
        Calling { writing, left: session.left.clone() }
    }

    /// Opens files; gives each call with its result.
    pub(super) async fn open_files(
        &self,
        calls: Vec<ToolCall>,
        session: &Session,
    ) -> Vec<(String, ToolResult)> {
        let Some(writer) = &self.writer else { return Vec::new() };
        let mut calling = self.calling(session);
        let mut results = Vec::with_capacity(calls.len());
        for call in calls {
            let result = writer.call(&call, &mut calling).await;
            results.push((call.id, result));
        }
        results
    }

    /// Asks the model for content of the file that is being written.
    pub(super) async fn write(
        &mut self,
        request: Request,
        model: &dyn Model,
        session: &mut SessionGuard,
    ) -> Result<Input, RequestError> {
        let Some(turn) = session.turn.as_ref() else { return Ok(Input::Continue) };
        let Some(writing) = turn.writing.clone() else { return Ok(Input::Continue) };
        let Some(writer) = self.writer.clone() else {
            return Ok(Input::Wrote(Wrote::failed(writing.id, &no_workspace()), Vec::new()));
        };
        let (background, shows) = (turn.background, turn.parameters.write_content);
        let config = std::sync::Arc::clone(&self.config);
        let channel = std::sync::Arc::clone(&self.channel);
        let working = std::sync::Arc::clone(&self.working);
        let pour = Pour::default();
        let mut progress = Progress::new(&writing.file, writing.bytes, writing.lines);
        let mut failed: Option<WriteFailure> = None;
        let answer = async {
            let _permit = working.acquire().await;
            collect_within(Limits::default(), model.answer(request), |event| {
                if let Event::Text(delta) = event {
                    pour.push(delta);
                }
            })
            .await
        };
        let lost = session.lease_lost();
        let gone = deserted(&channel, config.grace);
        tokio::pin!(answer, lost, gone);
        let over = loop {
            tokio::select! {
                answer = &mut answer => break match answer {
                    Ok(answer) => Over::Answered(Box::new(answer)),
                    Err(error) => Over::Failed(error),
                },
                () = pour.more.notified() => {
                    let text = pour.take();
                    self.hear(&text, &writing, shows, &mut progress, &*config.clock);
                    failed = pass_on(&writer, &writing, text, failed).await;
                    if failed.is_some() {
                        // Nothing of the rest could be kept.
                        break Over::Stopped("", "");
                    }
                }
                () = &mut gone, if !background => {
                    break Over::Stopped("LISTENER_GONE", "nobody listened any more, so the turn was stopped");
                }
                () = &mut lost => break Over::Lost,
                () = channel.cancelled() => break Over::Stopped("TURN_CANCELLED", "the turn was cancelled"),
            }
        };
        let text = pour.take();
        self.hear(&text, &writing, shows, &mut progress, &*config.clock);
        if !matches!(over, Over::Lost) {
            failed = pass_on(&writer, &writing, text, failed).await;
        }
        let told = |wrote: Wrote| Wrote { part: progress.bytes(), part_sha256: progress.sha256(), ..wrote };
        let heard = |wrote: Wrote| Heard { wrote: Some(Box::new(wrote)), ..Heard::default() };
        let input = match over {
            Over::Answered(answer) => {
                let wrote = match failed {
                    Some(problem) => writer.settle(writing.id, Err(problem)),
                    None => writer.end(writing.id, finish(answer.finish)).await,
                };
                let wrote = Wrote { usage: answer.usage, model: model.info().spec, ..told(wrote) };
                self.tell(&wrote, &writing);
                // What is cut off may be cut within a call.
                let calls = if is_cut(answer.finish) { Vec::new() } else { answer.tool_calls };
                Input::Wrote(wrote, calls)
            }
            // A stream that breaks off is an answer that is cut off.
            Over::Failed(Error::Truncated) if progress.bytes() > 0 => {
                let wrote = told(writer.end(writing.id, TurnFinish::Length).await);
                let wrote = Wrote { model: model.info().spec, ..wrote };
                self.tell(&wrote, &writing);
                Input::Wrote(wrote, Vec::new())
            }
            Over::Failed(error) if progress.bytes() == 0 => Input::Failed(error, Heard::default()),
            Over::Failed(error) => {
                let wrote = told(writer.end(writing.id, TurnFinish::Error).await);
                self.tell(&wrote, &writing);
                Input::Failed(error, heard(wrote))
            }
            Over::Stopped("", _) => {
                let problem = failed.unwrap_or_else(no_workspace);
                let wrote = told(writer.settle(writing.id, Err(problem)));
                self.tell(&wrote, &writing);
                Input::Wrote(wrote, Vec::new())
            }
            // What is asked of the model stands.
            Over::Stopped(code, message) if progress.bytes() == 0 => {
                Input::Cancel(code, message, Heard::default())
            }
            Over::Stopped(code, message) => {
                let wrote = told(writer.end(writing.id, TurnFinish::Error).await);
                self.tell(&wrote, &writing);
                Input::Cancel(code, message, heard(wrote))
            }
            Over::Lost => {
                let message = "another server has taken the session over";
                Input::Cancel("TURN_CANCELLED", message, Heard::default())
            }
        };
        Ok(input)
    }

    /// Tells listeners of text that goes into the file.
    fn hear(&self, text: &str, writing: &Writing, shows: bool, progress: &mut Progress, clock: &dyn Clock) {
        if text.is_empty() {
            return;
        }
        progress.add(text);
        if shows {
            self.channel.tell([self.renderer.content(text.to_owned(), &writing.call)]);
        }
        if let Some(message) = progress.due(clock.millis()) {
            let call = named(writing);
            self.channel.tell([self.renderer.status(message, &call, Step::Running)]);
        }
    }

    /// Tells listeners how the file stands.
    fn tell(&self, wrote: &Wrote, writing: &Writing) {
        let Wrote { bytes, lines, .. } = wrote;
        let file = &writing.file;
        let (step, message) = match wrote.standing {
            Standing::GoesOn => {
                (Step::Running, format!("{file} goes on: {bytes} bytes, {lines} lines so far …"))
            }
            Standing::Written => (Step::Done, format!("{file} is written: {bytes} bytes, {lines} lines")),
            Standing::Left => (Step::Failed, format!("{file} is left incomplete after {bytes} bytes")),
            Standing::Failed => (Step::Failed, format!("{file} was not written [{}]", wrote.code)),
        };
        self.channel.tell([self.renderer.status(message, &named(writing), step)]);
    }
}

async fn pass_on(
    writer: &Writer,
    writing: &Writing,
    text: String,
    failed: Option<WriteFailure>,
) -> Option<WriteFailure> {
    if text.is_empty() || failed.is_some() {
        return failed;
    }
    match writer.pour(writing.id, text).await {
        Ok(view) if view.state.is_final() && view.receipt.is_none() => view.problem,
        Ok(_) => None,
        Err(problem) => Some(problem),
    }
}

/// The call that opened a file, as far as listeners need it.
fn named(writing: &Writing) -> ToolCall {
    ToolCall { id: writing.call.clone(), name: BEGIN.to_owned(), arguments: String::new() }
}

fn finish(finish: FinishReason) -> TurnFinish {
    match finish {
        FinishReason::Stop => TurnFinish::Stop,
        FinishReason::ToolCalls => TurnFinish::ToolCalls,
        FinishReason::Length => TurnFinish::Length,
        FinishReason::ContentFilter => TurnFinish::ContentFilter,
    }
}

fn is_cut(finish: FinishReason) -> bool {
    matches!(finish, FinishReason::Length | FinishReason::ContentFilter)
}

fn no_workspace() -> WriteFailure {
    let message = "the workspace of the file cannot be reached any more".to_owned();
    WriteFailure { code: "WORKSPACE_UNKNOWN".to_owned(), message }
}
