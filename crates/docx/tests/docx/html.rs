//! The document as HTML: it says what a reading says, names every revision, and lets nothing act.

use std::collections::BTreeSet;

use engross_docx::html::HtmlOptions;
use engross_docx::read::{ReadOptions, View};
use engross_docx::revisions::Side;
use engross_docx::{Limits, WordDocument};
use engross_testkit::docx::DocxBuilder;
use proptest::prelude::*;

use crate::corpus_check::corpus_documents;
use crate::html_judge::{JudgedView, judge};
use crate::random_bodies::{Choices, body};

const VIEWS: [View; 3] = [View::Markup, View::Accepted, View::Original];

fn open(bytes: Vec<u8>) -> WordDocument {
    WordDocument::open(bytes, &Limits::default()).unwrap()
}

fn html(document: &WordDocument, view: View) -> String {
    document.to_html(&HtmlOptions { view, ..HtmlOptions::default() }).unwrap()
}

/// A text without labels, signs of revisions and what HTML cannot hold.
fn plain(text: &str) -> String {
    let mut text = text.to_owned();
    for (label, meaning) in [("⟦br⟧", "\n"), ("⟦page break⟧", ""), ("⟦column break⟧", "")] {
        text = text.replace(label, meaning);
    }
    for object in ["footnote", "endnote", "image", "object", "symbol", "equation", "embedded object"] {
        text = text.replace(&format!("⟦{object}⟧"), "");
    }
    for sign in ["{++", "++}", "{--", "--}"] {
        text = text.replace(sign, "");
    }
    text.retain(|c| matches!(c, '\n' | '\t') || !(c.is_control() || c == '\u{AD}' || c == '\u{FFFC}'));
    text
}

/// What is wrong with the views of a document.
fn faults(document: &WordDocument) -> Vec<String> {
    let mut faults = Vec::new();
    for view in VIEWS {
        let shown = judge(&html(document, view));
        let options = ReadOptions {
            view,
            story: Some("everywhere".to_owned()),
            labels: false,
            ..ReadOptions::default()
        };
        for paragraph in document.read(&options).unwrap().paragraphs {
            let wanted = plain(&paragraph.text);
            match shown.texts.get(&paragraph.address) {
                Some(text) if plain(text) == wanted => {}
                Some(text) => faults.push(format!(
                    "{view:?} {}: read {wanted:?}, shown {:?}",
                    paragraph.address,
                    plain(text)
                )),
                // What goes with its row, cell, box or note when all is resolved is judged below.
                None if wanted.is_empty() || view != View::Markup => {}
                None => faults.push(format!("{view:?} {} is not shown: {wanted:?}", paragraph.address)),
            }
        }
        let side = match view {
            View::Markup => {
                let known: BTreeSet<String> =
                    document.revisions().unwrap().into_iter().map(|placed| placed.id).collect();
                let missing: Vec<&String> = known.difference(&shown.revisions).collect();
                if !missing.is_empty() {
                    faults.push(format!("revisions {missing:?} are not shown"));
                }
                continue;
            }
            View::Original => Side::Reject,
            _ => Side::Accept,
        };
        let mut resolved = document.clone();
        resolved.resolve_all(side).unwrap();
        let texts = |shown: &JudgedView| -> Vec<String> {
            shown.paragraphs.iter().map(|text| plain(text)).filter(|text| !text.trim().is_empty()).collect()
        };
        let (now, then) = (texts(&shown), texts(&judge(&html(&resolved, View::Accepted))));
        if now != then {
            let at = now
                .iter()
                .zip(&then)
                .position(|(now, then)| now != then)
                .unwrap_or(now.len().min(then.len()));
            faults.push(format!(
                "{view:?}: shown {:?}, after resolving {:?} ({} and {} paragraphs)",
                now.get(at),
                then.get(at),
                now.len(),
                then.len()
            ));
        }
    }
    faults
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn the_views_of_any_document_say_what_it_says(choices in prop::collection::vec(any::<u8>(), 0..400)) {
        let body = body(&mut Choices::of(&choices));
        let document = open(DocxBuilder::new().body(&body).build());
        prop_assert_eq!(faults(&document), Vec::<String>::new());
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "reads test documents")]
fn the_views_of_real_documents_say_what_they_say() {
    let found = corpus_documents();
    let mut wrong = Vec::new();
    for path in &found {
        let document = open(std::fs::read(path).unwrap());
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        wrong.extend(faults(&document).into_iter().map(|fault| format!("{name}: {fault}")));
    }
    eprintln!("{} documents, {} faults", found.len(), wrong.len());
    assert!(wrong.is_empty(), "{wrong:#?}");
}

