//! Answers that go wrong, each with its own error.

use engross_llm::{Error, Event, FinishReason};
use engross_testkit::scripted::ModelServer;
use serde_json::{Value, json};

use crate::support::{answer, arguments, call, specs, text};

/// The name that errors use for the provider of `spec`.
fn provider(spec: &str) -> &'static str {
    let names = ["anthropic", "gemini", "ollama", "openai/"];
    let name = names.into_iter().find(|name| spec.starts_with(name));
    name.map_or("the openai-compatible server", |name| name.trim_end_matches('/'))
}

/// Every provider gives `before`, then the error, then nothing.
async fn check(
    fault: Value,
    before: &[Result<Event, Error>],
    error: impl Fn(&'static str) -> Error,
) -> ModelServer {
    let server = ModelServer::start(json!({"turns": [], "default": {"text": "a b c", "fault": fault}}));
    for spec in specs(&server.url()) {
        let mut expected = before.to_vec();
        expected.push(Err(error(provider(&spec))));
        assert_eq!(answer(&server, &spec).await, expected, "{spec}");
    }
    server
}

#[tokio::test]
async fn an_early_end_is_truncated() {
    check(json!({"kind": "truncate", "after": 0}), &[], |_| Error::Truncated).await;
    check(json!({"kind": "truncate", "after": 2}), &[text("a"), text(" b")], |_| Error::Truncated).await;
    let all = [text("a"), text(" b"), text(" c")];
    check(json!({"kind": "truncate", "after": 3}), &all, |_| Error::Truncated).await;
}

#[tokio::test]
async fn a_broken_connection_is_truncated() {
    let fault = json!({"kind": "disconnect", "after": 2});
    let server = ModelServer::start(json!({"turns": [], "default": {"text": "a b c", "fault": fault}}));
    for spec in specs(&server.url()) {
        let mut answer = answer(&server, &spec).await;
        assert_eq!(answer.pop(), Some(Err(Error::Truncated)), "{spec}");
        // What had arrived may be lost with the connection.
        assert!([text("a"), text(" b")].starts_with(&answer), "{answer:?}");
    }
}

#[tokio::test]
async fn an_end_within_a_chunk_is_truncated() {
    check(json!({"kind": "cut", "after": 1}), &[text("a")], |_| Error::Truncated).await;
}

#[tokio::test]
async fn an_error_in_the_stream_is_named() {
    let error = |provider| Error::Stream { provider, message: "scripted in-stream failure".to_owned() };
    check(json!({"kind": "error_event", "after": 1}), &[text("a")], error).await;
}

#[tokio::test]
async fn an_event_that_is_not_json_is_a_protocol_error() {
    let message = "an event of it is not valid: EOF while parsing a value at line 1 column 21";
    let error = |provider| Error::Protocol { provider, message: message.to_owned() };
    check(json!({"kind": "bad_sse", "after": 1}), &[text("a")], error).await;
}

#[tokio::test]
async fn a_success_without_a_stream_is_a_protocol_error() {
    let message = r#"it sent application/json instead of a stream: {"choices":[]}"#;
    let error = |provider| Error::Protocol { provider, message: message.to_owned() };
    check(json!({"kind": "empty"}), &[], error).await;
}

#[tokio::test]
async fn a_refusal_is_named_and_not_repeated() {
    for status in [400, 404, 422] {
        let error = |provider| Error::BadRequest { provider, status, message: "scripted failure".to_owned() };
        let server = check(json!({"kind": "status", "code": status}), &[], error).await;
        assert_eq!(server.requests().len(), 5);
    }
    for status in [401, 403] {
        let error = |provider| Error::Auth {
            provider,
            status,
            message: "scripted failure".to_owned(),
            variable: match provider {
                "openai" => "OPENAI_API_KEY",
                "anthropic" => "ANTHROPIC_API_KEY",
                "gemini" => "GEMINI_API_KEY",
                "ollama" => "OLLAMA_HOST",
                _ => "OPENAI_COMPATIBLE_API_KEY",
            },
        };
        let server = check(json!({"kind": "status", "code": status}), &[], error).await;
        assert_eq!(server.requests().len(), 5);
    }
}

#[tokio::test]
async fn arguments_that_are_not_json_are_handed_on() {
    let call_turn = json!({"id": "a", "name": "get_weather", "args": {"city": "Oslo"}});
    let turn = json!({"tool_calls": [call_turn], "fault": {"kind": "malformed_json"}});
    let server = ModelServer::start(json!({ "turns": [], "default": turn }));
    // Gemini's format cannot carry them.
    for spec in specs(&server.url()).iter().filter(|spec| !spec.starts_with("gemini")) {
        let mut answer = answer(&server, spec).await;
        answer.retain(|event| !matches!(event, Ok(Event::Usage(_))));
        let expected = [
            call(0, "a"),
            arguments(0, r#"{"city":""#),
            arguments(0, r#"Oslo","x":"#),
            Ok(Event::Finish(FinishReason::ToolCalls)),
        ];
        assert_eq!(answer, expected, "{spec}");
    }
}

/// The reason to stop is the end of an answer, for Anthropic only with `message_stop` after it.
#[tokio::test]
async fn what_happens_after_the_end_does_not_matter() {
    for kind in ["truncate", "disconnect", "cut"] {
        let fault = json!({"kind": kind, "after": 4});
        let turn = json!({"turns": [], "default": {"text": "a b c", "fault": fault}});
        let server = ModelServer::start(turn);
        for spec in specs(&server.url()) {
            let mut answer = answer(&server, &spec).await;
            let expected = if spec.starts_with("anthropic") {
                Err(Error::Truncated)
            } else {
                Ok(Event::Finish(FinishReason::Stop))
            };
            assert_eq!(answer.pop(), Some(expected), "{spec}, {kind}");
        }
    }
}
