//! What the patterns take, what they refuse and why, and that no text at all brings the parser down.

use serde_json::{Value, json};

use crate::grammar::operations;
use crate::limits::MAXIMUM_OPERATIONS;
use crate::refusal::{Reason, Refusal};

#[track_caller]
fn check(instruction: &str, expected: Value) {
    let Value::Array(expected) = expected else { panic!("expected operations are a list") };
    assert_eq!(operations(instruction), Ok(expected), "{instruction}");
}

#[track_caller]
fn check_refused(instruction: &str, clause: &str, reason: Reason) {
    assert_eq!(operations(instruction), Err(Refusal { clause: clause.to_owned(), reason }), "{instruction}");
}

fn replaced(original: &str, replacement: &str) -> Value {
    json!([{ "op": "modify_text", "originalText": original, "replacementText": replacement, "plain": true }])
}

fn needs_quotes(word: &str) -> Reason {
    Reason::NeedsQuotes { word: word.to_owned() }
}

fn missing(what: &str) -> Reason {
    Reason::Missing { what: what.to_owned() }
}

fn leftover(word: &str) -> Reason {
    Reason::Leftover { word: word.to_owned() }
}

fn stray(word: &str) -> Reason {
    Reason::StrayQuote { word: word.to_owned() }
}

fn not_a_number(word: &str) -> Reason {
    Reason::Number { word: word.to_owned() }
}

#[test]
fn keywords_in_any_case_and_politeness() {
    check("REPLACE a WITH b", replaced("a", "b"));
    check("Please, replace a with b, please.", replaced("a", "b"));
    check("  replace \t a  with\u{a0}b  ", replaced("a", "b"));
    check("please delete \"X\" please", replaced("X", ""));
}

