//! Redlines of two documents: rejecting gives the one before, accepting the one after, in an opinion of its own (`oracle`).

use engross_docx::ops::ProofState;
use engross_docx::revisions::Side as View;
use engross_docx::{
    ChangeKind, ChangeSubject, CompareOptions, ComparedView, Comparison, Granularity, Limits, WordDocument,
    changes_of, compare, text_changes,
};
use engross_testkit::docx::DocxBuilder;
use proptest::prelude::*;

use crate::oracle::{Element, Node, Side, canonical, main_part, parse, resolve, texts};
use crate::random_bodies::{Choices, body};

fn options() -> CompareOptions {
    CompareOptions {
        author: "Ada".to_owned(),
        date: "2026-01-31T09:30:00Z".to_owned(),
        view: ComparedView::Accepted,
        keep_revisions: false,
        formatting: true,
        moves: true,
        granularity: Granularity::Word,
    }
}

fn redline(before: &[u8], after: &[u8]) -> Comparison {
    compare(before.to_vec(), after.to_vec(), &options(), &Limits::default()).unwrap()
}

fn document(body: &str) -> Vec<u8> {
    DocxBuilder::new().body(body).build()
}

/// An element without the bookmarks in it, nor the marks of comments, nor a section that says nothing: it was taken over.
fn without_bookmarks(element: &Element) -> Element {
    let is_mark = |name: &str| {
        ["w:bookmarkStart", "w:bookmarkEnd", "w:commentRangeStart", "w:commentRangeEnd"].contains(&name)
    };
    let children = element.children.iter().filter_map(|child| match child {
        Node::Element(inner) if is_mark(&inner.name) => None,
        Node::Element(inner) if inner.name == "w:sectPr" && inner.children.is_empty() => None,
        Node::Element(inner) => Some(Node::Element(without_bookmarks(inner))),
        Node::Text(text) => Some(Node::Text(text.clone())),
    });
    Element {
        name: element.name.clone(),
        attributes: element.attributes.clone(),
        children: children.collect(),
    }
}

/// What a document says once its changes are resolved.
fn said(document: &[u8], side: Side) -> Vec<String> {
    texts(&resolve(&parse(&main_part(document)), side, None))
}

/// A random document in which no revision is pending.
fn random(choices: &[u8]) -> Vec<u8> {
    let mut document =
        WordDocument::open(document(&body(&mut Choices::of(choices))), &Limits::default()).unwrap();
    document.resolve_all(View::Accept).unwrap();
    document.save(engross_docx::Tracking::Tracked).unwrap().bytes
}

/// Judges a redline: what it says when all is rejected and when all is accepted.
fn judge(before: &[u8], after: &[u8], comparison: &Comparison) {
    let parts = || [before, after, &comparison.bytes].map(|bytes| main_part(bytes).replace("><", ">\n<"));
    for (side, source) in [(Side::Reject, before), (Side::Accept, after)] {
        let (got, wanted) = (said(&comparison.bytes, side), said(source, Side::Accept));
        assert_eq!(got, wanted, "{side:?}: {:#?}", parts());
    }
    let ids = WordDocument::open(comparison.bytes.clone(), &Limits::default()).unwrap().revisions().unwrap();
    let mut known: Vec<Option<i64>> = ids.iter().map(|placed| placed.revision.stamp.id).collect();
    known.sort_unstable();
    known.dedup();
    assert_eq!(known.len(), ids.len(), "every revision has an id of its own");
}

fn kinds(before: &str, after: &str) -> Vec<(ChangeKind, String, String)> {
    let (before, after) = (document(before), document(after));
    let made = redline(&before, &after);
    judge(&before, &after, &made);
    assert_eq!(made.proof.accept, ProofState::Holds);
    let changes = changes_of(made.bytes, &Limits::default()).unwrap();
    changes.into_iter().map(|change| (change.kind, change.before, change.after)).collect()
}

fn paragraph(text: &str) -> String {
    format!("<w:p><w:r><w:t xml:space=\"preserve\">{text}</w:t></w:r></w:p>")
}

