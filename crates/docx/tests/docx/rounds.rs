//! Rounds: a person changes their mind, command by command. What the other side gets is one redline.

use engross_docx::ops::{OperationResult, ProofBase, Status, parse_batch};
use engross_docx::read::{ReadOptions, View};
use engross_docx::revisions::{RevisionKind, Side};
use engross_docx::{EditOptions, Limits, OwnRecord, Tracking, WordDocument};
use engross_testkit::docx::DocxBuilder;
use serde_json::{Value, json};

fn paragraph(text: &str) -> String {
    format!("<w:p><w:r><w:t xml:space=\"preserve\">{text}</w:t></w:r></w:p>")
}

fn open(bytes: &[u8]) -> WordDocument {
    WordDocument::open(bytes.to_vec(), &Limits::default()).unwrap()
}

/// One command: opens the file, edits it, writes it. Keeps the record of its own revisions as callers do.
struct Rounds {
    bytes: Vec<u8>,
    record: OwnRecord,
    round: u8,
    own: &'static str,
}

impl Rounds {
    fn on(body: &str, own: &'static str) -> Self {
        let bytes = DocxBuilder::new().body(body).build();
        Self { bytes, record: OwnRecord::default(), round: 0, own }
    }

    fn next(&mut self, author: &str, operations: &Value) -> Vec<OperationResult> {
        self.round += 1;
        let mut document = open(&self.bytes);
        document.recall(self.record.clone());
        let batch = parse_batch(&json!({"own": self.own, "operations": operations})).unwrap();
        let date = format!("2026-01-31T09:{:02}:00Z", self.round);
        let results = document.apply(&batch, &EditOptions { author: author.to_owned(), date }).unwrap();
        self.bytes = document.save(Tracking::Tracked).unwrap().bytes;
        self.record = document.own_record(Tracking::Tracked).unwrap();
        results
    }

    /// Words that give way to others.
    fn change(&mut self, from: &str, to: &str) {
        let operation = json!([{"op": "modify_text", "originalText": from, "replacementText": to}]);
        let results = self.next("Ann", &operation);
        assert_eq!(results[0].status, Status::Applied, "{from} → {to}: {:?}", results[0].message);
    }

    fn kinds(&self) -> Vec<RevisionKind> {
        open(&self.bytes).revisions().unwrap().into_iter().map(|placed| placed.revision.kind).collect()
    }

    fn texts(&self, view: View) -> Vec<String> {
        let options = ReadOptions { view, ..ReadOptions::default() };
        let reading = open(&self.bytes).read(&options).unwrap();
        reading.paragraphs.into_iter().map(|paragraph| paragraph.text).collect()
    }

    fn resolved(&self, side: Side) -> Vec<String> {
        let mut document = open(&self.bytes);
        document.resolve_all(side).unwrap();
        let reading = document.read(&ReadOptions::default()).unwrap();
        reading.paragraphs.into_iter().map(|paragraph| paragraph.text).collect()
    }
}

const BOTH: [RevisionKind; 2] = [RevisionKind::Deletion, RevisionKind::Insertion];

#[test]
fn four_prices_are_one_change() {
    for own in ["recorded", "author"] {
        let mut rounds = Rounds::on(&paragraph("The price is ten euros."), own);
        for (from, to) in [("ten", "twenty"), ("twenty", "thirty"), ("thirty", "forty")] {
            rounds.change(from, to);
        }
        assert_eq!(rounds.kinds(), BOTH, "{own}");
        assert_eq!(rounds.resolved(Side::Accept), ["The price is forty euros."]);
        assert_eq!(rounds.resolved(Side::Reject), ["The price is ten euros."]);
        let written = String::from_utf8_lossy(&rounds.bytes).into_owned();
        assert!(!written.contains("twenty"), "a draft that was given up reaches the other side");
    }
    let mut rounds = Rounds::on(&paragraph("The price is ten euros."), "history");
    rounds.change("ten", "twenty");
    rounds.change("twenty", "thirty");
    assert_eq!(rounds.kinds().len(), 4, "history is kept when that is asked for");
}

