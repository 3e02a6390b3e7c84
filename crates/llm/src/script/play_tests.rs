//! Tests of [`super::play`]; what it shares with servers is tested against one in `tests/llm/script.rs`.

use futures_util::{FutureExt, StreamExt};
use serde_json::{Value, json};

use crate::{Error, Event, FinishReason, Model, Request, ScriptModel, Source};

fn play(script: &Value) -> Vec<Result<Event, Error>> {
    let model = ScriptModel::new("s.json", &script.to_string()).unwrap();
    model.answer(Request::default()).collect().now_or_never().unwrap()
}

fn text(text: &str) -> Result<Event, Error> {
    Ok(Event::Text(text.to_owned()))
}

const STOP: Result<Event, Error> = Ok(Event::Finish(FinishReason::Stop));

#[test]
fn text_is_lost_nowhere() {
    for (whole, pieces) in [
        ("", vec![]),
        ("a", vec!["a"]),
        ("  a\n\nb  ", vec!["  a", "\n\nb  "]),
        (" \n ", vec![" \n "]),
        ("\u{a0}世界\u{3000}é ", vec!["\u{a0}世界", "\u{3000}é "]),
    ] {
        let mut expected: Vec<_> = pieces.into_iter().map(text).collect();
        expected.push(STOP);
        assert_eq!(play(&json!({"default": {"text": whole}})), expected);
    }
}

#[test]
fn faults_name_the_script() {
    let play =
        |fault: Value| play(&json!({"default": {"text": "a b", "fault": fault}})).pop().unwrap().unwrap_err();
    assert_eq!(
        play(json!({"kind": "status", "code": 401})).to_string(),
        "the script refused the API key (HTTP 401: scripted failure); check its 'fault'"
    );
    assert_eq!(
        play(json!({"kind": "status", "code": 429, "retry_after": 3})).to_string(),
        "the script refuses more requests for now (HTTP 429: scripted failure); ask again in 3 s"
    );
    assert_eq!(play(json!({"kind": "disconnect"})), Error::Truncated);
    assert_eq!(play(json!({"kind": "hang", "seconds": 0})).code(), "MODEL_TIMEOUT");
}

#[test]
fn turns_for_servers_are_passed_over() {
    let script = json!({"turns": [{"when": {"api": "chat"}, "text": "x"}], "default": {"text": "y"}});
    assert_eq!(play(&script), [text("y"), STOP]);
}

#[test]
fn a_turn_is_used_up_when_the_answer_is_asked_for() {
    let model = ScriptModel::new("s.json", r#"{"turns": [{"text": "first"}, {"text": "second"}]}"#).unwrap();
    drop(model.answer(Request::default()));
    let answer: Vec<_> = model.answer(Request::default()).collect().now_or_never().unwrap();
    assert_eq!(answer, [text("second"), STOP]);
}

#[test]
fn a_script_with_sources_plays_a_model_that_searches() {
    let script = json!({
        "turns": [{"when": {"web_search": true}, "text": "found", "sources": [{"url": "https://a.example/", "title": "A"}]}],
        "default": {"text": "guessed"}
    });
    assert_eq!(play(&script), [text("guessed"), STOP]);
    let model = ScriptModel::new("s.json", &script.to_string()).unwrap();
    let asked = Request { web_search: true, ..Request::default() };
    let answer: Vec<_> = model.answer(asked).collect().now_or_never().unwrap();
    let source = Source { url: "https://a.example/".to_owned(), title: "A".to_owned(), quote: None };
    assert_eq!(answer, [text("found"), Ok(Event::Source(source)), STOP]);
    assert!(model.searches() && !ScriptModel::new("s.json", "{}").unwrap().searches());
}
