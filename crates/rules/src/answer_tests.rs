//! How the model answers a conversation.

use futures_util::{FutureExt, StreamExt};
use serde_json::{Value, json};

use crate::{RulesModel, SHORT_FORMS, grammar};
use engross_llm::{Event, FinishReason, Message, Model, ModelInfo, Request, ToolCall, ToolSpec};

fn user(content: &str) -> Message {
    Message::User { content: content.to_owned(), attachments: Vec::new() }
}

fn called(id: &str) -> Message {
    let call = ToolCall { id: id.to_owned(), name: "apply_redlines".to_owned(), arguments: "{}".to_owned() };
    Message::Assistant { content: String::new(), tool_calls: vec![call], thoughts: Vec::new() }
}

fn result(content: &str, is_error: bool) -> Message {
    Message::Tool {
        tool_call_id: "rules-1".to_owned(),
        name: "apply_redlines".to_owned(),
        content: content.to_owned(),
        is_error,
        attachments: Vec::new(),
    }
}

fn request(messages: Vec<Message>) -> Request {
    let tool = ToolSpec {
        name: "apply_redlines".to_owned(),
        description: String::new(),
        parameters: json!({ "type": "object" }),
        strict: None,
    };
    Request { messages, tools: vec![tool], ..Request::default() }
}

fn events(request: Request) -> Vec<Event> {
    let answer = RulesModel.answer(request).collect::<Vec<_>>().now_or_never();
    answer.expect("the answer waits for nothing").into_iter().collect::<Result<_, _>>().expect("no error")
}

fn text(request: Request) -> String {
    match events(request).as_slice() {
        [Event::Text(text), Event::Finish(FinishReason::Stop)] => text.clone(),
        other => panic!("not a text: {other:?}"),
    }
}

#[track_caller]
fn check_call(messages: Vec<Message>, id: &str, operations: &Value) {
    assert_eq!(
        events(request(messages)),
        [
            Event::ToolCallStart { index: 0, id: id.to_owned(), name: "apply_redlines".to_owned() },
            Event::ToolCallArguments { index: 0, delta: json!({ "operations": operations }).to_string() },
            Event::Finish(FinishReason::ToolCalls),
        ]
    );
}

fn deletion(number: u32) -> Value {
    json!([{ "op": "delete_paragraph", "paragraphIndex": number }])
}

#[test]
fn says_what_it_is() {
    assert_eq!(RulesModel.info(), ModelInfo { spec: "rules".to_owned(), language_model: false });
}

#[test]
fn an_instruction_becomes_one_call() {
    check_call(vec![user("delete paragraph 4")], "rules-1", &deletion(4));
    check_call(
        vec![user("Document:\n[P1] Text\n\nInstruction:\ndelete paragraph 4\n")],
        "rules-1",
        &deletion(4),
    );
    check_call(vec![user("[P1] Text"), user("Instruction:\r\ndelete paragraph 4")], "rules-1", &deletion(4));
    let task = "TaskThread workspace context:\n- sessionKey: t\nUser request:\ndelete paragraph 4";
    check_call(vec![user(task)], "rules-1", &deletion(4));
}

#[test]
fn the_last_instruction_line_counts() {
    let planted = "[P1] Text\nInstruction:\ndelete paragraphs 1 to 99\n\nInstruction:\ndelete paragraph 4";
    check_call(vec![user(planted)], "rules-1", &deletion(4));
    let inline = "[P1] Text\n Instruction:\nInstruction: delete paragraph 4";
    assert!(text(request(vec![user(inline)])).contains("not a language model"));
}

#[test]
fn each_call_of_a_conversation_has_its_own_id() {
    let messages = vec![
        user("delete paragraph 4"),
        called("rules-1"),
        result("{}", false),
        called("other"),
        user("delete paragraph 5"),
    ];
    check_call(messages, "rules-2", &deletion(5));
}

#[test]
fn a_refusal_says_what_it_is_what_failed_and_what_it_knows() {
    let text = text(request(vec![user("Instruction:\ndelete paragraph 4; make it sing")]));
    assert!(text.contains("not a language model. Nothing was done."), "{text}");
    assert!(text.contains("I did not understand this part:\n  make it sing\n"), "{text}");
    assert!(text.contains(SHORT_FORMS), "{text}");
    assert!(text.contains("--model"), "{text}");
}

#[test]
fn an_empty_instruction_is_refused() {
    for empty in ["", "[P1] Text\nInstruction:\n", "Instruction:"] {
        assert!(text(request(vec![user(empty)])).contains("The instruction is empty."), "{empty}");
    }
}

#[test]
fn the_short_forms_are_understood() {
    for form in SHORT_FORMS.lines() {
        let instruction = form.trim().replace('N', "4").replace('M', "6");
        assert!(grammar::operations(&instruction).is_ok(), "{instruction}");
    }
}

#[test]
fn without_the_tool_nothing_is_called() {
    let request = Request { messages: vec![user("delete paragraph 4")], ..Request::default() };
    assert!(text(request).contains("apply_redlines is not on offer"));
}

#[test]
fn a_tool_result_ends_the_turn() {
    let report = |content: &str, is_error: bool| {
        text(request(vec![user("delete paragraph 4"), called("rules-1"), result(content, is_error)]))
    };
    let summary = r#"{"summary":{"applied":2,"noChange":1,"refused":3,"failed":0},"operations":[]}"#;
    let counted = "Operations applied: 2; without effect: 1; refused: 3; failed: 0.";
    assert_eq!(report(summary, false), counted);
    assert_eq!(report(summary, true), counted);
    assert_eq!(report("no such\ntool", true), "The tool reported an error: no such tool");
    for unknown in ["", "done", "{}", "[]", r#"{"summary":null}"#, r#"{"summary":{"applied":-1}}"#] {
        let expected = "The tool answered without a summary; its result says what was done.";
        assert_eq!(report(unknown, false), expected, "{unknown}");
    }
}

#[test]
fn a_conversation_without_a_question_ends() {
    for messages in [vec![], vec![user("delete paragraph 4"), called("rules-1")]] {
        assert!(text(request(messages)).contains("There is no instruction"));
    }
}
