//! Batches over several stories and parts: atomic, dry, and numbered apart.

use engross_docx::ops::{OperationResult, Status, parse_batch};
use engross_docx::read::{ReadOptions, View};
use engross_docx::revisions::Side;
use engross_docx::{EditOptions, Limits, Tracking, WordDocument};
use engross_testkit::docx::DocxBuilder;
use serde_json::{Value, json};

use crate::oracle::main_part;

fn sample() -> Vec<u8> {
    DocxBuilder::new()
        .body(
            "<w:p><w:r><w:t>body text</w:t></w:r><w:r><w:footnoteReference w:id=\"2\"/></w:r></w:p>\
             <w:sectPr><w:headerReference w:type=\"default\" r:id=\"h\"/></w:sectPr>",
        )
        .footnotes("<w:footnote w:id=\"2\"><w:p><w:r><w:t>note text</w:t></w:r></w:p></w:footnote>")
        .header("h", "<w:p><w:r><w:t>head text</w:t></w:r></w:p>")
        .build()
}

fn apply(document: &mut WordDocument, batch: &Value) -> Vec<OperationResult> {
    let options = EditOptions { author: "A".to_owned(), date: "2026-01-01T00:00:00Z".to_owned() };
    document.apply(&parse_batch(batch).unwrap(), &options).unwrap()
}

fn texts(document: &WordDocument, story: &str) -> Vec<String> {
    let options =
        ReadOptions { view: View::Accepted, story: Some(story.to_owned()), ..ReadOptions::default() };
    document.read(&options).unwrap().paragraphs.into_iter().map(|paragraph| paragraph.text).collect()
}

fn edits(last: &str) -> Value {
    let edit = |target: &str| json!({"op": "modify_text", "target": target, "originalText": "text", "replacementText": "words"});
    let comment = json!({"op": "insert_comment", "paragraphIndex": 1, "commentContent": "x"});
    let list = json!({"op": "edit_list", "startParagraphIndex": 1, "listType": "bullet", "newItems": ["body words"]});
    json!([edit("footnote:2"), edit("header:default"), comment, list, edit(last)])
}

/// Case 138: one of several parts fails, and the file is byte for byte the source.
#[test]
fn case_138_an_atomic_batch_over_parts_is_taken_back_whole() {
    let mut document = WordDocument::open(sample(), &Limits::default()).unwrap();
    let before = document.revision();
    let results = apply(&mut document, &json!({"atomic": true, "operations": edits("footnote:9")}));
    assert!(results.iter().all(|result| result.status == Status::Refused), "{results:#?}");
    assert_eq!(document.revision(), before);
    assert_eq!(document.save(Tracking::Tracked).unwrap().bytes, sample());
    assert_eq!(document.comments().unwrap(), []);
}

/// Case 138: without `atomic`, what can be done is done.
#[test]
fn case_138_other_parts_are_edited_when_one_is_not_there() {
    let mut document = WordDocument::open(sample(), &Limits::default()).unwrap();
    let before = document.revision();
    let results = apply(&mut document, &edits("footnote:9"));
    let statuses: Vec<Status> = results.iter().map(|result| result.status).collect();
    assert_eq!(
        statuses,
        [Status::Applied, Status::Applied, Status::Applied, Status::Applied, Status::Refused]
    );
    assert_ne!(document.revision(), before);
    let again =
        WordDocument::open(document.save(Tracking::Tracked).unwrap().bytes, &Limits::default()).unwrap();
    assert_eq!(again.revision(), document.revision());
    assert_eq!(texts(&again, "footnotes"), ["note words"]);
    assert_eq!(texts(&again, "headers"), ["head words"]);
    assert_eq!(engross_docx::check(&again).unwrap(), []);
}

#[test]
fn case_122_ids_are_unique_over_all_parts() {
    let mut document = WordDocument::open(sample(), &Limits::default()).unwrap();
    apply(&mut document, &edits("header:default"));
    let mut ids: Vec<Option<i64>> =
        document.revisions().unwrap().iter().map(|placed| placed.revision.stamp.id).collect();
    let count = ids.len();
    assert!(count > 4, "{ids:?}");
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), count);
}

