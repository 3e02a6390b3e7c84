//! What is sent: whole bodies and paths.

use engross_llm::{Message, Request, ToolCall, ToolChoice};
use engross_testkit::scripted::ModelServer;
use serde_json::{Value, json};

use crate::support::{open_on, stream, weather_parameters, weather_tool};

/// A conversation with everything in it.
fn conversation() -> Request {
    let call = |id: &str, arguments: &str| ToolCall {
        id: id.to_owned(),
        name: "get_weather".to_owned(),
        arguments: arguments.to_owned(),
    };
    let result = |id: &str, content: &str, is_error: bool| Message::Tool {
        tool_call_id: id.to_owned(),
        name: "get_weather".to_owned(),
        content: content.to_owned(),
        is_error,
        attachments: Vec::new(),
    };
    Request {
        options: engross_llm::AnswerOptions::default(),
        system: "Be brief.".to_owned(),
        messages: vec![
            Message::User { content: "Weather?".to_owned(), attachments: Vec::new() },
            Message::Assistant {
                content: String::new(),
                tool_calls: vec![call("call:1", r#"{"city": "Oslo"}"#), call("call_2", "{not json")],
                thoughts: Vec::new(),
            },
            result("call:1", "rain", false),
            result("call_2", "no such city", true),
            Message::User { content: "And?".to_owned(), attachments: Vec::new() },
            Message::Assistant { content: "Rain.".to_owned(), tool_calls: Vec::new(), thoughts: Vec::new() },
            Message::User { content: "Thanks.".to_owned(), attachments: Vec::new() },
        ],
        tools: vec![weather_tool()],
        tool_choice: ToolChoice::Auto,
        max_output_tokens: Some(500),
        temperature: Some(0.5),
        ..Request::default()
    }
}

async fn sent(spec: &str, request: Request) -> (String, Value) {
    let server = ModelServer::start(json!({}));
    let spec = spec.replace("URL", &server.url());
    stream(&open_on(&server, &spec), request).await;
    let recorded = server.requests().pop().unwrap();
    (recorded.path, recorded.body)
}

fn chat_messages() -> Value {
    let call = |id: &str, arguments: &str| json!({"id": id, "type": "function", "function": {"name": "get_weather", "arguments": arguments}});
    json!([
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Weather?"},
        {"role": "assistant", "content": null, "tool_calls": [
            call("call:1", r#"{"city": "Oslo"}"#),
            call("call_2", r#"{"unparsable_arguments":"{not json"}"#),
        ]},
        {"role": "tool", "tool_call_id": "call:1", "content": "rain"},
        {"role": "tool", "tool_call_id": "call_2", "content": "no such city"},
        {"role": "user", "content": "And?"},
        {"role": "assistant", "content": "Rain."},
        {"role": "user", "content": "Thanks."},
    ])
}

fn chat_tools() -> Value {
    json!([{"type": "function", "function": {
        "name": "get_weather",
        "description": "The weather of a city.",
        "parameters": weather_parameters(),
    }}])
}

#[tokio::test]
async fn openai() {
    let body = json!({
        "model": "gpt-5",
        "messages": chat_messages(),
        "stream": true,
        "stream_options": {"include_usage": true},
        "tools": chat_tools(),
        "max_completion_tokens": 500,
        "temperature": 0.5,
    });
    assert_eq!(sent("openai/gpt-5", conversation()).await, ("/v1/chat/completions".to_owned(), body));
}

#[tokio::test]
async fn compatible_servers() {
    let body = json!({
        "model": "maker/model:7b",
        "messages": chat_messages(),
        "stream": true,
        "stream_options": {"include_usage": true},
        "tools": chat_tools(),
        "max_tokens": 500,
        "temperature": 0.5,
    });
    let spec = "openai-compatible:URL/api/v1/#maker/model:7b";
    assert_eq!(sent(spec, conversation()).await, ("/api/v1/chat/completions".to_owned(), body));
}

/// Some servers know no `stream_options`; the cost is worth less than the answer.
#[tokio::test]
async fn a_server_that_refuses_to_tell_the_cost_is_not_asked_again() {
    let refusal = "Unrecognized request argument supplied: stream_options";
    let server = ModelServer::start(json!({"turns": [
        {"fault": {"kind": "status", "code": 400, "message": refusal}, "times": 1},
    ], "default": {"text": "ok"}}));
    let model = open_on(&server, &format!("openai-compatible:{}/v1#m", server.url()));
    let hello = Request {
        messages: vec![Message::User { content: "Hello".to_owned(), attachments: Vec::new() }],
        ..Request::default()
    };
    for _ in 0..2 {
        assert!(stream(&model, hello.clone()).await.iter().all(Result::is_ok));
    }
    let asked: Vec<bool> =
        server.requests().iter().map(|request| request.body.get("stream_options").is_some()).collect();
    assert_eq!(asked, [true, false, false]);
}

#[tokio::test]
async fn anthropic() {
    let body = json!({
        "model": "claude",
        "max_tokens": 500,
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "Weather?"}]},
            {"role": "assistant", "content": [
                {"type": "tool_use", "id": "call_1", "name": "get_weather", "input": {"city": "Oslo"}},
                {"type": "tool_use", "id": "call_2", "name": "get_weather",
                    "input": {"unparsable_arguments": "{not json"}},
            ]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "call_1", "content": "rain"},
                {"type": "tool_result", "tool_use_id": "call_2", "content": "no such city", "is_error": true},
                {"type": "text", "text": "And?"},
            ]},
            {"role": "assistant", "content": [{"type": "text", "text": "Rain."}]},
            {"role": "user", "content": [{"type": "text", "text": "Thanks."}]},
        ],
        "stream": true,
        "system": "Be brief.",
        "tools": [{
            "name": "get_weather",
            "description": "The weather of a city.",
            "input_schema": weather_parameters(),
        }],
        "temperature": 0.5,
    });
    assert_eq!(sent("anthropic/claude", conversation()).await, ("/v1/messages".to_owned(), body));
}

