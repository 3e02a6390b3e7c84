//! Answers a conversation from a script, with the faults a provider would have.
//!
//! Must never depend on anything but the script, the conversation, and how many answers were given before.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use futures_util::stream::{self, BoxStream, StreamExt};

use super::format::{Call, Fault, FaultKind, Role, Script, Turn, When};
use crate::{Error, Event, FinishReason, Message, Model, ModelInfo, Request};

/// Who messages name as the provider.
const PROVIDER: &str = "the script";

/// What a script sees as the model's name.
const MODEL_NAME: &str = "scripted";

/// A model that plays a script. Not a language model.
pub struct ScriptModel {
    spec: String,
    script: Script,
    progress: Mutex<Progress>,
}

struct Progress {
    /// How often each turn may still be given.
    left: Vec<Option<u32>>,
    /// Answers begun.
    answers: u64,
}

impl ScriptModel {
    /// Reads the script in `text`; `file` is the name it goes by.
    ///
    /// # Errors
    /// [`Error::ScriptInvalid`] with the place.
    pub fn new(file: &str, text: &str) -> Result<Self, Error> {
        let script = Script::parse(file, text)?;
        let left = script.turns.iter().map(|turn| (turn.times > 0).then_some(turn.times)).collect();
        let progress = Mutex::new(Progress { left, answers: 0 });
        Ok(Self { spec: format!("script:{file}"), script, progress })
    }

    /// Chooses the turn that answers `request`, and counts it.
    fn turn(&self, request: &Request) -> (&Turn, u64) {
        let mut progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        progress.answers += 1;
        let answers = progress.answers;
        for (turn, left) in self.script.turns.iter().zip(&mut progress.left) {
            if *left != Some(0) && fits(&turn.when, request) {
                *left = left.map(|times| times - 1);
                return (turn, answers);
            }
        }
        (&self.script.default, answers)
    }
}

impl Model for ScriptModel {
    fn info(&self) -> ModelInfo {
        ModelInfo { spec: self.spec.clone(), language_model: false }
    }

    /// A script that has sources to name plays a model that searches.
    fn searches(&self) -> bool {
        let script = &self.script;
        script.turns.iter().chain([&script.default]).any(|turn| !turn.sources.is_empty())
    }

    fn answer(&self, request: Request) -> BoxStream<'static, Result<Event, Error>> {
        let (turn, answers) = self.turn(&request);
        let mut steps = VecDeque::from([Step::Wait(turn.first_delay_ms)]);
        steps.extend(steps_of(turn, answers, &request));
        stream::unfold(steps, |mut steps| async move {
            loop {
                match steps.pop_front()? {
                    Step::Wait(0) => {}
                    Step::Wait(milliseconds) => tokio::time::sleep(Duration::from_millis(milliseconds)).await,
                    Step::Give(event) => return Some((Ok(event), steps)),
                    Step::Fail(error) => return Some((Err(error), VecDeque::new())),
                }
            }
        })
        .boxed()
    }
}

enum Step {
    /// Milliseconds.
    Wait(u64),
    Give(Event),
    Fail(Error),
}

fn steps_of(turn: &Turn, answers: u64, request: &Request) -> Vec<Step> {
    let fault = turn.fault.as_ref();
    if let Some(error) = fault.and_then(refusal) {
        return vec![Step::Fail(error)];
    }
    let mut events = events_of(turn, answers, request);
    let failure = fault.and_then(failure).filter(|(after, _)| *after < events.len());
    if let Some((after, _)) = &failure {
        events.truncate(*after);
    }
    let mut steps: Vec<Step> =
        events.into_iter().flat_map(|event| [Step::Wait(turn.delay_ms), Step::Give(event)]).collect();
    if let Some((_, error)) = failure {
        if let Error::Timeout { waited, .. } = &error {
            steps.push(Step::Wait(waited.as_secs().saturating_mul(1000)));
        }
        steps.push(Step::Fail(error));
    }
    steps
}