#[test]
fn words_are_replaced_and_nothing_else() {
    let found = kinds(
        &(paragraph("The fee is ten euros.") + &paragraph("End")),
        &(paragraph("The fee is twelve euros.") + &paragraph("End")),
    );
    assert_eq!(found, [(ChangeKind::Replacement, "ten".to_owned(), "twelve".to_owned())]);
}

#[test]
fn a_paragraph_that_is_split_keeps_its_words() {
    let found = kinds(&paragraph("One. Two."), &(paragraph("One. ") + &paragraph("Two.")));
    assert_eq!(found, [(ChangeKind::Insertion, String::new(), String::new())]);
    let found = kinds(&(paragraph("One. ") + &paragraph("Two.")), &paragraph("One. Two."));
    assert_eq!(found, [(ChangeKind::Deletion, String::new(), String::new())]);
}

#[test]
fn a_clause_that_stands_elsewhere_was_moved() {
    let clauses = [
        "The first clause is about the fee.",
        "The second clause is about the term of it all.",
        "The third one.",
        "End",
    ];
    let text = |order: [usize; 4]| order.iter().map(|at| paragraph(clauses[*at])).collect::<String>();
    let (before, after) = (document(&text([0, 1, 2, 3])), document(&text([1, 2, 0, 3])));
    let made = redline(&before, &after);
    judge(&before, &after, &made);
    let xml = main_part(&made.bytes);
    assert_eq!((xml.matches("<w:moveFrom ").count(), xml.matches("<w:moveTo ").count()), (2, 2));
    let without =
        compare(before, after, &CompareOptions { moves: false, ..options() }, &Limits::default()).unwrap();
    assert!(!main_part(&without.bytes).contains("w:move"));
}

#[test]
fn formatting_alone_is_no_change_of_words() {
    let after = "<w:p><w:pPr><w:jc w:val=\"center\"/></w:pPr><w:r><w:t xml:space=\"preserve\">One </w:t></w:r>\
        <w:r><w:rPr><w:b/></w:rPr><w:t>two</w:t></w:r></w:p>";
    let found = kinds(&paragraph("One two"), after);
    assert!(found.iter().all(|(kind, ..)| *kind == ChangeKind::Formatting), "{found:?}");
    assert_eq!(found.len(), 2);
}

#[test]
fn rows_and_columns_come_and_go() {
    let table = |rows: &[&[&str]]| {
        let cell = |text: &&str| format!("<w:tc><w:tcPr/>{}</w:tc>", paragraph(text));
        let row = |cells: &&[&str]| format!("<w:tr>{}</w:tr>", cells.iter().map(cell).collect::<String>());
        let rows: String = rows.iter().map(row).collect();
        format!("<w:tbl><w:tblPr/><w:tblGrid/>{rows}</w:tbl><w:p/>")
    };
    let three = table(&[&["Item", "Price"], &["Chair", "ten"], &["Table", "twenty"]]);
    let two = table(&[&["Item", "Price"], &["Table", "twenty"]]);
    let wide = table(&[&["Item", "Colour", "Price"], &["Chair", "red", "ten"], &["Table", "blue", "twenty"]]);
    let count = |found: &[(ChangeKind, String, String)], wanted| {
        found.iter().filter(|(kind, ..)| *kind == wanted).count()
    };
    assert_eq!(count(&kinds(&three, &two), ChangeKind::TableDeletion), 1);
    assert_eq!(count(&kinds(&two, &three), ChangeKind::TableInsertion), 1);
    assert_eq!(count(&kinds(&three, &wide), ChangeKind::TableInsertion), 3);
    assert_eq!(count(&kinds(&wide, &three), ChangeKind::TableDeletion), 3);
}

/// Texts of clauses whose numbers are typed.
fn clauses(texts: &[&str]) -> String {
    texts.iter().map(|text| paragraph(text)).collect()
}