/// Case 139: a change in a header makes a reading stale.
#[test]
fn case_139_the_revision_covers_every_story() {
    let mut document = WordDocument::open(sample(), &Limits::default()).unwrap();
    let before = document.revision();
    apply(&mut document, &json!([{"op": "edit_paragraph", "target": "header:default/P1", "append": "s"}]));
    let batch = json!({"expectedRevision": before, "operations": []});
    let options = EditOptions { author: "A".to_owned(), date: "2026-01-01T00:00:00Z".to_owned() };
    let error = document.apply(&parse_batch(&batch).unwrap(), &options).unwrap_err();
    assert_eq!(error.code(), "STALE_REVISION");
}

/// Case 144: what a format says once it says for good.
#[test]
fn case_144_a_repeated_format_is_no_change() {
    let batch = json!([
        {"op": "format_paragraph", "paragraphIndex": 1, "alignment": "center"},
        {"op": "highlight_text", "paragraphIndex": 1, "textToFind": "body"},
    ]);
    let mut document = WordDocument::open(sample(), &Limits::default()).unwrap();
    apply(&mut document, &batch);
    let once = document.save(Tracking::Tracked).unwrap().bytes;
    let mut again = WordDocument::open(once.clone(), &Limits::default()).unwrap();
    let results = apply(&mut again, &batch);
    assert!(results.iter().all(|result| result.status == Status::NoChange), "{results:#?}");
    assert_eq!(again.save(Tracking::Tracked).unwrap().bytes, once);
}

/// Cases 51 and 147: untracked, looks, lists, rows and moves leave no markup at all.
#[test]
fn cases_51_and_147_untracked_edits_leave_no_revision_in_any_part() {
    let mut document = WordDocument::open(sample(), &Limits::default()).unwrap();
    apply(&mut document, &edits("header:default"));
    apply(&mut document, &json!([{"op": "format_text", "paragraphIndex": 1, "bold": true}]));
    let bytes = document.save(Tracking::Untracked).unwrap().bytes;
    let again = WordDocument::open(bytes, &Limits::default()).unwrap();
    assert_eq!(again.revisions().unwrap(), []);
    assert_eq!(texts(&again, "footnotes"), ["note words"]);
}

/// The comments part is read only when the edits of the body are done already.
#[test]
fn a_batch_that_fails_as_a_whole_changes_nothing() {
    let source = DocxBuilder::new().paragraph("one").comments("<w:comment w:id=\"4\">").build();
    for atomic in [false, true] {
        let mut document = WordDocument::open(source.clone(), &Limits::default()).unwrap();
        let edit = json!({"op": "edit_paragraph", "paragraphIndex": 1, "newContent": "two"});
        let batch =
            json!({"atomic": atomic, "operations": [edit, {"op": "comment_resolve", "commentId": 4}]});
        let options = EditOptions { author: "A".to_owned(), date: "2026-01-01T00:00:00Z".to_owned() };
        assert!(document.apply(&parse_batch(&batch).unwrap(), &options).is_err());
        assert_eq!(texts(&document, "body"), ["one"]);
        assert_eq!(document.save(Tracking::Tracked).unwrap().bytes, source);
    }
}

#[test]
fn opening_a_thread_that_is_open_writes_nothing() {
    let body = "<w:p><w:r><w:t>one</w:t></w:r></w:p>";
    let comment = "<w:comment w:id=\"4\" w:author=\"Ann\"><w:p><w:r><w:t>Why?</w:t></w:r></w:p></w:comment>";
    let source = DocxBuilder::new().body(body).comments(comment).build();
    let mut document = WordDocument::open(source.clone(), &Limits::default()).unwrap();
    let results =
        apply(&mut document, &json!([{"op": "comment_resolve", "commentId": 4, "resolved": false}]));
    assert_eq!(results[0].status, Status::NoChange);
    assert_eq!(document.save(Tracking::Tracked).unwrap().bytes, source);
}

