use engross_xml::{Document, Limits};

use super::{Selection, Side, resolve};
use crate::names::{VOCABULARY, W_URI};

/// What resolving makes of the content of a body.
fn resolved(body: &str, side: Side, selection: Selection) -> (usize, String) {
    let (start, end) = (format!("<w:body xmlns:w=\"{W_URI}\">"), "</w:body>");
    let text = format!("{start}{body}{end}");
    let mut document = Document::parse(text.into_bytes(), &VOCABULARY, &Limits::default()).unwrap();
    let root = document.root();
    let count = resolve(&mut document, root, side, selection);
    let written = String::from_utf8(document.write()).unwrap();
    let inner = written.strip_prefix(&start).and_then(|rest| rest.strip_suffix(end)).unwrap();
    // An element that was emptied keeps its end tag.
    (count, inner.replace("<w:p></w:p>", "<w:p/>").replace("<w:trPr></w:trPr>", "<w:trPr/>"))
}

/// Body, accepted, rejected.
const CASES: &[(&str, &str, &str)] = &[
    (
        "<w:p><w:ins w:id=\"1\"><w:r><w:t>a</w:t></w:r></w:ins><w:del w:id=\"2\"><w:r><w:delText>b</w:delText></w:r></w:del></w:p>",
        "<w:p><w:r><w:t>a</w:t></w:r></w:p>",
        "<w:p><w:r><w:t>b</w:t></w:r></w:p>",
    ),
    // What was inserted and then deleted is in neither.
    (
        "<w:p><w:ins w:id=\"1\"><w:del w:id=\"2\"><w:r><w:delText>a</w:delText></w:r></w:del></w:ins></w:p>",
        "<w:p/>",
        "<w:p/>",
    ),
    // A border belongs to the paragraph before it; the properties of the last one stay.
    (
        "<w:p><w:pPr><w:jc w:val=\"left\"/><w:rPr><w:del w:id=\"1\"/></w:rPr></w:pPr><w:r><w:t>a</w:t></w:r></w:p>\
         <w:p><w:pPr><w:jc w:val=\"right\"/></w:pPr><w:r><w:t>b</w:t></w:r></w:p>",
        "<w:p><w:pPr><w:jc w:val=\"right\"/></w:pPr><w:r><w:t>a</w:t></w:r><w:r><w:t>b</w:t></w:r></w:p>",
        "<w:p><w:pPr><w:jc w:val=\"left\"/></w:pPr><w:r><w:t>a</w:t></w:r></w:p>\
         <w:p><w:pPr><w:jc w:val=\"right\"/></w:pPr><w:r><w:t>b</w:t></w:r></w:p>",
    ),
    (
        "<w:p><w:r><w:rPr><w:b/><w:rPrChange w:id=\"1\"><w:rPr><w:i/></w:rPr></w:rPrChange></w:rPr><w:t>a</w:t></w:r></w:p>",
        "<w:p><w:r><w:rPr><w:b/></w:rPr><w:t>a</w:t></w:r></w:p>",
        "<w:p><w:r><w:rPr><w:i/></w:rPr><w:t>a</w:t></w:r></w:p>",
    ),
    // A row goes with its mark, a table with its last row.
    (
        "<w:tbl><w:tr><w:trPr><w:del w:id=\"1\"/></w:trPr><w:tc><w:p/></w:tc></w:tr></w:tbl><w:p/>",
        "<w:p/>",
        "<w:tbl><w:tr><w:trPr/><w:tc><w:p/></w:tc></w:tr></w:tbl><w:p/>",
    ),
    // A link from which all went has nothing left to lead from.
    (
        "<w:p><w:hyperlink w:anchor=\"x\"><w:del w:id=\"1\"><w:r><w:delText>a</w:delText></w:r></w:del></w:hyperlink></w:p>",
        "<w:p/>",
        "<w:p><w:hyperlink w:anchor=\"x\"><w:r><w:t>a</w:t></w:r></w:hyperlink></w:p>",
    ),
    (
        "<w:p><w:moveFromRangeStart w:id=\"1\" w:name=\"m\"/><w:moveFrom w:id=\"2\"><w:r><w:t>a</w:t></w:r></w:moveFrom>\
         <w:moveFromRangeEnd w:id=\"1\"/></w:p>\
         <w:p><w:moveToRangeStart w:id=\"3\" w:name=\"m\"/><w:moveTo w:id=\"4\"><w:r><w:t>a</w:t></w:r></w:moveTo>\
         <w:moveToRangeEnd w:id=\"3\"/></w:p>",
        "<w:p/><w:p><w:r><w:t>a</w:t></w:r></w:p>",
        "<w:p><w:r><w:t>a</w:t></w:r></w:p><w:p/>",
    ),
    // The instruction of a deleted field is one again.
    (
        "<w:p><w:del w:id=\"1\"><w:r><w:delInstrText>PAGE</w:delInstrText></w:r></w:del></w:p>",
        "<w:p/>",
        "<w:p><w:r><w:instrText>PAGE</w:instrText></w:r></w:p>",
    ),
];

#[test]
fn each_kind_of_revision_both_ways() {
    for (body, accepted, rejected) in CASES {
        assert_eq!(resolved(body, Side::Accept, Selection::All).1, *accepted, "accepting {body}");
        assert_eq!(resolved(body, Side::Reject, Selection::All).1, *rejected, "rejecting {body}");
    }
}

#[test]
fn what_is_resolved_has_nothing_left_to_resolve() {
    for (body, ..) in CASES {
        for side in [Side::Accept, Side::Reject] {
            let (count, once) = resolved(body, side, Selection::All);
            assert!(count > 0, "{body}");
            assert_eq!(resolved(&once, side, Selection::All), (0, once.clone()), "{body}");
        }
    }
}

#[test]
fn a_selection_leaves_the_revisions_of_others() {
    let body = "<w:p><w:ins w:id=\"7\"><w:r><w:t>theirs</w:t></w:r></w:ins><w:ins w:id=\"8\"><w:r><w:t>ours</w:t></w:r></w:ins></w:p>";
    let theirs = "<w:ins w:id=\"7\"><w:r><w:t>theirs</w:t></w:r></w:ins>";
    assert_eq!(
        resolved(body, Side::Accept, Selection::IdsFrom(8)),
        (1, format!("<w:p>{theirs}<w:r><w:t>ours</w:t></w:r></w:p>"))
    );
    assert_eq!(resolved(body, Side::Reject, Selection::IdsFrom(8)), (1, format!("<w:p>{theirs}</w:p>")));
}
