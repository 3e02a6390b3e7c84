use std::collections::BTreeSet;

use engross_testkit::docx::DocxBuilder;

use super::check;
use crate::rules::{CODES, Finding, Severity};
use crate::{Limits, WordDocument};

fn findings(builder: &DocxBuilder) -> Vec<Finding> {
    check(&WordDocument::open(builder.build(), &Limits::default()).unwrap()).unwrap()
}

fn body(xml: &str) -> DocxBuilder {
    DocxBuilder::new().body(xml)
}

fn paragraph(xml: &str) -> DocxBuilder {
    body(&format!("<w:p>{xml}</w:p>"))
}

const RUN: &str = "<w:r><w:t>x</w:t></w:r>";
const STAMP: &str = "w:id=\"1\" w:author=\"A\"";
const TYPES: &str = "<Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\">\
    <Default Extension=\"rels\" ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/>\
    <Default Extension=\"xml\" ContentType=\"application/xml\"/>\
    <Override PartName=\"/word/document.xml\" ContentType=\"a/b\"/>\
    <Override PartName=\"/WORD/document.xml\" ContentType=\"a/b\"/></Types>";

/// A document for every code: the only finding is that one, at that address.
fn cases() -> Vec<(&'static str, &'static str, DocxBuilder)> {
    let plain = DocxBuilder::new().paragraph("x");
    let ins = |xml: &str| format!("<w:ins {STAMP}>{xml}</w:ins>");
    let del = |xml: &str| format!("<w:del {STAMP}>{xml}</w:del>");
    let picture = "<w:r><w:drawing><a:blip r:embed=\"rId9\"/></w:drawing></w:r>";
    let table = |rows: &str| body(&format!("<w:tbl>{rows}</w:tbl><w:p/>"));
    let field = |kind: &str| format!("<w:r><w:fldChar w:fldCharType=\"{kind}\"/></w:r>");
    let rels = "word/_rels/document.xml.rels";
    let relationships = |xml: &str| {
        format!(
            "<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">{xml}</Relationships>"
        )
    };
    let link = "<Relationship Id=\"rId1\" Type=\"x/hyperlink\" Target=\"u\" TargetMode=\"External\"/>";
    let signature = relationships(
        "<Relationship Id=\"rId1\" Type=\"x/officeDocument\" Target=\"word/document.xml\"/>\
        <Relationship Id=\"rId2\" Type=\"x/digital-signature/origin\" Target=\"_xmlsignatures/origin.xml\"/>",
    );
    let numbered = "<w:pPr><w:numPr><w:ilvl w:val=\"0\"/><w:numId w:val=\"3\"/></w:numPr></w:pPr>";
    let threads = plain
        .clone()
        .comments("<w:comment w:id=\"2\"><w:p w14:paraId=\"0000000A\"/></w:comment>")
        .part(
            "word/commentsExtended.xml",
            "<w15:commentsEx xmlns:w15=\"http://schemas.microsoft.com/office/word/2012/wordml\">\
             <w15:commentEx w15:paraId=\"0000000a\"/><w15:commentEx w15:paraId=\"0000000B\"/></w15:commentsEx>",
        )
        .relationship("rIdX", "commentsExtended", "commentsExtended.xml")
        .content_type("word/commentsExtended.xml", "a/b");
    vec![
        ("CONTENT_TYPES_MISSING", "[Content_Types].xml", plain.clone().without("[Content_Types].xml")),
        (
            "PART_UNTYPED",
            "word/a.bin",
            plain.clone().part("word/a.bin", "").relationship("rId9", "image", "a.bin"),
        ),
        ("FILE_IGNORED", "junk.bin", plain.clone().part("junk.bin", "")),
        ("CONTENT_TYPE_WITHOUT_PART", "word/no.xml", plain.clone().content_type("word/no.xml", "a/b")),
        ("CONTENT_TYPE_DUPLICATE", "WORD/document.xml", plain.clone().part("[Content_Types].xml", TYPES)),
        ("PART_MALFORMED", "customXml/item1.xml", plain.clone().part("customXml/item1.xml", "<a>")),
        (
            "PART_MALFORMED",
            "word/footnotes.xml",
            plain.clone().footnotes("").part("word/footnotes.xml", "<a>"),
        ),
        (
            "PART_MALFORMED",
            "word/_rels/footnotes.xml.rels",
            plain.clone().footnotes("").part("word/_rels/footnotes.xml.rels", "<a/><b/>"),
        ),
        (
            "RELATIONSHIP_TARGET_MISSING",
            "word/document.xml",
            paragraph(picture).relationship("rId9", "image", "no.png"),
        ),
        ("RELATIONSHIP_DANGLING", "word/document.xml", plain.clone().relationship("rId9", "image", "no.png")),
        ("RELATIONSHIP_ID_DUPLICATE", rels, plain.clone().part(rels, relationships(&link.repeat(2)))),
        ("RELATIONSHIP_UNRESOLVED", "P1", paragraph(picture)),
        ("RELATIONSHIP_UNRESOLVED", "header:default@1/P1", {
            let section = "<w:sectPr><w:headerReference r:id=\"h\"/></w:sectPr>";
            plain.clone().body(section).header("h", &format!("<w:p>{picture}</w:p>"))
        }),
        (
            "RELATIONSHIPS_ORPHANED",
            "word/_rels/gone.xml.rels",
            plain.clone().part("word/_rels/gone.xml.rels", relationships("")),
        ),
        ("PARAGRAPH_NESTED", "P1", paragraph("<w:p/>")),
        ("RUN_NESTED", "P1", paragraph("<w:r><w:r/></w:r>")),
        ("CELL_WITHOUT_PARAGRAPH", "P1", table("<w:tr><w:tc><w:tcPr/></w:tc><w:tc><w:p/></w:tc></w:tr>")),
        ("ROW_WITHOUT_CELL", "word/document.xml", table("<w:tr/>")),
        ("PARAGRAPH_PROPERTIES_NOT_FIRST", "P1", paragraph(&format!("{RUN}<w:pPr/>"))),
        ("PARAGRAPH_PROPERTIES_ORDER", "P1", paragraph("<w:pPr><w:jc/><w:keepNext/></w:pPr>")),
        ("PARAGRAPH_PROPERTY_DUPLICATE", "P1", paragraph("<w:pPr><w:jc/><w:jc/></w:pPr>")),
        ("RUN_PROPERTIES_NOT_FIRST", "P1", paragraph("<w:r><w:t>x</w:t><w:rPr/></w:r>")),
        (
            "RUN_PROPERTIES_ORDER",
            "P1",
            paragraph(&format!(
                "<w:r><w:rPr><w:rPrChange {STAMP}><w:rPr/></w:rPrChange><w:b/></w:rPr></w:r>"
            )),
        ),
        (
            "RUN_PROPERTIES_ORDER",
            "P1",
            paragraph(&format!("<w:pPr><w:rPr><w:b/><w:ins {STAMP}/></w:rPr></w:pPr>")).paragraph(""),
        ),
        ("RUN_PROPERTY_DUPLICATE", "P1", paragraph("<w:r><w:rPr><w:b/><w:b/></w:rPr></w:r>")),
        (
            "PARAGRAPH_ID_DUPLICATE",
            "P2",
            body("<w:p w14:paraId=\"0000000A\"/><w:p w14:paraId=\"0000000a\"/>"),
        ),
        (
            "BOOKMARK_NAME_DUPLICATE",
            "P1",
            paragraph(
                "<w:bookmarkStart w:id=\"1\" w:name=\"n\"/><w:bookmarkEnd w:id=\"1\"/>\
            <w:bookmarkStart w:id=\"2\" w:name=\"n\"/><w:bookmarkEnd w:id=\"2\"/>",
            ),
        ),
        ("BOOKMARK_UNPAIRED", "P1", paragraph("<w:bookmarkStart w:id=\"1\" w:name=\"n\"/>")),
        (
            "BOOKMARK_UNPAIRED",
            "P1",
            paragraph("<w:bookmarkEnd w:id=\"1\"/><w:bookmarkStart w:id=\"1\" w:name=\"n\"/>"),
        ),
        (
            "NOTE_MISSING",
            "P1",
            paragraph("<w:r><w:endnoteReference w:id=\"2\"/></w:r>")
                .footnotes("<w:footnote w:id=\"2\"><w:p/></w:footnote>"),
        ),
        (
            "NOTE_ID_DUPLICATE",
            "footnote:2",
            plain.clone().footnotes("<w:footnote w:id=\"2\"/><w:footnote w:id=\"2\"/>"),
        ),
        ("COMMENT_MISSING", "P1", paragraph("<w:r><w:commentReference w:id=\"2\"/></w:r>")),
        (
            "COMMENT_ID_DUPLICATE",
            "comment:2/P1",
            plain.clone().comments(&"<w:comment w:id=\"2\"><w:p/></w:comment>".repeat(2)),
        ),
        ("ELEMENT_MISPLACED", "P1", paragraph("<w:tc><w:p/></w:tc>")),
        ("ELEMENT_MISPLACED", "word/document.xml", plain.clone().body(RUN)),
        ("ELEMENT_MISPLACED", "P1", paragraph("<w:r><w:tbl/></w:r>")),
        ("ELEMENT_MISPLACED", "P1", paragraph("<w:r><w:rPr><w:jc/></w:rPr></w:r>")),
        ("ELEMENT_MISPLACED", "word/styles.xml", plain.clone().styles("<w:p/>")),
        ("ELEMENT_ORDER", "P1", table("<w:tr><w:tc><w:tcPr><w:vMerge/><w:tcW/></w:tcPr><w:p/></w:tc></w:tr>")),
        ("ELEMENT_ORDER", "P1", table("<w:tr><w:trPr/><w:tblPrEx/><w:tc><w:p/></w:tc></w:tr>")),
        ("ELEMENT_ORDER", "P1", body("<w:sectPr/><w:p/>")),
        (
            "ELEMENT_ORDER",
            "word/numbering.xml",
            plain.clone().numbering(
                "<w:num w:numId=\"1\"><w:abstractNumId w:val=\"0\"/></w:num><w:abstractNum w:abstractNumId=\"0\"/>",
            ),
        ),
        ("ELEMENT_ORDER", "word/settings.xml", plain.clone().settings("<w:compat/><w:zoom/>")),
        ("ELEMENT_REPEATED", "P1", paragraph("<w:sdt><w:sdtPr/><w:sdtPr/><w:sdtContent/></w:sdt>")),
        ("ELEMENT_REPEATED", "word/settings.xml", plain.clone().settings("<w:zoom/><w:zoom/>")),
        (
            "STYLE_MISSING",
            "P1",
            paragraph("<w:pPr><w:pStyle w:val=\"B\"/></w:pPr>").styles("<w:style w:styleId=\"A\"/>"),
        ),
        (
            "STYLE_ID_DUPLICATE",
            "word/styles.xml",
            plain.clone().styles(&"<w:style w:styleId=\"A\"/>".repeat(2)),
        ),
        ("NUMBERING_MISSING", "P1", paragraph(numbered).numbering("")),
        (
            "NUMBERING_UNDEFINED",
            "word/numbering.xml",
            plain.clone().numbering("<w:num w:numId=\"1\"><w:abstractNumId w:val=\"0\"/></w:num>"),
        ),
        (
            "NUMBERING_ID_DUPLICATE",
            "word/numbering.xml",
            plain.clone().numbering(&"<w:abstractNum w:abstractNumId=\"0\"/>".repeat(2)),
        ),
        ("COMMENT_RANGE_UNPAIRED", "P1", paragraph("<w:commentRangeStart w:id=\"2\"/>")),
        ("COMMENT_THREAD_UNRESOLVED", "word/commentsExtended.xml", threads.clone()),
        ("PERMISSION_UNPAIRED", "P1", paragraph("<w:permEnd w:id=\"2\"/>")),
        (
            "BOOKMARK_ID_DUPLICATE",
            "P1",
            paragraph(
                "<w:bookmarkStart w:id=\"1\" w:name=\"a\"/><w:bookmarkEnd w:id=\"1\"/>\
            <w:bookmarkStart w:id=\"1\" w:name=\"b\"/><w:bookmarkEnd w:id=\"1\"/>",
            ),
        ),
        (
            "CONTROL_ID_DUPLICATE",
            "P1",
            paragraph(&"<w:sdt><w:sdtPr><w:id w:val=\"5\"/></w:sdtPr><w:sdtContent/></w:sdt>".repeat(2)),
        ),
        (
            "DRAWING_ID_DUPLICATE",
            "P1",
            paragraph(&"<w:r><w:drawing><wp:inline><wp:docPr id=\"5\"/></wp:inline></w:drawing></w:r>".repeat(2)),
        ),
        ("REFERENCE_DANGLING", "P1", paragraph("<w:fldSimple w:instr=\" REF gone \\h \"><w:r><w:t>4</w:t></w:r></w:fldSimple>")),
        ("REFERENCE_DANGLING", "P1", paragraph(&format!("<w:hyperlink w:anchor=\"gone\">{RUN}</w:hyperlink>"))),
        (
            "REFERENCE_DISPLACED",
            "P1",
            paragraph("<w:bookmarkStart w:id=\"1\" w:name=\"n\"/><w:bookmarkEnd w:id=\"1\"/>\
                <w:fldSimple w:instr=\" REF n \\r \"><w:r><w:t>4</w:t></w:r></w:fldSimple>"),
        ),
        (
            "CONTENTS_DANGLING",
            "P1",
            paragraph(&format!(
                "{}<w:r><w:instrText>TOC \\h</w:instrText></w:r>{}<w:hyperlink w:anchor=\"_Toc1\">{RUN}</w:hyperlink>{}",
                field("begin"),
                field("separate"),
                field("end")
            )),
        ),
        ("FIELD_UNBALANCED", "P1", paragraph(&field("begin"))),
        (
            "FIELD_UNBALANCED",
            "P2",
            paragraph(&(field("begin") + &field("end"))).body(&format!("<w:p>{}</w:p>", field("end"))),
        ),
        ("FIELD_UNBALANCED", "P1", paragraph(&(ins(&field("begin")) + &field("end")))),
        ("REVISION_AUTHOR_MISSING", "P1", paragraph(&format!("<w:ins w:id=\"1\">{RUN}</w:ins>"))),
        ("REVISION_MISPLACED", "P1", paragraph("<w:r><w:ins w:id=\"1\" w:author=\"A\"/></w:r>")),
        ("REVISION_CONTENT", "P1", paragraph(&ins("<w:t>x</w:t>"))),
        (
            "REVISION_NESTED",
            "P1",
            paragraph(&format!("<w:ins w:id=\"2\" w:author=\"A\">{}</w:ins>", ins(RUN))),
        ),
        (
            "INSERTION_IN_DELETION",
            "P1",
            paragraph(&format!(
                "<w:del w:id=\"2\" w:author=\"A\">{}</w:del>",
                ins("<w:r><w:delText>x</w:delText></w:r>")
            )),
        ),
        ("TEXT_IN_DELETION", "P1", paragraph(&del(RUN))),
        ("DELETED_TEXT_OUTSIDE", "P1", paragraph(&ins("<w:r><w:delText>x</w:delText></w:r>"))),
        ("INSTRUCTION_IN_DELETION", "P1", paragraph(&del("<w:r><w:instrText>x</w:instrText></w:r>"))),
        (
            "REVISION_MARK_NOT_EMPTY",
            "P1",
            paragraph(&format!("<w:pPr><w:rPr>{}</w:rPr></w:pPr>", ins(RUN))).paragraph(""),
        ),
        ("REVISION_ID_DUPLICATE", "P1", paragraph(&(ins(RUN) + &ins(RUN)))),
        (
            "MOVE_UNPAIRED",
            "P1",
            paragraph(
                "<w:moveFromRangeStart w:id=\"1\" w:author=\"A\" w:name=\"m\"/><w:moveFromRangeEnd w:id=\"1\"/>",
            ),
        ),
        (
            "MOVE_UNPAIRED",
            "P1",
            paragraph(
                "<w:moveFromRangeStart w:id=\"1\" w:author=\"A\" w:name=\"m\"/><w:moveFromRangeEnd w:id=\"1\"/>\
            <w:moveToRangeStart w:id=\"2\" w:author=\"A\" w:name=\"m\"/>",
            ),
        ),
        (
            "DOCUMENT_PROTECTED",
            "word/settings.xml",
            plain.clone().settings("<w:documentProtection w:edit=\"readOnly\" w:enforcement=\"1\"/>"),
        ),
        (
            "WRITE_PROTECTED",
            "word/settings.xml",
            plain.clone().settings("<w:writeProtection w:recommended=\"1\"/>"),
        ),
        ("TRACKING_ON", "word/settings.xml", plain.clone().settings("<w:trackRevisions/>")),
        (
            "DIGITALLY_SIGNED",
            "_xmlsignatures/origin.xml",
            plain.part("_rels/.rels", signature).part("_xmlsignatures/origin.xml", "<a/>"),
        ),
    ]
}