/// Accepting asks for tracking as edits do.
#[test]
fn accepting_can_ask_for_changes_to_be_tracked() {
    let deleted = "<w:p><w:del w:id=\"1\" w:author=\"Ann\" w:date=\"2025-01-01T00:00:00Z\"><w:r><w:delText>x</w:delText></w:r></w:del></w:p>";
    let mut document =
        WordDocument::open(DocxBuilder::new().body(deleted).build(), &Limits::default()).unwrap();
    apply(&mut document, &json!({"trackRevisions": true, "operations": [{"op": "accept"}]}));
    let again =
        WordDocument::open(document.save(Tracking::Tracked).unwrap().bytes, &Limits::default()).unwrap();
    let package = engross_docx::Package::open(again.source().to_vec(), &Limits::default().package).unwrap();
    assert!(String::from_utf8_lossy(&package.part("word/settings.xml").unwrap()).contains("trackRevisions"));
}

/// Programs that do not know DrawingML show the copy of a text box; its old words must not stay in the file.
#[test]
fn the_old_style_copy_of_a_text_box_says_the_same() {
    let content = "<w:txbxContent><w:p><w:r><w:t>Last update</w:t></w:r></w:p></w:txbxContent>";
    let shape = |content: &str, copy: &str| {
        format!(
            "<w:p><w:r><mc:AlternateContent><mc:Choice Requires=\"wps\"><w:drawing><wps:txbx>{content}</wps:txbx></w:drawing>\
             </mc:Choice><mc:Fallback><w:pict><v:textbox>{copy}</v:textbox></w:pict></mc:Fallback></mc:AlternateContent></w:r></w:p>"
        )
    };
    let edited = |body: &str| {
        let mut document =
            WordDocument::open(DocxBuilder::new().body(body).build(), &Limits::default()).unwrap();
        let operation = json!([{"op": "modify_text", "target": "textbox:1/P1", "originalText": "update", "replacementText": "saved"}]);
        let options = EditOptions { author: "A".to_owned(), date: "2026-01-01T00:00:00Z".to_owned() };
        let results = document.apply(&parse_batch(&operation).unwrap(), &options).unwrap();
        assert_eq!(results[0].status, Status::Applied, "{:?}", results[0].message);
        (document.save(Tracking::Tracked).unwrap().bytes, results[0].message.clone())
    };
    let source = shape(content, content);
    let (bytes, _) = edited(&source);
    for (side, gone, count) in [(Side::Accept, "update", 2), (Side::Reject, "saved", 0)] {
        let mut document = WordDocument::open(bytes.clone(), &Limits::default()).unwrap();
        document.resolve_all(side).unwrap();
        let written = main_part(&document.save(Tracking::Tracked).unwrap().bytes);
        assert!(!written.contains(gone), "{written}");
        assert_eq!(written.matches("saved").count(), count, "{written}");
    }
    let other = content.replace("update", "Update");
    let (bytes, message) = edited(&shape(content, &other));
    assert!(main_part(&bytes).contains("Last Update"));
    assert!(message.unwrap_or_default().contains("copy of the text box"));

    // Paragraphs that differ elsewhere are no reason to leave this one as it was.
    let paragraphs = |words: &[&str]| {
        let paragraphs = words.iter().map(|words| format!("<w:p><w:r><w:t>{words}</w:t></w:r></w:p>"));
        format!("<w:txbxContent>{}</w:txbxContent>", paragraphs.collect::<String>())
    };
    let source = shape(
        &paragraphs(&["Last update", "drawn in colour", "Ann"]),
        &paragraphs(&["see page 2", "Last update", "drawn in grey", "Ann"]),
    );
    let (bytes, message) = edited(&source);
    assert_eq!(message, None);
    for (side, words) in
        [(Side::Accept, ["Last saved", "drawn in grey"]), (Side::Reject, ["Last update", "see page 2"])]
    {
        let mut document = WordDocument::open(bytes.clone(), &Limits::default()).unwrap();
        document.resolve_all(side).unwrap();
        let written = main_part(&document.save(Tracking::Tracked).unwrap().bytes);
        let text = written
            .replace("</w:t></w:r><w:r><w:t xml:space=\"preserve\">", "")
            .replace("</w:t></w:r><w:r><w:t>", "");
        assert_eq!(text.matches(words[0]).count(), 2, "{written}");
        assert_eq!(text.matches(words[1]).count(), 1, "{written}");
        assert!(text.contains("drawn in colour"));
    }
}

