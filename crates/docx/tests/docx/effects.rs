//! What a batch does besides: numbers, references, terms.

use engross_docx::ops::parse_batch;
use engross_docx::{
    DefinedTerm, EditOptions, Effects, Limits, NumberChange, Reference, TermChange, WordDocument,
};
use engross_testkit::docx::DocxBuilder;
use serde_json::{Value, json};

const NUMBERING: &str = "<w:abstractNum w:abstractNumId=\"0\"><w:lvl w:ilvl=\"0\"><w:start w:val=\"1\"/><w:numFmt w:val=\"decimal\"/>\
    <w:lvlText w:val=\"%1.\"/></w:lvl></w:abstractNum><w:num w:numId=\"1\"><w:abstractNumId w:val=\"0\"/></w:num>";

fn sample() -> Vec<u8> {
    let run = |text: &str| format!("<w:r><w:t xml:space=\"preserve\">{text}</w:t></w:r>");
    let item = |inner: &str| {
        format!(
            "<w:p><w:pPr><w:numPr><w:ilvl w:val=\"0\"/><w:numId w:val=\"1\"/></w:numPr></w:pPr>{inner}</w:p>"
        )
    };
    let mark = |inner: &str| {
        format!("<w:bookmarkStart w:id=\"7\" w:name=\"_Ref7\"/>{inner}<w:bookmarkEnd w:id=\"7\"/>")
    };
    let body = [
        item(&run("First item")),
        item(&mark(&run("Second item"))),
        item(&run("Third item")),
        format!(
            "<w:p>{}<w:r><w:fldChar w:fldCharType=\"begin\"/></w:r><w:r><w:instrText> REF _Ref7 \\r \\h </w:instrText></w:r>\
             <w:r><w:fldChar w:fldCharType=\"separate\"/></w:r>{}<w:r><w:fldChar w:fldCharType=\"end\"/></w:r></w:p>",
            run("See Section 3, and "),
            run("2")
        ),
        format!("<w:p>{}</w:p>", run("\u{201C}Term\u{201D} means five years.")),
        format!("<w:p>{}</w:p>", run("The Term ends then.")),
    ];
    DocxBuilder::new().body(&body.concat()).numbering(NUMBERING).build()
}

fn effects(batch: &Value) -> Effects {
    let mut document = WordDocument::open(sample(), &Limits::default()).unwrap();
    let before = document.survey();
    let options = EditOptions { author: "A".to_owned(), date: "2026-01-01T00:00:00Z".to_owned() };
    let results = document.apply(&parse_batch(batch).unwrap(), &options).unwrap();
    assert!(results.iter().all(|result| result.code.is_none()), "{results:?}");
    document.effects(&before)
}

#[test]
fn a_deleted_item_moves_numbers_and_leaves_references_behind() {
    let found = effects(&json!([{"op": "delete_paragraph", "paragraphIndex": 2, "references": "drop"}]));
    let address = |address: &str| address.to_owned();
    assert_eq!(
        found,
        Effects {
            renumbered: vec![NumberChange { address: address("P3"), from: address("3."), to: address("2.") }],
            stale_references: vec![Reference {
                address: address("P4"),
                names: address("Section 3"),
                now: Some(address("2")),
                should_say: Some(address("Section 2")),
            }],
            ..Effects::default()
        }
    );
}

#[test]
fn an_inserted_item_moves_those_behind_it_by_their_new_places() {
    let found = effects(&json!([{"op": "insert_list_item", "afterParagraphIndex": 1, "text": "new"}]));
    let moved: Vec<(&str, &str, &str)> = found
        .renumbered
        .iter()
        .map(|one| (one.address.as_str(), one.from.as_str(), one.to.as_str()))
        .collect();
    assert_eq!(moved, [("P3", "2.", "3."), ("P4", "3.", "4.")]);
    assert_eq!(found.dangling_references, []);
}

#[test]
fn terms_that_change_are_told_with_their_uses() {
    let change = |original: &str, new: &str| {
        effects(&json!([{"op": "modify_text", "paragraphIndex": 5, "originalText": original, "replacementText": new}])).defined_terms
    };
    let term = |name: &str, change, used: &[&str]| DefinedTerm {
        term: name.to_owned(),
        change,
        used: used.iter().map(|address| (*address).to_owned()).collect(),
    };
    assert_eq!(change("five", "six"), [term("Term", TermChange::Changed, &["P5", "P6"])]);
    assert_eq!(
        change("\u{201C}Term\u{201D}", "\u{201C}Period\u{201D}"),
        [term("Term", TermChange::Removed, &["P6"]), term("Period", TermChange::Added, &["P5"])]
    );
    assert!(
        effects(&json!([{"op": "format_paragraph", "paragraphIndex": 5, "alignment": "center"}])).is_empty()
    );
}

/// Every reference to the body is named, in any story.
#[test]
fn references_in_notes_and_headers_are_told_too() {
    let run = |text: &str| format!("<w:r><w:t xml:space=\"preserve\">{text}</w:t></w:r>");
    let link = format!("<w:hyperlink w:anchor=\"_Ref7\">{}</w:hyperlink>", run("there"));
    let item = |inner: &str| {
        format!(
            "<w:p><w:pPr><w:numPr><w:ilvl w:val=\"0\"/><w:numId w:val=\"1\"/></w:numPr></w:pPr>{inner}</w:p>"
        )
    };
    let marked =
        format!("<w:bookmarkStart w:id=\"7\" w:name=\"_Ref7\"/>{}<w:bookmarkEnd w:id=\"7\"/>", run("One"));
    let body = [
        item(&marked),
        item(&run("Two")),
        "<w:p><w:r><w:footnoteReference w:id=\"2\"/></w:r></w:p>".to_owned(),
    ];
    let source = DocxBuilder::new()
        .body(&body.concat())
        .body("<w:sectPr><w:headerReference w:type=\"default\" r:id=\"h\"/></w:sectPr>")
        .header("h", &format!("<w:p>{link}</w:p>"))
        .footnotes(&format!("<w:footnote w:id=\"2\"><w:p>{}</w:p></w:footnote>", run("As in Section 2.")))
        .numbering(NUMBERING)
        .build();
    let mut document = WordDocument::open(source, &Limits::default()).unwrap();
    let before = document.survey();
    let options = EditOptions { author: "A".to_owned(), date: "2026-01-01T00:00:00Z".to_owned() };
    let batch =
        parse_batch(&json!([{"op": "delete_paragraph", "paragraphIndex": 1, "references": "drop"}])).unwrap();
    assert_eq!(document.apply(&batch, &options).unwrap()[0].code, None);
    let found = document.effects(&before);
    let reference = |address: &str, names: &str, now: Option<&str>| Reference {
        address: address.to_owned(),
        names: names.to_owned(),
        now: now.map(str::to_owned),
        should_say: now.map(|now| format!("Section {now}")),
    };
    assert_eq!(found.stale_references, [reference("footnote:2/P1", "Section 2", Some("1"))]);
    assert_eq!(found.dangling_references, []);
}
