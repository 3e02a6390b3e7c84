//! Redlines that keep what was there before: earlier authors' tracked changes, bookmarks and comments of the other document, styles
//! and lists under other ids.

use engross_docx::ops::ProofState;
use engross_docx::revisions::Side as View;
use engross_docx::{
    ChangeKind, CompareOptions, ComparedView, Comparison, Granularity, Limits, WordDocument, changes_of,
    compare,
};
use engross_testkit::docx::DocxBuilder;
use proptest::prelude::*;

use crate::oracle::{Side, main_part, parse, part, resolve, texts};
use crate::random_bodies::{Choices, body};

fn options(keep_revisions: bool) -> CompareOptions {
    CompareOptions {
        author: "Me".to_owned(),
        date: "2026-01-31T09:30:00Z".to_owned(),
        view: ComparedView::Accepted,
        keep_revisions,
        formatting: true,
        moves: true,
        granularity: Granularity::Word,
    }
}

fn redline(before: &[u8], after: &[u8], keep: bool) -> Comparison {
    compare(before.to_vec(), after.to_vec(), &options(keep), &Limits::default()).unwrap()
}

fn document(body: &str) -> Vec<u8> {
    DocxBuilder::new().body(body).build()
}

fn run(text: &str) -> String {
    format!("<w:r><w:t xml:space=\"preserve\">{text}</w:t></w:r>")
}

fn paragraph(inner: &str) -> String {
    format!("<w:p>{inner}</w:p>")
}

fn by(author: &str, id: u32) -> String {
    format!("w:id=\"{id}\" w:author=\"{author}\" w:date=\"2025-05-05T05:05:05Z\"")
}

fn ins(author: &str, id: u32, text: &str) -> String {
    format!("<w:ins {}>{}</w:ins>", by(author, id), run(text))
}

fn del(author: &str, id: u32, text: &str) -> String {
    let text = format!("<w:r><w:delText xml:space=\"preserve\">{text}</w:delText></w:r>");
    format!("<w:del {}>{text}</w:del>", by(author, id))
}

/// The paragraphs, and how many equations there are in all.
fn said(document: &[u8], side: Side) -> (Vec<String>, usize) {
    let resolved = resolve(&parse(&main_part(document)), side, None);
    let mut equations = 0;
    resolved.walk(&mut Vec::new(), &mut |element, _| {
        equations += usize::from(element.name.ends_with("}oMath"));
    });
    (texts(&resolved), equations)
}

/// Rejecting all gives the first without its revisions, accepting all the second with all of its done.
fn judge(before: &[u8], after: &[u8], made: &Comparison) {
    let shown = || main_part(&made.bytes).replace("><", ">\n<");
    assert_eq!(said(&made.bytes, Side::Reject), said(before, Side::Reject), "{}", shown());
    assert_eq!(said(&made.bytes, Side::Accept), said(after, Side::Accept), "{}", shown());
    let revisions = WordDocument::open(made.bytes.clone(), &Limits::default()).unwrap().revisions().unwrap();
    let mut known: Vec<Option<i64>> = revisions.iter().map(|placed| placed.revision.stamp.id).collect();
    let count = known.len();
    known.sort_unstable();
    known.dedup();
    assert_eq!(known.len(), count, "every revision has an id of its own");
    assert!(!main_part(&made.bytes).contains("keptRevision"));
}

/// Who changed what: kind, author, before, after.
fn changes(made: &Comparison) -> Vec<(ChangeKind, String, String, String)> {
    let all = changes_of(made.bytes.clone(), &Limits::default()).unwrap();
    all.into_iter().map(|change| (change.kind, change.author, change.before, change.after)).collect()
}

fn row(kind: ChangeKind, author: &str, before: &str, after: &str) -> (ChangeKind, String, String, String) {
    (kind, author.to_owned(), before.to_owned(), after.to_owned())
}

