//! A letter with a text box in its modern form and in the form for older programs, a picture, a link and an equation.

use engross_testkit::docx::DocxBuilder;

use super::xml::{office_styles, paragraph, run, section, styled};

/// A picture of one point.
pub(crate) const PIXEL: &[u8] = &[
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44, 0x52, 0x00,
    0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x08, 0x02, 0x00, 0x00, 0x00, 0x90, 0x77, 0x53, 0xde, 0x00,
    0x00, 0x00, 0x0c, 0x49, 0x44, 0x41, 0x54, 0x78, 0x9c, 0x63, 0xf8, 0xcf, 0xc0, 0x00, 0x00, 0x03, 0x01,
    0x01, 0x00, 0xc9, 0xfe, 0x92, 0xef, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60,
    0x82,
];

fn text_box(text: &str) -> String {
    let content = format!("<w:txbxContent><w:p>{}</w:p></w:txbxContent>", run(text));
    format!(
        "<w:r><mc:AlternateContent><mc:Choice Requires=\"wps\"><w:drawing><wp:inline distT=\"0\" distB=\"0\" distL=\"0\" distR=\"0\">\
         <wp:extent cx=\"1905000\" cy=\"476250\"/><wp:docPr id=\"11\" name=\"Text Box 1\"/><a:graphic>\
         <a:graphicData uri=\"http://schemas.microsoft.com/office/word/2010/wordprocessingShape\"><wps:wsp><wps:cNvSpPr txBox=\"1\"/>\
         <wps:spPr><a:xfrm><a:off x=\"0\" y=\"0\"/><a:ext cx=\"1905000\" cy=\"476250\"/></a:xfrm><a:prstGeom prst=\"rect\"><a:avLst/></a:prstGeom></wps:spPr>\
         <wps:txbx>{content}</wps:txbx><wps:bodyPr/></wps:wsp></a:graphicData></a:graphic></wp:inline></w:drawing></mc:Choice>\
         <mc:Fallback><w:pict><v:shape id=\"shape1\" style=\"width:150pt;height:37.5pt\"><v:textbox>{content}</v:textbox></v:shape></w:pict>\
         </mc:Fallback></mc:AlternateContent></w:r>"
    )
}

fn picture() -> &'static str {
    "<w:r><w:drawing><wp:inline distT=\"0\" distB=\"0\" distL=\"0\" distR=\"0\"><wp:extent cx=\"914400\" cy=\"457200\"/>\
     <wp:docPr id=\"12\" name=\"Picture 1\" descr=\"Seal\"/><a:graphic><a:graphicData uri=\"http://schemas.openxmlformats.org/drawingml/2006/picture\">\
     <pic:pic xmlns:pic=\"http://schemas.openxmlformats.org/drawingml/2006/picture\"><pic:nvPicPr><pic:cNvPr id=\"12\" name=\"seal.png\"/><pic:cNvPicPr/></pic:nvPicPr>\
     <pic:blipFill><a:blip r:embed=\"image\"/><a:stretch><a:fillRect/></a:stretch></pic:blipFill>\
     <pic:spPr><a:xfrm><a:off x=\"0\" y=\"0\"/><a:ext cx=\"914400\" cy=\"457200\"/></a:xfrm><a:prstGeom prst=\"rect\"><a:avLst/></a:prstGeom></pic:spPr>\
     </pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r>"
}

/// The letter.
pub(crate) fn with_text_box() -> Vec<u8> {
    let link = format!(
        "<w:hyperlink r:id=\"site\">{}</w:hyperlink>",
        styled("<w:rStyle w:val=\"Hyperlink\"/>", "our terms")
    );
    let equation = "<m:oMath><m:r><m:t>E=mc²</m:t></m:r></m:oMath>";
    let body = [
        paragraph("Title", &run("Annual Report")),
        paragraph(
            "",
            &format!(
                "{}{}{}",
                run("The state of things: "),
                text_box("Last update: 1 May"),
                run(" as shown.")
            ),
        ),
        paragraph("", &format!("{}{}{}", run("Signed under seal "), picture(), run(" by the board."))),
        paragraph("", &format!("{}{link}{}", run("Read "), run(" with care."))),
        paragraph("", &format!("{}{equation}{}", run("As "), run(" says, mass is energy."))),
        paragraph("", &run("See the chapter on finance.")),
        paragraph("", &run("The end.")),
        section(""),
    ]
    .concat();
    DocxBuilder::new()
        .styles(&office_styles())
        .settings("")
        .part("word/media/seal.png", PIXEL)
        .relationship("image", "image", "media/seal.png")
        .external("site", "hyperlink", "https://example.com/terms")
        .body(&body)
        .build()
}
