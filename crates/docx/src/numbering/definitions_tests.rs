use super::counter_tests::{document, list, numbered, plain_level, styles_with};
use super::{NumberFormat, Numbering, paragraph_numbering};
use crate::styles::Styles;

/// What list and level one paragraph is on.
fn check(numbering: &str, styles: &str, properties: &str, expected: Option<(i64, u8)>) {
    let numbering_part = document(&format!("<w:numbering>{numbering}</w:numbering>"));
    let styles_part = document(&format!("<w:styles>{styles}</w:styles>"));
    let body = document(&format!("<w:p><w:pPr>{properties}</w:pPr></w:p>"));
    let styles = Styles::parse(Some(&styles_part));
    let numbering = Numbering::parse(Some(&numbering_part));
    assert_eq!(paragraph_numbering(&body, body.root(), &styles, &numbering), expected, "{properties}");
}

#[test]
fn what_the_paragraph_says_wins_over_its_style() {
    let numbering = list(1, 0, &plain_level(0));
    let styles = styles_with("Item", "", r#"<w:numPr><w:ilvl w:val="2"/><w:numId w:val="1"/></w:numPr>"#);
    let item = r#"<w:pStyle w:val="Item"/>"#;
    for (direct, expected) in [
        ("", Some((1, 2))),
        (r#"<w:numPr><w:numId w:val="7"/></w:numPr>"#, Some((7, 2))),
        (r#"<w:numPr><w:ilvl w:val="0"/></w:numPr>"#, Some((1, 0))),
        (r#"<w:numPr><w:ilvl w:val="4"/><w:numId w:val="7"/></w:numPr>"#, Some((7, 4))),
        (r#"<w:numPr><w:ilvl w:val="0"/><w:numId w:val="0"/></w:numPr>"#, None),
        (r#"<w:numPr><w:ilvl w:val="99"/><w:numId w:val="1"/></w:numPr>"#, Some((1, 8))),
        (r#"<w:numPr><w:ilvl w:val="-1"/><w:numId w:val="1"/></w:numPr>"#, Some((1, 0))),
        (r#"<w:numPr><w:numId w:val="many"/></w:numPr>"#, Some((1, 2))),
    ] {
        check(&numbering, &styles, &format!("{item}{direct}"), expected);
    }
    check(&numbering, &styles, r#"<w:numPr><w:ilvl w:val="1"/></w:numPr>"#, None);
}

#[test]
fn the_level_bound_to_a_style_is_the_level_of_the_style() {
    let bound = |level: u8, style: &str| {
        format!(r#"<w:lvl w:ilvl="{level}"><w:pStyle w:val="{style}"/><w:lvlText w:val="%1"/></w:lvl>"#)
    };
    let numbering = list(1, 0, &format!("{}{}", bound(0, "Heading1"), bound(1, "Heading2")));
    let number = r#"<w:numPr><w:numId w:val="1"/></w:numPr>"#;
    let wrong_level = r#"<w:numPr><w:ilvl w:val="7"/><w:numId w:val="1"/></w:numPr>"#;
    let styles = [
        styles_with("Heading1", "", number),
        styles_with("Heading2", "", number),
        styles_with("Misfit", "Heading2", ""),
        styles_with("Deeper", "Heading2", r#"<w:numPr><w:ilvl w:val="5"/></w:numPr>"#),
        styles_with("Unbound", "", wrong_level),
    ]
    .concat();
    for (style, expected) in [("Heading1", 0), ("Heading2", 1), ("Misfit", 1), ("Deeper", 5), ("Unbound", 7)]
    {
        check(&numbering, &styles, &format!(r#"<w:pStyle w:val="{style}"/>"#), Some((1, expected)));
    }
    let styles = styles_with("Heading2", "", wrong_level);
    check(&numbering, &styles, r#"<w:pStyle w:val="Heading2"/>"#, Some((1, 1)));
}

#[test]
fn a_paragraph_without_a_style_has_the_default_one() {
    let styles = r#"<w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:pPr><w:numPr><w:numId w:val="3"/>
        </w:numPr></w:pPr></w:style>"#;
    check("", styles, "", Some((3, 0)));
    check("", styles, r#"<w:pStyle w:val="Missing"/>"#, Some((3, 0)));
}

/// Case 186.
#[test]
fn case_186_a_change_record_is_never_read() {
    let old = r#"<w:pPrChange w:id="1" w:author="A"><w:pPr><w:pStyle w:val="Item"/><w:numPr><w:ilvl w:val="1"/>
        <w:numId w:val="1"/></w:numPr></w:pPr></w:pPrChange>"#;
    let styles = styles_with("Item", "", r#"<w:numPr><w:numId w:val="1"/></w:numPr>"#);
    check("", &styles, old, None);
    check("", &styles, &format!("{}{old}", numbered(5, 2)), Some((5, 2)));
    // Numbering that was inserted or renumbered as a tracked change counts as it is now.
    let inserted = r#"<w:numPr><w:ilvl w:val="0"/><w:numId w:val="4"/><w:ins w:id="2" w:author="A"/>
        <w:numberingChange w:id="3" w:author="A" w:original="%1:1:0:."/></w:numPr>"#;
    check("", &styles, inserted, Some((4, 0)));
}

#[test]
fn levels_of_overrides_and_of_alternate_content() {
    let alternate = r#"<w:lvl w:ilvl="0"><w:start w:val="4"/><mc:AlternateContent><mc:Choice Requires="w14">
        <w:numFmt w:val="custom" w:format="001, 002, 003, ..."/></mc:Choice><mc:Fallback><w:numFmt w:val="decimal"/>
        </mc:Fallback></mc:AlternateContent><w:lvlText w:val="%1"/></w:lvl>"#;
    let strange = alternate.replace("001, 002, 003, ...", "x, y, z").replace("decimal", "upperRoman");
    let numbering = document(&format!(
        r#"<w:numbering><w:abstractNum w:abstractNumId="0">{alternate}</w:abstractNum>
        <w:abstractNum w:abstractNumId="0"/>
        <w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>
        <w:num w:numId="1"><w:abstractNumId w:val="99"/></w:num>
        <w:num w:numId="2"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0">{strange}</w:lvlOverride></w:num>
        <w:num w:numId="3"><w:abstractNumId w:val="99"/></w:num></w:numbering>"#
    ));
    let numbering = Numbering::parse(Some(&numbering));
    let styles = Styles::default();
    let format =
        |num_id, level| numbering.level(num_id, level, &styles).map(|level| (level.start, level.format));
    assert_eq!(format(1, 0), Some((4, NumberFormat::ZeroPadded(3))));
    assert_eq!(format(2, 0), Some((4, NumberFormat::UpperRoman)));
    assert_eq!(format(1, 1), None);
    assert_eq!(format(3, 0), None);
    assert_eq!(format(4, 0), None);
    assert!(Numbering::parse(None).level(1, 0, &styles).is_none());
}
