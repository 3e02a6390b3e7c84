//! Jobs on what others wrote: their insertions, their comments, their rounds.

use engross_docx::revisions::Side as EngineSide;
use serde_json::json;

use super::documents::{nda, reviewed};
use super::{AUTHOR, JobOutcome, apply, ask, number, open, paper, save};
use crate::oracle::{Side, parse, resolve};

#[test]
fn job_22_words_in_their_insertion() {
    let done = ask(
        &reviewed(),
        &json!([{"op": "modify_text", "originalText": "within ten days", "replacementText": "within five days"}]),
    );
    done.says(|wish| {
        wish.say("within ten days", "within five days");
    })
    .is_sound();
    // Rejecting theirs leaves nothing of ours behind.
    let original = super::reader::read(&done.written, Side::Reject);
    let at = original.at("The Seller delivers");
    assert_eq!(original.lines[at].text, "The Seller delivers the goods .");
}

/// Without revisions of its own an edit stays inside their insertion, or is refused.
#[test]
fn job_22_an_untracked_edit_does_not_cut_their_insertion() {
    let source = reviewed();
    let mut document = open(&source);
    let batch = json!([{"op": "modify_text", "originalText": "Author", "replacementText": "Agent"},
                           {"op": "modify_text", "originalText": "Company", "replacementText": "Acme", "occurrence": "all"}]);
    let results = apply(&mut document, &batch);
    let Ok(saved) = document.save(engross_docx::Tracking::Untracked) else { return };
    let rejected = super::reader::read(&saved.bytes, Side::Reject);
    let line = &rejected.lines[rejected.at("Title passes")].text;
    assert!(line.ends_with("to the Acme") || line.ends_with("to the Company"), "{line}: {results:?}");
}

#[test]
fn job_23_some_are_accepted_and_some_rejected() {
    let source = reviewed();
    let mut document = open(&source);
    let batch = json!([{"op": "accept", "by": "Alice", "range": "P2-P3"}, {"op": "reject", "by": "Alice", "kind": "row"}, {"op": "reject", "by": "Alice", "kind": "move"}]);
    let results = apply(&mut document, &batch);
    assert!(results.iter().all(|result| result.code.is_none()), "{results:?}");
    let written = save(&document);
    // Once the rest is accepted, it is as if each had been chosen in turn.
    let mut wanted = paper(&source);
    wanted.remove("| Insurance");
    let moved = wanted.remove("The Buyer inspects");
    wanted.insert_after("Title passes", [moved]);
    assert_eq!(super::difference(&wanted, &paper(&written)), None);
    // And once the rest is rejected.
    let mut wanted = super::reader::read(&source, Side::Reject);
    wanted.say("goods .", "goods within ten days of the Order.").say("is net of", "is gross of");
    assert_eq!(super::difference(&wanted, &super::reader::read(&written, Side::Reject)), None);
}

/// Accepting beside edits has an order: first what is chosen, then what is new.
#[test]
fn job_23_accepted_and_edited_in_one_batch() {
    let batch = json!([{"op": "accept", "by": "Alice"}, {"op": "modify_text", "originalText": "two years", "replacementText": "three years"}]);
    let done = ask(&reviewed(), &batch);
    done.says(|wish| {
        wish.say_in("body", "two years", "three years");
        wish.comments[0] = wish.comments[0].replace("after two years", "after three years");
    });
    let rejected = super::reader::read(&done.written, Side::Reject);
    assert_eq!(super::difference(&paper(&done.source), &rejected), None);
}

#[test]
fn job_24_a_comment_is_answered_and_resolved() {
    let done = ask(
        &reviewed(),
        &json!([{"op": "comment_reply", "commentId": 1, "content": "We keep it."}, {"op": "comment_resolve", "commentId": 1}]),
    );
    done.says(|wish| {
        // A thread is done as a whole.
        wish.comments[0] = wish.comments[0].replace("Alice on", "Alice (done) on");
        wish.comments[1] = wish.comments[1].replace("Bob to", "Bob (done) to");
        let answer = "(done) to 'Two years is short.' on 'Claims expire after two years.': We keep it.";
        wish.comments.push(format!("{AUTHOR} {answer}"));
    });
    // Who lists the comments sees both.
    let listed = serde_json::to_string(
        &open(&done.written).comments().unwrap().iter().map(|it| format!("{it:?}")).collect::<Vec<_>>(),
    )
    .unwrap();
    assert!(listed.contains("parent") && listed.contains("resolved"), "{listed}");
}

