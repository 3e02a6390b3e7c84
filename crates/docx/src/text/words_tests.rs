//! The word diff: minimal, on graphemes, and where a person would put it.

use std::time::Instant;

use proptest::prelude::*;
use unicode_segmentation::UnicodeSegmentation;

use super::words::{Hunk, diff, tokens, tokens_of_any};

/// Writes a difference as `kept[old|new]kept`.
fn show(old: &str, new: &str) -> String {
    let mut shown = String::new();
    let mut at = 0;
    for Hunk { old: removed, new: added } in diff(old, new) {
        shown.push_str(&old[at..removed.start]);
        shown.push('[');
        shown.push_str(&old[removed.clone()]);
        shown.push('|');
        shown.push_str(&new[added]);
        shown.push(']');
        at = removed.end;
    }
    shown.push_str(&old[at..]);
    shown
}

fn apply(old: &str, new: &str, hunks: &[Hunk]) -> String {
    let mut result = String::new();
    let mut at = 0;
    for hunk in hunks {
        result.push_str(&old[at..hunk.old.start]);
        result.push_str(&new[hunk.new.clone()]);
        at = hunk.old.end;
    }
    result.push_str(&old[at..]);
    result
}

fn pieces(text: &str) -> Vec<&str> {
    tokens(text).into_iter().map(|range| &text[range]).collect()
}

#[test]
fn tokens_are_words_marks_and_single_spaces() {
    assert_eq!(pieces("days."), ["days", "."]);
    assert_eq!(pieces("don't won’t dogs'"), ["don't", " ", "won’t", " ", "dogs", "'"]);
    assert_eq!(pieces("3.14 1,000.50 10:30"), ["3.14", " ", "1,000.50", " ", "10", ":", "30"]);
    assert_eq!(pieces("a  b\t\n\u{c}c"), ["a", " ", " ", "b", "\t", "\n", "\u{c}", "c"]);
    assert_eq!(pieces("end.Next Term:Value"), ["end", ".", "Next", " ", "Term", ":", "Value"]);
    assert_eq!(pieces("twenty-one (a)"), ["twenty", "-", "one", " ", "(", "a", ")"]);
    assert_eq!(pieces("my_var ____"), ["my_var", " ", "____"]);
    assert_eq!(pieces("x\u{fffc}\u{fffc}y"), ["x", "\u{fffc}", "\u{fffc}", "y"]);
    assert_eq!(pieces("10\u{202f}000\u{a0}m"), ["10", "\u{202f}", "000", "\u{a0}", "m"]);
    assert_eq!(pieces("👨‍👩‍👧!🇩🇪🇫🇷"), ["👨‍👩‍👧", "!", "🇩🇪", "🇫🇷"]);
    assert_eq!(pieces("e\u{301}t\u{301}e\u{301}"), ["e\u{301}t\u{301}e\u{301}"]);
    assert_eq!(pieces(""), [""; 0]);
}

#[test]
fn only_what_differs_is_touched() {
    assert_eq!(show("The quick brown fox", "The quick red fox"), "The quick [brown|red] fox");
    assert_eq!(show("“thirty” days", "“sixty” days"), "“[thirty|sixty]” days");
    assert_eq!(show("same", "same"), "same");
    assert_eq!(show("", "new text"), "[|new text]");
    assert_eq!(show("old text", ""), "[old text|]");
    assert_eq!(show("line one\nline two", "line one\nline 2"), "line one\nline [two|2]");
    assert_eq!(show("a b c d e", "a x c y e"), "a [b|x] c [d|y] e");
}

#[test]
fn case_11_a_change_of_case_is_one_word() {
    assert_eq!(show("the cat", "The cat"), "[the|The] cat");
}

#[test]
fn case_12_a_change_of_punctuation_is_one_mark() {
    assert_eq!(show("thirty days.", "thirty days;"), "thirty days[.|;]");
}

#[test]
fn cases_13_and_14_spaces_and_tabs_stay() {
    assert_eq!(show(" a ", " b "), " [a|b] ");
    assert_eq!(show("a  b\tc d", "a  b\tc e"), "a  b\tc [d|e]");
}

