//! Batches that follow each other, their order, their names, and the bytes around them.

use std::collections::BTreeMap;
use std::io::Read as _;

use engross_docx::ops::{OperationResult, Status, parse_batch};
use engross_docx::read::{ReadOptions, View};
use engross_docx::revisions::Side;
use engross_docx::{EditOptions, Limits, Tracking, WordDocument};
use engross_testkit::docx::DocxBuilder;
use serde_json::{Value, json};

use crate::oracle::main_part;

const DATE: &str = "2026-01-31T09:30:00Z";

fn open(bytes: Vec<u8>) -> WordDocument {
    WordDocument::open(bytes, &Limits::default()).unwrap()
}

fn apply_as(document: &mut WordDocument, author: &str, batch: &Value) -> Vec<OperationResult> {
    let options = EditOptions { author: author.to_owned(), date: DATE.to_owned() };
    document.apply(&parse_batch(batch).unwrap(), &options).unwrap()
}

fn apply(document: &mut WordDocument, batch: &Value) -> Vec<OperationResult> {
    apply_as(document, "Tester", batch)
}

fn save(document: &WordDocument) -> Vec<u8> {
    document.save(Tracking::Tracked).unwrap().bytes
}

fn texts(document: &WordDocument, view: View) -> Vec<String> {
    let options = ReadOptions { view, ..ReadOptions::default() };
    document.read(&options).unwrap().paragraphs.into_iter().map(|paragraph| paragraph.text).collect()
}

fn modify(index: usize, original: &str, new: &str) -> Value {
    json!({"op": "modify_text", "paragraphIndex": index, "originalText": original, "replacementText": new})
}

/// Every entry of a package in its order: name, method, and the bytes as they are stored.
fn entries(bytes: &[u8]) -> Vec<(String, String, Vec<u8>)> {
    let mut archive = zip::ZipArchive::new(std::io::Cursor::new(bytes)).unwrap();
    (0..archive.len())
        .map(|index| {
            let mut entry = archive.by_index_raw(index).unwrap();
            let mut stored = Vec::new();
            entry.read_to_end(&mut stored).unwrap();
            (entry.name().unwrap().into_owned(), entry.compression().to_string(), stored)
        })
        .collect()
}

#[test]
fn case_52_an_unknown_property_is_refused() {
    for (operation, word) in [
        (json!({"op": "format_text", "paragraphIndex": 1, "blod": true}), "bold"),
        (json!({"op": "format_text", "paragraphIndex": 1, "bold": "yes"}), "bold"),
        (json!({"op": "format_text", "paragraphIndex": 1, "properties": {"bold": true}}), "properties"),
        (json!({"op": "format_paragraph", "paragraphIndex": 1, "alignment": "middle"}), "alignment"),
        (json!({"op": "format_paragraph", "paragraphIndex": 1, "spacing": 3}), "spaceAfter"),
    ] {
        let error = parse_batch(&json!([operation])).unwrap_err();
        assert_eq!(error.code(), "INVALID_OPERATION");
        assert!(error.to_string().contains(word), "{error}");
    }
}

#[test]
fn case_113_what_one_inserted_and_changes_again_is_one_insertion() {
    let source = DocxBuilder::new().paragraph("We agree today.").build();
    let mut document = open(source.clone());
    apply(&mut document, &json!([modify(1, "agree", "agree to the fixed price")]));
    let results = apply(&mut document, &json!([modify(1, "fixed price", "open price")]));
    assert_eq!(results[0].status, Status::Applied, "{results:?}");
    let xml = main_part(&save(&document));
    let nested = xml.match_indices("<w:ins ").any(|(at, _)| {
        let inside = &xml[at..at + xml[at..].find("</w:ins>").unwrap()];
        inside.contains("<w:del ") || inside[1..].contains("<w:ins ")
    });
    assert!(!nested && !xml.contains("fixed"), "what was never in the source is not told as deleted: {xml}");
    assert_eq!(texts(&document, View::Accepted), ["We agree to the open price today."]);
    document.resolve_all(Side::Reject).unwrap();
    assert_eq!(texts(&document, View::Accepted), ["We agree today."]);
}

#[test]
fn case_114_a_paragraph_is_edited_again_by_the_next_batch() {
    let source = DocxBuilder::new().paragraph("one two three").build();
    let mut document = open(source.clone());
    for (original, new) in [("one", "1"), ("three", "3"), ("1 two", "1, two")] {
        let results = apply(&mut document, &json!([modify(1, original, new)]));
        assert_eq!(results[0].status, Status::Applied, "{results:?}");
    }
    assert_eq!(texts(&document, View::Accepted), ["1, two 3"]);
    assert_eq!(texts(&document, View::Original), ["one two three"]);
}

