//! Accepting and rejecting some revisions and not others, in every story.

use engross_docx::html::HtmlOptions;
use engross_docx::ops::{ProofBase, ProofState, Status, parse_batch};
use engross_docx::read::{ReadOptions, View};
use engross_docx::revisions::{Choice, Range, RevisionKind, Side};
use engross_docx::{EditOptions, Error, Limits, Tracking, WordDocument};
use engross_testkit::docx::DocxBuilder;
use serde_json::json;

use crate::oracle::{main_part, parse, part, texts};

const BY_ANN: &str = "w:author=\"Ann\" w:date=\"2025-01-01T00:00:00Z\"";
const BY_BOB: &str = "w:author=\"Bob\" w:date=\"2025-01-01T00:00:00Z\"";

fn sample() -> Vec<u8> {
    let body = format!(
        "<w:p><w:r><w:t xml:space=\"preserve\">one </w:t></w:r><w:ins w:id=\"1\" {BY_ANN}><w:r><w:t>two</w:t></w:r></w:ins>\
         <w:del w:id=\"2\" {BY_BOB}><w:r><w:delText>three</w:delText></w:r></w:del></w:p>\
         <w:p><w:moveFromRangeStart w:id=\"3\" w:name=\"m\" {BY_ANN}/><w:moveFrom w:id=\"4\" {BY_ANN}><w:r><w:t>moved</w:t></w:r></w:moveFrom>\
         <w:moveFromRangeEnd w:id=\"3\"/><w:r><w:t>stays</w:t></w:r></w:p>\
         <w:p><w:moveToRangeStart w:id=\"5\" w:name=\"m\" {BY_ANN}/><w:moveTo w:id=\"6\" {BY_ANN}><w:r><w:t>moved</w:t></w:r></w:moveTo>\
         <w:moveToRangeEnd w:id=\"5\"/><w:r><w:footnoteReference w:id=\"2\"/></w:r></w:p>\
         <w:p><w:r><w:rPr><w:b/><w:rPrChange w:id=\"7\" {BY_BOB}><w:rPr/></w:rPrChange></w:rPr><w:t>bold</w:t></w:r></w:p>\
         <w:sectPr><w:headerReference w:type=\"default\" r:id=\"h\"/></w:sectPr>"
    );
    DocxBuilder::new()
        .body(&body)
        .footnotes(&format!(
            "<w:footnote w:id=\"2\"><w:p><w:ins w:id=\"8\" {BY_ANN}><w:r><w:t>note</w:t></w:r></w:ins></w:p></w:footnote>"
        ))
        .header("h", &format!("<w:p><w:del w:id=\"9\" {BY_BOB}><w:r><w:delText>head</w:delText></w:r></w:del></w:p>"))
        .build()
}

/// The ids that are left, and what the body says then, with all else accepted.
fn left(side: Side, choice: &Choice) -> (Vec<String>, Vec<String>) {
    let mut document = WordDocument::open(sample(), &Limits::default()).unwrap();
    document.resolve(side, choice).unwrap();
    let saved = document.save(Tracking::Tracked).unwrap().bytes;
    let again = WordDocument::open(saved, &Limits::default()).unwrap();
    let mut ids: Vec<String> = again.revisions().unwrap().into_iter().map(|placed| placed.id).collect();
    ids.sort();
    let options = ReadOptions { view: View::Accepted, ..ReadOptions::default() };
    (ids, again.read(&options).unwrap().paragraphs.into_iter().map(|paragraph| paragraph.text).collect())
}

fn choice() -> Choice {
    Choice::default()
}

