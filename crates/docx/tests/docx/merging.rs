//! Two sides of one document: what both wanted is in the redline, and nobody's change is dropped in silence.

use engross_docx::ops::{ProofState, parse_batch};
use engross_docx::read::{ReadOptions, View};
use engross_docx::revisions::Side;
use engross_docx::{
    ComparedView, EditOptions, Granularity, Limits, MergeOptions, MergedDocument, Severity, Tracking,
    WordDocument, check, compare_three, differences, merged,
};
use engross_testkit::docx::DocxBuilder;
use serde_json::{Value, json};

use crate::corpus_check::corpus_documents;
use crate::jobs::documents;

fn open(bytes: Vec<u8>) -> WordDocument {
    WordDocument::open(bytes, &Limits::default()).unwrap()
}

/// The document as somebody sends it back: edited, all changes accepted. Nothing where no operation was applied.
fn sent_back(base: &[u8], batch: &Value) -> Option<Vec<u8>> {
    let mut document = open(base.to_vec());
    document.resolve_all(Side::Accept).unwrap();
    let mut document = open(document.save(Tracking::Tracked).unwrap().bytes);
    let options = EditOptions { author: "X".to_owned(), date: "2026-01-01T09:30:00Z".to_owned() };
    let results = document.apply(&parse_batch(batch).ok()?, &options).ok()?;
    let applied =
        |result: &engross_docx::ops::OperationResult| result.status == engross_docx::ops::Status::Applied;
    results.iter().all(applied).then_some(())?;
    document.resolve_all(Side::Accept).unwrap();
    Some(document.save(Tracking::Tracked).ok()?.bytes)
}

fn meet(base: &[u8], one: Vec<u8>, other: Vec<u8>) -> MergedDocument {
    let options = MergeOptions {
        authors: ["Ada".to_owned(), "Bob".to_owned()],
        date: "2026-01-31T09:30:00Z".to_owned(),
        view: ComparedView::Accepted,
        granularity: Granularity::Word,
    };
    compare_three(base.to_vec(), one, other, &options, &Limits::default()).unwrap()
}

fn texts(bytes: &[u8], view: View) -> Vec<String> {
    let options = ReadOptions { view, story: Some("everywhere".to_owned()), ..ReadOptions::default() };
    let read = open(bytes.to_vec()).read(&options).unwrap().paragraphs;
    read.into_iter().map(|paragraph| paragraph.text).collect()
}

fn contract() -> Vec<u8> {
    let cell = |text: &str| {
        format!(
            "<w:tc><w:tcPr><w:tcW w:w=\"100\" w:type=\"dxa\"/></w:tcPr><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:tc>"
        )
    };
    let line = |text: &str| format!("<w:p><w:r><w:t xml:space=\"preserve\">{text}</w:t></w:r></w:p>");
    DocxBuilder::new()
        .body(&format!(
            "{}{}<w:tbl><w:tblPr/><w:tblGrid><w:gridCol w:w=\"100\"/><w:gridCol w:w=\"100\"/></w:tblGrid><w:tr>{}{}</w:tr><w:tr>{}{}</w:tr></w:tbl>{}{}\
             <w:sectPr><w:headerReference w:type=\"default\" r:id=\"h\"/></w:sectPr>",
            line("The fee of 100 euros is due within ten days."),
            line("The law of Ohio applies to all claims."),
            cell("Item"),
            cell("Price"),
            cell("Chair"),
            cell("40"),
            line("Notices go to the office."),
            line("Signed today."),
        ))
        .header("h", &line("Draft of May"))
        .build()
}

fn say(at: usize, old: &str, new: &str) -> Value {
    json!({"op": "modify_text", "paragraphIndex": at, "originalText": old, "replacementText": new})
}

fn add_row(at: usize) -> Value {
    json!([{"op": "edit_table", "paragraphIndex": at, "action": "add_row", "content": ["Lamp", "5"]}])
}

