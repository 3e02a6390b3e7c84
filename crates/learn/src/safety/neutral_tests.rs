//! Harmless texts.

use proptest::prelude::*;

use super::neutral;

#[test]
fn ordinary_text_stays() {
    for text in ["Use `Vec::new()` if a < b && c > d", "é ☃ 日本語", "100 % -> done", "a <- b"] {
        assert_eq!(neutral(text), text);
    }
}

proptest! {
    #[test]
    fn nothing_breaks_out(
        pieces in prop::collection::vec(
            prop_oneof![
                Just("<!--"), Just("-->"), Just("--"), Just(">"), Just("```"), Just("`"), Just("\u{1b}[31m"), Just("\u{1b}"),
                Just("\n# "), Just("ACE:SKILLBOOK:END"), Just("ACE:"), Just("SKILLBOOK"), Just("\u{202e}"), Just("\u{200b}"), Just("<"), Just("!"),
                Just("</x"), Just("\0"), Just("word"), Just("\u{9b}2J"), Just("\u{2028}"), Just("~")
            ],
            0..20,
        ),
    ) {
        let text = pieces.concat();
        let shown = neutral(&text);
        for part in ["<!--", "-->", "```", "~~~", "\n", "\u{1b}", "ACE:SKILLBOOK", "\u{202e}", "\u{200b}", "</", "\0", "\u{2028}"] {
            prop_assert!(!shown.contains(part), "{:?} in {:?}", part, shown);
        }
        prop_assert_eq!(neutral(&shown), shown.clone());
    }
}