#[test]
fn a_clause_that_comes_counts_the_others_anew() {
    let before =
        clauses(&["3. Fees", "3.1 See Clause 4.1.", "3.2 Pay.", "4. Secrets", "4.1 Keep them all.", "End"]);
    let after = clauses(&[
        "3. Fees",
        "3.1 See Clause 5.1.",
        "3.2 Pay.",
        "4. Insurance",
        "4.1 The Supplier insures itself.",
        "5. Secrets",
        "5.1 Keep them all.",
        "End",
    ]);
    let made = redline(&document(&before), &document(&after));
    judge(&document(&before), &document(&after), &made);
    let changes = changes_of(made.bytes, &Limits::default()).unwrap();
    let new: Vec<&str> =
        changes.iter().filter(|change| change.is_paragraph).map(|change| change.after.as_str()).collect();
    assert_eq!(new, ["4. Insurance", "4.1 The Supplier insures itself."]);
    let others = changes.iter().filter(|change| !change.is_paragraph);
    let others: Vec<_> = others.map(|change| (change.subject, change.after.as_str())).collect();
    let counted = ChangeSubject::Numbering;
    assert_eq!(others, [(counted, "5"), (counted, "5"), (counted, "5")]);
    let plain = text_changes(document(&before), document(&after), ComparedView::Accepted, &Limits::default())
        .unwrap();
    let plain: Vec<_> =
        plain.iter().filter(|change| change.is_paragraph).map(|change| change.after.as_str()).collect();
    assert_eq!(plain, new, "a look tells the same");
}

/// A new clause right behind a paragraph that was edited takes nothing from it, wherever its words and its end may be found again.
#[test]
fn a_clause_behind_an_edited_paragraph_is_new_as_a_whole() {
    let told = |before: &[&str], after: &[&str]| {
        let (before, after) = (document(&clauses(before)), document(&clauses(after)));
        let made = redline(&before, &after);
        judge(&before, &after, &made);
        let changes = changes_of(made.bytes, &Limits::default()).unwrap();
        let line = |change: &engross_docx::DocumentChange| {
            let sign = if change.is_paragraph { "¶ " } else { "" };
            format!("{} {sign}{} > {}", change.address, change.before, change.after)
        };
        changes.iter().map(line).collect::<Vec<_>>()
    };
    assert_eq!(
        told(
            &["3.1 Pay. See Clause 4.1.", "4. Secrets", "4.1 Keep them all.", "End"],
            &[
                "3.1 Pay. See Clause 5.1.",
                "4. Insurance",
                "4.1 The Supplier insures itself.",
                "5. Secrets",
                "5.1 Keep them all.",
                "End"
            ]
        ),
        [
            "P1 4 > 5",
            "P2 ¶  > 4. Insurance",
            "P3 ¶  > 4.1 The Supplier insures itself.",
            "P4 4 > 5",
            "P5 4 > 5"
        ]
    );
    let (short, long) = (["See Clause four"], ["See Clause five", "4. Insurance"]);
    assert_eq!(
        told(&[&short[..], &["End"]].concat(), &[&long[..], &["End"]].concat()),
        ["P1 four > five", "P2 ¶  > 4. Insurance"]
    );
    // At the end of all, the mark of the last paragraph has nothing to join.
    assert_eq!(told(&short, &long), ["P1 four > five", "P2 ¶  > 4. Insurance"]);
    assert_eq!(told(&long, &short), ["P1 five > four", "P2 ¶ 4. Insurance > "]);
    assert_eq!(
        told(&["See Clause four", "4. Insurance", "Foo", "End"], &["See Clause five", "End"]),
        ["P1 four > five", "P2 ¶ 4. Insurance > ", "P3 ¶ Foo > "]
    );
    // A paragraph that is split or joined keeps its words all the same.
    assert_eq!(told(&["One word. Two words.", "End"], &["One word. ", "Two words.", "End"]), ["P1 ¶  > "]);
}

