//! Random requests, answers, failures and restarts against what must hold of every session.

use engross_llm::{Answer, Error, FinishReason, Message, Request, ToolCall, ToolSpec};
use proptest::prelude::*;
use serde_json::json;

use super::context::ContextPolicy;
use super::decide::{Action, Input, Offer, PartialAnswer, RetryState, TurnRules, decide};
use super::intake::take_in;
use super::log::{CallSide, LogEvent, ToolResult};
use super::request::{ClientTool, TurnRequest};
use super::server_tool::ServerTool;
use super::state::SessionState;
use super::turn_state::TurnPhase;

#[derive(Debug, Clone)]
pub(super) enum Op {
    /// The person says something; sent alone.
    Say,
    /// The person says something; sent with the whole conversation before it.
    SayAll,
    /// The same, but the client keeps no results.
    SaySloppily,
    /// The client has results: of all open calls or of the first, with their ids or with a made-up one.
    Results { all: bool, dummy: bool },
    /// A result that nobody asked for, or one that was given before.
    Stray,
    /// The conversation so far is sent once more.
    Again,
    /// The conversation is sent without its last messages, and something else is said.
    Diverge(usize),
    /// The model answers.
    Answer(Vec<Calls>),
    /// The provider fails, or refuses the conversation.
    Fail { refused: bool },
    /// The process dies: what is in memory is lost.
    Crash,
    /// Somebody stops the turn, after some text.
    Cancel,
    /// So much time passes that open calls expire.
    Wait,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Calls {
    Client(u8),
    Server(u8),
    Unknown,
}

pub(super) fn ops() -> impl Strategy<Value = Vec<Op>> {
    let call = prop_oneof![
        3 => (0u8..3).prop_map(Calls::Client),
        2 => (0u8..3).prop_map(Calls::Server),
        1 => Just(Calls::Unknown),
    ];
    let op = prop_oneof![
        4 => Just(Op::Say),
        2 => Just(Op::SayAll),
        1 => Just(Op::SaySloppily),
        5 => (any::<bool>(), any::<bool>()).prop_map(|(all, dummy)| Op::Results { all, dummy }),
        1 => Just(Op::Stray),
        1 => Just(Op::Again),
        1 => (1usize..4).prop_map(Op::Diverge),
        8 => prop::collection::vec(call, 0..3).prop_map(Op::Answer),
        1 => any::<bool>().prop_map(|refused| Op::Fail { refused }),
        1 => Just(Op::Crash),
        1 => Just(Op::Cancel),
        1 => Just(Op::Wait),
    ];
    prop::collection::vec(op, 0..40)
}

fn spec(name: &str) -> ToolSpec {
    ToolSpec { name: name.to_owned(), description: String::new(), parameters: json!({}), strict: None }
}

/// A session with its client, its model and its disk.
pub(super) struct World {
    pub(super) log: Vec<String>,
    pub(super) session: SessionState,
    tries: RetryState,
    action: Action,
    ids: u32,
    /// What the person said on the active branch, in order.
    said: Vec<String>,
    /// Model calls since the last request.
    asked: u32,
    effects: Vec<String>,
    now: i64,
}

impl World {
    pub(super) fn new() -> Self {
        Self {
            log: Vec::new(),
            session: SessionState::default(),
            tries: RetryState::default(),
            action: Action::Rest,
            ids: 0,
            said: Vec::new(),
            asked: 0,
            effects: Vec::new(),
            now: 0,
        }
    }

    fn request(&self, messages: Vec<Message>) -> TurnRequest {
        let tool = |name: &str| ClientTool { spec: spec(name), read_only: false, idempotent: false };
        TurnRequest { messages, tools: Some(vec![tool("read_document")]), ..TurnRequest::default() }
    }

    fn offer() -> Offer {
        let tool = ServerTool { spec: spec("apply_redlines"), read_only: false };
        Offer { tools: vec![tool], ..Offer::default() }
    }

    fn fresh(&mut self) -> String {
        self.ids += 1;
        format!("text {}", self.ids)
    }

    fn store(&mut self, events: &[LogEvent]) {
        self.log.extend(events.iter().map(|event| serde_json::to_string(event).unwrap()));
    }

    /// What the log says, read back from its bytes.
    fn replayed(&self) -> SessionState {
        let mut session = SessionState::default();
        for line in &self.log {
            session.apply(&serde_json::from_str(line).unwrap());
        }
        session
    }

