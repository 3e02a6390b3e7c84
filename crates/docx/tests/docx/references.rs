//! References when what they refer to moves or goes, and the operations that make and update them.

use engross_docx::ops::{OperationResult, Status, parse_batch};
use engross_docx::revisions::Side;
use engross_docx::{EditOptions, Limits, Tracking, WordDocument, check};
use engross_testkit::docx::DocxBuilder;
use serde_json::{Value, json};

use crate::oracle::{canonical, main_part, parse, resolve};

const DATE: &str = "2026-01-01T00:00:00Z";
const NUMBERING: &str = "<w:abstractNum w:abstractNumId=\"0\"><w:lvl w:ilvl=\"0\"><w:start w:val=\"1\"/><w:numFmt w:val=\"decimal\"/>\
    <w:lvlText w:val=\"%1.\"/></w:lvl><w:lvl w:ilvl=\"1\"><w:start w:val=\"1\"/><w:numFmt w:val=\"lowerLetter\"/>\
    <w:lvlText w:val=\"(%2)\"/></w:lvl></w:abstractNum><w:num w:numId=\"1\"><w:abstractNumId w:val=\"0\"/></w:num>";

fn run(text: &str) -> String {
    format!("<w:r><w:t xml:space=\"preserve\">{text}</w:t></w:r>")
}

fn field(code: &str, result: &str) -> String {
    let character = |kind: &str| format!("<w:r><w:fldChar w:fldCharType=\"{kind}\"/></w:r>");
    format!(
        "{}<w:r><w:instrText xml:space=\"preserve\"> {code} </w:instrText></w:r>{}{}{}",
        character("begin"),
        character("separate"),
        run(result),
        character("end")
    )
}

fn clause(level: usize, content: &str) -> String {
    format!(
        "<w:p><w:pPr><w:numPr><w:ilvl w:val=\"{level}\"/><w:numId w:val=\"1\"/></w:numPr></w:pPr>{content}</w:p>"
    )
}

/// Clauses 1 to 4, of which 2 is referred to in 4 by field and by hand.
fn contract() -> Vec<u8> {
    let marked = format!(
        "<w:bookmarkStart w:id=\"7\" w:name=\"_Ref7\"/>{}<w:bookmarkEnd w:id=\"7\"/>",
        run("Confidentiality")
    );
    let body = [
        clause(0, &run("Definitions")),
        clause(0, &marked),
        clause(1, &run("Secrets are kept.")),
        clause(0, &run("Fees")),
        clause(
            0,
            &(run("Clause ")
                + &field("REF _Ref7 \\r \\h", "2")
                + &run(" and clause 2 (not clause 3) apply.")),
        ),
    ];
    DocxBuilder::new().body(&body.concat()).numbering(NUMBERING).build()
}

struct EditOutcome {
    results: Vec<OperationResult>,
    document: WordDocument,
    accepted: Vec<String>,
    xml: String,
}

/// Applies a batch; what it writes can be rejected, and the check finds nothing new.
fn edit(source: &[u8], batch: &Value) -> EditOutcome {
    let mut document = WordDocument::open(source.to_vec(), &Limits::default()).unwrap();
    let findings = check(&document).unwrap().len();
    let options = EditOptions { author: "A".to_owned(), date: DATE.to_owned() };
    let results = document.apply(&parse_batch(batch).unwrap(), &options).unwrap();
    let saved = document.save(Tracking::Tracked).unwrap().bytes;
    let written = parse(&main_part(&saved));
    let rejected = canonical(&resolve(&written, crate::oracle::Side::Reject, Some(DATE)));
    assert_eq!(rejected, canonical(&parse(&main_part(source))));
    let mut accepted = WordDocument::open(saved, &Limits::default()).unwrap();
    accepted.resolve_all(Side::Accept).unwrap();
    assert!(check(&accepted).unwrap().len() <= findings, "{:?}", check(&accepted));
    let xml = main_part(&accepted.save(Tracking::Tracked).unwrap().bytes);
    let reading = accepted.read(&engross_docx::read::ReadOptions::default()).unwrap();
    let texts = reading.paragraphs.into_iter().map(|paragraph| paragraph.text).collect();
    EditOutcome { results, document, accepted: texts, xml }
}

