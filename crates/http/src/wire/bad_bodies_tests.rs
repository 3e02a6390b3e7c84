//! Bodies that are refused: status, code and message of each.

use super::{RequestHead, chat_request, responses_request};
use crate::error::Error;

const HI: &str = r#""messages":[{"role":"user","content":"Hi"}]"#;

/// What a body is refused with.
fn refusal(read: fn(&[u8]) -> Result<RequestHead, Error>, body: &str) -> String {
    let error = read(body.as_bytes()).err().unwrap_or_else(|| panic!("accepted: {body}"));
    assert!((400..=404).contains(&error.status()), "{body}: {}", error.status());
    format!("{} {error}", error.code())
}

#[test]
fn bodies_of_chat_completions() {
    let deep = format!(r#"{{"messages":{}1{}}}"#, "[".repeat(200), "]".repeat(200));
    let too_many: Vec<String> = (0..513).map(|number| format!(r#"{{"name":"t{number}"}}"#)).collect();
    let too_many = format!(r#"{{{HI},"tools":[{}]}}"#, too_many.join(","));
    let long_name = format!(r#"{{{HI},"tools":[{{"name":"{}"}}]}}"#, "x".repeat(129));
    let with = |field: &str| format!("{{{HI},{field}}}");
    let messages = |list: &str| format!(r#"{{"messages":{list}}}"#);
    let cases: &[(String, &str)] = &[
        (
            String::new(),
            "INVALID_JSON The body is not JSON that can be read: EOF while parsing a value at line 1 column 0. Send one JSON object.",
        ),
        (
            "{".to_owned(),
            "INVALID_JSON The body is not JSON that can be read: EOF while parsing an object at line 1 column 1. Send one JSON object.",
        ),
        (
            "{} {}".to_owned(),
            "INVALID_JSON The body is not JSON that can be read: trailing characters at line 1 column 4. Send one JSON object.",
        ),
        (
            deep,
            "INVALID_JSON The body is not JSON that can be read: recursion limit exceeded at line 1 column 139. Send one JSON object.",
        ),
        (
            r#"{"user":"\ud800"}"#.to_owned(),
            "INVALID_JSON The body is not JSON that can be read: unexpected end of hex escape at line 1 column 16. Send one JSON object.",
        ),
        (
            with(r#""temperature":1e999"#),
            "INVALID_JSON The body is not JSON that can be read: number out of range at line 1 column 64. Send one JSON object.",
        ),
        ("[]".to_owned(), "INVALID_REQUEST `body` must be an object, not a list."),
        ("null".to_owned(), "INVALID_REQUEST `body` must be an object, not null."),
        ("\"x\"".to_owned(), "INVALID_REQUEST `body` must be an object, not a string."),
        // Nothing to answer.
        (
            "{}".to_owned(),
            "MESSAGE_MISSING Missing user message in `messages`. Send at least one message of the role user or tool that is not empty.",
        ),
        (
            messages("null"),
            "MESSAGE_MISSING Missing user message in `messages`. Send at least one message of the role user or tool that is not empty.",
        ),
        (
            messages("[]"),
            "MESSAGE_MISSING Missing user message in `messages`. Send at least one message of the role user or tool that is not empty.",
        ),
        (
            messages(r#"[{"role":"system","content":"Be brief."}]"#),
            "MESSAGE_MISSING Missing user message in `messages`. Send at least one message of the role user or tool that is not empty.",
        ),
        (
            messages(r#"[{"role":"assistant","content":"Hi"}]"#),
            "MESSAGE_MISSING Missing user message in `messages`. Send at least one message of the role user or tool that is not empty.",
        ),
        (
            messages(r#"[{"role":"user","content":" \n"}]"#),
            "MESSAGE_MISSING Missing user message in `messages`. Send at least one message of the role user or tool that is not empty.",
        ),
        (
            messages(r#"[{"role":"user"}]"#),
            "MESSAGE_MISSING Missing user message in `messages`. Send at least one message of the role user or tool that is not empty.",
        ),
        (
            messages(r#"[{"role":"user","content":[{"type":"image_url"}]}]"#),
            "INVALID_REQUEST `messages[0].content[0].image_url` is missing.",
        ),
        // Messages.
        (messages("{}"), "INVALID_REQUEST `messages` must be a list, not an object."),
        (messages(r#""Hi""#), "INVALID_REQUEST `messages` must be a list, not a string."),
        (messages(r#"["Hi"]"#), "INVALID_REQUEST `messages[0]` must be an object, not a string."),
        (messages("[null]"), "INVALID_REQUEST `messages[0]` must be an object, not null."),
        (
            messages(r#"[{"content":"Hi"}]"#),
            "INVALID_REQUEST `messages[0].role` is missing: send system, user, assistant or tool.",
        ),
        (messages(r#"[{"role":7}]"#), "INVALID_REQUEST `messages[0].role` must be a string, not a number."),
        (messages(r#"[{"role":null}]"#), "INVALID_REQUEST `messages[0].role` must be a string, not null."),
        (
            messages(r#"[{"role":"user","content":7}]"#),
            "INVALID_REQUEST `messages[0].content` must be a string or a list of parts, not a number.",
        ),
        (
            messages(r#"[{"role":"user","content":{"text":"Hi"}}]"#),
            "INVALID_REQUEST `messages[0].content` must be a string or a list of parts, not an object.",
        ),
        (
            messages(r#"[{"role":"user","content":[7]}]"#),
            "INVALID_REQUEST `messages[0].content[0]` must be an object, not a number.",
        ),
        (
            messages(r#"[{"role":"user","content":[{"type":7}]}]"#),
            "INVALID_REQUEST `messages[0].content[0].type` must be a string, not a number.",
        ),
        (
            messages(r#"[{"role":"user","content":[{"type":"text"}]}]"#),
            "INVALID_REQUEST `messages[0].content[0].text` is missing.",
        ),
        (
            messages(r#"[{"role":"user","content":[{"type":"text","text":["Hi"]}]}]"#),
            "INVALID_REQUEST `messages[0].content[0].text` must be a string, not a list.",
        ),
        (
            messages(r#"[{"role":"assistant","tool_calls":{}}]"#),
            "INVALID_REQUEST `messages[0].tool_calls` must be a list, not an object.",
        ),
        (
            messages(r#"[{"role":"assistant","tool_calls":[7]}]"#),
            "INVALID_REQUEST `messages[0].tool_calls[0]` must be an object, not a number.",
        ),
        (
            messages(r#"[{"role":"assistant","tool_calls":[{"function":{"name":"f"}}]}]"#),
            "INVALID_REQUEST `messages[0].tool_calls[0].id` is missing: a result is bound to its call by it.",
        ),
        (
            messages(r#"[{"role":"assistant","tool_calls":[{"id":7}]}]"#),
            "INVALID_REQUEST `messages[0].tool_calls[0].id` must be a string, not a number.",
        ),
        (
            messages(r#"[{"role":"assistant","tool_calls":[{"id":"c"}]}]"#),
            "INVALID_REQUEST `messages[0].tool_calls[0].function` is missing: only functions can be called.",
        ),
        (
            messages(r#"[{"role":"assistant","tool_calls":[{"id":"c","function":{}}]}]"#),
            "INVALID_REQUEST `messages[0].tool_calls[0].function.name` is missing.",
        ),
        (
            messages(
                r#"[{"role":"assistant","tool_calls":[{"id":"c","function":{"name":"f","arguments":[1]}}]}]"#,
            ),
            "INVALID_REQUEST `messages[0].tool_calls[0].function.arguments` must be a string of JSON, not a list.",
        ),
        (
            messages(r#"[{"role":"assistant","function_call":"f"}]"#),
            "INVALID_REQUEST `messages[0].function_call` must be an object, not a string.",
        ),
        (
            messages(r#"[{"role":"tool","tool_call_id":7,"content":"x"}]"#),
            "INVALID_REQUEST `messages[0].tool_call_id` must be a string, not a number.",
        ),
        (
            messages(r#"[{"role":"tool","name":[],"content":"x"}]"#),
            "INVALID_REQUEST `messages[0].name` must be a string, not a list.",
        ),
        (
            messages(r#"[{"role":"tool","is_error":"no","content":"x"}]"#),
            "INVALID_REQUEST `messages[0].is_error` must be true or false, not a string.",
        ),
        // Fields.
        (with(r#""model":7"#), "INVALID_REQUEST `model` must be a string, not a number."),
        (with(r#""stream":"yes""#), "INVALID_REQUEST `stream` must be true or false, not a string."),
        (
            with(r#""stream_options":true"#),
            "INVALID_REQUEST `stream_options` must be an object, not true or false.",
        ),
        (
            with(r#""stream_options":{"include_usage":1}"#),
            "INVALID_REQUEST `stream_options.include_usage` must be true or false, not a number.",
        ),
        (with(r#""background":1"#), "INVALID_REQUEST `background` must be true or false, not a number."),
        (with(r#""user":{"id":1}"#), "INVALID_REQUEST `user` must be a string, not an object."),
        (with(r#""top_p":2"#), "INVALID_REQUEST `top_p` must be between 0 and 1."),
        (with(r#""stop":[1]"#), "INVALID_REQUEST `stop` must be a string, or a list of up to 16."),
        (with(r#""seed":"x""#), "INVALID_REQUEST `seed` must be a whole number, not a string."),
        (
            with(r#""response_format":{"type":"json_schema"}"#),
            "INVALID_REQUEST `response_format.json_schema.name` is missing.",
        ),
        (
            with(r#""response_format":{"type":"xml"}"#),
            "INVALID_REQUEST `response_format.type` must be text, json_object or json_schema.",
        ),
        (with(r#""temperature":5"#), "INVALID_REQUEST `temperature` must be between 0 and 2."),
        (with(r#""temperature":-0.1"#), "INVALID_REQUEST `temperature` must be between 0 and 2."),
        (with(r#""temperature":"hot""#), "INVALID_REQUEST `temperature` must be a number, not a string."),
        (
            with(r#""max_tokens":0"#),
            "INVALID_REQUEST `max_tokens` must be a whole number from 1 to 4294967295.",
        ),
        (
            with(r#""max_tokens":-1"#),
            "INVALID_REQUEST `max_tokens` must be a whole number from 1 to 4294967295.",
        ),
        (
            with(r#""max_tokens":1.5"#),
            "INVALID_REQUEST `max_tokens` must be a whole number from 1 to 4294967295.",
        ),
        (
            with(r#""max_completion_tokens":99999999999999999999"#),
            "INVALID_REQUEST `max_completion_tokens` must be a whole number from 1 to 4294967295.",
        ),
        (with(r#""max_tokens":"10""#), "INVALID_REQUEST `max_tokens` must be a number, not a string."),
        // Tools.
        (with(r#""tools":{}"#), "INVALID_REQUEST `tools` must be a list, not an object."),
        (with(r#""tools":["f"]"#), "INVALID_REQUEST `tools[0]` must be an object, not a string."),
        (
            with(r#""tools":[{"type":"web_search"}]"#),
            "TOOL_INVALID Invalid tools/tool_choice: `tools[0]` is of the type 'web_search': only tools of the type function can be called.",
        ),
        (
            with(r#""tools":[{"type":"namespace","name":"n"}]"#),
            "TOOL_INVALID Invalid tools/tool_choice: `tools[0]` is of the type 'namespace': only tools of the type function can be called.",
        ),
        (with(r#""tools":[{"type":7}]"#), "INVALID_REQUEST `tools[0].type` must be a string, not a number."),
        (with(r#""tools":[{}]"#), "TOOL_INVALID Invalid tools/tool_choice: `tools[0].name` is missing."),
        (
            with(r#""tools":[{"type":"function","function":7}]"#),
            "INVALID_REQUEST `tools[0].function` must be an object, not a number.",
        ),
        (
            with(r#""tools":[{"type":"function","function":{}}]"#),
            "TOOL_INVALID Invalid tools/tool_choice: `tools[0].function.name` is missing.",
        ),
        (with(r#""tools":[{"name":7}]"#), "INVALID_REQUEST `tools[0].name` must be a string, not a number."),
        (
            with(r#""tools":[{"name":"read file"}]"#),
            "TOOL_INVALID Invalid tools/tool_choice: `tools[0].name` must be 1 to 128 letters, digits, `_`, `-` or `.` of ASCII.",
        ),
        (
            with(r#""tools":[{"name":""}]"#),
            "TOOL_INVALID Invalid tools/tool_choice: `tools[0].name` must be 1 to 128 letters, digits, `_`, `-` or `.` of ASCII.",
        ),
        (
            long_name,
            "TOOL_INVALID Invalid tools/tool_choice: `tools[0].name` must be 1 to 128 letters, digits, `_`, `-` or `.` of ASCII.",
        ),
        (
            with(r#""tools":[{"name":"f","parameters":"none"}]"#),
            "TOOL_INVALID Invalid tools/tool_choice: `tools[0].parameters` must be a JSON Schema, an object, not a string.",
        ),
        (
            with(r#""tools":[{"name":"f","description":7}]"#),
            "INVALID_REQUEST `tools[0].description` must be a string, not a number.",
        ),
        (
            with(r#""tools":[{"name":"f","x-read-only":"yes"}]"#),
            "INVALID_REQUEST `tools[0].x-read-only` must be true or false, not a string.",
        ),
        (
            with(r#""tools":[{"name":"f","annotations":{"readOnlyHint":1}}]"#),
            "INVALID_REQUEST `tools[0].annotations.readOnlyHint` must be true or false, not a number.",
        ),
        (
            with(r#""tools":[{"name":"f"},{"function":{"name":"f"}}]"#),
            "TOOL_INVALID Invalid tools/tool_choice: `tools[1].function.name` 'f' is there twice: give each tool a name of its own.",
        ),
        (
            too_many,
            "TOOL_INVALID Invalid tools/tool_choice: `tools[512]` is one too many: at most 512 tools can be offered.",
        ),
        (
            with(r#""functions":[{"name":"f f"}]"#),
            "TOOL_INVALID Invalid tools/tool_choice: `functions[0].name` must be 1 to 128 letters, digits, `_`, `-` or `.` of ASCII.",
        ),
        (
            with(r#""tool_choice":7"#),
            "TOOL_INVALID Invalid tools/tool_choice: `tool_choice` must be a string or an object, not a number.",
        ),
        (
            with(r#""tool_choice":"maybe""#),
            "TOOL_INVALID Invalid tools/tool_choice: `tool_choice` 'maybe' is unknown: send auto, none, required or one function.",
        ),
        (
            with(r#""tool_choice":{"type":"allowed_tools"}"#),
            "TOOL_INVALID Invalid tools/tool_choice: `tool_choice` 'allowed_tools' is unknown: send auto, none, required or one function.",
        ),
        (
            with(r#""tool_choice":{"type":"function"}"#),
            "TOOL_INVALID Invalid tools/tool_choice: `tool_choice.name` is missing.",
        ),
        (
            with(r#""tools":[{"name":"f"}],"tool_choice":{"type":"function","function":{"name":"zz"}}"#),
            "TOOL_INVALID Invalid tools/tool_choice: `tool_choice` requested unknown tool: zz.",
        ),
        (
            with(r#""tools":[],"tool_choice":"required""#),
            "TOOL_INVALID Invalid tools/tool_choice: `tool_choice` requires a call, but `tools` is empty.",
        ),
    ];
    for (body, expected) in cases {
        assert_eq!(refusal(chat_request, body), *expected, "{}", &body[..body.len().min(200)]);
    }
}

#[test]
fn bodies_of_responses() {
    for (body, expected) in [
        ("[]", "INVALID_REQUEST `body` must be an object, not a list."),
        (
            "{}",
            "MESSAGE_MISSING Missing user message in `input`. Send at least one message of the role user or tool that is not empty.",
        ),
        (
            r#"{"input":""}"#,
            "MESSAGE_MISSING Missing user message in `input`. Send at least one message of the role user or tool that is not empty.",
        ),
        (
            r#"{"input":[{"type":"reasoning"}]}"#,
            "MESSAGE_MISSING Missing user message in `input`. Send at least one message of the role user or tool that is not empty.",
        ),
        (r#"{"input":{}}"#, "INVALID_REQUEST `input` must be a string or a list of items, not an object."),
        (r#"{"input":["Hi"]}"#, "INVALID_REQUEST `input[0]` must be an object, not a string."),
        (
            r#"{"input":[{"type":"message","content":"Hi"}]}"#,
            "INVALID_REQUEST `input[0].role` is missing: send system, user, assistant or tool.",
        ),
        (
            r#"{"input":[{"type":"function_call","name":"f"}]}"#,
            "INVALID_REQUEST `input[0].call_id` is missing: a result is bound to its call by it.",
        ),
        (
            r#"{"input":[{"type":"function_call_output","output":"x"}]}"#,
            "INVALID_REQUEST `input[0].call_id` is missing: a result is bound to its call by it.",
        ),
        (
            r#"{"input":[{"type":"function_call_output","call_id":"c","output":7}]}"#,
            "INVALID_REQUEST `input[0].output` must be a string or a list of parts, not a number.",
        ),
        (
            r#"{"input":[{"type":"function_call","call_id":"c"}]}"#,
            "INVALID_REQUEST `input[0].name` is missing.",
        ),
        (
            r#"{"input":"Hi","instructions":7}"#,
            "INVALID_REQUEST `instructions` must be a string, not a number.",
        ),
        (
            r#"{"input":"Hi","max_output_tokens":0}"#,
            "INVALID_REQUEST `max_output_tokens` must be a whole number from 1 to 4294967295.",
        ),
        (
            r#"{"input":"Hi","previous_response_id":7}"#,
            "INVALID_REQUEST `previous_response_id` must be a string, not a number.",
        ),
        (
            r#"{"input":"Hi","previous_response_id":"resp_1"}"#,
            "RESPONSE_NOT_FOUND No response has the id 'resp_1'. Send the `id` of an earlier response, or leave `previous_response_id` out.",
        ),
        (
            r#"{"input":"Hi","tools":[{"type":"namespace"}]}"#,
            "TOOL_INVALID Invalid tools/tool_choice: `tools[0].name` is missing.",
        ),
        (
            r#"{"input":"Hi","tools":[{"type":"namespace","name":"n","tools":[{"name":"f"}]},{"type":"function","name":"n__f"}]}"#,
            "TOOL_INVALID Invalid tools/tool_choice: `tools[1].name` 'n__f' is there twice: give each tool a name of its own.",
        ),
    ] {
        assert_eq!(refusal(responses_request, body), expected, "{body}");
    }
}
