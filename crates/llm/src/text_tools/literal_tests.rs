//! Values as models print them.

use serde_json::json;

use super::literal::{LiteralReader, NoValue};

fn read(text: &str) -> Result<serde_json::Value, NoValue> {
    LiteralReader::new(text).value()
}

#[test]
fn json_and_what_resembles_it() {
    for (text, expected) in [
        (
            r#"{"a": [1, -2.5e3, true, null], "b": {"c": "d\n\u00e9\ud83d\ude00"}}"#,
            json!({"a": [1, -2500.0, true, null], "b": {"c": "d\né😀"}}),
        ),
        ("{'a': True, 'b': None,}", json!({"a": true, "b": null})),
        ("[1, 2,]", json!([1, 2])),
        ("\"two\nlines\"", json!("two\nlines")),
        ("'''a 'quoted' word'''", json!("a 'quoted' word")),
        (r#""C:\Users\d""#, json!("C:\\Users\\d")),
    ] {
        assert_eq!(read(text), Ok(expected), "{text}");
    }
}

#[test]
fn what_is_not_whole_or_no_value_is_none() {
    for text in
        ["", "{", "{\"a\"", "{\"a\": ", "{\"a\": 1", "[1,", "\"a", "\"a\\", "\"\\u00", "12", "tru", "'''a''"]
    {
        assert_eq!(read(text), Err(NoValue::More), "{text}");
    }
    for text in ["{a: 1}", "{\"a\" 1}", "[1 2]", "word ", "\"\\uzzzz\"", "}"] {
        assert_eq!(read(text), Err(NoValue::Invalid), "{text}");
    }
    assert_eq!(read(&"[".repeat(100_000)), Err(NoValue::Invalid));
}
