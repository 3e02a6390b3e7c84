//! Every route, without a socket: statuses, headers, bodies, and what the service was asked.

use axum::http::Method;
use engross_agent::session::{
    AnswerFinish, Parameters, RefusalKind, RequestError, SessionName, TurnEvent, TurnRequest,
};
use engross_llm::{Message, Usage};
use serde_json::json;

use super::wire::samples::{ReceivedAnswer, hear, reading};
use crate::testing::client::{CHAT, HI, HI_STREAMED, get, plain, post, send, with};
use crate::testing::fake::{SESSION, failed, text};

fn refusal(kind: RefusalKind, code: &'static str, retry_after: Option<u64>) -> RequestError {
    RequestError {
        kind,
        code,
        message: "No.".to_owned(),
        retry_after,
        details: Box::new(json!({"open": ["call_1"]})),
    }
}

#[tokio::test]
async fn a_whole_answer() {
    let (fake, app) = plain();
    let usage = Some(Usage { input_tokens: 5, output_tokens: 1 });
    fake.answer(vec![
        reading(),
        TurnEvent::Text("ok".to_owned()),
        TurnEvent::Done { finish: AnswerFinish::Stop, usage },
    ]);
    let headers = [
        ("x-openclaw-session-key", "Dok-Ü"),
        ("idempotency-key", "k1"),
        ("x-engross-background", "1"),
        ("x-request-id", "mine-1"),
    ];
    let got = post(&app, CHAT, &headers, HI).await;
    assert_eq!(got.status, 200);
    assert_eq!(
        got.json(),
        json!({
            "id": format!("chatcmpl-{SESSION}-12"), "object": "chat.completion", "created": 1_795_293_365, "model": "gpt-4",
            "engross": {"turn": 3},
            "choices": [{"index": 0, "message": {"role": "assistant", "content": "ok"}, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 5, "completion_tokens": 1, "total_tokens": 6},
        })
    );
    for (name, value) in [
        ("content-type", "application/json"),
        ("x-openclaw-session-key", "agent:main:dok-ü"),
        ("x-engross-session-key", "agent:main:dok-ü"),
        ("x-engross-session-id", SESSION),
        ("x-engross-turn", "3"),
        ("x-request-id", "mine-1"),
    ] {
        assert_eq!(got.header(name).as_deref(), Some(value), "{name}");
    }
    let expected = TurnRequest {
        after: None,
        is_passing: false,
        is_whole: false,
        principal: String::new(),
        key: Some(SessionName::Named("agent:main:dok-ü".to_owned())),
        system: None,
        messages: vec![Message::User { content: "Hi".to_owned(), attachments: Vec::new() }],
        tools: None,
        parameters: Parameters::default(),
        workspace: None,
        idempotency_key: Some("k1".to_owned()),
        background: true,
    };
    assert_eq!(fake.submitted(), [expected]);
}

#[tokio::test]
async fn a_streamed_answer() {
    let (fake, app) = plain();
    let mut events = text("ok");
    events.insert(0, reading());
    fake.answer(events);
    let got = post(&app, CHAT, &[("x-engross-events", "1")], HI_STREAMED).await;
    assert_eq!(got.status, 200);
    for (name, value) in [
        ("content-type", "text/event-stream; charset=utf-8"),
        ("cache-control", "no-cache, no-transform"),
        ("x-engross-session-id", SESSION),
        ("x-request-id", "req_00000000000000000000000000000001"),
    ] {
        assert_eq!(got.header(name).as_deref(), Some(value), "{name}");
    }
    let heard = hear(&got.text);
    let ids: Vec<Option<&str>> = heard.iter().map(|heard| heard.id.as_deref()).collect();
    assert_eq!(ids, [Some("12-0"), None, Some("12-2"), Some("12-3")]);
    assert_eq!(heard[2].data["choices"][0]["delta"], json!({"content": "ok"}));
    assert_eq!(heard[2].data["model"], "engross");
}

#[tokio::test]
async fn a_repeated_request_goes_on_behind_what_was_heard() {
    let (fake, app) = plain();
    for (last, content, first) in
        [("12-2", "!", "12-3"), ("11-2", "ok!", "12-0"), ("nonsense", "ok!", "12-0")]
    {
        fake.answer(vec![
            TurnEvent::Text("ok".to_owned()),
            TurnEvent::Text("!".to_owned()),
            TurnEvent::Done { finish: AnswerFinish::Stop, usage: None },
        ]);
        let headers = [("idempotency-key", "again"), ("last-event-id", last)];
        let heard = hear(&post(&app, CHAT, &headers, HI_STREAMED).await.text);
        let delta = |heard: &ReceivedAnswer| {
            heard.data["choices"][0]["delta"]["content"].as_str().unwrap_or_default().to_owned()
        };
        assert_eq!(heard.iter().map(delta).collect::<String>(), content, "{last}");
        assert_eq!(heard[0].id.as_deref(), Some(first), "{last}");
    }
    let metrics = get(&app, "/metrics", &[]).await.text;
    assert!(metrics.contains("\nengross_turns_total 0\n"), "a repeated request is no turn: {metrics}");
}

#[tokio::test]
async fn responses_whole_and_streamed() {
    let (fake, app) = plain();
    fake.answer(text("ok"));
    let body = r#"{"input":"Hi","previous_response_id":"resp_ses_00000000000000000000000000000007_3"}"#;
    let got = post(&app, "/v1/responses", &[], body).await;
    assert_eq!((got.status, got.json()["id"].clone()), (200, json!(format!("resp_{SESSION}_12"))));
    assert_eq!(got.json()["output"][0]["content"][0]["text"], "ok");
    assert_eq!(got.header("x-engross-session-id").as_deref(), Some(SESSION));
    let submitted = fake.submitted();
    let after = submitted[0].after.unwrap();
    assert_eq!((after.session.to_string().as_str(), after.answer, &submitted[0].key), (SESSION, 3, &None));

    fake.answer(text("ok"));
    let whole = post(&app, "/v1/responses", &[], r#"{"input":"Hi","stream":true}"#).await.text;
    let heard = hear(&whole);
    assert_eq!(heard.last().unwrap().event.as_deref(), Some("response.completed"));

    fake.answer(text("ok"));
    let last = heard[4].id.clone().unwrap();
    let rest =
        post(&app, "/v1/responses", &[("last-event-id", &last)], r#"{"input":"Hi","stream":true}"#).await;
    assert_eq!(hear(&rest.text), heard[5..]);
}

#[tokio::test]
async fn the_header_names_the_session_before_the_body_does() {
    let (fake, app) = with(|server| server.session_by_user = true);
    let body = r#"{"user":"u","messages":[{"role":"user","content":"Hi"}]}"#;
    for (headers, expected) in [
        (vec![], Ok(SessionName::User("u".to_owned()))),
        (vec![("x-engross-session-key", "D")], Ok(SessionName::Named("agent:main:d".to_owned()))),
        (
            vec![("x-engross-session-key", "D"), ("x-openclaw-session-key", "agent:main:d")],
            Ok(SessionName::Named("agent:main:d".to_owned())),
        ),
        (vec![("x-openclaw-session-key", "")], Ok(SessionName::User("u".to_owned()))),
        (vec![("x-engross-session-key", "a"), ("x-openclaw-session-key", "b")], Err("SESSION_KEY_INVALID")),
        (vec![("x-openclaw-session-key", "cron:1")], Err("SESSION_KEY_INVALID")),
        (vec![("idempotency-key", "")], Err("INVALID_REQUEST")),
        (vec![("x-engross-background", "perhaps")], Err("INVALID_REQUEST")),
        (vec![("x-engross-events", "perhaps")], Err("INVALID_REQUEST")),
    ] {
        match expected {
            Ok(key) => {
                fake.answer(text("ok"));
                assert_eq!(post(&app, CHAT, &headers, body).await.status, 200, "{headers:?}");
                assert_eq!(fake.submitted()[0].key, Some(key), "{headers:?}");
            }
            Err(code) => {
                let got = post(&app, CHAT, &headers, body).await.error();
                assert_eq!(got, (400, code.to_owned(), "invalid_request_error".to_owned()), "{headers:?}");
            }
        }
    }
}

#[tokio::test]
async fn refusals_of_the_session_have_their_status() {
    let (fake, app) = plain();
    for (kind, retry_after, status, class) in [
        (RefusalKind::Invalid, None, 400, "invalid_request_error"),
        (RefusalKind::Conflict, None, 409, "conflict_error"),
        (RefusalKind::NotFound, None, 404, "not_found_error"),
        (RefusalKind::Busy, Some(2), 429, "rate_limit_error"),
        (RefusalKind::Unavailable, Some(5), 503, "unavailable_error"),
    ] {
        fake.refuse(refusal(kind, "SOME_CODE", retry_after));
        let got = post(&app, CHAT, &[], HI_STREAMED).await;
        assert_eq!(got.error(), (status, "SOME_CODE".to_owned(), class.to_owned()));
        assert_eq!(got.json()["error"]["details"], json!({"open": ["call_1"]}));
        assert_eq!(got.header("retry-after"), retry_after.map(|seconds: u64| seconds.to_string()));
        assert_eq!(got.header("x-should-retry").is_some(), status == 409);
    }
}

#[tokio::test]
async fn an_answer_that_fails_before_its_first_byte_has_a_status() {
    let (fake, app) = plain();
    for (code, status, class) in [
        ("MODEL_BAD_REQUEST", 400, "invalid_request_error"),
        ("MODEL_RATE_LIMITED", 429, "rate_limit_error"),
        ("MODEL_AUTH", 502, "api_error"),
        ("MODEL_UNAVAILABLE", 502, "api_error"),
        ("MODEL_TIMEOUT", 504, "api_error"),
        ("STORE_UNAVAILABLE", 503, "unavailable_error"),
        ("TURN_CANCELLED", 409, "conflict_error"),
        ("SOMETHING_ELSE", 500, "api_error"),
    ] {
        for (body, before) in [(HI_STREAMED, "Working …"), (HI, "Half an answer")] {
            let first = match body {
                HI => TurnEvent::Text(before.to_owned()),
                _ => reading(),
            };
            fake.answer(vec![first, failed(code, Some(7))]);
            let got = post(&app, CHAT, &[], body).await;
            assert_eq!(got.error(), (status, code.to_owned(), class.to_owned()));
            assert_eq!(got.header("retry-after").as_deref(), Some("7"));
            assert_eq!(got.header("x-engross-session-id").as_deref(), Some(SESSION), "its session is known");
        }
    }
    drop(fake.play());
    let got = post(&app, CHAT, &[], HI).await;
    assert_eq!(got.error(), (500, "ANSWER_INTERRUPTED".to_owned(), "api_error".to_owned()));
}

#[tokio::test]
async fn an_answer_that_fails_later_ends_the_stream_with_an_error() {
    let (fake, app) = plain();
    fake.answer(vec![TurnEvent::Text("Hal".to_owned()), failed("MODEL_TRUNCATED", None)]);
    let got = post(&app, CHAT, &[], HI_STREAMED).await;
    assert_eq!(got.status, 200);
    assert_eq!(hear(&got.text).last().unwrap().data["error"]["code"], "MODEL_TRUNCATED");
    drop(fake.play());
    let got = post(&app, CHAT, &[], HI_STREAMED).await;
    assert_eq!(hear(&got.text).last().unwrap().data["error"]["code"], "ANSWER_INTERRUPTED");
}

#[tokio::test]
async fn events_of_a_session() {
    let (fake, app) = plain();
    fake.answer(text("ok"));
    let got = get(&app, "/v1/sessions/Dok%2F%C3%9C/events", &[("last-event-id", "12-1")]).await;
    assert_eq!(fake.listened(), [SessionName::Named("agent:main:dok/ü".to_owned())]);
    let heard = hear(&got.text);
    assert_eq!(
        heard[0].data["choices"][0]["delta"],
        json!({"content": "k"}),
        "the first byte was heard already"
    );

    fake.refuse(refusal(RefusalKind::NotFound, "SESSION_NOT_FOUND", None));
    let got = get(&app, "/v1/sessions/x/events", &[]).await;
    assert_eq!(got.error(), (404, "SESSION_NOT_FOUND".to_owned(), "not_found_error".to_owned()));
    for path in [
        "/v1/sessions//events",
        "/v1/sessions/cron:1/events",
        "/v1/sessions/%FF/events",
        "/v1/sessions/%00/events",
    ] {
        assert_eq!(get(&app, path, &[]).await.error().1, "SESSION_KEY_INVALID", "{path}");
    }
}

#[tokio::test]
async fn models() {
    let (fake, app) = plain();
    let further = |id: &str| json!({"id": id, "object": "model", "created": 0, "owned_by": "engross"});
    let model = |id: &str| {
        let mut usual = further(id);
        usual["engross"] = json!({"model": "rules"});
        usual
    };
    let got = get(&app, "/v1/models", &[]).await;
    let all = [model("engross"), model("openclaw"), further("engross/slow")];
    assert_eq!(got.json(), json!({"object": "list", "data": all}));
    assert_eq!(get(&app, "/v1/models/engross/slow", &[]).await.json(), further("engross/slow"));
    assert_eq!(get(&app, "/v1/models/openclaw", &[]).await.json(), model("openclaw"));
    let error = (404, "MODEL_NOT_OFFERED".to_owned(), "not_found_error".to_owned());
    assert_eq!(get(&app, "/v1/models/gpt-4", &[]).await.error(), error);

    let (strict_fake, strict) = with(|server| server.strict_models = true);
    for (name, offered) in [
        ("engross", true),
        ("openclaw", true),
        ("openclaw/default", true),
        ("OpenClaw:main", true),
        ("agent:main", true),
        ("agent:", false),
        ("gpt-4", false),
        ("öpenclaw/x", false),
    ] {
        let body = json!({"model": name, "messages": [{"role": "user", "content": "Hi"}]}).to_string();
        fake.answer(text("ok"));
        assert_eq!(send(&app, Method::POST, CHAT, &[], body.clone()).await.json()["model"], name);
        if offered {
            strict_fake.answer(text("ok"));
        }
        let got = send(&strict, Method::POST, CHAT, &[], body).await;
        assert_eq!(got.status, if offered { 200 } else { 404 }, "{name}");
    }
}
