use std::fmt::Write as _;

use engross_xml::{Document, Limits};

use crate::model::{Paragraph, View, paragraphs};
use crate::names::{VOCABULARY, W_URI};
use crate::numbering::Numbering;
use crate::sections::{HeadingKind, SectionEnd, SectionSource, Sections};
use crate::styles::Styles;

fn parse(root: &str, content: &str) -> Document {
    let text = format!("<w:{root} xmlns:w=\"{W_URI}\">{content}</w:{root}>");
    Document::parse(text.into_bytes(), &VOCABULARY, &Limits::default()).unwrap()
}

/// Paragraphs of a body: `|` parts a style from the text, `\f` is a page break, `#` begins a table cell.
fn sections(lines: &[&str]) -> Sections {
    let mut body = String::new();
    for line in lines {
        let (style, text) = line.split_once('|').unwrap_or(("", line));
        let cell = style.strip_prefix('#');
        let mut runs = String::new();
        for (at, part) in text.split('\u{C}').enumerate() {
            let pause = if at > 0 { "<w:br w:type=\"page\"/>" } else { "" };
            write!(runs, "<w:r>{pause}<w:t xml:space=\"preserve\">{part}</w:t></w:r>").unwrap();
        }
        let properties = match style {
            "break" => "<w:sectPr/>".to_owned(),
            style => format!("<w:pStyle w:val=\"{}\"/>", style.trim_start_matches('#')),
        };
        let paragraph = format!("<w:p><w:pPr>{properties}</w:pPr>{runs}</w:p>");
        match cell {
            Some(_) => write!(body, "<w:tbl><w:tr><w:tc>{paragraph}</w:tc></w:tr></w:tbl>").unwrap(),
            None => body.push_str(&paragraph),
        }
    }
    let styles = parse(
        "styles",
        "<w:style w:type=\"paragraph\" w:styleId=\"H1\"><w:name w:val=\"heading 1\"/></w:style>\
         <w:style w:type=\"paragraph\" w:styleId=\"H2\"><w:name w:val=\"heading 2\"/></w:style>\
         <w:style w:type=\"paragraph\" w:styleId=\"TOC1\"><w:name w:val=\"toc 1\"/></w:style>\
         <w:style w:type=\"paragraph\" w:styleId=\"N\"><w:name w:val=\"Numbered\"/><w:pPr><w:numPr><w:numId w:val=\"1\"/></w:numPr></w:pPr></w:style>\
         <w:style w:type=\"paragraph\" w:styleId=\"N2\"><w:name w:val=\"Numbered 2\"/><w:pPr><w:numPr><w:ilvl w:val=\"1\"/><w:numId w:val=\"1\"/></w:numPr></w:pPr></w:style>\
         <w:style w:type=\"paragraph\" w:styleId=\"B\"><w:name w:val=\"Bulleted\"/><w:pPr><w:numPr><w:numId w:val=\"2\"/></w:numPr></w:pPr></w:style>",
    );
    let level = |level: u8, format: &str, text: &str| {
        format!(
            "<w:lvl w:ilvl=\"{level}\"><w:start w:val=\"1\"/><w:numFmt w:val=\"{format}\"/><w:lvlText w:val=\"{text}\"/></w:lvl>"
        )
    };
    let numbering = parse(
        "numbering",
        &format!(
            "<w:abstractNum w:abstractNumId=\"0\">{}{}</w:abstractNum><w:abstractNum w:abstractNumId=\"1\">{}</w:abstractNum>\
             <w:num w:numId=\"1\"><w:abstractNumId w:val=\"0\"/></w:num><w:num w:numId=\"2\"><w:abstractNumId w:val=\"1\"/></w:num>",
            level(0, "decimal", "%1."),
            level(1, "decimal", "%1.%2"),
            level(0, "bullet", "-")
        ),
    );
    let document = parse("body", &body);
    let paragraphs = paragraphs(&document, document.root());
    let (styles, numbering) = (Styles::parse(Some(&styles)), Numbering::parse(Some(&numbering)));
    let source = SectionSource {
        document: &document,
        paragraphs: &paragraphs,
        styles: &styles,
        numbering: &numbering,
    };
    Sections::read(source, |index| Paragraph::read(&document, paragraphs[index], View::Accepted, None).text)
}

