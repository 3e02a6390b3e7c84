use engross_xml::{Document, Limits};
use proptest::prelude::*;

use super::{Counter, Numbering, paragraph_numbering};
use crate::names;
use crate::styles::Styles;

/// A tree; `xml` is one element without namespace declarations.
pub(super) fn document(xml: &str) -> Document {
    let at = xml.find(['>', '/']).unwrap();
    let (start, rest) = xml.split_at(at);
    let text = format!(
        r#"{start} xmlns:w="{}" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"{rest}"#,
        names::W_URI
    );
    Document::parse(text.into_bytes(), &names::VOCABULARY, &Limits::default()).expect(xml)
}

/// An abstract list of these levels with one instance.
pub(super) fn list(num_id: i64, abstract_id: i64, levels: &str) -> String {
    format!(
        r#"<w:abstractNum w:abstractNumId="{abstract_id}">{levels}</w:abstractNum>{}"#,
        instance(num_id, abstract_id, "")
    )
}

/// `1`, `1.1`, `1.1.1` …
pub(super) fn plain_level(level: u8) -> String {
    let text: Vec<String> = (1..=level + 1).map(|each| format!("%{each}")).collect();
    custom_level(level, "decimal", &text.join("."), "")
}

/// `w:numPr`.
pub(super) fn numbered(num_id: i64, level: u8) -> String {
    format!(r#"<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{num_id}"/></w:numPr>"#)
}

/// A paragraph style.
pub(super) fn styles_with(id: &str, based_on: &str, properties: &str) -> String {
    format!(
        r#"<w:style w:type="paragraph" w:styleId="{id}"><w:name w:val="{id}"/><w:basedOn w:val="{based_on}"/>
        <w:pPr>{properties}</w:pPr></w:style>"#
    )
}

fn custom_level(level: u8, format: &str, text: &str, more: &str) -> String {
    format!(
        r#"<w:lvl w:ilvl="{level}"><w:start w:val="1"/><w:numFmt w:val="{format}"/>{more}<w:lvlText w:val="{text}"/>
        </w:lvl>"#
    )
}

fn instance(num_id: i64, abstract_id: i64, overrides: &str) -> String {
    format!(r#"<w:num w:numId="{num_id}"><w:abstractNumId w:val="{abstract_id}"/>{overrides}</w:num>"#)
}

fn start_override(level: u8, start: i64) -> String {
    format!(r#"<w:lvlOverride w:ilvl="{level}"><w:startOverride w:val="{start}"/></w:lvlOverride>"#)
}

fn plain_list() -> String {
    list(1, 0, &(0..4).map(plain_level).collect::<String>())
}

/// The markers of a body whose paragraphs have these properties; `-` for a paragraph in no list.
fn check(numbering: &str, styles: &str, paragraphs: &[String], expected: &[&str]) {
    let numbering_part = document(&format!("<w:numbering>{numbering}</w:numbering>"));
    let styles_part = document(&format!("<w:styles>{styles}</w:styles>"));
    let paragraphs: String =
        paragraphs.iter().map(|each| format!("<w:p><w:pPr>{each}</w:pPr></w:p>")).collect();
    let body = document(&format!("<w:body>{paragraphs}</w:body>"));
    let styles = Styles::parse(Some(&styles_part));
    let numbering = Numbering::parse(Some(&numbering_part));
    let mut counter = Counter::new(&numbering, &styles);
    let markers: Vec<String> = body
        .children(body.root())
        .map(|paragraph| {
            let place = paragraph_numbering(&body, paragraph, &styles, &numbering);
            let marker = place.and_then(|(num_id, level)| counter.next(num_id, level));
            marker.map_or("-".to_owned(), |marker| marker.text)
        })
        .collect();
    assert_eq!(markers, expected);
}

/// Paragraphs as (instance, level).
fn check_places(numbering: &str, places: &[(i64, u8)], expected: &[&str]) {
    let paragraphs: Vec<String> = places.iter().map(|(num_id, level)| numbered(*num_id, *level)).collect();
    check(numbering, "", &paragraphs, expected);
}

#[test]
fn deeper_levels_start_again() {
    check_places(
        &plain_list(),
        &[(1, 0), (1, 1), (1, 1), (1, 2), (1, 1), (1, 2), (1, 0), (1, 1)],
        &["1", "1.1", "1.2", "1.2.1", "1.3", "1.3.1", "2", "2.1"],
    );
}

#[test]
fn levels_not_met_yet_show_their_first_number() {
    check_places(
        &plain_list(),
        &[(1, 1), (1, 0), (1, 2), (1, 1), (1, 0), (1, 3)],
        &["1.1", "2", "2.1.1", "2.2", "3", "3.1.1.1"],
    );
}

#[test]
fn a_level_restarts_where_it_says() {
    let levels = [
        plain_level(0),
        plain_level(1),
        custom_level(2, "decimal", "%3", r#"<w:lvlRestart w:val="1"/>"#),
        custom_level(3, "decimal", "%4", r#"<w:lvlRestart w:val="0"/>"#),
        custom_level(4, "decimal", "%5", r#"<w:lvlRestart w:val="9"/>"#),
    ]
    .concat();
    check_places(
        &list(1, 0, &levels),
        &[
            (1, 0),
            (1, 1),
            (1, 2),
            (1, 3),
            (1, 4),
            (1, 1),
            (1, 2),
            (1, 3),
            (1, 4),
            (1, 0),
            (1, 2),
            (1, 3),
            (1, 4),
        ],
        &["1", "1.1", "1", "1", "1", "1.2", "2", "2", "1", "2", "1", "3", "1"],
    );
}

#[test]
fn instances_of_one_list_count_together() {
    let numbering = format!("{}{}{}", plain_list(), instance(2, 0, ""), list(3, 1, &plain_level(0)));
    check_places(
        &numbering,
        &[(1, 0), (2, 0), (3, 0), (2, 1), (1, 1), (3, 0)],
        &["1", "2", "1", "2.1", "2.2", "2"],
    );
}

/// Case 64.
#[test]
fn case_64_a_start_override_restarts_once() {
    let numbering = format!("{}{}", plain_list(), instance(2, 0, &start_override(0, 7)));
    check_places(
        &numbering,
        &[(1, 0), (1, 0), (2, 0), (2, 0), (1, 0), (2, 0), (2, 1)],
        &["1", "2", "7", "8", "9", "10", "10.1"],
    );
    let letters = list(1, 0, &custom_level(0, "upperLetter", "%1.", ""));
    let numbering = format!("{letters}{}", instance(2, 0, &start_override(0, 3)));
    check_places(&numbering, &[(2, 0), (2, 0)], &["C.", "D."]);
}

#[test]
fn a_start_override_belongs_to_its_level() {
    let both = format!("{}{}", start_override(0, 5), start_override(1, 3));
    let numbering = format!("{}{}", plain_list(), instance(2, 0, &both));
    check_places(
        &numbering,
        &[(1, 0), (1, 0), (1, 1), (2, 1), (2, 1), (2, 0), (2, 1), (1, 0)],
        &["1", "2", "2.1", "2.3", "2.4", "5", "5.3", "6"],
    );
}

/// Case 64.
#[test]
fn case_64_an_override_replaces_the_whole_level() {
    let level = custom_level(0, "lowerRoman", "(%1)", "");
    let replaced = format!(r#"<w:lvlOverride w:ilvl="0">{level}</w:lvlOverride>"#);
    let numbering = format!("{}{}", plain_list(), instance(2, 0, &replaced));
    check_places(&numbering, &[(1, 0), (2, 0), (1, 0), (2, 1)], &["1", "(ii)", "3", "iii.1"]);
}

/// Case 69: a heading between two runs of a list does not restart it.
#[test]
fn case_69_a_list_continues_after_a_heading() {
    let numbering =
        format!("{}{}", plain_list(), list(2, 1, &custom_level(0, "upperRoman", "Article %1.", "")));
    check(
        &numbering,
        "",
        &[numbered(2, 0), numbered(1, 0), numbered(1, 1), String::new(), numbered(2, 0), numbered(1, 0)],
        &["Article I.", "1", "1.1", "-", "Article II.", "2"],
    );
}

/// Cases 63 and 175.
#[test]
fn cases_63_and_175_styles_number_their_paragraphs_unless_told_not_to() {
    let levels = (0..2).map(|level| {
        let style = format!(r#"<w:pStyle w:val="Heading{}"/>"#, level + 1);
        custom_level(level, "decimal", if level == 0 { "%1." } else { "%1.%2" }, &style)
    });
    let numbering = list(1, 0, &levels.collect::<String>());
    let number = r#"<w:numPr><w:numId w:val="1"/></w:numPr>"#;
    let styles = [
        styles_with("Heading1", "", number),
        styles_with("Heading2", "Heading1", number),
        styles_with("Quiet", "Heading1", r#"<w:numPr><w:numId w:val="0"/></w:numPr>"#),
    ]
    .concat();
    let style = |id: &str| format!(r#"<w:pStyle w:val="{id}"/>"#);
    let suppressed = format!("{}{}", style("Heading1"), numbered(0, 0));
    check(
        &numbering,
        &styles,
        &[
            style("Heading1"),
            style("Heading2"),
            suppressed,
            style("Quiet"),
            style("Heading2"),
            style("Heading1"),
        ],
        &["1.", "1.1", "-", "-", "1.2", "2."],
    );
}

#[test]
fn a_list_shows_the_list_of_its_numbering_style() {
    let style = r#"<w:style w:type="numbering" w:styleId="Outline"><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr>
        </w:style>"#;
    let defining = format!(r#"<w:styleLink w:val="Outline"/>{}{}"#, plain_level(0), plain_level(1));
    let numbering =
        format!("{}{}", list(1, 0, &defining), list(2, 1, r#"<w:numStyleLink w:val="Outline"/>"#));
    let places = [(2, 0), (2, 1), (1, 1), (2, 0)];
    let expected = ["1", "1.1", "1.2", "2"];
    check_places(&numbering, &places, &expected);
    let paragraphs = places.map(|(num_id, level)| numbered(num_id, level));
    check(&numbering, style, &paragraphs, &expected);
}

#[test]
fn circular_links_end() {
    let numbering = format!(
        "{}{}",
        list(1, 0, r#"<w:styleLink w:val="A"/><w:numStyleLink w:val="B"/>"#),
        list(2, 1, r#"<w:styleLink w:val="B"/><w:numStyleLink w:val="A"/>"#)
    );
    check_places(&numbering, &[(1, 0), (2, 0)], &["", ""]);
}

/// Case 176.
#[test]
fn case_176_formats_and_texts_of_levels() {
    for (format, text, expected) in [
        ("lowerLetter", "(%1)", ["(a)", "(b)"]),
        ("lowerLetter", "%1)", ["a)", "b)"]),
        ("lowerRoman", "%1.", ["i.", "ii."]),
        ("upperRoman", "%1.", ["I.", "II."]),
        ("ordinalText", "%1: ", ["First:", "Second:"]),
        ("none", "", ["", ""]),
        ("none", "Note", ["Note", "Note"]),
        ("decimal", "%1.%2.%9", ["1..", "2.."]),
        ("decimal", "100% %1 %0 %%1 %", ["100% 1 %0 %1 %", "100% 2 %0 %2 %"]),
        ("decimal", "a&#10;%1", ["a 1", "a 2"]),
    ] {
        check_places(&list(1, 0, &custom_level(0, format, text, "")), &[(1, 0), (1, 0)], &expected);
    }
}

/// Case 176.
#[test]
fn case_176_bullets_are_readable() {
    for (text, font, expected) in [
        ("\u{F0B7}", "Symbol", "•"),
        ("\u{F0B7}", "", "•"),
        ("·", "Symbol", "•"),
        ("\u{F0A7}", "Wingdings", "▪"),
        ("§", "Wingdings", "▪"),
        ("§", "Times New Roman", "§"),
        ("\u{F0D8}", "Wingdings", "➢"),
        ("\u{F0FC}", "Wingdings", "✓"),
        ("v", "Wingdings", "❖"),
        ("\u{F02D}", "Symbol", "−"),
        ("\u{F001}", "Webdings", "•"),
        ("\u{E123}", "", "•"),
        ("o", "Courier New", "o"),
        ("-", "", "-"),
        ("–", "Calibri", "–"),
        ("%1", "", "%1"),
        ("", "", "•"),
        (" ", "", "•"),
    ] {
        let font = format!(
            r#"<w:rPr><w:rFonts w:ascii="{font}" w:hAnsi="{font}"/></w:rPr><w:lvlPicBulletId w:val="0"/>"#
        );
        check_places(&list(1, 0, &custom_level(0, "bullet", text, &font)), &[(1, 0)], &[expected]);
    }
}

#[test]
fn legal_numbers_are_decimal_and_bullets_above_show_nothing() {
    let levels = [
        custom_level(0, "upperRoman", "%1.", ""),
        custom_level(1, "lowerLetter", "%1.%2", ""),
        custom_level(2, "upperLetter", "%1.%2.%3", "<w:isLgl/>"),
        custom_level(3, "bullet", "-", ""),
        custom_level(4, "upperLetter", "%4%5)", r#"<w:isLgl w:val="0"/>"#),
    ]
    .concat();
    check_places(
        &list(1, 0, &levels),
        &[(1, 0), (1, 1), (1, 1), (1, 2), (1, 3), (1, 4)],
        &["I.", "I.a", "I.b", "1.2.1", "-", "A)"],
    );
}

#[test]
fn what_is_not_defined_is_not_counted() {
    let numbering = list(1, 0, r#"<w:lvl w:ilvl="0"><w:lvlText w:val="%1"/></w:lvl>"#);
    // Without `w:start` a level begins with 0, and an undefined level shows nothing.
    check_places(&numbering, &[(1, 0), (9, 0), (1, 1), (1, 0)], &["0", "-", "", "1"]);
}

#[test]
fn a_marker_says_what_it_is() {
    let numbering = document(&format!("<w:numbering>{}</w:numbering>", plain_list()));
    let (numbering, styles) = (Numbering::parse(Some(&numbering)), Styles::default());
    let mut counter = Counter::new(&numbering, &styles);
    counter.next(1, 0);
    let marker = counter.next(1, 1).unwrap();
    assert_eq!(
        (&*marker.text, marker.level, marker.bullet, marker.num_id, marker.number),
        ("1.1", 1, false, 1, 1)
    );
    assert_eq!(counter.next(1, 200).unwrap().level, 8);
}

#[test]
fn numbers_end_where_the_machine_ends() {
    let numbering = format!("{}{}", plain_list(), instance(2, 0, &start_override(0, i64::MAX)));
    let last = i64::MAX.to_string();
    check_places(&numbering, &[(2, 0), (2, 0)], &[&last, &last]);
    let numbering = format!("{}{}", plain_list(), instance(2, 0, &start_override(0, -1)));
    check_places(&numbering, &[(2, 0), (2, 0), (2, 0)], &["-1", "0", "1"]);
    // A text of a million characters does not make a marker of a million characters.
    let long = custom_level(0, "cardinalText", &"%1".repeat(500_000), "");
    let part = document(&format!("<w:numbering>{}</w:numbering>", list(1, 0, &long)));
    let (numbering, styles) = (Numbering::parse(Some(&part)), Styles::default());
    assert!(Counter::new(&numbering, &styles).next(1, 0).unwrap().text.chars().count() <= 256);
}

fn any_level() -> impl Strategy<Value = String> {
    let format =
        prop::sample::select(vec!["decimal", "upperRoman", "lowerLetter", "bullet", "none", "hex", "?"]);
    (any::<i8>(), any::<i64>(), format, "[%0-9a\u{F0B7} .]{0,8}", any::<i8>(), any::<bool>()).prop_map(
        |(level, start, format, text, restart, legal)| {
            let legal = if legal { "<w:isLgl/>" } else { "" };
            format!(
                r#"<w:lvl w:ilvl="{level}"><w:start w:val="{start}"/><w:numFmt w:val="{format}"/>
                <w:lvlRestart w:val="{restart}"/><w:pStyle w:val="S{level}"/>{legal}<w:lvlText w:val="{text}"/></w:lvl>"#
            )
        },
    )
}

proptest! {
    #[test]
    fn never_fails(
        levels in prop::collection::vec(any_level(), 0..12),
        overrides in prop::collection::vec((any::<i8>(), any::<i64>()), 0..4),
        link in 0..3_i64,
        places in prop::collection::vec((0..4_i64, any::<u8>()), 0..60),
    ) {
        let overrides: String = overrides
            .iter()
            .map(|(level, start)| {
                format!(r#"<w:lvlOverride w:ilvl="{level}"><w:startOverride w:val="{start}"/></w:lvlOverride>"#)
            })
            .collect();
        let part = document(&format!(
            r#"<w:numbering>{}{}{}</w:numbering>"#,
            list(1, 0, &levels.concat()),
            list(2, 1, &format!(r#"<w:numStyleLink w:val="L{link}"/><w:styleLink w:val="L1"/>"#)),
            instance(3, link, &overrides)
        ));
        let (numbering, styles) = (Numbering::parse(Some(&part)), Styles::default());
        let mut counter = Counter::new(&numbering, &styles);
        for (num_id, level) in places {
            if let Some(marker) = counter.next(num_id, level) {
                prop_assert!(marker.level <= 8 && marker.text.chars().count() <= 256);
                prop_assert!(!marker.bullet || !marker.text.is_empty());
            }
        }
    }
}
