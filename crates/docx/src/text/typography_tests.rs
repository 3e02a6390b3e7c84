//! Replacements in the document's typography.

use std::time::Instant;

use proptest::prelude::*;

use super::{adapt, find};

fn check(found: &str, needle: &str, replacement: &str, expected: &str) {
    assert_eq!(adapt(found, needle, replacement), expected, "{needle:?} -> {replacement:?} in {found:?}");
}

#[test]
fn case_18_curly_quotes_are_kept() {
    check("“Company” means", "\"Company\" means", "\"Buyer\" means", "“Buyer” means");
    check("the company’s", "the company's", "the buyer's", "the buyer’s");
    check("„Firma“ soll", "\"Firma\" soll", "\"Firma\" und \"Ort\" soll", "„Firma“ und „Ort“ soll");
    check("“A”", "\"A\"", "\"A\" and \"B\"", "“A” and “B”");
    check("“A”", "\"A\"", "it's (\"B\")", "it’s (“B”)");
    check("“A”", "\"A\"", "'B' of '99", "‘B’ of ’99");
    check("“A” x", "\"A\" x", "5\" or \"Section 5\" x", "5\" or “Section 5” x");
    check("\"A\" b", "“A” b", "“A” c", "\"A\" c");
    check("x” y", "x\" y", "x \"y", "x “y");
}

#[test]
fn straight_documents_stay_straight() {
    check("a\u{a0}b", "a b", "\"a b\"", "\"a\u{a0}b\"");
    check("a–b’s \"c\"", "a-b's \"c\"", "a-b's \"c\" \"d\"", "a–b’s \"c\" \"d\"");
}

#[test]
fn case_19_no_break_spaces_are_kept() {
    check("thirty\u{a0}days notice", "thirty days notice", "sixty days notice", "sixty\u{a0}days notice");
    check("a  b   c", "a b c", "a b d", "a  b   d");
    check("a  b", "a b", "a  b", "a  b");
    check("a\u{a0}b", "a b", "b", "b");
}

#[test]
fn case_20_dashes_and_ellipses_are_kept() {
    check("1990–1995", "1990-1995", "1990-1996", "1990–1996");
    check("wait…", "wait...", "stop...", "stop…");
    check("wait…", "wait...", "wait..", "wait..");
    check("wait...", "wait…", "stop…", "stop...");
    check("twenty\u{2011}one", "twenty-one", "twenty-two", "twenty\u{2011}two");
}

#[test]
fn case_178_an_explicit_change_is_honoured() {
    check("a\u{a0}b", "a\u{a0}b", "a b", "a b");
    check("“A”\u{a0}b", "\"A\"\u{a0}b", "\"A\" b", "“A” b");
    check("a–b", "a-b", "a—b", "a—b");
    check("“A”", "“A”", "\"A\"", "\"A\"");
    check("it’s", "it's", "it‘s", "it‘s");
}

#[test]
fn objects_stay_beside_kept_text() {
    check("thirty\u{fffc} days", "thirty days", "sixty days", "sixty\u{fffc} days");
    check("thirty\u{fffc} days", "thirty days", "thirty calendar days", "thirty\u{fffc} calendar days");
    check("days\u{fffc}.", "days.", "days or weeks.", "days\u{fffc} or weeks.");
    check("days\u{fffc}.", "days.", "weeks;", "weeks;");
    check("co\u{ad}op x", "coop x", "coop y", "co\u{ad}op y");
    check("“a\u{fffc}”", "“a”", "“a” \"b\"", "“a\u{fffc}” \"b\"");
    check("a\u{fffc}–b", "a\u{fffc}-b", "a-b", "a–b");
}

#[test]
fn a_text_that_does_not_match_changes_nothing() {
    check("abc", "xyz", "\"new\"", "\"new\"");
    check("", "x", "y", "y");
    check("\u{ad}", "", "y", "y");
}

#[test]
fn hostile_replacements_end_in_time() {
    let many = 30_000;
    let started = Instant::now();
    adapt(&"“".repeat(many), &"\"".repeat(many), &"\"'".repeat(many));
    adapt(&"…".repeat(many), &".".repeat(many * 3), &". ".repeat(many));
    adapt(&"a\u{fffc}  ".repeat(many), &"a ".repeat(many), &"a b ".repeat(many));
    assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
}

fn tricky_text() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "a", "b", "cat", "5", " ", " ", "  ", "\u{a0}", "\"", "“", "”", "'", "’", "-", "–", ".", "...", "…",
        "\u{ad}", "\u{fffc}", "(", "\t", "é",
    ]);
    prop::collection::vec(piece, 0..14).prop_map(|pieces| pieces.concat())
}

/// As a model would type it.
fn plain(text: &str) -> String {
    text.replace(['“', '”'], "\"")
        .replace(['‘', '’'], "'")
        .replace('–', "-")
        .replace('…', "...")
        .replace('\u{a0}', " ")
        .replace(['\u{ad}', '\u{fffc}'], "")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]

    #[test]
    fn adapting_to_the_same_text_is_no_change(text in tricky_text()) {
        let needle = plain(&text);
        for found in find(&text, &needle) {
            let found = &text[found.range];
            prop_assert_eq!(adapt(found, &needle, &needle), found);
        }
    }

    #[test]
    fn adapting_changes_typography_only(text in tricky_text(), replacement in tricky_text()) {
        let needle = plain(&text);
        let adapted = adapt(&text, &needle, &replacement);
        let squeeze = |text: &str| plain(text).split([' ']).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
        prop_assert_eq!(squeeze(&adapted), squeeze(&replacement));
    }

    #[test]
    fn adapting_any_text_ends(found in any::<String>(), needle in any::<String>(), replacement in any::<String>()) {
        prop_assert_eq!(adapt(&found, &needle, &replacement), replacement);
    }
}
