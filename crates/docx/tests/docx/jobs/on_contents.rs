//! Jobs on tables of contents: whatever becomes of the headings, an update makes the table list them.

use serde_json::{Value, json};

use super::documents::agreement;
use super::paper::Paper;
use super::{JobOutcome, ask, number, paper};
use crate::oracle::Side;

/// What a table lists: number and title of each line, without its page.
fn listed(paper: &Paper) -> Vec<String> {
    let lines = paper.lines.iter().filter(|line| line.style.starts_with("TOC") && line.style != "TOCHeading");
    lines
        .map(|line| {
            let (words, _) = line.text.rsplit_once('\t').unwrap_or((&line.text, ""));
            // A line leads to the paragraph that it names.
            let (link, words) =
                words.strip_prefix("⟦link → #").and_then(|rest| rest.split_once('⟧')).unwrap_or_default();
            assert!(!link.is_empty() && squeezed(words).contains(&squeezed(link)), "{}", line.text);
            squeezed(words)
        })
        .collect()
}

/// The headings of the first level with their numbers, as a reader sees them.
fn headings(paper: &Paper) -> Vec<String> {
    let shown = paper.shown();
    let lines = paper.lines.iter().zip(&shown);
    let heading = lines.filter(|(line, _)| line.style == "Heading1" || line.style == "ScheduleHeading");
    heading
        .map(|(line, shown)| {
            let marker = shown.split_once("] ").and_then(|(head, _)| head.split_once(&line.style));
            let marker = marker.map_or("", |(_, marker)| marker.trim());
            squeezed(&format!("{marker} {}", line.text))
        })
        .collect()
}

fn squeezed(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

/// The operations, and an update of all fields after them.
fn updated(operations: &[Value]) -> JobOutcome {
    let mut all = operations.to_vec();
    all.push(json!({"op": "update_fields"}));
    ask(&agreement(), &Value::Array(all))
}

#[track_caller]
fn follows(operations: &[Value]) {
    follows_but_for(operations, &[]);
}

#[track_caller]
fn follows_but_for(operations: &[Value], untracked: &[&str]) {
    let done = updated(operations);
    for result in &done.results {
        assert_eq!(result.code, None, "{result:?}");
    }
    let found = paper(&done.written);
    assert_eq!(listed(&found), headings(&found));
    // Rejecting gives the old table back.
    let rejected = super::reader::read(&done.written, Side::Reject);
    assert_eq!(listed(&rejected), listed(&paper(&done.source)));
    done.is_sound_but_for(untracked);
    // What is right is left alone.
    let again = ask(&done.written, &json!([{"op": "update_fields"}]));
    assert_eq!(again.results[0].status, engross_docx::ops::Status::NoChange, "{:?}", again.results);
}

fn clause(title: &str) -> usize {
    number(&agreement(), "Heading1", title)
}

#[test]
fn job_37_contents_of_the_source_are_right() {
    let source = paper(&agreement());
    assert_eq!(listed(&source), headings(&source));
    assert!(listed(&source).len() > 30);
}

#[test]
fn job_37_contents_follow_a_renamed_heading() {
    let at = clause("Warranties");
    follows(&[
        json!({"op": "edit_paragraph", "paragraphIndex": at, "newContent": "Warranties and Undertakings"}),
    ]);
}

#[test]
fn job_37_contents_follow_a_new_clause() {
    for before in ["Definitions and Interpretation", "Data Protection"] {
        let new = json!({"op": "insert_paragraph", "before": clause(before), "content": "Anti-Bribery", "style": "Heading1"});
        follows(&[new]);
    }
}

#[test]
fn job_37_contents_follow_a_struck_clause() {
    for (title, next) in
        [("Definitions and Interpretation", "Commencement and Term"), ("Confidentiality", "Data Protection")]
    {
        let (first, behind) = (clause(title), clause(next));
        follows(&[
            json!({"op": "delete_paragraph", "paragraphIndex": first, "endParagraphIndex": behind - 1, "references": "drop"}),
        ]);
    }
}

#[test]
fn job_37_contents_follow_a_moved_clause() {
    let (first, behind) = (clause("Confidentiality"), clause("Data Protection"));
    let to = clause("Intellectual Property");
    let moved = json!({"op": "move_paragraph", "paragraphIndex": first, "endParagraphIndex": behind - 1, "before": to});
    follows_but_for(&[moved], &["footnotes.xml"]);
}

/// A new table is one like others.
#[test]
fn job_37_contents_that_a_document_gets_are_updated_too() {
    let source = super::documents::nda();
    let first = ask(
        &source,
        &json!([{"op": "insert_table_of_contents", "after": 1, "levels": "1-3", "title": "Contents"}]),
    );
    let at = number(&first.written, "Heading3", "2. OBLIGATIONS");
    let second = ask(
        &first.written,
        &json!([
            {"op": "modify_text", "paragraphIndex": at, "originalText": "OBLIGATIONS", "replacementText": "DUTIES"},
            {"op": "update_fields"},
        ]),
    );
    let found = paper(&second.written);
    let lines = listed(&found);
    assert!(lines.contains(&"2.DUTIES".to_owned()), "{lines:?}");
    assert_eq!(lines.iter().filter(|line| line.starts_with("2.")).count(), 1, "{lines:?}");
    second.is_sound();
}

/// A line of the table repeats a heading, and is never meant by the heading's words.
#[test]
fn job_37_words_of_a_heading_mean_the_heading() {
    let listed =
        ask(&super::documents::nda(), &json!([{"op": "insert_table_of_contents", "before": 1}])).written;
    let target = json!({"text": "6. NO LICENCE"});
    let done =
        ask(&listed, &json!([{"op": "edit_paragraph", "target": target, "newContent": "6. NO RIGHTS"}]));
    done.says(|wish| {
        let at = wish
            .lines
            .iter()
            .position(|line| line.style == "Heading3" && line.text == "6. NO LICENCE")
            .unwrap();
        wish.lines[at].text = "6. NO RIGHTS".to_owned();
    });
}