const W: &str = "w:author=\"Ada\" w:date=\"2026-01-31T09:30:00Z\"";

fn text(words: &str) -> String {
    format!("<w:r><w:t xml:space=\"preserve\">{words}</w:t></w:r>")
}

fn paragraph(words: &str) -> String {
    format!("<w:p>{}</w:p>", text(words))
}

#[test]
fn headings_numbers_and_formatting_are_shown() {
    let styles = "<w:style w:type=\"paragraph\" w:default=\"1\" w:styleId=\"N\"><w:name w:val=\"Normal\"/></w:style>\
        <w:style w:type=\"paragraph\" w:styleId=\"H\"><w:name w:val=\"heading 2\"/><w:basedOn w:val=\"N\"/><w:pPr><w:numPr>\
        <w:numId w:val=\"1\"/></w:numPr><w:jc w:val=\"center\"/></w:pPr><w:rPr><w:b/></w:rPr></w:style>\
        <w:style w:type=\"character\" w:styleId=\"C\"><w:rPr><w:b/></w:rPr></w:style>";
    let numbering = "<w:abstractNum w:abstractNumId=\"1\"><w:lvl w:ilvl=\"0\"><w:start w:val=\"4\"/><w:numFmt w:val=\"decimal\"/>\
        <w:lvlText w:val=\"%1.\"/></w:lvl></w:abstractNum><w:num w:numId=\"1\"><w:abstractNumId w:val=\"1\"/></w:num>";
    let body = "<w:p><w:pPr><w:pStyle w:val=\"H\"/></w:pPr><w:r><w:t>Fees</w:t></w:r><w:r><w:rPr><w:rStyle w:val=\"C\"/></w:rPr>\
        <w:t>x</w:t></w:r></w:p><w:p><w:pPr><w:bidi/></w:pPr><w:r><w:rPr><w:i/><w:u w:val=\"single\"/><w:color w:val=\"FF0000\"/></w:rPr>\
        <w:t>a</w:t></w:r><w:r><w:rPr><w:i/></w:rPr><w:t>b</w:t></w:r></w:p>";
    let shown = html(
        &open(DocxBuilder::new().styles(styles).numbering(numbering).body(body).build()),
        View::Accepted,
    );
    for wanted in [
        "<h2 class=\"centred in1 numbered strong\" id=\"P1\" data-address=\"P1\"><span class=\"generated number\">4.</span>Fees",
        // A style that turns on what the paragraph's style turns on turns it off.
        "<span class=\"no-b\">x</span></h2>",
        "data-address=\"P2\" dir=\"rtl\"><span class=\"c-red\"><i><u>a</u></i></span><i>b</i></p>",
    ] {
        assert!(shown.contains(wanted), "{wanted}\n{shown}");
    }
    judge(&shown);
}

#[test]
fn rows_cells_and_properties_have_their_revisions() {
    let row = |properties: &str, first: &str| {
        format!(
            "<w:tr><w:trPr>{properties}</w:trPr><w:tc><w:tcPr>{first}</w:tcPr>{}</w:tc><w:tc>{}</w:tc></w:tr>",
            paragraph("a"),
            paragraph("b")
        )
    };
    let body = format!(
        "<w:tbl><w:tblPr><w:tblPrChange w:id=\"1\" {W}><w:tblPr/></w:tblPrChange></w:tblPr><w:tblGrid><w:gridCol/><w:gridCol/></w:tblGrid>\
         {}{}{}{}</w:tbl><w:p><w:pPr><w:rPr><w:del w:id=\"6\" {W}/><w:rPrChange w:id=\"7\" {W}><w:rPr/></w:rPrChange></w:rPr>\
         <w:pPrChange w:id=\"8\" {W}><w:pPr/></w:pPrChange></w:pPr><w:moveFrom w:id=\"9\" {W}>{}</w:moveFrom></w:p>{}\
         <w:sectPr><w:sectPrChange w:id=\"10\" {W}><w:sectPr/></w:sectPrChange></w:sectPr>",
        row("<w:tblHeader/>", "<w:vMerge w:val=\"restart\"/>"),
        row(&format!("<w:ins w:id=\"2\" {W}/>"), "<w:vMerge/>"),
        row(&format!("<w:del w:id=\"3\" {W}/>"), &format!("<w:cellDel w:id=\"4\" {W}/>")),
        row(&format!("<w:trPrChange w:id=\"5\" {W}><w:trPr/></w:trPrChange>"), ""),
        text("gone"),
        paragraph("stays"),
    );
    let document = open(DocxBuilder::new().body(&body).build());
    let shown = html(&document, View::Markup);
    let judged = judge(&shown);
    let wanted: BTreeSet<String> = (1..=10).map(|id: usize| id.to_string()).collect();
    assert_eq!(judged.revisions, wanted, "{shown}");
    assert!(!shown.contains("Other changes"), "each has a place of its own: {shown}");
    for wanted in [
        "<th rowspan=\"2\">",
        "<tr class=\"inserted\">",
        "<tr class=\"deleted\">",
        ">row deleted</del>",
        "<del class=\"moved a0\"",
    ] {
        assert!(shown.contains(wanted), "{wanted}\n{shown}");
    }
    let accepted = html(&document, View::Accepted);
    assert_eq!(accepted.matches("<tr").count(), 3, "{accepted}");
    assert!(!accepted.contains("gone") && accepted.contains("data-address=\"P10\">stays"), "{accepted}");
    assert_eq!(html(&document, View::Original).matches("<tr").count(), 3);
    assert_eq!(faults(&document), Vec::<String>::new());
}

