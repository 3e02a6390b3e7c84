//! Headers of sections in redlines, judged section by section: what each kind of page shows when all is rejected or accepted.

use std::collections::BTreeMap;

use engross_docx::ops::ProofState;
use engross_docx::revisions::Side as View;
use engross_docx::{
    CompareOptions, ComparedView, Granularity, Limits, Package, Tracking, WordDocument, compare,
};
use engross_testkit::docx::DocxBuilder;
use proptest::prelude::*;

/// What a section says of one kind of page: it goes on with that of the section before, or shows a part with some text, or with none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Own {
    Inherited,
    Part(usize),
}

/// Texts of parts. The last two say the same.
const PARTS: &[&str] = &["", "Draft of March", "Confidential draft", "Final", "Final"];
const KINDS: &[&str] = &["default", "even", "first"];

/// Sections with what they show on each kind of page, and whether a section has words of its own.
type Layout = Vec<([Own; 3], bool)>;

fn own() -> impl Strategy<Value = Own> {
    prop_oneof![2 => Just(Own::Inherited), 3 => (0..PARTS.len()).prop_map(Own::Part)]
}

fn layout() -> impl Strategy<Value = Layout> {
    prop::collection::vec(([own(), own(), own()], prop::bool::weighted(0.9)), 1..5)
}

fn document(layout: &Layout, words: &str) -> Vec<u8> {
    let mut body = String::new();
    for (at, (shows, is_usual)) in layout.iter().enumerate() {
        let text = if *is_usual { "Usual" } else { words };
        body += &format!("<w:p><w:r><w:t>{text} words of section {at}</w:t></w:r></w:p>");
        let references: String = KINDS
            .iter()
            .zip(shows)
            .filter_map(|(kind, own)| match own {
                Own::Inherited => None,
                Own::Part(part) => Some(format!("<w:headerReference w:type=\"{kind}\" r:id=\"h{part}\"/>")),
            })
            .collect();
        let section = format!("<w:sectPr>{references}</w:sectPr>");
        body += &match at + 1 == layout.len() {
            true => section,
            false => format!("<w:p><w:pPr>{section}</w:pPr></w:p>"),
        };
    }
    let parts = PARTS.iter().enumerate();
    parts
        .fold(DocxBuilder::new().body(&body), |builder, (at, text)| {
            let run = if text.is_empty() { String::new() } else { format!("<w:r><w:t>{text}</w:t></w:r>") };
            builder.header(&format!("h{at}"), &format!("<w:p>{run}</w:p>"))
        })
        .build()
}

/// What each section of a document shows on each kind of page; nothing where that says nothing. Reads the XML with nothing of the engine
/// but its package.
fn shown(bytes: Vec<u8>) -> Vec<BTreeMap<String, String>> {
    let package = Package::open(bytes, &Limits::default().package).unwrap();
    let part = |name: &str| String::from_utf8(package.part(name).unwrap().into_owned()).unwrap();
    let value = |xml: &str, name: &str| -> Option<String> {
        let (_, rest) = xml.split_once(&format!(" {name}=\""))?;
        Some(rest.split_once('"')?.0.to_owned())
    };
    let targets: BTreeMap<String, String> = part("word/_rels/document.xml.rels")
        .split("<Relationship ")
        .skip(1)
        .filter_map(|own| {
            let own = format!(" {own}");
            Some((value(&own, "Id")?, value(&own, "Target")?))
        })
        .collect();
    let mut current = BTreeMap::new();
    let mut sections = Vec::new();
    for section in part("word/document.xml").split("<w:sectPr").skip(1) {
        let section = section.split("</w:sectPr>").next().unwrap();
        for reference in section.split("<w:headerReference").skip(1) {
            let kind = value(reference, "w:type").unwrap();
            let header = part(&format!("word/{}", targets[&value(reference, "r:id").unwrap()]));
            let text: String = header
                .split("<w:t")
                .skip(1)
                .filter(|rest| rest.starts_with(['>', ' ']))
                .filter_map(|rest| Some(rest.split_once('>')?.1.split_once('<')?.0))
                .collect();
            match text.is_empty() {
                true => current.remove(&kind),
                false => current.insert(kind, text),
            };
        }
        sections.push(current.clone());
    }
    sections
}

fn resolved(redline: &[u8], side: View) -> Vec<u8> {
    let mut document = WordDocument::open(redline.to_vec(), &Limits::default()).unwrap();
    document.resolve_all(side).unwrap();
    document.save(Tracking::Tracked).unwrap().bytes
}

fn assert_every_section_shows_its_own(before: &Layout, after: &Layout) {
    let (before, after) = (document(before, "Former"), document(after, "Later"));
    for keep_revisions in [false, true] {
        assert_redline_shows(&before, &after, keep_revisions);
    }
}

fn assert_redline_shows(before: &[u8], after: &[u8], keep_revisions: bool) {
    let options = CompareOptions {
        author: "Ada".to_owned(),
        date: "2026-01-31T09:30:00Z".to_owned(),
        view: ComparedView::Accepted,
        keep_revisions,
        formatting: true,
        moves: true,
        granularity: Granularity::Word,
    };
    let made = compare(before.to_vec(), after.to_vec(), &options, &Limits::default()).unwrap();
    assert_eq!(made.proof.reject, ProofState::Holds, "{:?}", made.limitations);
    assert_eq!(made.proof.accept, ProofState::Holds, "{:?}", made.limitations);
    assert_eq!(shown(resolved(&made.bytes, View::Reject)), shown(before.to_vec()), "rejected");
    assert_eq!(shown(resolved(&made.bytes, View::Accept)), shown(after.to_vec()), "accepted");
}

#[test]
fn one_header_for_two_kinds_of_page_becomes_one_of_each() {
    use Own::{Inherited, Part};
    let shared = vec![([Part(1), Part(1), Inherited], true), ([Inherited; 3], true)];
    let apart = vec![([Part(1), Inherited, Inherited], true), ([Inherited; 3], true)];
    assert_every_section_shows_its_own(&shared, &apart);
    assert_every_section_shows_its_own(&apart, &shared);
}

#[test]
fn sections_that_share_a_header_get_one_each() {
    use Own::{Inherited, Part};
    let shared =
        vec![([Part(1), Inherited, Inherited], true), ([Inherited; 3], true), ([Inherited; 3], true)];
    for (second, third) in [(2, 2), (2, 1), (0, 3), (1, 2), (3, 4)] {
        let apart = vec![
            ([Part(1), Inherited, Inherited], true),
            ([Part(second), Inherited, Inherited], true),
            ([Part(third), Inherited, Inherited], true),
        ];
        assert_every_section_shows_its_own(&shared, &apart);
        assert_every_section_shows_its_own(&apart, &shared);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn every_section_shows_its_own(before in layout(), after in layout()) {
        assert_every_section_shows_its_own(&before, &after);
    }
}
