//! Whole words, case, and patterns.

use super::finder::{Finder, Template};
use super::folding::LetterCase;
use super::index::TextIndex;
use super::matching::MatchRules;

fn found<'a>(text: &'a str, finder: &Finder) -> Vec<&'a str> {
    finder.find(text).into_iter().map(|found| &text[found.range]).collect()
}

const WHOLE: MatchRules = MatchRules { case: LetterCase::Counts, whole_words: true };
const ANY_CASE: MatchRules = MatchRules { case: LetterCase::Ignored, whole_words: false };

#[test]
fn whole_words_end_where_letters_end() {
    let check = |text: &str, words: &str, count: usize| {
        assert_eq!(Finder::words(words, WHOLE).find(text).len(), count, "{words:?} in {text:?}");
    };
    check("Term, Termination, Term's and the \u{201c}Term\u{201d}", "Term", 3);
    check("Terms and midTerm and Term_2 and Term2", "Term", 0);
    check("Term\u{fffc} Term\u{ad}ination x", "Term", 1);
    check("Übermaß Maß", "Maß", 1);
    check("cafe\u{301}s cafe\u{301}", "cafe\u{301}", 1);
    check("the (a) and a(a)b", "(a)", 2);
    check("甲方公司", "甲方", 1);
    check("a Term of years, no aTerm of years", "Term of years", 1);
}

#[test]
fn case_can_be_left_out() {
    let check = |text: &str, words: &str, expected: &[&str]| {
        assert_eq!(found(text, &Finder::words(words, ANY_CASE)), expected, "{words:?} in {text:?}");
    };
    check("CUSTOMER, Customer, customer", "customer", &["CUSTOMER", "Customer", "customer"]);
    check("STRASSE straße", "STRAßE", &["straße"]);
    check("the CUSTOMER\u{2019}S", "customer's", &["CUSTOMER\u{2019}S"]);
    check("Cus\u{fffc}tomer", "cUSTOMER", &["Cus\u{fffc}tomer"]);
    check("Äpfel äPFEL", "ÄPFEL", &["Äpfel", "äPFEL"]);
}

#[test]
fn patterns_see_text_as_people_do() {
    let check = |text: &str, pattern: &str, rules: MatchRules, expected: &[&str]| {
        let finder = Finder::pattern(pattern, rules).unwrap();
        assert_eq!(found(text, &finder), expected, "{pattern} in {text:?}");
    };
    let any = MatchRules::default();
    check("30 days, 45 days", r"\d+ days", any, &["30 days", "45 days"]);
    check("30\u{fffc} days", r"\d+ days", any, &["30\u{fffc} days"]);
    check("Müller GmbH", r"\w+", any, &["Müller", "GmbH"]);
    check("Term Termination", "term", MatchRules { case: LetterCase::Ignored, whole_words: true }, &["Term"]);
    check("abc", "x*", any, &[]);
    check("e\u{301}e", "e", any, &["e"]);
    for wrong in ["(", "", &"a".repeat(3_000), "a{1000}{1000}{1000}", r"(a)\1"] {
        assert!(Finder::pattern(wrong, any).is_err(), "{wrong}");
    }
}

#[test]
fn groups_are_filled_in() {
    let finder = Finder::pattern(r"(?<count>\d+) (days?)", MatchRules::default()).unwrap();
    let check = |template: &str, expected: &str| {
        let template = Template::parse(template, &finder).unwrap();
        let all = finder.replacements("within 30 days of", &template, str::to_owned);
        assert_eq!(all, [(7..14, expected.to_owned())]);
    };
    check("$1 business $2", "30 business days");
    check("${count}x", "30x");
    check("$$$1", "$30");
    check("[$0]", "[30 days]");
    for wrong in ["$5", "$name", "${7}", "a $ b"] {
        assert!(Template::parse(wrong, &finder).is_err(), "{wrong}");
    }
    let words = Finder::words("fee", MatchRules::default());
    let template = Template::parse("$5", &words);
    assert!(template.is_ok());
}

#[test]
fn the_index_leaves_nothing_out() {
    let texts = ["The Customer\u{2019}s fee", "no", "CUSTOMER'S", "cus\u{ad}tomer", "a  b", "e\u{301}", ""];
    let index = TextIndex::of(texts);
    let check =
        |phrase: &str, expected: &[usize]| assert_eq!(index.candidates(phrase), expected, "{phrase:?}");
    check("Customer's", &[0, 2]);
    check("customer", &[0, 2, 3]);
    check("a b", &[4]);
    check("é", &[5]);
    check("absent", &[]);
    check("\u{ad}", &[0, 1, 2, 3, 4, 5, 6]);
}