#[test]
fn case_123_an_operation_has_one_time_in_whole_seconds() {
    let source = DocxBuilder::new().paragraph("one two").paragraph("three").build();
    let mut document = open(source);
    apply(&mut document, &json!([modify(1, "two", "2"), {"op": "delete_paragraph", "paragraphIndex": 2}]));
    let revisions = document.revisions().unwrap();
    assert!(revisions.len() >= 3, "{revisions:?}");
    for placed in revisions {
        assert_eq!(placed.revision.stamp.date.as_deref(), Some(DATE), "{placed:?}");
    }
}

#[test]
fn case_137_two_hundred_operations_mean_the_document_before_them() {
    let mut builder = DocxBuilder::new();
    for number in 1..=200 {
        builder = builder.paragraph(&format!("paragraph {number} says nothing"));
    }
    let mut operations = Vec::new();
    for number in 1..=100 {
        operations
            .push(json!({"op": "insert_paragraph", "after": number, "content": format!("new {number}")}));
        operations.push(modify(number + 100, "nothing", &format!("word {number}")));
    }
    let mut document = open(builder.build());
    let results = apply(&mut document, &json!(operations));
    assert!(results.iter().all(|result| result.status == Status::Applied));
    let mut wanted = Vec::new();
    for number in 1..=200 {
        let said = if number > 100 { format!("word {}", number - 100) } else { "nothing".to_owned() };
        wanted.push(format!("paragraph {number} says {said}"));
        if number <= 100 {
            wanted.push(format!("new {number}"));
        }
    }
    assert_eq!(texts(&document, View::Accepted), wanted);
}

#[test]
fn case_138_one_of_fifty_is_refused_and_forty_nine_are_done() {
    let mut builder = DocxBuilder::new();
    for number in 1..=50 {
        builder = builder.paragraph(&format!("paragraph {number}"));
    }
    let source = builder.build();
    let operations: Vec<Value> = (1..=50)
        .map(|number| modify(number, if number == 25 { "absent" } else { "paragraph" }, "clause"))
        .collect();
    let mut document = open(source.clone());
    let results = apply(&mut document, &json!(operations));
    let refused: Vec<_> = results.iter().filter(|result| result.status != Status::Applied).collect();
    assert_eq!(
        (refused.len(), refused[0].index, refused[0].code.as_deref()),
        (1, 24, Some("TEXT_NOT_FOUND"))
    );
    let mut document = open(source.clone());
    let results = apply(&mut document, &json!({"atomic": true, "operations": operations}));
    assert!(results.iter().all(|result| result.status == Status::Refused && result.code.is_some()));
    assert_eq!(save(&document), source);
}

#[test]
fn case_141_other_entries_keep_their_bytes_their_order_and_their_compression() {
    let source = DocxBuilder::new()
        .paragraph("one two three")
        .styles("<w:style w:type=\"paragraph\" w:styleId=\"A\"><w:name w:val=\"A\"/></w:style>")
        .footnotes("")
        .part("word/media/image1.png", "no picture, but bytes\u{0}\u{1}")
        .relationship("rId9", "image", "media/image1.png")
        .build();
    let mut document = open(source.clone());
    apply(&mut document, &json!([modify(1, "two", "2")]));
    let written = save(&document);
    let (before, after) = (entries(&source), entries(&written));
    let names = |entries: &[(String, String, Vec<u8>)]| -> Vec<String> {
        entries.iter().map(|(name, ..)| name.clone()).collect()
    };
    assert_eq!(names(&before), names(&after));
    for (old, new) in before.iter().zip(&after) {
        assert_eq!(old.1, new.1, "{}", old.0);
        assert_eq!(old.2 == new.2, old.0 != "word/document.xml", "{}", old.0);
    }
}