#[test]
fn notes_comments_boxes_links_and_fields_have_their_places() {
    let body = format!(
        "<w:p><w:bookmarkStart w:id=\"1\" w:name=\"Here\"/><w:bookmarkEnd w:id=\"1\"/><w:commentRangeStart w:id=\"3\"/>{}\
         <w:commentRangeEnd w:id=\"3\"/><w:r><w:commentReference w:id=\"3\"/></w:r><w:r><w:footnoteReference w:id=\"2\"/></w:r></w:p>\
         <w:p><w:hyperlink r:id=\"good\">{}</w:hyperlink><w:hyperlink r:id=\"bad\">{}</w:hyperlink><w:hyperlink w:anchor=\"here\">{}</w:hyperlink>\
         <w:fldSimple w:instr=\" REF Here \\h \">{}</w:fldSimple><w:fldSimple w:instr=\"DATE\">{}</w:fldSimple></w:p>\
         <w:p><w:r><w:pict><w:txbxContent>{}</w:txbxContent></w:pict></w:r></w:p>\
         <w:p><w:sdt><w:sdtPr><w:alias w:val=\"Who\"/></w:sdtPr><w:sdtContent>{}</w:sdtContent></w:sdt></w:p>\
         <w:sectPr><w:headerReference w:type=\"default\" r:id=\"h\"/></w:sectPr>",
        text("said"),
        text("out"),
        text("evil"),
        text("in"),
        text("reference"),
        text("today"),
        paragraph("boxed"),
        text("name"),
    );
    let document = open(
        DocxBuilder::new()
            .body(&body)
            .external("good", "hyperlink", "https://example.org/?a=1&b=2")
            .external("bad", "hyperlink", "javascript:alert(1)")
            .footnotes("<w:footnote w:id=\"2\"><w:p><w:r><w:footnoteRef/></w:r><w:r><w:t>noted</w:t></w:r></w:p></w:footnote>")
            .comments("<w:comment w:id=\"3\" w:author=\"Ada\" w:date=\"2026-01-31T09:30:00Z\"><w:p><w:r><w:t>why?</w:t></w:r></w:p></w:comment>")
            .header("h", "<w:p><w:r><w:t>head</w:t></w:r></w:p>")
            .build(),
    );
    let shown = html(&document, View::Markup);
    let judged = judge(&shown);
    let links: Vec<&String> = judged.links.iter().collect();
    assert_eq!(links, ["https://example.org/?a=1&b=2"]);
    for (address, wanted) in [
        ("P1", "said"),
        ("P2", "outevilinreferencetoday"),
        ("textbox:1/P1", "boxed"),
        ("P4", "name"),
        ("footnote:2/P1", "noted"),
        ("comment:3/P1", "why?"),
        ("header:default@1/P1", "head"),
    ] {
        assert_eq!(judged.texts.get(address).map(String::as_str), Some(wanted), "{address}: {shown}");
    }
    assert_eq!(judged.comments, BTreeSet::from(["3".to_owned()]));
    for wanted in [
        "<a href=\"#P1\">inreference</a>",
        "href=\"#footnote-1\"",
        "href=\"#to-footnote-1\"",
        "data-field=\"DATE\"",
        "title=\"Who\"",
        "<span class=\"commented\" data-comment=\"3\">said</span>",
        "href=\"#comment-1\"",
        "title=\"javascript:alert(1)\"",
    ] {
        assert!(shown.contains(wanted), "{wanted}\n{shown}");
    }
    let page = document.to_html(&HtmlOptions {
        page: true,
        title: "</title><script>".to_owned(),
        ..HtmlOptions::default()
    });
    judge(&page.unwrap());
}

