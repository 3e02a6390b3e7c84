//! Pictures, PDF files and sound: what the provider received of them, and what was refused before it was asked.

use axum::http::Method;
use serde_json::{Value, json};

use super::whole::{Whole, calls, functions, said, user, whole, whole_of};
use crate::testing::client::send;

const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=";
const GIF: &str = "R0lGODlhAQABAAAAACw=";
const PDF: &str = "JVBERi0xLjcK";
const WAV: &str = "UklGRiQAAABXQVZFZm10IA==";
const URL: &str = "https://pictures.example/a.png";

fn picture() -> Value {
    // Clients that call every picture a JPEG are common, and providers refuse what is none.
    json!({"type": "image_url", "image_url": {"url": format!("data:image/jpeg;base64,{PNG}"), "detail": "low"}})
}

fn picture_at(url: &str) -> Value {
    json!({"type": "image_url", "image_url": {"url": url}})
}

fn pdf() -> Value {
    json!({"type": "file", "file": {"filename": "nda.pdf", "file_data": format!("data:application/pdf;base64,{PDF}")}})
}

fn sound() -> Value {
    json!({"type": "input_audio", "input_audio": {"data": WAV, "format": "mp3"}})
}

fn says(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

fn of_user(parts: &[Value]) -> Value {
    json!({"messages": [{"role": "user", "content": parts}]})
}

/// What the provider was told in its last message.
fn told(whole: &Whole) -> Value {
    let body = whole.asked().pop().unwrap().body;
    let list = if body["contents"].is_array() { &body["contents"] } else { &body["messages"] };
    let last = list.as_array().unwrap().last().unwrap();
    if last["parts"].is_array() { last["parts"].clone() } else { last["content"].clone() }
}

/// Each provider gets each in its own form, in the order of the message, or the request is refused by name.
#[tokio::test]
async fn each_provider_gets_its_own_form_or_is_never_asked() {
    let sent = [says("First:"), picture(), says("Which is it?")];
    let in_chat = json!([says("First:"),
        {"type": "image_url", "image_url": {"url": format!("data:image/png;base64,{PNG}"), "detail": "low"}}, says("Which is it?")]);
    let cases = [
        ("openai", in_chat.clone()),
        ("compatible", in_chat),
        (
            "anthropic",
            json!([says("First:"), {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}},
                says("Which is it?")]),
        ),
        (
            "gemini",
            json!([{"text": "First:"}, {"inlineData": {"mimeType": "image/png", "data": PNG}}, {"text": "Which is it?"}]),
        ),
    ];
    for (provider, wanted) in cases {
        let whole = whole_of(provider, json!({"default": {"text": "A point."}}));
        assert_eq!(said(&whole.chat(of_user(&sent)).await), "A point.", "{provider}");
        assert_eq!(told(&whole), wanted, "{provider}");
    }
    let document = json!({"type": "document", "title": "nda.pdf",
        "source": {"type": "base64", "media_type": "application/pdf", "data": PDF}});
    let others = [
        ("openai", pdf(), Some(pdf())),
        ("compatible", pdf(), None),
        ("anthropic", pdf(), Some(document.clone())),
        (
            "anthropic",
            document,
            Some(json!({"type": "document", "title": "nda.pdf",
            "source": {"type": "base64", "media_type": "application/pdf", "data": PDF}})),
        ),
        ("gemini", pdf(), Some(json!({"inlineData": {"mimeType": "application/pdf", "data": PDF}}))),
        (
            "openai",
            sound(),
            Some(json!({"type": "input_audio", "input_audio": {"data": WAV, "format": "wav"}})),
        ),
        (
            "compatible",
            sound(),
            Some(json!({"type": "input_audio", "input_audio": {"data": WAV, "format": "wav"}})),
        ),
        ("anthropic", sound(), None),
        ("gemini", sound(), Some(json!({"inlineData": {"mimeType": "audio/wav", "data": WAV}}))),
        ("openai", picture_at(URL), Some(picture_at(URL))),
        ("anthropic", picture_at(URL), Some(json!({"type": "image", "source": {"type": "url", "url": URL}}))),
        ("gemini", picture_at(URL), None),
        ("compatible", picture_at(URL), None),
        ("gemini", picture_at(&format!("data:image/png;base64,{GIF}")), None),
    ];
    for (provider, part, wanted) in others {
        let whole = whole_of(provider, json!({"default": {"text": "Yes."}}));
        let got = whole.chat(of_user(&[says("See"), part.clone()])).await;
        match wanted {
            Some(wanted) => {
                assert_eq!(said(&got), "Yes.", "{provider} {part}");
                assert_eq!(
                    told(&whole),
                    json!([if provider == "gemini" { json!({"text": "See"}) } else { says("See") }, wanted]),
                    "{provider}"
                );
            }
            None => {
                assert_eq!(got.status, 400, "{provider} {part}: {}", got.text);
                assert_eq!(got.json()["error"]["param"], "messages[0].content[1]", "{provider} {part}");
                assert_eq!(
                    (whole.asked().len(), whole.sessions().await),
                    (0, 0),
                    "{provider}: nothing was asked or stored"
                );
            }
        }
    }
}

