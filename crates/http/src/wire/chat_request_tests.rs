//! Bodies of chat completions that are accepted, as whole values.

use engross_agent::session::{ClientTool, ClientToolChoice, Parameters, TurnRequest};
use engross_llm::{AnswerOptions, Message, ToolSpec};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::samples::call;
use super::{Notice, RequestHead, chat_request, responses_request};

fn asked(body: &Value) -> RequestHead {
    chat_request(body.to_string().as_bytes()).unwrap_or_else(|error| panic!("{error}: {body}"))
}

fn user(content: &str) -> Message {
    Message::User { content: content.to_owned(), attachments: Vec::new() }
}

fn assistant(content: &str, tool_calls: Vec<engross_llm::ToolCall>) -> Message {
    Message::Assistant { content: content.to_owned(), tool_calls, thoughts: Vec::new() }
}

fn result(id: &str, name: &str, content: &str) -> Message {
    Message::Tool {
        tool_call_id: id.to_owned(),
        name: name.to_owned(),
        content: content.to_owned(),
        is_error: false,
        attachments: Vec::new(),
    }
}

fn conversation(messages: Vec<Message>) -> RequestHead {
    RequestHead {
        request: TurnRequest { messages, ..TurnRequest::default() },
        model: "engross".to_owned(),
        ..RequestHead::default()
    }
}

fn tool(name: &str, description: &str, parameters: Value, read_only: bool) -> ClientTool {
    let spec =
        ToolSpec { name: name.to_owned(), description: description.to_owned(), parameters, strict: None };
    ClientTool { spec, read_only, idempotent: false }
}

#[test]
fn the_least_that_is_accepted() {
    assert_eq!(
        asked(&json!({"messages": [{"role": "user", "content": "Hi"}]})),
        conversation(vec![user("Hi")])
    );
}

#[test]
fn everything_at_once() {
    let body = json!({
        "model": "gpt-4o", "stream": true, "stream_options": {"include_usage": true}, "user": "Conv:42", "background": true,
        "temperature": 0.5, "max_tokens": 10, "max_completion_tokens": 20, "n": 1, "top_p": 1, "metadata": {"a": "b"},
        "tools": [{"type": "function", "function": {"name": "read"}}], "tool_choice": "required",
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}],
    });
    let expected = RequestHead {
        request: TurnRequest {
            after: None,
            is_passing: false,
            is_whole: false,
            principal: String::new(),
            key: None,
            system: Some("Be brief.".to_owned()),
            messages: vec![user("Hi")],
            tools: Some(vec![tool("read", "", json!({"type": "object", "properties": {}}), false)]),
            parameters: Parameters {
                model: None,
                max_output_tokens: Some(20),
                temperature: Some(0.5),
                options: options(json!({"metadata": {"a": "b"}})),
                tool_choice: ClientToolChoice::Required,
                ..Parameters::default()
            },
            workspace: None,
            idempotency_key: None,
            background: true,
        },
        model: "gpt-4o".to_owned(),
        user: Some("Conv:42".to_owned()),
        stream: true,
        include_usage: true,
        ..RequestHead::default()
    };
    assert_eq!(asked(&body), expected);
}

#[test]
fn every_field_may_be_null() {
    let body = json!({
        "model": null, "stream": null, "stream_options": null, "user": null, "background": null, "temperature": null,
        "max_tokens": null, "max_completion_tokens": null, "n": null, "tools": null, "tool_choice": null, "stop": null,
        "messages": [{"role": "assistant", "content": null, "tool_calls": null, "refusal": null, "function_call": null},
                     {"role": "user", "content": "Hi", "name": null}],
    });
    assert_eq!(asked(&body), conversation(vec![user("Hi")]));
}

#[test]
fn instructions_are_joined_and_no_part_of_the_conversation() {
    let body = json!({"messages": [
        {"role": "system", "content": "One."}, {"role": "user", "content": "Hi"},
        {"role": "developer", "content": [{"type": "text", "text": "Two."}]}, {"role": "system", "content": " "},
    ]});
    let mut expected = conversation(vec![user("Hi")]);
    expected.request.system = Some("One.\n\nTwo.".to_owned());
    assert_eq!(asked(&body), expected);
}