    fn send(&mut self, messages: Vec<Message>) -> bool {
        // Over HTTP a request waits until the answer before it is over.
        if !self.is_resting() {
            return false;
        }
        let before = self.session.clone();
        let Ok(events) = take_in(&self.session, &self.request(messages), self.now) else {
            assert_eq!(self.session, before);
            return false;
        };
        for event in &events {
            self.session.apply(event);
        }
        self.store(&events);
        self.asked = 0;
        self.tries = RetryState::default();
        self.step(Input::Continue);
        true
    }

    fn is_resting(&self) -> bool {
        self.action == Action::Rest
    }

    fn step(&mut self, input: Input) {
        let decision = decide(&mut self.session, &mut self.tries, input, &Self::offer(), rules(), self.now);
        self.store(&decision.events);
        self.action = decision.action;
        if let Action::Summarise(_, _, until) = self.action {
            let summary = (format!("the first {until}"), None);
            return self.step(Input::Summarised(until, Ok(summary)));
        }
        if let Action::Ask(request, _) = &self.action {
            self.asked += 1;
            assert_paired(request);
        }
    }

    fn answer(&mut self, calls: &[Calls]) {
        match self.action.clone() {
            Action::Ask(..) => {
                let tool_calls = calls.iter().map(|call| self.call(*call)).collect();
                let answer = Answer {
                    text: self.fresh(),
                    tool_calls,
                    finish: FinishReason::Stop,
                    usage: None,
                    sources: vec![],
                    thoughts: Vec::new(),
                };
                self.step(Input::Answered(answer, "m".to_owned()));
            }
            Action::Run(calls) => {
                self.effects.extend(calls.iter().map(|call| call.id.clone()));
                let results = calls.into_iter().map(|call| (call.id, ToolResult::text("done"))).collect();
                self.step(Input::Ran { results, stop: false });
            }
            Action::Summarise(..) | Action::Rest => {}
        }
    }

    fn call(&mut self, call: Calls) -> ToolCall {
        self.ids += 1;
        let (name, argument) = match call {
            Calls::Client(argument) => ("read_document", argument),
            Calls::Server(argument) => ("apply_redlines", argument),
            Calls::Unknown => ("fly", 0),
        };
        ToolCall {
            id: format!("call_{}", self.ids),
            name: name.to_owned(),
            arguments: format!("{{\"a\": {argument}}}"),
        }
    }

    pub(super) fn run(&mut self, op: &Op) {
        match op {
            Op::Say => {
                let text = self.fresh();
                if self.send(vec![user(&text)]) {
                    self.said.push(text);
                }
            }
            Op::SayAll => {
                let text = self.fresh();
                let mut messages = self.session.messages.clone();
                messages.push(user(&text));
                if self.session.turn.is_none() && self.send(messages) {
                    self.said.push(text);
                }
            }
            Op::SaySloppily => {
                let text = self.fresh();
                let mut messages = self.session.messages.clone();
                messages.retain(|message| !matches!(message, Message::Tool { .. }));
                messages.push(user(&text));
                if self.session.turn.is_none() && self.send(messages) {
                    self.said.push(text);
                }
            }
            Op::Results { all, dummy } => {
                let open: Vec<ToolCall> = self.open();
                let count = if *all { open.len() } else { 1.min(open.len()) };
                let result = |call: &ToolCall| Message::Tool {
                    tool_call_id: if *dummy { "dummy".to_owned() } else { call.id.clone() },
                    name: call.name.clone(),
                    content: format!("result of {}", call.id),
                    is_error: false,
                    attachments: Vec::new(),
                };
                let results: Vec<Message> = open.iter().take(count).map(result).collect();
                let resting = self.is_resting();
                let taken = !results.is_empty() && self.send(results);
                if resting && count > 0 {
                    // A made-up id says which call is meant only where there is just one.
                    assert_eq!(taken, !dummy || open.len() == 1, "{open:?}");
                }
            }
            Op::Stray => {
                let given = self
                    .session
                    .messages
                    .iter()
                    .rev()
                    .find(|message| matches!(message, Message::Tool { .. }));
                let stray = given.cloned().unwrap_or(Message::Tool {
                    tool_call_id: "stray".to_owned(),
                    name: "fly".to_owned(),
                    content: String::new(),
                    is_error: false,
                    attachments: Vec::new(),
                });
                assert!(!self.send(vec![stray]), "a result without an open call is refused");
            }
            Op::Again => {
                let messages = self.session.messages.clone();
                if self.session.turn.is_none()
                    && messages.last().is_some_and(|last| matches!(last, Message::Assistant { .. }))
                {
                    assert!(!self.send(messages), "nothing is new in it");
                }
            }
            Op::Diverge(back) => self.diverge(*back),
            Op::Answer(calls) => self.answer(calls),
            Op::Fail { refused } => {
                if matches!(self.action, Action::Ask(..)) {
                    let error = if *refused {
                        Error::BadRequest { provider: "p", status: 400, message: "order".to_owned() }
                    } else {
                        Error::Truncated
                    };
                    self.step(Input::Failed(error, PartialAnswer::default()));
                }
            }
            Op::Cancel => {
                if matches!(self.action, Action::Ask(..)) {
                    let heard = PartialAnswer { text: "Half an ans".to_owned(), from: 0, wrote: None };
                    self.step(Input::Cancel("TURN_CANCELLED", "stopped", heard));
                    assert_eq!(self.session.turn, None);
                }
            }
            Op::Wait => {
                self.now += TurnRules::default().deadline;
                if self.is_resting() {
                    self.step(Input::Expire);
                    assert_eq!(self.session.turn, None, "nothing waits behind its deadline");
                }
            }
            Op::Crash => {
                self.session = self.replayed();
                self.tries = RetryState::default();
                // The process that resumes the session begins here.
                self.step(Input::Continue);
            }
        }
    }