#[test]
fn revisions_that_both_have_stay_their_authors() {
    let text = |fee: &str| {
        paragraph(
            &(run("The ")
                + &ins("Ada", 1, "monthly ")
                + &run("fee is ")
                + &del("Bob", 2, "about ")
                + &run(fee)),
        )
    };
    let (before, after) = (document(&text("ten euros.")), document(&text("twelve euros.")));
    let made = redline(&before, &after, true);
    judge(&before, &after, &made);
    assert_eq!((made.proof.reject, made.proof.accept), (ProofState::Holds, ProofState::Holds));
    use ChangeKind::{Deletion, Insertion, Replacement};
    assert_eq!(
        changes(&made),
        [
            row(Insertion, "Ada", "", "monthly "),
            row(Deletion, "Bob", "about ", ""),
            row(Replacement, "Me", "ten", "twelve")
        ]
    );
    assert!(main_part(&made.bytes).contains("2025-05-05T05:05:05Z"));
    // Folded, nobody else is named.
    assert!(changes(&redline(&before, &after, false)).iter().all(|(_, author, ..)| author == "Me"));
}

#[test]
fn what_they_tracked_is_theirs_and_what_they_did_not_is_found() {
    let before = document(&paragraph(&run("The fee is ten euros. Law of Ohio.")));
    let after = document(&paragraph(
        &(run("The fee is ")
            + &del("Bob", 1, "ten")
            + &ins("Bob", 2, "thirty")
            + &run(" euros. Law of Texas.")),
    ));
    let made = redline(&before, &after, true);
    judge(&before, &after, &made);
    use ChangeKind::Replacement;
    assert_eq!(
        changes(&made),
        [row(Replacement, "Bob", "ten", "thirty"), row(Replacement, "Me", "Ohio", "Texas")]
    );
}

#[test]
fn an_insertion_that_was_taken_out_again_is_deleted_in_its_insertion() {
    let before = document(&paragraph(&(run("One") + &ins("Ada", 1, " two") + &run(" three."))));
    let after = document(&paragraph(&run("One three.")));
    let made = redline(&before, &after, true);
    judge(&before, &after, &made);
    let xml = main_part(&made.bytes);
    let two = xml.find("<w:delText>two<").unwrap();
    let (outer, inner) = (xml[..two].rfind("<w:ins ").unwrap(), xml[..two].rfind("<w:del ").unwrap());
    assert!(outer < inner && xml[two..].find("</w:del>") < xml[two..].find("</w:ins>"), "{xml}");
    assert!(xml[outer..inner].contains("Ada") && xml[inner..two].contains("Me"), "{xml}");
}

#[test]
fn whole_paragraphs_rows_and_formatting_are_kept() {
    let mark = |kind: &str, author: &str, id: u32| {
        format!("<w:pPr><w:rPr><w:{kind} {}/></w:rPr></w:pPr>", by(author, id))
    };
    let cell = |text: &str| format!("<w:tc><w:tcPr/>{}</w:tc>", paragraph(text));
    let table = format!(
        "<w:tbl><w:tblPr/><w:tblGrid/><w:tr>{}</w:tr><w:tr><w:trPr><w:ins {}/></w:trPr>{}</w:tr></w:tbl>",
        cell(&run("Item")),
        by("Cy", 7),
        cell(&ins("Cy", 8, "Chair"))
    );
    let bold = format!(
        "<w:r><w:rPr><w:b/><w:rPrChange {}><w:rPr/></w:rPrChange></w:rPr><w:t>bold</w:t></w:r>",
        by("Dee", 9)
    );
    let text = |last: &str| {
        paragraph(&(mark("ins", "Ada", 1) + &ins("Ada", 2, "A new clause.")))
            + &paragraph(&(mark("del", "Bob", 3) + &del("Bob", 4, "An old clause.")))
            + &table
            + &paragraph(&bold)
            + &paragraph(&run(last))
    };
    let (before, after) = (document(&text("The end.")), document(&text("The very end.")));
    let made = redline(&before, &after, true);
    judge(&before, &after, &made);
    assert_eq!((made.proof.reject, made.proof.accept), (ProofState::Holds, ProofState::Holds));
    let authors: std::collections::BTreeSet<String> =
        changes(&made).into_iter().map(|(_, author, ..)| author).collect();
    assert_eq!(authors.into_iter().collect::<Vec<_>>(), ["Ada", "Bob", "Cy", "Dee", "Me"]);
    // Nothing but revisions, the same in both: the file as it was.
    assert_eq!(redline(&before, &before.clone(), true).bytes, before);
}