/// A tool that takes a picture of the screen: its result holds one, and a picture alone is a message.
#[tokio::test]
async fn results_of_tools_carry_pictures_too() {
    let script = || {
        json!({"turns": [
            {"when": {"last_role": "user", "contains": "look"}, "times": 1, "tool_calls": [{"name": "screenshot", "arguments": {}}]},
        ], "default": {"text": "A desk."}})
    };
    let shown = json!([says("Here:"), picture()]);
    for provider in ["compatible", "anthropic", "gemini"] {
        let whole = whole_of(provider, script());
        let asked =
            whole.chat(json!({"messages": [user("look")], "tools": functions(&["screenshot"])})).await;
        let (id, _) = calls(&asked).remove(0);
        let result = json!({"role": "tool", "tool_call_id": id, "content": shown});
        assert_eq!(said(&whole.chat(json!({"messages": [result]})).await), "A desk.", "{provider}");
        let told = told(&whole);
        match provider {
            "compatible" => {
                assert_eq!(told[1]["image_url"]["url"], format!("data:image/png;base64,{PNG}"), "{told}");
            }
            "anthropic" => assert_eq!(told[0]["content"][1]["source"]["data"], PNG, "{told}"),
            _ => assert_eq!(told[1]["inlineData"]["data"], PNG, "{told}"),
        }
        let session = whole.session().await;
        let shown = &session["messages"][2];
        assert_eq!(
            shown["attachments"],
            json!([{"kind": "picture", "media_type": "image/png", "bytes": 68}]),
            "{shown}"
        );
        assert!(!session.to_string().contains("iVBOR"), "a session shows what there is, not its bytes");
    }
}

/// The forms of Responses and of MCP mean the same.
#[tokio::test]
async fn responses_and_mcp_forms_are_read() {
    let url = format!("data:image/png;base64,{PNG}");
    let forms = [
        json!({"type": "input_image", "image_url": url, "detail": "auto"}),
        json!({"type": "image", "data": PNG, "mimeType": "image/png"}),
        json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}}),
        json!({"type": "input_file", "filename": "a.png", "file_data": url}),
    ];
    for form in forms {
        let whole = whole(json!({"default": {"text": "Yes."}}));
        let body =
            json!({"input": [{"role": "user", "content": [{"type": "input_text", "text": "See"}, form]}]});
        let got = send(&whole.app, Method::POST, "/v1/responses", &[], body.to_string()).await;
        assert_eq!(got.status, 200, "{form}: {}", got.text);
        assert_eq!(told(&whole)[1]["image_url"]["url"], url, "{form}");
    }
}

/// A client that keeps the conversation sends the picture with each request: it is stored once, and given each time.
#[tokio::test]
async fn a_history_with_a_picture_is_known_again() {
    let whole = whole(json!({"default": {"text": "A point."}}));
    let first = json!({"role": "user", "content": [says("What?"), picture()]});
    whole.chat(json!({"messages": [first]})).await;
    let history = json!([first, {"role": "assistant", "content": "A point."}, user("Sure?")]);
    assert_eq!(said(&whole.chat(json!({"messages": history})).await), "A point.");
    assert_eq!(whole.roles().await, ["user", "assistant", "user", "assistant"]);
    let asked = whole.asked_messages(1);
    assert_eq!(asked[0]["content"][1]["type"], "image_url", "{asked}");
    assert_eq!(whole.everything_stored().await.matches(PNG).count(), 1);
    // Another picture under the same words is another message.
    let gif = format!("data:image/gif;base64,{GIF}");
    let other = json!({"role": "user", "content": [says("What?"), picture_at(&gif)]});
    whole
        .chat(json!({"messages": [other, {"role": "assistant", "content": "A point."}, user("Sure?")]}))
        .await;
    assert_eq!(whole.asked_messages(2)[0]["content"][1]["image_url"]["url"], gif);
}

