//! `/v1/sessions/{key}`, and what of a request chooses model and workspace.

use axum::http::Method;
use engross_agent::session::{
    CallSide, OpenCall, SessionName, SessionState, SessionView, Settings, TurnPhase, TurnState,
};
use engross_llm::{Message, ToolCall};
use serde_json::json;

use crate::testing::client::{CHAT, HI, get, plain, post, send};
use crate::testing::fake::{SESSION, text};

fn key(key: &str) -> SessionName {
    SessionName::Named(key.to_owned())
}

#[tokio::test]
async fn a_session_is_shown_with_its_conversation() {
    let (fake, app) = plain();
    let call = ToolCall { id: "c1".to_owned(), name: "read".to_owned(), arguments: "{}".to_owned() };
    let turn = TurnState {
        number: 1,
        phase: TurnPhase::Suspended { deadline: 7 },
        calls: vec![OpenCall {
            call: call.clone(),
            side: CallSide::Client,
            began: false,
            result: None,
            attachments: Vec::new(),
        }],
        asked: 1,
        client_rounds: 1,
        start: 0,
        sent_from: 0,
        system: None,
        parameters: engross_agent::session::Parameters::default(),
        background: false,
        writing: None,
        waiting: Vec::new(),
        partial: String::new(),
    };
    let session = SessionState {
        key: "agent:main:doc".to_owned(),
        messages: vec![
            Message::User { content: "Read it.".to_owned(), attachments: Vec::new() },
            Message::Assistant { content: String::new(), tool_calls: vec![call], thoughts: Vec::new() },
        ],
        turns: 1,
        turn: Some(turn),
        settings: Settings { author: Some("Ada".to_owned()), ..Settings::default() },
        workspace: Some("deal".to_owned()),
        ..SessionState::default()
    };
    fake.show(Ok(SessionView {
        id: SESSION.parse().unwrap(),
        head: 3,
        created: 5_000,
        session,
        runs: false,
    }));
    let call = json!({"id": "c1", "type": "function", "function": {"name": "read", "arguments": "{}"}});
    let expected = json!({
        "id": SESSION, "object": "engross.session", "key": "agent:main:doc", "created": 5, "turns": 1,
        "state": "awaiting_client", "open_calls": [call], "settings": {"author": "Ada"}, "workspace": "deal",
        "messages": [
            {"role": "user", "content": "Read it."},
            {"role": "assistant", "content": "", "tool_calls": [call]},
        ],
    });
    assert_eq!(get(&app, "/v1/sessions/Doc", &[]).await.json(), expected);
}

#[tokio::test]
async fn settings_are_set_all_anew() {
    let (fake, app) = plain();
    let body = r#"{"model":"slow","author":"Ada","redlines":false,"system_prompt":"Be brief.","history_turns":3,"history_tokens":900,"history_summary":true,"max_rounds":2}"#;
    let got = send(&app, Method::PUT, "/v1/sessions/doc/settings", &[], body.to_owned()).await;
    assert_eq!((got.status, got.json()), (200, serde_json::from_str(body).unwrap()));
    let settings = Settings {
        model: Some("slow".to_owned()),
        author: Some("Ada".to_owned()),
        redlines: Some(false),
        system_prompt: Some("Be brief.".to_owned()),
        history_turns: Some(3),
        history_tokens: Some(900),
        history_summary: Some(true),
        max_rounds: Some(2),
    };
    assert_eq!(fake.configured(), [(key("agent:main:doc"), settings)]);
    for (wrong, code) in [
        ("", "INVALID_JSON"),
        ("[]", "INVALID_REQUEST"),
        (r#"{"modle":"slow"}"#, "INVALID_REQUEST"),
        (r#"{"max_rounds":-1}"#, "INVALID_REQUEST"),
    ] {
        let got = send(&app, Method::PUT, "/v1/sessions/doc/settings", &[], wrong.to_owned()).await;
        assert_eq!(got.error(), (400, code.to_owned(), "invalid_request_error".to_owned()), "{wrong}");
    }
    assert!(fake.configured().is_empty());
}

#[tokio::test]
async fn a_turn_is_stopped() {
    let (fake, app) = plain();
    let got = post(&app, "/v1/sessions/doc/cancel", &[], "").await;
    assert_eq!((got.status, got.json()), (200, json!({"cancelled": true})));
    assert_eq!(fake.listened(), [key("agent:main:doc")]);
    assert_eq!(get(&app, "/v1/sessions/doc/cancel", &[]).await.status, 405);
}

#[tokio::test]
async fn model_and_workspace_come_from_headers() {
    let (fake, app) = plain();
    for (headers, body, model, workspace) in [
        (vec![], HI, None, None),
        (vec![("x-engross-model", "slow")], HI, Some("slow"), None),
        (
            vec![("x-openclaw-model", "engross/slow"), ("x-engross-workspace", " deal ")],
            HI,
            Some("slow"),
            Some("deal"),
        ),
        (
            vec![],
            r#"{"model":"engross/slow","messages":[{"role":"user","content":"Hi"}]}"#,
            Some("slow"),
            None,
        ),
    ] {
        fake.answer(text("ok"));
        assert_eq!(post(&app, CHAT, &headers, body).await.status, 200);
        let asked = fake.submitted().remove(0);
        assert_eq!((asked.parameters.model.as_deref(), asked.workspace.as_deref()), (model, workspace));
    }
}
