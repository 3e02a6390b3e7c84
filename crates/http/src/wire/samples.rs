//! Answers to try the wire with, and a listener that takes streams apart as clients do.

use crate::testing::fake::place;
use engross_agent::session::{AnswerFinish, PositionedEvent, ToolStep, TurnEvent};
use engross_llm::{Thought, ThoughtForm, ToolCall, Usage};
use engross_protocol::SessionId;
use proptest::prelude::*;
use serde_json::Value;

use super::answer::{Encoder, EventId, Head, Item, Place, Progress, Whole};
use super::{Notice, Out};

/// The head of every sample.
pub(crate) fn head() -> Head {
    Head {
        session: SessionId::from_bytes(7_u128.to_be_bytes()),
        answer: 12,
        turn: 3,
        model: "gpt \"4\"".to_owned(),
        created: 1_795_293_365,
    }
}

/// A call.
pub(crate) fn call(id: &str, name: &str, arguments: &str) -> ToolCall {
    ToolCall { id: id.to_owned(), name: name.to_owned(), arguments: arguments.to_owned() }
}

/// A thought of a model.
pub(crate) fn thought(text: &str) -> Thought {
    let form = ThoughtForm::Plain { field: "reasoning".to_owned(), text: text.to_owned() };
    Thought { by: "m".to_owned(), form }
}

/// The events of an answer whose texts come in pieces that end at `cuts`.
pub(crate) fn events(whole: &Whole, cuts: &[usize]) -> Vec<PositionedEvent> {
    let mut events = Vec::new();
    let mut index = 0;
    for notice in &whole.notices {
        events.push(TurnEvent::Warning { code: notice.code.clone(), message: notice.message.clone() });
    }
    for item in &whole.items {
        match item {
            Item::Text(text) => {
                let mut ends: Vec<usize> =
                    cuts.iter().map(|cut| text.floor_char_boundary(cut % (text.len() + 1))).collect();
                ends.push(text.len());
                ends.sort_unstable();
                let mut start = 0;
                for end in ends {
                    if end > start {
                        events.push(TurnEvent::Text(text[start..end].to_owned()));
                        start = end;
                    }
                }
            }
            Item::Thoughts(thoughts) => events.push(TurnEvent::Thoughts(thoughts.clone())),
            Item::Call(call) => {
                let ToolCall { id, name, arguments } = call.clone();
                events.push(TurnEvent::Call { index, id, name, arguments });
                index += 1;
            }
        }
    }
    let (finish, usage) = whole.end.unwrap();
    events.push(TurnEvent::Done { finish, usage });
    place(events)
}

/// Any answer: texts between calls, never two texts in a row.
pub(crate) fn answers() -> impl Strategy<Value = Whole> {
    let text = prop_oneof![4 => "\\PC{1,12}", 1 => Just("a\"b\\c\n\u{2028}é😀\u{0}".to_owned())];
    let calls = prop::collection::vec(("[a-z]{1,4}", "\\PC{0,8}"), 0..3);
    let thinks = any::<bool>();
    let parts = prop::collection::vec((prop::option::of(text), thinks, calls), 0..3);
    let notices = prop::collection::vec("\\PC{0,8}", 0..2);
    let usage = prop::option::of((any::<u32>(), any::<u32>()));
    let finish =
        prop_oneof![Just(AnswerFinish::Stop), Just(AnswerFinish::Length), Just(AnswerFinish::ContentFilter)];
    (parts, notices, usage, finish).prop_map(|(parts, notices, usage, finish)| {
        let mut items: Vec<Item> = Vec::new();
        for (text, thinks, calls) in parts {
            match (text, items.last()) {
                (Some(_), Some(Item::Text(_))) | (None, _) => {}
                (Some(text), _) => items.push(Item::Text(text)),
            }
            if thinks && !calls.is_empty() {
                items.push(Item::Thoughts(vec![thought("why")]));
            }
            for (name, arguments) in calls {
                let id = format!("call_{}", items.len());
                items.push(Item::Call(ToolCall { id, name, arguments }));
            }
        }
        let calls = items.iter().any(|item| matches!(item, Item::Call(_)));
        let finish = if calls { AnswerFinish::ToolCalls } else { finish };
        let usage =
            usage.map(|(input, output)| Usage { input_tokens: input.into(), output_tokens: output.into() });
        let notices = notices.into_iter().map(|message| Notice::new("LOOP_WARNING", message)).collect();
        Whole { items, notices, end: Some((finish, usage)), ..Whole::default() }
    })
}

/// All that an encoder writes for some events.
pub(crate) fn encode(mut encoder: impl Encoder, events: Vec<PositionedEvent>) -> String {
    let mut out = Out::default();
    encoder.begin(&mut out);
    let last = events.len().saturating_sub(1);
    for (index, placed) in events.into_iter().enumerate() {
        let progress = encoder.event(placed, &mut out);
        assert_eq!(progress == Progress::Over, index == last, "over with the last event and not before");
    }
    String::from_utf8(out.take().to_vec()).unwrap()
}

/// One event of a stream, as a client reads it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ReceivedAnswer {
    pub(crate) event: Option<String>,
    pub(crate) id: Option<String>,
    pub(crate) data: Value,
}

/// The events of a stream. It has to end with `[DONE]`, which is left out.
pub(crate) fn hear(stream: &str) -> Vec<ReceivedAnswer> {
    let body = stream.strip_suffix("data: [DONE]\n\n").unwrap_or_else(|| panic!("no end: {stream}"));
    let blocks = body.split_terminator("\n\n").filter(|block| !block.starts_with(':'));
    let event = |block: &str| {
        let mut heard = ReceivedAnswer { event: None, id: None, data: Value::Null };
        for line in block.lines() {
            let (name, value) = line.split_once(": ").unwrap();
            match name {
                "event" => heard.event = Some(value.to_owned()),
                "id" => heard.id = Some(value.to_owned()),
                "data" => {
                    heard.data =
                        serde_json::from_str(value).unwrap_or_else(|error| panic!("{error}: {value}"));
                }
                other => panic!("{other} in {block}"),
            }
        }
        heard
    };
    blocks.map(event).collect()
}

/// The place that the id of an event tells.
pub(crate) fn place_of(id: &str) -> Place {
    id.parse::<EventId>().unwrap().place
}

/// A tool of the server begins.
pub(crate) fn reading() -> TurnEvent {
    TurnEvent::Status {
        message: "Reading …".to_owned(),
        id: "c1".to_owned(),
        tool: "read_document".to_owned(),
        step: ToolStep::Started,
    }
}