/// Both sides' operations: nothing is lost, and both are done where they can be.
fn both_are_done(one: &Value, other: &Value) {
    let base = contract();
    let (a, b) = (sent_back(&base, one).unwrap(), sent_back(&base, other).unwrap());
    let met = meet(&base, a, b);
    assert!(met.conflicts.is_empty(), "{one} {other}: {:?}", met.conflicts);
    let holds = ProofState::Holds;
    assert_eq!((met.proof.base, met.proof.one, met.proof.other), (holds, holds, holds), "{one} {other}");
    let mut all = one.as_array().unwrap().clone();
    all.extend(other.as_array().unwrap().clone());
    let wanted = open(sent_back(&base, &json!(all)).unwrap());
    let done = open(merged(&met, &Limits::default()).unwrap());
    assert_eq!(differences(&done, &wanted, None).unwrap(), [], "{one} {other}");
    assert!(done.revisions().unwrap().is_empty());
    let authors: std::collections::BTreeSet<String> =
        open(met.bytes).revisions().unwrap().into_iter().map(|placed| placed.revision.stamp.author).collect();
    assert_eq!(authors.into_iter().collect::<Vec<_>>(), ["Ada", "Bob"]);
}

#[test]
fn changes_in_different_places_are_both_done() {
    let sides = [
        (json!([say(1, "100", "120")]), json!([say(2, "Ohio", "Texas")])),
        (json!([say(1, "100 euros", "120 euros")]), json!([say(1, "ten days", "thirty days")])),
        (json!([say(4, "Price", "Price in euros")]), json!([say(5, "Chair", "Table")])),
        (json!([{"op": "delete_paragraph", "paragraphIndex": 2}]), json!([say(7, "office", "court")])),
        (
            json!([say(2, "Ohio", "Texas")]),
            json!([{"op": "insert_paragraph", "after": 2, "content": "A *new* one.\n\n1. with\n2. items[^1]\n\n[^1]: and a note"}]),
        ),
        (
            json!([{"op": "insert_paragraph", "after": 1, "content": "- ours[^1]\n\n[^1]: our note"}]),
            json!([{"op": "insert_paragraph", "after": 7, "content": "1. theirs[^1], see [this](https://example.org)\n\n[^1]: their note"}]),
        ),
        (
            json!([{"op": "edit_table", "paragraphIndex": 3, "action": "add_row", "content": ["Lamp", "5"]}]),
            json!([say(2, "Ohio", "Texas"), {"op": "format_text", "paragraphIndex": 1, "textToFormat": "ten days", "bold": true}]),
        ),
        (add_row(3), json!([say(5, "Chair", "Table")])),
        (
            json!([{"op": "edit_paragraph", "paragraphIndex": 2, "plain": true, "newContent": "The law of Ohio\n\napplies to all claims."}, say(3, "Item", "Thing")]),
            json!([say(6, "40", "50")]),
        ),
        (
            json!([say(3, "Item", "Thing")]),
            json!([say(6, "40", "50"), {"op": "insert_paragraph", "after": 7, "content": "And so on."}]),
        ),
        (json!([say(4, "Price", "Price in euros")]), add_row(5)),
        (
            json!([say(6, "40", "50")]),
            json!([{"op": "edit_table", "paragraphIndex": 3, "action": "delete_row", "targetRow": 0}]),
        ),
        (
            add_row(3),
            json!([{"op": "edit_table", "paragraphIndex": 5, "action": "add_row", "content": ["Desk", "90"]}]),
        ),
        (
            json!([say(8, "today", "now")]),
            json!([{"op": "modify_text", "originalText": "May", "replacementText": "June", "scope": ["header:default@1"]}]),
        ),
        (
            json!([{"op": "move_paragraph", "paragraphIndex": 1, "after": 7}]),
            json!([say(2, "Ohio", "Texas")]),
        ),
        (
            json!([say(2, "Ohio", "Texas")]),
            json!([{"op": "move_paragraph", "paragraphIndex": 1, "after": 7}]),
        ),
        (
            json!([say(1, "100", "120")]),
            json!([{"op": "format_paragraph", "paragraphIndex": 7, "alignment": "right"}]),
        ),
    ];
    for (one, other) in &sides {
        both_are_done(one, other);
    }
}