#[test]
fn what_is_put_back_was_never_changed() {
    let mut rounds = Rounds::on(&paragraph("The price is ten euros."), "recorded");
    rounds.change("ten", "twenty");
    rounds.change("twenty", "ten");
    assert_eq!(rounds.kinds(), []);
    assert_eq!(rounds.texts(View::Accepted), ["The price is ten euros."]);

    let mut rounds = Rounds::on(&paragraph("Payment is due within thirty days."), "recorded");
    rounds.change("within thirty days", "at the end of each month");
    rounds.change("at the end of each month", "within sixty days");
    assert_eq!(rounds.kinds(), BOTH);
    assert_eq!(rounds.resolved(Side::Accept), ["Payment is due within sixty days."]);
    assert_eq!(rounds.resolved(Side::Reject), ["Payment is due within thirty days."]);
}

#[test]
fn a_change_inside_of_ones_own_insertion_is_one_insertion() {
    let mut rounds = Rounds::on(&paragraph("The fee is due."), "recorded");
    rounds.change("due.", "due within ten working days of the invoice.");
    rounds.change("ten working days", "thirty days");
    assert_eq!(rounds.kinds(), [RevisionKind::Insertion]);
    assert_eq!(rounds.resolved(Side::Accept), ["The fee is due within thirty days of the invoice."]);
}

#[test]
fn a_paragraph_that_is_given_up_was_never_there() {
    let mut rounds = Rounds::on(&(paragraph("One.") + &paragraph("Two.")), "recorded");
    rounds.next("Ann", &json!([{"op": "insert_paragraph", "after": 1, "content": "New."}]));
    assert_eq!(rounds.texts(View::Accepted), ["One.", "New.", "Two."]);
    rounds.next("Ann", &json!([{"op": "delete_paragraph", "paragraphIndex": 2}]));
    assert_eq!(rounds.kinds(), []);
    assert_eq!(rounds.texts(View::Accepted), ["One.", "Two."]);
}

#[test]
fn a_row_that_is_given_up_was_never_there() {
    let cell = |text: &str| format!("<w:tc><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:tc>");
    let row = |one: &str, other: &str| format!("<w:tr>{}{}</w:tr>", cell(one), cell(other));
    let table = format!(
        "<w:tbl><w:tblGrid><w:gridCol/><w:gridCol/></w:tblGrid>{}{}</w:tbl>{}",
        row("Item", "Price"),
        row("Bolt", "4.00"),
        paragraph("After.")
    );
    let mut rounds = Rounds::on(&table, "recorded");
    let add =
        json!([{"op": "edit_table", "paragraphIndex": 1, "action": "add_row", "content": ["Nut", "2.50"]}]);
    assert_eq!(rounds.next("Ann", &add)[0].status, Status::Applied);
    let delete = json!([{"op": "edit_table", "paragraphIndex": 1, "action": "delete_row", "targetRow": 2}]);
    assert_eq!(rounds.next("Ann", &delete)[0].status, Status::Applied);
    assert_eq!(rounds.kinds(), []);
    assert_eq!(rounds.texts(View::Accepted), ["Item", "Price", "Bolt", "4.00", "After."]);
}

#[test]
fn what_others_wrote_stays_as_it_was() {
    let mut rounds = Rounds::on(&paragraph("The price is ten euros."), "recorded");
    rounds.change("ten", "twenty");
    let bob = json!([{"op": "modify_text", "originalText": "twenty", "replacementText": "fifteen"}]);
    rounds.next("Bob", &bob);
    let before: Vec<_> = open(&rounds.bytes).revisions().unwrap();
    let bobs = |revisions: Vec<engross_docx::PlacedRevision>| -> Vec<_> {
        revisions
            .into_iter()
            .map(|placed| placed.revision.stamp)
            .filter(|stamp| stamp.author == "Bob")
            .collect()
    };
    rounds.change("euros", "dollars");
    assert_eq!(bobs(open(&rounds.bytes).revisions().unwrap()), bobs(before));
    let mut document = open(&rounds.bytes);
    let theirs = engross_docx::revisions::Choice { author: Some("Bob".to_owned()), ..Default::default() };
    document.resolve(Side::Reject, &theirs).unwrap();
    document.resolve_all(Side::Accept).unwrap();
    let text = &document.read(&ReadOptions::default()).unwrap().paragraphs[0].text;
    assert_eq!(text, "The price is twenty dollars.");
}

