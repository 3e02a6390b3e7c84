//! An answer that is content of a file: it goes to the write session as it streams, and its progress is published.
//!
//! Must never put reasoning into a file, or content into the log.

use std::sync::{Mutex, PoisonError};

use engross_llm::{Error, Event, FinishReason, Limits, Model, Request, ToolCall, collect_within};
use engross_protocol::Clock;
use engross_write::WriteFailure;
use engross_write::framing::TurnFinish;
use engross_write::runner::WriteCaller;
use tokio::sync::Notify;

use super::{Thoughts, TurnTask, deserted};
use crate::codes;
use crate::session::decide::{Input, PartialAnswer};
use crate::session::error::RequestError;
use crate::session::event::ToolStep;
use crate::session::log::{Standing, ToolResult, WriteReport};
use crate::session::record::{SessionGuard, taken_over};
use crate::session::state::SessionState;
use crate::session::turn_state::FileInProgress;
use crate::writing::{BEGIN, CallContext, Progress, Writer};

/// Text on its way into a file.
#[derive(Default)]
struct TextBuffer {
    text: Mutex<String>,
    more: Notify,
}

impl TextBuffer {
    fn push(&self, delta: &str) {
        self.text.lock().unwrap_or_else(PoisonError::into_inner).push_str(delta);
        self.more.notify_one();
    }