/// What stands beside runs, such as an equation, is in somebody's revision like the words around it.
#[test]
fn an_equation_that_somebody_inserted_or_deleted_is_theirs() {
    let equation = "<m:oMath><m:r><m:t>x</m:t></m:r></m:oMath>";
    let deleted = |text: &str| format!("<w:r><w:delText xml:space=\"preserve\">{text}</w:delText></w:r>");
    let plain = paragraph(&(run("If ") + equation + &run(" holds."))) + &paragraph(&run("End"));
    let gone = paragraph(&format!(
        "<w:del {}>{}{equation}{}</w:del>",
        by("Bob", 1),
        deleted("If "),
        deleted(" holds.")
    )) + &paragraph(&run("End"));
    let new =
        paragraph(&format!("<w:ins {}>{}{equation}{}</w:ins>", by("Ann", 2), run("If "), run(" holds.")))
            + &paragraph(&run("End"));
    let both = paragraph(&format!(
        "<w:ins {}><w:del {}>{}{equation}{}</w:del></w:ins>",
        by("Ann", 2),
        by("Bob", 1),
        deleted("If "),
        deleted(" holds.")
    )) + &paragraph(&run("End"));
    // Before, after, and who inserted and deleted the equation in the redline.
    let table = [
        (&plain, &gone, None, Some("Bob")),
        (&gone, &plain, None, None),
        (&new, &new, Some("Ann"), None),
        (&new, &both, Some("Ann"), Some("Bob")),
        (&plain, &new, None, None),
    ];
    for (before, after, inserted, removed) in table {
        // Something else is another, so that there is a redline.
        let (before, after) = (document(before), document(&after.replace("End", "Ends")));
        let made = redline(&before, &after, true);
        judge(&before, &after, &made);
        assert_eq!(made.proof.accept, ProofState::Holds);
        let xml = main_part(&made.bytes);
        let tree = parse(&xml);
        let mut found = Vec::new();
        tree.walk(&mut Vec::new(), &mut |element, above| {
            if element.name.ends_with("}oMath") {
                let author = |name: &str| {
                    let own = above.iter().find(|above| above.name == name);
                    own.and_then(|own| own.attribute("w:author")).map(str::to_owned)
                };
                found.push((author("w:ins"), author("w:del")));
            }
        });
        let wanted = (inserted.map(str::to_owned), removed.map(str::to_owned));
        assert_eq!(found, [wanted], "{xml}");
    }
}

#[test]
fn as_they_are_shown_all_text_counts() {
    let before = document(&paragraph(&(run("One ") + &del("Ada", 1, "two ") + &ins("Ada", 2, "three"))));
    let after = document(&paragraph(&run("One two three")));
    let view = |view| {
        let options = CompareOptions { view, ..options(false) };
        let made = compare(before.clone(), after.clone(), &options, &Limits::default()).unwrap();
        changes(&made)
    };
    assert_eq!(view(ComparedView::AsIs), []);
    assert_eq!(view(ComparedView::Accepted), [row(ChangeKind::Insertion, "Me", "", "two ")]);
    assert_eq!(view(ComparedView::Original), [row(ChangeKind::Insertion, "Me", "", "three")]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Random documents with revisions of all kinds: none is lost, and the result is whole.
    #[test]
    fn revisions_are_kept(bytes in proptest::collection::vec(any::<u8>(), 20..250), changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6)) {
        let mut other = bytes.clone();
        for (at, value) in changes {
            let at = at.index(other.len());
            other[at] = value;
        }
        let (before, after) = (document(&body(&mut Choices::of(&bytes))), document(&body(&mut Choices::of(&other))));
        let made = redline(&before, &after, true);
        if (made.proof.reject, made.proof.accept) == (ProofState::Holds, ProofState::Holds) {
            judge(&before, &after, &made);
        } else {
            prop_assert!(made.limitations.iter().any(|it| it.difference.contains("could not be proven")));
        }
    }
}

