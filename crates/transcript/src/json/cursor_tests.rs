//! The reader against `serde_json`, and what only it notices.

use proptest::prelude::*;

use super::{Cursor, ParseError, StringFindings, SyntaxErrorKind};

fn whole(json: &str) -> Result<StringFindings, ParseError> {
    let mut cursor = Cursor::new(json);
    cursor.skip()?;
    cursor.end()?;
    Ok(cursor.notes)
}

fn wrong(json: &str) -> SyntaxErrorKind {
    whole(json).unwrap_err().wrong
}

#[test]
fn says_what_is_wrong() {
    for (json, expected) in [
        ("", SyntaxErrorKind::Ended),
        ("{\"a\":", SyntaxErrorKind::Ended),
        ("{\"a\":\"te", SyntaxErrorKind::Ended),
        ("[1,", SyntaxErrorKind::Ended),
        ("tru", SyntaxErrorKind::Ended),
        ("1e", SyntaxErrorKind::Ended),
        ("\"\\", SyntaxErrorKind::Ended),
        ("\"\\u12", SyntaxErrorKind::Ended),
        ("[1,]", SyntaxErrorKind::Unexpected),
        ("{\"a\" 1}", SyntaxErrorKind::Unexpected),
        ("{a:1}", SyntaxErrorKind::Unexpected),
        ("[1 2]", SyntaxErrorKind::Unexpected),
        ("[1}", SyntaxErrorKind::Unexpected),
        ("01", SyntaxErrorKind::Unexpected),
        ("1 2", SyntaxErrorKind::Unexpected),
        ("+1", SyntaxErrorKind::Unexpected),
        ("{\"x\":NaN}", SyntaxErrorKind::NotANumber),
        ("[-Infinity]", SyntaxErrorKind::NotANumber),
        ("\"a\tb\"", SyntaxErrorKind::BadString),
        ("\"\\x41\"", SyntaxErrorKind::BadString),
        ("\"\\u12g4\"", SyntaxErrorKind::BadString),
    ] {
        assert_eq!(wrong(json), expected, "{json}");
    }
}

#[test]
fn depth_is_bounded_without_a_stack() {
    let deep = |depth: usize| format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
    assert!(whole(&deep(512)).is_ok());
    assert_eq!(wrong(&deep(513)), SyntaxErrorKind::TooDeep);
    assert_eq!(wrong(&"{\"a\":".repeat(100_000)), SyntaxErrorKind::TooDeep);
}

#[test]
fn notes_what_escapes_hide() {
    let none = StringFindings::default();
    for (json, expected) in [
        (r#""\n\"\\\/\t""#, none),
        (r#""\ud83d\ude00""#, none),
        (r#""\ud83d""#, StringFindings { lone_surrogate: true, ..none }),
        (r#""\ude00""#, StringFindings { lone_surrogate: true, ..none }),
        (r#""\u2028""#, StringFindings { line_separator: true, ..none }),
        (r#""\u0085""#, StringFindings { line_separator: true, ..none }),
        (r#""\u0000""#, StringFindings { control: true, ..none }),
        (r#""\f""#, StringFindings { control: true, ..none }),
    ] {
        assert_eq!(whole(json), Ok(expected), "{json}");
    }
}

fn json() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("{".to_owned()),
        Just("}".to_owned()),
        Just("[".to_owned()),
        Just("]".to_owned()),
        Just(",".to_owned()),
        Just(":".to_owned()),
        Just(" ".to_owned()),
        Just("null".to_owned()),
        Just("-1.5e3".to_owned()),
        Just("\"k\"".to_owned()),
        "[ -~]{0,3}",
        any::<String>().prop_map(|text| serde_json::to_string(&text).unwrap()),
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn takes_what_other_parsers_take(json in json()) {
        let other = serde_json::from_str::<serde::de::IgnoredAny>(&json).is_ok();
        prop_assert_eq!(whole(&json).is_ok(), other);
    }

    #[test]
    fn every_cut_of_an_object_is_noticed(text in any::<String>(), number in any::<i64>(), cut in any::<prop::sample::Index>()) {
        let json = serde_json::json!({"a": [text, number, {"b": null}], "c": true}).to_string();
        let ends: Vec<usize> = json.char_indices().map(|(at, _)| at).collect();
        let end = ends[cut.index(ends.len())];
        prop_assert_eq!(wrong(&json[..end]), SyntaxErrorKind::Ended);
    }
}