/// The same name alone proves nothing: everybody's default author is the same.
#[test]
fn the_name_alone_is_no_proof() {
    let mut rounds = Rounds::on(&paragraph("The price is ten euros."), "recorded");
    rounds.change("ten", "twenty");
    rounds.record = OwnRecord::default();
    rounds.change("twenty", "thirty");
    assert_eq!(rounds.kinds().len(), 4);
}

/// Rejecting what is one's own gives the text before all of one's own rounds, and the proof says that it is compared with that.
#[test]
fn the_proof_names_its_base() {
    let mut rounds = Rounds::on(&paragraph("The price is ten euros."), "recorded");
    rounds.change("ten", "twenty");
    let mut document = open(&rounds.bytes);
    document.recall(rounds.record.clone());
    let batch = json!([{"op": "modify_text", "originalText": "twenty", "replacementText": "thirty"}]);
    let options = EditOptions { author: "Ann".to_owned(), date: "2026-02-01T10:00:00Z".to_owned() };
    document.apply(&parse_batch(&batch).unwrap(), &options).unwrap();
    assert_eq!(document.save(Tracking::Tracked).unwrap().proof.base, ProofBase::BeforeOwn);
}

/// An untracked edit of words that somebody else has inserted belongs to that insertion: rejecting it leaves nothing of either.
#[test]
fn untracked_edits_keep_the_insertions_of_others_whole() {
    let theirs = "<w:p><w:r><w:t>Signed</w:t></w:r><w:ins w:id=\"7\" w:author=\"Alice\" w:date=\"2026-01-01T00:00:00Z\">\
        <w:r><w:t xml:space=\"preserve\"> by the Company today</w:t></w:r></w:ins></w:p>";
    let cases = [
        ("Company", "Acme", "Signed by the Acme today"),
        ("today", "now", "Signed by the Company now"),
        ("the ", "", "Signed by Company today"),
        ("by the Company", "on the Company's behalf", "Signed on the Company's behalf today"),
        (" by the Company today", " by Acme", "Signed by Acme"),
    ];
    for (original, replacement, accepted) in cases {
        let mut document = open(&DocxBuilder::new().body(theirs).build());
        let operation =
            json!([{"op": "modify_text", "originalText": original, "replacementText": replacement}]);
        let options = EditOptions { author: "Ann".to_owned(), date: "2026-02-01T10:00:00Z".to_owned() };
        let results = document.apply(&parse_batch(&operation).unwrap(), &options).unwrap();
        assert_eq!(results[0].status, Status::Applied, "{original}");
        let bytes = document.save(Tracking::Untracked).unwrap().bytes;
        for (side, text) in [(Side::Accept, accepted), (Side::Reject, "Signed")] {
            let mut resolved = open(&bytes);
            assert_eq!(resolved.revisions().unwrap().len(), 1, "{original}");
            resolved.resolve_all(side).unwrap();
            assert_eq!(
                resolved.read(&ReadOptions::default()).unwrap().paragraphs[0].text,
                text,
                "{original}"
            );
        }
    }
}