#[test]
fn a_reading_names_the_stories_and_a_search_looks_in_all() {
    let document = WordDocument::open(sample(), &Limits::default()).unwrap();
    let reading = document.read(&ReadOptions::default()).unwrap();
    let sizes: Vec<(&str, usize, usize)> =
        reading.stories.iter().map(|size| (size.name.as_str(), size.paragraphs, size.characters)).collect();
    assert_eq!(sizes[1..], [("header:default@1", 1, 9), ("footnote:2", 1, 9)]);
    let text = engross_docx::read::notation(&reading, &[]);
    assert!(text.starts_with("Stories: body (1 paragraph, "), "{text}");
    let search = |story: Option<&str>| {
        let options = ReadOptions {
            search: Some("TEXT".to_owned()),
            story: story.map(str::to_owned),
            ..ReadOptions::default()
        };
        let found = document.read(&options).unwrap().paragraphs.into_iter();
        found.map(|paragraph| paragraph.address).collect::<Vec<_>>()
    };
    assert_eq!(search(None), ["P1", "header:default@1/P1", "footnote:2/P1"]);
    assert_eq!(search(Some("body")), ["P1"]);
    assert_eq!(search(Some("headers")), ["header:default@1/P1"]);
}

#[test]
fn numbers_are_those_of_the_view() {
    let item = |mark: &str, text: &str| {
        format!(
            "<w:p><w:pPr><w:numPr><w:ilvl w:val=\"0\"/><w:numId w:val=\"1\"/></w:numPr><w:rPr>{mark}</w:rPr></w:pPr>{text}</w:p>"
        )
    };
    let stamp = |name: &str, id: u8, text: &str| {
        format!("<w:{name} w:id=\"{id}\" w:author=\"B\" w:date=\"2026-01-01T00:00:00Z\"{text}")
    };
    let run = |tag: &str, text: &str| format!("<w:r><w:{tag}>{text}</w:{tag}></w:r>");
    let body = [
        item("", &run("t", "one")),
        item(
            &stamp("del", 1, "/>"),
            &format!("{}</w:del>", stamp("del", 2, &format!(">{}", run("delText", "gone")))),
        ),
        item(
            &stamp("ins", 3, "/>"),
            &format!("{}</w:ins>", stamp("ins", 4, &format!(">{}", run("t", "new")))),
        ),
        item("", &run("t", "last")),
    ];
    let document = DocxBuilder::new()
        .body(&format!("{}<w:sectPr/>", body.concat()))
        .numbering(
            "<w:abstractNum w:abstractNumId=\"0\"><w:lvl w:ilvl=\"0\"><w:start w:val=\"1\"/><w:numFmt w:val=\"decimal\"/>\
             <w:lvlText w:val=\"%1.\"/></w:lvl></w:abstractNum><w:num w:numId=\"1\"><w:abstractNumId w:val=\"0\"/></w:num>",
        )
        .build();
    let document = WordDocument::open(document, &Limits::default()).unwrap();
    let read = |view: View, from: Option<&str>| {
        let options = ReadOptions { view, from: from.map(str::to_owned), ..ReadOptions::default() };
        let reading = document.read(&options).unwrap();
        assert_eq!(reading.total, 4);
        let line = |paragraph: engross_docx::read::ParagraphReading| {
            format!("{} {} {}", paragraph.address, paragraph.marker.unwrap_or_default(), paragraph.text)
        };
        reading.paragraphs.into_iter().map(line).collect::<Vec<_>>()
    };
    assert_eq!(read(View::Accepted, None), ["P1 1. one", "P3 2. new", "P4 3. last"]);
    assert_eq!(read(View::Original, None), ["P1 1. one", "P2 2. gone", "P4 3. last"]);
    assert_eq!(read(View::Markup, None).len(), 4);
    assert_eq!(read(View::Accepted, Some("P2")), ["P3 2. new", "P4 3. last"]);
}
