//! Headers, footers and properties that a document gets, and the version of it that is handed out.

use std::collections::BTreeMap;
use std::io::Read as _;

use engross_docx::ops::{OperationResult, Status, parse_batch};
use engross_docx::read::ReadOptions;
use engross_docx::revisions::Side;
use engross_docx::{CleanOptions, EditOptions, Limits, Tracking, WordDocument, check};
use engross_testkit::docx::DocxBuilder;
use serde_json::{Value, json};

use crate::oracle::parse;

const W: &str = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";

fn line(text: &str) -> String {
    format!("<w:p><w:r><w:t>{text}</w:t></w:r></w:p>")
}

fn section(inside: &str) -> String {
    format!(
        "<w:sectPr>{inside}<w:pgSz w:w=\"11906\" w:h=\"16838\"/><w:docGrid w:linePitch=\"360\"/></w:sectPr>"
    )
}

fn parts(document: &[u8]) -> BTreeMap<String, String> {
    let mut archive = zip::ZipArchive::new(std::io::Cursor::new(document.to_vec())).unwrap();
    let names: Vec<String> = archive.file_names().map(|name| name.unwrap().into_owned()).collect();
    let read = |name: String| {
        let mut text = String::new();
        archive.by_name(&name).unwrap().read_to_string(&mut text).unwrap();
        (name, text)
    };
    names.into_iter().map(read).collect()
}

fn open(document: Vec<u8>) -> WordDocument {
    WordDocument::open(document, &Limits::default()).unwrap()
}

fn apply(document: Vec<u8>, operations: &Value) -> (Vec<OperationResult>, Vec<u8>) {
    let mut word = open(document);
    let options = EditOptions { author: "Ada".to_owned(), date: "2026-01-31T09:30:00Z".to_owned() };
    let results = word.apply(&parse_batch(operations).unwrap(), &options).unwrap();
    (results, word.save(Tracking::Tracked).unwrap().bytes)
}

fn story(document: &[u8], name: &str) -> Vec<String> {
    let options = ReadOptions { story: Some(name.to_owned()), ..ReadOptions::default() };
    let reading = open(document.to_vec()).read(&options).unwrap();
    reading.paragraphs.into_iter().map(|paragraph| paragraph.text).collect()
}

fn no_new_findings(document: &[u8]) {
    let findings = check(&open(document.to_vec())).unwrap();
    assert!(findings.is_empty(), "{findings:?}");
}

#[test]
fn a_header_is_made_where_there_is_none() {
    let source = DocxBuilder::new().body(&[line("one"), section("")].concat()).build();
    let create = json!({"op": "create_header", "content": "**Draft** {PAGE} of {NUMPAGES}\n\nsecond", "alignment": "right"});
    let (results, same) = apply(source.clone(), &json!([create]));
    assert_eq!((results[0].code.as_deref(), same == source), (Some("NOT_TRACKABLE"), true));
    let mut allowed = create;
    allowed["untracked"] = json!("allow");
    let edit = json!({"op": "modify_text", "originalText": "one", "replacementText": "two"});
    let (results, written) = apply(source, &json!([allowed, edit, allowed]));
    let codes: Vec<_> = results.iter().map(|done| done.code.as_deref()).collect();
    assert_eq!(codes, [None, None, Some("STORY_EXISTS")], "{results:?}");
    assert_eq!(results[0].untracked, ["header:default@1"]);
    let texts = story(&written, "header:default");
    assert!(texts[0].starts_with("Draft ") && texts[1] == "second", "{texts:?}");
    let parts = parts(&written);
    let header = &parts["word/header.xml"];
    assert!(
        header.contains(" PAGE ") && header.contains(" NUMPAGES ") && header.contains("w:jc"),
        "{header}"
    );
    assert!(parts["[Content_Types].xml"].contains("header+xml"));
    no_new_findings(&written);
}

#[test]
fn a_document_without_a_section_gets_one() {
    let source = DocxBuilder::new().body(&line("one")).build();
    let (results, written) = apply(
        source,
        &json!([{"op": "create_footer", "content": "x", "untracked": "allow"}, {"op": "modify_text", "originalText": "one", "replacementText": "two"}]),
    );
    assert!(results.iter().all(|done| done.status == Status::Applied), "{results:?}");
    assert_eq!(story(&written, "footer:default"), ["x"]);
}

