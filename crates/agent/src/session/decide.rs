//! What happens next in a turn: a pure function from the session and an input to entries of the log and actions.
//!
//! Must never do anything itself, call the model more often than allowed, or end a turn with a call that has no result.

use engross_llm::{Answer, Error, Request, ToolCall, ToolChoice as Forced, ToolSpec, Usage};

use super::calls::NO_RESULT;
use super::context::{ContextPolicy, HistoryRepair, offered, window};
use super::log::{CallSide, LogEvent, ResultSource, ToolResult, TurnEnding, TurnEndingKind, WriteReport};
use super::request::{ClientTool, ClientToolChoice};
use super::rounds;
use super::server_tool::ServerTool;
use super::settings::Settings;
use super::state::SessionState;
use super::summary;
use super::turn_state::{OpenCall, TurnPhase, TurnState};
use crate::codes;
use crate::tools::{APPLY_REDLINES, tell_cut};

mod answered;
mod write;

/// What is allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TurnRules {
    /// Model calls that the server makes between two requests of the client.
    pub loops: u32,
    /// How often the client may be given calls in one turn.
    pub client_rounds: u32,
    /// How often the model may be asked for more of one file.
    pub write_rounds: u32,
    /// How long calls of the client stay open, in milliseconds.
    pub deadline: i64,
    /// What of the history the model is given.
    pub context: ContextPolicy,
}

impl Default for TurnRules {
    /// 6 model calls, 100 rounds of the client, 16 of a file, 30 minutes, 10 turns.
    fn default() -> Self {
        Self {
            loops: 6,
            client_rounds: 100,
            write_rounds: 16,
            deadline: 30 * 60_000,
            context: ContextPolicy::default(),
        }
    }
}

/// What the server brings to a conversation.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Offer {
    /// Tools that it carries out.
    pub(crate) tools: Vec<ServerTool>,
    /// Tools that every client carries out.
    pub(crate) client: Vec<ClientTool>,
    /// What the person said while the turn went on.
    pub(crate) said: Vec<String>,
    /// Instructions for the model about its tools.
    pub(crate) instructions: String,
    /// Settings for sessions that have none of their own.
    pub(crate) settings: Settings,
}

/// What has happened.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Input {
    /// A request was taken in, or a session is taken up again after its process died.
    Continue,
    /// The model of this name has answered.
    Answered(Answer, String),
    /// It has answered with calls whose content is in the spool already: their ids and results.
    ContentStreamed(Answer, String, Vec<(String, ToolResult)>),
    /// It has answered with content of a file, and perhaps with calls behind it.
    Wrote(WriteReport, Vec<ToolCall>),
    /// It was asked for a summary of so many messages: its words and what they cost, or why there are none.
    Summarised(usize, Result<(String, Option<Usage>), String>),
    /// It has not; what came of its text is in the log but for this.
    Failed(Error, PartialAnswer),
    /// Tools of the server are done: each call with its result.
    Ran {
        /// The calls' ids and results.
        results: Vec<(String, ToolResult)>,
        /// Whether the turn is to stop before anything else is done.
        stop: bool,
    },
    /// The turn is to stop: code, message, and what came of the model's text beside what is in the log.
    Cancel(&'static str, &'static str, PartialAnswer),
    /// Nobody has given the client's results in time.
    Expire,
}

/// Text of an answer that is not whole.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct PartialAnswer {
    /// What is not in the log yet.
    pub(crate) text: String,
    /// The bytes before it, which are.
    pub(crate) from: usize,
    /// What became of the file, if it was content.
    pub(crate) wrote: Option<Box<WriteReport>>,
}

impl PartialAnswer {
    fn is_nothing(&self) -> bool {
        self.text.is_empty() && self.from == 0 && self.wrote.is_none()
    }
}

/// What to do once the entries are stored.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Action {
    /// Put a question to a model: the one of this name, or the usual one.
    Ask(Request, Option<String>),
    /// Have a model, chosen likewise, sum up so many messages.
    Summarise(Request, Option<String>, usize),
    /// Have tools of the server carry out calls, in this order.
    Run(Vec<ToolCall>),
    /// Nothing: the answer is over. The client has calls to carry out, or the turn has ended.
    Rest,
}

/// What an input leads to.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Decision {
    pub(crate) events: Vec<LogEvent>,
    pub(crate) action: Action,
}

/// What one answer knows beside the log: tries that concern the provider, not the conversation.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct RetryState {
    /// The mending in force, and how many messages of the session it is for: what came behind them was accepted.
    mending: Option<(HistoryRepair, usize)>,
    /// Whether the history that is left out was noted.
    is_noted: bool,
    /// Why there is no summary, once one was asked for in vain.
    unsummarised: Option<String>,
    /// What is to be noted with the model's answer: a note alone is not worth a wait for the disk.
    note: Option<LogEvent>,
}