#[test]
fn what_is_referred_to_is_not_deleted_in_silence() {
    let edited = edit(&contract(), &json!([{"op": "delete_paragraph", "paragraphIndex": 2}]));
    assert_eq!(edited.results[0].code.as_deref(), Some("REFERENCE_BROKEN"));
    assert_eq!(edited.results[0].address.as_deref(), Some("P2"));
    let message = edited.results[0].message.clone().unwrap();
    assert!(message.starts_with("P5 refers to this text (bookmark _Ref7)"), "{message}");
    assert_eq!(edited.accepted[1], "Confidentiality");
}

#[test]
fn a_reference_that_goes_too_does_not_count() {
    let batch = json!([{"op": "delete_paragraph", "paragraphIndex": 2}, {"op": "delete_paragraph", "paragraphIndex": 5}]);
    let edited = edit(&contract(), &batch);
    assert!(edited.results.iter().all(|result| result.status == Status::Applied), "{:?}", edited.results);
}

#[test]
fn references_are_dropped_or_retargeted() {
    let delete = |policy: Value| {
        edit(&contract(), &json!([{"op": "delete_paragraph", "paragraphIndex": 2, "references": policy}]))
    };
    let dropped = delete(json!("drop"));
    assert_eq!(dropped.results[0].code, None);
    assert!(!dropped.xml.contains("REF "), "{}", dropped.xml);
    assert_eq!(dropped.accepted[3], "Clause 2 and clause 2 (not clause 3) apply.");
    let led = delete(json!({"retarget": "P4"}));
    assert!(led.xml.contains("REF _Ref100000001"), "{}", led.xml);
    assert!(
        led.xml.contains("<w:bookmarkStart w:id=\"11\" w:name=\"_Ref100000001\"/>")
            || led.xml.contains("w:name=\"_Ref100000001\"/><w:r>"),
        "{}",
        led.xml
    );
}

#[test]
fn references_follow_what_moves_and_are_updated() {
    let batch = json!([
        {"op": "move_paragraph", "paragraphIndex": 2, "endParagraphIndex": 3, "after": 4},
        {"op": "update_references"}
    ]);
    let edited = edit(&contract(), &batch);
    assert!(edited.results.iter().all(|result| result.status == Status::Applied), "{:?}", edited.results);
    assert_eq!(edited.accepted[1..4], ["Fees", "Confidentiality", "Secrets are kept."]);
    assert_eq!(
        edited.accepted[4],
        "Clause ⟦ref _Ref100000001 → P3 \"3\"⟧ and clause 3 (not clause 2) apply."
    );
    // What is left then: nothing.
    let mut document = edited.document;
    let options = EditOptions { author: "A".to_owned(), date: DATE.to_owned() };
    let again =
        document.apply(&parse_batch(&json!([{"op": "update_references"}])).unwrap(), &options).unwrap();
    assert_eq!(again[0].status, Status::NoChange, "{again:?}");
    let survey = document.survey();
    assert_eq!(document.effects(&survey).stale_references, []);
}

#[test]
fn references_are_made() {
    let batch = json!([
        {"op": "insert_cross_reference", "paragraphIndex": 1, "to": "P3", "show": "number_full"},
        {"op": "insert_cross_reference", "paragraphIndex": 5, "replaceText": "3", "to": "P4"},
        {"op": "insert_cross_reference", "paragraphIndex": 4, "afterText": "Fees", "to": {"bookmark": "_Ref7"}, "show": "text"},
        {"op": "insert_bookmark", "paragraphIndex": 3, "text": "Secrets", "name": "Secrets"},
        {"op": "insert_field", "paragraphIndex": 3, "instruction": "SEQ Item", "result": "1"},
        {"op": "insert_cross_reference", "paragraphIndex": 1, "to": {"bookmark": "nothing"}},
        {"op": "insert_bookmark", "paragraphIndex": 3, "name": "_Ref7"}
    ]);
    let edited = edit(&contract(), &batch);
    let codes: Vec<Option<&str>> = edited.results.iter().map(|result| result.code.as_deref()).collect();
    assert_eq!(
        codes,
        [None, None, None, None, None, Some("TARGET_NOT_FOUND"), Some("INVALID_CONTENT")],
        "{:?}",
        edited.results
    );
    assert_eq!(
        edited.accepted,
        [
            "Definitions⟦ref _Ref100000001 → P3 \"2(a)\"⟧",
            "Confidentiality",
            "Secrets are kept.⟦field SEQ Item \"1\"⟧",
            "Fees⟦ref _Ref7 → P2 \"Confidentiality\"⟧",
            "Clause ⟦ref _Ref7 → P2 \"2\"⟧ and clause 2 (not clause ⟦ref _Ref100000002 → P4 \"3\"⟧) apply."
        ]
    );
    assert!(edited.xml.contains(" REF _Ref7 \\h "), "{}", edited.xml);
}