/// Case 120.
#[test]
fn case_120_by_author_id_kind_and_place_in_every_story() {
    let table: &[(Side, Choice, &[&str])] = &[
        (Side::Accept, Choice { author: Some(" ann".to_owned()), ..choice() }, &["2", "7", "9"]),
        (Side::Reject, Choice { author: Some("Bob".to_owned()), ..choice() }, &["1", "4", "6", "8"]),
        (Side::Accept, Choice { ids: vec!["2".to_owned()], ..choice() }, &["1", "4", "6", "7", "8", "9"]),
        // One end of a move takes the other with it.
        (Side::Reject, Choice { ids: vec!["6".to_owned()], ..choice() }, &["1", "2", "7", "8", "9"]),
        (Side::Accept, Choice { kinds: RevisionKind::named("ins"), ..choice() }, &["2", "4", "6", "7", "9"]),
        (
            Side::Accept,
            Choice { kinds: RevisionKind::named("format"), ..choice() },
            &["1", "2", "4", "6", "8", "9"],
        ),
        (Side::Accept, Choice { range: Range::parse("P1-P2"), ..choice() }, &["7", "8", "9"]),
        (
            Side::Reject,
            Choice { range: Range::parse("footnote:2"), ..choice() },
            &["1", "2", "4", "6", "7", "9"],
        ),
        (
            Side::Reject,
            Choice { range: Range::parse("header:default@1/P1"), ..choice() },
            &["1", "2", "4", "6", "7", "8"],
        ),
        (
            Side::Reject,
            Choice { author: Some("Cid".to_owned()), ..choice() },
            &["1", "2", "4", "6", "7", "8", "9"],
        ),
        (Side::Reject, choice(), &[]),
    ];
    for (side, choice, wanted) in table {
        assert_eq!(left(*side, choice).0, *wanted, "{side:?} {choice:?}");
    }
}

#[test]
fn a_move_is_one_change() {
    let choice = Choice { ids: vec!["4".to_owned()], ..choice() };
    assert_eq!(left(Side::Accept, &choice).1, ["one two", "stays", "moved⟦footnote 2⟧", "bold"]);
    assert_eq!(left(Side::Reject, &choice).1, ["one two", "movedstays", "⟦footnote 2⟧", "bold"]);
}

#[test]
fn an_id_that_is_not_there_changes_nothing() {
    let mut document = WordDocument::open(sample(), &Limits::default()).unwrap();
    let error =
        document.resolve(Side::Accept, &Choice { ids: vec!["77".to_owned()], ..choice() }).unwrap_err();
    assert!(matches!(&error, Error::UnknownRevision { .. }), "{error}");
    assert_eq!(error.code(), "UNKNOWN_REVISION");
    assert_eq!(document.save(Tracking::Tracked).unwrap().bytes, sample());
}

/// Case 121: marks of cells, and records of sections, numbering and table grids.
#[test]
fn case_121_marks_of_cells_and_records_of_properties() {
    let cell = |mark: &str, text: &str| {
        format!(
            "<w:tc><w:tcPr><w:tcW w:w=\"1\"/>{mark}</w:tcPr><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:tc>"
        )
    };
    let body = format!(
        "<w:tbl><w:tblPr/><w:tblGrid><w:gridCol w:w=\"1\"/><w:tblGridChange w:id=\"1\"><w:tblGrid><w:gridCol w:w=\"2\"/></w:tblGrid>\
         </w:tblGridChange></w:tblGrid><w:tr>{}{}{}</w:tr></w:tbl>\
         <w:p><w:pPr><w:numPr><w:ilvl w:val=\"0\"/><w:numId w:val=\"1\"/><w:numberingChange w:id=\"5\" {BY_ANN} w:original=\"1.\"/></w:numPr></w:pPr></w:p>\
         <w:sectPr><w:pgSz w:w=\"9\"/><w:sectPrChange w:id=\"6\" {BY_ANN}><w:sectPr><w:pgSz w:w=\"8\"/></w:sectPr></w:sectPrChange></w:sectPr>",
        cell(&format!("<w:cellIns w:id=\"2\" {BY_ANN}/>"), "new"),
        cell(&format!("<w:cellDel w:id=\"3\" {BY_ANN}/>"), "old"),
        cell(
            &format!("<w:cellMerge w:id=\"4\" {BY_ANN} w:vMerge=\"cont\" w:vMergeOrig=\"rest\"/>"),
            "merged"
        ),
    );
    let source = DocxBuilder::new().body(&body).build();
    let resolved = |side| {
        let mut document = WordDocument::open(source.clone(), &Limits::default()).unwrap();
        document.resolve_all(side).unwrap();
        assert_eq!(document.revisions().unwrap(), []);
        main_part(&document.save(Tracking::Tracked).unwrap().bytes)
    };
    let (accepted, rejected) = (resolved(Side::Accept), resolved(Side::Reject));
    assert_eq!(texts(&parse(&accepted)), ["new", "merged", ""]);
    assert_eq!(texts(&parse(&rejected)), ["old", "merged", ""]);
    for (xml, wanted) in [
        (&accepted, ["<w:vMerge w:val=\"continue\"/>", "<w:pgSz w:w=\"9\"/>", "<w:gridCol w:w=\"1\"/>"]),
        (&rejected, ["<w:vMerge w:val=\"restart\"/>", "<w:pgSz w:w=\"8\"/>", "<w:gridCol w:w=\"2\"/>"]),
    ] {
        for wanted in wanted {
            assert!(xml.contains(wanted), "{wanted} is not in {xml}");
        }
    }
}

