//! Strings against what `serde_json` makes of them.

use proptest::prelude::*;

use super::{Cursor, Text};

fn text(json: &str) -> Text<'_> {
    Cursor::new(json).text().unwrap().unwrap()
}

#[test]
fn half_a_surrogate_pair_is_one_character() {
    for (json, shown, bytes, chars) in [
        (r#""a\ud83d""#, "a\u{fffd}", &b"a\xed\xa0\xbd"[..], 2),
        (r#""\ud83d\ud83d\ude00""#, "\u{fffd}😀", b"\xed\xa0\xbd\xf0\x9f\x98\x80", 2),
        (r#""\ude00x""#, "\u{fffd}x", b"\xed\xb8\x80x", 2),
        (r#""\ud83dA\n""#, "\u{fffd}A\n", b"\xed\xa0\xbdA\n", 3),
    ] {
        let text = text(json);
        assert_eq!(
            (text.decode().as_ref(), text.bytes().as_ref(), text.chars()),
            (shown, bytes, chars),
            "{json}"
        );
    }
}

proptest! {
    #[test]
    fn strings_say_what_other_parsers_say(said in any::<String>(), ascii in any::<bool>()) {
        let mut json = serde_json::to_string(&said).unwrap();
        if ascii {
            json = json.chars().map(|c| match c {
                ' '..='~' => c.to_string(),
                c => c.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04X}")).collect(),
            }).collect();
        }
        let text = text(&json);
        prop_assert_eq!(text.decode().into_owned(), said.clone());
        prop_assert_eq!(text.bytes().into_owned(), said.as_bytes());
        prop_assert_eq!(text.chars(), said.chars().count());
    }
}