#[tokio::test]
async fn gemini() {
    let body = json!({
        "contents": [
            {"role": "user", "parts": [{"text": "Weather?"}]},
            {"role": "model", "parts": [
                {"functionCall": {"id": "call:1", "name": "get_weather", "args": {"city": "Oslo"}},
                    "thoughtSignature": "skip_thought_signature_validator"},
                {"functionCall": {"id": "call_2", "name": "get_weather",
                    "args": {"unparsable_arguments": "{not json"}}},
            ]},
            {"role": "user", "parts": [
                {"functionResponse": {"id": "call:1", "name": "get_weather", "response": {"output": "rain"}}},
                {"functionResponse": {"id": "call_2", "name": "get_weather",
                    "response": {"error": "no such city"}}},
                {"text": "And?"},
            ]},
            {"role": "model", "parts": [{"text": "Rain."}]},
            {"role": "user", "parts": [{"text": "Thanks."}]},
        ],
        "systemInstruction": {"parts": [{"text": "Be brief."}]},
        "tools": [{"functionDeclarations": [{
            "name": "get_weather",
            "description": "The weather of a city.",
            "parametersJsonSchema": weather_parameters(),
        }]}],
        "generationConfig": {"maxOutputTokens": 500, "temperature": 0.5},
    });
    let path = "/v1beta/models/gemini-pro:streamGenerateContent?alt=sse".to_owned();
    assert_eq!(sent("gemini/gemini-pro", conversation()).await, (path, body));
}

#[tokio::test]
async fn nothing_is_sent_that_was_not_asked_for() {
    let hello = Request {
        messages: vec![Message::User { content: "Hello".to_owned(), attachments: Vec::new() }],
        ..Request::default()
    };
    let chat = json!({
        "model": "m",
        "messages": [{"role": "user", "content": "Hello"}],
        "stream": true,
        "stream_options": {"include_usage": true},
    });
    assert_eq!(sent("ollama/m", hello.clone()).await, ("/v1/chat/completions".to_owned(), chat));
    let messages = json!({
        "model": "m",
        "max_tokens": 16000,
        "messages": [{"role": "user", "content": [{"type": "text", "text": "Hello"}]}],
        "stream": true,
    });
    assert_eq!(sent("anthropic/m", hello.clone()).await.1, messages);
    let contents = json!({"contents": [{"role": "user", "parts": [{"text": "Hello"}]}]});
    assert_eq!(sent("gemini/m", hello).await.1, contents);
}

/// Gemini refuses its own calls when they come back without their signatures.
#[tokio::test]
async fn gemini_gets_its_signatures_back() {
    let calls = json!([
        {"name": "get_weather", "args": {"city": "Oslo"}},
        {"name": "get_weather", "args": {"city": "Rome"}},
    ]);
    let server = ModelServer::start(json!({"turns": [{"tool_calls": calls}]}));
    let model = open_on(&server, "gemini/gemini-pro");
    let mut request = Request {
        messages: vec![Message::User { content: "Weather?".to_owned(), attachments: Vec::new() }],
        ..Request::default()
    };
    let answer = engross_llm::collect(model.answer(request.clone()), |_| {}).await.unwrap();
    request.messages.push(Message::Assistant {
        content: answer.text,
        tool_calls: answer.tool_calls,
        thoughts: Vec::new(),
    });
    stream(&model, request).await;
    let expected = json!({"role": "model", "parts": [
        {"functionCall": {"id": "call_1_0", "name": "get_weather", "args": {"city": "Oslo"}},
            "thoughtSignature": "signed-call_1_0"},
        {"functionCall": {"id": "call_1_1", "name": "get_weather", "args": {"city": "Rome"}},
            "thoughtSignature": "signed-call_1_1"},
    ]});
    assert_eq!(server.requests().pop().unwrap().body["contents"][1], expected);
}

#[tokio::test]
async fn a_forced_tool_is_forced_in_every_dialect() {
    let named = || ToolChoice::Named("get_weather".to_owned());
    let table = [
        ("openai/gpt-5", "tool_choice", ToolChoice::Required, json!("required")),
        (
            "openai/gpt-5",
            "tool_choice",
            named(),
            json!({"type": "function", "function": {"name": "get_weather"}}),
        ),
        ("anthropic/claude", "tool_choice", ToolChoice::Required, json!({"type": "any"})),
        ("anthropic/claude", "tool_choice", named(), json!({"type": "tool", "name": "get_weather"})),
        ("gemini/pro", "toolConfig", ToolChoice::Required, json!({"functionCallingConfig": {"mode": "ANY"}})),
        (
            "gemini/pro",
            "toolConfig",
            named(),
            json!({"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["get_weather"]}}),
        ),
        ("openai/gpt-5", "tool_choice", ToolChoice::Auto, Value::Null),
    ];
    for (spec, field, tool_choice, wanted) in table {
        let (_, body) = sent(spec, Request { tool_choice, ..conversation() }).await;
        assert_eq!(body[field], wanted, "{spec}");
    }
    let without = Request { tools: Vec::new(), tool_choice: ToolChoice::Required, ..conversation() };
    assert_eq!(
        sent("openai/gpt-5", without).await.1["tool_choice"],
        Value::Null,
        "there is nothing to choose"
    );
}