/// Formatting has one record of what was before: of one's own rounds, of what was before the first.
#[test]
fn formatting_is_one_change_however_often() {
    let text = "<w:p><w:pPr><w:jc w:val=\"left\"/><w:rPr><w:i/></w:rPr></w:pPr>\
        <w:r><w:rPr><w:i/></w:rPr><w:t>The price is ten euros.</w:t></w:r></w:p>";
    let look = |set: &Value| {
        let mut operation = json!({"op": "format_text", "textToFormat": "ten"});
        operation.as_object_mut().unwrap().extend(set.as_object().unwrap().clone());
        json!([operation])
    };
    let align = |to: &str| json!([{"op": "format_paragraph", "paragraphIndex": 1, "alignment": to}]);
    let mut rounds = Rounds::on(text, "recorded");
    for set in [json!({"bold": true}), json!({"size": 20}), json!({"bold": false, "italic": false})] {
        let results = rounds.next("Ann", &look(&set));
        assert_eq!(results[0].status, Status::Applied, "{:?}", results[0].message);
    }
    for to in ["center", "right"] {
        let results = rounds.next("Ann", &align(to));
        assert_eq!(results[0].status, Status::Applied, "{:?}", results[0].message);
        assert_eq!(results[0].gone_revision_ids.len(), usize::from(to == "right"));
    }
    assert_eq!(rounds.kinds(), [RevisionKind::ParagraphFormatting, RevisionKind::Formatting]);
    let source = open(&DocxBuilder::new().body(text).build());
    let mut rejected = open(&rounds.bytes);
    rejected.resolve_all(Side::Reject).unwrap();
    assert_eq!(
        rejected.read(&ReadOptions::default()).unwrap().paragraphs,
        source.read(&ReadOptions::default()).unwrap().paragraphs
    );
    // What is as it was is no change.
    rounds.next("Ann", &align("left"));
    assert_eq!(rounds.kinds(), [RevisionKind::Formatting]);
    // Somebody else's record stays, and is in the way.
    let results = rounds.next("Bob", &look(&json!({"bold": true})));
    assert_eq!(results[0].code.as_deref(), Some("FORMAT_REVISION"));
}

/// What an earlier round of one's own put there is edited as if one had written it so at once; what somebody else put there as a
/// whole is refused, by a code of its own.
#[test]
fn a_link_or_a_control_of_an_earlier_round_is_edited() {
    // What a reading says of a link or a control is a label around its words.
    let words = |texts: Vec<String>| {
        let text = texts.join("\n").replace("\"⟧", "");
        let mut parts = text.split('⟦');
        let first = parts.next().unwrap_or_default().to_owned();
        let inside = parts.map(|part| part.split_once('"').map_or(part, |(_, words)| words));
        first + &inside.collect::<String>()
    };
    let run = |text: &str| format!("<w:r><w:t xml:space=\"preserve\">{text}</w:t></w:r>");
    let insertion = |content: &str| {
        format!(
            "<w:p>{}<w:ins w:id=\"7\" w:author=\"Ann\" w:date=\"2026-01-01T00:00:00Z\">{content}</w:ins>{}</w:p>",
            run("See "),
            run(" first.")
        )
    };
    let control = format!(
        "<w:sdt><w:sdtPr><w:tag w:val=\"place\"/><w:text/></w:sdtPr><w:sdtContent>{}</w:sdtContent></w:sdt>",
        run("clause nine of it")
    );
    let link = format!("<w:hyperlink w:anchor=\"x\">{}</w:hyperlink>", run("clause nine of it"));
    for wrapped in [
        control.clone(),
        link,
        format!("<w:smartTag w:element=\"e\">{}</w:smartTag>", run("clause nine of it")),
    ] {
        let body = insertion(&wrapped);
        let mut rounds = Rounds::on(&body, "author");
        rounds.change("nine", "ten");
        assert_eq!(rounds.kinds(), [RevisionKind::Insertion], "{wrapped}");
        assert_eq!(words(rounds.resolved(Side::Accept)), "See clause ten of it first.", "{wrapped}");
        assert_eq!(rounds.resolved(Side::Reject), ["See  first."], "{wrapped}");
        rounds.change("clause ten of", "schedule two to");
        rounds.change(" first", "");
        assert_eq!(words(rounds.resolved(Side::Accept)), "See schedule two to it.", "{wrapped}");
        assert_eq!(rounds.resolved(Side::Reject), ["See  first."], "{wrapped}");

        let mut other = Rounds::on(&body, "author");
        let operation = json!([{"op": "modify_text", "originalText": "nine", "replacementText": "ten"}]);
        let results = other.next("Bob", &operation);
        assert_eq!(results[0].status, Status::Refused, "{wrapped}");
        assert_eq!(results[0].code.as_deref(), Some("INSIDE_INSERTION"));
        assert!(results[0].message.as_deref().unwrap_or_default().contains("Ann (revision 7)"));
    }
}
