//! Particulars of any origin become an object that a database takes.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::Details;

fn depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or_default(),
        Value::Object(fields) => 1 + fields.values().map(depth).max().unwrap_or_default(),
        _ => 0,
    }
}

fn check(details: &Details) -> Value {
    let text = details.as_str();
    let value: Value = serde_json::from_str(text).unwrap();
    assert!(value.is_object() && depth(&value) <= 34 && text.len() <= 64 << 10, "{text}");
    assert!(!value.to_string().replace("\\\\", "").contains("\\u0000"), "{text}");
    value
}

#[test]
fn values_become_objects() {
    let cases = [
        (json!("plain"), json!({"message": "plain"})),
        (json!("42"), json!({"message": "42"})),
        (json!(42), json!({"message": 42})),
        (json!([]), json!({"items": []})),
        (json!([1, "a"]), json!({"items": [1, "a"]})),
        (Value::Null, json!({})),
        (json!({"a": null}), json!({"a": null})),
        (json!({"a\u{0}b": "c\u{0}d"}), json!({"a\\u0000b": "c\\u0000d"})),
        (json!({"a": "\\u0000"}), json!({"a": "\\u0000"})),
    ];
    for (given, expected) in cases {
        assert_eq!(check(&Details::from(given.clone())), expected, "{given}");
    }
}

#[test]
fn json_text_of_any_origin() {
    let cases: &[(&[u8], Value)] = &[
        (br#"{"a":"\ud800"}"#, json!({"a": "\\ud800"})),
        (br#"{"a":"\udc00\ud800 x"}"#, json!({"a": "\\udc00\\ud800 x"})),
        (br#"{"a":"\ud83d\ude00"}"#, json!({"a": "\u{1f600}"})),
        (br#"{"a":"\\ud800"}"#, json!({"a": "\\ud800"})),
        (br#"{"\uDFFF":1}"#, json!({"\\uDFFF": 1})),
        (br#"{"a":"\\\ud800"}"#, json!({"a": "\\\\ud800"})),
        (b"{\"a\":\"\xed\xa0\xbd\"}", json!({"a": "\\ud83d"})),
        (b"{\"a\":\"\xed\xa0\xbd\xed\xb8\x80\"}", json!({"a": "\u{1f600}"})),
        (b"{\"a\":\"\xff\"}", json!({"a": "\u{fffd}"})),
        (br#"{"a":"\u0000"}"#, json!({"a": "\\u0000"})),
        (br#"{"a":NaN}"#, json!({"message": "{\"a\":NaN}"})),
        (b"not \\", json!({"message": "not \\"})),
        (b"\\u\xc3\xa9", json!({"message": "\\u\u{e9}"})),
        (b"", json!({"message": ""})),
    ];
    for (given, expected) in cases {
        assert_eq!(check(&Details::from_json(given)), *expected, "{}", String::from_utf8_lossy(given));
    }
}

#[test]
fn what_is_long_or_deep_is_cut_and_says_so() {
    let long = "é".repeat(1_500);
    let value = check(&Details::from(json!({ "text": long })));
    assert_eq!(value["text"]["bytes"], 3_000);
    assert_eq!(value["text"]["preview"], "é".repeat(1_024));
    assert_eq!(value["text"]["sha256"].as_str().unwrap().len(), 64);
    let mut deep = json!(1);
    for _ in 0..100_000 {
        deep = Value::Array(vec![deep]);
    }
    assert!(check(&Details::from(deep)).to_string().contains("[deeper than 32 levels]"));
    let text = "[".repeat(5_000);
    assert_eq!(check(&Details::from_json(text.as_bytes()))["message"]["bytes"], 5_000);
    let wide: Vec<String> = (0..100).map(|_| "x".repeat(2_000)).collect();
    assert_eq!(check(&Details::from(json!({ "wide": wide })))["bytes"], 9 + 100 * 2_003 - 1 + 2);
}

proptest! {
    #[test]
    fn nothing_is_refused(text in prop::collection::vec(any::<u8>(), 0..200), tail in "(\\\\|u|d8|DC|00|\"|\\PC){0,40}") {
        check(&Details::from_json(&text));
        check(&Details::from_json(tail.as_bytes()));
        check(&Details::from_json(format!("{{\"a\":\"{tail}\"}}").as_bytes()));
    }
}
