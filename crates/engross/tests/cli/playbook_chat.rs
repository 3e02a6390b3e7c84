//! A playbook in a conversation: the model of `engross chat` reads, answers the positions, invents a citation, mends it, and what is left
//! is a redline with a reason on each change.

use std::io::Write;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::desk::{ENGROSS, TestBench, example, ran};

/// What holds of the example, but for one citation of words that are not in it.
fn answers() -> Value {
    json!([
        {"position": "Confidential Information", "verdict": "fallback", "paragraph": "P20",
         "quote": "make available to the other (the “Recipient”) for the Permitted Purpose"},
        {"position": "Exceptions", "verdict": "standard", "paragraph": "P40", "quote": "works out by itself"},
        {"position": "Term", "verdict": "deviates", "paragraph": "P50", "quote": "runs for three (3) years",
         "reason": "We want two years.", "original": "three (3) years", "replacement": "two (2) years"},
        {"position": "Return and destruction", "verdict": "fallback", "paragraph": "P46", "quote": "Within twenty (20) Working Days"},
        {"position": "Liability", "verdict": "missing", "reason": "Our exposure has to have an end.", "insertAfter": "P61",
         "content": "Neither party is liable for indirect loss, and all other liability is capped at EUR 100,000."},
        {"position": "Non-solicitation", "verdict": "missing"},
        {"position": "Governing law", "verdict": "standard", "paragraph": "P69", "quote": "the laws and courts of the Republic of Ireland"},
    ])
}

fn script() -> Value {
    let review = |args: Value| json!([{"name": "review_playbook", "args": args}]);
    let mended = json!([{"position": "Governing law", "verdict": "standard", "paragraph": "P69", "quote": "the courts of Ireland alone"}]);
    json!({"turns": [
        {"when": {"last_role": "user", "contains": "by nda.md"}, "text": "I read both.",
         "tool_calls": [{"name": "read_document", "args": {}}, {"name": "review_playbook", "args": {"playbook": "nda.md"}}]},
        {"when": {"last_role": "tool", "contains": "## Governing law"}, "tool_calls": review(json!({"playbook": "nda.md", "answers": answers()}))},
        {"when": {"last_role": "tool", "contains": "CITATION_REFUSED"}, "tool_calls": review(json!({"playbook": "nda.md", "answers": mended}))},
        {"when": {"last_role": "tool", "contains": "Nothing has to be changed"}, "text": "Two things have to change."},
    ]})
}

#[test]
fn a_review_in_a_conversation_is_a_redline_with_reasons() {
    let desk = TestBench::new();
    desk.put("nda.md", &std::fs::read(example("playbooks/nda.md")).unwrap());
    desk.put("script.json", script().to_string().as_bytes());
    let before = desk.bytes("nda.docx");
    let mut child = desk
        .command(ENGROSS)
        .args(["chat", "nda.docx", "--data", "data", "--author", "Ada", "--model", "script:script.json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // It may end before it has read all.
    let _ = child.stdin.take().unwrap().write_all(b"Review the agreement by nda.md.\n");
    let said = ran(child.wait_with_output().unwrap());
    assert_eq!(said.code, Some(0), "{said:?}");
    // The last turn comes only after the invented citation was refused, and the mended one taken.
    assert!(said.stdout.contains("Two things have to change."), "{said:?}");
    assert_eq!(desk.bytes("nda.docx"), before);
    assert_eq!(desk.run(&["verify", "nda.docx", "nda.redline.docx"]).code, Some(0));
    let accepted = desk.run(&["read", "nda.redline.docx"]).stdout;
    assert!(
        accepted.contains("runs for two (2) years") && accepted.contains("capped at EUR 100,000."),
        "{accepted}"
    );
    let changes = desk.run(&["revisions", "nda.redline.docx", "--json"]).json();
    let ours: Vec<&Value> =
        changes["revisions"].as_array().unwrap().iter().filter(|change| change["author"] == "Ada").collect();
    assert!(
        ours.iter().all(|change| change["date"].is_string()) && (3..=6).contains(&ours.len()),
        "{ours:?}"
    );
    let comments = desk.run(&["comments", "nda.redline.docx"]).stdout;
    for reason in
        ["Playbook, Term: We want two years.", "Playbook, Liability: Our exposure has to have an end."]
    {
        assert!(comments.contains(reason), "{reason}: {comments}");
    }
    // Of what is as it should be nothing is said.
    assert!(
        !comments.contains("Playbook, Governing law") && !comments.contains("Playbook, Non-solicitation"),
        "{comments}"
    );
}