/// In an indented file the properties of a paragraph stand behind white space, and stay the first element.
#[test]
fn paragraphs_that_join_keep_their_properties_in_front() {
    let body = format!(
        "<w:p>\n <w:pPr>\n <w:rPr><w:del w:id=\"1\" {BY_ANN}/></w:rPr></w:pPr>\n <w:r><w:t>one</w:t></w:r>\n</w:p>\n\
         <w:p>\n <w:pPr><w:keepNext/></w:pPr>\n <w:r><w:t>two</w:t></w:r>\n</w:p>"
    );
    let mut document =
        WordDocument::open(DocxBuilder::new().body(&body).build(), &Limits::default()).unwrap();
    document.resolve(Side::Accept, &choice()).unwrap();
    let saved = document.save(Tracking::Tracked).unwrap().bytes;
    let again = WordDocument::open(saved.clone(), &Limits::default()).unwrap();
    assert_eq!(engross_docx::check(&again).unwrap(), []);
    assert_eq!(texts(&parse(&main_part(&saved))), ["onetwo"]);
}

/// Accepting comes before edits, wherever it stands; numbers stay those that were read, and one that is gone is refused by name.
#[test]
fn numbers_stay_those_that_were_read() {
    let source = DocxBuilder::new()
        .body(&format!(
            "<w:p><w:pPr><w:rPr><w:del w:id=\"1\" {BY_ANN}/></w:rPr></w:pPr><w:r><w:t xml:space=\"preserve\">one </w:t></w:r></w:p>\
             <w:p><w:r><w:t>two</w:t></w:r></w:p>\
             <w:p><w:r><w:t>three</w:t></w:r><w:ins w:id=\"2\" {BY_BOB}><w:r><w:t xml:space=\"preserve\"> more</w:t></w:r></w:ins></w:p>\
             <w:p><w:r><w:t>four</w:t></w:r></w:p>"
        ))
        .build();
    let mut document = WordDocument::open(source, &Limits::default()).unwrap();
    let batch = parse_batch(&json!([
        {"op": "modify_text", "paragraphIndex": 3, "originalText": "three", "replacementText": "3"},
        {"op": "accept", "by": "Ann"},
        {"op": "edit_paragraph", "paragraphIndex": 1, "newContent": "1"},
        {"op": "delete_paragraph", "paragraphIndex": 4},
        {"op": "delete_paragraph", "paragraphIndex": 5},
    ]))
    .unwrap();
    let options = EditOptions { author: "Cleo".to_owned(), date: "2026-01-01T00:00:00Z".to_owned() };
    let results = document.apply(&batch, &options).unwrap();
    let codes: Vec<Option<&str>> = results.iter().map(|result| result.code.as_deref()).collect();
    assert_eq!(codes, [None, None, Some("TARGET_NOT_FOUND"), None, Some("TARGET_NOT_FOUND")], "{results:#?}");
    assert!(results[2].message.as_deref().unwrap().contains("P1 is gone"), "{results:#?}");
    assert!(results[4].message.as_deref().unwrap().contains("P1 to P4"), "{results:#?}");
    let saved = document.save(Tracking::Tracked).unwrap();
    assert_eq!((saved.proof.base, saved.proof.reject), (ProofBase::Resolved, ProofState::Holds));
    let shown = |side: Side| {
        let mut document = WordDocument::open(saved.bytes.clone(), &Limits::default()).unwrap();
        document.resolve(side, &Choice { author: Some("Cleo".to_owned()), ..Choice::default() }).unwrap();
        let read = document.read(&ReadOptions::default()).unwrap();
        let left = document.revisions().unwrap().len();
        (read.paragraphs.into_iter().map(|paragraph| paragraph.text).collect::<Vec<_>>(), left)
    };
    assert_eq!(shown(Side::Accept), (vec!["one two".to_owned(), "3 more".to_owned()], 1));
    assert_eq!(
        shown(Side::Reject),
        (vec!["one two".to_owned(), "three more".to_owned(), "four".to_owned()], 1)
    );
}