/// The same words with another picture are another request, whatever key both have.
#[tokio::test]
async fn a_key_stands_for_the_picture_too() {
    let whole = whole(json!({"default": {"text": "A point."}}));
    let key = [("idempotency-key", "once")];
    let first = of_user(&[says("What?"), picture()]);
    assert_eq!(said(&whole.chat_with(&key, first.clone()).await), "A point.");
    assert_eq!(said(&whole.chat_with(&key, first).await), "A point.");
    let gif = format!("data:image/gif;base64,{GIF}");
    let other = whole.chat_with(&key, of_user(&[says("What?"), picture_at(&gif)])).await;
    assert_eq!(other.error().1, "IDEMPOTENCY_KEY_REUSED");
    assert_eq!(whole.asked().len(), 1);
}

/// What clients send that is none, or stands where none may: refused with its place, and nothing is stored.
#[tokio::test]
async fn broken_parts_are_refused_with_their_place() {
    let whole = whole(json!({"default": {"text": "never"}}));
    let cases = [
        (picture_at("data:image/png;base64,@@@@"), ".image_url", "base64"),
        (picture_at(&format!("data:image/png;base64,{PDF}")), ".image_url", "PDF"),
        (picture_at("file:///etc/passwd"), ".image_url", "https"),
        (picture_at("http://a\u{a0}b"), ".image_url", "https"),
        (json!({"type": "image_url"}), ".image_url", "missing"),
        (json!({"type": "image_url", "image_url": 5}), ".image_url", "string"),
        (json!({"type": "input_image", "file_id": "file-1"}), ".file_id", "provider keeps"),
        (json!({"type": "file", "file": {"file_id": "file-1"}}), ".file.file_id", "provider keeps"),
        (
            json!({"type": "file", "file": {"file_data": "aGVsbG8gd29ybGQ="}}),
            ".file.file_data",
            "first bytes",
        ),
        (json!({"type": "input_audio"}), ".input_audio", "missing"),
        (json!({"type": "video_url", "video_url": {"url": URL}}), "", "as text"),
        (
            json!({"type": "document", "source": {"type": "text", "data": "abc"}}),
            ".source.data",
            "first bytes",
        ),
    ];
    for (part, place, words) in cases {
        let got = whole.chat(of_user(&[says("See"), part.clone()])).await;
        let error = &got.json()["error"];
        assert_eq!(got.status, 400, "{part}: {}", got.text);
        assert_eq!(error["param"], format!("messages[0].content[1]{place}"), "{part}: {error}");
        assert!(error["message"].as_str().unwrap().contains(words), "{part}: {error}");
    }
    let system = json!({"messages": [{"role": "system", "content": [picture()]}, user("Hi")]});
    assert_eq!(whole.chat(system).await.json()["error"]["param"], "messages[0].content");
    assert_eq!((whole.asked().len(), whole.sessions().await), (0, 0));
}

/// What counts is the model that answers, be it chosen by the request or by what the session is set to.
#[tokio::test]
async fn the_model_that_a_session_is_set_to_is_asked_what_it_takes() {
    let whole = whole(json!({"default": {"text": "ok"}}));
    let body = of_user(&[says("look"), picture()]);
    assert_eq!(whole.chat(body.clone()).await.status, 200);
    let settings = r#"{"model":"rules"}"#;
    let got = send(&whole.app, Method::PUT, "/v1/sessions/doc/settings", &[], settings).await;
    assert!(got.status < 300, "{}", got.text);
    let got = whole.chat(body.clone()).await;
    assert_eq!(got.json()["error"]["param"], "messages[0].content[1]", "{}", got.text);
    let got = whole.chat(json!({"messages": [user("hi")], "stop": "END"})).await;
    assert_eq!((got.status, &got.json()["error"]["param"]), (400, &json!("stop")));
    assert_eq!(whole.asked().len(), 1);
    // A session that is not set goes on with the usual one.
    let other = [("x-openclaw-session-key", "other")];
    let got = send(&whole.app, Method::POST, "/v1/chat/completions", &other, body.to_string()).await;
    assert_eq!((got.status, whole.asked().len()), (200, 2), "{}", got.text);
}
