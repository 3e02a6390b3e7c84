//! Tests of [`super::format`].

use super::format::Script;
use crate::Error;

#[test]
fn what_is_wrong_has_a_place() {
    for (text, line, column, message) in [
        ("", 1, 0, "EOF while parsing a value"),
        ("{\n  \"turns\": [}", 2, 13, "expected value"),
        ("{} x", 1, 4, "trailing characters"),
        ("{\"turns\": [{\"txt\": \"a\"}]}", 1, 17, "unknown field `txt`"),
        ("{\"turns\": [{\"when\": {\"contain\": \"a\"}}]}", 1, 30, "unknown field `contain`"),
        ("{\"turns\": [{\n\"when\": {\"model\": \"(\"}}]}", 2, 22, "'model' is not a regular expression"),
        ("{\"turns\": [{\"when\": {\"last_role\": \"me\"}}]}", 1, 38, "unknown variant `me`"),
        ("{\"turns\": [{\"tool_calls\": [{}]}]}", 1, 29, "missing field `name`"),
        ("{\"turns\": [{\"fault\": {\"kind\": \"explode\"}}]}", 1, 39, "unknown variant `explode`"),
        ("{\"turns\": [{\"times\": -1}]}", 1, 23, "invalid value: integer `-1`"),
        ("[1]", 1, 2, "invalid type: integer `1`"),
    ] {
        let Err(Error::ScriptInvalid { file, line: l, column: c, message: m }) =
            Script::parse("s.json", text)
        else {
            panic!("{text}");
        };
        assert_eq!((file.as_str(), l, c), ("s.json", line, column), "{text}: {m}");
        assert!(m.starts_with(message) && !m.contains(" at line "), "{m}");
    }
}

#[test]
fn deep_nesting_is_an_error() {
    let text =
        format!("{{\"turns\": [{{\"tool_calls\": [{{\"name\": \"a\", \"args\": {}1", "[".repeat(100_000));
    assert!(Script::parse("s.json", &text).is_err());
}

#[test]
fn defaults() {
    let script = Script::parse("s.json", r#"{"turns": [{"fault": {"kind": "status"}}]}"#).unwrap();
    let fault = script.turns[0].fault.as_ref().unwrap();
    assert_eq!((script.turns[0].times, fault.after, fault.code, fault.seconds), (1, 2, 500, 3600));
    assert_eq!((script.default.text.as_str(), script.default.times), ("ok", 0));
}
