//! Tests of [`super::gemini`]: what the whole-answer tests do not show.

use super::Gemini;
use super::decoding_tests::{arguments, decode, failed, text};
use crate::{Error, Event, FinishReason, Request};

fn read(data: &[&str]) -> Result<(Vec<Event>, Option<FinishReason>), Error> {
    decode(&Gemini::default(), &Request::default(), data)
}

fn finish(reason: &str) -> String {
    format!(r#"{{"candidates":[{{"finishReason":"{reason}"}}]}}"#)
}

#[test]
fn reasons_to_stop() {
    for (reason, expected) in [
        ("STOP", Ok(Some(FinishReason::Stop))),
        ("MAX_TOKENS", Ok(Some(FinishReason::Length))),
        ("PROHIBITED_CONTENT", Ok(Some(FinishReason::ContentFilter))),
        ("SAFETY", Ok(Some(FinishReason::ContentFilter))),
        ("RECITATION", Ok(Some(FinishReason::Recitation))),
        ("MALFORMED_FUNCTION_CALL", Ok(Some(FinishReason::Other))),
        ("OTHER", Ok(Some(FinishReason::Other))),
        ("", Ok(Some(FinishReason::Other))),
    ] {
        assert_eq!(read(&[&finish(reason)]).map(|(_, finish)| finish), expected);
    }
    assert_eq!(read(&[]), Ok((vec![], None)));
}

#[test]
fn a_refused_prompt_is_filtered() {
    let data = r#"{"promptFeedback":{"blockReason":"SAFETY"}}"#;
    assert_eq!(read(&[data]), Ok((vec![], Some(FinishReason::ContentFilter))));
}

/// Some models say why they stop with each piece.
#[test]
fn the_reason_does_not_end_the_stream() {
    let piece = |text: &str| {
        format!(r#"{{"candidates":[{{"content":{{"parts":[{{"text":"{text}"}}]}},"finishReason":"STOP"}}]}}"#)
    };
    assert_eq!(read(&[&piece("a"), &piece("b")]), Ok((vec![text("a"), text("b")], Some(FinishReason::Stop))));
}

#[test]
fn calls_without_ids_get_their_own() {
    let data = r#"{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f"}},{"functionCall":{"name":"f","args":{"x":1}}}]},"finishReason":"STOP"}]}"#;
    let (events, finish) = read(&[data]).unwrap();
    let ids: Vec<&String> = events
        .iter()
        .filter_map(|event| match event {
            Event::ToolCallStart { id, .. } => Some(id),
            _ => None,
        })
        .collect();
    assert!(ids.len() == 2 && ids[0] != ids[1], "{ids:?}");
    assert_eq!(&events[2..], [arguments(1, r#"{"x":1}"#), arguments(0, "{}")]);
    assert_eq!(finish, Some(FinishReason::ToolCalls));
}

#[test]
fn failures() {
    assert_eq!(read(&[r#"{"error":{"code":500,"message":"broken"}}"#]), Err(failed("broken")));
    for bad in
        ["", "[1]", r#"{"candidates":1}"#, r#"{"candidates":[{"content":{"parts":[{"functionCall":{}}]}}]}"#]
    {
        assert_eq!(read(&[bad]).map_err(|error| error.code()), Err("MODEL_PROTOCOL"), "{bad}");
    }
}
