//! A contract in Hebrew: paragraphs and runs from right to left, and a table laid out so.

use engross_testkit::docx::DocxBuilder;

use super::xml::{cell, office_styles, row, section, styled, table, with_properties};

fn line(text: &str) -> String {
    with_properties("", "<w:bidi/>", &styled("<w:rtl/>", text))
}

/// The contract.
pub(crate) fn hebrew() -> Vec<u8> {
    let cells =
        |left: &str, right: &str| row("", &[cell(4500, "", &line(left)), cell(4500, "", &line(right))]);
    let body = [
        with_properties("Title", "<w:bidi/>", &styled("<w:rtl/>", "הסכם שכירות")),
        line("הדייר ישלם את דמי השכירות בכל חודש."),
        line("בעל הבית ימסור את הדירה במצב תקין."),
        table(&[4500, 4500], &[cells("צד", "סכום"), cells("הדייר", "5000")])
            .replace("<w:tblW ", "<w:bidiVisual/><w:tblW "),
        line("נחתם בתל אביב."),
        section("").replace("</w:sectPr>", "<w:bidi/></w:sectPr>"),
    ]
    .concat();
    DocxBuilder::new().styles(&office_styles()).settings("").body(&body).build()
}
