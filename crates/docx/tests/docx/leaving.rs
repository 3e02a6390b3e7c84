//! What was given up, rejected or struck for good is not in the file any more, seen or unseen: notes, pictures, addresses of links.

use std::io::Read as _;

use engross_docx::ops::{ProofState, Status, parse_batch};
use engross_docx::revisions::Side;
use engross_docx::{CleanOptions, EditOptions, Limits, Tracking, WordDocument};
use engross_testkit::docx::DocxBuilder;
use serde_json::{Value, json};

const SECRET: &str = "confidential";

fn run(text: &str) -> String {
    format!("<w:r><w:t xml:space=\"preserve\">{text}</w:t></w:r>")
}

fn paragraph(content: &str) -> String {
    format!("<w:p>{content}</w:p>")
}

/// A picture with a number of its own, and the id of its relationship.
fn picture(number: u8, id: &str) -> String {
    format!(
        "<w:r><w:drawing><wp:inline xmlns:wp=\"http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing\">\
         <wp:extent cx=\"9\" cy=\"9\"/><wp:docPr id=\"{number}\" name=\"x\"/>\
         <a:graphic xmlns:a=\"http://schemas.openxmlformats.org/drawingml/2006/main\"><a:blip r:embed=\"{id}\"/></a:graphic></wp:inline></w:drawing></w:r>"
    )
}

fn open(bytes: Vec<u8>) -> WordDocument {
    WordDocument::open(bytes, &Limits::default()).unwrap()
}

fn edit(document: &mut WordDocument, operation: &Value) {
    let options = EditOptions { author: "Ann".to_owned(), date: "2026-01-01T00:00:00Z".to_owned() };
    let batch = parse_batch(&json!([operation])).unwrap();
    let results = document.apply(&batch, &options).unwrap();
    assert_eq!(results[0].status, Status::Applied, "{operation}: {:?}", results[0].message);
}

/// The parts in which these bytes stand, and those of which it is the name.
fn places(document: &[u8], words: &str) -> Vec<String> {
    let mut archive = zip::ZipArchive::new(std::io::Cursor::new(document)).unwrap();
    let mut found = Vec::new();
    for index in 0..archive.len() {
        let mut file = archive.by_index(index).unwrap();
        let name = file.name().unwrap().into_owned();
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).unwrap();
        if bytes.windows(words.len()).any(|window| window == words.as_bytes()) || name.contains(words) {
            found.push(name);
        }
    }
    found.sort();
    found
}

fn saved(document: &WordDocument) -> Vec<u8> {
    let bytes = document.save(Tracking::Tracked).unwrap().bytes;
    let again = open(bytes.clone());
    assert_eq!(engross_docx::check(&again).unwrap(), [], "the file is whole");
    assert_eq!(again.revision(), document.revision(), "who read before it was saved goes on");
    bytes
}

fn two_paragraphs() -> DocxBuilder {
    DocxBuilder::new().body(&(paragraph(&run("One.")) + &paragraph(&run("Two."))))
}

fn delete(number: usize) -> Value {
    json!({"op": "delete_paragraph", "paragraphIndex": number})
}

#[test]
fn a_note_that_is_given_up() {
    for kind in ["footnote", "endnote"] {
        let mut document = open(two_paragraphs().build());
        edit(&mut document, &json!({"op": "insert_paragraph", "after": 1, "content": "New."}));
        edit(
            &mut document,
            &json!({"op": "insert_note", "paragraphIndex": 2, "kind": kind,
            "content": format!("{SECRET}, see [us](https://{SECRET}.example)")}),
        );
        assert_eq!(places(&saved(&document), SECRET).len(), 2, "the note and where its link leads");
        edit(&mut document, &delete(2));
        assert_eq!(places(&saved(&document), SECRET), [] as [String; 0]);
    }
}

/// The same in a later session, which goes on with what it wrote before, and edits another note besides.
#[test]
fn a_note_of_an_earlier_session_that_is_given_up() {
    let mut document = open(two_paragraphs().build());
    edit(&mut document, &json!({"op": "insert_note", "paragraphIndex": 1, "content": "stays"}));
    let bytes = saved(&document);

    let mut document = open(bytes);
    edit(
        &mut document,
        &json!({"op": "insert_paragraph", "after": 1, "content": format!("New.[^1]\n\n[^1]: {SECRET}")}),
    );
    let (bytes, record) = (saved(&document), document.own_record(Tracking::Tracked).unwrap());
    assert_eq!(places(&bytes, SECRET), ["word/footnotes.xml"]);

    let mut document = open(bytes);
    document.recall(record);
    edit(
        &mut document,
        &json!({"op": "modify_text", "target": "footnote:1", "originalText": "stays", "replacementText": "remains"}),
    );
    edit(&mut document, &delete(2));
    let told = document.save(Tracking::Tracked).unwrap();
    assert_eq!((told.proof.reject, told.proof.accept), (ProofState::Holds, ProofState::Holds));
    assert_eq!(places(&saved(&document), SECRET), [] as [String; 0]);
    assert_eq!(places(&told.bytes, "remains"), ["word/footnotes.xml"]);
}

