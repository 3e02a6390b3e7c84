//! Finding phrases: exact before tolerant, whole graphemes, looking through objects.

use std::time::Instant;

use proptest::prelude::*;
use unicode_segmentation::UnicodeSegmentation;

use super::folding::OBJECT;
use super::matching::{Match, find};
use super::nearest::{Nearest, NearestIndex};

fn nearest<'a>(needle: &str, texts: impl IntoIterator<Item = &'a str>, limit: usize) -> Vec<Nearest> {
    NearestIndex::of(texts).nearest(needle, limit)
}

fn found<'a>(haystack: &'a str, needle: &str) -> Vec<&'a str> {
    find(haystack, needle).into_iter().map(|found| &haystack[found.range]).collect()
}

fn check(haystack: &str, needle: &str, expected: &[&str], exact: bool) {
    assert_eq!(found(haystack, needle), expected, "{needle:?} in {haystack:?}");
    assert!(find(haystack, needle).iter().all(|found| found.exact == exact));
}

#[test]
fn exact_matches_come_alone_and_in_order() {
    check("the cat and the dog", "the", &["the", "the"], true);
    check("aaaa", "aa", &["aa", "aa"], true);
    check("it's and it’s", "it's", &["it's"], true);
    check("The", "the", &[], true);
    check("", "a", &[], true);
    check("abc", "", &[], true);
    assert_eq!(find("xaby", "ab"), [Match { range: 1..3, exact: true }]);
}

#[test]
fn case_13_spaces_count() {
    check(" a b ", " a", &[" a"], true);
    check("ab", "a b", &[], true);
    check("a b", "a  b", &[], true);
}

#[test]
fn case_14_a_space_matches_a_run_of_spaces() {
    check("thirty   days", "thirty days", &["thirty   days"], false);
    check("a  b c", "a b", &["a  b"], false);
    check("a   b", "a  b", &["a   b"], false);
    check("a\tb", "a b", &[], true);
    check("a\tb", "a\tb", &["a\tb"], true);
}

#[test]
fn case_16_a_match_never_cuts_a_grapheme() {
    check("cafe\u{301}", "cafe", &[], true);
    check("e\u{301}e", "e", &["e"], true);
    check("👨‍👩‍👧 👨", "👨", &["👨"], true);
    check("👨‍👩‍👧", "👩", &[], true);
    check("👍🏽", "👍", &[], true);
    check("🇩🇪🇫🇷", "🇪🇫", &[], true);
    check("a\r\nb", "\n", &[], true);
    check("foo\u{200d} bar", "foo", &["foo\u{200d}"], false);
}

#[test]
fn case_17_private_use_characters_match_themselves() {
    check("a\u{e000}b", "\u{e000}", &["\u{e000}"], true);
    check("ab", "a\u{e000}b", &[], true);
}

#[test]
fn case_18_quotes() {
    check("the “Company” shall", "\"Company\"", &["“Company”"], false);
    check("the \"Company\" shall", "“Company”", &["\"Company\""], false);
    check("the „Firma“ soll", "\"Firma\"", &["„Firma“"], false);
    check("the company’s", "company's", &["company’s"], false);
    check("5′ 6″", "5' 6\"", &["5′ 6″"], false);
}

#[test]
fn case_19_spaces() {
    check("thirty\u{a0}days", "thirty days", &["thirty\u{a0}days"], false);
    check("10\u{202f}000\u{2009}m", "10 000 m", &["10\u{202f}000\u{2009}m"], false);
    check("thirty days", "thirty\u{a0}days", &["thirty days"], false);
    check("a\u{a0} b", "a b", &["a\u{a0} b"], false);
}

#[test]
fn case_20_dashes_and_ellipsis() {
    check("1990–1995", "1990-1995", &["1990–1995"], false);
    check("twenty\u{2011}one − 1", "twenty-one - 1", &["twenty\u{2011}one − 1"], false);
    check("wait…", "wait...", &["wait…"], false);
    check("wait...", "wait…", &["wait..."], false);
    check("wait…", "wait.", &[], true);
    check("wait…", ".", &[], true);
    check("wait… now", "... now", &["… now"], false);
}