/// What was struck does not stay in the file unseen.
#[test]
fn a_note_goes_with_its_last_mark() {
    let source = DocxBuilder::new()
        .body(&format!(
            "<w:p><w:r><w:t>stays</w:t></w:r><w:r><w:footnoteReference w:id=\"3\"/></w:r><w:del w:id=\"1\" {BY_ANN}><w:r><w:delText>goes</w:delText></w:r>\
             <w:r><w:footnoteReference w:id=\"2\"/></w:r></w:del></w:p>"
        ))
        .footnotes("<w:footnote w:id=\"2\"><w:p><w:r><w:t>secret</w:t></w:r></w:p></w:footnote><w:footnote w:id=\"3\"><w:p><w:r><w:t>plain</w:t></w:r></w:p></w:footnote>")
        .build();
    for (side, holds) in [(Side::Accept, false), (Side::Reject, true)] {
        let mut document = WordDocument::open(source.clone(), &Limits::default()).unwrap();
        document.resolve_all(side).unwrap();
        let saved = document.save(Tracking::Tracked).unwrap().bytes;
        let notes = part(&saved, "word/footnotes.xml");
        assert_eq!((notes.contains("secret"), notes.contains("plain")), (holds, true), "{notes}");
    }
}

/// The names of what marks bookmarks in the body, in order, once all is accepted.
fn bookmark_marks(body: &str) -> Vec<String> {
    let mut document = WordDocument::open(DocxBuilder::new().body(body).build(), &Limits::default()).unwrap();
    document.resolve(Side::Accept, &choice()).unwrap();
    let saved = document.save(Tracking::Tracked).unwrap().bytes;
    let main = main_part(&saved);
    let tags = main.split('<').filter_map(|tag| tag.strip_prefix("w:bookmark"));
    tags.map(|tag| tag.split_whitespace().next().unwrap().to_owned()).collect()
}

#[test]
fn a_range_that_begins_in_what_goes_begins_behind_it() {
    let row = |mark: &str, content: &str| {
        format!("<w:tr>{mark}<w:tc><w:p>{content}<w:r><w:t>x</w:t></w:r></w:p></w:tc></w:tr>")
    };
    let deleted = format!("<w:trPr><w:del w:id=\"9\" {BY_ANN}/></w:trPr>");
    let start = "<w:bookmarkStart w:id=\"1\" w:name=\"b\"/>";
    let end = "<w:bookmarkEnd w:id=\"1\"/>";
    let table =
        |rows: String| format!("<w:tbl><w:tblPr/><w:tblGrid><w:gridCol/></w:tblGrid>{rows}</w:tbl><w:p/>");
    let half = table(row(&deleted, start) + &row("", end));
    assert_eq!(bookmark_marks(&half), ["Start", "End"]);
    let whole = table(row(&deleted, &format!("{start}{end}")) + &row("", ""));
    assert!(bookmark_marks(&whole).is_empty());
    let moved = format!(
        "<w:p><w:pPr><w:rPr><w:moveFrom w:id=\"8\" {BY_ANN}/></w:rPr></w:pPr>{start}<w:moveFrom w:id=\"9\" {BY_ANN}>\
         <w:r><w:t>x</w:t></w:r></w:moveFrom></w:p>{end}<w:p><w:r><w:t>y</w:t></w:r></w:p>"
    );
    assert_eq!(bookmark_marks(&moved), ["Start", "End"]);
}

