//! Several batches by several people on one document, in the body and in other stories.
//!
//! Like `operations`, must never depend on anything but the bytes.

use std::collections::BTreeMap;

use engross_docx::ops::{Status, parse_batch};
use engross_docx::read::{ReadOptions, View};
use engross_docx::revisions::Side;
use engross_docx::{EditOptions, Limits, Severity, Tracking, WordDocument, check};
use serde_json::{Value, json};

use super::operations::{lines_of, operations_for, options};
use super::sample::sample;

/// Rounds of operations by two people on the sample document.
pub fn rounds(data: &[u8]) {
    hold_in_rounds(sample(), data);
}

/// Three rounds of operations on a document, each chosen for what it says by then. Between two rounds it may be saved and opened again,
/// and another person may go on. Holds each round to the laws of every batch, and all of them to this one: when everything is rejected, the
/// document says what it would have said without them, in each of its stories. Nothing that a check calls an error is new, neither as saved
/// nor when everything is accepted or rejected.
///
/// Of the first byte, two bits for each round tell who comes and whether the round before was saved; the seventh, whether rounds are for
/// other stories than the body, too; the eighth, whether the outcome is checked.
pub fn hold_in_rounds(mut document: WordDocument, data: &[u8]) {
    let Some((first, rest)) = data.split_first() else { return };
    let untouched = rejected(document.clone());
    // A check takes longer than all else.
    let sound = (first & 128 != 0).then(|| faults(&document));
    let mut said: Vec<String> = Vec::new();
    let mut is_tracked = true;
    let mut last = None;
    for (round, chosen) in rest.chunks(rest.len().div_ceil(3).max(1)).enumerate() {
        let choice = first >> (2 * round);
        let author = if choice & 2 == 0 { "F" } else { "G" };
        let json = match first & 64 {
            0 => operations_for(chosen, &lines_of(&document)),
            _ => operations_in_a_story(chosen, &document),
        };
        let Ok(batch) = parse_batch(&json) else { continue };
        said.push(format!("{author}: {json}"));
        let by = EditOptions { author: author.to_owned(), ..options() };
        let Ok(results) = document.apply(&batch, &by) else { return };
        for result in &results {
            assert!(
                result.status != Status::Failed,
                "an operation is done or refused: {result:?} of {said:?}"
            );
            is_tracked &= result.untracked.is_empty() && !matches!(&*result.op, "accept" | "reject");
        }
        let saved = match document.save(Tracking::Tracked) {
            Ok(saved) => saved,
            Err(error) => {
                assert!(error.code() != "PROOF_FAILED", "{error} of {said:?}");
                return;
            }
        };
        let again = match WordDocument::open(saved.bytes, &Limits::default()) {
            Ok(again) => again,
            Err(error) => panic!("a saved document can be opened: {error} of {said:?}"),
        };
        assert!(stories_of(&again) == stories_of(&document), "what is saved says the same: {said:?}");
        assert!(again.revision() == document.revision(), "what is saved has the same token: {said:?}");
        if is_tracked {
            let after = rejected(again.clone());
            let different = first_difference(&untouched, &after);
            assert!(different.is_none(), "rejecting takes all of it back in {different:?}: {said:?}");
        }
        if choice & 1 == 1 {
            said.push("saved".to_owned());
            document = again.clone();
        }
        last = Some(again);
    }
    if let (Some(sound), Some(last)) = (sound, last) {
        assert_sound_as(&sound, &last, &said);
    }
}

/// Nothing that a check calls an error is new in a document, nor when everything in it is accepted or rejected.
fn assert_sound_as(sound: &BTreeMap<&'static str, usize>, document: &WordDocument, said: &[String]) {
    let new = new_fault(sound, document);
    assert!(new.is_none(), "{new:?} is new: {said:?}");
    for side in [Side::Accept, Side::Reject] {
        let mut resolved = document.clone();
        resolved.resolve_all(side).expect("what can be opened can be resolved");
        let bytes = resolved.save(Tracking::Tracked).expect("what is resolved can be saved").bytes;
        let resolved =
            WordDocument::open(bytes, &Limits::default()).expect("what was resolved can be opened");
        let new = new_fault(sound, &resolved);
        assert!(new.is_none(), "{new:?} is new behind {side:?}: {said:?}");
    }
}