/// Decides, and takes its entries into the session: after a failed append the session is read anew. `now` in
/// milliseconds since 1970.
pub(crate) fn decide(
    session: &mut SessionState,
    tries: &mut RetryState,
    input: Input,
    offer: &Offer,
    rules: TurnRules,
    now: i64,
) -> Decision {
    let settings = session.settings.or(&offer.settings);
    let mut rules = rules;
    rules.loops = settings.max_rounds.unwrap_or(rules.loops);
    rules.context.turns = settings.history_turns.unwrap_or(rules.context.turns);
    if let Some(tokens) = settings.history_tokens {
        rules.context.tokens = (tokens > 0).then_some(tokens);
    }
    rules.context.summary = settings.history_summary.unwrap_or(rules.context.summary);
    let content_results = Vec::new();
    let mut decider =
        Decider { session, tries, offer, settings, rules, now, content_results, events: Vec::new() };
    let action = decider.run(input);
    Decision { events: decider.events, action }
}

struct Decider<'a> {
    session: &'a mut SessionState,
    tries: &'a mut RetryState,
    offer: &'a Offer,
    settings: Settings,
    rules: TurnRules,
    now: i64,
    /// Results that the calls of the present answer have already.
    content_results: Vec<(String, ToolResult)>,
    events: Vec<LogEvent>,
}

