//! Arbitrary operations on comments, on a document that has threads.

use std::sync::LazyLock;

use engross_docx::ops::{Status, parse_batch};
use engross_docx::{EditOptions, Limits, Tracking, WordDocument};
use engross_testkit::docx::DocxBuilder;
use serde_json::{Value, json};

use super::assert_sound;

/// Comments come, are answered, done, open again and gone, in one session or several, and the parts stay in step.
pub fn comments(data: &[u8]) {
    let mut choices = data.iter().copied();
    static SAMPLE: LazyLock<WordDocument> =
        LazyLock::new(|| WordDocument::open(source(), &Limits::default()).expect("the sample is a document"));
    let mut document = SAMPLE.clone();
    let mut said = Vec::new();
    for _ in 0..4 {
        let count = usize::from(choices.next().unwrap_or_default() % 4);
        let operations: Vec<Value> = (0..count).map(|_| operation(&mut choices)).collect();
        let batch = json!({"operations": operations, "atomic": choices.next().unwrap_or_default() % 5 == 1});
        said.push(batch.to_string());
        let Ok(parsed) = parse_batch(&batch) else { return };
        let options = EditOptions { author: "F".to_owned(), date: "2026-01-01T00:00:00Z".to_owned() };
        let before = document.comments().map(|comments| comments.len()).unwrap_or_default();
        let results = document.apply(&parsed, &options).expect("a batch of comments is applied or refused");
        assert!(results.iter().all(|result| result.status != Status::Failed), "{results:?} of {batch}");
        if results.iter().all(|result| result.status != Status::Applied) {
            let after = document.comments().map(|comments| comments.len()).unwrap_or_default();
            assert!(before == after, "what is refused leaves nothing: {batch}");
        }
        assert_sound(&document);
        if choices.next().unwrap_or_default() % 2 == 1 {
            let saved = match document.save(Tracking::Tracked) {
                Ok(saved) => saved,
                Err(error) => panic!("comments can be saved: {error} behind {said:?}"),
            };
            said.push("saved".to_owned());
            document =
                WordDocument::open(saved.bytes, &Limits::default()).expect("a saved document can be opened");
            assert_sound(&document);
        }
    }
}

const WORDS: &[&str] = &["one", "two", "three", "note", "head", "", "a", "\u{1}"];
const TEXTS: &[&str] =
    &["why?", "**two**\n\nparagraphs", "<&>\"", "", " ", "| a |\n|---|", "\u{202E}x", "- item"];

fn operation(choices: &mut impl Iterator<Item = u8>) -> Value {
    let mut next = || choices.next().unwrap_or_default();
    let (kind, place, word, text) = (next(), next(), next(), next());
    let word = WORDS[usize::from(word) % WORDS.len()];
    let text = TEXTS[usize::from(text) % TEXTS.len()];
    let target = ["P1", "P2", "P3", "P4", "footnote:2/P1", "header:default@1/P1", "comment:0/P1", "P9"]
        [usize::from(place) % 8];
    let comment = i64::from(place % 8);
    match kind % 9 {
        0 => json!({"op": "insert_comment", "target": target, "textToFind": word, "commentContent": text}),
        1 => json!({"op": "insert_comment", "target": target, "commentContent": text}),
        2 => json!({"op": "comment_reply", "commentId": comment, "content": text}),
        3 => json!({"op": "comment_resolve", "commentId": comment}),
        4 => json!({"op": "comment_resolve", "commentId": comment, "resolved": false}),
        5 => json!({"op": "comment_delete", "commentId": comment}),
        6 => json!({"op": "edit_paragraph", "target": target, "append": text}),
        7 => json!({"op": "modify_text", "target": target, "originalText": word, "replacementText": text}),
        _ => json!({"op": "delete_paragraph", "target": target}),
    }
}

fn source() -> Vec<u8> {
    let paragraph = |inner: &str| format!("<w:p>{inner}</w:p>");
    let run = |text: &str| format!("<w:r><w:t>{text}</w:t></w:r>");
    let mark = |id: u8| format!("<w:r><w:commentReference w:id=\"{id}\"/></w:r>");
    let body = [
        paragraph(&format!(
            "<w:commentRangeStart w:id=\"0\"/>{}<w:commentRangeEnd w:id=\"0\"/>{}",
            run("one two three"),
            mark(0)
        )),
        paragraph(
            &(run("one") + "<w:ins w:id=\"7\" w:author=\"A\"><w:r><w:t>two</w:t></w:r></w:ins>" + &mark(1)),
        ),
        paragraph(&(run("three") + "<w:r><w:footnoteReference w:id=\"2\"/></w:r>")),
        paragraph(""),
        "<w:sectPr><w:headerReference w:type=\"default\" r:id=\"h\"/></w:sectPr>".to_owned(),
    ];
    let comment = |id: u8| {
        format!("<w:comment w:id=\"{id}\" w:author=\"B\"><w:p><w:r><w:t>a note</w:t></w:r></w:p></w:comment>")
    };
    DocxBuilder::new()
        .body(&body.concat())
        .footnotes("<w:footnote w:id=\"2\"><w:p><w:r><w:t>note</w:t></w:r></w:p></w:footnote>")
        .comments(&(comment(0) + &comment(1)))
        .header("h", &paragraph(&run("head")))
        .build()
}
