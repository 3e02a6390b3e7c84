//! Jobs on tables: prices, merged cells, two languages.

use engross_testkit::docx::DocxBuilder;
use serde_json::{Value, json};

use super::documents::{bilingual, merged, nda, prices};
use super::paper::{Line, row};
use super::{ask, number, open, options};

/// An edit of the table that the second paragraph stands in.
fn edit(action: &str, fields: &Value) -> Value {
    let mut edit = json!({"op": "edit_table", "paragraphIndex": 2, "action": action});
    edit.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    edit
}

fn new_row(cells: &[&str]) -> Line {
    Line { style: "row".to_owned(), ..Line::body("", &row(cells)) }
}

#[test]
fn job_08_prices_change() {
    let batch = json!([
        edit("update_cell", &json!({"targetRow": 1, "targetColumn": 2, "content": "£550"})),
        edit("delete_row", &json!({"targetRow": 2})),
        edit("update_cell", &json!({"targetRow": 3, "targetColumn": 2, "content": "£550"})),
    ]);
    ask(&prices(), &batch)
        .says(|wish| {
            wish.set_row("| Licence", &["Licence", "1", "£550"]).set_row("| Total", &["Total", "", "£550"]);
            wish.remove("| Training");
        })
        .is_sound();
}

#[test]
fn job_09_a_row_is_replaced_in_one_batch() {
    for place in [2, 3] {
        let batch = json!([
            edit("delete_row", &json!({"targetRow": 2})),
            edit("add_row", &json!({"targetRow": place, "content": ["Workshop", "1", "£400"]})),
            edit("update_cell", &json!({"targetRow": 3, "targetColumn": 2, "content": "£900"})),
        ]);
        ask(&prices(), &batch)
            .says(|wish| {
                wish.set_row("| Training", &["Workshop", "1", "£400"])
                    .set_row("| Total", &["Total", "", "£900"]);
            })
            .is_sound();
    }
}

#[test]
fn job_10_a_column_is_added() {
    for (column, content) in [(json!(2), ["VAT", "20%", "20%", ""]), (Value::Null, ["Note", "a", "b", "c"])] {
        let mut fields = json!({"content": content});
        if !column.is_null() {
            fields["targetColumn"] = column.clone();
        }
        ask(&prices(), &json!([edit("add_column", &fields)]))
            .says(|wish| {
                let rows = [
                    ["Item", "Qty", "Amount"],
                    ["Licence", "1", "£500"],
                    ["Training", "2", "£300"],
                    ["Total", "", "£800"],
                ];
                for (cells, new) in rows.iter().zip(content) {
                    let mut all = cells.to_vec();
                    all.insert(if column.is_null() { 3 } else { 2 }, new);
                    wish.set_row(&format!("| {}", cells[0]), &all);
                }
                let head = wish.at("| Item");
                let at = if column.is_null() { 3 } else { 2 };
                wish.lines[head].looks.insert(at, ("b".to_owned(), content[0].to_owned()));
                let table = wish.at("3 columns");
                wish.lines[table].text = "4 columns".to_owned();
            })
            .is_sound();
    }
}

#[test]
fn job_11_a_column_goes() {
    ask(&prices(), &json!([edit("delete_column", &json!({"targetColumn": 1}))]))
        .says(|wish| {
            for (item, amount) in
                [("Item", "Amount"), ("Licence", "£500"), ("Training", "£300"), ("Total", "£800")]
            {
                wish.set_row(&format!("| {item}"), &[item, amount]);
            }
            let head = wish.at("| Item");
            wish.lines[head].looks.remove(1);
            let table = wish.at("3 columns");
            wish.lines[table].text = "2 columns".to_owned();
        })
        .is_sound();
}