/// A picture, a link and a note of the source, struck: they stay while the change is pending, and go when it is done.
#[test]
fn what_is_struck_goes_with_its_revision() {
    let link = format!("<w:hyperlink r:id=\"l\">{}</w:hyperlink>", run("link"));
    let note = "<w:r><w:footnoteReference w:id=\"4\"/></w:r>";
    let source = DocxBuilder::new()
        .body(
            &(paragraph(&(run("One.") + &picture(1, "p") + &link + note))
                + &paragraph(&(run("Two.") + &picture(2, "q")))),
        )
        .relationship("p", "image", "media/confidential.png")
        .relationship("q", "image", "media/other.png")
        .part("word/media/confidential.png", "a picture")
        .part("word/media/other.png", "another")
        .external("l", "hyperlink", "https://confidential.example")
        .footnotes(&format!("<w:footnote w:id=\"4\">{}</w:footnote>", paragraph(&run(SECRET))))
        .build();
    let all = ["word/_rels/document.xml.rels", "word/footnotes.xml", "word/media/confidential.png"];
    let found = |bytes: &[u8]| places(bytes, SECRET);
    let mut document = open(source);
    edit(&mut document, &delete(1));
    let pending = saved(&document);
    assert_eq!(found(&pending), all, "somebody may still reject it");
    for side in [Side::Accept, Side::Reject] {
        let mut document = open(pending.clone());
        document.resolve_all(side).unwrap();
        let bytes = saved(&document);
        assert_eq!(found(&bytes), if side == Side::Accept { vec![] } else { all.to_vec() }, "{side:?}");
        assert_eq!(places(&bytes, "another"), ["word/media/other.png"]);
    }
    assert_eq!(found(&document.save(Tracking::Untracked).unwrap().bytes), [] as [String; 0]);
    let mut document = open(pending);
    document.clean(CleanOptions::default()).unwrap();
    assert_eq!(found(&saved(&document)), [] as [String; 0]);
}

/// A picture that two places show stays while one of them does, and one that another part of the file shows, too.
#[test]
fn what_something_else_shows_stays() {
    let source = DocxBuilder::new()
        .body(&(paragraph(&picture(3, "p")) + &paragraph(&picture(4, "p")) + &paragraph(&picture(5, "q"))))
        .relationship("p", "image", "media/confidential.png")
        .relationship("q", "image", "media/logo.png")
        .part("word/media/confidential.png", "a picture")
        .part("word/media/logo.png", "another")
        .header("h", &paragraph(&picture(6, "k")))
        .part(
            "word/_rels/header-h.xml.rels",
            "<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\"><Relationship Id=\"k\" \
             Type=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships/image\" Target=\"media/logo.png\"/></Relationships>",
        )
        .build();
    let header = places(&source, "embed=\"k\"");
    assert_eq!(header, ["word/header-h.xml"], "the header is the part whose relationships these are");
    let mut document = open(source);
    for number in [1, 3] {
        edit(&mut document, &delete(number));
    }
    document.resolve_all(Side::Accept).unwrap();
    let bytes = saved(&document);
    assert_eq!(
        places(&bytes, "confidential.png"),
        ["word/_rels/document.xml.rels", "word/media/confidential.png"]
    );
    assert_eq!(places(&bytes, "logo.png"), ["word/_rels/header-h.xml.rels", "word/media/logo.png"]);
}

#[test]
fn a_picture_that_is_given_up_or_rejected() {
    // A picture of one point.
    let data = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC";
    let insert = json!({"op": "insert_image", "after": 1, "data": data, "altText": "seal"});
    let mut document = open(two_paragraphs().build());
    edit(&mut document, &insert);
    let bytes = saved(&document);
    assert_eq!(places(&bytes, "word/media/").len(), 1);
    let mut rejected = open(bytes);
    rejected.resolve_all(Side::Reject).unwrap();
    assert_eq!(places(&saved(&rejected), "media/"), [] as [String; 0]);
    edit(&mut document, &delete(2));
    assert_eq!(places(&saved(&document), "media/"), [] as [String; 0]);
}