/// The answer when nothing goes wrong.
fn events_of(turn: &Turn, answers: u64, request: &Request) -> Vec<Event> {
    let mut events: Vec<Event> = pieces(&turn.reasoning).map(|it| Event::Reasoning(it.to_owned())).collect();
    events.extend(pieces(&turn.text).map(|it| Event::Text(it.to_owned())));
    events.extend(turn.sources.iter().cloned().map(Event::Source));
    for (index, call) in turn.tool_calls.iter().enumerate() {
        let id = call.id.clone().unwrap_or_else(|| format!("call_{answers}_{index}"));
        events.push(Event::ToolCallStart { index, id, name: name_of(call, request) });
        let arguments = arguments_of(call, turn.fault.as_ref());
        let middle =
            (0..=arguments.len() / 2).rfind(|at| arguments.is_char_boundary(*at)).unwrap_or_default();
        let (first, second) = arguments.split_at(middle);
        let deltas = [first, second].into_iter().filter(|delta| !delta.is_empty());
        events.extend(deltas.map(|delta| Event::ToolCallArguments { index, delta: delta.to_owned() }));
    }
    let finish = if turn.tool_calls.is_empty() { FinishReason::Stop } else { FinishReason::ToolCalls };
    events.push(Event::Finish(turn.finish_reason.unwrap_or(finish)));
    events
}

/// The error that comes instead of an answer.
fn refusal(fault: &Fault) -> Option<Error> {
    match fault.kind {
        FaultKind::Status => {
            let wait = fault.retry_after.map(Duration::from_secs);
            let message = "scripted failure".to_owned();
            Some(Error::from_status(PROVIDER, "its 'fault'", fault.code, wait, message))
        }
        FaultKind::Empty => Some(protocol("it is empty")),
        _ => None,
    }
}

/// The error that ends an answer, and after how many pieces.
fn failure(fault: &Fault) -> Option<(usize, Error)> {
    let error = match fault.kind {
        FaultKind::Truncate | FaultKind::Disconnect | FaultKind::Cut => Error::Truncated,
        FaultKind::Hang => Error::Timeout { provider: PROVIDER, waited: Duration::from_secs(fault.seconds) },
        FaultKind::BadSse => protocol("an event of it is not valid"),
        FaultKind::ErrorEvent => {
            Error::Stream { provider: PROVIDER, message: "scripted in-stream failure".to_owned() }
        }
        FaultKind::Status | FaultKind::Empty | FaultKind::MalformedJson | FaultKind::DuplicateFinish => {
            return None;
        }
    };
    Some((fault.after, error))
}

fn protocol(message: &str) -> Error {
    Error::Protocol { provider: PROVIDER, message: message.to_owned() }
}

fn name_of(call: &Call, request: &Request) -> String {
    let is_offered = |name: &&String| request.tools.iter().any(|tool| tool.name == **name);
    call.any_of.iter().find(is_offered).unwrap_or(&call.name).clone()
}

fn arguments_of(call: &Call, fault: Option<&Fault>) -> String {
    let mut arguments = call.raw_args.clone().unwrap_or_else(|| call.args.to_string());
    if fault.is_some_and(|fault| fault.kind == FaultKind::MalformedJson) {
        arguments.pop();
        arguments.push_str(",\"x\":");
    }
    arguments
}

fn fits(when: &When, request: &Request) -> bool {
    let (role, last) = match request.messages.last() {
        Some(Message::User { content, .. }) => (Some(Role::User), content.as_str()),
        Some(Message::Assistant { content, .. }) => (Some(Role::Assistant), content.as_str()),
        Some(Message::Tool { content, .. }) => (Some(Role::Tool), content.as_str()),
        None => (None, ""),
    };
    let anywhere = |wanted: &str| {
        request.system.contains(wanted)
            || request.messages.iter().any(|message| match message {
                Message::User { content, .. }
                | Message::Assistant { content, .. }
                | Message::Tool { content, .. } => content.contains(wanted),
            })
    };
    when.last_role.is_none_or(|wanted| role == Some(wanted))
        && when.contains.as_ref().is_none_or(|wanted| last.contains(wanted.as_str()))
        && when.not_contains.as_ref().is_none_or(|unwanted| !last.contains(unwanted.as_str()))
        && when.anywhere.as_ref().is_none_or(|wanted| anywhere(wanted))
        && when.web_search.is_none_or(|wanted| request.web_search == wanted)
        && when.has_tools.is_none_or(|wanted| request.tools.is_empty() != wanted)
        && when.model.as_ref().is_none_or(|pattern| pattern.is_match(MODEL_NAME))
        && when.api.is_none()
}

/// Cuts text into words, each with the white space before it; the last keeps what follows it.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let word = rest.find(|character: char| !character.is_whitespace()).unwrap_or(rest.len());
        let end = rest[word..].find(char::is_whitespace).map_or(rest.len(), |length| word + length);
        let end = if rest[end..].trim().is_empty() { rest.len() } else { end };
        let (piece, after) = rest.split_at(end);
        rest = after;
        Some(piece)
    })
}