#[test]
fn job_12_a_table_gets_new_contents() {
    let content = json!([
        ["Item", "Qty", "Amount"],
        ["Training", "2", "£300"],
        ["Licence", "1", "£500"],
        ["Support", "3", "£90"],
        ["Total", "", "£890"]
    ]);
    ask(&prices(), &json!([edit("replace_content", &json!({"content": content}))]))
        .says(|wish| {
            let licence = wish.remove("| Licence");
            wish.insert_after("| Training", [licence, new_row(&["Support", "3", "£90"])]);
            wish.set_row("| Total", &["Total", "", "£890"]);
        })
        .is_sound();
}

#[test]
fn job_12_a_table_goes_or_becomes_text() {
    let source = prices();
    let last = number(&source, "", "Prices are net") - 1;
    let gone = json!([{"op": "delete_table", "paragraphIndex": 2}]);
    ask(&source, &gone)
        .says(|wish| {
            let range = wish.range("3 columns", "Prices are net");
            wish.lines.drain(range);
        })
        .is_sound();
    let text = json!([{"op": "replace_range", "paragraphIndex": 2, "endParagraphIndex": last, "content": "A licence for £500.\n\nTraining for £300."}]);
    ask(&source, &text)
        .says(|wish| {
            let range = wish.range("3 columns", "Prices are net");
            let lines = ["A licence for £500.", "Training for £300."].map(|text| Line::body("Normal", text));
            wish.lines.splice(range, lines);
        })
        .is_sound();
}

#[test]
fn job_13_rows_of_a_merged_table() {
    ask(&merged(), &json!([edit("delete_row", &json!({"targetRow": 3}))]))
        .says(|wish| {
            wish.remove("| South");
        })
        .is_sound();
    // The row that the merged cell begins in goes: what it says stays with the rows below it, or the row stays.
    let done = ask(&merged(), &json!([edit("delete_row", &json!({"targetRow": 1}))]));
    match done.results[0].code.as_deref() {
        Some(_) => {
            done.refuses(0, "TABLE_EDIT_REFUSED").says_whatever_was_refused(|_| {});
        }
        None => {
            let wanted = super::paper(&done.written);
            let york = wanted.lines.iter().find(|line| line.text.contains("York")).unwrap();
            assert!(!york.text.contains("from above"), "{}", york.text);
            done.is_sound();
        }
    }
}

#[test]
fn job_13_columns_of_a_merged_table() {
    ask(&merged(), &json!([edit("delete_column", &json!({"targetColumn": 2}))]))
        .says(|wish| {
            wish.set_row("| Region", &["Region", "Sales", "Note"])
                .set_row("| North", &["North (down)", "Leeds", "good"]);
            wish.set_row("|  (from", &[" (from above)", "York", "fair"])
                .set_row("| South", &["South", "Dover", "low"]);
            let table = wish.at("4 columns");
            wish.lines[table].text = "3 columns".to_owned();
        })
        .is_sound();
}

#[test]
fn job_13_a_column_is_added_to_a_merged_table() {
    let batch =
        json!([edit("add_column", &json!({"targetColumn": 3, "content": ["Plan", "90", "85", "70"]}))]);
    ask(&merged(), &batch)
        .says(|wish| {
            wish.set_row("| Region", &["Region", "Sales (over 2)", "Plan", "Note"]);
            wish.set_row("| North", &["North (down)", "Leeds", "100", "90", "good"]);
            wish.set_row("| South", &["South", "Dover", "60", "70", "low"]);
            wish.set_row("|  (from", &[" (from above)", "York", "80", "85", "fair"]);
            let head = wish.at("| Region");
            wish.lines[head].looks.insert(2, ("b".to_owned(), "Plan".to_owned()));
            let table = wish.at("4 columns");
            wish.lines[table].text = "5 columns".to_owned();
        })
        .is_sound();
}