#[test]
fn accents_match_however_they_are_written() {
    check("the cafe\u{301} bar", "caf\u{e9} bar", &["cafe\u{301} bar"], false);
    check("the caf\u{e9} bar", "cafe\u{301}", &["caf\u{e9}"], false);
    check("\u{212b}ngstr\u{f6}m", "A\u{30a}ngstro\u{308}m", &["\u{212b}ngstr\u{f6}m"], false);
    // Two accents in another order are the same letter; a letter without its accent is another.
    check("q\u{307}\u{323}", "q\u{323}\u{307}", &["q\u{307}\u{323}"], false);
    check("cafe\u{301}", "cafe", &[], false);
    check("caf\u{e9}", "cafe", &[], false);
}

#[test]
fn invisible_characters_are_left_out() {
    check("co\u{ad}oper\u{200b}ate", "cooperate", &["co\u{ad}oper\u{200b}ate"], false);
    check("\u{ad}word\u{ad} x\u{2060}", "word", &["word"], true);
    check("\u{feff}“word”\u{ad}", "\"word\"", &["“word”"], false);
    check("co\u{ad}op", "co\u{ad}op", &["co\u{ad}op"], true);
    check("word\u{ad}", "word\u{ad}", &["word\u{ad}"], true);
    check("coop", "co\u{ad}op", &["coop"], false);
    check("coop", "\u{ad}", &[], true);
}

#[test]
fn objects_are_looked_through() {
    check("thirty\u{fffc} days", "thirty days", &["thirty\u{fffc} days"], true);
    check("\u{fffc}days\u{fffc}", "days", &["days"], true);
    check("“thirty”\u{fffc} days", "\"thirty\" days", &["“thirty”\u{fffc} days"], false);
    check("a\u{fffc}b ab", "ab", &["a\u{fffc}b", "ab"], true);
    check("a\u{fffc}b ab", "a\u{fffc}b", &["a\u{fffc}b"], true);
    check("a\u{fffc} \u{fffc} b", "a b", &["a\u{fffc} \u{fffc} b"], false);
    check("\u{fffc}", "\u{fffc}", &["\u{fffc}"], true);
    check("ab", "a\u{fffc}b", &[], true);
}

#[test]
fn case_21_long_phrases_match_whole() {
    let phrase = "All notices “under” this Agreement shall be in writing. ".repeat(12);
    let haystack = format!("x{phrase}y{}", &phrase[..300]);
    check(&haystack, &phrase, &[&phrase], true);
    check(&haystack, &phrase.replace(['“', '”'], "\""), &[&phrase], false);
}

#[test]
fn nearest_ranks_by_likeness() {
    let candidates = ["Definitions", "The Tenant shall pay the rent.", "The tenant pays a deposit", ""];
    let best = nearest("the tenant shall pay rent", candidates, 2);
    assert_eq!(best.iter().map(|near| near.index).collect::<Vec<_>>(), [1, 2]);
    assert!(best[0].similarity > best[1].similarity && best[0].similarity < 1.0);
    let same = nearest("“A” b", ["c", "\"a\" B"], 5);
    assert_eq!(same.len(), 1);
    assert!((same[0].similarity - 1.0).abs() < 1e-9);
    assert!(nearest("", ["a"], 3).is_empty());
    assert!(nearest("a", ["a"], 0).is_empty());
}

