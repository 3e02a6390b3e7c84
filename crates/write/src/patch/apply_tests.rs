//! Patches against what they must give.

use std::time::Instant;

use proptest::prelude::*;

use super::{PatchError, PatchSpec, apply};

fn spec(text: &str) -> PatchSpec {
    serde_json::from_str(text).unwrap()
}

fn patched(base: &str, body: &str, text: &str) -> Result<String, PatchError> {
    apply(base.as_bytes(), body.as_bytes(), &spec(text)).map(|bytes| String::from_utf8(bytes).unwrap())
}

#[test]
fn bodies_go_where_they_are_sent() {
    let cases = [
        ("a\nb\n", "x\n", r#"{"type":"insert_after_line","line":1}"#, "a\nx\nb\n"),
        ("a\nb\n", "x\n", r#"{"type":"insert_after_line","line":0}"#, "x\na\nb\n"),
        ("a\nb", "x\n", r#"{"type":"insert_after_line","line":2}"#, "a\nb\nx\n"),
        ("a\nb\n", "x", r#"{"type":"insert_before_line","line":2}"#, "a\nx\nb\n"),
        ("a\nb\n", "x\n", r#"{"type":"insert_before_line","line":3}"#, "a\nb\nx\n"),
        ("a\nb\nc\n", "x\ny\n", r#"{"type":"replace_lines","start_line":2,"end_line":2}"#, "a\nx\ny\nc\n"),
        ("a\nb\nc\n", "", r#"{"type":"replace_lines","start_line":1,"end_line":2}"#, "c\n"),
        ("a\nb\nc", "x\n", r#"{"type":"replace_lines","start_line":3,"end_line":3}"#, "a\nb\nx\n"),
        ("", "x\n", r#"{"type":"prepend"}"#, "x\n"),
        ("a\r\nb\r\n", "x\ny\n", r#"{"type":"prepend"}"#, "x\r\ny\r\na\r\nb\r\n"),
        ("a\nb\n", "x\r\n", r#"{"type":"prepend"}"#, "x\na\nb\n"),
        ("one two\n", "2\n", r#"{"type":"replace_text","find":"two"}"#, "one 2\n"),
        ("one\r\ntwo\r\n", "x\ny\n", r#"{"type":"replace_text","find":"one\ntwo\n"}"#, "x\r\ny\r\n"),
        ("a1 b\n", "$1\n", r#"{"type":"replace_pattern","pattern":"[A-Z]\\d","flags":"i"}"#, "$1 b\n"),
        ("a1 b2\n", "x\n", r#"{"type":"replace_pattern","pattern":"\\d","flags":"g"}"#, "ax bx\n"),
    ];
    for (base, body, text, expected) in cases {
        assert_eq!(patched(base, body, text).as_deref(), Ok(expected), "{base:?} {text}");
    }
}

#[test]
fn case_78_a_place_that_is_not_clear_is_refused() {
    let cases = [
        ("a\n", r#"{"type":"replace_text","find":"b"}"#, "PATCH_NO_MATCH"),
        ("a\na\n", r#"{"type":"replace_text","find":"a"}"#, "PATCH_AMBIGUOUS"),
        ("a\n", r#"{"type":"replace_text","find":""}"#, "PATCH_INVALID"),
        ("a\n", r#"{"type":"replace_lines","start_line":2,"end_line":1}"#, "PATCH_INVALID"),
        ("a\n", r#"{"type":"replace_lines","start_line":0,"end_line":1}"#, "PATCH_INVALID"),
        ("a\n", r#"{"type":"insert_after_line","line":2}"#, "PATCH_INVALID"),
        ("a\n", r#"{"type":"insert_before_line","line":0}"#, "PATCH_INVALID"),
        ("a\n", r#"{"type":"replace_pattern","pattern":"("}"#, "PATCH_INVALID"),
        ("a\n", r#"{"type":"replace_pattern","pattern":"a","flags":"q"}"#, "PATCH_INVALID"),
        ("a\n", r#"{"type":"replace_pattern","pattern":"x*"}"#, "PATCH_INVALID"),
        ("a\n", r#"{"type":"replace_pattern","pattern":"((a{999}){999}){999}"}"#, "PATCH_INVALID"),
        ("a\n", r#"{"type":"replace_pattern","pattern":"b"}"#, "PATCH_NO_MATCH"),
        ("aa\n", r#"{"type":"replace_pattern","pattern":"a"}"#, "PATCH_AMBIGUOUS"),
    ];
    for (base, text, code) in cases {
        assert_eq!(patched(base, "x\n", text).map_err(|error| error.row().name), Err(code), "{text}");
    }
    let several = PatchError::Ambiguous { what: "'aa'".to_owned(), count: 3, lines: vec![1, 1, 3] };
    assert_eq!(patched("aaa\n\naa\n", "x", r#"{"type":"replace_text","find":"aa"}"#), Err(several));
}

#[test]
fn case_78_no_pattern_takes_long() {
    let base = "a".repeat(100_000);
    let start = Instant::now();
    let result = patched(&base, "x", r#"{"type":"replace_pattern","pattern":"(a+)+b"}"#);
    assert_eq!(result.map_err(|error| error.row().name), Err("PATCH_NO_MATCH"));
    assert!(start.elapsed().as_secs() < 5);
}

proptest! {
    #[test]
    fn what_is_not_named_stays(lines in prop::collection::vec("[a-c]{0,3}", 1..8), body in "[x\n]{0,6}", from: prop::sample::Index, count: prop::sample::Index) {
        let base = lines.iter().map(|line| format!("{line}\n")).collect::<String>();
        let start = from.index(lines.len());
        let end = start + count.index(lines.len() - start);
        let text = format!(r#"{{"type":"replace_lines","start_line":{},"end_line":{}}}"#, start + 1, end + 1);
        let got = patched(&base, &body, &text).unwrap();
        let before: String = lines[..start].iter().map(|line| format!("{line}\n")).collect();
        let after: String = lines[end + 1..].iter().map(|line| format!("{line}\n")).collect();
        let joint = if body.is_empty() || body.ends_with('\n') || after.is_empty() { "" } else { "\n" };
        prop_assert_eq!(got, format!("{before}{body}{joint}{after}"));
    }
}