/// The deletion of a control alone is no text of anybody's, and goes with all the same.
#[test]
fn a_control_that_comes_or_goes_is_settled_with_all() {
    let control = |change: &str| {
        format!(
            "<w:p><w:customXml{change}RangeStart w:id=\"1\" {BY_ANN}/><w:sdt><w:sdtPr><w:text/></w:sdtPr><w:sdtContent>\
             <w:customXml{change}RangeEnd w:id=\"1\"/><w:r><w:t>Acme</w:t></w:r><w:customXml{change}RangeStart w:id=\"2\" {BY_ANN}/>\
             </w:sdtContent></w:sdt><w:customXml{change}RangeEnd w:id=\"2\"/></w:p>"
        )
    };
    for (change, side, operation, stays) in [
        ("Del", Side::Accept, "accept", false),
        ("Del", Side::Reject, "reject", true),
        ("Ins", Side::Accept, "accept", true),
        ("Ins", Side::Reject, "reject", false),
    ] {
        let header = format!("<w:p><w:r><w:t>Head</w:t></w:r></w:p>{}", control(change));
        let source = DocxBuilder::new()
            .body(
                &(control(change)
                    + "<w:sectPr><w:headerReference w:type=\"default\" r:id=\"h\"/></w:sectPr>"),
            )
            .header("h", &header)
            .build();
        let open = || WordDocument::open(source.clone(), &Limits::default()).unwrap();
        let (mut all, mut by_operation) = (open(), open());
        assert!(all.resolve_all(side).unwrap() > 0);
        let batch = parse_batch(&json!({"operations": [{"op": operation}]})).unwrap();
        let options = EditOptions { author: "Cy".to_owned(), date: "2026-01-31T09:30:00Z".to_owned() };
        let results = by_operation.apply(&batch, &options).unwrap();
        assert_eq!(results[0].status, Status::Applied, "{results:?}");
        for document in [all, by_operation] {
            let saved = document.save(Tracking::Untracked).unwrap().bytes;
            for name in ["word/document.xml", "word/header-h.xml"] {
                let xml = part(&saved, name);
                assert!(!xml.contains("customXml"), "{xml}");
                assert_eq!(xml.contains("<w:sdt>"), stays, "{xml}");
                assert!(xml.contains("Acme"), "{xml}");
            }
        }
    }
}

/// A control that is marked as coming or going, with what Word writes at its two ends.
fn tracked_control(change: &str, id: u32, who: &str, title: &str, content: &str) -> String {
    let next = id + 1;
    format!(
        "<w:customXml{change}RangeStart w:id=\"{id}\" {who}/><w:sdt><w:sdtPr><w:alias w:val=\"{title}\"/></w:sdtPr><w:sdtContent>\
         <w:customXml{change}RangeEnd w:id=\"{id}\"/>{content}<w:customXml{change}RangeStart w:id=\"{next}\" {who}/></w:sdtContent></w:sdt>\
         <w:customXml{change}RangeEnd w:id=\"{next}\"/>"
    )
}

/// Ann puts a control around a word and, around it, one around the paragraph; Bob takes two others away.
fn controls() -> Vec<u8> {
    let run = |text: &str| format!("<w:r><w:t xml:space=\"preserve\">{text}</w:t></w:r>");
    let first = format!("<w:p>{}</w:p>", run("First."));
    let inner = tracked_control("Ins", 11, BY_ANN, "Party", &run("Acme"));
    let outer = tracked_control("Ins", 21, BY_ANN, "Clause", &format!("<w:p>{inner}{}</w:p>", run(" pays.")));
    let gone = tracked_control("Del", 31, BY_BOB, "Sum", &run("9"));
    let empty = tracked_control("Del", 41, BY_BOB, "", "");
    let last = format!("<w:p>{}{gone}{empty}{}</w:p>", run("It pays "), run(" euros."));
    DocxBuilder::new().body(&(first + &outer + &last)).build()
}

