//! One small document that has something of everything, for operations to be tried on.

use std::sync::LazyLock;

use engross_docx::{Limits, WordDocument};
use engross_testkit::docx::DocxBuilder;

/// A picture of one point.
const PIXEL: &[u8] = &[
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44, 0x52, 0x00,
    0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x08, 0x02, 0x00, 0x00, 0x00, 0x90, 0x77, 0x53, 0xde, 0x00,
    0x00, 0x00, 0x0c, 0x49, 0x44, 0x41, 0x54, 0x78, 0x9c, 0x63, 0xf8, 0xcf, 0xc0, 0x00, 0x00, 0x03, 0x01,
    0x01, 0x00, 0xc9, 0xfe, 0x92, 0xef, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60,
    0x82,
];

/// The same as Base64.
pub(crate) const PIXEL_TEXT: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC";

const PICTURE: &str = "<w:r><w:drawing><wp:inline><wp:extent cx=\"914400\" cy=\"457200\"/><wp:docPr id=\"12\" name=\"Picture 1\" descr=\"Seal\"/>\
    <a:graphic><a:graphicData uri=\"http://schemas.openxmlformats.org/drawingml/2006/picture\">\
    <pic:pic xmlns:pic=\"http://schemas.openxmlformats.org/drawingml/2006/picture\"><pic:nvPicPr><pic:cNvPr id=\"12\" name=\"seal.png\"/>\
    <pic:cNvPicPr/></pic:nvPicPr><pic:blipFill><a:blip r:embed=\"rIdP\"/><a:stretch><a:fillRect/></a:stretch></pic:blipFill>\
    <pic:spPr><a:xfrm><a:off x=\"0\" y=\"0\"/><a:ext cx=\"914400\" cy=\"457200\"/></a:xfrm><a:prstGeom prst=\"rect\"><a:avLst/></a:prstGeom>\
    </pic:spPr></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r>";

/// The document that operations are tried on.
pub(crate) fn sample() -> WordDocument {
    static SAMPLE: LazyLock<WordDocument> = LazyLock::new(|| {
        WordDocument::open(builder().build(), &Limits::default()).expect("the sample is a document")
    });
    SAMPLE.clone()
}

