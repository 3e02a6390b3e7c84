//! A draft that the other side has been through: Alice's insertions, deletions, a move, a row, a format, and threads.

use engross_testkit::docx::DocxBuilder;

use super::xml::{cell, office_styles, paragraph, row, run, section, table, with_properties};

/// The attributes of a revision of Alice's.
fn alice(id: usize) -> String {
    format!("w:id=\"{id}\" w:author=\"Alice\" w:date=\"2025-11-03T08:00:00Z\"")
}

fn inserted(id: usize, text: &str) -> String {
    format!("<w:ins {}>{}</w:ins>", alice(id), run(text))
}

fn deleted(id: usize, text: &str) -> String {
    let run = run(text).replace("<w:t ", "<w:delText ").replace("</w:t>", "</w:delText>");
    format!("<w:del {}>{run}</w:del>", alice(id))
}

fn comment(id: usize, author: &str, paragraph: &str, text: &str) -> String {
    format!(
        "<w:comment w:id=\"{id}\" w:author=\"{author}\" w:date=\"2025-11-03T08:00:00Z\" w:initials=\"{}\">\
         <w:p w14:paraId=\"{paragraph}\"><w:r><w:t>{text}</w:t></w:r></w:p></w:comment>",
        &author[..1]
    )
}

fn commented(id: usize, content: &str) -> String {
    format!(
        "<w:commentRangeStart w:id=\"{id}\"/>{content}<w:commentRangeEnd w:id=\"{id}\"/><w:r><w:commentReference w:id=\"{id}\"/></w:r>"
    )
}

/// The draft.
pub(crate) fn reviewed() -> Vec<u8> {
    let moved_from = format!(
        "<w:p><w:pPr><w:rPr><w:moveFrom {}/></w:rPr></w:pPr><w:moveFromRangeStart {} w:name=\"move1\"/><w:moveFrom {}>{}</w:moveFrom>\
         <w:moveFromRangeEnd w:id=\"31\"/></w:p>",
        alice(30),
        alice(31),
        alice(32),
        run("The Buyer inspects the goods on arrival.")
    );
    let moved_to = moved_from
        .replace("moveFrom", "moveTo")
        .replace("\"30\"", "\"33\"")
        .replace("\"31\"", "\"34\"")
        .replace("\"32\"", "\"35\"");
    let new_row = row(
        &format!("<w:ins {}/>", alice(40)),
        &[
            cell(
                4500,
                "",
                &format!(
                    "<w:p><w:pPr><w:rPr><w:ins {}/></w:rPr></w:pPr>{}</w:p>",
                    alice(41),
                    inserted(42, "Insurance")
                ),
            ),
            cell(
                4500,
                "",
                &format!(
                    "<w:p><w:pPr><w:rPr><w:ins {}/></w:rPr></w:pPr>{}</w:p>",
                    alice(43),
                    inserted(44, "Seller")
                ),
            ),
        ],
    );
    let body = [
        paragraph("Title", &run("Sale of Goods")),
        paragraph(
            "",
            &format!(
                "{}{}{}",
                run("The Seller delivers the goods "),
                inserted(1, "within ten days of the Order"),
                run(".")
            ),
        ),
        paragraph(
            "",
            &format!(
                "{}{}{}{}",
                run("The price is "),
                deleted(2, "net"),
                inserted(3, "gross"),
                run(" of tax.")
            ),
        ),
        paragraph(
            "",
            &format!(
                "{}{}",
                run("Title passes on payment in full to the Company"),
                inserted(4, " or its Author")
            ),
        ),
        moved_from,
        paragraph("", &commented(1, &run("Claims expire after two years."))),
        paragraph("", &commented(3, &run("Delay entitles the Buyer to damages."))),
        moved_to,
        with_properties(
            "",
            &format!("<w:jc w:val=\"both\"/><w:pPrChange {}><w:pPr/></w:pPrChange>", alice(50)),
            &run("Risk passes on delivery."),
        ),
        table(
            &[4500, 4500],
            &[
                row("", &[cell(4500, "", "Matter"), cell(4500, "", "Party")]),
                new_row,
                row("", &[cell(4500, "", "Transport"), cell(4500, "", "Seller")]),
            ],
        ),
        paragraph("", &run("Signed by the Company.")),
        section(""),
    ]
    .concat();
    let extended = "<w15:commentsEx xmlns:w15=\"http://schemas.microsoft.com/office/word/2012/wordml\">\
        <w15:commentEx w15:paraId=\"0A000001\" w15:done=\"0\"/>\
        <w15:commentEx w15:paraId=\"0A000002\" w15:paraIdParent=\"0A000001\" w15:done=\"0\"/>\
        <w15:commentEx w15:paraId=\"0A000003\" w15:done=\"1\"/></w15:commentsEx>";
    DocxBuilder::new()
        .styles(&office_styles())
        .settings("")
        .comments(
            &[
                comment(1, "Alice", "0A000001", "Two years is short."),
                comment(2, "Bob", "0A000002", "It is the law."),
                comment(3, "Alice", "0A000003", "Agreed by phone."),
            ]
            .concat(),
        )
        .related("rel-threads", "commentsExtended", "commentsExtended.xml", extended)
        .body(&body.replace(
            "<w:commentReference w:id=\"1\"/></w:r>",
            "<w:commentReference w:id=\"1\"/></w:r><w:r><w:commentReference w:id=\"2\"/></w:r>",
        ))
        .build()
}
