use serde_json::json;

use super::error::GatewayFault;
use super::frame::{Frame, GatewayEvent, GatewayEventKind, Refusal, read};

const LARGEST: usize = 200;

fn seen(message: &str) -> Frame {
    read(message, LARGEST, |run| run == "r")
}

#[test]
fn answers_are_read_in_any_form() {
    let refusal = |code: &str, message: &str| Refusal {
        code: code.to_owned(),
        message: message.to_owned(),
        is_passing: false,
        pairing: None,
    };
    for (message, expected) in [
        (json!({"type":"res","id":"1","ok":true,"payload":{"a":1}}), Ok(json!({"a":1}))),
        (json!({"type":"res","id":"1","ok":true}), Ok(json!(null))),
        (json!({"type":"res","id":"1","ok":true,"payload":[1]}), Ok(json!([1]))),
        (
            json!({"type":"res","id":"1","ok":false,"error":{"code":"X","message":"no\nway"}}),
            Err(refusal("X", "no way")),
        ),
        (
            json!({"type":"res","id":"1","ok":false,"error":{"code":-32601}}),
            Err(refusal("-32601", "it says no more")),
        ),
        (json!({"type":"res","id":"1","ok":false,"error":"plain"}), Err(refusal("", "plain"))),
        (
            json!({"type":"res","id":"1","error":{"code":"Y","message":"m","retryable":true,"details":{"requestId":"p"}}}),
            Err(Refusal { is_passing: true, pairing: Some("p".to_owned()), ..refusal("Y", "m") }),
        ),
    ] {
        assert_eq!(seen(&message.to_string()), Frame::Answer("1".to_owned(), expected), "{message}");
    }
}

#[test]
fn what_is_for_others_or_no_frame_is_left_unread() {
    for message in [
        "",
        "no json",
        "[]",
        "{}",
        r#"{"type":"res","id":7,"ok":true}"#,
        r#"{"type":"event","event":"presence","payload":{"runId":"r"}}"#,
        r#"{"type":"event","event":"tick","payload":{"ts":1}}"#,
        r#"{"type":"event","event":"chat","payload":{"runId":"other","state":"final"}}"#,
        r#"{"type":"event","event":"chat","payload":"r"}"#,
        r#"{"type":"event","event":"chat"}"#,
        r#"{"type":"event","event":"connect.challenge","payload":{}}"#,
        r#"{"type":7,"event":"chat","payload":{"runId":"r"}}"#,
    ] {
        assert_eq!(seen(message), Frame::Other, "{message}");
    }
}

#[test]
fn case_56_huge_work_is_left_out_and_chat_of_any_size_is_not() {
    let event = |name: &str, text: &str| {
        json!({"type":"event","event":name,"payload":{"runId":"r","state":"final","data":text}}).to_string()
    };
    let (small, huge) = (String::new(), "x".repeat(LARGEST));
    let of = |frame| match frame {
        Frame::Event(GatewayEvent { kind, size, .. }) => Some((kind, size)),
        _ => None,
    };
    let length = |name: &str, text: &str| event(name, text).len();
    assert_eq!(of(seen(&event("agent", &small))), Some((GatewayEventKind::Work, length("agent", &small))));
    assert_eq!(of(seen(&event("agent", &huge))), None);
    assert_eq!(of(seen(&event("chat", &huge))), Some((GatewayEventKind::Chat, length("chat", &huge))));
}

#[test]
fn case_81_an_unknown_method_is_one_whatever_its_code() {
    let unknown = |code: &str, message: &str| {
        let (code, message) = (code.to_owned(), message.to_owned());
        GatewayFault::Refused { method: "m", code, message, is_passing: false }.is_unknown_method()
    };
    for (code, message) in [
        ("INVALID_REQUEST", "unknown method: xworkmate.session.prepare"),
        ("", "Unknown Method xworkmate.session.prepare"),
        ("-32601", "no"),
        ("METHOD_NOT_FOUND", "no"),
        ("UNKNOWN_METHOD", ""),
        ("unknown-method", ""),
    ] {
        assert!(unknown(code, message), "{code} {message}");
    }
    for (code, message) in [
        ("INVALID_REQUEST", "openclawSessionKey required"),
        ("CONFLICT", "mapped to another thread"),
        ("UNAVAILABLE", "method is slow"),
        ("-32602", "unknown field"),
    ] {
        assert!(!unknown(code, message), "{code} {message}");
    }
    assert!(!GatewayFault::Closed.is_unknown_method());
}
