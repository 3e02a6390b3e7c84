//! A mutual non-disclosure agreement as small offices write it: numbers are typed, headings are styled, the title is in the
//! header of the first page, blanks are to be filled, a list of German items stands at the end.

use engross_testkit::docx::DocxBuilder;

use super::xml::{list, office_styles, paragraph, run, section, style, styled};

const SECTIONS: &[(&str, &[&str])] = &[
    (
        "1. DEFINITIONS",
        &[
            "“Confidential Information” means all information that the Disclosing Party gives to the Receiving Party.",
            "“Purpose” means [●].",
        ],
    ),
    (
        "2. OBLIGATIONS",
        &[
            "The Receiving Party shall keep the Confidential Information secret for three (3) years.",
            "It may disclose it to employees and advisers who need to know it.",
        ],
    ),
    (
        "3. EXCEPTIONS",
        &[
            "The obligations do not apply to information that is public.",
            "They do not apply to information that was known before.",
        ],
    ),
    (
        "4. RETURN",
        &[
            "Upon request, the Receiving Party shall return or destroy the Confidential Information within thirty (30) days, as set out in Section 2.",
        ],
    ),
    ("5. REMEDIES", &["Damages alone may not be an adequate remedy."]),
    ("6. NO LICENCE", &["No licence is granted under this Agreement."]),
    ("7. TERM", &["This Agreement begins on the Effective Date and lasts two years."]),
    ("8. NOTICES", &["Notices shall be in writing and sent to the Company at its registered office."]),
    (
        "9. GOVERNING LAW",
        &[
            "This Agreement is governed by the laws of the State of Delaware.",
            "The parties submit to the courts of Delaware.",
        ],
    ),
];

/// The agreement.
pub(crate) fn nda() -> Vec<u8> {
    let mut body =
        paragraph("", &run("This Agreement is made between ____________ (the “Company”) and the Recipient."));
    for (heading, texts) in SECTIONS {
        body.push_str(&paragraph("Heading3", &run(heading)));
        for text in *texts {
            body.push_str(&paragraph("", &run(text)));
        }
    }
    body.push_str(&paragraph("", &styled("<w:b/>", "SCHEDULE 1 – Leistungen")));
    for item in ["Beratung", "Schulung", "Wartung"] {
        body.push_str(&paragraph("Liste", &run(item)));
    }
    body.push_str(&paragraph("", &styled("<w:b/>", "SCHEDULE 2 – Orte")));
    body.push_str(&paragraph("", &run("Leipzig und Jena.")));
    body.push_str(&section(
        "<w:headerReference w:type=\"even\" r:id=\"even\"/><w:headerReference w:type=\"default\" r:id=\"odd\"/>\
         <w:headerReference w:type=\"first\" r:id=\"first\"/>",
    ).replace("</w:sectPr>", "<w:titlePg/></w:sectPr>"));
    let styles = [
        office_styles(),
        style("Heading3", "heading 3", "<w:keepNext/><w:outlineLvl w:val=\"2\"/>", "<w:b/>"),
        style("Liste", "Liste", "<w:numPr><w:numId w:val=\"1\"/></w:numPr>", ""),
    ];
    DocxBuilder::new()
        .styles(&styles.concat())
        .numbering(&format!(
            "{}<w:num w:numId=\"1\"><w:abstractNumId w:val=\"0\"/></w:num>",
            list(0, &[("decimal", "%1)", "Liste"), ("lowerLetter", "%2)", "")])
        ))
        .settings("<w:evenAndOddHeaders/>")
        .header("first", &paragraph("Header", &run("Mutual Non-Disclosure Agreement")))
        .header("odd", &paragraph("Header", &run("Confidential draft of the Company")))
        .header("even", &paragraph("Header", &run("Confidential draft, even page")))
        .body(&body)
        .build()
}