/// Whoever rejects in Word keeps the mark of a document's last paragraph: it must not be a new one.
#[test]
fn the_last_mark_of_all_stays() {
    let before = document(&clauses(&["3. Fees", "4. The law of Ohio applies."]));
    let after =
        document(&clauses(&["3. Fees", "4. Insurance is had.", "5. The law of Ohio applies.", "6. Notices"]));
    for (one, other) in [(&before, &after), (&after, &before)] {
        let made = redline(one, other);
        judge(one, other, &made);
        let xml = main_part(&made.bytes);
        let last = xml.rsplit("<w:p>").next().unwrap();
        assert!(!last.contains("<w:pPr>"), "{last}");
    }
}

#[test]
fn a_section_moves_with_its_heading() {
    let secrets = ["Each party keeps confidential what it learns.", "This ends after five long years."];
    let term = [
        "This Agreement runs for three whole years from now.",
        "Either party may end it before that by notice.",
    ];
    let make = |titles: [&str; 2], first: [&str; 2], second: [&str; 2]| {
        clauses(&["Start", titles[0], first[0], first[1], titles[1], second[0], second[1], "End"])
    };
    for (old, new) in
        [(["Secrets", "Term"], ["Term", "Secrets"]), (["4. Secrets", "5. Term"], ["4. Term", "5. Secrets"])]
    {
        let (before, after) = (document(&make(old, secrets, term)), document(&make(new, term, secrets)));
        let made = redline(&before, &after);
        judge(&before, &after, &made);
        let changes = changes_of(made.bytes, &Limits::default()).unwrap();
        let moved = changes.iter().filter(|change| change.counterpart.is_some() && !change.after.is_empty());
        assert_eq!(moved.count(), 3, "{changes:#?}");
        assert!(
            changes.iter().all(|change| change.counterpart.is_some() || !change.is_paragraph),
            "{changes:#?}"
        );
    }
}

#[test]
fn a_style_that_looks_otherwise_is_told() {
    let make = |size: u8, default: u8| {
        let styles = format!(
            "<w:docDefaults><w:rPrDefault><w:rPr><w:sz w:val=\"{default}\"/></w:rPr></w:rPrDefault></w:docDefaults>\
             <w:style w:type=\"paragraph\" w:default=\"1\" w:styleId=\"N\"><w:name w:val=\"Normal\"/>\
             <w:rPr><w:sz w:val=\"{size}\"/></w:rPr></w:style>"
        );
        DocxBuilder::new().body(&paragraph("One")).styles(&styles).build()
    };
    let told = |after: &[u8]| redline(&make(22, 20), after).limitations.len();
    assert_eq!((told(&make(20, 20)), told(&make(22, 24)), told(&make(22, 20))), (1, 1, 0));
}

#[test]
fn a_new_note_stands_where_its_reference_does() {
    let reference = |id: u8| format!("<w:r><w:footnoteReference w:id=\"{id}\"/></w:r>");
    let note = |id: u8, text: &str| format!("<w:footnote w:id=\"{id}\">{}</w:footnote>", paragraph(text));
    let line = |text: &str, notes: &str| format!("<w:p><w:r><w:t>{text}</w:t></w:r>{notes}</w:p>");
    let first = line("First", &reference(2)) + &line("Second", "") + &line("Third", &reference(3));
    let notes = note(2, "One note") + &note(3, "The last note");
    let before = DocxBuilder::new().body(&first).footnotes(&notes).build();
    let second =
        line("First", &reference(2)) + &line("Second", &reference(3)) + &line("Third", &reference(4));
    let notes = note(2, "One note") + &note(3, "A new note") + &note(4, "The last note");
    let after = DocxBuilder::new().body(&second).footnotes(&notes).build();
    let made = redline(&before, &after);
    judge(&before, &after, &made);
    let package = engross_docx::Package::open(made.bytes, &Limits::default().package).unwrap();
    let part = String::from_utf8(package.part("word/footnotes.xml").unwrap().to_vec()).unwrap();
    let places = ["One note", "A new note", "The last note"].map(|text| part.find(text).unwrap());
    assert!(places.is_sorted(), "a program that counts the notes shows each at its reference: {part}");
}