#[test]
fn hostile_searches_end_in_time() {
    let many = 100_000;
    let started = Instant::now();
    for (haystack, needle) in [
        ("a".repeat(many), "a".repeat(many / 2) + "b"),
        ("a".repeat(many), "a".repeat(many / 2)),
        ("\u{301}e".repeat(many / 2), "\u{301}e".repeat(many / 4) + "x"),
        ("e\u{301}".repeat(many / 2), "e".to_owned() + &"\u{301}e".repeat(many / 8)),
        ("a\u{fffc}".repeat(many), "a".repeat(many / 2)),
        ("“a” ".repeat(many), "\"a\" ".repeat(many / 2)),
        ("x  ".repeat(999) + &"x ".repeat(many), "x  ".repeat(999)),
        ("a\u{200d}".repeat(many), "a\u{ad}".to_owned()),
        (" ".repeat(many), "\u{a0}".to_owned()),
        ("🇩🇪".repeat(20_000), "🇪🇩".to_owned()),
        ("…".repeat(many), ".".repeat(many)),
    ] {
        let one = Instant::now();
        let matches = find(&haystack, &needle);
        println!(
            "{} in {} bytes: {} matches, {:?}",
            needle.len(),
            haystack.len(),
            matches.len(),
            one.elapsed()
        );
    }
    let long = "word ".repeat(many);
    assert_eq!(nearest(&long, [long.as_str(); 20], 3).len(), 3);
    assert!(started.elapsed().as_secs() < 30, "{:?}", started.elapsed());
}

fn tricky_text(longest: usize) -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "a", "a", "b", " ", " ", "\u{a0}", "\"", "“", "”", "'", "’", "-", "–", ".", "...", "…", "\u{ad}",
        "\u{200d}", "\u{fffc}", "\u{301}", "👨", "🇩", "\t",
    ]);
    prop::collection::vec(piece, 0..longest).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]

    #[test]
    fn matches_are_whole_and_ordered(haystack in tricky_text(16), needle in tricky_text(4)) {
        let edges: Vec<usize> =
            haystack.grapheme_indices(true).map(|(at, _)| at).chain([haystack.len()]).collect();
        let matches = find(&haystack, &needle);
        let mut end = 0;
        for found in &matches {
            prop_assert!(found.range.start >= end && !found.range.is_empty());
            prop_assert!(edges.contains(&found.range.start) && edges.contains(&found.range.end));
            prop_assert_eq!(found.exact, matches[0].exact);
            let text = &haystack[found.range.clone()];
            if found.exact {
                let seen = if needle.contains('\u{fffc}') { text.to_owned() } else { text.replace('\u{fffc}', "") };
                prop_assert_eq!(&seen, &needle);
            }
            if !needle.contains('\u{fffc}') {
                let ends_in_object = text.starts_with(OBJECT) || text.ends_with(OBJECT);
                prop_assert!(!ends_in_object);
            }
            end = found.range.end;
        }
    }

    #[test]
    fn a_piece_on_grapheme_boundaries_is_found(
        haystack in tricky_text(16),
        first in any::<prop::sample::Index>(),
        last in any::<prop::sample::Index>(),
    ) {
        let haystack = format!("a{haystack}");
        let edges: Vec<usize> =
            haystack.grapheme_indices(true).map(|(at, _)| at).chain([haystack.len()]).collect();
        let first = first.index(edges.len() - 1);
        let last = first + 1 + last.index(edges.len() - 1 - first);
        let matches = find(&haystack, &haystack[edges[first]..edges[last]]);
        prop_assert!(!matches.is_empty() && matches[0].exact);
    }

    #[test]
    fn plain_spellings_are_found(text in tricky_text(10)) {
        // Leaving something out may join graphemes that the text keeps apart, or cut one at the edge.
        let text = format!("a{}", text.replace(['\u{301}', '👨', '🇩'], "b"));
        let plain = text
            .replace(['\u{ad}', '\u{200d}', '\u{fffc}'], "")
            .replace(['“', '”'], "\"")
            .replace('’', "'")
            .replace('–', "-")
            .replace('…', "...")
            .replace('\u{a0}', " ");
        prop_assert!(!find(&text, &plain).is_empty());
    }
}
