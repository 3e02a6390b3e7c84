//! What stands before every route: access, pages of other origins, bounds, wrong paths, health and counters.

use axum::body::Body;
use axum::http::Method;
use serde_json::json;

use super::{Access, Limits, Token};
use crate::testing::client::{CHAT, HI, HI_STREAMED, get, plain, post, send, with};
use crate::testing::fake::{failed, text};

#[tokio::test]
async fn health() {
    let (fake, app) = with(|server| server.access.token = Some(Token::new("t")));
    assert_eq!(get(&app, "/healthz", &[]).await.json(), json!({"ok": true, "status": "live"}));
    assert_eq!(get(&app, "/readyz", &[]).await.json(), json!({"ready": true, "failing": []}));
    fake.fail("store");
    let got = get(&app, "/readyz", &[]).await;
    assert_eq!((got.status, got.json()), (503, json!({"ready": false, "failing": ["store"]})));
}

#[tokio::test]
async fn the_counters() {
    let (fake, app) = plain();
    fake.answer(text("ok"));
    post(&app, CHAT, &[], HI).await;
    fake.answer(text("ok"));
    post(&app, CHAT, &[], HI_STREAMED).await;
    fake.answer(vec![failed("MODEL_TIMEOUT", None)]);
    post(&app, CHAT, &[], HI).await;
    post(&app, "/nowhere/\"x", &[], "").await;
    let got = get(&app, "/metrics", &[]).await;
    assert_eq!(got.header("content-type").as_deref(), Some("text/plain; version=0.0.4; charset=utf-8"));
    // How long they took is another matter.
    let counted: String =
        got.text.split_inclusive('\n').filter(|line| !line.contains("request_duration_seconds")).collect();
    assert_eq!(
        counted,
        "# HELP engross_requests_total Requests answered.\n\
         # TYPE engross_requests_total counter\n\
         engross_requests_total{route=\"/v1/chat/completions\",status=\"200\"} 2\n\
         engross_requests_total{route=\"/v1/chat/completions\",status=\"504\"} 1\n\
         engross_requests_total{route=\"other\",status=\"404\"} 1\n\
         # HELP engross_turns_total Requests to sessions that were accepted, repeated ones left out.\n\
         # TYPE engross_turns_total counter\n\
         engross_turns_total 3\n\
         # HELP engross_model_input_tokens_total Tokens of models, as they count them.\n\
         # TYPE engross_model_input_tokens_total counter\n\
         engross_model_input_tokens_total 0\n\
         # HELP engross_model_output_tokens_total Tokens of models, as they count them.\n\
         # TYPE engross_model_output_tokens_total counter\n\
         engross_model_output_tokens_total 0\n\
         # HELP engross_turns_running Turns that run now.\n\
         # TYPE engross_turns_running gauge\n\
         engross_turns_running 0\n\
         # HELP engross_requests_waiting Requests that wait for their session.\n\
         # TYPE engross_requests_waiting gauge\n\
         engross_requests_waiting 0\n\
         # HELP engross_turns_waiting Turns that wait for a place to work.\n\
         # TYPE engross_turns_waiting gauge\n\
         engross_turns_waiting 0\n\
         # HELP engross_open_streams Event streams that are open.\n\
         # TYPE engross_open_streams gauge\n\
         engross_open_streams 0\n\
         # HELP engross_answer_errors_total Answers that failed, by code.\n\
         # TYPE engross_answer_errors_total counter\n\
         engross_answer_errors_total{code=\"MODEL_TIMEOUT\"} 1\n"
    );
}

#[tokio::test]
async fn wrong_paths_and_methods() {
    let (_, app) = plain();
    for path in ["//", "/v1", "/v1/chat", "/v1/chat/completions/"] {
        assert_eq!(
            get(&app, path, &[]).await.error(),
            (404, "ROUTE_NOT_FOUND".to_owned(), "not_found_error".to_owned())
        );
    }
    for (method, path, allowed) in [
        (Method::GET, CHAT, "POST"),
        (Method::DELETE, "/v1/responses", "POST"),
        (Method::POST, "/v1/models", "GET,HEAD"),
        (Method::PUT, "/healthz", "GET,HEAD"),
    ] {
        let got = send(&app, method, path, &[], Body::empty()).await;
        assert_eq!(got.error(), (405, "METHOD_NOT_ALLOWED".to_owned(), "invalid_request_error".to_owned()));
        assert_eq!(got.header("allow").as_deref(), Some(allowed), "{path}");
    }
}