#[test]
fn case_142_new_parts_have_a_type_a_relationship_and_a_free_name() {
    let source = DocxBuilder::new()
        .paragraph("one")
        .paragraph("two")
        // Names that a new part would like to have are taken by something else.
        .part("word/comments.xml", "<x/>")
        .part("word/numbering.xml", "<x/>")
        .relationship("rId1", "hyperlink", "x")
        .build();
    let mut document = open(source);
    let batch = json!([
        {"op": "insert_comment", "paragraphIndex": 1, "commentContent": "why?"},
        {"op": "edit_list", "startParagraphIndex": 2, "endParagraphIndex": 2, "listType": "bullet", "newItems": ["two"]},
    ]);
    let results = apply(&mut document, &batch);
    assert!(results.iter().all(|result| result.status == Status::Applied), "{results:?}");
    let written = save(&document);
    let parts: BTreeMap<String, String> = {
        let mut archive = zip::ZipArchive::new(std::io::Cursor::new(&written)).unwrap();
        (0..archive.len())
            .map(|index| {
                let mut entry = archive.by_index(index).unwrap();
                let mut text = String::new();
                entry.read_to_string(&mut text).unwrap();
                (entry.name().unwrap().into_owned(), text)
            })
            .collect()
    };
    assert_eq!((parts["word/comments.xml"].as_str(), parts["word/numbering.xml"].as_str()), ("<x/>", "<x/>"));
    let relationships = roxmltree::Document::parse(&parts["word/_rels/document.xml.rels"]).unwrap();
    let mut ids: Vec<&str> =
        relationships.root_element().children().filter_map(|child| child.attribute("Id")).collect();
    let count = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), count, "a relationship's id is used twice");
    for kind in ["comments", "numbering"] {
        let target = relationships
            .root_element()
            .children()
            .find(|child| child.attribute("Type").is_some_and(|name| name.ends_with(&format!("/{kind}"))))
            .and_then(|child| child.attribute("Target"))
            .unwrap();
        assert!(parts.contains_key(&format!("word/{target}")), "{kind} is related to {target}");
        let wanted = format!("PartName=\"/word/{target}\"");
        let types = &parts["[Content_Types].xml"];
        let declared = types.split("<Override ").find(|entry| entry.contains(&wanted)).unwrap();
        assert!(declared.contains(&format!("wordprocessingml.{kind}+xml")), "{declared}");
    }
}

#[test]
fn case_179_a_wrong_type_of_the_comments_part_is_mended_and_told() {
    let right = "application/vnd.openxmlformats-officedocument.wordprocessingml.comments+xml";
    let wrong = "application/vnd.ms-word.comments+xml";
    let source = DocxBuilder::new()
        .paragraph("one")
        .part(
            "word/comments.xml",
            "<w:comments xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\"/>",
        )
        .relationship("rId9", "comments", "comments.xml")
        .content_type("word/comments.xml", wrong)
        .build();
    let mut document = open(source.clone());
    let comment = json!([{"op": "insert_comment", "paragraphIndex": 1, "commentContent": "why?"}]);
    let results = apply(&mut document, &comment);
    assert!(results[0].message.as_deref().unwrap().contains("content type"), "{results:?}");
    let mut written = zip::ZipArchive::new(std::io::Cursor::new(save(&document))).unwrap();
    let mut types = String::new();
    written.by_name("[Content_Types].xml").unwrap().read_to_string(&mut types).unwrap();
    assert!(types.contains(right) && !types.contains(wrong), "{types}");
    // Without a comment the part is nobody's business.
    let mut document = open(source);
    apply(&mut document, &json!([modify(1, "one", "two")]));
    let mut written = zip::ZipArchive::new(std::io::Cursor::new(save(&document))).unwrap();
    let mut types = String::new();
    written.by_name("[Content_Types].xml").unwrap().read_to_string(&mut types).unwrap();
    assert!(types.contains(wrong));
}

#[test]
fn case_184_a_search_says_that_the_text_is_deleted() {
    let source = DocxBuilder::new().paragraph("paid in pounds").paragraph("paid in euros").build();
    let mut document = open(source);
    apply(&mut document, &json!([modify(1, "pounds", "dollars")]));
    let search = |view, text: &str| {
        let options = ReadOptions { view, search: Some(text.to_owned()), ..ReadOptions::default() };
        let reading = document.read(&options).unwrap();
        (reading.paragraphs.len(), reading.note)
    };
    let (count, note) = search(View::Accepted, "POUNDS");
    let note = note.unwrap();
    assert!(
        count == 0 && note.contains("P1") && note.contains("deletes") && note.contains("original"),
        "{note}"
    );
    let note = search(View::Original, "dollars").1.unwrap();
    assert!(note.contains("P1") && note.contains("inserts"), "{note}");
    assert_eq!(search(View::Accepted, "yen"), (0, None));
    assert_eq!(search(View::Accepted, "euros"), (1, None));
}

/// A package that holds nothing but the part, as a program without one would wrap it.
#[test]
fn case_187_a_bare_part_is_edited_like_the_whole_package() {
    let whole = DocxBuilder::new()
        .body(
            "<w:p><w:r><w:t>one two three</w:t></w:r></w:p><w:p><w:r><w:rPr><w:b/></w:rPr><w:t>four</w:t></w:r></w:p>\
             <w:tbl><w:tblPr/><w:tblGrid/><w:tr><w:tc><w:p><w:r><w:t>five</w:t></w:r></w:p></w:tc></w:tr></w:tbl><w:p/>",
        )
        .styles("<w:style w:type=\"paragraph\" w:styleId=\"A\"><w:name w:val=\"A\"/></w:style>")
        .footnotes("")
        .settings("")
        .build();
    let bare = DocxBuilder::new().part("word/document.xml", main_part(&whole)).build();
    let batch = json!([
        modify(1, "two", "2"),
        {"op": "format_text", "paragraphIndex": 2, "italic": true},
        {"op": "edit_table", "paragraphIndex": 3, "action": "add_row", "content": ["six"]},
        {"op": "insert_paragraph", "after": 1, "content": "new"},
    ]);
    let [whole, bare] = [whole, bare].map(|bytes| {
        let mut document = open(bytes);
        let results = apply(&mut document, &batch);
        (results, main_part(&save(&document)))
    });
    assert!(whole.0.iter().all(|result| result.status == Status::Applied), "{:?}", whole.0);
    assert_eq!(whole, bare);
}

