//! A provider that fails, and clients that go away: what is told, what is tried again, and what the log says.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::whole::{GRACE, Whole, functions, said, user, whole};

/// Asks once, whole or as a stream: the status and the error, wherever that stands.
async fn fails(whole: &Whole, stream: bool) -> (u16, Value) {
    let got = whole.chat(json!({"messages": [user("go")], "stream": stream})).await;
    if !got.text.starts_with("data:") && !got.text.starts_with("id:") {
        return (got.status, got.json()["error"].clone());
    }
    assert!(got.text.ends_with("data: [DONE]\n\n"), "a stream has an end: {}", got.text);
    let chunks = got.text.lines().filter_map(|line| line.strip_prefix("data: "));
    let error = chunks
        .filter_map(|chunk| serde_json::from_str::<Value>(chunk).ok())
        .find(|chunk| chunk["error"].is_object());
    (got.status, error.unwrap_or_else(|| panic!("no error in {}", got.text))["error"].clone())
}

/// Every fault of a provider: the code, the status before anything was sent, how often it was asked, and that the session
/// goes on. The reference answers 200 with the error as text, or a stream without an end.
#[tokio::test]
async fn case_155_faults_are_typed_and_the_session_goes_on() {
    let status = |code: u16| json!({"fault": {"kind": "status", "code": code}, "times": 0});
    let after = |kind: &str, after: u64| json!({"text": "one two three four", "fault": {"kind": kind, "after": after}, "times": 0});
    let cases: Vec<(&str, Value, &str, u16, usize, bool)> = vec![
        // A fault of the request is not tried again, and neither is a refused key.
        ("400", status(400), "MODEL_BAD_REQUEST", 400, 1, false),
        ("404", status(404), "MODEL_", 0, 1, false),
        ("401", status(401), "MODEL_AUTH", 502, 1, false),
        // What may pass is tried again.
        ("429", status(429), "MODEL_RATE_LIMITED", 429, 4, false),
        ("500", status(500), "MODEL_UNAVAILABLE", 502, 4, false),
        ("503", status(503), "MODEL_UNAVAILABLE", 502, 4, false),
        // Once an answer has begun it is not: the client has heard of it.
        ("cut in mid-stream", after("truncate", 2), "MODEL_TRUNCATED", 502, 1, true),
        ("cut in a chunk", after("cut", 2), "MODEL_", 502, 1, true),
        ("reset", after("disconnect", 2), "MODEL_", 502, 1, true),
        ("error in the stream", after("error_event", 2), "MODEL_STREAM_ERROR", 502, 1, true),
        ("no JSON", after("bad_sse", 2), "MODEL_PROTOCOL", 502, 1, true),
        (
            "silence",
            json!({"text": "one two three", "fault": {"kind": "hang", "after": 2, "seconds": 60}, "times": 0}),
            "MODEL_TIMEOUT",
            504,
            1,
            true,
        ),
        ("nothing", json!({"fault": {"kind": "empty"}, "times": 0}), "MODEL_", 502, 1, false),
    ];
    for (name, turn, code, status, asked, has_text) in cases {
        for stream in [false, true] {
            let mut turn = turn.clone();
            turn["when"] = json!({"contains": "go"});
            let whole = whole(json!({"turns": [turn], "default": {"text": "well again"}}));
            let (got, error) = fails(&whole, stream).await;
            assert!(error["code"].as_str().unwrap().starts_with(code), "{name}: {error}");
            let told_at_once = !stream || !has_text;
            if status > 0 {
                assert_eq!(got, if told_at_once { status } else { 200 }, "{name} {stream}: {error}");
            }
            assert_eq!(whole.asked().len(), asked, "{name}");
            let (kind, ended) = whole.ending().await;
            assert_eq!((kind, &ended), (json!("failed"), &error["code"]), "{name}: the log says the same");
            let log = json!(whole.log().await).to_string();
            assert_eq!(log.contains("one "), has_text, "{name}: what was streamed is kept: {log}");
            assert_eq!(
                said(&whole.chat(json!({"messages": [user("and now?")]})).await),
                "well again",
                "{name}"
            );
            let roles: &[&str] = if has_text {
                &["user", "assistant", "user", "assistant"]
            } else {
                &["user", "user", "assistant"]
            };
            assert_eq!(whole.roles().await, roles, "{name}: what was heard stays");
        }
    }
}