    /// Goes back to before the last messages of the person, and says something else.
    fn diverge(&mut self, back: usize) {
        let users: Vec<usize> = (0..self.session.messages.len())
            .filter(|at| matches!(self.session.messages[*at], Message::User { .. }))
            .collect();
        let Some(at) = users.len().checked_sub(back).and_then(|at| users.get(at)) else { return };
        let mut messages = self.session.messages[..*at].to_vec();
        if self.session.turn.is_some()
            || !messages.iter().any(|message| matches!(message, Message::Assistant { .. }))
        {
            return;
        }
        let text = self.fresh();
        messages.push(user(&text));
        if self.send(messages) {
            self.said.truncate(users.len() - back);
            self.said.push(text);
        }
    }

    fn open(&self) -> Vec<ToolCall> {
        let turn = self.session.turn.iter();
        turn.flat_map(|turn| turn.open(CallSide::Client)).map(|open| open.call.clone()).collect()
    }

    fn check(&self) {
        assert_eq!(self.replayed(), self.session, "the log tells the state");
        let said: Vec<&str> = self
            .session
            .messages
            .iter()
            .filter_map(|message| match message {
                Message::User { content, .. } => Some(content.as_str()),
                _ => None,
            })
            .collect();
        assert_eq!(said, self.said, "what was said is there, once and in order");
        assert!(self.asked <= TurnRules::default().loops + 3, "the model is not called for ever");
        let mut effects = self.effects.clone();
        effects.sort();
        effects.dedup();
        assert_eq!(effects.len(), self.effects.len(), "nothing is changed twice for one call");
        if self.is_resting()
            && let Some(turn) = &self.session.turn
        {
            assert!(
                matches!(turn.phase, TurnPhase::Suspended { .. }),
                "a turn rests only for its client: {turn:?}"
            );
            assert!(turn.open(CallSide::Client).next().is_some());
        }
    }
}

fn user(text: &str) -> Message {
    Message::User { content: text.to_owned(), attachments: Vec::new() }
}

/// What providers insist on: every call is followed by its one result, every result follows its call.
pub(super) fn assert_paired(request: &Request) {
    let mut open: Vec<&str> = Vec::new();
    for message in &request.messages {
        match message {
            Message::Tool { tool_call_id, .. } => {
                assert_eq!(open.first().copied(), Some(tool_call_id.as_str()), "{:?}", request.messages);
                open.remove(0);
            }
            Message::Assistant { tool_calls, .. } => {
                assert!(open.is_empty(), "{:?}", request.messages);
                open = tool_calls.iter().map(|call| call.id.as_str()).collect();
            }
            Message::User { .. } => assert!(open.is_empty(), "{:?}", request.messages),
        }
    }
    assert!(open.is_empty(), "{:?}", request.messages);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_session_is_lost_or_wedged(ops in ops()) {
        let mut world = World::new();
        for op in &ops {
            world.run(op);
            world.check();
        }
        // Whatever happened, a new message is answered.
        while !world.is_resting() {
            world.answer(&[]);
        }
        world.run(&Op::Say);
        prop_assert!(matches!(world.action, Action::Ask(..)));
        world.answer(&[]);
        prop_assert_eq!(&world.session.turn, &None);
        world.check();
    }
}

/// Few turns, so that much is left out and summed up.
fn rules() -> TurnRules {
    let context = ContextPolicy { turns: 3, tokens: None, summary: true };
    TurnRules { context, ..TurnRules::default() }
}