/// Errors that a check finds, by code.
fn faults(document: &WordDocument) -> BTreeMap<&'static str, usize> {
    let mut faults = BTreeMap::new();
    let findings = check(document).expect("a document that is open can be checked");
    for finding in findings.iter().filter(|finding| finding.severity == Severity::Error) {
        *faults.entry(finding.code).or_default() += 1;
    }
    faults
}

/// The code of an error that a document has more often than it had.
fn new_fault(before: &BTreeMap<&'static str, usize>, document: &WordDocument) -> Option<&'static str> {
    let is_new = |(code, count): &(&'static str, usize)| *count > before.get(code).copied().unwrap_or(0);
    faults(document).into_iter().find(is_new).map(|(code, _)| code)
}

type Stories = BTreeMap<String, Vec<String>>;

/// The first story that does not say the same. Comments are no tracked changes, so they may come, go, and say something else.
fn first_difference<'a>(one: &'a Stories, other: &'a Stories) -> Option<&'a str> {
    let names = one.keys().chain(other.keys()).filter(|name| !name.starts_with("comment:"));
    names.map(String::as_str).find(|name| one.get(*name) != other.get(*name))
}

/// Operations for the story that the first byte chooses; half of the time, for the body.
fn operations_in_a_story(data: &[u8], document: &WordDocument) -> Value {
    let Some((choice, rest)) = data.split_first() else { return json!([]) };
    let stories = stories_of(document);
    let others = stories.iter().filter(|(name, _)| *name != "body");
    let chosen = others.cycle().nth(usize::from(choice / 2)).filter(|_| choice % 2 == 1);
    let Some((story, lines)) = chosen else { return operations_for(rest, &lines_of(document)) };
    let mut batch = operations_for(rest, lines);
    for operation in batch["operations"].as_array_mut().into_iter().flatten() {
        send_to(story, operation);
    }
    batch
}

/// Names the paragraphs of an operation, which are numbers, in this story.
fn send_to(story: &str, operation: &mut Value) {
    let Some(fields) = operation.as_object_mut() else { return };
    for field in ["after", "before"] {
        if let Some(number) = fields.get(field).and_then(Value::as_u64) {
            fields.insert(field.to_owned(), json!(format!("{story}/P{number}")));
        }
    }
    for field in ["paragraphIndex", "startParagraphIndex", "afterParagraphIndex", "sectionHeaderIndex"] {
        if let Some(number) = fields.get(field).and_then(Value::as_u64) {
            fields.remove(field);
            fields.insert("target".to_owned(), json!(format!("{story}/P{number}")));
        }
    }
}

/// What the paragraphs of each story say once all revisions are accepted.
fn stories_of(document: &WordDocument) -> Stories {
    read_stories(document, true)
}

/// What the paragraphs of each story say when all revisions are rejected.
fn rejected(mut document: WordDocument) -> Stories {
    document.resolve_all(Side::Reject).expect("what can be opened can be resolved");
    read_stories(&document, false)
}

/// A reading that fails is told as no story, on both sides.
fn read_stories(document: &WordDocument, labels: bool) -> Stories {
    let options = ReadOptions {
        view: View::Accepted,
        story: Some("everywhere".to_owned()),
        labels,
        ..ReadOptions::default()
    };
    let mut stories = Stories::new();
    for paragraph in document.read(&options).map(|reading| reading.paragraphs).unwrap_or_default() {
        let story = paragraph.address.rsplit_once('/').map_or("body", |(story, _)| story);
        stories.entry(story.to_owned()).or_default().push(paragraph.text);
    }
    stories
}