#[test]
fn parts_of_text_are_joined_and_others_left_out_with_a_notice() {
    let body = json!({"messages": [
        {"role": "user", "content": [
            {"type": "text", "text": "One"}, {"type": "hologram", "data": "x"}, "Two",
            {"type": "input_text", "text": "Three"},
        ]},
        {"role": "user", "content": [{"type": "hologram", "data": 7}]},
        {"role": "critic", "content": "No."},
        {"role": "assistant", "content": ""},
    ]});
    let mut expected = conversation(vec![user("One\nTwo\nThree")]);
    expected.notices = vec![
        Notice::new("CONTENT_IGNORED", "`messages[0].content[1]` is of the type hologram and was left out."),
        Notice::new("CONTENT_IGNORED", "`messages[1].content[0]` is of the type hologram and was left out."),
        Notice::new("CONTENT_IGNORED", "`messages[1].content` holds no text and was left out."),
        Notice::new("CONTENT_IGNORED", "`messages[2]` has the unknown role 'critic' and was left out."),
    ];
    assert_eq!(asked(&body), expected);
}

#[test]
fn calls_and_results_keep_their_ids() {
    let body = json!({"messages": [
        {"role": "user", "content": "Read it."},
        {"role": "assistant", "content": "Let me see.", "tool_calls": [
            {"id": "call_1", "type": "function", "function": {"name": "read", "arguments": "{\"a\": 1}"}},
            {"id": "call_2", "type": "function", "function": {"name": "list", "arguments": {"b": 2}}},
            {"id": "call_3", "function": {"name": "bare"}},
        ]},
        {"role": "tool", "tool_call_id": "call_2", "content": [{"type": "text", "text": "two"}]},
        {"role": "tool", "tool_call_id": "call_1", "name": "other", "content": "one"},
        {"role": "tool", "tool_call_id": "dummy", "content": null},
        {"role": "tool", "name": "read", "content": "by name"},
    ]});
    let calls = vec![
        call("call_1", "read", "{\"a\": 1}"),
        call("call_2", "list", "{\"b\":2}"),
        call("call_3", "bare", ""),
    ];
    let expected = conversation(vec![
        user("Read it."),
        assistant("Let me see.", calls),
        result("call_2", "list", "two"),
        result("call_1", "other", "one"),
        result("dummy", "", ""),
        result("", "read", "by name"),
    ]);
    assert_eq!(asked(&body), expected);
}

#[test]
fn a_result_alone_is_a_request() {
    let body = json!({"messages": [{"role": "tool", "tool_call_id": "x", "name": "read", "content": "TEXT", "is_error": true}]});
    let failed = Message::Tool {
        tool_call_id: "x".to_owned(),
        name: "read".to_owned(),
        content: "TEXT".to_owned(),
        is_error: true,
        attachments: Vec::new(),
    };
    assert_eq!(asked(&body), conversation(vec![failed]));
}

#[test]
fn the_old_format_of_calls_is_understood() {
    let body = json!({
        "functions": [{"name": "read", "description": "Reads.", "parameters": {"type": "object"}}],
        "function_call": {"name": "read"},
        "messages": [
            {"role": "user", "content": "Hi"},
            {"role": "assistant", "content": null, "function_call": {"name": "read", "arguments": "{}"}},
            {"role": "function", "name": "read", "content": "TEXT"},
            {"role": "function", "name": "read", "content": "MORE"},
        ],
    });
    let mut expected = conversation(vec![
        user("Hi"),
        assistant("", vec![call("function_call_1", "read", "{}")]),
        result("function_call_1", "read", "TEXT"),
        result("", "read", "MORE"),
    ]);
    expected.request.tools = Some(vec![tool("read", "Reads.", json!({"type": "object"}), false)]);
    expected.request.parameters.tool_choice = ClientToolChoice::Named("read".to_owned());
    assert_eq!(asked(&body), expected);
}

#[test]
fn tools_are_nested_or_flat_and_may_be_read_only() {
    let body = json!({"messages": [{"role": "user", "content": "Hi"}], "tools": [
        {"type": "function", "function": {"name": "a", "description": "A.", "parameters": {"z": 1, "y": 2}, "strict": true}},
        {"type": "function", "name": "b", "parameters": null},
        {"name": "c", "x-read-only": true},
        {"type": "function", "function": {"name": "d", "annotations": {"readOnlyHint": true}}},
        {"type": "function", "annotations": {"readOnlyHint": true, "title": "E"}, "function": {"name": "e", "x-read-only": false}},
    ]});
    let empty = json!({"type": "object", "properties": {}});
    let expected = vec![
        ClientTool {
            spec: ToolSpec { strict: Some(true), ..tool("a", "A.", json!({"z": 1, "y": 2}), false).spec },
            read_only: false,
            idempotent: false,
        },
        tool("b", "", empty.clone(), false),
        tool("c", "", empty.clone(), true),
        tool("d", "", empty.clone(), true),
        tool("e", "", empty, false),
    ];
    assert_eq!(asked(&body).request.tools, Some(expected));
    let body = json!({"messages": [{"role": "user", "content": "Hi"}], "tools": []});
    assert_eq!(asked(&body).request.tools, Some(Vec::new()), "no tools is not the same as those known");
}

