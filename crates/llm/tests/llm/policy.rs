//! Waiting, trying again, and what never leaves this machine.

use std::time::{Duration, Instant};

use engross_llm::{Error, Event, FinishReason, HttpPolicy, ModelSpec, ProviderSettings, open};
use engross_testkit::scripted::ModelServer;
use futures_util::StreamExt;
use serde_json::{Value, json};

use crate::support::{KEY, answer, no_rules, open_on, open_with, question, settings, specs, stream, text};

fn failing(times: u32, fault: Value) -> ModelServer {
    ModelServer::start(json!({"turns": [{"times": times, "fault": fault}], "default": {"text": "a"}}))
}

fn is_whole(answer: &[Result<Event, Error>]) -> bool {
    answer.last() == Some(&Ok(Event::Finish(FinishReason::Stop)))
}

#[tokio::test]
async fn a_busy_provider_is_asked_again() {
    for code in [429, 500, 503, 529] {
        let server = failing(3, json!({"kind": "status", "code": code}));
        assert!(is_whole(&answer(&server, "openai/scripted").await), "{code}");
        assert_eq!(server.requests().len(), 4);
    }
}

#[tokio::test]
async fn after_three_repetitions_it_is_enough() {
    let server = failing(9, json!({"kind": "status", "code": 429}));
    let error =
        Error::RateLimited { provider: "gemini", retry_after: None, message: "scripted failure".to_owned() };
    assert_eq!(answer(&server, "gemini/scripted").await, [Err(error)]);
    assert_eq!(server.requests().len(), 4);

    let server = failing(9, json!({"kind": "status", "code": 503, "retry_after": 0}));
    let error = Error::Unavailable {
        provider: "anthropic",
        retry_after: Some(Duration::ZERO),
        message: "HTTP 503: scripted failure".to_owned(),
    };
    assert_eq!(answer(&server, "anthropic/scripted").await, [Err(error)]);
    assert_eq!(server.requests().len(), 4);
}

#[tokio::test]
async fn the_provider_says_how_long_to_wait() {
    let server = failing(1, json!({"kind": "status", "code": 429, "retry_after": 1}));
    let begin = Instant::now();
    assert!(is_whole(&answer(&server, "openai/scripted").await));
    assert!(begin.elapsed() >= Duration::from_secs(1));
}