/// Case 132: the refusal to delete a commented paragraph names the author and the text of the comment.
#[test]
fn case_132_the_comment_that_is_in_the_way_is_told() {
    let anchor = "<w:commentRangeStart w:id=\"4\"/><w:r><w:t>Text</w:t></w:r><w:commentRangeEnd w:id=\"4\"/>\
        <w:r><w:commentReference w:id=\"4\"/></w:r>";
    let source = DocxBuilder::new()
        .body(&format!("<w:p>{anchor}</w:p><w:p><w:r><w:t>two</w:t></w:r></w:p>"))
        .comments("<w:comment w:id=\"4\" w:author=\"Ann\"><w:p><w:r><w:t>Why so long?</w:t></w:r></w:p></w:comment>")
        .build();
    let mut document = WordDocument::open(source, &Limits::default()).unwrap();
    let batch = parse_batch(&json!([{"op": "delete_paragraph", "paragraphIndex": 1}])).unwrap();
    let options = EditOptions { author: "Bob".to_owned(), date: "2026-01-01T00:00:00Z".to_owned() };
    let results = document.apply(&batch, &options).unwrap();
    assert_eq!(
        (results[0].code.as_deref(), &results[0].comment_ids[..]),
        (Some("COMMENTED_CONTENT"), &[4][..])
    );
    let message = results[0].message.as_deref().unwrap();
    assert!(message.contains("comment 4 by Ann: 'Why so long?'"), "{message}");
    assert!(message.contains("comment_delete"), "{message}");
}

/// What an operation leaves out or leaves standing because of another of its batch is told.
#[test]
fn what_another_operation_keeps_from_being_done_is_said() {
    let cell = |text: &str| format!("<w:tc><w:tcPr/><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:tc>");
    let row = format!("<w:tr>{}{}</w:tr>", cell("a"), cell("b"));
    let table = format!("<w:tbl><w:tblPr/><w:tblGrid><w:gridCol/><w:gridCol/></w:tblGrid>{row}</w:tbl>");
    let paragraph = |text: &str| format!("<w:p><w:r><w:t>{text}</w:t></w:r></w:p>");
    let body = format!("{table}{}{}", paragraph("One"), paragraph("Two"));
    let mut document = open(DocxBuilder::new().body(&body).build());
    let results = apply(
        &mut document,
        &json!({"operations": [
            {"op": "edit_table", "paragraphIndex": 1, "action": "delete_column", "targetColumn": 1},
            {"op": "edit_table", "paragraphIndex": 1, "action": "add_row", "targetRow": 0, "content": ["x", "y"]},
            {"op": "delete_paragraph", "paragraphIndex": 4},
            {"op": "insert_paragraph", "after": 3, "content": "| a |\n| --- |\n| 1 |"},
        ]}),
    );
    assert!(results.iter().all(|result| result.status == Status::Applied), "{results:?}");
    let said = |at: usize| results[at].message.clone().unwrap_or_default();
    assert!(said(1).contains("left out"), "{results:?}");
    assert!(said(3).contains("stays, empty"), "{results:?}");
}

