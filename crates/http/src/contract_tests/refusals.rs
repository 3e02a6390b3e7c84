//! Bad input: status, code, message, and that nothing is stored and no provider asked. The texts of all bad bodies are in
//! `wire/bad_bodies_tests.rs`.

use axum::http::Method;
use serde_json::json;

use super::whole::{functions, user, whole};
use crate::testing::client::{CHAT, get, send};

#[tokio::test]
async fn bad_input_is_told_and_leaves_nothing_behind() {
    let whole = whole(json!({"default": {"text": "ok"}}));
    let hi = json!([user("hi")]);
    let cases = [
        ("", 400, "INVALID_JSON", "The body is not JSON"),
        ("{\"messages\":", 400, "INVALID_JSON", "EOF while parsing"),
        ("[]", 400, "INVALID_REQUEST", "`body` must be an object, not a list"),
        ("{}", 400, "MESSAGE_MISSING", "Missing user message in `messages`"),
        (r#"{"messages":[{"role":"system","content":"x"}]}"#, 400, "MESSAGE_MISSING", "Missing user message"),
        (r#"{"messages":[{"role":"assistant","content":"x"}]}"#, 400, "", ""),
        (r#"{"messages":[{"role":"pope","content":"x"}]}"#, 400, "MESSAGE_MISSING", "the role user or tool"),
        (r#"{"messages":"hi"}"#, 400, "INVALID_REQUEST", "`messages`"),
        (
            r#"{"messages":[{"role":"tool","content":"x","tool_call_id":"c"}]}"#,
            409,
            "CALL_NOT_OPEN",
            "no open call",
        ),
    ];
    for (body, status, code, message) in cases {
        let got = send(&whole.app, Method::POST, CHAT, &[("x-openclaw-session-key", "doc")], body).await;
        assert_eq!(got.status, status, "{body}: {}", got.text);
        assert_eq!(got.header("content-type").as_deref(), Some("application/json"));
        let error = &got.json()["error"];
        assert!(error["code"].as_str().unwrap().contains(code), "{body}: {error}");
        assert!(error["message"].as_str().unwrap().contains(message), "{body}: {error}");
    }
    for (field, value, code) in [
        ("temperature", json!(5), "INVALID_REQUEST"),
        ("temperature", json!("warm"), "INVALID_REQUEST"),
        ("max_tokens", json!(-1), "INVALID_REQUEST"),
        ("tools", json!([{"type": "function"}]), "TOOL_INVALID"),
        ("tool_choice", json!({"type": "function", "function": {"name": "zz"}}), "TOOL_INVALID"),
        ("user", json!(7), "INVALID_REQUEST"),
    ] {
        let mut body = json!({ "messages": hi, "tools": functions(&["look"]) });
        body[field] = value;
        let got = whole.chat(body.clone()).await;
        assert_eq!(got.error(), (400, code.to_owned(), "invalid_request_error".to_owned()), "{body}");
        assert!(got.json()["error"]["message"].as_str().unwrap().contains(field), "{}", got.text);
    }
    for key in ["subagent:foo", "cron:x", "agent:main:acp:y"] {
        let body = json!({ "messages": hi }).to_string();
        let got = send(&whole.app, Method::POST, CHAT, &[("x-openclaw-session-key", key)], body).await;
        assert_eq!(got.error().1, "SESSION_KEY_INVALID");
    }
    for (name, value) in [("idempotency-key", ""), ("x-engross-background", "perhaps")] {
        let got = whole.chat_with(&[(name, value)], json!({ "messages": hi })).await;
        assert!(got.status == 400 && got.text.contains("\"code\""), "{name}: {}", got.text);
    }
    assert_eq!((whole.sessions().await, whole.asked().len()), (0, 0), "nothing stored, nobody asked");
    // All of it on a session that exists.
    whole.chat(json!({ "messages": hi })).await;
    let before = whole.log().await;
    for (body, ..) in cases {
        send(&whole.app, Method::POST, CHAT, &[("x-openclaw-session-key", "doc")], body).await;
    }
    assert_eq!((whole.log().await, whole.asked().len()), (before, 1));
}

/// The reference answers these with texts, pages and 200.
#[tokio::test]
async fn every_refusal_has_the_one_shape() {
    let whole = whole(json!({}));
    for (method, path, status, code) in [
        (Method::GET, CHAT, 405, "METHOD_NOT_ALLOWED"),
        (Method::DELETE, "/v1/responses", 405, "METHOD_NOT_ALLOWED"),
        (Method::GET, "/index.html", 404, "ROUTE_NOT_FOUND"),
        (Method::POST, "/v1/nothing", 404, "ROUTE_NOT_FOUND"),
        (Method::GET, "/v1/sessions/nobody", 404, "SESSION_UNKNOWN"),
        (Method::GET, "/v1/sessions/nobody/events", 404, "SESSION_UNKNOWN"),
    ] {
        let got = send(&whole.app, method, path, &[], "").await;
        assert_eq!((got.status, got.error().1.as_str()), (status, code), "{path}");
        assert!(got.header("x-request-id").is_some());
    }
    assert_eq!(get(&whole.app, "/healthz", &[]).await.json(), json!({"ok": true, "status": "live"}));
}

/// A picture that no model gets is refused by name, wherever it comes from: no address of a client is asked.
#[tokio::test]
async fn a_picture_that_no_model_gets_is_refused() {
    let whole = whole(json!({"default": {"text": "ok"}}));
    let image = json!({"type": "image_url", "image_url": {"url": "http://127.0.0.1:9/x.png"}});
    let content = json!([{"type": "text", "text": "what is this?"}, image]);
    let got = whole.chat(json!({"messages": [{"role": "user", "content": content}]})).await;
    assert_eq!(
        (got.status, &got.json()["error"]["param"]),
        (400, &json!("messages[0].content[1]")),
        "{}",
        got.text
    );
    assert_eq!(whole.asked().len(), 0);
}

/// What a provider takes reaches it, what it cannot do is refused by name, and what does no harm is said in a header.
#[tokio::test]
async fn options_are_passed_refused_or_told() {
    let whole = whole(json!({"default": {"text": "ok"}}));
    let schema = json!({"type": "json_schema", "json_schema": {"name": "n", "strict": true, "schema": {"type": "object"}}});
    let got = whole
        .chat(json!({
            "messages": [user("hi")], "top_p": 0.5, "top_k": 4, "stop": "END", "seed": 7, "response_format": schema,
            "user": "alice", "service_tier": "flex", "guided_regex": "a+", "made_up": 1,
            "tools": [{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}, "strict": true}}],
            "parallel_tool_calls": false,
        }))
        .await;
    assert_eq!(got.status, 200, "{}", got.text);
    let asked = whole.asked()[0].body.clone();
    for (field, value) in [
        ("top_p", json!(0.5)),
        ("top_k", json!(4)),
        ("stop", json!("END")),
        ("seed", json!(7)),
        ("response_format", schema),
        ("guided_regex", json!("a+")),
        ("parallel_tool_calls", json!(false)),
        ("service_tier", json!(null)),
        ("user", json!(null)),
    ] {
        assert_eq!(asked[field], value, "{field}");
    }
    assert_eq!(asked["tools"][0]["function"]["strict"], true);
    let warnings = got.header("x-engross-warnings").unwrap();
    assert!(
        ["`made_up`", "`service_tier`", "`user`"].iter().all(|name| warnings.contains(name)),
        "{warnings}"
    );
    for (body, field) in [(json!({"n": 2}), "n"), (json!({"modalities": ["text", "audio"]}), "modalities")] {
        let mut body = body;
        body["messages"] = json!([user("hi")]);
        let got = whole.chat(body).await;
        assert_eq!((got.status, &got.json()["error"]["param"]), (400, &json!(field)), "{}", got.text);
    }
    assert_eq!(whole.asked().len(), 1);
}