#[test]
fn comments_and_bookmarks_come_over() {
    let comment = |id: u32, text: &str| {
        format!(
            "<w:comment w:id=\"{id}\" w:author=\"Bob\" w:date=\"2025-05-05T05:05:05Z\">{}</w:comment>",
            paragraph(&run(text))
        )
    };
    let marked = paragraph(
        &(run("The ")
            + "<w:bookmarkStart w:id=\"1\" w:name=\"fee\"/><w:commentRangeStart w:id=\"0\"/>"
            + &run("fee")
            + "<w:commentRangeEnd w:id=\"0\"/><w:bookmarkEnd w:id=\"1\"/><w:r><w:commentReference w:id=\"0\"/></w:r>"
            + &run(" is due now.")),
    );
    let plain = paragraph(&run("The fee is due."));
    let after = DocxBuilder::new().body(&marked).comments(&comment(0, "Which fee?")).build();
    let bare = DocxBuilder::new().body(&plain).build();
    let other = paragraph(
        &("<w:commentRangeStart w:id=\"0\"/>".to_owned()
            + &run("The fee is due.")
            + "<w:commentRangeEnd w:id=\"0\"/><w:r><w:commentReference w:id=\"0\"/></w:r>"),
    );
    let commented = DocxBuilder::new().body(&other).comments(&comment(0, "Mine.")).build();
    for (before, count) in [(bare, 1), (commented, 2)] {
        let made = redline(&before, &after, false);
        judge(&before, &after, &made);
        let xml = main_part(&made.bytes);
        let fee = xml.find(">fee<").unwrap();
        for (start, end) in
            [("<w:bookmarkStart ", "<w:bookmarkEnd "), ("<w:commentRangeStart ", "<w:commentRangeEnd ")]
        {
            assert!(xml.rfind(start).unwrap() < fee && fee < xml.find(end).unwrap(), "{xml}");
        }
        let open = WordDocument::open(made.bytes.clone(), &Limits::default()).unwrap();
        let mut texts: Vec<String> =
            open.comments().unwrap().into_iter().map(|placed| placed.comment.text).collect();
        texts.sort();
        assert!(texts.len() == count && texts.contains(&"Which fee?".to_owned()), "{texts:?}");
        assert!(part(&made.bytes, "word/comments.xml").contains("Which fee?"));
        assert!(
            made.limitations.iter().any(|it| it.applied && it.difference.contains("comment")),
            "{:?}",
            made.limitations
        );
    }
}

#[test]
fn a_comment_is_a_difference_of_its_own() {
    let text = "<w:p><w:commentRangeStart w:id=\"4\"/><w:r><w:t>Same.</w:t></w:r><w:commentRangeEnd w:id=\"4\"/>\
        <w:r><w:commentReference w:id=\"4\"/></w:r></w:p>";
    let comment =
        format!("<w:comment w:id=\"4\" w:author=\"Bob\">{}</w:comment>", paragraph(&run("Really?")));
    let after = DocxBuilder::new().body(text).comments(&comment).build();
    let before = document(&paragraph(&run("Same.")));
    let made = redline(&before, &after, false);
    assert_eq!(changes(&made), []);
    let open = WordDocument::open(made.bytes.clone(), &Limits::default()).unwrap();
    assert_eq!(open.comments().unwrap().len(), 1);
    // And the other way round it is told that it stays.
    let made = redline(&after, &before, false);
    assert!(
        made.limitations.iter().any(|it| it.difference.contains("not in the second")),
        "{:?}",
        made.limitations
    );
}