#[test]
fn job_29_all_of_theirs_is_accepted_or_rejected() {
    let source = reviewed();
    for (side, ours) in [(EngineSide::Accept, Side::Accept), (EngineSide::Reject, Side::Reject)] {
        let mut document = open(&source);
        document.resolve_all(side).unwrap();
        let written = save(&document);
        let wanted = super::reader::read(&source, ours);
        assert_eq!(super::difference(&wanted, &paper(&written)), None);
        let main = parse(&crate::oracle::main_part(&written));
        assert_eq!(resolve(&main, Side::Accept, None), main, "something is left");
    }
}

/// The file that goes out: nothing pending, no comments, and the text as accepted.
#[test]
fn job_40_a_clean_version() {
    let source = reviewed();
    let mut document = open(&source);
    document.resolve_all(EngineSide::Accept).unwrap();
    let batch = json!([{"op": "comment_delete", "commentId": 1}, {"op": "comment_delete", "commentId": 3}]);
    let results = apply(&mut document, &batch);
    assert!(results.iter().all(|result| result.code.is_none()), "{results:?}");
    let written = save(&document);
    let mut wanted = paper(&source);
    wanted.comments.clear();
    assert_eq!(super::difference(&wanted, &paper(&written)), None);
    let main = crate::oracle::main_part(&written);
    assert!(!main.contains("Alice") && !main.contains("comment"), "{main}");
}

/// The answer tells each edit by the paragraph before and after it, not by the runs that it consists of.
#[test]
fn job_41_a_summary_for_a_person() {
    let done = ask(
        &nda(),
        &json!([{"op": "modify_text", "originalText": "three (3) years", "replacementText": "five (5) years"}]),
    );
    let sentence = |years: &str| {
        format!("The Receiving Party shall keep the Confidential Information secret for {years} years.")
    };
    assert_eq!(done.results[0].before, Some(sentence("three (3)")));
    assert_eq!(done.results[0].after, Some(sentence("five (5)")));
}

#[test]
fn job_44_a_stale_reading_and_an_atomic_batch_change_nothing() {
    let source = nda();
    let modify = |old: &str| json!({"op": "modify_text", "originalText": old, "replacementText": "x"});
    let done = ask(&source, &json!({"atomic": true, "operations": [modify("three (3)"), modify("absent")]}));
    assert_eq!(done.written, source);
    let mut document = open(&source);
    let stale = json!({"expectedRevision": "0".repeat(64), "operations": [modify("three (3)")]});
    let batch = engross_docx::ops::parse_batch(&stale).unwrap();
    let error = document.apply(&batch, &super::options()).unwrap_err();
    assert_eq!(error.code(), "STALE_REVISION");
    assert_eq!(save(&document), source);
}

/// Ten, twenty, thirty, forty: one deletion and one insertion, no matter who saved in between.
#[test]
fn job_44_four_rounds_are_one_redline() {
    let source = nda();
    let mut bytes = source.clone();
    for (old, new) in
        [("lasts two", "lasts five"), ("lasts five", "lasts seven"), ("lasts seven", "lasts nine")]
    {
        let batch = json!({"own": "author", "operations": [{"op": "modify_text", "originalText": old, "replacementText": new}]});
        bytes = ask(&bytes, &batch).written;
    }
    let done = JobOutcome { source, written: bytes, results: Vec::new() };
    done.says(|wish| {
        wish.say("lasts two", "lasts nine");
    })
    .is_sound();
    assert_eq!(done.revisions(), 2);
    let main = crate::oracle::main_part(&done.written);
    assert!(!main.contains("five") && !main.contains("seven"), "{main}");
}

/// A commented paragraph goes with its comments, or without them.
#[test]
fn job_40_a_commented_paragraph_is_deleted() {
    let source = reviewed();
    let at = number(&source, "", "Delay entitles");
    let delete =
        |comments: &str| json!([{"op": "delete_paragraph", "paragraphIndex": at, "comments": comments}]);
    ask(&source, &delete("delete"))
        .says(|wish| {
            wish.remove("Delay entitles");
            wish.comments.pop();
        })
        .is_sound();
    ask(&source, &delete("keep"))
        .says(|wish| {
            wish.remove("Delay entitles");
            wish.comments[2] = "Alice (done) on '': Agreed by phone.".to_owned();
        })
        .is_sound();
    ask(&source, &json!([{"op": "delete_paragraph", "paragraphIndex": at}])).refuses(0, "COMMENTED_CONTENT");
}
