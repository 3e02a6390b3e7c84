//! Laws of the comparison, on random changes of random documents: rejecting a redline gives the first document and accepting it the
//! second, a document differs in nothing from itself, two equal sides are one, and a merge of edits in other places has both.
//!
//! `ENGROSS_COMPARE_SECONDS=1200` looks for that long at changes that nobody has seen; otherwise they are the same every time.

use std::time::{Duration, Instant};

use engross_docx::ops::{ProofState, parse_batch};
use engross_docx::read::ReadOptions;
use engross_docx::revisions::Side;
use engross_docx::{
    CompareOptions, ComparedView, EditOptions, Granularity, Limits, MergeOptions, Tracking, WordDocument,
    changes_of, compare, compare_three, merged, text_changes,
};
use engross_testkit::docx::DocxBuilder;
use proptest::collection::vec;
use proptest::prelude::any;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};
use serde_json::{Value, json};

use crate::comparing::stories;
use crate::jobs::documents;
use crate::random_bodies::{Choices, body};

const DATE: &str = "2026-01-31T09:30:00Z";

#[test]
#[expect(clippy::disallowed_methods, reason = "a test setting, not one of the program")]
fn laws_of_the_comparison_hold() {
    let seconds = std::env::var("ENGROSS_COMPARE_SECONDS").ok().and_then(|text| text.parse().ok());
    let cases = if seconds.is_some() { 60 } else { 12 };
    let config = Config { cases, failure_persistence: None, max_shrink_iters: 2_000, ..Config::default() };
    let (started, mut runs) = (Instant::now(), 0);
    let mut failures = Vec::new();
    loop {
        let mut runner = match seconds {
            Some(_) => TestRunner::new(config.clone()),
            None => {
                TestRunner::new_with_rng(config.clone(), TestRng::deterministic_rng(RngAlgorithm::ChaCha))
            }
        };
        let choices =
            (any::<u8>(), vec(any::<u8>(), 0..200), vec(any::<u8>(), 0..60), vec(any::<u8>(), 0..60));
        let outcome = runner.run(&choices, |(which, base, one, other)| {
            laws(which, &base, &one, &other).map_err(TestCaseError::fail)
        });
        runs += config.cases;
        match outcome {
            Ok(()) => {}
            Err(TestError::Fail(reason, choices)) => failures.push(format!("{reason}\nfrom {choices:?}")),
            Err(error) => failures.push(error.to_string()),
        }
        if seconds.is_none_or(|seconds| started.elapsed() >= Duration::from_secs(seconds)) {
            println!("{runs} documents in {:?}", started.elapsed());
            assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n\n"));
            return;
        }
        // One that is found is told at once: a long run may be cut off.
        failures
            .iter()
            .skip(failures.len().saturating_sub(1))
            .for_each(|failure| println!("{runs}: {failure}\n"));
    }
}

/// A document that somebody wrote, or one that nobody would.
fn base_of(which: u8, bytes: &[u8]) -> Vec<u8> {
    let made = match which % 12 {
        0 => documents::nda(),
        1 | 2 => documents::agreement(),
        3 => documents::hebrew(),
        4 => documents::prices(),
        5 => documents::bilingual(),
        6 => documents::with_text_box(),
        7 => documents::form(),
        8 => documents::merged(),
        _ => DocxBuilder::new().body(&body(&mut Choices::of(bytes))).build(),
    };
    settled(made, Side::Accept)
}

fn settled(bytes: Vec<u8>, side: Side) -> Vec<u8> {
    let mut document = WordDocument::open(bytes, &Limits::default()).unwrap();
    document.resolve_all(side).unwrap();
    document.save(Tracking::Tracked).unwrap().bytes
}

/// Operations on paragraphs of a part of a document.
fn operations(bytes: &[u8], part: (usize, usize), choices: &mut Choices<'_>) -> Vec<Value> {
    let document = WordDocument::open(bytes.to_vec(), &Limits::default()).unwrap();
    let read = document.read(&ReadOptions { labels: false, ..ReadOptions::default() });
    let paragraphs = read.map(|reading| reading.paragraphs).unwrap_or_default();
    let (first, end) = (part.0 * paragraphs.len() / 8, part.1 * paragraphs.len() / 8);
    if end <= first {
        return Vec::new();
    }
    let operation = |choices: &mut Choices<'_>| {
        let at = first + choices.below(end - first);
        let number = at + 1;
        let text = paragraphs[at].text.as_str();
        let words: Vec<&str> =
            text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
        let word = words.get(choices.below(words.len().max(1))).copied().unwrap_or_default();
        let new = choices.words();
        let half = text.char_indices().nth(text.chars().count() / 2).map_or(0, |(at, _)| at);
        match choices.below(13) {
            0..=3 if !word.is_empty() => {
                json!({"op": "modify_text", "paragraphIndex": number, "originalText": word, "replacementText": new})
            }
            4 => json!({"op": "delete_paragraph", "paragraphIndex": number}),
            5 => json!({"op": "insert_paragraph", "after": number, "content": new}),
            6 => {
                json!({"op": "insert_paragraph", "before": number, "content": format!("{number}. {text} {new}"), "plain": true})
            }
            7 => {
                json!({"op": "insert_paragraph", "after": number, "content": format!("- **{new}**[^1]\n- {text}\n\n[^1]: a note")})
            }
            8 => {
                let there = first + choices.below(end - first) + 1;
                json!({"op": "move_paragraph", "paragraphIndex": number, "after": there})
            }
            9 if !word.is_empty() => {
                json!({"op": "format_text", "paragraphIndex": number, "textToFormat": word, "bold": true})
            }
            10 => json!({"op": "format_paragraph", "paragraphIndex": number, "alignment": "right"}),
            11 => json!({"op": "edit_paragraph", "paragraphIndex": number, "plain": true,
                        "newContent": format!("{}\n\n{}", &text[..half], &text[half..])}),
            12 => {
                json!({"op": "edit_table", "paragraphIndex": number, "action": "add_row", "content": [new]})
            }
            _ => {
                json!({"op": "edit_paragraph", "paragraphIndex": number, "append": format!(" {new}"), "plain": true})
            }
        }
    };
    (0..=choices.below(5)).map(|_| operation(choices)).collect()
}

