//! Every operation with random fields on random documents: nothing fails, and what was done can be undone.
//!
//! What the texts shall be is the affair of `random_edits` and of the proof; here nothing may break, whatever is asked.
//! `ENGROSS_RANDOM_CASES=20000` tries so many documents that nobody has seen.

use engross_docx::ops::{Status, parse_batch};
use engross_docx::{EditOptions, Limits, Severity, Tracking, WordDocument};
use engross_testkit::docx::DocxBuilder;
use proptest::collection::vec;
use proptest::prelude::any;
use proptest::test_runner::{Config, TestCaseError, TestRng, TestRunner};
use serde_json::{Value, json};

use crate::oracle::{Side, canonical, main_part, parse, resolve};
use crate::random_bodies::{Choices, body};

const DATE: &str = "2026-01-31T09:30:00Z";

#[test]
#[expect(clippy::disallowed_methods, reason = "a test setting, not one of the program")]
fn random_operations_hold() {
    let cases = std::env::var("ENGROSS_RANDOM_CASES").ok().and_then(|text| text.parse().ok());
    let config = Config { cases: cases.unwrap_or(400), failure_persistence: None, ..Config::default() };
    let mut runner = match cases {
        Some(_) => TestRunner::new(config),
        None => {
            let algorithm = proptest::test_runner::RngAlgorithm::ChaCha;
            TestRunner::new_with_rng(config, TestRng::deterministic_rng(algorithm))
        }
    };
    let choices = (vec(any::<u8>(), 0..200), vec(any::<u8>(), 0..80));
    let outcome =
        runner.run(&choices, |(document, batch)| check(&document, &batch).map_err(TestCaseError::fail));
    outcome.unwrap_or_else(|error| panic!("{error}"));
}

/// Two people edit one after the other, in two sessions: taking back what the second did gives what the first left, and taking
/// back both, in either order, gives the source.
#[test]
fn two_authors_are_told_apart() {
    let mut runner = TestRunner::new_with_rng(
        Config { cases: 150, failure_persistence: None, ..Config::default() },
        TestRng::deterministic_rng(proptest::test_runner::RngAlgorithm::ChaCha),
    );
    let choices = (vec(any::<u8>(), 0..120), vec(any::<u8>(), 0..40), vec(any::<u8>(), 0..40));
    let outcome = runner.run(&choices, |(document, first, second)| {
        check_two(&document, &first, &second).map_err(TestCaseError::fail)
    });
    outcome.unwrap_or_else(|error| panic!("{error}"));
}

const LATER: &str = "2026-02-01T10:00:00Z";

fn check_two(document: &[u8], first: &[u8], second: &[u8]) -> Result<(), String> {
    let xml = body(&mut Choices::of(document));
    let source = DocxBuilder::new().body(&xml).build();
    let mut bytes = source.clone();
    let mut told = xml;
    let mut left = vec![canonical(&parse(&main_part(&source)))];
    for (author, date, choices) in [("Ann", DATE, first), ("Bob", LATER, second)] {
        let mut document =
            WordDocument::open(bytes.clone(), &Limits::default()).map_err(|e| e.to_string())?;
        let count = document.paragraph_count();
        let mut choices = Choices::of(choices);
        // Comments are no tracked changes, so they would have to be left out.
        let operations: Vec<Value> = (0..1 + choices.below(4))
            .map(|_| operation(&mut choices, count))
            .filter(|operation| operation["op"] != "insert_comment")
            .collect();
        told += &format!("\n{author}: {}", json!(operations));
        let parsed = parse_batch(&json!(operations)).map_err(|error| format!("{error}\n{told}"))?;
        let options = EditOptions { author: author.to_owned(), date: date.to_owned() };
        let results = document.apply(&parsed, &options).map_err(|error| error.to_string())?;
        if let Some(failed) = results.iter().find(|result| result.status == Status::Failed) {
            return Err(format!("{failed:#?}\n{told}"));
        }
        bytes = document.save(Tracking::Tracked).map_err(|error| format!("{error}\n{told}"))?.bytes;
        left.push(canonical(&parse(&main_part(&bytes))));
    }
    let written = parse(&main_part(&bytes));
    let without_second = resolve(&written, Side::Reject, Some(LATER));
    if canonical(&without_second) != left[1] {
        return Err(format!("rejecting the second does not give what the first left\n{told}"));
    }
    if canonical(&resolve(&without_second, Side::Reject, Some(DATE))) != left[0] {
        return Err(format!("rejecting both does not give the source\n{told}"));
    }
    Ok(())
}

