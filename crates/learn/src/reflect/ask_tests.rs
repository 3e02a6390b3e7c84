//! Objects among words.

use serde_json::json;

use super::ask::object;

#[test]
fn an_object_is_found_among_words() {
    for text in [
        "{\"a\":{\"b\":1}}",
        "Sure!\n```json\n{\"a\":{\"b\":1}}\n```\nDone {x}",
        "Using {braces}: {\"a\":{\"b\":1}} end",
    ] {
        assert_eq!(object(text).unwrap(), json!({"a": {"b": 1}}), "{text}");
    }
    for text in ["", "no", "[1]", "{\"a\":", "{a:1}"] {
        assert!(object(text).is_err(), "{text}");
    }
}