/// The document as somebody sends it back: with those of the operations that can be done, all of them accepted.
fn sent_back(base: &[u8], operations: &[Value]) -> Option<Vec<u8>> {
    let mut document = WordDocument::open(base.to_vec(), &Limits::default()).unwrap();
    let batch = parse_batch(&json!({"operations": operations, "atomic": false})).ok()?;
    let options = EditOptions { author: "X".to_owned(), date: DATE.to_owned() };
    document.apply(&batch, &options).ok()?;
    Some(settled(document.save(Tracking::Tracked).ok()?.bytes, Side::Accept))
}

fn options(moves: bool) -> CompareOptions {
    CompareOptions {
        author: "C".to_owned(),
        date: DATE.to_owned(),
        view: ComparedView::Accepted,
        keep_revisions: false,
        formatting: true,
        moves,
        granularity: Granularity::Word,
    }
}

fn laws(which: u8, base: &[u8], one: &[u8], other: &[u8]) -> Result<(), String> {
    let base = base_of(which, base);
    let (limits, holds) = (Limits::default(), ProofState::Holds);
    let (mut one, mut other) = (Choices::of(one), Choices::of(other));
    let a = operations(&base, (0, 8), &mut one);
    let Some(after) = sent_back(&base, &a) else { return Ok(()) };
    let story = |what: &str| format!("{what}\n{}", json!(a));
    let same = compare(base.clone(), base.clone(), &options(true), &limits).unwrap();
    if same.bytes != base {
        return Err("a document against itself is not itself".to_owned());
    }
    let moves = !which.is_multiple_of(3);
    for (before, after) in [(&base, &after), (&after, &base)] {
        let made = compare(before.clone(), after.clone(), &options(moves), &limits)
            .map_err(|error| story(&error.to_string()))?;
        if (made.proof.reject, made.proof.accept) != (holds, holds) {
            return Err(story(&format!("not proven: {:?}", made.limitations)));
        }
        if stories(&made.bytes, Side::Reject) != stories(before, Side::Accept) {
            return Err(story("rejecting does not give the first"));
        }
        if stories(&made.bytes, Side::Accept) != stories(after, Side::Accept) {
            return Err(story("accepting does not give the second"));
        }
        changes_of(made.bytes, &limits).map_err(|error| story(&error.to_string()))?;
        let differ = stories(before, Side::Accept) != stories(after, Side::Accept);
        let told = text_changes(before.clone(), after.clone(), ComparedView::Accepted, &limits);
        let told = told.map_err(|error| story(&error.to_string()))?;
        if !differ && told.iter().any(|change| !change.address.contains("note")) {
            return Err(story(&format!("a difference where there is none: {told:?}")));
        }
    }
    let sides = MergeOptions {
        authors: ["Ada".to_owned(), "Bob".to_owned()],
        date: DATE.to_owned(),
        view: ComparedView::Accepted,
        granularity: Granularity::Word,
    };
    let met = compare_three(base.clone(), after.clone(), after.clone(), &sides, &limits).unwrap();
    let done = merged(&met, &limits).map_err(|error| story(&error.to_string()))?;
    if !met.conflicts.is_empty() || stories(&done, Side::Accept) != stories(&after, Side::Accept) {
        return Err(story(&format!("equal sides are not one: {:?}", met.conflicts)));
    }
    // Edits of the first part, and of the last.
    let (a, b) = (operations(&base, (0, 3), &mut one), operations(&base, (5, 8), &mut other));
    let both: Vec<Value> = a.iter().chain(&b).cloned().collect();
    let versions = (sent_back(&base, &a), sent_back(&base, &b), sent_back(&base, &both));
    let (Some(first), Some(second), Some(wanted)) = versions else { return Ok(()) };
    let met = compare_three(base.clone(), first, second, &sides, &limits).unwrap();
    let story = |what: String| format!("{what}\n{}\n{}", json!(a), json!(b));
    if !met.conflicts.is_empty() {
        return Err(story(format!("edits in other places conflict: {:?}", met.conflicts)));
    }
    let done = merged(&met, &limits).map_err(|error| story(error.to_string()))?;
    if met.agreed == 0 && stories(&done, Side::Accept) != stories(&wanted, Side::Accept) {
        let told = format!("{:?} {:?}", met.proof, met.limitations);
        return Err(story(format!("a merge has not both edits: {told}")));
    }
    Ok(())
}

#[test]
fn a_reference_to_a_note_that_is_not_there_gets_no_new_one() {
    let body = "<w:p><w:r><w:t>One.</w:t></w:r><w:r><w:footnoteReference w:id=\"2\"/></w:r></w:p><w:p><w:r><w:t>Two.</w:t></w:r></w:p>";
    let base = DocxBuilder::new().body(body).build();
    let note =
        |text: &str| json!({"op": "insert_note", "paragraphIndex": 2, "afterText": "Two", "content": text});
    let after = sent_back(&base, &[note("a"), note("b")]).unwrap();
    let made = compare(base, after, &options(true), &Limits::default()).unwrap();
    let holds = ProofState::Holds;
    assert_eq!((made.proof.reject, made.proof.accept), (holds, holds), "{:?}", made.limitations);
}