#[tokio::test]
async fn bad_bodies_name_the_field() {
    let (fake, app) = plain();
    let got = post(&app, CHAT, &[("content-type", "text/plain")], r#"{"messages":[{"role":7}]}"#).await;
    assert_eq!(
        (got.status, got.json()),
        (
            400,
            json!({"error": {
                "code": "INVALID_REQUEST", "message": "`messages[0].role` must be a string, not a number.",
                "type": "invalid_request_error", "details": {"field": "messages[0].role"}, "param": "messages[0].role",
            }})
        )
    );
    assert_eq!(fake.submitted(), []);
}

#[tokio::test]
async fn a_token_is_needed_everywhere_but_for_health() {
    let (fake, app) = with(|server| server.access.token = Some(Token::new("s3cret")));
    for path in ["/v1/models", "/metrics", "/nowhere", CHAT] {
        let got = get(&app, path, &[("authorization", "Bearer wrong")]).await;
        assert_eq!(got.error(), (401, "UNAUTHORIZED".to_owned(), "unauthorized".to_owned()));
        assert_eq!(got.header("www-authenticate").as_deref(), Some("Bearer"));
        assert!(got.header("x-request-id").is_some());
    }
    fake.answer(text("ok"));
    assert_eq!(post(&app, CHAT, &[("authorization", "Bearer s3cret")], HI).await.status, 200);
}

#[tokio::test]
async fn pages_on_this_machine_and_listed_ones_may_call() {
    let (fake, app) = with(|server| {
        server.access = Access { origins: vec!["https://word.example".to_owned()], ..Access::default() };
    });
    for origin in ["http://localhost:3000", "https://127.0.0.1:8443", "https://word.example"] {
        let ask = [
            ("origin", origin),
            ("access-control-request-method", "POST"),
            ("access-control-request-headers", "authorization,x-openclaw-session-key"),
            ("access-control-request-private-network", "true"),
        ];
        let got = send(&app, Method::OPTIONS, CHAT, &ask, Body::empty()).await;
        assert_eq!(got.status, 200);
        for (name, value) in [
            ("access-control-allow-origin", origin),
            ("access-control-allow-methods", "GET,HEAD,POST,PUT,PATCH,DELETE"),
            ("access-control-allow-headers", "authorization,x-openclaw-session-key"),
            ("access-control-allow-private-network", "true"),
        ] {
            assert_eq!(got.header(name).as_deref(), Some(value), "{origin}: {name}");
        }
        fake.answer(text("ok"));
        let got = post(&app, CHAT, &[("origin", origin)], HI).await;
        assert_eq!((got.status, got.header("access-control-allow-origin").as_deref()), (200, Some(origin)));
        let exposed = got.header("access-control-expose-headers").unwrap();
        for name in [
            "x-openclaw-session-key",
            "x-engross-session-id",
            "x-engross-turn",
            "x-request-id",
            "retry-after",
        ] {
            assert!(exposed.split(',').any(|exposed| exposed == name), "{name} in {exposed}");
        }
    }
    for origin in ["https://evil.example", "null"] {
        let got = post(&app, CHAT, &[("origin", origin)], HI).await;
        assert_eq!(got.error(), (403, "ORIGIN_NOT_ALLOWED".to_owned(), "permission_error".to_owned()));
        assert_eq!(got.header("access-control-allow-origin"), None);
    }
    fake.submitted().clear();
    let got = post(&app, CHAT, &[("origin", "http://localhost")], "{").await;
    assert_eq!(
        got.header("access-control-allow-origin").as_deref(),
        Some("http://localhost"),
        "errors can be read too"
    );
}

#[tokio::test]
async fn bodies_are_bounded() {
    let (fake, app) = with(|server| server.limits = Limits { body: 100, ..Limits::default() });
    let fits = format!("{HI:<100}");
    let too_large = format!("{HI:<101}");
    fake.answer(text("ok"));
    assert_eq!(send(&app, Method::POST, CHAT, &[], fits).await.status, 200);
    let got = send(&app, Method::POST, CHAT, &[], too_large).await;
    assert_eq!(got.error(), (413, "BODY_TOO_LARGE".to_owned(), "invalid_request_error".to_owned()));
    assert_eq!(got.json()["error"]["details"], json!({"limit": 100}));
}