#[test]
fn what_both_want_otherwise_is_told_where_it_stands() {
    let base = contract();
    let delete = json!([{"op": "delete_paragraph", "paragraphIndex": 2}]);
    for (one, other, ours, theirs, anchor) in [
        (
            json!([say(2, "Ohio", "Texas")]),
            json!([say(2, "Ohio", "Iowa")]),
            "Texas",
            "The law of Iowa applies to all claims.",
            "P2",
        ),
        (delete.clone(), json!([say(2, "Ohio", "Iowa")]), "", "The law of Iowa applies to all claims.", "P1"),
        (json!([say(2, "Ohio", "Texas")]), delete, "Texas", "", "P2"),
    ] {
        let (a, b) = (sent_back(&base, &one).unwrap(), sent_back(&base, &other).unwrap());
        let met = meet(&base, a.clone(), b);
        let [conflict] = met.conflicts.as_slice() else { panic!("{one} {other}: {:?}", met.conflicts) };
        assert_eq!((conflict.address.as_str(), conflict.other.as_str()), ("P2", theirs));
        assert!(conflict.one.contains(ours), "{conflict:?}");
        assert_eq!((met.proof.base, met.proof.one), (ProofState::Holds, ProofState::Holds));
        assert_eq!(met.proof.other, ProofState::NotApplicable);
        let document = open(met.bytes.clone());
        let [comment] = <[_; 1]>::try_from(document.comments().unwrap()).unwrap();
        assert!(comment.address == anchor && comment.comment.stamp.author == "Bob", "{comment:?}");
        assert!(
            comment.comment.text.contains("Both sides") && comment.comment.text.contains(theirs),
            "{comment:?}"
        );
        let done = open(merged(&met, &Limits::default()).unwrap());
        assert!(!done.revisions().unwrap().is_empty(), "a conflict stays open");
        assert_eq!(differences(&done, &open(a), Some(Side::Accept)).unwrap(), []);
    }
}

#[test]
fn what_both_did_alike_is_done_once() {
    let base = contract();
    let batch = json!([
        say(2, "Ohio", "Texas"),
        {"op": "insert_paragraph", "after": 7, "content": "New."},
        {"op": "delete_paragraph", "paragraphIndex": 1}
    ]);
    let side = sent_back(&base, &batch).unwrap();
    let met = meet(&base, side.clone(), side.clone());
    assert!(met.conflicts.is_empty() && met.agreed == 3, "{met:?}");
    assert_eq!(differences(&open(met.bytes.clone()), &open(side), Some(Side::Accept)).unwrap(), []);
    assert!(open(met.bytes).revisions().unwrap().iter().all(|placed| placed.revision.stamp.author == "Ada"));
    let again = meet(&base, base.clone(), base.clone());
    assert!(again.bytes == base && again.conflicts.is_empty());
}

#[test]
fn text_that_both_add_at_one_place_is_kept_and_told() {
    let base = contract();
    let add = |text: &str| json!([{"op": "insert_paragraph", "after": 2, "content": text}]);
    let (a, b) = (sent_back(&base, &add("Ours.")).unwrap(), sent_back(&base, &add("Theirs.")).unwrap());
    let met = meet(&base, a, b);
    assert!(met.conflicts.is_empty() && met.limitations.len() == 1, "{met:?}");
    let said = texts(&met.bytes, View::Accepted);
    let at = said.iter().position(|text| text == "Ours.").unwrap();
    assert_eq!(said[at + 1], "Theirs.");
}

/// A word of a paragraph that stands once in it.
fn single_word(text: &str) -> Option<&str> {
    let words = text.split(|c: char| !c.is_alphabetic()).filter(|word| word.len() > 4);
    words.into_iter().find(|word| text.matches(word).count() == 1)
}

/// Pairs of batches on other paragraphs of a document.
fn pairs(bytes: &[u8]) -> Vec<(Value, Value)> {
    let read = open(bytes.to_vec())
        .read(&ReadOptions { labels: false, ..ReadOptions::default() })
        .unwrap()
        .paragraphs;
    let long: Vec<(usize, &str)> = read
        .iter()
        .filter(|paragraph| read.iter().filter(|other| other.text == paragraph.text).count() == 1)
        .filter_map(|paragraph| Some((paragraph.index, single_word(&paragraph.text)?)))
        .collect();
    let pick = |part: usize| long.get(long.len() * part / 8).copied();
    let (Some(a), Some(b), Some(c), Some(d)) = (pick(1), pick(3), pick(5), pick(7)) else {
        return Vec::new();
    };
    if a.0 + 1 >= b.0 || b.0 + 1 >= c.0 || c.0 + 1 >= d.0 {
        return Vec::new();
    }
    vec![
        (
            json!([say(a.0, a.1, "changed"), {"op": "delete_paragraph", "paragraphIndex": c.0}]),
            json!([say(b.0, b.1, "altered"), {"op": "insert_paragraph", "after": d.0, "content": "A **new** one."}]),
        ),
        (
            json!([{"op": "insert_paragraph", "after": a.0, "content": "- new\n- list"}, say(d.0, d.1, "other")]),
            json!([{"op": "format_text", "paragraphIndex": b.0, "textToFormat": b.1, "bold": true}, {"op": "delete_paragraph", "paragraphIndex": c.0}]),
        ),
    ]
}