#[test]
fn styles_are_known_by_their_names() {
    let style = |id: &str, name: &str| {
        format!(
            "<w:style w:type=\"paragraph\" w:styleId=\"{id}\"><w:name w:val=\"{name}\"/><w:rPr><w:b/></w:rPr></w:style>"
        )
    };
    let text = |id: &str, more: &str| {
        format!("<w:p><w:pPr><w:pStyle w:val=\"{id}\"/></w:pPr>{}</w:p>", run(&format!("A heading{more}")))
    };
    let make = |id: &str, name: &str, more: &str| {
        DocxBuilder::new().body(&text(id, more)).styles(&style(id, name)).build()
    };
    let before = make("Heading1", "heading 1", "");
    assert_eq!(changes(&redline(&before, &make("berschrift1", "heading 1", ""), false)), []);
    let made = redline(&before, &make("berschrift1", "Heading 1", " here"), false);
    assert_eq!(changes(&made), [row(ChangeKind::Insertion, "Me", "", " here")]);
    assert!(!part(&made.bytes, "word/styles.xml").contains("berschrift1"));
    // The same id for another style is another style.
    let made = redline(&before, &make("Heading1", "Clause", ""), false);
    judge(&before, &make("Heading1", "Clause", ""), &made);
    let styles = part(&made.bytes, "word/styles.xml");
    assert!(styles.contains("heading 1") && styles.contains("Clause"), "{styles}");
}

#[test]
fn a_clause_that_moved_and_changed_is_a_move_with_its_changes() {
    let clauses = [
        "The Supplier delivers the Goods to the place that the Order names.",
        "The Customer pays the Charges within thirty days of each invoice that is due.",
        "Neither party discloses what it learns of the other to anybody else at all.",
        "This Agreement is governed by the law of Ohio, without its rules on conflicts.",
        "The end of it.",
    ];
    let text = |texts: &[&str]| texts.iter().map(|text| paragraph(&run(text))).collect::<String>();
    let before = document(&text(&clauses));
    let changed = clauses[1].replace("thirty", "sixty");
    let after = document(&text(&[clauses[0], clauses[2], clauses[3], &changed, clauses[4]]));
    let made = redline(&before, &after, false);
    judge(&before, &after, &made);
    assert_eq!((made.proof.reject, made.proof.accept), (ProofState::Holds, ProofState::Holds));
    let xml = main_part(&made.bytes);
    assert!(xml.contains("<w:moveTo ") && xml.contains("<w:moveFrom "), "{xml}");
    let words: Vec<(String, String)> =
        changes(&made).into_iter().map(|(_, _, before, after)| (before, after)).collect();
    assert!(words.contains(&("thirty".to_owned(), String::new())), "{words:?}");
    assert!(words.contains(&(String::new(), "sixty".to_owned())), "{words:?}");
    for side in [View::Accept, View::Reject] {
        let mut open = WordDocument::open(made.bytes.clone(), &Limits::default()).unwrap();
        open.resolve_all(side).unwrap();
        assert_eq!(open.revisions().unwrap().len(), 0);
    }
}

#[test]
fn of_a_number_only_what_differs_changes() {
    let text = |number: &str| document(&paragraph(&run(&format!("Pay EUR {number} now."))));
    let said = |one: &str, other: &str| {
        let made = redline(&text(one), &text(other), false);
        let all = changes(&made);
        all.into_iter().map(|(_, _, before, after)| format!("{before}>{after}")).collect::<Vec<_>>()
    };
    assert_eq!(said("12,340.50", "12,345.50"), ["340>345"]);
    assert_eq!(said("1,000.50", "2,400.75"), ["1,000.50>2,400.75"]);
    assert_eq!(said("12", "13"), ["12>13"]);
}

#[test]
fn formatting_can_be_left_out() {
    let before = document(&paragraph(&run("The fee is ten euros.")));
    let bold = "<w:pPr><w:jc w:val=\"center\"/></w:pPr><w:r><w:rPr><w:b/></w:rPr><w:t>The fee is twelve euros.</w:t></w:r>";
    let after = document(&paragraph(bold));
    let options = CompareOptions { formatting: false, ..options(false) };
    let made = compare(before, after, &options, &Limits::default()).unwrap();
    assert_eq!(changes(&made), [row(ChangeKind::Replacement, "Me", "ten", "twelve")]);
    assert_eq!((made.proof.reject, made.proof.accept), (ProofState::Holds, ProofState::Holds));
    assert!(!main_part(&made.bytes).contains("PrChange"));
}