/// A control or a link that somebody else's pending insertion put there cannot be cut in two, so nothing of ours can stand in it.
#[test]
fn nothing_is_put_into_what_a_pending_insertion_wraps() {
    let wraps = [
        ("<w:sdt><w:sdtPr><w:tag w:val=\"new\"/></w:sdtPr><w:sdtContent>", "</w:sdtContent></w:sdt>"),
        ("<w:hyperlink w:anchor=\"_Ref7\">", "</w:hyperlink>"),
        ("<w:smartTag w:uri=\"urn:a\" w:element=\"e\">", "</w:smartTag>"),
    ];
    let marked = format!(
        "<w:bookmarkStart w:id=\"7\" w:name=\"_Ref7\"/>{}<w:bookmarkEnd w:id=\"7\"/>",
        run("Confidentiality")
    );
    for (begin, end) in wraps {
        let wrapped = run("filled ") + &field("REF _Ref7 \\r \\h", "7") + &run(" clause 1");
        let theirs = format!(
            "<w:p><w:ins w:id=\"120\" w:author=\"Z\" w:date=\"2025-01-01T00:00:00Z\">{}{begin}{wrapped}{end}</w:ins></w:p>",
            run("theirs ")
        );
        let body = [clause(0, &run("Definitions")), clause(0, &marked), theirs].concat();
        let source = DocxBuilder::new().body(&body).numbering(NUMBERING).build();
        let operations = [
            json!({"op": "insert_bookmark", "paragraphIndex": 3, "name": "Mine", "text": "illed"}),
            json!({"op": "insert_bookmark", "paragraphIndex": 3, "name": "Mine", "text": "theirs fill"}),
            json!({"op": "insert_field", "paragraphIndex": 3, "afterText": "fil", "instruction": "PAGE"}),
            json!({"op": "insert_cross_reference", "paragraphIndex": 3, "afterText": "fil", "to": "P1"}),
            json!({"op": "insert_cross_reference", "paragraphIndex": 3, "replaceText": "clause 1", "to": "P1"}),
            json!({"op": "modify_text", "paragraphIndex": 3, "originalText": "illed", "replacementText": "ull"}),
        ];
        for operation in operations {
            let edited = edit(&source, &json!([operation]));
            let result = &edited.results[0];
            assert_eq!(
                result.code.as_deref(),
                Some("INSIDE_INSERTION"),
                "{operation} in {begin}: {result:?}"
            );
            assert!(result.message.as_ref().unwrap().contains("by Z (revision 120)"), "{result:?}");
        }
        // Beside it there is room, and what is stale in it is named.
        let beside = json!([
            {"op": "insert_bookmark", "paragraphIndex": 3, "name": "Mine", "text": "theirs"},
            {"op": "insert_field", "paragraphIndex": 3, "afterText": "theirs", "instruction": "PAGE", "result": "3"},
        ]);
        let edited = edit(&source, &beside);
        assert!(edited.results.iter().all(|result| result.status == Status::Applied), "{:?}", edited.results);
        let edited = edit(&source, &json!([{"op": "update_references"}]));
        let message = edited.results[0].message.clone().unwrap();
        assert!(message.contains("a pending insertion put there"), "{message} in {begin}");
    }
}

