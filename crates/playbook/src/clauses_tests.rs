use engross_docx::{Limits, WordDocument};
use engross_testkit::docx::DocxBuilder;

use super::clauses::clauses_of;
use super::playbook::Playbook;
use super::text::{DocumentText, find};

const STYLES: &str = "<w:style w:type=\"paragraph\" w:styleId=\"Heading1\"><w:name w:val=\"heading 1\"/><w:pPr><w:outlineLvl w:val=\"0\"/></w:pPr></w:style>\
<w:style w:type=\"paragraph\" w:styleId=\"Heading2\"><w:name w:val=\"heading 2\"/><w:pPr><w:outlineLvl w:val=\"1\"/></w:pPr></w:style>";

/// A document; a line that begins with `#` or `##` is a heading by its style.
pub(super) fn document(lines: &[&str]) -> WordDocument {
    let mut builder = DocxBuilder::new().styles(STYLES);
    for line in lines {
        builder = match (line.strip_prefix("## "), line.strip_prefix("# ")) {
            (Some(text), _) => builder.body(&heading(text, 2)),
            (_, Some(text)) => builder.body(&heading(text, 1)),
            _ => builder.paragraph(line),
        };
    }
    WordDocument::open(builder.build(), &Limits::default()).unwrap()
}

fn heading(text: &str, level: u8) -> String {
    format!("<w:p><w:pPr><w:pStyle w:val=\"Heading{level}\"/></w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>")
}

/// Where the document has the clause of that name.
fn found(lines: &[&str], name: &str, also: &str) -> Option<(usize, usize)> {
    let also = if also.is_empty() { String::new() } else { format!("Also: {also}\n") };
    let playbook = Playbook::parse(&format!("## {name}\n{also}Standard: x\n")).unwrap();
    let text = DocumentText::of(&document(lines)).unwrap();
    let clause = clauses_of(&text, &playbook.positions).remove(0)?;
    Some((clause.range.start, clause.range.end - 1))
}

#[test]
fn a_clause_is_found_by_its_heading() {
    let agreement = [
        "# Definitions",
        "x",
        "# Term and Termination",
        "The term is two years.",
        "## Early end",
        "y",
        "# Governing law",
        "Irish law.",
    ];
    for (name, place) in [
        ("Term", Some((3, 6))),
        ("Termination", Some((3, 6))),
        ("Terms and terminations", Some((3, 6))),
        ("Governing Law", Some((7, 8))),
        ("GOVERNING-LAW CLAUSE", Some((7, 8))),
        ("Law", Some((7, 8))),
        ("Liability", None),
        ("Early termination by law", None),
    ] {
        assert_eq!(found(&agreement, name, ""), place, "{name}");
    }
    assert_eq!(found(&agreement, "Jurisdiction", "Courts; Governing law"), Some((7, 8)));
}

#[test]
fn typed_numbers_and_first_words_head_paragraphs_too() {
    let agreement = [
        "1. Confidentiality. The Recipient keeps it.",
        "2. Term. This runs for two years.",
        "Notices: in writing, always.",
        "Liability – Nobody is liable for anything that nobody foresaw.",
        "“Permitted Purpose” means the talks.",
        "Permitted Purpose serves both of the parties well. It is broad.",
        "The word liability stands in the middle of a sentence here.",
    ];
    for (name, place) in [
        ("Term", Some((2, 2))),
        ("Confidentiality", Some((1, 1))),
        ("Notice", Some((3, 3))),
        ("Liability", Some((4, 4))),
        ("Permitted Purpose", Some((5, 5))),
        ("Assignment", None),
    ] {
        assert_eq!(found(&agreement, name, ""), place, "{name}");
    }
}

#[test]
fn a_heading_counts_for_more_than_first_words() {
    let agreement = ["Term: see below.", "# Term", "Two years."];
    assert_eq!(found(&agreement, "Term", ""), Some((2, 3)));
}

#[test]
fn words_are_found_as_readers_read_them() {
    let text = "The “Term”  is 2\u{a0}–\u{a0}3 years’ time, Straße.";
    for words in ["the \"term\" is 2 - 3", "years' time", "STRASSE", "2 – 3"] {
        let found = find(text, words, false);
        assert_eq!(found.is_some(), words != "STRASSE", "{words}");
    }
    assert_eq!(find(text, "Term", true).map(|range| &text[range]), Some("Term"));
    assert_eq!(find(text, "ter", true), None);
    assert_eq!(find(text, "ter", false).map(|range| &text[range]), Some("Ter"));
    assert_eq!((find(text, "", false), find("", "x", false)), (None, None));
}