/// What a document holds never acts, however deep and odd it is, and is not blown up.
#[test]
fn hostile_documents_are_text() {
    let evil = "&lt;/p&gt;&lt;script&gt;alert(1)&lt;/script&gt;&quot; onload=&quot;x";
    let long = "A".repeat(1 << 20);
    let runs = text("y").repeat(2_000);
    let deep = |depth: usize| {
        let id = |at: usize| {
            format!(
                "<w:ins w:id=\"{at}\" w:author=\"{evil}\" w:date=\"{evil}\"><w:hyperlink w:anchor=\"{evil}\">"
            )
        };
        let mut xml: String = (0..depth).map(id).collect();
        xml.push_str(&text("deep").repeat(50));
        xml.push_str(&"</w:hyperlink></w:ins>".repeat(depth));
        format!("<w:p>{xml}</w:p>")
    };
    let bodies = [
        format!("<w:p><w:bookmarkStart w:id=\"0\" w:name=\"{evil}\"/>{}</w:p>{}", text(evil), deep(200)),
        format!("<w:p><w:ins w:id=\"1\" w:author=\"{long}\">{runs}</w:ins></w:p>"),
        format!("<w:p><w:fldSimple w:instr=\"HYPERLINK {long}\">{runs}</w:fldSimple><w:fldSimple w:instr=\"{evil} {long}\">{runs}</w:fldSimple></w:p>"),
        format!("<w:p>{}{runs}</w:p>", (0..500).map(|id| format!("<w:commentRangeStart w:id=\"{id}\"/>")).collect::<String>()),
        format!("<w:tbl>{}</w:tbl><w:p/>", format!("<w:tr><w:trPr><w:gridBefore w:val=\"99999999\"/></w:trPr><w:tc><w:tcPr><w:gridSpan w:val=\"99999999\"/><w:vMerge w:val=\"restart\"/></w:tcPr>{}</w:tc></w:tr>", paragraph("c")).repeat(300)),
        format!("<w:p>{}</w:p>", "<w:r><w:fldChar w:fldCharType=\"begin\"/></w:r><w:r><w:fldChar w:fldCharType=\"separate\"/></w:r>".repeat(300) + &runs),
        "<w:p><w:r><w:sym w:char=\"FFFFFFFF\" w:font=\"x\"/><w:sym w:char=\"F0A8\" w:font=\"Wingdings\"/><w:t>\u{FFFD}\u{80}\u{202E}</w:t></w:r></w:p>".to_owned(),
    ];
    let comments: String = (0..500)
        .map(|id| format!("<w:comment w:id=\"{id}\" w:author=\"{evil}\" w:initials=\"{evil}\"><w:p>{}</w:p></w:comment>", text(evil)))
        .collect();
    for body in bodies {
        let bytes = DocxBuilder::new().comments(&comments).footnotes("").body(&body).build();
        let document = open(bytes);
        for view in VIEWS {
            let shown = html(&document, view);
            judge(&shown);
            assert!(shown.len() < 4_000_000, "{} bytes of {}", shown.len(), body.len());
            assert!(!shown.contains("<script") && !shown.contains("onload=\""));
        }
    }
}

#[test]
fn only_raster_pictures_are_shown() {
    let drawing = |id: &str| {
        format!(
            "<w:r><w:drawing><wp:inline xmlns:wp=\"http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing\"><wp:extent cx=\"952500\" cy=\"1905000\"/>\
         <wp:docPr id=\"1\" name=\"x\" descr=\"A &lt;logo&gt;\"/><a:graphic xmlns:a=\"http://schemas.openxmlformats.org/drawingml/2006/main\"><a:blip r:embed=\"{id}\"/></a:graphic></wp:inline></w:drawing></w:r>"
        )
    };
    let body =
        format!("<w:p>{}{}{}{}</w:p>", drawing("png"), drawing("svg"), drawing("out"), drawing("gone"));
    let document = open(
        DocxBuilder::new()
            .body(&body)
            .relationship("png", "image", "media/a.svg")
            .part("word/media/a.svg", b"\x89PNG\r\n\x1a\nrest".to_vec())
            .relationship("svg", "image", "media/b.png")
            .part(
                "word/media/b.png",
                "<svg xmlns=\"http://www.w3.org/2000/svg\"><script>alert(1)</script></svg>",
            )
            .external("out", "image", "https://example.org/track.png")
            .build(),
    );
    let shown = html(&document, View::Markup);
    assert_eq!(judge(&shown).pictures, 1, "{shown}");
    assert!(shown.contains("src=\"data:image/png;base64,iVBORw0KGgpyZXN0\" alt=\"A &lt;logo&gt;\" width=\"100\" height=\"200\""), "{shown}");
    assert_eq!(shown.matches("[picture: A &lt;logo&gt;]").count(), 3, "{shown}");
}