/// A fault that passes is not seen, and what the provider asks to wait is waited for.
#[tokio::test]
async fn case_155_what_passes_is_not_seen() {
    let whole = whole(json!({"turns": [
        {"fault": {"kind": "status", "code": 503}},
        {"fault": {"kind": "status", "code": 429, "retry_after": 1}}
    ], "default": {"text": "there"}}));
    let started = Instant::now();
    assert_eq!(said(&whole.chat(json!({"messages": [user("go")]})).await), "there");
    assert!(started.elapsed() >= Duration::from_secs(1), "{:?}", started.elapsed());
    assert_eq!(whole.asked().len(), 3);
    // A wait that is too long is told instead of waited for.
    let turns = json!([{"fault": {"kind": "status", "code": 429, "retry_after": 600}}]);
    let whole = super::whole::whole(json!({ "turns": turns }));
    let got = whole.chat(json!({"messages": [user("go")]})).await;
    assert_eq!(
        (got.error().1.as_str(), got.header("retry-after").as_deref()),
        ("MODEL_RATE_LIMITED", Some("600"))
    );
    assert_eq!(whole.asked().len(), 1);
}

/// An answer that drips is heard to its end: only silence is given up.
#[tokio::test]
async fn an_answer_that_drips_is_waited_for() {
    let words = "a b c d e f g h i j k l";
    let whole = whole(json!({"turns": [{"text": words, "delay_ms": 60}]}));
    let started = Instant::now();
    assert_eq!(said(&whole.chat(json!({"messages": [user("go")]})).await), words);
    assert!(started.elapsed() > Duration::from_millis(600), "longer than any silence may be");
}

/// Arguments that are no JSON never reach the client: the model is told, and sends them again.
#[tokio::test]
async fn arguments_that_are_no_json_are_the_models_to_mend() {
    let whole = whole(json!({"turns": [
        {"tool_calls": [{"name": "look", "raw_args": "{\"at\": "}]}, {"tool_calls": [{"name": "look", "args": {"at": 1}}]}
    ]}));
    let first = whole.chat(json!({"messages": [user("go")], "tools": functions(&["look"])})).await;
    let call = first.json()["choices"][0]["message"]["tool_calls"][0].clone();
    assert_eq!(call["function"]["arguments"], "{\"at\":1}");
    assert_eq!(whole.roles().await, ["user", "assistant", "tool", "assistant"]);
    assert!(first.header("x-engross-warnings").unwrap().contains("ARGUMENTS_MALFORMED"));
}

fn silent() -> Value {
    json!({"turns": [{"when": {"contains": "go"}, "text": "one two three", "first_delay_ms": 0,
        "fault": {"kind": "hang", "after": 1, "seconds": 60}}], "default": {"text": "well"}})
}

/// The February release goes on for ever when its client is gone; here the turn is stopped, and the provider let go.
#[tokio::test]
async fn a_client_that_goes_away_stops_its_turn_whole_or_streamed() {
    for stream in [false, true] {
        let mut whole = whole(silent());
        let socket = whole.connect(&json!({"messages": [user("go")], "stream": stream})).await;
        whole.wait_for_asked(1).await;
        drop(socket);
        let gone = Instant::now();
        whole.wait_for_hang_ups(1).await;
        assert!(gone.elapsed() < GRACE + Duration::from_secs(2), "{:?}", gone.elapsed());
        let mut ending = whole.ending().await;
        while ending.0.is_null() {
            tokio::time::sleep(Duration::from_millis(5)).await;
            ending = whole.ending().await;
        }
        assert_eq!(ending, (json!("cancelled"), json!("LISTENER_GONE")), "stream: {stream}");
        assert_eq!(said(&whole.chat(json!({"messages": [user("again")]})).await), "well");
    }
}

/// What was asked for in the background is finished, and heard later.
#[tokio::test]
async fn a_background_turn_goes_on_without_its_client() {
    for stream in [false, true] {
        let mut whole = whole(json!({"turns": [{"text": "one two three", "first_delay_ms": 200}]}));
        let body = json!({"messages": [user("go")], "stream": stream, "background": true});
        let socket = whole.connect(&body).await;
        whole.wait_for_asked(1).await;
        drop(socket);
        let events = crate::testing::client::get(&whole.app, "/v1/sessions/doc/events", &[]).await;
        assert!(
            events.text.contains("one") && events.text.contains("\"finish_reason\":\"stop\""),
            "{}",
            events.text
        );
        assert_eq!(whole.ending().await.0["whole"], "stop");
        assert_eq!(whole.asked().len(), 1);
    }
}

/// The one who comes back in time hears the rest: no second question, no lost word.
#[tokio::test]
async fn a_client_that_comes_back_hears_the_same_answer() {
    let mut whole = whole(json!({"turns": [{"text": "one two three", "delay_ms": 15}]}));
    let body = json!({"messages": [user("go")]});
    let socket = whole.connect(&body).await;
    whole.wait_for_asked(1).await;
    drop(socket);
    let events = crate::testing::client::get(&whole.app, "/v1/sessions/doc/events", &[]).await;
    assert!(events.text.contains("\"finish_reason\":\"stop\""), "{}", events.text);
    assert_eq!(
        (whole.asked().len(), whole.session().await["messages"][1]["content"].clone()),
        (1, json!("one two three"))
    );
}
