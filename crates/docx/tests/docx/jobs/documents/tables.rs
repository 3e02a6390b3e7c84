//! Documents that are mostly tables.

use engross_testkit::docx::DocxBuilder;

use super::xml::{cell, office_styles, paragraph, plain_table, row, run, section, styled, table};

fn document(body: &str) -> Vec<u8> {
    let body = format!("{body}{}", section(""));
    DocxBuilder::new().styles(&office_styles()).settings("").body(&body).build()
}

/// An offer with a table of prices.
pub(crate) fn prices() -> Vec<u8> {
    let rows: &[&[&str]] = &[
        &["Item", "Qty", "Amount"],
        &["Licence", "1", "£500"],
        &["Training", "2", "£300"],
        &["Total", "", "£800"],
    ];
    document(
        &[
            paragraph("", &run("We offer:")),
            plain_table(&[4000, 2000, 3000], rows),
            paragraph("", &run("Prices are net.")),
        ]
        .concat(),
    )
}

/// A table whose head runs over two columns, and whose first column is merged downwards.
pub(crate) fn merged() -> Vec<u8> {
    let bold = |text: &str| format!("<w:p>{}</w:p>", styled("<w:b/>", text));
    let rows = [
        row(
            "",
            &[
                cell(2000, "", &bold("Region")),
                cell(4000, "<w:gridSpan w:val=\"2\"/>", &bold("Sales")),
                cell(2000, "", &bold("Note")),
            ],
        ),
        row(
            "",
            &[
                cell(2000, "<w:vMerge w:val=\"restart\"/>", "North"),
                cell(2000, "", "Leeds"),
                cell(2000, "", "100"),
                cell(2000, "", "good"),
            ],
        ),
        row(
            "",
            &[
                cell(2000, "<w:vMerge/>", ""),
                cell(2000, "", "York"),
                cell(2000, "", "80"),
                cell(2000, "", "fair"),
            ],
        ),
        row(
            "",
            &[cell(2000, "", "South"), cell(2000, "", "Dover"), cell(2000, "", "60"), cell(2000, "", "low")],
        ),
    ];
    document(
        &[
            paragraph("", &run("Sales by region:")),
            table(&[2000, 2000, 2000, 2000], &rows),
            paragraph("", &run("End.")),
        ]
        .concat(),
    )
}

/// A contract of sixty rows in English and German.
pub(crate) fn bilingual() -> Vec<u8> {
    let mut rows = vec![row(
        "<w:tblHeader/>",
        &[
            cell(4500, "", &format!("<w:p>{}</w:p>", styled("<w:b/>", "English"))),
            cell(4500, "", &format!("<w:p>{}</w:p>", styled("<w:b/>", "Deutsch"))),
        ],
    )];
    for number in 1..60 {
        let english = format!("§ {number} The Seller delivers lot {number} within {} days.", number + 10);
        let german = format!("§ {number} Der Verkäufer liefert Los {number} binnen {} Tagen.", number + 10);
        rows.push(row("", &[cell(4500, "", &english), cell(4500, "", &german)]));
    }
    document(
        &[
            paragraph("Title", &run("Purchase Contract / Kaufvertrag")),
            table(&[4500, 4500], &rows),
            paragraph("", &run("Signed / Unterzeichnet")),
        ]
        .concat(),
    )
}