#[test]
fn the_choice_among_tools() {
    let named = ClientToolChoice::Named("a".to_owned());
    let cases = [
        (json!("auto"), ClientToolChoice::Auto),
        (json!("none"), ClientToolChoice::None),
        (json!("required"), ClientToolChoice::Required),
        (json!("any"), ClientToolChoice::Required),
        (json!({"type": "auto"}), ClientToolChoice::Auto),
        (json!({"type": "function", "function": {"name": "a"}}), named.clone()),
        (json!({"type": "function", "name": "a"}), named.clone()),
        (json!({"name": "a"}), named),
    ];
    for (choice, expected) in cases {
        for tools in [json!([{"name": "a"}]), Value::Null] {
            let body = json!({"messages": [{"role": "user", "content": "Hi"}], "tools": tools, "tool_choice": choice});
            assert_eq!(asked(&body).request.parameters.tool_choice, expected, "{body}");
        }
    }
}

#[test]
fn what_is_asked_is_taken_and_what_nobody_knows_is_said() {
    let body = json!({
        "messages": [{"role": "user", "content": "Hi"}],
        "n": 1, "top_p": 0.5, "seed": 1, "stop": ["x"], "response_format": {"type": "json_object"}, "presence_penalty": 0,
        "logit_bias": {}, "store": true, "guided_json": {"type": "object"}, "colour": "blue",
    });
    let asked = asked(&body);
    assert_eq!(
        asked.request.parameters.options,
        options(json!({
            "top_p": 0.5, "seed": 1, "stop": ["x"], "response_format": {"type": "json_object"},
            "guided_json": {"type": "object"},
        }))
    );
    let notices: Vec<String> =
        asked.notices.into_iter().map(|notice| notice.code + " " + &notice.message).collect();
    assert_eq!(notices, ["PARAMETER_IGNORED `colour` has no effect here."]);
}

#[test]
fn notices_are_bounded() {
    let parts = vec![json!({"type": "hologram"}); 1_000];
    let body = json!({"messages": [{"role": "user", "content": parts}, {"role": "user", "content": "Hi"}]});
    assert_eq!(asked(&body).notices.len(), 20);
}

fn options(asked: Value) -> AnswerOptions {
    serde_json::from_value(asked).unwrap()
}

/// Names and words that mean something here.
const NAMES: &[&str] = &[
    "messages",
    "input",
    "role",
    "content",
    "type",
    "text",
    "tool_calls",
    "function",
    "name",
    "arguments",
    "id",
    "tools",
    "tool_choice",
    "tool_call_id",
    "call_id",
    "output",
    "function_call",
    "stream",
    "user",
    "temperature",
    "max_tokens",
    "stream_options",
    "include_usage",
    "parameters",
    "annotations",
    "readOnlyHint",
    "namespace",
    "previous_response_id",
    "instructions",
];
const WORDS: &[&str] =
    &["user", "assistant", "tool", "system", "function", "text", "message", "function_call_output", "é", ""];

/// JSON made of them.
fn bodies() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        prop::sample::select(WORDS).prop_map(Value::from),
        "\\PC{0,90}".prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 60, 8, |inner| {
        let object = prop::collection::vec((prop::sample::select(NAMES), inner.clone()), 0..8);
        prop_oneof![
            prop::collection::vec(inner, 0..4).prop_map(Value::from),
            object.prop_map(|fields| fields
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value))
                .collect()),
        ]
    })
}

proptest! {
    /// Whatever comes is understood or refused with a message that says where, and nothing is asked without a message.
    #[test]
    fn no_body_breaks_the_reader(body in bodies()) {
        for read in [chat_request, responses_request] {
            match read(body.to_string().as_bytes()) {
                Ok(asked) => prop_assert!(!asked.request.messages.is_empty()),
                Err(error) => prop_assert_eq!((400..=404).contains(&error.status()), true, "{}", error),
            }
        }
    }
}