#[test]
fn texts_are_compared_without_a_redline() {
    let before =
        clauses(&["Pay EUR 100 now.", "A clause that stands somewhere else later.", "It goes.", "End"]);
    let after = clauses(&["Pay EUR 250 now.", "New.", "End", "A clause that stands somewhere else later."]);
    let compared = |before: &str, after: &str| {
        text_changes(document(before), document(after), ComparedView::Accepted, &Limits::default()).unwrap()
    };
    let changes = compared(&before, &after);
    let told: Vec<_> = changes
        .iter()
        .map(|change| (change.kind, change.address.as_str(), change.before.as_str(), change.after.as_str()))
        .collect();
    let moved = "A clause that stands somewhere else later.";
    assert_eq!(
        told,
        [
            (ChangeKind::Deletion, "P2", moved, ""),
            (ChangeKind::Deletion, "P3", "It goes.", ""),
            (ChangeKind::Replacement, "P1", "100", "250"),
            (ChangeKind::Insertion, "P2", "", "New."),
            (ChangeKind::Insertion, "P4", "", moved),
        ]
    );
    assert_eq!(changes[0].counterpart.as_deref(), Some("P4"));
    assert_eq!(changes[2].subject, ChangeSubject::Amount);
    let bold = before.replace("<w:r>", "<w:r><w:rPr><w:b/></w:rPr>");
    assert_eq!(compared(&before, &bold), []);
}

/// Another program counts notes otherwise: that is no change of words.
#[test]
fn notes_are_not_known_by_their_numbers() {
    let make = |first: u8, second: u8, last: &str| {
        let reference = |id: u8| {
            format!("<w:p><w:r><w:t>Text</w:t></w:r><w:r><w:footnoteReference w:id=\"{id}\"/></w:r></w:p>")
        };
        let note = |id: u8, text: &str| format!("<w:footnote w:id=\"{id}\">{}</w:footnote>", paragraph(text));
        let notes = note(first, "One note") + &note(second, last);
        DocxBuilder::new().body(&(reference(first) + &reference(second))).footnotes(&notes).build()
    };
    let told = |after: Vec<u8>| {
        let before = make(2, 3, "The last note");
        text_changes(before, after, ComparedView::Accepted, &Limits::default()).unwrap()
    };
    assert_eq!(told(make(5, 7, "The last note")), []);
    let changes = told(make(5, 7, "The second note"));
    assert_eq!(changes.len(), 1, "{changes:#?}");
    assert_eq!((changes[0].before.as_str(), changes[0].after.as_str()), ("last", "second"));
}

#[test]
fn what_matters_most_is_known() {
    let before = document(&paragraph("Pay EUR 100 within thirty days to the Seller, dear friend."));
    let after = document(&paragraph("Pay EUR 250 within sixty days to the Buyer, kind friend."));
    let changes = changes_of(redline(&before, &after).bytes, &Limits::default()).unwrap();
    let subjects: Vec<ChangeSubject> = changes.iter().map(|change| change.subject).collect();
    use ChangeSubject::{Amount, Date, Term, Words};
    assert_eq!(subjects, [Amount, Date, Term, Words]);
}