/// A page that may differ from now on keeps what it had.
#[test]
fn other_headers_stay_on_pages_that_may_differ() {
    let references = "<w:headerReference w:type=\"default\" r:id=\"h\"/><w:footerReference w:type=\"default\" r:id=\"f\"/>";
    let story = |kind: &str, text: &str| format!("<w:{kind} xmlns:w=\"{W}\">{}</w:{kind}>", line(text));
    let source = DocxBuilder::new()
        .body(&[line("one"), section(references)].concat())
        .part("word/header1.xml", story("hdr", "usual header"))
        .part("word/footer1.xml", story("ftr", "usual footer"))
        .relationship("h", "header", "header1.xml")
        .relationship("f", "footer", "footer1.xml")
        .content_type(
            "word/header1.xml",
            "application/vnd.openxmlformats-officedocument.wordprocessingml.header+xml",
        )
        .content_type(
            "word/footer1.xml",
            "application/vnd.openxmlformats-officedocument.wordprocessingml.footer+xml",
        )
        .build();
    for (kind, switch) in [("first", "w:titlePg"), ("even", "w:evenAndOddHeaders")] {
        let create =
            json!([{"op": "create_header", "kind": kind, "content": "letterhead", "untracked": "allow"}]);
        let (results, written) = apply(source.clone(), &create);
        assert_eq!(results[0].status, Status::Applied, "{results:?}");
        assert_eq!(self::story(&written, &format!("header:{kind}")), ["letterhead"]);
        assert_eq!(self::story(&written, &format!("footer:{kind}")), ["usual footer"]);
        assert_eq!(self::story(&written, "header:default"), ["usual header"]);
        let all = parts(&written);
        assert!(all["word/document.xml"].contains(switch) || all["word/settings.xml"].contains(switch));
        no_new_findings(&written);
    }
}

#[test]
fn a_section_shows_the_header_of_the_one_before() {
    let reference = |id: &str| format!("<w:headerReference w:type=\"default\" r:id=\"{id}\"/>");
    let story = |text: &str| format!("<w:hdr xmlns:w=\"{W}\">{}</w:hdr>", line(text));
    let body = format!(
        "<w:p><w:pPr>{}</w:pPr></w:p>{}{}",
        section(&reference("a")),
        line("two"),
        section(&reference("b"))
    );
    let source = DocxBuilder::new()
        .body(&body)
        .part("word/header1.xml", story("first"))
        .part("word/header2.xml", story("second"))
        .relationship("a", "header", "header1.xml")
        .relationship("b", "header", "header2.xml")
        .build();
    let link = |section: usize| json!({"op": "link_header", "section": section, "to": "previous", "untracked": "allow"});
    let (results, written) = apply(
        source,
        &json!([link(2), link(1), link(9), {"op": "modify_text", "originalText": "two", "replacementText": "2"}]),
    );
    let codes: Vec<_> = results.iter().map(|done| done.code.as_deref()).collect();
    assert_eq!(codes, [None, Some("TARGET_NOT_FOUND"), Some("TARGET_NOT_FOUND"), None]);
    assert!(!parts(&written)["word/document.xml"].contains("r:id=\"b\""));
}

#[test]
fn properties_are_set_in_parts_old_and_new() {
    let source = DocxBuilder::new().body(&line("one")).build();
    let wanted = json!([{
        "op": "set_properties", "title": "A <B> & \"C\" שלום", "author": "Ada", "keywords": "x, y", "company": "Acme",
        "custom": {"Matter": "M-1", "Final": true, "Count": 3},
    }]);
    let (results, written) = apply(source, &wanted);
    assert_eq!((results[0].status, results[0].untracked.len()), (Status::Applied, 7), "{results:?}");
    let read = open(written.clone()).properties().unwrap();
    assert_eq!(read.named["title"], "A <B> & \"C\" שלום");
    assert_eq!((read.named["author"].as_str(), read.named["company"].as_str()), ("Ada", "Acme"));
    assert_eq!(
        (read.custom["Matter"].as_str(), read.custom["Final"].as_str(), read.custom["Count"].as_str()),
        ("M-1", "true", "3")
    );
    for part in ["docProps/core.xml", "docProps/app.xml", "docProps/custom.xml"] {
        parse(&parts(&written)[part]);
    }
    no_new_findings(&written);
    let (results, again) = apply(written.clone(), &wanted);
    assert_eq!((results[0].status, again == written), (Status::NoChange, true));
    let change = json!([{"op": "set_properties", "title": "", "custom": {"Matter": null, "Count": 4}}]);
    let (_, changed) = apply(written, &change);
    let read = open(changed).properties().unwrap();
    assert_eq!(
        (read.named.get("title"), read.custom.get("Matter"), read.custom["Count"].as_str()),
        (None, None, "4")
    );
}