/// What a batch puts into a document is there for the next one, before it is saved as after, for the same person as for another.
#[test]
fn a_new_header_or_note_is_read_and_edited_by_the_next_batch() {
    let source =
        DocxBuilder::new().paragraph("The fee is ten euros.").paragraph("It is due at once.").build();
    let header = json!({"op": "create_header", "content": "Draft of today", "untracked": "allow"});
    let note =
        json!({"op": "insert_note", "kind": "footnote", "paragraphIndex": 1, "content": "Draft of a note"});
    for (first, story) in [(&header, "header:default@1"), (&note, "footnote:1")] {
        for (author, is_saved) in [("Ann", false), ("Ben", false), ("Ann", true), ("Ben", true)] {
            let mut document = open(source.clone());
            let results = apply_as(&mut document, "Ann", &json!([first]));
            assert_eq!(results[0].status, Status::Applied, "{results:?}");
            if is_saved {
                document = open(save(&document));
            }
            let said = |document: &WordDocument, view| {
                let options = ReadOptions { view, story: Some(story.to_owned()), ..ReadOptions::default() };
                let reading = document.read(&options).unwrap();
                reading.paragraphs.into_iter().map(|paragraph| paragraph.text).collect::<Vec<_>>().join("|")
            };
            assert!(said(&document, View::Accepted).contains("Draft of"), "{story} is read at once");
            let edits = json!([
                {"op": "modify_text", "originalText": "Draft of", "replacementText": "Words of", "scope": "everywhere", "occurrence": "all"},
                {"op": "modify_text", "target": format!("{story}/P1"), "originalText": "o", "occurrence": "first", "replacementText": "u"},
            ]);
            for edit in edits.as_array().unwrap() {
                let results = apply_as(&mut document, author, &json!([edit]));
                assert_eq!(results[0].status, Status::Applied, "{story} {author} {is_saved}: {results:?}");
            }
            let saved = open(save(&document));
            assert!(said(&saved, View::Accepted).contains("Wurds of"), "{}", said(&saved, View::Accepted));
            assert!(said(&saved, View::Original).contains("Draft of"), "{}", said(&saved, View::Original));
        }
    }
}

/// A paragraph before a table goes, though somebody's pending revision has nothing in it but the mark of a bookmark.
#[test]
fn a_paragraph_with_a_new_bookmark_before_a_table_can_be_deleted() {
    let table = "<w:tbl><w:tblPr/><w:tblGrid><w:gridCol/></w:tblGrid><w:tr><w:tc><w:p><w:r><w:t>Cell</w:t></w:r></w:p></w:tc></w:tr></w:tbl>";
    let paragraph = |text: &str| format!("<w:p><w:r><w:t>{text}</w:t></w:r></w:p>");
    let source = DocxBuilder::new()
        .body(&(paragraph("First") + &paragraph("Before") + table + &paragraph("End")))
        .build();
    let bookmark = json!({"op": "insert_bookmark", "paragraphIndex": 2, "name": "Place"});
    for (author, is_saved) in [("Ann", false), ("Ben", false), ("Ann", true), ("Ben", true)] {
        let mut document = open(source.clone());
        apply_as(&mut document, "Ann", &json!([bookmark]));
        if is_saved {
            document = open(save(&document));
        }
        let results =
            apply_as(&mut document, author, &json!([{"op": "delete_paragraph", "paragraphIndex": 2}]));
        assert_eq!(results[0].status, Status::Applied, "{author} {is_saved}: {results:?}");
        let saved = open(save(&document));
        assert_eq!(texts(&saved, View::Accepted), ["First", "Cell", "End"]);
        let mut all = saved.clone();
        all.resolve_all(Side::Accept).unwrap();
        assert_eq!(texts(&all, View::Accepted), ["First", "Cell", "End"]);
        let mut none = saved;
        none.resolve_all(Side::Reject).unwrap();
        assert_eq!(texts(&none, View::Accepted), ["First", "Before", "Cell", "End"]);
        assert!(!main_part(&save(&none)).contains("bookmark"));
    }
}

/// A bookmark in an empty paragraph begins before it ends; a row with one that is new with it goes as a whole.
#[test]
fn a_bookmark_around_nothing_begins_before_it_ends() {
    let cell = "<w:tc><w:p/></w:tc>";
    let table = format!("<w:tbl><w:tblPr/><w:tblGrid><w:gridCol/></w:tblGrid><w:tr>{cell}</w:tr></w:tbl>");
    let source = DocxBuilder::new().body(&(table + "<w:p/>")).build();
    for (place, is_saved) in [(2, false), (3, false), (2, true), (3, true)] {
        let mut document = open(source.clone());
        let row = json!([{"op": "edit_table", "paragraphIndex": 1, "action": "add_row", "targetRow": 1}]);
        let results = apply_as(&mut document, "Ann", &row);
        assert_eq!(results[0].status, Status::Applied, "{results:?}");
        if is_saved {
            document = open(save(&document));
        }
        let bookmark = json!([{"op": "insert_bookmark", "paragraphIndex": place, "name": "Place"}]);
        let results = apply_as(&mut document, "Ben", &bookmark);
        assert_eq!(results[0].status, Status::Applied, "{results:?}");
        let saved = save(&document);
        let xml = main_part(&saved);
        let [start, end] = ["w:bookmarkStart", "w:bookmarkEnd"].map(|name| xml.find(name).unwrap());
        assert!(start < end, "{xml}");
        let mut none = open(saved);
        none.resolve_all(Side::Reject).unwrap();
        let xml = main_part(&save(&none));
        assert_eq!((xml.matches("<w:tr>").count(), xml.matches("bookmark").count()), (1, 0), "{xml}");
    }
}