#[test]
fn notes_headers_and_pictures_come_along() {
    let note = |text: &str| format!("<w:footnote w:id=\"2\">{}</w:footnote>", paragraph(text));
    let body = |text: &str, with_note: bool| {
        let reference = if with_note { "<w:r><w:footnoteReference w:id=\"2\"/></w:r>" } else { "" };
        format!(
            "<w:p><w:r><w:t>{text}</w:t></w:r>{reference}</w:p>\
             <w:sectPr><w:headerReference w:type=\"default\" r:id=\"rIdH\"/></w:sectPr>"
        )
    };
    let make = |text: &str, with_note: bool, note_text: &str, header: &str| {
        let builder = DocxBuilder::new().body(&body(text, with_note)).header("rIdH", &paragraph(header));
        let builder = if with_note { builder.footnotes(&note(note_text)) } else { builder };
        builder.build()
    };
    let pairs: [(Vec<u8>, Vec<u8>); 3] = [
        (make("Text", true, "A note", "Draft"), make("Text", true, "Another note", "Final")),
        (make("Text", false, "", "Draft"), make("Text here", true, "A new note", "Draft")),
        (make("Text", true, "An old note", "Draft"), make("Text", false, "", "Draft of May")),
    ];
    for (before, after) in pairs {
        let made = redline(&before, &after);
        judge(&before, &after, &made);
        assert_eq!((made.proof.reject, made.proof.accept), (ProofState::Holds, ProofState::Holds));
        for (side, source) in [(View::Reject, &before), (View::Accept, &after)] {
            let mut resolved = WordDocument::open(made.bytes.clone(), &Limits::default()).unwrap();
            resolved.resolve_all(side).unwrap();
            let wanted = WordDocument::open(source.clone(), &Limits::default()).unwrap();
            let story = |document: &WordDocument, name: &str| {
                let options =
                    engross_docx::read::ReadOptions { story: Some(name.to_owned()), ..Default::default() };
                let reading = document.read(&options).map(|reading| reading.paragraphs).unwrap_or_default();
                reading
                    .into_iter()
                    .map(|paragraph| paragraph.text)
                    .filter(|text| !text.is_empty())
                    .collect::<Vec<_>>()
            };
            assert_eq!(story(&resolved, "header:default@1"), story(&wanted, "header:default@1"));
            if !story(&wanted, "footnotes").is_empty() {
                assert!(story(&resolved, "footnotes").ends_with(&story(&wanted, "footnotes")));
            }
        }
    }
}

/// A new file of other programs can have no paragraph at all.
#[test]
fn a_body_without_a_paragraph_is_an_empty_one() {
    let section = "<w:sectPr><w:pgSz w:w=\"12240\" w:h=\"15840\"/></w:sectPr>";
    let text = document(&(paragraph("One") + &paragraph("Two") + section));
    for empty in [document(section), DocxBuilder::new().body("").build()] {
        for (before, after) in [(&empty, &text), (&text, &empty)] {
            let made = redline(before, after);
            assert_eq!(made.proof.reject, ProofState::Holds, "{:?}", made.limitations);
            assert_eq!(made.proof.accept, ProofState::Holds, "{:?}", made.limitations);
        }
    }
}

/// The redline gets footnotes that the document before, whose revisions are kept, has not.
#[test]
fn new_notes_come_into_a_document_whose_revisions_are_kept() {
    let change = "<w:ins w:id=\"9\" w:author=\"B\"><w:r><w:t>theirs</w:t></w:r></w:ins>";
    let before = document(&format!("<w:p><w:r><w:t>Text </w:t></w:r>{change}</w:p>"));
    let note = "<w:footnote w:id=\"2\"><w:p><w:r><w:t>A note</w:t></w:r></w:p></w:footnote>";
    let after = DocxBuilder::new()
        .body("<w:p><w:r><w:t>Text more</w:t></w:r><w:r><w:footnoteReference w:id=\"2\"/></w:r></w:p>")
        .footnotes(note)
        .build();
    let kept = CompareOptions { keep_revisions: true, ..options() };
    let made = compare(before, after, &kept, &Limits::default()).unwrap();
    assert_eq!((made.proof.reject, made.proof.accept), (ProofState::Holds, ProofState::Holds));
}

#[test]
fn a_simple_field_and_its_long_form_are_one() {
    let field =
        |inside: &str| format!("<w:p><w:r><w:t xml:space=\"preserve\">See </w:t></w:r>{inside}</w:p>");
    let shown = "<w:r><w:t>One</w:t></w:r>";
    let simple = document(&field(&format!("<w:fldSimple w:instr=\" REF a \\h \">{shown}</w:fldSimple>")));
    let character = |kind: &str| format!("<w:r><w:fldChar w:fldCharType=\"{kind}\"/></w:r>");
    let long = document(&field(&format!(
        "{}<w:r><w:instrText xml:space=\"preserve\"> REF a \\h </w:instrText></w:r>{}{shown}{}",
        character("begin"),
        character("separate"),
        character("end")
    )));
    let plain = document(&field(shown));
    for (before, after, changes) in [
        (&simple, &long, 0),
        (&long, &simple, 0),
        (&simple, &plain, 1),
        (&plain, &simple, 1),
        (&long, &plain, 1),
    ] {
        let made = redline(before, after);
        assert!([made.proof.accept, made.proof.reject].iter().all(|side| *side == ProofState::Holds));
        let told = changes_of(made.bytes.clone(), &Limits::default()).unwrap();
        assert_eq!(told.len(), changes);
        judge(before, after, &made);
    }
}

