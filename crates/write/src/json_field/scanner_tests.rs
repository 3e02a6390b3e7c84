//! Whole calls come out as serde reads them; broken ones never come out as whole.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{ArgsError, BoundedText, FieldScanner};

const OTHERS: &[&str] = &["target_file", "operation", "intent", "patch"];

fn scan<'a>(chunks: impl IntoIterator<Item = &'a [u8]>) -> (Vec<u8>, Result<BoundedText, ArgsError>) {
    let mut scanner = FieldScanner::new("content", OTHERS);
    let mut content = Vec::new();
    for chunk in chunks {
        if let Err(error) = scanner.push(chunk, &mut |span| content.extend_from_slice(span)) {
            return (content, Err(error));
        }
    }
    (content, scanner.finish())
}

proptest! {
    #[test]
    fn whole_calls_are_read_as_serde_reads_them(content in any::<String>(), intent in any::<String>(), first: bool, size in 1usize..9) {
        let other = json!({"target_file": "a.md", "intent": intent, "patch": {"a": [1, "}"]}});
        let text = serde_json::to_string(&content).unwrap();
        let others = other.to_string();
        let inner = others.trim_start_matches('{').strip_suffix('}').unwrap();
        let text = if first { format!("{{\"content\" :\n{text}, {inner}}}") } else { format!(" {{{inner},\"content\":{text}}} ") };
        let (decoded, small) = scan(text.as_bytes().chunks(size));
        prop_assert_eq!(String::from_utf8(decoded).unwrap(), content);
        prop_assert_eq!(Value::Object(small.unwrap()), other);
    }

    #[test]
    fn a_cut_call_is_never_whole(content in any::<String>(), at in any::<prop::sample::Index>()) {
        let text = json!({"target_file": "a.md", "content": content}).to_string();
        let at = at.index(text.len());
        let (decoded, result) = scan([&text.as_bytes()[..at]]);
        prop_assert!(content.as_bytes().starts_with(&decoded));
        let known = decoded.len() as u64;
        let begun = at > text.find("\"content\":\"").unwrap() + 10;
        let expected = if begun { ArgsError::Incomplete { at: at as u64, content: known } } else { ArgsError::ContentMissing { at: at as u64 } };
        prop_assert_eq!(result, Err(expected));
    }
}

#[test]
fn escapes_come_out_whole_however_they_are_cut() {
    let text = r#"{"content":"\"\\\/\b\f\n\r\t\u0041\u00e9\ud83d\ude00é😀\u0000"}"#.as_bytes();
    let expected = "\"\\/\u{8}\u{c}\n\r\tAé😀é😀\0".as_bytes();
    for first in 0..text.len() {
        for second in first..text.len() {
            let (content, small) = scan([&text[..first], &text[first..second], &text[second..]]);
            assert_eq!((content.as_slice(), small), (expected, Ok(BoundedText::new())), "{first} {second}");
        }
    }
}

#[test]
fn raw_control_characters_are_content() {
    let (content, small) = scan([b"{\"content\":\"a\n\tb\x01\"}".as_slice()]);
    assert_eq!((content, small), (b"a\n\tb\x01".to_vec(), Ok(BoundedText::new())));
}

#[test]
fn what_is_wrong_is_said_and_nothing_is_guessed() {
    let cases = [
        (
            r#"{"content":"say "hi" now"}"#,
            17,
            4,
            "a value is followed by neither a comma nor the end of the object",
        ),
        (r#"{"content":"a","more":"b"}"#, 16, 1, "'more' is no field of this call"),
        (r#"{"content":"a","content":"b"}"#, 16, 1, "'content' comes twice"),
        (r#"{"content":"\q"}"#, 13, 0, "the content holds an escape that JSON does not know"),
        (r#"{"content":"\ud83d x"}"#, 18, 0, "the content holds an escape that JSON does not know"),
        (r#"{"content":"\udc00"}"#, 17, 0, "the content holds an escape that JSON does not know"),
        (r#"{"content":12}"#, 11, 0, "'content' is no string"),
        (r#"{"content":"a"} x"#, 16, 1, "something follows the object"),
        (r#"{"target_file":nope}"#, 19, 0, "the value of 'target_file' is no JSON"),
        (r#"{'content':"a"}"#, 1, 0, "this is not a JSON object"),
        ("[]", 0, 0, "this is not a JSON object"),
        (r#"{"content":"a",}"#, 15, 1, "this is not a JSON object"),
        (r#"{"target_file":"a"}"#, 19, 0, "there is no 'content'"),
    ];
    for (text, at, content, problem) in cases {
        let problem = problem.to_owned();
        let (_, result) = scan([text.as_bytes()]);
        assert_eq!(result, Err(ArgsError::Invalid { at, content, problem }), "{text}");
    }
}