#[test]
fn styles_are_listed() {
    let source = DocxBuilder::new()
        .styles("<w:style w:type=\"paragraph\" w:default=\"1\" w:styleId=\"Normal\"><w:name w:val=\"Normal\"/></w:style><w:style w:type=\"paragraph\" w:styleId=\"H\"><w:name w:val=\"heading 1\"/><w:basedOn w:val=\"Normal\"/></w:style>")
        .body("<w:p><w:pPr><w:pStyle w:val=\"H\"/></w:pPr></w:p>")
        .build();
    let styles = open(source).styles().unwrap();
    let told: Vec<_> = styles
        .iter()
        .map(|style| (style.name.as_str(), style.based_on.as_deref(), style.default, style.in_use))
        .collect();
    assert_eq!(told, [("Normal", None, true, false), ("heading 1", Some("Normal"), false, true)]);
}

/// A redline with comments, an answer, revisions in a header, rsids and properties.
fn reviewed() -> Vec<u8> {
    let header = format!("<w:hdr xmlns:w=\"{W}\">{}</w:hdr>", line("header words"));
    let source = DocxBuilder::new()
        .body(&[
            "<w:p w:rsidR=\"00AB12CD\"><w:r w:rsidRPr=\"00AB12CE\"><w:t>first words here</w:t></w:r></w:p>".to_owned(),
            line("second words here"),
            section("<w:headerReference w:type=\"default\" r:id=\"h\"/>"),
        ].concat())
        .settings("<w:rsids><w:rsidRoot w:val=\"00AB12CD\"/></w:rsids>")
        .part("word/people.xml", "<w15:people xmlns:w15=\"http://schemas.microsoft.com/office/word/2012/wordml\"></w15:people>")
        .relationship("who", "people", "people.xml")
        .content_type("word/people.xml", "application/vnd.openxmlformats-officedocument.wordprocessingml.people+xml")
        .part("word/header1.xml", header)
        .relationship("h", "header", "header1.xml")
        .content_type("word/header1.xml", "application/vnd.openxmlformats-officedocument.wordprocessingml.header+xml")
        .build();
    let (_, bytes) = apply(
        source,
        &json!([
        {"op": "modify_text", "originalText": "first", "replacementText": "1st", "author": "Bobby Secret"},
        {"op": "modify_text", "target": "header:default", "originalText": "words", "replacementText": "text", "author": "Bobby Secret"},
        {"op": "insert_comment", "textToFind": "second", "commentContent": "why?", "author": "Bobby Secret"},
        {"op": "set_properties", "author": "Bobby Secret", "company": "Secret Inc", "title": "T", "custom": {"Secret": "x"}},
        ]),
    );
    let (results, bytes) = apply(
        bytes,
        &json!([{"op": "comment_reply", "commentId": 0, "content": "because", "author": "Bobby Secret"}]),
    );
    assert_eq!(results[0].status, Status::Applied, "{results:?}");
    bytes
}