#[test]
fn every_fault_is_found_where_it_is() {
    for (code, address, builder) in cases() {
        let found = findings(&builder);
        let got: Vec<(&str, &str)> = found.iter().map(|f| (f.code, f.address.as_str())).collect();
        assert!(got.contains(&(code, address)), "{code} at {address}: {found:#?}");
        let about_resolution =
            |finding: &&Finding| finding.code.starts_with("ACCEPT_") || finding.code.starts_with("REJECT_");
        assert_eq!(found.iter().filter(|f| !about_resolution(f)).count(), 1, "{code}: {found:#?}");
    }
}

#[test]
fn every_code_has_a_case() {
    let tested: BTreeSet<&str> = cases().iter().map(|(code, ..)| *code).collect();
    let resolution = ["ACCEPT_LEAVES_REVISIONS", "REJECT_LEAVES_REVISIONS", "ACCEPT_BREAKS", "REJECT_BREAKS"];
    let all: BTreeSet<&str> = CODES.iter().map(|(code, _)| *code).collect();
    assert_eq!(all.difference(&tested).copied().collect::<BTreeSet<_>>(), BTreeSet::from(resolution));
    assert_eq!(all.len(), CODES.len());
}

#[test]
fn a_sound_document_has_no_findings() {
    let inserted = format!("<w:ins {STAMP} w:date=\"2026-01-01T00:00:00Z\">{RUN}</w:ins>");
    let deleted = "<w:del w:id=\"2\" w:author=\"A\"><w:r><w:delText>x</w:delText></w:r></w:del>";
    let nested = "<w:ins w:id=\"3\" w:author=\"A\"><w:del w:id=\"4\" w:author=\"B\"><w:r><w:delText>x</w:delText>\
        <w:footnoteReference w:id=\"2\"/></w:r></w:del></w:ins>";
    let control = "<w:ins w:id=\"5\" w:author=\"A\"><m:oMath><m:f><m:fPr><m:ctrlPr><w:ins w:id=\"6\" w:author=\"A\"><w:rPr/>\
        </w:ins></m:ctrlPr></m:fPr></m:f></m:oMath></w:ins>";
    let text_box = "<w:r><mc:AlternateContent><mc:Choice Requires=\"wps\"><wps:txbx><w:txbxContent>\
        <w:p w14:paraId=\"0000000A\"/></w:txbxContent></wps:txbx></mc:Choice><mc:Fallback><w:pict><w:txbxContent>\
        <w:p w14:paraId=\"0000000A\"/></w:txbxContent></w:pict></mc:Fallback></mc:AlternateContent></w:r>";
    let link = "<w:hyperlink r:id=\"rIdL\"><w:r/></w:hyperlink>";
    let cell = "<w:tbl><w:tr><w:sdt><w:sdtContent><w:tc><w:tbl><w:tr><w:tc><w:p/></w:tc></w:tr></w:tbl><w:p/></w:tc></w:sdtContent></w:sdt></w:tr></w:tbl>";
    let document = paragraph(&[&inserted, deleted, nested, control, text_box, link].concat())
        .body(cell)
        .footnotes("<w:footnote w:id=\"2\"><w:p/></w:footnote>")
        .external("rIdL", "hyperlink", "https://example.com/")
        .relationship("rIdI", "image", "media/a%20b.png")
        .part("word/media/a b.png", "");
    assert_eq!(findings(&document), []);
}