/// Each control is one change with its author, its name and its place, though four marks record it; choosing one settles it alone.
#[test]
fn a_control_that_comes_or_goes_is_one_change() {
    let document = WordDocument::open(controls(), &Limits::default()).unwrap();
    let listed: Vec<_> = document
        .revisions()
        .unwrap()
        .into_iter()
        .map(|placed| (placed.id, placed.revision.kind, placed.address, placed.revision.text))
        .collect();
    let row = |id: &str, kind, address: &str, text: &str| {
        (id.to_owned(), kind, address.to_owned(), text.to_owned())
    };
    let wanted = [
        row("21", RevisionKind::ControlInsertion, "P2", "Clause"),
        row("11", RevisionKind::ControlInsertion, "P2", "Party"),
        row("31", RevisionKind::ControlDeletion, "P3", "Sum"),
        row("41", RevisionKind::ControlDeletion, "P3", ""),
    ];
    assert_eq!(listed, wanted);

    // By what is chosen and the side: what is left of the list, how many controls and marks there are.
    let by_id = |id: &str| Choice { ids: vec![id.to_owned()], ..choice() };
    let by_bob = Choice { author: Some("bob".to_owned()), ..choice() };
    let kinds = |word: &str| Choice { kinds: RevisionKind::named(word), ..choice() };
    let table: [(Side, Choice, &[&str], usize); 9] = [
        (Side::Reject, by_id("11"), &["21", "31", "41"], 3),
        (Side::Reject, by_id("21"), &["11", "31", "41"], 3),
        (Side::Accept, by_id("21"), &["11", "31", "41"], 4),
        (Side::Accept, by_id("31"), &["21", "11", "41"], 3),
        (Side::Reject, by_id("31"), &["21", "11", "41"], 4),
        (Side::Accept, by_bob, &["21", "11"], 2),
        (Side::Accept, kinds("control"), &[], 2),
        (Side::Reject, kinds("ins"), &["31", "41"], 2),
        (Side::Accept, kinds("del"), &["21", "11"], 2),
    ];
    for (side, choice, wanted, controls_left) in table {
        let mut document = WordDocument::open(controls(), &Limits::default()).unwrap();
        let resolved = document.resolve(side, &choice).unwrap();
        assert_eq!(resolved.len(), 4 - wanted.len(), "{side:?} {choice:?}");
        let saved = document.save(Tracking::Untracked).unwrap().bytes;
        let xml = part(&saved, "word/document.xml");
        assert_eq!(xml.matches("<w:sdt>").count(), controls_left, "{side:?} {choice:?}: {xml}");
        assert_eq!(xml.matches("w:customXml").count(), 4 * wanted.len(), "{side:?} {choice:?}: {xml}");
        let again = WordDocument::open(saved, &Limits::default()).unwrap();
        let ids: Vec<String> = again.revisions().unwrap().into_iter().map(|placed| placed.id).collect();
        assert_eq!(ids, wanted, "{side:?} {choice:?}");
    }
}

/// A person sees each of them where it stands, and can settle it from there.
#[test]
fn a_view_marks_controls_that_come_or_go() {
    let document = WordDocument::open(controls(), &Limits::default()).unwrap();
    let html = |view| document.to_html(&HtmlOptions { view, ..HtmlOptions::default() }).unwrap();
    let page = html(View::Markup);
    for id in ["11", "21", "31", "41"] {
        assert_eq!(page.matches(&format!("data-revision=\"{id}\"")).count(), 1, "{id}: {page}");
    }
    assert_eq!(page.matches(">control inserted</ins>").count(), 2, "{page}");
    assert_eq!(page.matches(">control removed</del>").count(), 2, "{page}");
    assert!(!page.contains("Other changes"), "{page}");
    for view in [View::Accepted, View::Original] {
        assert!(!html(view).contains("control inserted"));
    }
}
