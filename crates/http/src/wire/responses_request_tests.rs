//! Bodies of responses that are accepted, as whole values.

use engross_agent::session::{AnswerPlace, ClientTool, ClientToolChoice, Parameters, TurnRequest};
use engross_llm::{Message, ToolSpec};
use serde_json::{Value, json};

use super::samples::call;
use super::{Notice, RequestHead, ResponsesShape, responses_request};

fn asked(body: &Value) -> RequestHead {
    responses_request(body.to_string().as_bytes()).unwrap_or_else(|error| panic!("{error}: {body}"))
}

fn user(content: &str) -> Message {
    Message::User { content: content.to_owned(), attachments: Vec::new() }
}

#[test]
fn a_string_is_a_message() {
    let expected = RequestHead {
        request: TurnRequest { messages: vec![user("Hi")], ..TurnRequest::default() },
        model: "engross".to_owned(),
        is_responses: true,
        ..RequestHead::default()
    };
    assert_eq!(asked(&json!({"input": "Hi"})), expected);
    assert_eq!(asked(&json!({"input": [{"role": "user", "content": "Hi"}]})), expected);
    let part = json!({"type": "input_text", "text": "Hi"});
    assert_eq!(asked(&json!({"input": [{"type": "message", "role": "user", "content": [part]}]})), expected);
}

#[test]
fn everything_at_once() {
    let body = json!({
        "model": "gpt-5", "stream": true, "instructions": "Be brief.", "user": "u", "temperature": 1, "max_output_tokens": 9,
        "previous_response_id": "resp_ses_00000000000000000000000000000007_12", "tool_choice": {"type": "function", "name": "read"},
        "parallel_tool_calls": true, "store": false, "include": [], "text": {},
        "tools": [{"type": "function", "name": "read", "description": "Reads.", "parameters": {"type": "object"}, "strict": false}],
        "input": [
            {"type": "message", "role": "developer", "content": [{"type": "input_text", "text": "Always."}]},
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Hi"}]},
            {"type": "reasoning", "summary": []},
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Let me see.", "annotations": []}]},
            {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "read", "arguments": "{}"},
            {"type": "function_call", "call_id": "call_2", "name": "list", "namespace": "mcp", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "call_2", "output": [{"type": "input_text", "text": "two"}]},
            {"type": "function_call_output", "call_id": "call_1", "output": "one"},
            {"type": "function_call", "call_id": "call_3", "name": "read", "arguments": ""},
            {"type": "function_call_output", "call_id": "call_3", "output": ""},
        ],
    });
    let result = |id: &str, name: &str, content: &str| Message::Tool {
        tool_call_id: id.to_owned(),
        name: name.to_owned(),
        content: content.to_owned(),
        is_error: false,
        attachments: Vec::new(),
    };
    let spec = ToolSpec {
        name: "read".to_owned(),
        description: "Reads.".to_owned(),
        parameters: json!({"type": "object"}),
        strict: Some(false),
    };
    let expected = RequestHead {
        request: TurnRequest {
            after: Some(AnswerPlace {
                session: "ses_00000000000000000000000000000007".parse().unwrap(),
                answer: 12,
            }),
            is_passing: true,
            is_whole: false,
            principal: String::new(),
            key: None,
            system: Some("Be brief.\n\nAlways.".to_owned()),
            messages: vec![
                user("Hi"),
                Message::Assistant {
                    content: "Let me see.".to_owned(),
                    tool_calls: vec![call("call_1", "read", "{}"), call("call_2", "mcp__list", "{}")],
                    thoughts: Vec::new(),
                },
                result("call_2", "mcp__list", "two"),
                result("call_1", "read", "one"),
                Message::Assistant {
                    content: String::new(),
                    tool_calls: vec![call("call_3", "read", "")],
                    thoughts: Vec::new(),
                },
                result("call_3", "read", ""),
            ],
            tools: Some(vec![ClientTool { spec, read_only: false, idempotent: false }]),
            parameters: Parameters {
                model: None,
                max_output_tokens: Some(9),
                temperature: Some(1.0),
                tool_choice: ClientToolChoice::Named("read".to_owned()),
                ..Parameters::default()
            },
            workspace: None,
            idempotency_key: None,
            background: false,
        },
        model: "gpt-5".to_owned(),
        is_responses: true,
        user: Some("u".to_owned()),
        stream: true,
        ..RequestHead::default()
    };
    // What of it the response repeats is told where responses are tried.
    let shape = ResponsesShape::default();
    assert_eq!(RequestHead { shape, ..asked(&body) }, expected);
}

#[test]
fn tools_of_the_provider_and_strange_items_are_left_out_with_a_notice() {
    let body = json!({
        "input": [{"type": "computer_call", "id": "x"}, {"type": "message", "role": "user", "content": "Hi"}],
        "tools": [
            {"type": "web_search"},
            {"type": "custom", "name": "apply_patch"},
            {"type": "namespace", "name": "mcp__s__", "tools": [{"type": "function", "name": "f"}, {"name": "g"}]},
            {"type": "function", "function": {"name": "h"}},
        ],
    });
    let asked = asked(&body);
    let names: Vec<&str> = asked.request.tools.iter().flatten().map(|tool| tool.spec.name.as_str()).collect();
    assert_eq!(names, ["mcp__s__f", "mcp__s__g", "h"]);
    assert_eq!(
        asked.notices,
        [
            Notice::new("CONTENT_IGNORED", "`input[0]` is of the type computer_call and was left out."),
            Notice::new(
                "TOOL_IGNORED",
                "`tools[0]` is of the type web_search and was left out: only functions can be called."
            ),
            Notice::new(
                "TOOL_IGNORED",
                "`tools[1]` is of the type custom and was left out: only functions can be called."
            ),
        ]
    );
}