fn builder() -> DocxBuilder {
    let run = |text: &str| format!("<w:r><w:t xml:space=\"preserve\">{text}</w:t></w:r>");
    let bold =
        |text: &str| format!("<w:r><w:rPr><w:b/></w:rPr><w:t xml:space=\"preserve\">{text}</w:t></w:r>");
    let stamp = |id: u32| format!("w:id=\"{id}\" w:author=\"A\" w:date=\"2026-01-01T00:00:00Z\"");
    let ins = |id: u32, text: &str| format!("<w:ins {}>{}</w:ins>", stamp(id), run(text));
    let deleted = |text: &str| format!("<w:r><w:delText xml:space=\"preserve\">{text}</w:delText></w:r>");
    let del = |id: u32, text: &str| format!("<w:del {}>{}</w:del>", stamp(id), deleted(text));
    let p = |inner: &str| format!("<w:p>{inner}</w:p>");
    let mark = |inner: &str| format!("<w:pPr><w:rPr>{inner}</w:rPr></w:pPr>");
    let field = |kind: &str| format!("<w:r><w:fldChar w:fldCharType=\"{kind}\"/></w:r>");
    let code = |text: &str| format!("<w:r><w:instrText>{text}</w:instrText></w:r>");
    let control = |properties: &str, inner: &str| {
        format!("<w:sdt><w:sdtPr>{properties}</w:sdtPr><w:sdtContent>{inner}</w:sdtContent></w:sdt>")
    };
    let cell = |inner: &str| format!("<w:tc>{inner}</w:tc>");
    let merged = |properties: &str, text: &str| {
        cell(&format!("<w:tcPr><w:tcW w:w=\"2000\" w:type=\"dxa\"/>{properties}</w:tcPr>{}", p(&run(text))))
    };
    let heading = "<w:pPr><w:pStyle w:val=\"Heading1\"/><w:numPr><w:ilvl w:val=\"0\"/><w:numId w:val=\"1\"/></w:numPr></w:pPr>";
    let box_text = format!(
        "<w:r><mc:AlternateContent><mc:Choice Requires=\"wps\"><w:drawing><wps:txbx><w:txbxContent>{0}</w:txbxContent></wps:txbx>\
         </w:drawing></mc:Choice><mc:Fallback><w:pict><w:txbxContent>{0}</w:txbxContent></w:pict></mc:Fallback></mc:AlternateContent></w:r>",
        p(&run("boxed"))
    );
    let body = [
        p(&(heading.to_owned() + &run("Payment terms"))),
        p(&(run("The Buyer shall pay within ") + &bold("thirty (30)") + &run(" days of the invoice."))),
        p(&(run("A")
            + &run("cm")
            + &bold("e Corp and ")
            + &run("Acme Corp are “parties” – don\u{2019}t mix\u{A0}them\u{1F600}."))),
        p(""),
        p(&(run("Before ")
            + &ins(101, "added text")
            + &run(" between ")
            + &del(102, "removed text")
            + &run(" after."))),
        p(&format!(
            "<w:ins {}>{}<w:del {}>{}</w:del></w:ins>{}",
            stamp(103),
            run("kept "),
            stamp(104),
            deleted("withdrawn "),
            run("rest")
        )),
        p(&(mark(&format!("<w:ins {}/>", stamp(105))) + &ins(106, "A new paragraph"))),
        p(&(mark(&format!("<w:del {}/>", stamp(107))) + &run("Joined with"))),
        p(&run("the next one.")),
        p(&("<w:commentRangeStart w:id=\"0\"/>".to_owned()
            + &run("Commented words")
            + "<w:commentRangeEnd w:id=\"0\"/><w:r><w:commentReference w:id=\"0\"/></w:r>"
            + &run(" and more."))),
        p(&(run("See ")
            + &format!("<w:hyperlink r:id=\"rIdL\">{}</w:hyperlink>", run("our site"))
            + &run(" for details")
            + "<w:r><w:footnoteReference w:id=\"2\"/></w:r>"
            + &run("."))),
        p(&(run("Page ")
            + &field("begin")
            + &code(" PAGE ")
            + &field("separate")
            + &run("7")
            + &field("end")
            + &run(" of ")
            + &format!("<w:fldSimple w:instr=\" NUMPAGES \">{}</w:fldSimple>", run("9")))),
        p(&(field("begin") + &code(" TOC ") + &field("separate") + &run("Contents"))),
        p(&(run("last entry") + &field("end") + &run(" outside"))),
        p(&("<w:bookmarkStart w:id=\"5\" w:name=\"place\"/>".to_owned()
            + &run("Marked")
            + "<w:bookmarkEnd w:id=\"5\"/>"
            + "<w:r><w:tab/><w:t>after a tab</w:t><w:br/><w:t>next line</w:t><w:noBreakHyphen/></w:r>")),
        control("", &p(&run("In a control"))),
        p(&(run("Form: ")
            + &control("<w:tag w:val=\"name\"/><w:text/>", &run("Acme"))
            + &control("<w:tag w:val=\"rich\"/>", &(bold("bold ") + &run("words")))
            + &control(
                "<w:tag w:val=\"kind\"/><w:dropDownList><w:listItem w:displayText=\"One\" w:value=\"1\"/>\
                 <w:listItem w:displayText=\"Two\" w:value=\"2\"/></w:dropDownList>",
                &run("One"),
            )
            + &control(
                "<w:tag w:val=\"combo\"/><w:showingPlcHdr/><w:comboBox><w:listItem w:displayText=\"A\" w:value=\"a\"/></w:comboBox>",
                &run("Choose."),
            )
            + &control(
                "<w:tag w:val=\"day\"/><w:date><w:dateFormat w:val=\"d MMMM yyyy\"/><w:lid w:val=\"en-GB\"/></w:date>",
                &run("1 May 2026"),
            )
            + &control(
                "<w:tag w:val=\"box\"/><w14:checkbox xmlns:w14=\"http://schemas.microsoft.com/office/word/2010/wordml\">\
                 <w14:checked w14:val=\"0\"/></w14:checkbox>",
                &run("\u{2610}"),
            ))),
        control("<w:tag w:val=\"block\"/>", &(p(&run("First of two.")) + &p(&run("Second.")))),
        format!(
            "<w:p><w:ins {}>{}{}</w:ins></w:p>",
            stamp(120),
            run("theirs "),
            control("<w:tag w:val=\"new\"/>", &run("filled"))
        ),
        p(&(run("Clause 1. says so; see ")
            + &field("begin")
            + &code(" REF place \\h ")
            + &field("separate")
            + &run("Marked")
            + &field("end")
            + &run(" and page ")
            + &format!("<w:fldSimple w:instr=\" PAGEREF place \">{}</w:fldSimple>", run("3"))
            + &run("."))),
        p(&(run("A picture ") + PICTURE + &run(" in a line."))),
        p(&(control("<w:lock w:val=\"sdtContentLocked\"/>", &run("locked"))
            + &control("", &run("free"))
            + &run(" end"))),
        format!(
            "<w:tbl><w:tblPr/><w:tblGrid/><w:tr>{}{}</w:tr><w:tr><w:trPr><w:ins {}/></w:trPr>{}{}</w:tr></w:tbl>",
            cell(&p(&run("Item"))),
            cell(&p(&run("Price"))),
            stamp(108),
            cell(&p(&ins(109, "Box"))),
            cell(&p(""))
        ),
        p(&(box_text + &run(" beside a box"))),
        p("<w:pPr><w:sectPr><w:headerReference w:type=\"default\" r:id=\"h\"/></w:sectPr></w:pPr>"),
        p(&format!(
            "<w:moveFromRangeStart {} w:name=\"m\"/><w:moveFrom {}>{}</w:moveFrom><w:moveFromRangeEnd w:id=\"110\"/>",
            stamp(110),
            stamp(111),
            run("Moved words ")
        )),
        p(&format!(
            "<w:moveToRangeStart {} w:name=\"m\"/><w:moveTo {}>{}</w:moveTo><w:moveToRangeEnd w:id=\"112\"/>",
            stamp(112),
            stamp(113),
            run("Moved words ")
        )),
        p(&(run("<w:x/>".replace('<', "&lt;").as_str())
            + "<m:oMath><m:r><m:t>x=1</m:t></m:r></m:oMath>"
            + &run("  two  spaces "))),
        format!(
            "<w:tbl><w:tblPr/><w:tblGrid><w:gridCol w:w=\"2000\"/><w:gridCol w:w=\"2000\"/><w:gridCol w:w=\"2000\"/></w:tblGrid>\
             <w:tr>{}{}</w:tr><w:tr>{}{}{}</w:tr><w:tr>{}{}{}</w:tr></w:tbl>",
            merged("<w:gridSpan w:val=\"2\"/>", "Wide"),
            merged("", "Narrow"),
            merged("<w:vMerge w:val=\"restart\"/>", "Tall"),
            merged("", "a"),
            merged("", "b"),
            merged("<w:vMerge/>", ""),
            merged("", "c"),
            merged("", "d")
        ),
        p(&(heading.to_owned() + &run("Governing law"))),
        p(&run("English law governs these Payment terms.")),
        "<w:sectPr/>".to_owned(),
    ];
    DocxBuilder::new()
        .body(&body.concat())
        .styles("<w:style w:type=\"paragraph\" w:styleId=\"Heading1\"><w:name w:val=\"heading 1\"/></w:style>")
        .numbering("<w:abstractNum w:abstractNumId=\"0\"><w:lvl w:ilvl=\"0\"><w:numFmt w:val=\"decimal\"/><w:lvlText w:val=\"%1.\"/></w:lvl>\
            </w:abstractNum><w:num w:numId=\"1\"><w:abstractNumId w:val=\"0\"/></w:num>")
        .footnotes(&format!("<w:footnote w:id=\"2\">{}</w:footnote>", p(&run("a note"))))
        .comments(&format!("<w:comment w:id=\"0\" w:author=\"B\">{}</w:comment>", p(&run("why?"))))
        .header("h", &p(&run("head")))
        .relationship("rIdP", "image", "media/image1.png")
        .part("word/media/image1.png", PIXEL)
        .external("rIdL", "hyperlink", "https://example.com/")
}