/// Other programs write comments at a place between two words, with a mark alone, or with the mark before the range.
#[test]
fn a_comment_without_a_range_is_answered_at_its_place() {
    let run = |text: &str| format!("<w:r><w:t xml:space=\"preserve\">{text}</w:t></w:r>");
    let mark = "<w:r><w:commentReference w:id=\"1\"/></w:r>";
    let (start, end) = ("<w:commentRangeStart w:id=\"1\"/>", "<w:commentRangeEnd w:id=\"1\"/>");
    let (one, two) = (run("one "), run("two"));
    let all = [
        (format!("{one}{mark}{two}"), ["commentReference", "commentReference"].as_slice()),
        (
            format!("{one}<w:ins w:id=\"7\" w:author=\"A\">{two}</w:ins>{mark}"),
            &["commentReference", "commentReference"],
        ),
        (format!("{one}{two}{end}{mark}"), &["commentRangeEnd", "commentReference", "commentReference"]),
        (
            format!("{start}{one}{end}{mark}{two}"),
            &[
                "commentRangeStart",
                "commentRangeStart",
                "commentRangeEnd",
                "commentReference",
                "commentRangeEnd",
                "commentReference",
            ],
        ),
        (
            format!("{mark}{start}{one}{end}{two}"),
            &["commentReference", "commentReference", "commentRangeStart", "commentRangeEnd"],
        ),
    ];
    for (body, expected) in all {
        let source = DocxBuilder::new()
            .body(&format!("<w:p>{body}</w:p>"))
            .comments(&format!("<w:comment w:id=\"1\" w:author=\"B\"><w:p>{}</w:p></w:comment>", run("why?")))
            .build();
        let answer = json!([{"op": "comment_reply", "commentId": 1, "content": "**so**\n\nand so"}]);
        let (results, bytes) = apply(source, &answer);
        assert_eq!(results[0].status, Status::Applied, "{body}: {results:?}");
        let written = parts(&bytes)["word/document.xml"].clone();
        let anchors: Vec<&str> =
            written.split("<w:").filter_map(|tag| tag.split([' ', '/', '>']).next()).collect();
        let anchors: Vec<&str> = anchors.into_iter().filter(|name| name.starts_with("comment")).collect();
        assert_eq!(anchors, expected, "{written}");
        let told = open(bytes).comments().unwrap();
        assert_eq!(told[1].comment.parent.as_deref(), Some("1"), "{told:?}");
    }
}

/// An answer or a mark gives the comment's paragraph a name, if it has none: that is no change of its text.
#[test]
fn a_comment_is_edited_and_answered_in_one_session() {
    let comment = "<w:comment w:id=\"1\" w:author=\"B\"><w:p><w:r><w:t>why?</w:t></w:r></w:p></w:comment>";
    let edit = json!({"op": "edit_paragraph", "target": "comment:1/P1", "append": " So?"});
    let thread = [
        json!({"op": "comment_reply", "commentId": 1, "content": "Because."}),
        json!({"op": "comment_resolve", "commentId": 1}),
    ];
    for other in &thread {
        for operations in [json!([edit, other]), json!([other, edit])] {
            let source = DocxBuilder::new()
                .body("<w:p><w:r><w:t>one</w:t></w:r><w:r><w:commentReference w:id=\"1\"/></w:r></w:p>")
                .comments(comment)
                .build();
            let (results, bytes) = apply(source, &operations);
            assert!(results.iter().all(|result| result.status == Status::Applied), "{results:?}");
            let mut told = open(bytes);
            told.resolve_all(Side::Reject).unwrap();
            assert_eq!(told.comments().unwrap()[0].comment.text, "why?");
        }
    }
}

#[test]
fn nothing_is_left_in_a_clean_version() {
    let source = reviewed();
    assert!(parts(&source).values().any(|text| text.contains("Bobby Secret")));
    for (keep_comments, anonymous) in [(false, false), (true, false), (false, true), (true, true)] {
        let mut word = open(source.clone());
        word.clean(CleanOptions { keep_comments, anonymous }).unwrap();
        let written = word.save(Tracking::Tracked).unwrap().bytes;
        no_new_findings(&written);
        let all = parts(&written);
        let names: Vec<&str> = all.keys().map(String::as_str).collect();
        for (name, text) in &all {
            if !name.ends_with(".rels") {
                parse(text);
            }
            let mut left: Vec<&str> =
                vec!["<w:ins ", "<w:del ", "w:delText", "Change ", "w:moveFrom", "w:moveTo"];
            if !keep_comments {
                left.extend(["comment", "people"]);
            }
            if anonymous {
                left.extend(["Secret", "w:rsid"]);
            }
            for word in left {
                assert!(
                    !text.contains(word),
                    "{word} is left in {name} ({keep_comments}, {anonymous}): {text}"
                );
            }
        }
        let has = |name: &str| names.iter().any(|known| known.contains(name));
        assert_eq!(
            (has("comments.xml"), has("commentsExtended"), has("people")),
            (keep_comments, keep_comments, keep_comments && !anonymous),
            "{names:?}"
        );
        assert_eq!(has("custom.xml"), !anonymous);
        let texts: Vec<String> = open(written.clone())
            .read(&ReadOptions::default())
            .unwrap()
            .paragraphs
            .into_iter()
            .map(|own| own.text)
            .collect();
        assert_eq!(texts, ["1st words here", "second words here"]);
        assert_eq!(story(&written, "header:default"), ["header text"]);
        let read = open(written).properties().unwrap();
        assert_eq!(read.named["title"], "T");
    }
}