fn try_pairs(name: &str, bytes: &[u8], counts: &mut [usize; 3]) -> Vec<String> {
    let mut faults = Vec::new();
    for (one, other) in pairs(bytes) {
        let both: Vec<Value> =
            one.as_array().unwrap().iter().chain(other.as_array().unwrap()).cloned().collect();
        let (Some(a), Some(b), Some(wanted)) =
            (sent_back(bytes, &one), sent_back(bytes, &other), sent_back(bytes, &json!(both)))
        else {
            continue;
        };
        let met = meet(bytes, a, b);
        counts[0] += 1;
        counts[1] += met.conflicts.len();
        if met.proof.base != ProofState::Holds || met.proof.one != ProofState::Holds {
            counts[2] += 1;
            if met.limitations.iter().all(|limitation| !limitation.difference.contains("could not be proven"))
            {
                faults.push(format!("{name}: not proven, and not told: {:?}\n{one}\n{other}", met.proof));
            }
            continue;
        }
        let known: Vec<String> = check(&open(bytes.to_vec()))
            .unwrap()
            .into_iter()
            .map(|finding| finding.code.to_owned())
            .collect();
        let new = check(&open(met.bytes.clone())).unwrap();
        let new = new.iter().filter(|finding| finding.severity == Severity::Error);
        faults.extend(
            new.filter(|finding| !known.iter().any(|code| code == finding.code))
                .map(|finding| format!("{name}: {finding:?}\n{one}\n{other}")),
        );
        if met.conflicts.is_empty() && met.agreed == 0 {
            let done = open(merged(&met, &Limits::default()).unwrap());
            let found = differences(&done, &open(wanted), Some(Side::Accept)).unwrap();
            if !found.is_empty() {
                faults.push(format!("{name}: {:?} {found:?}\n{one}\n{other}", met.proof));
            }
        }
    }
    faults
}

#[test]
fn disjoint_edits_of_agreements_are_both_done() {
    let mut counts = [0; 3];
    let mut faults = Vec::new();
    for (name, bytes) in
        [("nda", documents::nda()), ("agreement", documents::agreement()), ("hebrew", documents::hebrew())]
    {
        faults.extend(try_pairs(name, &bytes, &mut counts));
    }
    assert!(
        faults.is_empty() && counts[0] >= 4 && counts[1..] == [0, 0],
        "{counts:?}\n{}",
        faults.join("\n\n")
    );
}

/// The same with every document of the corpus: `cargo test … merges_of_real_documents -- --ignored`.
#[test]
#[ignore = "takes minutes"]
#[expect(clippy::disallowed_methods, reason = "reads test documents")]
fn merges_of_real_documents() {
    let mut counts = [0; 3];
    let mut faults = Vec::new();
    for path in corpus_documents() {
        let bytes = std::fs::read(&path).unwrap();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        faults.extend(try_pairs(&name, &bytes, &mut counts));
    }
    eprintln!("{} merges, {} conflicts, {} not proven", counts[0], counts[1], counts[2]);
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n\n"));
}

/// A control that comes is a block like any other, and whatever is not taken over is told.
#[test]
fn a_control_that_one_side_adds_is_not_dropped() {
    let line = |text: &str| format!("<w:p><w:r><w:t>{text}</w:t></w:r></w:p>");
    let control = format!("<w:sdt><w:sdtPr/><w:sdtContent>{}</w:sdtContent></w:sdt>", line("Of a control."));
    let document = |body: String| DocxBuilder::new().body(&body).build();
    let base = document(line("First.") + &line("Last."));
    let other = document(line("First.") + &control + &line("Last."));
    let one = document(line("First, changed.") + &line("Last."));
    for (one, other) in [(one.clone(), other.clone()), (other, one)] {
        let met = meet(&base, one, other);
        let said = texts(&met.bytes, View::Accepted);
        assert_eq!(said, ["First, changed.", "Of a control.", "Last."], "{met:?}");
        let is_proven = met.proof.other == ProofState::Holds && met.proof.one == ProofState::Holds;
        assert!(is_proven || !met.limitations.is_empty(), "{met:?}");
    }
}