#[test]
fn insertions_and_deletions_stand_at_words() {
    assert_eq!(show("the cat sat", "the black cat sat"), "the [|black ]cat sat");
    assert_eq!(show("the cat sat", "the cat sat and more words"), "the cat sat[| and more words]");
    assert_eq!(show("a big dog", "a dog"), "a [big |]dog");
    assert_eq!(show("big dog", "dog"), "[big |]dog");
    assert_eq!(show("a big dog", "a big"), "a big[ dog|]");
    assert_eq!(show("a, b and c", "a, x, b and c"), "a, [|x, ]b and c");
    assert_eq!(show("One. Three.", "One. Two. Three."), "One. [|Two. ]Three.");
    assert_eq!(show("One.", "One. Two."), "One.[| Two.]");
    assert_eq!(show("fee (net)", "fee (gross) (net)"), "fee [|(gross) ](net)");
    assert_eq!(show("a dog", "a  dog"), "a [| ]dog");
    assert_eq!(show("a  dog", "a dog"), "a [ |]dog");
    assert_eq!(show("one\nthree\n", "one\ntwo\nthree\n"), "one\n[|two\n]three\n");
    assert_eq!(show("no no", "no no no"), "no [|no ]no");
}

#[test]
fn a_change_that_can_reach_its_neighbour_joins_it() {
    assert_eq!(show("cat sat", "dog big sat"), "[cat|dog big] sat");
}

#[test]
fn case_16_graphemes_stay_whole() {
    assert_eq!(show("a 👨‍👩‍👧 b", "a 👨‍👩‍👦 b"), "a [👨‍👩‍👧|👨‍👩‍👦] b");
    assert_eq!(show("cafe\u{301}", "cafe"), "[cafe\u{301}|cafe]");
    assert_eq!(show(".\u{301} x", ". x"), "[.\u{301}|.] x");
    assert_eq!(show("שלום עולם", "שלום לכם"), "שלום [עולם|לכם]");
}

#[test]
fn case_17_private_use_characters_are_text() {
    assert_eq!(show("\u{e000}\u{e001} a", "\u{e000}\u{e002} a"), "\u{e000}[\u{e001}|\u{e002}] a");
}

#[test]
fn case_15_seventy_thousand_distinct_words() {
    let words: Vec<String> = (0..70_000).map(|number| format!("w{number}")).collect();
    let old = words.join(" ");
    let new = old.replace("w35000 ", "changed ").replace("w69999", "last");
    let started = Instant::now();
    let hunks = diff(&old, &new);
    assert!(started.elapsed().as_secs() < 10, "{:?}", started.elapsed());
    assert_eq!(hunks.len(), 2);
    assert_eq!(&new[hunks[0].new.clone()], "changed");
    assert_eq!(apply(&old, &new, &hunks), new);
}

#[test]
fn hostile_pairs_end_in_time() {
    let mut state = 7_u64;
    let mut random = |bound: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % bound
    };
    let mut text =
        |words: usize, bound: u64| (0..words).map(|_| format!("w{} ", random(bound))).collect::<String>();
    for (old, new) in [
        (text(50_000, 2), text(50_000, 2)),
        (text(50_000, 50), text(50_000, 50)),
        (text(50_000, 5_000), text(50_000, 5_000)),
        (text(50_000, 1_000_000), text(50_000, 1_000_000)),
        ("a ".repeat(50_000), "a b ".repeat(25_000)),
        (" ".repeat(100_000), " ".repeat(50_000)),
        ("ab ".repeat(30_000), "ba ab ".repeat(15_000)),
        ("e\u{301}".repeat(50_000), "e".repeat(50_000)),
    ] {
        let started = Instant::now();
        let hunks = diff(&old, &new);
        let took = started.elapsed();
        println!("{} -> {} bytes: {} hunks, {took:?}", old.len(), new.len(), hunks.len());
        assert!(took.as_secs() < 20, "{took:?}");
        assert_eq!(apply(&old, &new, &hunks), new);
    }
}

