//! The requests and answers that docs/protocol/sessions.md shows are those of this wire.

use engross_agent::session::{AnswerFinish, SessionState, SessionView};
use engross_llm::{Message, Usage};
use serde_json::Value;

use super::answer::{Head, Item, Whole};
use super::samples::call;
use super::{
    Notice, chat_body, chat_request, client_tools, operations_request, session_body, settings_request,
};

const GUIDE: &str = include_str!("../../../../docs/protocol/sessions.md");

/// What stands in fences that begin with `opening`.
fn fences(opening: &str) -> Vec<&'static str> {
    let parts = GUIDE.split(opening).skip(1);
    parts.map(|part| part.split("```").next().unwrap()).collect()
}

fn body(answer: u64, created: u64, model: &str, whole: &Whole) -> Value {
    let session = "ses_01994f6e5a0c7c3f8a51d2b9c4e80f17".parse().unwrap();
    let head = Head { session, answer, turn: 1, model: model.to_owned(), created };
    serde_json::from_slice(&chat_body(&head, whole).take()).unwrap()
}

#[test]
fn operations_and_tools_of_the_other_pages_are_understood() {
    let example = |page: &'static str, mark: &str| {
        let fences = page.split("```json\n").skip(1).map(|part| part.split("```").next().unwrap());
        fences.into_iter().find(|fence| fence.contains(mark)).unwrap()
    };
    let workspaces = include_str!("../../../../docs/protocol/workspaces.md");
    let operations =
        operations_request(example(workspaces, "expectedRevision").as_bytes(), |_| Ok(())).unwrap();
    assert_eq!((operations.batch.operations.len(), operations.untracked), (1, Some(false)));
    let serve = include_str!("../../../../docs/guide/serve.md");
    let tools = client_tools(serde_json::from_str(example(serve, "navigate")).unwrap()).unwrap();
    assert_eq!((tools.len(), tools[0].spec.name.as_str(), tools[0].read_only), (1, "navigate", true));
}

#[test]
fn the_settings_are_understood() {
    let example = fences("```json\n").into_iter().find(|text| text.contains("history_turns")).unwrap();
    let settings = settings_request(example.as_bytes()).unwrap();
    assert_eq!((settings.problem(), settings.redlines), (None, Some(true)));
}

#[test]
fn the_requests_are_understood() {
    let requests: Vec<_> = fences("```\nPOST /v1/chat/completions\n")
        .into_iter()
        .map(|text| chat_request(text.split_once("\n\n").unwrap().1.as_bytes()).unwrap())
        .collect();
    let [asks, gives] = &requests[..] else { panic!("{} requests", requests.len()) };
    assert_eq!(
        asks.request.messages,
        [Message::User { content: "Summarise the document.".to_owned(), attachments: Vec::new() }]
    );
    assert!(asks.request.tools.as_ref().is_some_and(|tools| tools[0].read_only));
    assert_eq!(
        gives.request.messages,
        [Message::Tool {
            tool_call_id: "call_7".to_owned(),
            name: "read_document".to_owned(),
            content: "1. Term. This agreement …".to_owned(),
            is_error: false,
            attachments: Vec::new(),
        }]
    );
}

#[test]
fn the_answers_are_ours() {
    let text = |text: &str| Item::Text(text.to_owned());
    let whole = |items: Vec<Item>, finish| Whole { items, end: Some((finish, None)), ..Whole::default() };
    let mut first = whole(vec![text("Done.")], AnswerFinish::Stop);
    first.notices.push(Notice::new("PARAMETER_IGNORED", "`seed` has no effect here."));
    first.end = Some((AnswerFinish::Stop, Some(Usage { input_tokens: 52, output_tokens: 3 })));
    let calls = vec![text("Let me read it."), Item::Call(call("call_7", "read_document", "{}"))];
    let expected = [
        body(2, 1_795_293_365, "gpt-4", &first),
        body(2, 1_795_293_365, "engross", &whole(calls, AnswerFinish::ToolCalls)),
        body(
            6,
            1_795_293_371,
            "engross",
            &whole(vec![text("The agreement runs for two years.")], AnswerFinish::Stop),
        ),
    ];
    let session = SessionState {
        key: "agent:main:contract.docx".to_owned(),
        turns: 1,
        messages: vec![
            Message::User { content: "Hi".to_owned(), attachments: Vec::new() },
            Message::Assistant { content: "Hello.".to_owned(), tool_calls: Vec::new(), thoughts: Vec::new() },
        ],
        ..SessionState::default()
    };
    let id = "ses_01994f6e5a0c7c3f8a51d2b9c4e80f17".parse().unwrap();
    let view = SessionView { id, head: 4, created: 1_795_293_365_000, session, runs: false };
    let expected: Vec<Value> = expected.into_iter().chain([session_body(&view, 0..2)]).collect();
    let shown: Vec<Value> = fences("```json\n{\"id\"")
        .into_iter()
        .map(|rest| serde_json::from_str(&format!("{{\"id\"{rest}")).unwrap())
        .collect();
    assert_eq!(shown, expected);
}
