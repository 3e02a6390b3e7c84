use engross_xml::{Document, Limits};
use proptest::prelude::*;

use crate::names;
use crate::styles::Styles;

fn styles(rows: &str) -> Styles {
    let text = format!(r#"<w:styles xmlns:w="{}">{rows}</w:styles>"#, names::W_URI);
    Styles::parse(Some(&Document::parse(text.into_bytes(), &names::VOCABULARY, &Limits::default()).unwrap()))
}

fn style(kind: &str, id: &str, name: &str, based_on: &str, properties: &str) -> String {
    format!(
        r#"<w:style w:type="{kind}" w:styleId="{id}"><w:name w:val="{name}"/><w:basedOn w:val="{based_on}"/>
        <w:pPr>{properties}</w:pPr></w:style>"#
    )
}

fn paragraph(id: &str, name: &str) -> String {
    style("paragraph", id, name, "", "")
}

#[test]
fn a_document_without_styles_has_none() {
    let none = Styles::parse(None);
    assert_eq!(none.default_paragraph(), None);
    assert_eq!(none.id_of("Heading 1"), None);
    assert_eq!(none.paragraph_numbering("Heading1"), None);
    assert_eq!(none.outline_level("Heading1"), None);
    assert_eq!(none.label("Heading1"), "Heading1");
}

#[test]
fn the_default_is_a_paragraph_style() {
    let styles = styles(
        r#"<w:style w:type="character" w:default="1" w:styleId="C"/>
        <w:style w:type="paragraph" w:default="0" w:styleId="A"/>
        <w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/></w:style>
        <w:style w:type="paragraph" w:default="true" w:styleId="Later"/>"#,
    );
    assert_eq!(styles.default_paragraph(), Some("Normal"));
    assert_eq!(styles.name("Normal"), Some("Normal"));
    assert_eq!(styles.name("A"), None);
}

#[test]
fn finds_styles_as_people_name_them() {
    let word = [
        paragraph("Heading1", "heading 1"),
        paragraph("ListParagraph", "List Paragraph"),
        paragraph("CommentText", "annotation text"),
        style("character", "Strong", "Strong", "", ""),
    ]
    .concat();
    let german = [
        paragraph("berschrift1", "heading 1"),
        paragraph("Kommentartext", "annotation text"),
        paragraph("Textkörper", "Body Text"),
    ]
    .concat();
    for (rows, wanted, expected) in [
        (&word, "Heading1", Some("Heading1")),
        (&word, "Heading 1", Some("Heading1")),
        (&word, "heading 1", Some("Heading1")),
        (&word, " HEADING 1 ", Some("Heading1")),
        (&word, "heading1", Some("Heading1")),
        (&word, "List paragraph", Some("ListParagraph")),
        (&word, "Comment Text", Some("CommentText")),
        (&word, "Heading 10", None),
        (&word, "Strong", None),
        (&word, "  ", None),
        (&german, "Heading 1", Some("berschrift1")),
        (&german, "Heading1", Some("berschrift1")),
        (&german, "Comment Text", Some("Kommentartext")),
        (&german, "BodyText", Some("Textkörper")),
        (&german, "textkörper", Some("Textkörper")),
    ] {
        assert_eq!(styles(rows).id_of(wanted), expected, "{wanted}");
    }
    // An exact id wins over another style's name.
    let crossed = [paragraph("A", "B"), paragraph("B", "A")].concat();
    assert_eq!(styles(&crossed).id_of("B"), Some("B"));
}

#[test]
fn numbering_is_inherited_number_and_level_each_on_its_own() {
    let number = r#"<w:numPr><w:numId w:val="4"/></w:numPr>"#;
    let changed =
        r#"<w:pPrChange w:id="1"><w:pPr><w:numPr><w:numId w:val="9"/></w:numPr></w:pPr></w:pPrChange>"#;
    let rows = [
        style("paragraph", "First", "First", "", number),
        style("paragraph", "Second", "Second", "First", r#"<w:numPr><w:ilvl w:val="1"/></w:numPr>"#),
        style("paragraph", "Third", "Third", "Second", ""),
        style("paragraph", "Off", "Off", "Third", r#"<w:numPr><w:numId w:val="0"/></w:numPr>"#),
        style("paragraph", "Plain", "Plain", "Missing", changed),
        style("paragraph", "Left", "Left", "Right", ""),
        style("paragraph", "Right", "Right", "Left", ""),
        style("paragraph", "Self", "Self", "Self", number),
    ]
    .concat();
    let styles = styles(&rows);
    for (id, expected) in [
        ("First", Some((Some(4), None))),
        ("Second", Some((Some(4), Some(1)))),
        ("Third", Some((Some(4), Some(1)))),
        ("Off", Some((Some(0), Some(1)))),
        ("Plain", None),
        ("Left", None),
        ("Self", Some((Some(4), None))),
        ("Nowhere", None),
    ] {
        assert_eq!(styles.paragraph_numbering(id), expected, "{id}");
    }
}

#[test]
fn outline_levels_come_from_the_style_or_from_the_name_of_a_heading() {
    let outline = |level: &str| format!(r#"<w:outlineLvl w:val="{level}"/>"#);
    let rows = [
        style("paragraph", "A", "Clause", "", &outline("2")),
        style("paragraph", "B", "Sub-clause", "A", ""),
        style("paragraph", "C", "Body of a clause", "A", &outline("9")),
        style("paragraph", "H", "heading 3", "", ""),
        style("paragraph", "H0", "heading 0", "", ""),
        style("paragraph", "H10", "heading 10", "", ""),
        style("paragraph", "D", "From a heading", "H", ""),
        style("paragraph", "Bad", "Bad", "", &outline("-1")),
    ]
    .concat();
    let styles = styles(&rows);
    for (id, expected) in [
        ("A", Some(2)),
        ("B", Some(2)),
        ("C", None),
        ("H", Some(2)),
        ("H0", None),
        ("H10", None),
        ("D", Some(2)),
        ("Bad", None),
    ] {
        assert_eq!(styles.outline_level(id), expected, "{id}");
    }
}

#[test]
fn knows_the_styles_of_references_in_every_language() {
    let rows = [
        style("character", "Funotenzeichen", "footnote reference", "", ""),
        style("character", "Kommentarzeichen", "annotation reference", "", ""),
        style("character", "BesuchterLink", "FollowedHyperlink", "", ""),
        style("character", "Strong", "Strong", "", ""),
    ]
    .concat();
    let styles = styles(&rows);
    for (id, expected) in [
        ("Funotenzeichen", true),
        ("Kommentarzeichen", true),
        ("BesuchterLink", true),
        ("FootnoteReference", true),
        ("EndnoteReference", true),
        ("CommentReference", true),
        ("Hyperlink", true),
        ("Strong", false),
        ("Unknown", false),
        ("", false),
    ] {
        assert_eq!(styles.is_character_reference_style(id), expected, "{id}");
    }
}

#[test]
fn labels_never_break_the_notation() {
    let rows =
        [paragraph("Heading1", "heading 1"), paragraph("a-b", "My [odd]|Style"), paragraph("é", "")].concat();
    let styles = styles(&rows);
    for (id, expected) in
        [("Heading1", "Heading1"), ("a-b", "MyoddStyle"), ("é", "é"), ("Not there|]", "Notthere"), ("", "")]
    {
        assert_eq!(styles.label(id), expected, "{id}");
    }
}

#[test]
fn of_two_styles_with_one_id_the_first_is_used() {
    let styles = styles(&[paragraph("A", "First"), paragraph("A", "Second")].concat());
    assert_eq!(styles.name("A"), Some("First"));
    assert_eq!(styles.id_of("Second"), None);
}

proptest! {
    #[test]
    fn chains_of_any_shape_end(links in prop::collection::vec(0..40_usize, 1..40)) {
        let rows: String = links
            .iter()
            .enumerate()
            .map(|(at, to)| style("paragraph", &format!("S{at}"), "", &format!("S{to}"), ""))
            .collect();
        let styles = styles(&rows);
        for at in 0..links.len() {
            prop_assert_eq!(styles.paragraph_numbering(&format!("S{at}")), None);
            prop_assert_eq!(styles.outline_level(&format!("S{at}")), None);
        }
    }
}