#[test]
fn a_file_without_page_setup_is_proven_all_the_same() {
    let text = |text: &str, section: &str| document(&(paragraph(&run(text)) + section));
    let section = "<w:sectPr><w:pgSz w:w=\"12240\" w:h=\"15840\"/></w:sectPr>";
    for (before, after) in [(text("One", section), text("Two", "")), (text("One", ""), text("Two", section))]
    {
        let made = redline(&before, &after, false);
        assert_eq!((made.proof.reject, made.proof.accept), (ProofState::Holds, ProofState::Holds));
        assert!(made.limitations.iter().any(|it| it.address == "sections"), "{:?}", made.limitations);
    }
}

#[test]
fn words_in_a_row_are_replaced_as_a_phrase() {
    let text = |text: &str| document(&paragraph(&run(text)));
    let said = |one: &str, other: &str| {
        let made = redline(&text(one), &text(other), false);
        let all = changes(&made);
        all.into_iter().map(|(_, _, before, after)| format!("{before}>{after}")).collect::<Vec<_>>()
    };
    assert_eq!(
        said("This is now foo bar baz.", "This is what are the chances."),
        ["now foo bar baz>what are the chances"]
    );
    assert_eq!(said("Pay ten euros now.", "Pay nine pounds now."), ["ten>nine", "euros>pounds"]);
}

#[test]
fn a_column_that_goes_where_another_comes_is_a_column() {
    let table = |rows: &[[&str; 3]]| {
        let cell = |text: &&str| format!("<w:tc><w:tcPr/>{}</w:tc>", paragraph(&run(text)));
        let row = |cells: &[&str; 3]| format!("<w:tr>{}</w:tr>", cells.iter().map(cell).collect::<String>());
        let grid = "<w:tblGrid><w:gridCol/><w:gridCol/><w:gridCol/></w:tblGrid>";
        format!("<w:tbl><w:tblPr/>{grid}{}</w:tbl><w:p/>", rows.iter().map(row).collect::<String>())
    };
    let before =
        document(&table(&[["Item", "Count", "Date"], ["Chair", "3", "May"], ["Table", "4", "June"]]));
    let after = document(&table(&[["Count", "Date", "Place"], ["3", "May", "Rome"], ["4", "June", "Bonn"]]));
    let made = redline(&before, &after, false);
    judge(&before, &after, &made);
    let count = |wanted| changes(&made).iter().filter(|(kind, ..)| *kind == wanted).count();
    assert_eq!(
        (count(ChangeKind::TableInsertion), count(ChangeKind::TableDeletion)),
        (3, 3),
        "{:#?}",
        changes(&made)
    );
}

#[test]
fn a_control_that_somebody_put_around_words_is_theirs() {
    let range = |kind: &str, id: u32| format!("<w:customXmlInsRange{kind} w:id=\"{id}\" w:author=\"e\"/>");
    let end = |id: u32| format!("<w:customXmlInsRangeEnd w:id=\"{id}\"/>");
    let text = |last: &str| {
        paragraph(
            &(run("One ")
                + &range("Start", 1)
                + "<w:sdt><w:sdtPr/><w:sdtContent>"
                + &end(1)
                + &run("two")
                + &range("Start", 2)
                + "</w:sdtContent></w:sdt>"
                + &end(2)
                + &run(last)),
        )
    };
    let (before, after) = (document(&text(" three.")), document(&text(" four.")));
    let made = redline(&before, &after, false);
    assert_eq!((made.proof.reject, made.proof.accept), (ProofState::Holds, ProofState::Holds));
    assert_eq!(changes(&made), [row(ChangeKind::Replacement, "Me", "three", "four")]);
}