/// Characters that no XML can hold are refused wherever they stand, and the rest of the batch is done.
#[test]
fn a_control_character_in_any_text_is_refused() {
    let source = DocxBuilder::new().paragraph("The fee is ten euros.").build();
    for bad in ["a\u{1}b", "a\u{FFFE}", "\u{B}"] {
        let operations = [
            json!({"op": "insert_field", "paragraphIndex": 1, "instruction": "PAGE", "result": bad}),
            json!({"op": "set_properties", "untracked": "allow", "title": bad}),
            json!({"op": "set_properties", "untracked": "allow", "custom": {bad: "x"}}),
            json!({"op": "set_properties", "untracked": "allow", "custom": {"Matter": bad}}),
            json!({"op": "modify_text", "originalText": "ten", "replacementText": "nine", "author": bad}),
        ];
        for operation in operations {
            let mut document = open(source.clone());
            let good = modify(1, "euros", "dollars");
            let results = apply(&mut document, &json!([operation, good]));
            assert_eq!(results[0].code.as_deref(), Some("INVALID_CONTENT"), "{results:?}");
            assert_eq!(results[1].status, Status::Applied, "{results:?}");
            assert_eq!(texts(&open(save(&document)), View::Accepted), ["The fee is ten dollars."]);
        }
    }
    // What a caller gives beside a batch must not spoil the file either.
    let mut document = open(source);
    let options = EditOptions { author: "A\u{1}nn".to_owned(), date: DATE.to_owned() };
    document.apply(&parse_batch(&json!([modify(1, "ten", "nine")])).unwrap(), &options).unwrap();
    assert_eq!(open(save(&document)).revisions().unwrap()[0].revision.stamp.author, "A\u{FFFD}nn");
}

/// The words of a text box in a deleted paragraph are edited and given back as others are.
#[test]
fn a_text_box_in_a_deleted_paragraph_is_edited() {
    let text_box = "<w:p><w:r><w:drawing><wps:txbx><w:txbxContent><w:p><w:r><w:t>Boxed words</w:t></w:r></w:p></w:txbxContent></wps:txbx>\
        </w:drawing></w:r><w:r><w:t>beside</w:t></w:r></w:p><w:p><w:r><w:t>End</w:t></w:r></w:p>";
    for (author, is_saved) in [("Ann", false), ("Ben", false), ("Ann", true), ("Ben", true)] {
        let mut document = open(DocxBuilder::new().body(text_box).build());
        apply_as(&mut document, "Ann", &json!([{"op": "delete_paragraph", "paragraphIndex": 1}]));
        if is_saved {
            document = open(save(&document));
        }
        let edit = json!([{"op": "modify_text", "target": "textbox:1/P1", "originalText": "words", "replacementText": "text"}]);
        let results = apply_as(&mut document, author, &edit);
        assert_eq!(results[0].status, Status::Applied, "{author} {is_saved}: {results:?}");
        let mut none = open(save(&document));
        none.resolve_all(Side::Reject).unwrap();
        let xml = main_part(&save(&none));
        assert!(!xml.contains("delText"), "{xml}");
        let options = ReadOptions { story: Some("textbox:1".to_owned()), ..ReadOptions::default() };
        assert_eq!(none.read(&options).unwrap().paragraphs[0].text, "Boxed words");
    }
}

/// A run whose text is empty, as generators leave it, keeps nothing from being formatted.
#[test]
fn words_around_an_empty_run_are_formatted() {
    let body = "<w:p><w:r><w:t>[x]</w:t></w:r><w:r><w:t xml:space=\"preserve\"/></w:r><w:r><w:t/><w:tab/><w:t>One year</w:t></w:r></w:p>";
    for operation in [
        json!({"op": "format_text", "paragraphIndex": 1, "bold": true}),
        json!({"op": "format_text", "paragraphIndex": 1, "textToFormat": "]\tOne", "bold": true}),
    ] {
        let mut document = open(DocxBuilder::new().body(body).build());
        let results = apply(&mut document, &json!([operation]));
        assert_eq!(results[0].status, Status::Applied, "{results:?}");
        save(&document);
    }
}