#[test]
fn the_place_of_a_bookmark_is_told_without_counting_paragraphs_of_text_boxes() {
    let boxed = "<w:p><w:r><w:pict><v:shape xmlns:v=\"urn:schemas-microsoft-com:vml\"><v:textbox><w:txbxContent>\
        <w:p><w:r><w:t>One</w:t></w:r></w:p><w:p><w:r><w:t>Two</w:t></w:r></w:p></w:txbxContent></v:textbox></v:shape></w:pict></w:r></w:p>";
    let target = "<w:p><w:bookmarkStart w:id=\"7\" w:name=\"_Ref7\"/><w:r><w:t>Fees</w:t></w:r><w:bookmarkEnd w:id=\"7\"/></w:p>";
    let reference = format!("<w:p>{}</w:p>", field("REF _Ref7 \\h", "Fees"));
    let source = DocxBuilder::new().body(&[boxed, target, &reference].concat()).build();
    let document = WordDocument::open(source, &Limits::default()).unwrap();
    let read =
        document.read(&engross_docx::read::ReadOptions { labels: true, ..Default::default() }).unwrap();
    assert_eq!(read.paragraphs[2].text, "⟦ref _Ref7 → P2 \"Fees\"⟧");
}

const CLAUSES: &str = "<w:style w:type=\"paragraph\" w:default=\"1\" w:styleId=\"Normal\"><w:name w:val=\"Normal\"/></w:style>\
    <w:style w:type=\"paragraph\" w:styleId=\"L2\"><w:name w:val=\"Article L2\"/><w:next w:val=\"Normal\"/><w:pPr><w:numPr><w:ilvl w:val=\"0\"/>\
    <w:numId w:val=\"1\"/></w:numPr><w:outlineLvl w:val=\"1\"/></w:pPr></w:style>";

/// The style of the paragraph that is put behind the first.
fn style_behind(text: &str) -> Option<String> {
    let line = |text: &str| format!("<w:p><w:pPr><w:pStyle w:val=\"L2\"/></w:pPr>{}</w:p>", run(text));
    let body = line(text) + &line("The last.");
    let source = DocxBuilder::new().styles(CLAUSES).numbering(NUMBERING).body(&body).build();
    let done = edit(&source, &json!([{"op": "insert_paragraph", "after": 1, "content": "Something new."}]));
    assert_eq!(done.results[0].status, Status::Applied);
    let read = done.document.read(&Default::default()).unwrap();
    read.paragraphs[1].style.clone()
}

#[test]
fn behind_a_clause_in_a_style_of_headings_comes_a_clause_and_behind_a_title_its_text() {
    let long = "The table of contents and the headings of the sections of this Agreement are inserted for convenience only.";
    for clause in [long, "pay Fund Expenses;", "complete Portfolio Investments; and"] {
        assert_eq!(style_behind(clause).as_deref(), Some("L2"), "{clause}");
    }
    for title in ["Definitions", "Deemed Liquidation Events."] {
        assert_ne!(style_behind(title).as_deref(), Some("L2"), "{title}");
    }
}

#[test]
fn what_is_put_behind_the_last_paragraph_before_a_table_makes_no_reference_stale() {
    let table = "<w:tbl><w:tblPr/><w:tblGrid><w:gridCol w:w=\"900\"/></w:tblGrid><w:tr><w:tc><w:tcPr><w:tcW w:w=\"900\" w:type=\"dxa\"/></w:tcPr><w:p/></w:tc></w:tr></w:tbl>";
    let line = |text: &str| format!("<w:p>{}</w:p>", run(text));
    let body = line("The sums of Schedule 1 are due.")
        + &line("SCHEDULE 1: Commitments")
        + table
        + &line("The end.");
    let source = DocxBuilder::new().body(&body).build();
    let survey = WordDocument::open(source.clone(), &Limits::default()).unwrap().survey();
    let done = edit(&source, &json!([{"op": "insert_paragraph", "after": 2, "content": "To be completed."}]));
    assert_eq!(done.document.effects(&survey).stale_references, []);
    let done = edit(&source, &json!([{"op": "delete_paragraph", "paragraphIndex": 2}]));
    assert_eq!(done.document.effects(&survey).stale_references.len(), 1);
}