fn prose() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "the",
        "cat",
        "dog",
        "a",
        "b",
        "don't",
        "3.14",
        " ",
        " ",
        " ",
        "  ",
        ".",
        ",",
        "\n",
        "\t",
        "\u{301}",
        "\u{200d}",
        "👨",
        "👩",
        "🇩",
        "\u{fffc}",
        "“",
        "\u{600}",
        "\u{ad}",
        "\r\n",
        "_",
        "'",
        ":",
        "1",
        "क\u{94d}",
        "\u{a0}",
    ]);
    prop::collection::vec(piece, 0..16).prop_map(|pieces| pieces.concat())
}

/// The least number of tokens removed and added, by the textbook table.
fn least_changes(old: &[&str], new: &[&str]) -> usize {
    let mut table = vec![vec![0_usize; new.len() + 1]; old.len() + 1];
    for (i, old_token) in old.iter().enumerate() {
        for (j, new_token) in new.iter().enumerate() {
            table[i + 1][j + 1] =
                if old_token == new_token { table[i][j] + 1 } else { table[i][j + 1].max(table[i + 1][j]) };
        }
    }
    old.len() + new.len() - 2 * table[old.len()][new.len()]
}

fn verify(old: &str, new: &str) -> Result<(), TestCaseError> {
    let hunks = diff(old, new);
    prop_assert_eq!(apply(old, new, &hunks), new);
    prop_assert_eq!(hunks.is_empty(), old == new);
    let edges =
        |text: &str| text.grapheme_indices(true).map(|(at, _)| at).chain([text.len()]).collect::<Vec<_>>();
    let (old_edges, new_edges) = (edges(old), edges(new));
    let (mut old_end, mut new_end) = (None, None);
    for hunk in &hunks {
        prop_assert!(!hunk.old.is_empty() || !hunk.new.is_empty());
        prop_assert!(old_end.is_none_or(|end| hunk.old.start > end));
        prop_assert!(new_end.is_none_or(|end| hunk.new.start > end));
        for at in [hunk.old.start, hunk.old.end] {
            prop_assert!(old_edges.contains(&at));
        }
        for at in [hunk.new.start, hunk.new.end] {
            prop_assert!(new_edges.contains(&at));
        }
        (old_end, new_end) = (Some(hunk.old.end), Some(hunk.new.end));
    }
    let changed: usize = hunks.iter().map(|hunk| pieces_in(old, &hunk.old) + pieces_in(new, &hunk.new)).sum();
    prop_assert_eq!(changed, least_changes(&pieces(old), &pieces(new)));
    Ok(())
}

fn pieces_in(text: &str, range: &std::ops::Range<usize>) -> usize {
    tokens(text).iter().filter(|token| token.start >= range.start && token.end <= range.end).count()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]

    #[test]
    fn differences_are_minimal_and_whole(old in prose(), new in prose()) {
        verify(&old, &new)?;
    }

    #[test]
    fn differences_of_few_words_are_minimal(old in "[ab ]{0,24}", new in "[ab ]{0,24}") {
        verify(&old, &new)?;
    }

    #[test]
    fn differences_of_any_text_are_minimal(old in any::<String>(), new in any::<String>()) {
        verify(&old, &new)?;
    }

    #[test]
    fn tokens_cover_the_text(text in prose()) {
        prop_assert_eq!(pieces(&text).concat(), text.clone());
        prop_assert!(tokens(&text).iter().all(|token| !token.is_empty()));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20_000, ..ProptestConfig::default() })]

    #[test]
    fn ascii_is_cut_as_unicode_says(text in "[abZ019_'.,;: \t\r\n\x0b\x0c\x00\x7f\"-/()]{0,24}", any in "[\x00-\x7f]{0,24}") {
        prop_assert_eq!(tokens(&text), tokens_of_any(&text));
        prop_assert_eq!(tokens(&any), tokens_of_any(&any));
    }
}