impl Decider<'_> {
    fn run(&mut self, input: Input) -> Action {
        if let Some(note) = self.tries.note.take() {
            self.push(note);
        }
        match input {
            Input::Continue => self.proceed(),
            Input::Answered(answer, model) => self.answered(answer, model),
            Input::ContentStreamed(answer, model, results) => {
                self.content_results = results;
                self.answered(answer, model)
            }
            Input::Wrote(wrote, calls) => self.wrote(wrote, calls),
            Input::Summarised(until, summary) => self.summarised(until, summary),
            Input::Failed(error, partial) => self.failed(&error, partial),
            Input::Ran { results, stop } => {
                for (id, mut result) in results {
                    let open = self.turn().and_then(|turn| turn.calls.iter().find(|open| open.call.id == id));
                    if let Some(open) = open.filter(|open| open.call.name == APPLY_REDLINES) {
                        result.content = tell_cut(&open.call.arguments, result.content);
                    }
                    self.push(LogEvent::resulted(id, result, ResultSource::Server));
                }
                if stop {
                    self.cancel(codes::TURN_CANCELLED.name, "the turn was cancelled")
                } else {
                    self.proceed()
                }
            }
            Input::Cancel(code, message, partial) => {
                self.streamed(partial);
                self.cancel(code, message)
            }
            Input::Expire => self.expire(),
        }
    }

    fn push(&mut self, event: LogEvent) {
        self.session.apply(&event);
        self.events.push(event);
    }

    fn turn(&self) -> Option<&TurnState> {
        self.session.turn.as_ref()
    }

    fn proceed(&mut self) -> Action {
        let Some(turn) = self.turn() else { return Action::Rest };
        match turn.phase {
            TurnPhase::Asking if turn.writing.is_none() && !turn.waiting.is_empty() => self.begin_waiting(),
            TurnPhase::Asking => self.ask(),
            TurnPhase::Calling => self.call(),
            TurnPhase::Suspended { .. } => Action::Rest,
        }
    }

    /// Tools of the server do not wait for the client; the model waits for both.
    fn call(&mut self) -> Action {
        let Some(turn) = self.turn() else { return Action::Rest };
        let open: Vec<OpenCall> = turn.open(CallSide::Server).cloned().collect();
        let mut calls = Vec::with_capacity(open.len());
        for OpenCall { call, began, .. } in open {
            let read_only = self.tool(&call.name).is_some_and(|tool| tool.read_only);
            if began && !read_only {
                // The process died while the tool was changing something: doing it again could do it twice.
                self.result(&call.id, NO_RESULT.to_owned(), true);
                continue;
            }
            if !read_only {
                self.push(LogEvent::Began { id: call.id.clone() });
            }
            calls.push(call);
        }
        if !calls.is_empty() {
            return Action::Run(calls);
        }
        let waits = self.turn().is_some_and(|turn| turn.open(CallSide::Client).next().is_some());
        if waits {
            self.push(LogEvent::Suspended { deadline: self.now.saturating_add(self.rules.deadline) });
            return Action::Rest;
        }
        self.proceed()
    }

    /// Calls that nobody answered in time become errors. A background turn goes on with them; any other waits for what its
    /// client says next.
    fn expire(&mut self) -> Action {
        let Some(turn) = self.turn() else { return Action::Rest };
        if !matches!(turn.phase, TurnPhase::Suspended { deadline } if deadline <= self.now) {
            return Action::Rest;
        }
        let continues = turn.background;
        self.close_open();
        if continues {
            return self.proceed();
        }
        let message = "the results of its calls did not come in time; send a new message to go on";
        self.end(TurnEndingKind::Cancelled, codes::CALLS_EXPIRED.name, message, None)
    }

    fn ask(&mut self) -> Action {
        let Some(turn) = self.turn() else { return Action::Rest };
        if let Some(writing) = &turn.writing {
            if writing.rounds >= self.rules.write_rounds {
                return self.write_limit();
            }
        } else if turn.asked >= self.rules.loops.max(1) {
            let message = format!(
                "The model was not done after {} calls in a row, so it was stopped. Say how to go on.",
                self.rules.loops
            );
            return self.stop(codes::ROUNDS_EXHAUSTED.name, &message);
        }
        // Both rounds since the last request: a client that brings something new gives the model a new chance.
        if turn.writing.is_none()
            && turn.asked >= 2
            && let Some(message) = rounds::stuck(self.of_turn(), |name| self.changes(name))
        {
            return self.stop(codes::NO_PROGRESS.name, &message);
        }
        // Between a call and its result nobody speaks, and content of a file is not interrupted.
        if turn.asked > 0 && turn.writing.is_none() {
            for content in &self.offer.said {
                self.push(LogEvent::Steered { content: content.clone() });
            }
        }
        let Some(turn) = self.turn().cloned() else { return Action::Rest };
        let window = window(self.session, self.rules.context);
        let model = turn.parameters.model.clone().or_else(|| self.settings.model.clone());
        if let Some(until) = window.to_summarise
            && turn.writing.is_none()
            && self.tries.unsummarised.is_none()
        {
            return Action::Summarise(summary::question(self.session, until), model, until);
        }
        let summary = self.session.summary.as_ref().filter(|_| window.is_summarised);
        let summary = summary.map(|summary| format!("{}{}", summary::HEADING, summary.text));
        if window.left_out + window.told > 0 && !self.tries.is_noted {
            self.tries.is_noted = true;
            let mut message = match (window.left_out, self.session.refused.is_empty()) {
                (0, _) => "the model was given all messages".to_owned(),
                (count, true) => format!("the model was not given the first {count} messages"),
                (count, false) => format!("the model was not given {count} earlier messages"),
            };
            if summary.is_some() {
                message.push_str(", but a summary of them");
            }
            if let Some(why) = &self.tries.unsummarised {
                message.push_str(&format!(", nor a summary: {why}"));
            }
            if window.told > 0 {
                message.push_str(&format!(
                    "; of {} earlier pictures or files it was given the name only, as there was no room for them",
                    window.told
                ));
            }
            self.tries.note =
                Some(LogEvent::Noted { code: codes::HISTORY_LEFT_OUT.name.to_owned(), message });
        }
        let mut messages = match self.tries.mending {
            Some((mending, before)) => mending.mend(window, before),
            None => window.messages,
        };
        write::ask_for_more(&mut messages, turn.writing.as_ref());
        let names: Vec<&str> = self.specs().map(|spec| spec.name.as_str()).collect();
        // A forced choice holds for the first answer to a request.
        let forced = turn.asked == 0 || turn.parameters.tool_choice == ClientToolChoice::None;
        let choice = if forced && turn.writing.is_none() {
            turn.parameters.tool_choice.clone()
        } else {
            ClientToolChoice::Auto
        };
        let offered: Vec<String> = offered(&choice, &names).into_iter().map(str::to_owned).collect();
        let tools = self.specs().filter(|spec| offered.contains(&spec.name)).cloned().collect();
        let system = [
            self.settings.system_prompt.as_ref(),
            Some(&self.offer.instructions),
            turn.system.as_ref(),
            summary.as_ref(),
        ];
        let system: Vec<&str> =
            system.into_iter().flatten().map(String::as_str).filter(|part| !part.is_empty()).collect();
        let request = Request {
            system: system.join("\n\n"),
            messages,
            tools,
            tool_choice: match choice {
                ClientToolChoice::Auto | ClientToolChoice::None => Forced::Auto,
                ClientToolChoice::Required => Forced::Required,
                ClientToolChoice::Named(name) => Forced::Named(name),
            },
            max_output_tokens: turn.parameters.max_output_tokens,
            temperature: turn.parameters.temperature,
            options: turn.parameters.options.clone(),
            ..Request::default()
        };
        Action::Ask(request, model)
    }

    fn summarised(&mut self, until: usize, summary: Result<(String, Option<Usage>), String>) -> Action {
        match summary {
            Ok((text, usage)) => self.push(LogEvent::Summarised { until, text, usage }),
            Err(why) => self.tries.unsummarised = Some(why),
        }
        self.proceed()
    }

    /// All tools, each name once: what the client sent goes before what it always has, and that before the server's own.
    fn specs(&self) -> impl Iterator<Item = &ToolSpec> {
        let sent = &self.session.tools;
        let is_sent = |name: &str| sent.iter().any(|tool| tool.spec.name == name);
        let declared = self.offer.client.iter().filter(move |tool| !is_sent(&tool.spec.name));
        let is_clients = |name: &str| self.client_tool(name).is_some();
        let server =
            self.offer.tools.iter().map(|tool| &tool.spec).filter(move |spec| !is_clients(&spec.name));
        sent.iter().chain(declared).map(|tool| &tool.spec).chain(server)
    }

    fn client_tool(&self, name: &str) -> Option<&ClientTool> {
        let mut tools = self.session.tools.iter().chain(&self.offer.client);
        tools.find(|tool| tool.spec.name == name)
    }

    fn tool(&self, name: &str) -> Option<&ServerTool> {
        self.offer.tools.iter().find(|tool| tool.spec.name == name)
    }

    fn failed(&mut self, error: &Error, partial: PartialAnswer) -> Action {
        // Some providers refuse a conversation whose order they do not like; nothing was streamed then.
        if error.code() == engross_llm::codes::MODEL_BAD_REQUEST.name
            && partial.is_nothing()
            && let Some(mending) = HistoryRepair::after(self.tries.mending.map(|(mending, _)| mending))
            && self.session.messages.len() > 1
        {
            self.tries.mending = Some((mending, self.session.messages.len()));
            let message = format!(
                "the provider refused the conversation, so a mended copy is tried ({mending:?}): {error}"
            );
            self.push(LogEvent::Noted { code: codes::CONVERSATION_MENDED.name.to_owned(), message });
            return self.ask();
        }
        self.streamed(partial);
        let mut message = error.to_string();
        let report = rounds::report(self.of_turn(), |name| self.changes(name));
        if !report.is_empty() {
            message = format!("{message}. {report}");
        }
        self.end(
            TurnEndingKind::Failed,
            error.code(),
            &message,
            error.retry_after().map(|wait| wait.as_secs().max(1)),
        )
    }

    fn streamed(&mut self, PartialAnswer { text, from, wrote }: PartialAnswer) {
        if let Some(wrote) = wrote {
            self.push(LogEvent::Wrote(*wrote));
        }
        if !text.is_empty() {
            self.push(LogEvent::Streamed { text, from });
        }
    }

    fn result(&mut self, id: &str, content: String, is_error: bool) {
        let result = ToolResult { content, is_error, ..ToolResult::default() };
        self.push(LogEvent::resulted(id, result, ResultSource::Session));
    }

    fn close_open(&mut self) {
        let open: Vec<String> = self.turn().map_or_else(Vec::new, |turn| {
            turn.calls.iter().filter(|call| call.result.is_none()).map(|call| call.call.id.clone()).collect()
        });
        for id in open {
            self.result(&id, NO_RESULT.to_owned(), true);
        }
    }

    fn cancel(&mut self, code: &str, message: &str) -> Action {
        self.close_open();
        self.end(TurnEndingKind::Cancelled, code, message, None)
    }

    /// The last words of a turn that the session stops.
    fn stop(&mut self, code: &str, message: &str) -> Action {
        self.push(LogEvent::Answered {
            text: message.to_owned(),
            calls: Vec::new(),
            usage: None,
            cut: None,
            model: String::new(),
            thoughts: Vec::new(),
        });
        self.end(TurnEndingKind::Stopped, code, message, None)
    }

    fn end(&mut self, kind: TurnEndingKind, code: &str, message: &str, retry_after: Option<u64>) -> Action {
        let is_cut = matches!(kind, TurnEndingKind::Cancelled | TurnEndingKind::Failed);
        let keeps_part = is_cut && self.turn().is_some_and(TurnState::has_part);
        self.push(LogEvent::Ended(TurnEnding {
            keeps_part,
            is_refused: kind == TurnEndingKind::Failed && code == engross_llm::codes::MODEL_BAD_REQUEST.name,
            kind,
            code: code.to_owned(),
            message: message.to_owned(),
            retry_after,
        }));
        Action::Rest
    }
}
