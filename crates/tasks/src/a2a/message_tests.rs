//! What a message of a client asks for.

use serde_json::{Value, json};

use super::message::Message;

fn read(params: Value) -> Result<Message, i64> {
    let Value::Object(params) = params else { panic!("parameters are an object") };
    Message::of(&params).map_err(|error| error.body()["code"].as_i64().unwrap())
}

#[test]
fn words_data_and_files_are_taken_and_an_address_is_not_followed() {
    let message = read(json!({
        "metadata": { "provider": "codex", "model": "m" },
        "message": { "messageId": "1", "contextId": "c", "role": "ROLE_USER", "metadata": { "model": "n" }, "parts": [
            { "text": "compare these" }, { "data": { "a": 1 } },
            { "raw": "aGk=", "filename": "a.txt", "mediaType": "text/plain" }, { "raw": "aGk=" },
        ] },
    }))
    .unwrap();
    let fields = Value::Object(message.session("c"));
    assert_eq!(fields["userText"], "compare these\n\n{\"a\":1}");
    assert_eq!(fields["routing"]["explicitProviderId"], "codex");
    assert_eq!(fields["model"], "n");
    assert_eq!(fields["inlineAttachments"][0]["name"], "a.txt");
    assert_eq!(fields["inlineAttachments"][1]["name"], "attachment-2");
    let by_address = json!({ "message": { "messageId": "1", "parts": [{ "url": "http://10.0.0.1/" }] } });
    assert_eq!(read(by_address), Err(-32005));
}

#[test]
fn what_says_nothing_is_refused() {
    for (params, number) in [
        (json!({}), -32602),
        (json!({ "message": {} }), -32602),
        (json!({ "message": { "messageId": "1", "parts": [] } }), -32602),
        (json!({ "message": { "messageId": "1", "parts": [{ "text": "  " }] } }), -32602),
        (json!({ "message": { "messageId": "1", "parts": [{ "kind": "text" }] } }), -32005),
        (json!({ "message": { "parts": [{ "text": "a" }] } }), -32602),
        (
            json!({ "message": { "messageId": "1", "role": "ROLE_AGENT", "parts": [{ "text": "a" }] } }),
            -32602,
        ),
        (json!({ "message": { "messageId": "x".repeat(300), "parts": [{ "text": "a" }] } }), -32602),
    ] {
        assert_eq!(read(params.clone()), Err(number), "{params}");
    }
}