    fn take(&self) -> String {
        std::mem::take(&mut *self.text.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// How an answer came to its end.
enum AnswerEnd {
    Answered(Box<engross_llm::Answer>),
    Failed(Error),
    Stopped(&'static str, &'static str),
    /// Another server works on the session.
    Lost,
}

impl TurnTask {
    /// What a file that was being written came to while nobody was here.
    pub(super) async fn catch_up(&self, session: &SessionState) -> Input {
        let writing = session.turn.as_ref().and_then(|turn| turn.writing.as_ref());
        let Some(FileInProgress { id, asked, .. }) = writing else { return Input::Continue };
        let wrote = match &self.writer {
            Some(writer) => writer.catch_up(*id).await,
            None => Some(WriteReport::failed(*id, &no_workspace())),
        };
        let known = |wrote: &WriteReport| {
            let said = asked.as_ref().map(|(_, said)| said);
            wrote.standing == Standing::GoesOn && said == Some(&wrote.say)
        };
        wrote.filter(|wrote| !known(wrote)).map_or(Input::Continue, |wrote| Input::Wrote(wrote, Vec::new()))
    }

    pub(super) fn calling(&self, session: &SessionState) -> CallContext {
        let writing = session.turn.as_ref().and_then(|turn| turn.writing.clone());
        // A run without a store has no key, and nobody beside it.
        let caller = match session.key.as_str() {
            "" => WriteCaller::default(),
            key => WriteCaller::AgentSession(key.to_owned()),
        };
        CallContext { caller, writing, left: session.left.clone() }
    }

    /// Opens files; gives each call with its result.
    pub(super) async fn open_files(
        &self,
        calls: Vec<ToolCall>,
        session: &SessionState,
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
        mut request: Request,
        model: &dyn Model,
        session: &mut SessionGuard,
    ) -> Result<Input, RequestError> {
        let Some(turn) = session.turn.as_ref() else { return Ok(Input::Continue) };
        let Some(writing) = turn.writing.clone() else { return Ok(Input::Continue) };
        let Some(writer) = self.writer.clone() else {
            return Ok(Input::Wrote(WriteReport::failed(writing.id, &no_workspace()), Vec::new()));
        };
        if let Some((text, end)) = self.behind.take(&writing.call) {
            return Ok(self.write_behind(&writer, &writing, text, end).await);
        }
        request.text = writer.answer_text(writing.id);
        let (background, shows) = (turn.background, turn.parameters.write_content);
        let config = std::sync::Arc::clone(&self.config);
        let channel = std::sync::Arc::clone(&self.channel);
        let working = std::sync::Arc::clone(&self.working);
        let buffer = TextBuffer::default();
        let mut progress = Progress::new(&writing.file, writing.bytes, writing.lines);
        let mut failed: Option<WriteFailure> = None;
        let mut thoughts = Thoughts::default();
        let renderer = &self.renderer;
        let answer = async {
            let _place = working.place().await;
            collect_within(Limits::default(), model.answer(request), |event| {
                let thought = match event {
                    Event::Reasoning(delta) => thoughts.add(delta, config.clock.millis()),
                    _ => thoughts.rest(),
                };
                channel.publish(thought.map(|event| renderer.aside(event)));
                if let Event::Text(delta) = event {
                    buffer.push(delta);
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
                    Ok(answer) => AnswerEnd::Answered(Box::new(answer)),
                    Err(error) => AnswerEnd::Failed(error),
                },
                () = buffer.more.notified() => {
                    let text = buffer.take();
                    self.publish_content(&text, &writing, shows, &mut progress, &*config.clock);
                    failed = pass_on(&writer, &writing, text, failed).await;
                    if failed.is_some() {
                        // Nothing of the rest could be kept.
                        break AnswerEnd::Stopped("", "");
                    }
                }
                () = &mut gone, if !background => {
                    break AnswerEnd::Stopped(codes::LISTENER_GONE.name, "nobody listened any more, so the turn was stopped");
                }
                () = &mut lost => break AnswerEnd::Lost,
                () = channel.cancelled() => break AnswerEnd::Stopped(codes::TURN_CANCELLED.name, "the turn was cancelled"),
            }
        };
        let text = buffer.take();
        self.publish_content(&text, &writing, shows, &mut progress, &*config.clock);
        if !matches!(over, AnswerEnd::Lost) {
            failed = pass_on(&writer, &writing, text, failed).await;
        }
        let measured = |wrote: WriteReport| WriteReport {
            part: progress.bytes(),
            part_sha256: progress.sha256(),
            ..wrote
        };
        let partial =
            |wrote: WriteReport| PartialAnswer { wrote: Some(Box::new(wrote)), ..PartialAnswer::default() };
        let input = match over {
            AnswerEnd::Answered(answer) => {
                let wrote = match failed {
                    Some(problem) => writer.settle(writing.id, Err(problem)),
                    None => writer.end(writing.id, finish(answer.finish)).await,
                };
                let wrote = WriteReport { usage: answer.usage, model: model.info().spec, ..measured(wrote) };
                self.publish_report(&wrote, &writing);
                // What is cut off may be cut within a call.
                let calls = if answer.finish.is_cut() { Vec::new() } else { answer.tool_calls };
                Input::Wrote(wrote, calls)
            }
            // A stream that breaks off is an answer that is cut off.
            AnswerEnd::Failed(Error::Truncated) if progress.bytes() > 0 => {
                let wrote = measured(writer.end(writing.id, TurnFinish::Length).await);
                let wrote = WriteReport { model: model.info().spec, ..wrote };
                self.publish_report(&wrote, &writing);
                Input::Wrote(wrote, Vec::new())
            }
            AnswerEnd::Failed(error) if progress.bytes() == 0 => {
                Input::Failed(error, PartialAnswer::default())
            }
            AnswerEnd::Failed(error) => {
                let wrote = measured(writer.end(writing.id, TurnFinish::Error).await);
                self.publish_report(&wrote, &writing);
                Input::Failed(error, partial(wrote))
            }
            AnswerEnd::Stopped("", _) => {
                let problem = failed.unwrap_or_else(no_workspace);
                let wrote = measured(writer.settle(writing.id, Err(problem)));
                self.publish_report(&wrote, &writing);
                Input::Wrote(wrote, Vec::new())
            }
            // What is asked of the model stands.
            AnswerEnd::Stopped(code, message) if progress.bytes() == 0 => {
                Input::Cancel(code, message, PartialAnswer::default())
            }
            AnswerEnd::Stopped(code, message) => {
                let wrote = measured(writer.end(writing.id, TurnFinish::Error).await);
                self.publish_report(&wrote, &writing);
                Input::Cancel(code, message, partial(wrote))
            }
            AnswerEnd::Lost => return Err(taken_over()),
        };
        Ok(input)
    }

    /// Takes the content that came in one answer with the call of its file.
    async fn write_behind(
        &self,
        writer: &Writer,
        writing: &FileInProgress,
        text: String,
        end: TurnFinish,
    ) -> Input {
        let mut progress = Progress::new(&writing.file, writing.bytes, writing.lines);
        progress.add(&text);
        let wrote = match pass_on(writer, writing, text, None).await {
            Some(problem) => writer.settle(writing.id, Err(problem)),
            None => writer.end(writing.id, end).await,
        };
        let wrote = WriteReport { part: progress.bytes(), part_sha256: progress.sha256(), ..wrote };
        self.publish_report(&wrote, writing);
        Input::Wrote(wrote, Vec::new())
    }

    /// Publishes text that goes into the file.
    fn publish_content(
        &self,
        text: &str,
        writing: &FileInProgress,
        shows: bool,
        progress: &mut Progress,
        clock: &dyn Clock,
    ) {
        if text.is_empty() {
            return;
        }
        progress.add(text);
        if shows {
            self.channel.publish([self.renderer.content(text.to_owned(), &writing.call)]);
        }
        if let Some(message) = progress.due(clock.millis()) {
            let call = named(writing);
            self.channel.publish([self.renderer.status(message, &call, ToolStep::Running)]);
        }
    }

    /// Publishes how the file stands.
    fn publish_report(&self, wrote: &WriteReport, writing: &FileInProgress) {
        let WriteReport { bytes, lines, .. } = wrote;
        let file = &writing.file;
        let (step, message) = match wrote.standing {
            Standing::GoesOn => {
                (ToolStep::Running, format!("{file} goes on: {bytes} bytes, {lines} lines so far …"))
            }
            Standing::Written => (ToolStep::Done, format!("{file} is written: {bytes} bytes, {lines} lines")),
            Standing::Left => (ToolStep::Failed, format!("{file} is left incomplete after {bytes} bytes")),
            Standing::Failed => (ToolStep::Failed, format!("{file} was not written [{}]", wrote.code)),
        };
        self.channel.publish([self.renderer.status(message, &named(writing), step)]);
    }
}

async fn pass_on(
    writer: &Writer,
    writing: &FileInProgress,
    text: String,
    failed: Option<WriteFailure>,
) -> Option<WriteFailure> {
    if text.is_empty() || failed.is_some() {
        return failed;
    }
    match writer.stream(writing.id, text).await {
        Ok(view) if view.state.is_final() && view.receipt.is_none() => view.problem,
        Ok(_) => None,
        Err(problem) => Some(problem),
    }
}

/// The call that opened a file, as far as listeners need it.
fn named(writing: &FileInProgress) -> ToolCall {
    ToolCall { id: writing.call.clone(), name: BEGIN.to_owned(), arguments: String::new() }
}

fn finish(finish: FinishReason) -> TurnFinish {
    match finish {
        FinishReason::Stop => TurnFinish::Stop,
        FinishReason::ToolCalls => TurnFinish::ToolCalls,
        FinishReason::Length => TurnFinish::Length,
        FinishReason::ContentFilter => TurnFinish::ContentFilter,
        FinishReason::Recitation => TurnFinish::Recitation,
        FinishReason::Other => TurnFinish::Other,
    }
}

fn no_workspace() -> WriteFailure {
    let message = "the workspace of the file cannot be reached any more".to_owned();
    WriteFailure { code: codes::WORKSPACE_UNKNOWN.name.to_owned(), message }
}