/// What is asked for a second time, in another session, is there already.
#[test]
fn a_wish_that_is_fulfilled_changes_nothing() {
    let sample = DocxBuilder::new()
        .body(
            "<w:p><w:r><w:t>one two three</w:t></w:r></w:p><w:p><w:r><w:t>four</w:t></w:r></w:p>\
             <w:tbl><w:tblPr/><w:tblGrid/><w:tr><w:tc><w:p><w:r><w:t>five</w:t></w:r></w:p></w:tc></w:tr></w:tbl><w:p/>",
        )
        .build();
    for operation in [
        json!({"op": "edit_paragraph", "paragraphIndex": 1, "newContent": "one, two, three"}),
        json!({"op": "replace_paragraph", "paragraphIndex": 2, "content": "other words"}),
        json!({"op": "format_text", "paragraphIndex": 1, "textToFormat": "two", "bold": true}),
        json!({"op": "highlight_text", "paragraphIndex": 1, "textToFind": "two"}),
        json!({"op": "format_paragraph", "paragraphIndex": 2, "alignment": "right"}),
        json!({"op": "edit_table", "paragraphIndex": 3, "action": "update_cell", "targetRow": 0, "targetColumn": 0, "content": "six"}),
        json!({"op": "edit_table", "paragraphIndex": 3, "action": "replace_content", "content": [["seven"]]}),
    ] {
        let batch = parse_batch(&json!([operation])).unwrap();
        let options = EditOptions { author: "Tester".to_owned(), date: DATE.to_owned() };
        let mut bytes = sample.clone();
        for wanted in [Status::Applied, Status::NoChange] {
            let mut document = WordDocument::open(bytes.clone(), &Limits::default()).unwrap();
            let results = document.apply(&batch, &options).unwrap();
            assert_eq!(results[0].status, wanted, "{operation}: {results:?}");
            let saved = document.save(Tracking::Tracked).unwrap().bytes;
            assert_eq!(saved == bytes, wanted == Status::NoChange, "{operation}");
            bytes = saved;
        }
    }
}

fn check(document: &[u8], batch: &[u8]) -> Result<(), String> {
    let mut xml = body(&mut Choices::of(document));
    if document.first().is_some_and(|first| first % 4 == 3) {
        // Some programs indent what they write: white space stands before and behind everything but text.
        xml = xml.replace("><w:", ">\n <w:").replace("></w:", ">\n</w:");
    }
    let source = DocxBuilder::new().body(&xml).build();
    let mut document = WordDocument::open(source.clone(), &Limits::default()).map_err(|e| e.to_string())?;
    let count = document.paragraph_count();
    let mut choices = Choices::of(batch);
    let operations: Vec<Value> = (0..1 + choices.below(6)).map(|_| operation(&mut choices, count)).collect();
    let told = || format!("{xml}\n{}", serde_json::to_string_pretty(&operations).unwrap());
    let parsed = parse_batch(&json!(operations)).map_err(|error| format!("{error}\n{}", told()))?;
    let options = EditOptions { author: "Tester".to_owned(), date: DATE.to_owned() };
    let results = document.apply(&parsed, &options).map_err(|error| error.to_string())?;
    if let Some(failed) = results.iter().find(|result| result.status == Status::Failed) {
        return Err(format!("{failed:#?}\n{}", told()));
    }
    let saved = document.save(Tracking::Tracked).map_err(|error| format!("{error}\n{}", told()))?;
    let again = WordDocument::open(saved.bytes.clone(), &Limits::default()).map_err(|e| e.to_string())?;
    let before = WordDocument::open(source.clone(), &Limits::default()).map_err(|e| e.to_string())?;
    if let Some(code) = new_error(&before, &again)? {
        return Err(format!("the check finds {code}, which was not there\n{}", told()));
    }
    // Comments are no tracked changes, so they would have to be left out.
    let commented = results.iter().any(|result| !result.comment_ids.is_empty());
    let written = parse(&main_part(&saved.bytes));
    let rejected = canonical(&resolve(&written, Side::Reject, Some(DATE)));
    if !commented && rejected != canonical(&parse(&main_part(&source))) {
        return Err(format!("rejecting does not give the source\n{}", told()));
    }
    // What people get who accept all is what was meant: the same batch, written without a trace. Words in somebody's pending
    // insertion are part of that then, so all is accepted on both sides.
    let meant = document.save(Tracking::Untracked).map_err(|error| format!("{error}\n{}", told()))?;
    let accepted = canonical(&resolve(&written, Side::Accept, None));
    if accepted != canonical(&resolve(&parse(&main_part(&meant.bytes)), Side::Accept, None)) {
        return Err(format!("accepting does not give what was meant\n{}", told()));
    }
    Ok(())
}