/// The end of the section of each heading, by number from 1.
fn ends(lines: &[&str]) -> Vec<(usize, usize)> {
    let sections = sections(lines);
    sections.headings().map(|heading| (heading.index + 1, sections.end_of(heading.index).0)).collect()
}

#[test]
fn a_section_ends_at_the_next_of_its_rank() {
    let numbered = ["N|Term", "text", "N2|Sub", "text", "N|Law", "text"];
    assert_eq!(ends(&numbered), [(1, 4), (3, 4), (5, 6)]);
    let typed = ["8. TERM", "text", "8.1 Long text.", "(a) one;", "(i) deep;", "(b) two.", "9. LAW", "text"];
    assert_eq!(ends(&typed), [(1, 6), (3, 6), (4, 5), (5, 5), (6, 6), (7, 8)]);
    let styled = ["H1|Term", "text", "1. an item", "2. an item", "H2|Sub", "text", "H1|Law"];
    assert_eq!(ends(&styled)[0], (1, 6));
    let articles = ["ARTICLE I", "H2|Section 1.1 Term", "text", "Section 1.2 More", "ARTICLE II", "text"];
    assert_eq!(ends(&articles), [(1, 4), (2, 3), (4, 4), (5, 6)]);
}

#[test]
fn bullets_are_no_headings() {
    assert_eq!(ends(&["N|Term", "B|one", "B|two", "N|Law"]), [(1, 3), (4, 4)]);
}

#[test]
fn the_last_clause_ends_before_attachments_and_signatures() {
    for after in [
        "SCHEDULE 1 – SERVICES",
        "Annex A",
        "Exhibit B: Prices",
        "IN WITNESS WHEREOF the parties",
        "H1|Appendix",
    ] {
        assert_eq!(ends(&["N|Law", "text", after, "more"])[0], (1, 2), "{after}");
        assert_eq!(ends(&["31. LAW", "text", after, "more"])[0], (1, 2), "{after}");
    }
    assert_eq!(ends(&["N|Law", "Schedule 1 applies to it.", "text"])[0], (1, 3));
}

#[test]
fn breaks_and_tables_end_a_section() {
    let why = |lines: &[&str]| sections(lines).end_of(0);
    assert_eq!(why(&["N|Law", "text", "\u{C}", "Title"]), (2, SectionEnd::PageBreak));
    assert_eq!(why(&["N|Law", "text", "\u{C}Title"]), (2, SectionEnd::PageBreak));
    assert_eq!(why(&["N|Law", "text\u{C}", "Title"]), (2, SectionEnd::PageBreak));
    assert_eq!(why(&["N|Law", "text", "break|", "Title"]), (2, SectionEnd::SectionBreak));
    assert_eq!(why(&["N|Law", "break|text", "Title"]), (2, SectionEnd::SectionBreak));
    assert_eq!(why(&["N|Law", "text", "#|cell", "Title"]), (2, SectionEnd::Table));
    assert_eq!(why(&["N|Law", "text"]), (2, SectionEnd::Story));
}

#[test]
fn a_table_of_contents_heads_nothing() {
    let kinds = |lines: &[&str]| sections(lines).headings().map(|heading| heading.kind).collect::<Vec<_>>();
    assert_eq!(kinds(&["TOC1|9. Law\t12", "9. Law"]), [HeadingKind::Typed]);
    assert_eq!(
        kinds(&["Schedule 2", "H1|Law", "N|Law"]),
        [HeadingKind::Attachment, HeadingKind::Styled, HeadingKind::Numbered]
    );
}

#[test]
fn letters_and_roman_numbers_are_told_apart() {
    let lines = ["(g) x", "(h) x", "(i) x", "(j) x"];
    assert_eq!(sections(&lines).headings().map(|heading| heading.depth).collect::<Vec<_>>(), [0, 0, 0, 0]);
    let lines = ["(b) x", "(i) x", "(ii) x", "(c) x"];
    assert_eq!(sections(&lines).headings().map(|heading| heading.depth).collect::<Vec<_>>(), [0, 1, 1, 0]);
}