#[test]
fn more_findings_than_anybody_reads_are_counted() {
    let found = findings(&body(&"<w:p><w:p/></w:p>".repeat(Finding::MOST + 23)));
    assert_eq!(found.len(), Finding::MOST + 1);
    assert_eq!(found.last().unwrap().message, "there are 23 more findings of this kind");
}

#[test]
fn a_revision_that_cannot_be_resolved_is_named() {
    let found = findings(&paragraph("<w:r><w:delText>x</w:delText></w:r>"));
    let got: Vec<(&str, &str, &str)> =
        found.iter().map(|f| (f.code, f.address.as_str(), f.message.as_str())).collect();
    assert_eq!(
        got,
        [
            ("DELETED_TEXT_OUTSIDE", "P1", "deleted text stands outside of any deletion"),
            ("ACCEPT_LEAVES_REVISIONS", "P1", "<delText> stays"),
            ("REJECT_LEAVES_REVISIONS", "P1", "<delText> stays"),
        ]
    );
}

#[test]
fn damage_that_resolving_would_do_is_told() {
    let found = findings(&paragraph(&format!("<w:r><w:ins {STAMP}>{RUN}</w:ins></w:r>")));
    let got: Vec<(&str, &str)> = found.iter().map(|f| (f.code, f.message.as_str())).collect();
    assert_eq!(
        got,
        [
            ("REVISION_MISPLACED", "<ins> stands in <r>, where no revision may be"),
            ("ACCEPT_BREAKS", "RUN_NESTED: a run stands directly inside a run"),
        ]
    );
}

#[test]
fn findings_are_plain_json() {
    let found = findings(&paragraph("<w:p/>"));
    let json = serde_json::to_value(&found[0]).unwrap();
    assert_eq!(
        json,
        serde_json::json!({
            "code": "PARAGRAPH_NESTED", "severity": "error", "address": "P1",
            "message": "a paragraph stands directly inside a paragraph",
        })
    );
}

#[test]
fn the_guide_has_every_code_with_its_severity() {
    let guide = include_str!("../../../../docs/guide/checks.md");
    let rows: Vec<(&str, &str)> = guide
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once("` | "))
        .filter_map(|(code, rest)| Some((code, rest.split_once(" |")?.0)))
        .filter(|(code, _)| code.chars().all(|c| c.is_ascii_uppercase() || c == '_'))
        .collect();
    let name = |severity| match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "info",
    };
    let codes: Vec<(&str, &str)> = CODES.iter().map(|(code, severity)| (*code, name(*severity))).collect();
    assert_eq!(rows, codes);
}