#[test]
fn job_26_a_paragraph_becomes_a_table() {
    let source = nda();
    let at = number(&source, "", "Leipzig und Jena");
    let content = "Orte:\n\n| Ort | Tage |\n|---|---|\n| Leipzig | 3 |\n| Jena | 2 |\n\nEnde.";
    ask(&source, &json!([{"op": "replace_paragraph", "paragraphIndex": at, "content": content}]))
        .says(|wish| {
            let at = wish.at("Leipzig und Jena");
            let mut head = new_row(&["Ort", "Tage"]);
            head.looks = vec![("b".to_owned(), "Ort".to_owned()), ("b".to_owned(), "Tage".to_owned())];
            head.format = "head".to_owned();
            let table = Line { style: "table".to_owned(), ..Line::body("", "2 columns") };
            let lines = [
                Line::body("Normal", "Orte:"),
                table,
                head,
                new_row(&["Leipzig", "3"]),
                new_row(&["Jena", "2"]),
                Line::body("Normal", "Ende."),
            ];
            wish.lines.splice(at..=at, lines);
        })
        .is_sound();
}

#[test]
fn job_31_both_languages_of_a_contract() {
    let batch = json!([
        {"op": "modify_text", "originalText": "lot 7 within 17 days", "replacementText": "lot 7 within 21 days"},
        {"op": "modify_text", "originalText": "Los 7 binnen 17 Tagen", "replacementText": "Los 7 binnen 21 Tagen"},
        edit("add_row", &json!({"content": ["§ 60 The Buyer pays.", "§ 60 Der Käufer zahlt."]})),
        {"op": "insert_comment", "textToFind": "Los 9", "commentContent": "Bitte prüfen."},
    ]);
    ask(&bilingual(), &batch)
        .says(|wish| {
            wish.say("within 17 days", "within 21 days").say("binnen 17 Tagen", "binnen 21 Tagen");
            wish.insert_after("| § 59", [new_row(&["§ 60 The Buyer pays.", "§ 60 Der Käufer zahlt."])]);
            wish.comments.push("Reviewer on 'Los 9': Bitte prüfen.".to_owned());
        })
        .is_sound();
}

#[test]
fn job_10_the_look_of_a_table() {
    let batch = json!([{"op": "set_table", "paragraphIndex": 2, "headerRow": true,
                            "merge": {"fromRow": 3, "fromColumn": 0, "toRow": 3, "toColumn": 1}}]);
    ask(&prices(), &batch)
        .says(|wish| {
            wish.set_row("| Total", &["Total (over 2)", "£800"]);
        })
        .is_sound();
}

/// A table of one cell is a frame around text: who replaces the text keeps the frame.
#[test]
fn the_only_paragraph_of_a_frame_is_replaced_within_it() {
    let frame = "<w:tbl><w:tblPr/><w:tblGrid><w:gridCol w:w=\"3619\"/></w:tblGrid><w:tr><w:tc><w:tcPr><w:tcW w:w=\"3619\" w:type=\"dxa\"/></w:tcPr>\
                 <w:p><w:r><w:t>Note: pay at once.</w:t></w:r></w:p></w:tc></w:tr></w:tbl><w:p/>";
    let source = DocxBuilder::new().body(frame).build();
    for op in ["replace_paragraph", "replace_range"] {
        let mut batch = json!([{"op": op, "paragraphIndex": 1, "content": "Mind *this*."}]);
        if op == "replace_range" {
            batch =
                json!([{"op": op, "paragraphIndex": 1, "endParagraphIndex": 1, "content": "Mind *this*."}]);
        }
        let mut document = open(&source);
        let results = document.apply(&engross_docx::ops::parse_batch(&batch).unwrap(), &options()).unwrap();
        assert_eq!(results[0].status, engross_docx::ops::Status::Applied, "{results:?}");
        document.resolve_all(engross_docx::revisions::Side::Accept).unwrap();
        let read = document.read(&engross_docx::read::ReadOptions::default()).unwrap().paragraphs;
        let cell = read.iter().find(|paragraph| paragraph.text == "Mind this.").unwrap();
        assert!(cell.table.is_some(), "{read:?}");
    }
}