/// The code of an error that the check finds more often after than before.
fn new_error(before: &WordDocument, after: &WordDocument) -> Result<Option<&'static str>, String> {
    let counts = |document: &WordDocument| {
        let mut counts = std::collections::BTreeMap::<&'static str, usize>::new();
        let findings = engross_docx::check(document).map_err(|error| error.to_string())?;
        for finding in findings.iter().filter(|finding| finding.severity == Severity::Error) {
            *counts.entry(finding.code).or_default() += 1;
        }
        Ok::<_, String>(counts)
    };
    let known = counts(before)?;
    let new = |(code, count): &(&'static str, usize)| *count > known.get(code).copied().unwrap_or(0);
    Ok(counts(after)?.into_iter().find(new).map(|(code, _)| code))
}

fn operation(choices: &mut Choices<'_>, count: usize) -> Value {
    let index = 1 + choices.below(count.max(1));
    let other = 1 + choices.below(count.max(1));
    let end = index.max(other);
    let words = choices.words();
    let word = choices.word();
    match choices.below(24) {
        0 => json!({"op": "format_text", "paragraphIndex": index, "bold": true, "size": 12}),
        1 => json!({"op": "format_text", "textToFormat": word, "occurrence": "all", "italic": false}),
        2 => json!({"op": "highlight_text", "textToFind": word, "occurrence": 1, "color": "green"}),
        3 => {
            json!({"op": "format_paragraph", "paragraphIndex": index, "endParagraphIndex": end, "alignment": "right"})
        }
        4 => json!({"op": "insert_comment", "paragraphIndex": index, "commentContent": words}),
        5 => {
            json!({"op": "insert_comment", "textToFind": word, "occurrence": "last", "commentContent": words})
        }
        6 => json!({"op": "edit_list", "startParagraphIndex": index, "endParagraphIndex": end,
                    "listType": "bullet", "newItems": [words, word, format!("    {word}")]}),
        7 => json!({"op": "insert_list_item", "afterParagraphIndex": index, "text": words}),
        8 => json!({"op": "convert_headers_to_list", "paragraphIndices": [index, other]}),
        9 => json!({"op": "edit_section", "sectionHeaderIndex": index, "newBodyParagraphs": [words]}),
        10 => json!({"op": "edit_table", "paragraphIndex": index, "action": "add_row", "content": [word]}),
        11 => json!({"op": "edit_table", "paragraphIndex": index, "action": "delete_row", "targetRow": 0}),
        12 => json!({"op": "edit_table", "paragraphIndex": index, "action": "add_column", "content": [word]}),
        13 => {
            json!({"op": "edit_table", "paragraphIndex": index, "action": "delete_column", "targetColumn": 0})
        }
        14 => json!({"op": "edit_table", "paragraphIndex": index, "action": "update_cell",
                     "targetRow": 0, "targetColumn": 0, "content": format!("{words}\n{word}")}),
        15 => json!({"op": "replace_paragraph", "paragraphIndex": index,
                     "content": format!("# {word}\n{words}\n\n- {word}\n\n| a | b |\n|---|---|\n| {word} | c |")}),
        16 => json!({"op": "replace_range", "paragraphIndex": index, "endParagraphIndex": end,
                     "content": format!("{words}\n\n{word}")}),
        17 => json!({"op": "move_paragraph", "paragraphIndex": index, "after": other}),
        18 => json!({"op": "restore_paragraph", "paragraphIndex": index}),
        19 => {
            json!({"op": "modify_text", "originalText": word, "replacementText": words, "occurrence": "all",
                     "scope": "everywhere", "wholeWord": true, "matchCase": false})
        }
        20 => {
            json!({"op": "modify_text", "pattern": "(\\w+) (\\w+)", "replacementText": "$2 $1", "occurrence": "all"})
        }
        21 => json!({"op": "highlight_text", "pattern": "[a-z]{2,3}", "occurrence": "last", "color": "cyan"}),
        22 => {
            json!({"op": "modify_text", "originalText": word, "replacementText": words, "occurrence": "first",
                     "fields": "refuse"})
        }
        _ => {
            json!({"op": "edit_paragraph", "paragraphIndex": index, "newContent": format!("**{word}** {words}")})
        }
    }
}
