//! Tests of [`super::refusal`].

use secrecy::SecretString;
use serde_json::json;

use super::refusal::{clean, message_in};

#[test]
fn the_message_is_found() {
    for (value, expected) in [
        (json!({"error": {"message": "a", "code": 1}}), Some("a")),
        (json!({"error": "a"}), Some("a")),
        (json!({"type": "error", "error": {"type": "x", "message": "a"}}), Some("a")),
        (json!([{"error": {"code": 400, "message": "a"}}]), Some("a")),
        (json!({"message": "a"}), Some("a")),
        (json!({"detail": [{"message": "a"}]}), Some("a")),
        (json!({"error": {"code": 1}, "message": "a"}), Some("a")),
        (json!({"error": null}), None),
        (json!([]), None),
        (json!(1), None),
    ] {
        assert_eq!(message_in(&value).as_deref(), expected, "{value}");
    }
}

#[test]
fn text_from_outside_is_made_fit() {
    let key = SecretString::from("abcdef");
    assert_eq!(clean("x abcdefabcdef\r\n\u{1b}[31m", Some(&key)), "x [key][key]   [31m");
    assert_eq!(clean(" \n", None), "it gives no reason");
    assert_eq!(clean("", None), "it gives no reason");
    // A key that is part of ordinary words says nothing.
    assert_eq!(clean("a test", Some(&SecretString::from("t"))), "a test");
}

#[test]
fn length_is_bounded() {
    for text in ["x".repeat(9999), "世".repeat(9999), format!("a{}", "世".repeat(9999))] {
        let cleaned = clean(&text, None);
        assert!((4093..=4096).contains(&cleaned.len()) && text.starts_with(&cleaned));
    }
    let key = "k".repeat(100);
    let cut = format!("{}{key}", "x".repeat(4050));
    assert!(!clean(&cut, Some(&SecretString::from(key))).contains('k'.to_string().repeat(4).as_str()));
}