#[test]
fn quotes_of_all_kinds() {
    for (open, close) in [('"', '"'), ('\'', '\''), ('`', '`'), ('“', '”'), ('‘', '’')] {
        let instruction = format!("replace {open}a with b{close} with {open}c; in P3{close}.");
        check(&instruction, replaced("a with b", "c; in P3"));
    }
    check(r#"replace "it's" with 'say "it"'"#, replaced("it's", "say \"it\""));
    check("replace ‘don’t’ with ‘do not’", replaced("don’t", "do not"));
    check("replace don't with cannot", replaced("don't", "cannot"));
}

#[test]
fn escapes_are_only_before_quote_marks_and_backslashes() {
    check(r#"replace "a\"b" with "c\\d""#, replaced("a\"b", r"c\d"));
    check(r#"replace "C:\new" with "a\tb""#, replaced(r"C:\new", r"a\tb"));
    check("replace “a\\”b” with \"c\\’d\"", replaced("a”b", "c’d"));
}

#[test]
fn full_stops_end_a_sentence_only_outside_quotes() {
    check("replace Inc with Inc.", replaced("Inc", "Inc"));
    check("replace \"Inc\" with \"Inc.\".", replaced("Inc", "Inc."));
    check("replace 1,000.50 with 2,000.75.", replaced("1,000.50", "2,000.75"));
    check_refused("replace a with b...", "replace a with b...", needs_quotes("b.."));
}

#[test]
fn new_lines_and_blank_lines_inside_quotes_are_kept() {
    check(
        "insert \"One\n\nTwo\" at the end",
        json!([{ "op": "insert_paragraph", "after": "last", "content": "One\n\nTwo", "plain": true }]),
    );
    check(
        r#"insert "One\n\nTwo" at the start"#,
        json!([{ "op": "insert_paragraph", "before": "first", "content": r"One\n\nTwo", "plain": true }]),
    );
}

#[test]
fn ordinals() {
    let names =
        ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"];
    for (number, name) in (1..).zip(names) {
        for ordinal in [name.to_owned(), format!("the {name}"), format!("{number}th occurrence of")] {
            check(
                &format!("replace {ordinal} x with \"y\" in paragraph 2"),
                json!([{
                    "op": "modify_text", "paragraphIndex": 2, "originalText": "x", "replacementText": "y",
                    "occurrence": number, "plain": true,
                }]),
            );
        }
    }
}

#[test]
fn markdown_marks_leave_plain_out() {
    for mark in ["**", "++", "~~"] {
        let text = format!("a {mark}b{mark}");
        check(
            &format!("rewrite P2 as \"{text}\""),
            json!([{ "op": "edit_paragraph", "paragraphIndex": 2, "newContent": text }]),
        );
        check(&format!("replace \"{text}\" with \"c\""), replaced(&text, "c"));
    }
}

#[test]
fn places_of_whole_paragraphs() {
    let appended =
        |target: Value| json!([{ "op": "edit_paragraph", "target": target, "append": "!", "plain": true }]);
    check("append \"!\" to the last paragraph", appended(json!("last")));
    check("append \"!\" to first paragraph", appended(json!("first")));
    check(
        "append \"!\" to the paragraph containing \"price list\".",
        appended(json!({ "text": "price list" })),
    );
    check(
        "rewrite the paragraph containing late fees as \"T\"",
        json!([{ "op": "edit_paragraph", "target": { "text": "late fees" }, "newContent": "T", "plain": true }]),
    );
}

#[test]
fn clauses_are_joined_in_order() {
    let two = json!([
        { "op": "delete_paragraph", "paragraphIndex": 2 },
        { "op": "delete_paragraph", "paragraphIndex": 3 },
    ]);
    for separator in [
        "\n",
        "\r\n",
        "\n\n",
        ";",
        "; ",
        ".\n",
        " and then ",
        ", then ",
        ", and then ",
        "; then ",
        ";\nthen ",
    ] {
        check(&format!("delete paragraph 2{separator}delete paragraph 3\n"), two.clone());
    }
    check("delete \"a; b\\nc and then d, then e\"", replaced("a; b\\nc and then d, then e", ""));
}

#[test]
fn ranges_up_to_the_limit() {
    let made = operations("delete paragraphs 11 to 510").expect("500 paragraphs");
    assert_eq!(made.len(), MAXIMUM_OPERATIONS);
    assert_eq!(made.last(), Some(&json!({ "op": "delete_paragraph", "paragraphIndex": 510 })));
    check("delete paragraphs 4 - 4", json!([{ "op": "delete_paragraph", "paragraphIndex": 4 }]));
    check_refused("delete paragraphs 1-501", "delete paragraphs 1-501", Reason::TooManyOperations);
    check_refused(
        "delete paragraphs 1-500; delete paragraph 501",
        "delete paragraph 501",
        Reason::TooManyOperations,
    );
}

#[test]
fn no_instruction() {
    for empty in ["", "   ", "\n\t\n", " ; ;\n", ";;"] {
        check_refused(empty, "", Reason::Empty);
    }
    check_refused(".", ".", Reason::UnknownStart);
    check_refused("please", "please", Reason::UnknownStart);
}

#[test]
fn whole_clauses_outside_the_patterns() {
    for clause in [
        "colourless green ideas sleep furiously",
        "make the heading bold",
        "what is this?",
        "\"replace\" a with b",
        "add a comment \"x\" to paragraph 4",
        "add a new table",
        "undo",
        "P4",
    ] {
        check_refused(clause, clause, Reason::UnknownStart);
    }
}

#[test]
fn half_patterns() {
    for (clause, what) in [
        ("replace", "the text to look for"),
        ("replace with Y", "the text to look for"),
        ("replace all with Y", "the text to look for"),
        ("replace X", "“with”"),
        ("replace X with", "the new text"),
        ("change X to everywhere", "the new text"),
        ("delete", "the text to delete, in quotes"),
        ("delete everything", "the text to delete, in quotes"),
        ("delete all", "the text to delete, in quotes"),
        ("insert \"T\"", "where to insert: “after”, “before” or “at the end”"),
        ("insert \"T\" at the side", "“end” or “beginning”"),
        ("insert a paragraph after paragraph 3", "the text to insert, in quotes"),
        ("insert T after paragraph 3", "the text to insert, in quotes"),
        ("insert \"T\" after \"U\"", "which paragraph, such as “paragraph 4”"),
        ("append \"T\" to", "which paragraph, such as “paragraph 4”"),
        ("append \"T\"", "“to”"),
        ("delete paragraph", "the paragraph's number"),
        ("delete paragraphs 4 to", "the paragraph's number"),
        ("delete the paragraph containing", "the words the paragraph contains"),
        ("rewrite paragraph 4", "“as”"),
        ("rewrite paragraph 4 as a question", "the new text, in quotes"),
        ("set paragraph 4 to bold", "the new text, in quotes"),
        ("replace the first occurrence \"X\" with \"Y\"", "“of”"),
        ("replace \"X\" \"Y\" with \"Z\"", "“with”"),
        ("replace \"X\" with \"Y\" in bold", "which paragraph, such as “paragraph 4”"),
        ("replace \"X\" with \"Y\" in section 2", "which paragraph, such as “paragraph 4”"),
    ] {
        check_refused(clause, clause, missing(what));
    }
}

#[test]
fn values_that_could_mean_something_else() {
    for (clause, word) in [
        ("change the heading to bold", "heading"),
        ("replace A with B with C", "with"),
        ("replace A with B and make it bold", "and"),
        ("replace A with B then delete paragraph 4", "then"),
        ("replace A with B. Delete paragraph 4", "B."),
        ("replace A with B?", "B?"),
        ("replace red, green with blue", ","),
        ("replace first party with second party", "second"),
        ("replace paragraph 4 with \"T\"", "paragraph"),
        ("replace P4 with P5", "P4"),
        ("replace A with B except in paragraph 3", "except"),
        ("delete the paragraph containing the word fee", "word"),
    ] {
        check_refused(clause, clause, needs_quotes(word));
    }
}

#[test]
fn more_than_a_pattern() {
    for (clause, word) in [
        ("replace \"A\" with \"B\", \"C\"", ","),
        ("replace \"A\" with \"B\". Thanks", "."),
        ("delete paragraph 4 and 5", "and"),
        ("delete paragraphs 4-5 7", "7"),
        ("insert \"T\" at the end twice", "twice"),
        ("delete \"X\" \"Y\"", "\"Y\""),
    ] {
        check_refused(clause, clause, leftover(word));
    }
}

#[test]
fn quotes_that_do_not_match() {
    check_refused("replace \"A with B", "replace \"A with B", Reason::UnclosedQuote { opening: '"' });
    check_refused("delete “X\"", "delete “X\"", Reason::UnclosedQuote { opening: '“' });
    check_refused("delete \"X\\\"", "delete \"X\\\"", Reason::UnclosedQuote { opening: '"' });
    check_refused("replace A\" with B", "replace A\" with B", stray("A\""));
    check_refused("replace parties' with B", "replace parties' with B", stray("parties'"));
    check_refused("delete \"X\"s", "delete \"X\"s", stray("\"X\""));
    check_refused("delete paragraph 1\ndelete ”X”\nrest", "delete ”X”", stray("”X”"));
}

#[test]
fn empty_values() {
    check("replace \"X\" with \"\"", replaced("X", ""));
    for (clause, what) in [
        ("replace \"\" with \"Y\"", "The text to look for"),
        ("delete ''", "The text to delete"),
        ("insert \"\" at the end", "The text to insert"),
        ("append “” to P2", "The text to add"),
        ("rewrite P2 as ``", "The new text of a paragraph"),
        ("delete the paragraph containing \"\"", "The words the paragraph contains"),
    ] {
        check_refused(clause, clause, Reason::EmptyValue { what });
    }
}

#[test]
fn numbers_out_of_range() {
    for (clause, word) in [
        ("delete paragraph 0", "0"),
        ("delete P0", "P0"),
        ("delete paragraph -1", "-1"),
        ("delete paragraph 1.5", "1.5"),
        ("delete paragraph four", "four"),
        ("delete paragraph 1000001", "1000001"),
        ("delete paragraph 99999999999999999999999", "99999999999999999999999"),
        ("delete paragraphs 4-", "4-"),
        ("delete paragraphs 0-4", "0-4"),
        ("delete paragraph ٤", "٤"),
        ("replace the 0th \"X\" with \"Y\"", "0th"),
        ("replace the 4000000000th \"X\" with \"Y\"", "4000000000th"),
    ] {
        check_refused(clause, clause, not_a_number(word));
    }
    let backwards = "delete paragraphs 7 to 4";
    check_refused(backwards, backwards, Reason::ReversedRange { first: 7, last: 4 });
}

#[test]
fn contradictions() {
    for clause in [
        "replace the first \"X\" with \"Y\" everywhere",
        "replace \"X\" in paragraph 3 with \"Y\" in paragraph 3",
    ] {
        check_refused(clause, clause, Reason::Contradiction);
    }
    let counted = "replace all \"X\" with \"Y\" in the paragraph containing \"Z\"";
    check_refused(counted, counted, Reason::OccurrenceInContaining);
}

#[test]
fn one_bad_clause_refuses_the_whole() {
    check_refused("delete paragraph 4; tidy up; delete paragraph 5", "tidy up", Reason::UnknownStart);
    check_refused("delete paragraph 4 and then sing", "sing", Reason::UnknownStart);
}

#[test]
fn a_refusal_names_a_bounded_line() {
    let Err(refusal) = operations(&"make\u{1b}\t".repeat(10_000)) else { panic!("nothing to understand") };
    assert_eq!(refusal.clause.chars().count(), 161);
    assert!(!refusal.clause.contains(char::is_control));
}

#[test]
fn any_text_survives_quoting() {
    let mut random = Random(7);
    for _ in 0..20_000 {
        let (original, replacement) = (random.text(8), random.text(8));
        let instruction =
            format!("replace {} with {}", random.quoted(&original), random.quoted(&replacement));
        if original.is_empty() {
            assert!(operations(&instruction).is_err(), "{instruction}");
            continue;
        }
        let made = operations(&instruction).expect(&instruction);
        let [operation] = made.as_slice() else { panic!("{instruction}: {made:?}") };
        assert_eq!(operation["originalText"], json!(original), "{instruction}");
        assert_eq!(operation["replacementText"], json!(replacement), "{instruction}");
    }
}

#[test]
fn arbitrary_text_never_panics() {
    let mut random = Random(11);
    for _ in 0..50_000 {
        let instruction = random.text(14);
        if let Ok(made) = operations(&instruction) {
            assert!((1..=MAXIMUM_OPERATIONS).contains(&made.len()), "{instruction}");
        }
    }
}

#[test]
fn long_hostile_text_takes_linear_time() {
    for piece in [
        ",",
        "a,",
        "'",
        "\"",
        "\\",
        "then ",
        ", then ",
        "a' ",
        "’",
        "x",
        "replace ",
        ";",
        "“",
        "P",
        "delete P1;",
    ] {
        let _ = operations(&piece.repeat(100_000));
        let _ = operations(&format!("replace {} with b", piece.repeat(100_000)));
    }
}

/// A small fixed-seed generator, so that a failure repeats.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).expect("31 bits fit") % bound
    }

    /// Up to so many pieces of what the grammar cares about, and of what it does not.
    fn text(&mut self, pieces: usize) -> String {
        const PIECES: &[&str] = &[
            "replace ",
            "change ",
            "delete ",
            "insert ",
            "append ",
            "rewrite ",
            " with ",
            " to ",
            " as ",
            " in ",
            "paragraph ",
            "paragraphs ",
            "containing ",
            "everywhere",
            "the ",
            "all ",
            "first ",
            "2nd ",
            "occurrence of ",
            "P7",
            "[P",
            "4-7",
            "0",
            "9999999999999",
            " after ",
            " at the end",
            " and then ",
            ", then ",
            ";",
            "\n",
            "\r\n",
            "\"",
            "'",
            "`",
            "“",
            "”",
            "‘",
            "’",
            "\\",
            "\\\"",
            ".",
            ",",
            " ",
            "\u{a0}",
            "word",
            "é",
            "日本",
            "🙂",
            "\u{0}",
            "\u{301}",
            "**",
            "Instruction:",
            "please",
        ];
        (0..self.below(pieces + 1)).map(|_| PIECES[self.below(PIECES.len())]).collect()
    }

    /// The text in quotes of some kind, with a backslash before each quote mark of that kind and each backslash.
    fn quoted(&mut self, text: &str) -> String {
        let kinds = [('"', '"'), ('\'', '\''), ('`', '`'), ('“', '”'), ('‘', '’')];
        let (open, close) = kinds[self.below(kinds.len())];
        let mut quoted = String::from(open);
        for character in text.chars() {
            if character == close || character == '\\' {
                quoted.push('\\');
            }
            quoted.push(character);
        }
        quoted.push(close);
        quoted
    }
}