#[test]
fn a_document_against_itself_is_itself() {
    let bytes = document(&paragraph("One"));
    assert_eq!(redline(&bytes, &bytes).bytes, bytes);
    // The same said with other runs is the same.
    let other = document("<w:p w:rsidR=\"00AA\"><w:r><w:t>O</w:t></w:r><w:r><w:t>ne</w:t></w:r></w:p>");
    assert_eq!(redline(&bytes, &other).bytes, bytes);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Two documents that have nothing to do with one another, with revisions, tables, fields and controls.
    #[test]
    fn unrelated_documents(one in proptest::collection::vec(any::<u8>(), 0..200), other in proptest::collection::vec(any::<u8>(), 0..200)) {
        let before = random(&one);
        let after = random(&other);
        let made = redline(&before, &after);
        judge(&before, &after, &made);
    }

    /// A document and one whose choices differ a little.
    #[test]
    fn related_documents(bytes in proptest::collection::vec(any::<u8>(), 20..250), changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6)) {
        let mut other = bytes.clone();
        for (at, value) in changes {
            let at = at.index(other.len());
            other[at] = value;
        }
        let before = random(&bytes);
        let after = random(&other);
        let made = redline(&before, &after);
        judge(&before, &after, &made);
        let reversed = redline(&after, &before);
        judge(&after, &before, &reversed);
        let rejected = resolve(&parse(&main_part(&made.bytes)), Side::Reject, None);
        // Bookmarks of the other document came over, and stay.
        let bare = |element: &Element| canonical(&without_bookmarks(element));
        prop_assert_eq!(bare(&rejected), bare(&parse(&main_part(&before))));
    }
}

/// The folder with real documents, as `corpus_check` finds it, and the pairs in it.
#[expect(clippy::disallowed_methods, reason = "reads test documents")]
fn corpus_pairs() -> Vec<(String, Vec<u8>, Vec<u8>)> {
    let Some(folder) = std::env::var_os("ENGROSS_TEST_CORPUS").map(std::path::PathBuf::from) else {
        return Vec::new();
    };
    let Ok(list) = std::fs::read_to_string(folder.join("pairs.tsv")) else { return Vec::new() };
    let read = |name: &str| std::fs::read(folder.join("docx").join(name)).unwrap();
    let rows = list.lines().skip(1).map(|line| line.split('\t').collect::<Vec<_>>());
    rows.map(|row| (row[0].to_owned(), read(row[2]), read(row[3]))).collect()
}

/// The text of every story, once all changes are resolved.
pub(crate) fn stories(bytes: &[u8], side: View) -> Vec<(String, String)> {
    let mut document = WordDocument::open(bytes.to_vec(), &Limits::default()).unwrap();
    document.resolve_all(side).unwrap();
    let options = engross_docx::read::ReadOptions {
        story: Some("everywhere".to_owned()),
        labels: false,
        ..Default::default()
    };
    let paragraphs = document.read(&options).unwrap().paragraphs;
    let story = |address: &str| {
        address.rsplit_once('/').map_or("", |(story, _)| story).split(':').next().unwrap().to_owned()
    };
    let own = paragraphs.into_iter().map(|paragraph| (story(&paragraph.address), paragraph.text));
    // Notes whose reference went stay in their part, and empty headers say nothing.
    own.filter(|(story, text)| story.is_empty() || !text.is_empty() && !story.ends_with("note")).collect()
}

