//! `engross compare` and `engross diff`

use serde_json::Value;

use crate::desk::{DATE, TestBench, example_argument};

/// The example, and what five edits and the other side's own change make of it.
fn two_versions() -> TestBench {
    let desk = TestBench::new();
    let ops = example_argument("operations/nda.json");
    assert_eq!(desk.run(&["apply", "nda.docx", &ops, "--date", DATE]).code, Some(0));
    assert_eq!(desk.run(&["accept", "nda.redline.docx", "-o", "theirs.docx"]).code, Some(0));
    assert_eq!(desk.run(&["accept", "nda.docx", "-o", "ours.docx"]).code, Some(0));
    desk
}

fn texts(desk: &TestBench, file: &str) -> Vec<Value> {
    let reading = desk.run(&["read", file, "--json"]).json();
    reading["paragraphs"].as_array().unwrap().iter().map(|paragraph| paragraph["text"].clone()).collect()
}

#[test]
fn a_redline_gives_back_both_documents() {
    let desk = two_versions();
    let ran =
        desk.run(&["compare", "ours.docx", "theirs.docx", "-o", "changes.docx", "--date", DATE, "--json"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let answer = ran.json();
    assert_eq!(answer["output"], "changes.docx");
    assert_eq!(answer["proof"]["reject"], "holds");
    assert_eq!(answer["proof"]["accept"], "holds");
    assert!(!answer["changes"].as_array().unwrap().is_empty());
    assert_eq!(desk.run(&["accept", "changes.docx", "-o", "accepted.docx"]).code, Some(0));
    assert_eq!(desk.run(&["reject", "changes.docx", "-o", "rejected.docx"]).code, Some(0));
    assert_eq!(texts(&desk, "accepted.docx"), texts(&desk, "theirs.docx"));
    assert_eq!(texts(&desk, "rejected.docx"), texts(&desk, "ours.docx"));
    assert_eq!(desk.run(&["check", "changes.docx"]).code, Some(0));
}

#[test]
fn a_person_reads_what_changed() {
    let desk = two_versions();
    let shown = desk.run(&["diff", "ours.docx", "theirs.docx", "--exit-code"]);
    assert_eq!(shown.code, Some(1));
    assert!(shown.stdout.contains("{+"), "{}", shown.stdout);
    assert_eq!(desk.run(&["diff", "ours.docx", "ours.docx", "--exit-code"]).code, Some(0));
    let told = desk.run(&["compare", "ours.docx", "theirs.docx", "--summary"]);
    assert!(told.stdout.contains("proven"), "{}", told.stdout);
    assert!(told.stdout.contains("ours.redline.docx"), "{}", told.stdout);
}

#[test]
fn a_page_shows_both_side_by_side() {
    let desk = two_versions();
    let ran =
        desk.run(&["compare", "ours.docx", "theirs.docx", "-o", "changes.docx", "--html", "changes.html"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let page = std::fs::read_to_string(desk.path("changes.html")).unwrap();
    assert!(page.contains("<del>") && page.contains("<ins>"));
    assert!(!page.contains("<script") && !page.contains("http"));
    assert_eq!(
        page.matches("<tr>").count(),
        page.matches("</tr>").count() - page.matches("<tr class").count()
    );
}

#[test]
fn neither_document_is_overwritten() {
    let desk = two_versions();
    let before = desk.files();
    for target in ["ours.docx", "theirs.docx"] {
        let ran = desk.run(&["compare", "ours.docx", "theirs.docx", "-o", target]);
        assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    }
    desk.put("letter.docx", b"not a document");
    let ran = desk.run(&["compare", "ours.docx", "letter.docx", "-o", "new.docx"]);
    assert_eq!(ran.code, Some(3));
    assert!(ran.stderr.contains("letter.docx"), "{}", ran.stderr);
    assert_eq!(desk.files()["ours.docx"], before["ours.docx"]);
    assert!(!desk.files().contains_key("new.docx"));
}