/// A table that the next batch puts behind a paragraph which goes, but for words that somebody else struck: these stay where they are.
#[test]
fn a_table_behind_a_paragraph_with_words_that_another_struck() {
    let source = DocxBuilder::new().paragraph("the FAST brown fox jumps over the lazy dog").build();
    let mut document = open(source.clone());
    for operation in [
        json!({"op": "edit_paragraph", "paragraphIndex": 1, "newContent": "days"}),
        json!({"op": "insert_paragraph", "after": 1, "content": "two"}),
    ] {
        apply_as(&mut document, "Ben", &json!([operation]));
    }
    let mut document = open(save(&document));
    for operation in [
        json!({"op": "replace_document", "content": "the FAST bdaysover the lazy dog"}),
        json!({"op": "insert_paragraph", "after": 1, "content": "| a | b |\n| --- | --- |\n| 1 | 2 |"}),
    ] {
        let results = apply_as(&mut document, "Ann", &json!([operation]));
        assert_eq!(results[0].status, Status::Applied, "{results:?}");
    }
    let saved = save(&document);
    let mut all = open(saved.clone());
    all.resolve_all(Side::Accept).unwrap();
    assert_eq!(texts(&all, View::Accepted), ["a", "b", "1", "2", "the FAST bdaysover the lazy dog"]);
    let mut none = open(saved);
    none.resolve_all(Side::Reject).unwrap();
    assert_eq!(texts(&none, View::Accepted), ["the FAST brown fox jumps over the lazy dog"]);
}

/// The same where the paragraph goes in the batch that puts the table behind it.
#[test]
fn a_paragraph_with_struck_words_gives_way_to_a_table() {
    let source = DocxBuilder::new().paragraph("First words of it").paragraph("Second").build();
    for author in ["Ann", "Ben"] {
        let mut document = open(source.clone());
        apply_as(&mut document, "Ann", &json!([modify(1, "words of ", "")]));
        let mut document = open(save(&document));
        let batch = json!([
            {"op": "delete_paragraph", "paragraphIndex": 1},
            {"op": "insert_paragraph", "after": 1, "content": "| a | b |\n| --- | --- |\n| 1 | 2 |"},
        ]);
        let results = apply_as(&mut document, author, &batch);
        assert!(results.iter().all(|result| result.status == Status::Applied), "{author}: {results:?}");
        let saved = save(&document);
        let mut all = open(saved.clone());
        all.resolve_all(Side::Accept).unwrap();
        assert_eq!(texts(&all, View::Accepted), ["a", "b", "1", "2", "Second"]);
        let mut none = open(saved);
        none.resolve_all(Side::Reject).unwrap();
        assert_eq!(texts(&none, View::Accepted), ["First words of it", "Second"]);
    }
}

