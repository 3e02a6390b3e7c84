//! A package as one XML file holds what the package holds, and is a document like any other.

use engross_docx::ops::parse_batch;
use engross_docx::read::{ReadOptions, View};
use engross_docx::{EditOptions, Limits, Tracking, WordDocument, check, flat_opc, is_flat_opc};
use engross_testkit::docx::DocxBuilder;
use serde_json::json;

use crate::corpus_check::corpus_documents;

fn open(bytes: Vec<u8>) -> WordDocument {
    WordDocument::open(bytes, &Limits::default()).unwrap()
}

fn flat(bytes: &[u8]) -> Vec<u8> {
    flat_opc(bytes.to_vec(), &Limits::default()).unwrap()
}

/// What two documents say differently.
fn difference(one: &WordDocument, other: &WordDocument) -> Option<String> {
    for view in [View::Markup, View::Accepted, View::Original] {
        let options = ReadOptions { view, story: Some("everywhere".to_owned()), ..ReadOptions::default() };
        let texts = |document: &WordDocument| document.read(&options).unwrap().paragraphs;
        let (one, other) = (texts(one), texts(other));
        if one != other {
            let at = one.iter().zip(&other).find(|(one, other)| one != other);
            return Some(format!("{view:?}: {at:?}, {} and {} paragraphs", one.len(), other.len()));
        }
    }
    let findings = |document: &WordDocument| {
        let findings = check(document).unwrap();
        findings
            .into_iter()
            .map(|finding| (finding.code, finding.address, finding.message))
            .collect::<Vec<_>>()
    };
    if findings(one) != findings(other) {
        return Some(format!("findings {:?} and {:?}", findings(one), findings(other)));
    }
    let revisions = |document: &WordDocument| {
        let all = document.revisions().unwrap();
        all.into_iter().map(|placed| (placed.id, placed.address, placed.revision.text)).collect::<Vec<_>>()
    };
    (revisions(one) != revisions(other)).then(|| "revisions differ".to_owned())
}

fn sample() -> Vec<u8> {
    DocxBuilder::new()
        .body(
            "<w:p><w:ins w:id=\"1\" w:author=\"A &amp; B\"><w:r><w:t xml:space=\"preserve\"> body text</w:t></w:r></w:ins>\
             <w:r><w:footnoteReference w:id=\"2\"/></w:r></w:p><w:sectPr><w:headerReference w:type=\"default\" r:id=\"h\"/></w:sectPr>",
        )
        .footnotes("<w:footnote w:id=\"2\"><w:p><w:r><w:t>note text</w:t></w:r></w:p></w:footnote>")
        .header("h", "<w:p><w:r><w:t>head text</w:t></w:r></w:p>")
        .relationship("png", "image", "media/a.png")
        .part("word/media/a.png", vec![0x89, b'P', 0, 255, 7])
        .build()
}

#[test]
fn a_package_goes_through_one_file_and_back() {
    let one = flat(&sample());
    assert!(is_flat_opc(&one) && !is_flat_opc(&sample()));
    let text = String::from_utf8(one.clone()).unwrap();
    assert!(text.contains("pkg:name=\"/word/media/a.png\"") && text.contains("iVAA/wc="), "{text}");
    assert!(!text.contains("[Content_Types]"), "content types stand at the parts");
    assert_eq!(difference(&open(sample()), &open(one.clone())), None);
    // What was made once is the same for good.
    assert_eq!(flat(open(one.clone()).source()), one);
}

#[test]
fn one_file_is_edited_like_any_other() {
    let mut from_flat = open(flat(&sample()));
    let mut from_zip = open(sample());
    let batch =
        parse_batch(&json!([{"op": "modify_text", "originalText": "body", "replacementText": "main"}]))
            .unwrap();
    let options = EditOptions { author: "Ada".to_owned(), date: "2026-01-31T09:30:00Z".to_owned() };
    for document in [&mut from_flat, &mut from_zip] {
        document.apply(&batch, &options).unwrap();
    }
    let saved = |document: &WordDocument| open(document.save(Tracking::Tracked).unwrap().bytes);
    assert_eq!(difference(&saved(&from_flat), &saved(&from_zip)), None);
}

#[test]
fn namespaces_that_stand_further_up_are_kept() {
    let text = String::from_utf8(flat(&sample())).unwrap();
    let word = "xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\"";
    let main = text.split_once("<w:document").unwrap().1.split_once('>').unwrap().0;
    assert!(main.contains(word));
    let moved = text.replacen(word, "", 1).replacen("<pkg:package ", &format!("<pkg:package {word} "), 1);
    assert_eq!(difference(&open(sample()), &open(moved.into_bytes())), None);
}

#[test]
fn what_is_no_package_is_refused() {
    let text = String::from_utf8(flat(&sample())).unwrap();
    let refused =
        |text: String| WordDocument::open(text.into_bytes(), &Limits::default()).unwrap_err().code();
    assert_eq!(refused(text.replace("iVAA/wc=", "i*AA/wc=")), "ZIP_DAMAGED");
    assert_eq!(refused(text.replace("</pkg:package>", "")), "XML_MALFORMED");
    assert_eq!(refused(text.replace("/word/document.xml", "/../document.xml")), "PART_NAME_INVALID");
    let (head, _) = text.split_once("<pkg:part").unwrap();
    assert_eq!(refused(format!("{head}</pkg:package>")), "NO_MAIN_PART");
}

#[test]
#[expect(clippy::disallowed_methods, reason = "reads test documents")]
fn real_documents_go_through_one_file_and_back() {
    let found = corpus_documents();
    let mut wrong = Vec::new();
    for path in &found {
        let bytes = std::fs::read(path).unwrap();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let one = flat(&bytes);
        let back = open(one.clone());
        wrong.extend(difference(&open(bytes), &back).map(|difference| format!("{name}: {difference}")));
        if flat(back.source()) != one {
            wrong.push(format!("{name}: another file the second time"));
        }
    }
    eprintln!("{} documents, {} faults", found.len(), wrong.len());
    assert!(wrong.is_empty(), "{wrong:#?}");
}
