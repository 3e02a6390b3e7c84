use agent_client_protocol_schema::v1::{Error, RequestId};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::wire::{Message, answer, notification, parse, request};

#[test]
fn messages_are_told_apart() {
    let table = [
        (r#"{"jsonrpc":"2.0","id":1,"result":null}"#, Message::Answer(RequestId::Number(1), Ok(Value::Null))),
        (
            r#"{"id":"a","error":{"code":-32000,"message":"log in"}}"#,
            Message::Answer(RequestId::Str("a".to_owned()), Err(Error::new(-32000, "log in"))),
        ),
        // Some agents send both members.
        (
            r#"{"id":2,"result":{"a":1},"error":null}"#,
            Message::Answer(RequestId::Number(2), Ok(json!({"a": 1}))),
        ),
        (
            r#"{"id":0,"method":"fs/read_text_file","params":{"path":"/a"}}"#,
            Message::Request {
                id: RequestId::Number(0),
                method: "fs/read_text_file".to_owned(),
                params: json!({"path": "/a"}),
            },
        ),
        (
            r#"{"method":"session/update"}"#,
            Message::Notification { method: "session/update".to_owned(), params: Value::Null },
        ),
    ];
    for (line, message) in table {
        assert_eq!(parse(line.as_bytes()), Ok(message), "{line}");
    }
}

#[test]
fn what_is_no_message_is_refused() {
    let table: &[&[u8]] = &[
        b"",
        b"Loading...",
        b"[1,2]",
        b"{}",
        b"null",
        br#"{"id":1}"#,
        br#"{"id":[1],"result":1}"#,
        br#"{"id":1.5,"result":1}"#,
        br#"{"method":1,"id":1}"#,
        br#"{"id":1,"error":"text"}"#,
        b"\xff\xfe",
    ];
    for line in table {
        assert!(parse(line).is_err(), "{}", String::from_utf8_lossy(line));
    }
    assert!(parse("[".repeat(100_000).as_bytes()).is_err());
}

proptest! {
    #[test]
    fn nothing_makes_it_panic(line in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = parse(&line);
    }

    #[test]
    fn what_is_sent_is_one_line_and_can_be_read(id: i64, text: String) {
        let params = json!({ "text": text });
        let lines = [
            request(id, "m", &params),
            notification("m", &params),
            answer(&RequestId::Str(text.clone()), &Ok(params.clone())),
        ];
        let messages = [
            Message::Request { id: RequestId::Number(id), method: "m".to_owned(), params: params.clone() },
            Message::Notification { method: "m".to_owned(), params: params.clone() },
            Message::Answer(RequestId::Str(text), Ok(params)),
        ];
        for (line, message) in lines.iter().zip(messages) {
            prop_assert_eq!(line.iter().filter(|byte| **byte == b'\n').count(), 1);
            prop_assert_eq!(parse(line), Ok(message));
        }
    }
}