#[test]
fn a_clean_version_has_no_picture_of_its_first_page() {
    let source = two_paragraphs()
        .part(
            "_rels/.rels",
            "<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">\
             <Relationship Id=\"a\" Type=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument\" Target=\"word/document.xml\"/>\
             <Relationship Id=\"b\" Type=\"http://schemas.openxmlformats.org/package/2006/relationships/metadata/thumbnail\" Target=\"docProps/thumbnail.jpeg\"/>\
             </Relationships>",
        )
        .part("docProps/thumbnail.jpeg", "a small picture")
        .build();
    let mut document = open(source);
    document.clean(CleanOptions::default()).unwrap();
    assert_eq!(places(&document.save(Tracking::Tracked).unwrap().bytes, "thumbnail"), [] as [String; 0]);
}

/// A comment at a deleted paragraph with nothing before it: it stands where the text behind begins, once that is accepted.
#[test]
fn a_comment_at_a_first_paragraph_that_goes() {
    let cell = |text: &str| format!("<w:tc>{}</w:tc>", paragraph(&run(text)));
    let body = paragraph(&run("Title"))
        + &format!(
            "<w:tbl><w:tblPr/><w:tblGrid><w:gridCol/></w:tblGrid><w:tr>{}</w:tr></w:tbl>",
            cell("Item")
        )
        + &paragraph(&run("End."));
    let mut document = open(DocxBuilder::new().body(&body).build());
    edit(&mut document, &delete(1));
    edit(&mut document, &json!({"op": "insert_comment", "paragraphIndex": 1, "commentContent": "why?"}));
    let bytes = saved(&document);
    for mut document in [document, open(bytes)] {
        document.resolve_all(Side::Accept).unwrap();
        let again = open(saved(&document));
        assert_eq!(again.paragraph_count(), 2);
        assert_eq!(again.comments().unwrap().len(), 1);
    }
    // The same at the end, where the comment stands behind the text before it.
    let mut document = open(two_paragraphs().build());
    edit(&mut document, &delete(2));
    edit(&mut document, &json!({"op": "insert_comment", "paragraphIndex": 2, "commentContent": "why?"}));
    document.resolve_all(Side::Accept).unwrap();
    let again = open(saved(&document));
    assert_eq!((again.paragraph_count(), again.comments().unwrap().len()), (1, 1));
}

#[test]
fn a_header_that_no_section_shows() {
    let section =
        |id: &str| format!("<w:sectPr><w:headerReference w:type=\"default\" r:id=\"{id}\"/></w:sectPr>");
    let source = DocxBuilder::new()
        .body(
            &(format!("<w:p><w:pPr>{}</w:pPr>{}</w:p>", section("a"), run("One."))
                + &paragraph(&run("Two."))
                + &section("b")),
        )
        .header("a", &paragraph(&run("Public")))
        .header("b", &paragraph(&run(SECRET)))
        .build();
    let mut document = open(source);
    edit(
        &mut document,
        &json!({"op": "modify_text", "target": "header:default@2", "originalText": SECRET, "replacementText": format!("more {SECRET}")}),
    );
    assert_eq!(places(&saved(&document), SECRET).len(), 1);
    edit(&mut document, &json!({"op": "link_header", "section": 2, "to": "previous", "untracked": "allow"}));
    let bytes = saved(&document);
    assert_eq!(places(&bytes, SECRET), [] as [String; 0]);
    assert_eq!(places(&bytes, "Public").len(), 1);
}

/// Where a list of what leads where is damaged, the rest of the document is as good as before, and all parts stay.
#[test]
fn a_damaged_list_of_relationships_is_in_nobodys_way() {
    let stamp = "w:id=\"1\" w:author=\"Ben\" w:date=\"2026-01-01T00:00:00Z\"";
    let source = DocxBuilder::new()
        .body(&(paragraph(&format!("<w:del {stamp}>{}</w:del>", picture(1, "p"))) + &paragraph(&run("Two."))))
        .relationship("p", "image", "media/confidential.png")
        .part("word/media/confidential.png", "a picture")
        .header("h", &paragraph(&format!("<w:ins {stamp}>{}</w:ins>", run("Head"))))
        .part("word/_rels/header-h.xml.rels", "<Relationships")
        .build();
    let mut document = open(source);
    document.resolve_all(Side::Accept).unwrap();
    let bytes = document.save(Tracking::Tracked).unwrap().bytes;
    assert_eq!(places(&bytes, "Head"), ["word/header-h.xml"]);
    assert_eq!(places(&bytes, "confidential.png").len(), 2);
}