#[tokio::test]
async fn a_wait_beyond_the_limit_fails_at_once() {
    let server = failing(1, json!({"kind": "status", "code": 429, "retry_after": 61}));
    let wait = Some(Duration::from_secs(61));
    let error =
        Error::RateLimited { provider: "openai", retry_after: wait, message: "scripted failure".to_owned() };
    assert_eq!(answer(&server, "openai/scripted").await, [Err(error)]);
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn an_answer_that_has_begun_is_never_repeated() {
    for kind in ["truncate", "disconnect", "error_event", "bad_sse"] {
        let server = failing(9, json!({"kind": kind, "after": 0}));
        for spec in specs(&server.url()) {
            assert!(!is_whole(&answer(&server, &spec).await));
        }
        assert_eq!(server.requests().len(), 5, "{kind}");
    }
}

#[tokio::test]
async fn a_server_that_is_not_there_is_unavailable() {
    let url = ModelServer::start(json!({})).url();
    let model = open_with("ollama/scripted", &settings(&url));
    let answer = stream(&model, question("go")).await;
    let [Err(Error::Unavailable { provider: "ollama", retry_after: None, message })] = &answer[..] else {
        panic!("{answer:?}");
    };
    assert!(message.starts_with(&format!("{url} cannot be reached: Connection refused")), "{message}");
}

#[tokio::test]
async fn silence_is_a_timeout() {
    let turn = json!({"text": "a b c", "fault": {"kind": "hang", "after": 1}});
    let server = ModelServer::start(json!({"turns": [], "default": turn}));
    let waited = Duration::from_millis(100);
    let mut settings = settings(&server.url());
    settings.policy.idle_timeout = waited;
    let model = open_with("openai/scripted", &settings);
    let error = Err(Error::Timeout { provider: "openai", waited });
    assert_eq!(stream(&model, question("go")).await, [text("a"), error.clone()]);

    let late = json!({"turns": [], "default": {"text": "a", "first_delay_ms": 5000}});
    let server = ModelServer::start(late);
    settings.openai_base_url = Some(format!("{}/v1", server.url()));
    let model = open_with("openai/scripted", &settings);
    assert_eq!(stream(&model, question("go")).await, [error]);
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn an_endless_answer_is_too_large() {
    let server = ModelServer::start(json!({"turns": [], "default": {"text": "word ".repeat(100)}}));
    let mut settings = settings(&server.url());
    settings.policy.answer_bytes = 2000;
    let model = open_with("openai/scripted", &settings);
    let error = Error::TooLarge { what: "bytes", limit: 2000 };
    assert_eq!(stream(&model, question("go")).await.pop(), Some(Err(error)));
}

#[tokio::test]
async fn dropping_the_stream_closes_the_connection() {
    let turn = json!({"text": "a b c", "fault": {"kind": "hang", "after": 1}});
    let server = ModelServer::start(json!({"turns": [], "default": turn}));
    for (number, spec) in specs(&server.url()).into_iter().enumerate() {
        let model = open_on(&server, &spec);
        let mut answer = model.answer(question("go"));
        assert_eq!(answer.next().await, Some(text("a")));
        drop(answer);
        let deadline = Instant::now() + Duration::from_secs(5);
        while server.hang_ups() <= number && Instant::now() < deadline {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        assert_eq!(server.hang_ups(), number + 1, "{spec}");
    }
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let elsewhere = ModelServer::start(json!({}));
    let location = format!("{}/v1/chat/completions", elsewhere.url());
    let server = failing(9, json!({"kind": "status", "code": 307, "location": location}));
    let message = format!("it redirects to {location}, which is not followed");
    let error = Error::BadRequest { provider: "openai", status: 307, message };
    assert_eq!(answer(&server, "openai/scripted").await, [Err(error)]);
    assert_eq!(elsewhere.requests(), []);
}

#[tokio::test]
async fn the_key_is_sent_and_never_shown() {
    let refusal = json!({"kind": "status", "code": 401, "message": format!("bad key {KEY}, \u{7}really")});
    let server = failing(9, refusal);
    for (spec, header) in specs(&server.url()).into_iter().zip([
        Some(("authorization", format!("Bearer {KEY}"))),
        Some(("x-api-key", KEY.to_owned())),
        Some(("x-goog-api-key", KEY.to_owned())),
        None,
        Some(("authorization", format!("Bearer {KEY}"))),
    ]) {
        let error = answer(&server, &spec).await.pop().unwrap().unwrap_err();
        let request = server.requests().pop().unwrap();
        let carriers: Vec<(&str, String)> = request
            .headers
            .iter()
            .filter(|(_, value)| value.contains(KEY))
            .map(|(name, value)| (name.as_str(), value.clone()))
            .collect();
        assert_eq!(carriers, Vec::from_iter(header.clone()), "{spec}");
        assert!(!request.path.contains(KEY) && !request.body.to_string().contains(KEY));
        assert!(!format!("{:?}", settings(&server.url())).contains(KEY));
        if header.is_some() {
            assert!(!format!("{error} {error:?}").contains(KEY), "{error}");
            assert!(error.to_string().contains("bad key [key],  really"), "{error}");
        }
    }
}

#[test]
fn keys_are_asked_for_by_name() {
    for (spec, variable) in
        [("openai/a", "OPENAI_API_KEY"), ("anthropic/a", "ANTHROPIC_API_KEY"), ("gemini/a", "GEMINI_API_KEY")]
    {
        let parsed: ModelSpec = spec.parse().unwrap();
        let settings = ProviderSettings { policy: HttpPolicy::default(), ..ProviderSettings::default() };
        let error = open(&parsed, &settings, no_rules, |_| Err(Error::Truncated)).err().unwrap();
        let provider = spec.split('/').next().unwrap();
        let message =
            format!("{provider} needs an API key: {variable} is not set; set it, or choose another model");
        assert_eq!((error.code(), error.to_string()), ("MODEL_KEY_MISSING", message));
    }
}