/// Each operation means the columns that the document has before the batch, whatever an earlier one did to the cells that are merged over
/// them, and in whatever order they come.
#[test]
fn columns_under_a_merged_cell_go_in_any_order() {
    let cell = |properties: &str, text: &str| {
        format!(
            "<w:tc><w:tcPr><w:tcW w:w=\"2000\" w:type=\"dxa\"/>{properties}</w:tcPr><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:tc>"
        )
    };
    let wide = cell("<w:gridSpan w:val=\"2\"/>", "Wide");
    let table = format!(
        "<w:tbl><w:tblPr/><w:tblGrid><w:gridCol w:w=\"2000\"/><w:gridCol w:w=\"2000\"/><w:gridCol w:w=\"2000\"/></w:tblGrid>\
         <w:tr>{wide}{}</w:tr><w:tr>{}{}{}</w:tr></w:tbl><w:p/>",
        cell("", "Narrow"),
        cell("", "a"),
        cell("", "b"),
        cell("", "c"),
    );
    let source = DocxBuilder::new().body(&table).build();
    let of_column = |column: usize| json!({"op": "edit_table", "paragraphIndex": 3, "action": "delete_column", "targetColumn": column});
    let left: [(&[usize], &[&str]); 6] = [
        (&[0], &["Wide", "Narrow", "b", "c"]),
        (&[2], &["Wide", "a", "b"]),
        (&[0, 1], &["Narrow", "c"]),
        (&[1, 0], &["Narrow", "c"]),
        (&[0, 2], &["Wide", "b"]),
        (&[2, 1], &["Wide", "a"]),
    ];
    for (columns, texts_left) in left {
        for in_one in [true, false] {
            let mut document = open(source.clone());
            let operations: Vec<Value> = columns.iter().map(|column| of_column(*column)).collect();
            if in_one {
                let results = apply(&mut document, &json!(operations));
                assert!(results.iter().all(|r| r.status == Status::Applied), "{columns:?}: {results:?}");
            } else if columns.len() == 1 {
                continue;
            } else {
                // The columns of a later batch are those that are left, once the first is accepted.
                for (at, column) in columns.iter().enumerate() {
                    let gone = columns.iter().take(at).filter(|gone| *gone < column).count();
                    let mut operation = of_column(column - gone);
                    operation["paragraphIndex"] = json!(1);
                    let results = apply(&mut document, &json!([operation]));
                    assert_eq!(results[0].status, Status::Applied, "{columns:?}: {results:?}");
                    document.resolve_all(Side::Accept).unwrap();
                    document = open(save(&document));
                }
            }
            let bytes = save(&document);
            let mut accepted = open(bytes.clone());
            accepted.resolve_all(Side::Accept).unwrap();
            let mut said = texts(&accepted, View::Accepted);
            assert_eq!(said.pop().as_deref(), Some(""));
            assert_eq!(said, texts_left, "{columns:?} {in_one}");
            if in_one {
                let mut rejected = open(bytes);
                rejected.resolve_all(Side::Reject).unwrap();
                let said = texts(&rejected, View::Accepted);
                assert_eq!(said, ["Wide", "Narrow", "a", "b", "c", ""]);
            }
        }
    }
    // A table keeps a column, and a merged cell that is gone cannot become wider.
    let mut document = open(source.clone());
    let results = apply(&mut document, &json!([of_column(0), of_column(1), of_column(2)]));
    assert_eq!(results[2].code.as_deref(), Some("TABLE_EDIT_REFUSED"), "{results:?}");
    let mut document = open(source);
    let insert = json!({"op": "edit_table", "paragraphIndex": 3, "action": "add_column", "targetColumn": 1});
    let results = apply(&mut document, &json!([of_column(0), of_column(1), insert]));
    assert_eq!(results[2].code.as_deref(), Some("OVERLAPPING_OPERATIONS"), "{results:?}");
    save(&document);
    // Which cells are merged is what it was before the batch, too: cells and columns change in batches of their own.
    let split = json!({"op": "set_table", "paragraphIndex": 3, "split": {"row": 0, "column": 0}});
    let merge = json!({"op": "set_table", "paragraphIndex": 3, "merge": {"fromRow": 1, "fromColumn": 1, "toRow": 1, "toColumn": 2}});
    for (first, second) in [
        (&split, &split),
        (&split, &of_column(1)),
        (&of_column(0), &split),
        (&merge, &of_column(0)),
        (&of_column(2), &merge),
    ] {
        let mut document = open(DocxBuilder::new().body(&table).build());
        let results = apply(&mut document, &json!([first, second]));
        assert_eq!(results[0].status, Status::Applied, "{first}: {results:?}");
        assert_eq!(
            results[1].code.as_deref(),
            Some("OVERLAPPING_OPERATIONS"),
            "{first} {second}: {results:?}"
        );
        save(&document);
    }
    let widths = json!({"op": "set_table", "paragraphIndex": 3, "widths": [50, 50, 50]});
    for (first, second) in [(&split, &merge), (&merge, &split), (&widths, &merge), (&split, &widths)] {
        let mut document = open(DocxBuilder::new().body(&table).build());
        let results = apply(&mut document, &json!([first, second]));
        assert!(results.iter().all(|r| r.status == Status::Applied), "{first} {second}: {results:?}");
        save(&document);
    }
    for (first, second) in [(&of_column(0), &widths), (&widths, &of_column(0))] {
        let mut document = open(DocxBuilder::new().body(&table).build());
        let results = apply(&mut document, &json!([first, second]));
        assert_eq!(
            results[1].code.as_deref(),
            Some("OVERLAPPING_OPERATIONS"),
            "{first} {second}: {results:?}"
        );
        save(&document);
    }
}

/// A comment on a new link, or on a part of it, in the same session or a later one: the link goes when it is rejected, and the comment
/// stays where it was.
#[test]
fn a_comment_on_a_new_link_stays_when_the_link_is_rejected() {
    let source = DocxBuilder::new().paragraph("See the annex of it").build();
    let link = json!({"op": "insert_link", "textToLink": "annex of it", "url": "https://example.com"});
    for words in [None, Some("annex"), Some("of"), Some("it"), Some("annex of it"), Some("the annex")] {
        let mut comment = json!({"op": "insert_comment", "paragraphIndex": 1, "commentContent": "why?"});
        if let Some(words) = words {
            comment["textToFind"] = json!(words);
        }
        for is_saved in [false, true] {
            let mut document = open(source.clone());
            assert_eq!(apply(&mut document, &json!([link]))[0].status, Status::Applied);
            if is_saved {
                document = open(save(&document));
            }
            let results = apply_as(&mut document, "Ben", &json!([comment]));
            assert_eq!(results[0].status, Status::Applied, "{words:?}: {results:?}");
            let bytes = save(&document);
            let mut rejected = open(bytes);
            rejected.resolve_all(Side::Reject).unwrap();
            let bytes = save(&rejected);
            assert!(
                !main_part(&bytes).contains("w:hyperlink"),
                "{words:?} {is_saved}: no empty link is left"
            );
            assert_eq!(texts(&rejected, View::Accepted), ["See the annex of it"]);
            assert_eq!(open(bytes).comments().unwrap().len(), 1);
        }
    }
}