#[test]
fn pairs_of_real_documents() {
    let pairs = corpus_pairs();
    if pairs.is_empty() {
        eprintln!("skipped: no pairs of documents");
        return;
    }
    let mut wrong = Vec::new();
    for (id, before, after) in &pairs {
        // A body without a paragraph reads as one with an empty one.
        if WordDocument::open(before.clone(), &Limits::default()).unwrap().paragraph_count() == 0 {
            continue;
        }
        // What is the same stays as it is, with the revisions that are in it.
        if before == after {
            assert_eq!(redline(before, after).bytes, *before, "{id}");
            continue;
        }
        let made = redline(before, after);
        let holds = (made.proof.reject, made.proof.accept) == (ProofState::Holds, ProofState::Holds);
        let body = |stories: Vec<(String, String)>| {
            stories.into_iter().filter(|(story, _)| story.is_empty()).collect::<Vec<_>>()
        };
        let rejected = body(stories(&made.bytes, View::Reject)) == body(stories(before, View::Accept));
        let accepted = body(stories(&made.bytes, View::Accept)) == body(stories(after, View::Accept));
        if !(holds && rejected && accepted) {
            wrong.push(format!("{id}: proof {holds}, rejected {rejected}, accepted {accepted}"));
        }
    }
    assert_eq!(wrong, Vec::<String>::new(), "of {} pairs", pairs.len());
}

/// A reader who dislikes single words gets whole clauses or sentences; what is proven stays the same.
#[test]
fn changes_are_as_large_as_asked() {
    let paragraph = |text: &str| format!("<w:p><w:r><w:t>{text}</w:t></w:r></w:p>");
    let before =
        document(&paragraph("The fee is ten euros, payable monthly. Interest accrues. Costs follow"));
    let after = document(&paragraph(
        "The charge is twelve euros, payable monthly. Interest accrues. Costs do follow",
    ));
    let said = |granularity: Granularity| {
        let made = compare(
            before.clone(),
            after.clone(),
            &CompareOptions { granularity, ..options() },
            &Limits::default(),
        )
        .unwrap();
        assert_eq!((made.proof.accept, made.proof.reject), (ProofState::Holds, ProofState::Holds));
        let changes = changes_of(made.bytes, &Limits::default()).unwrap();
        changes.into_iter().map(|change| (change.before, change.after)).collect::<Vec<_>>()
    };
    let pair = |before: &str, after: &str| (before.to_owned(), after.to_owned());
    assert_eq!(said(Granularity::Word), [pair("fee", "charge"), pair("ten", "twelve"), pair("", "do ")]);
    assert_eq!(
        said(Granularity::Clause),
        [pair("The fee is ten euros", "The charge is twelve euros"), pair("Costs follow", "Costs do follow")]
    );
    assert_eq!(
        said(Granularity::Sentence),
        [
            pair("The fee is ten euros, payable monthly", "The charge is twelve euros, payable monthly"),
            pair("Costs follow", "Costs do follow")
        ]
    );
}

/// Both ends of a move name each other.
#[test]
fn ends_of_a_move_know_each_other() {
    let paragraph = |text: &str| format!("<w:p><w:r><w:t>{text}</w:t></w:r></w:p>");
    let texts = [
        "The Supplier performs the Services with reasonable skill and care.",
        "The Customer pays the Charges within thirty days of each invoice.",
        "Neither party discloses what it learns of the other to anybody else.",
    ];
    let of =
        |order: [usize; 3]| DocxBuilder::new().body(&order.map(|at| paragraph(texts[at])).concat()).build();
    let made = compare(of([0, 1, 2]), of([1, 0, 2]), &options(), &Limits::default()).unwrap();
    let changes = changes_of(made.bytes, &Limits::default()).unwrap();
    let moved: Vec<(&str, Option<&str>)> = changes
        .iter()
        .filter(|change| change.counterpart.is_some())
        .map(|change| (change.address.as_str(), change.counterpart.as_deref()))
        .collect();
    assert!(moved == [("P1", Some("P3")), ("P3", Some("P1"))], "{changes:#?}");
}
