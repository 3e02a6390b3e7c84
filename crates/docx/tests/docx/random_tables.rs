//! Random tables with merged cells, and random columns that come and go: the grid fits the cells on both sides, and each text stands
//! in its column. The model counts columns by itself and must never ask the engine.

use std::fmt::Write as _;

use engross_docx::ops::{OperationResult, Status, parse_batch};
use engross_docx::{EditOptions, Limits, Tracking, WordDocument};
use engross_testkit::docx::DocxBuilder;
use serde_json::{Value, json};

use crate::oracle::{Element, Side, canonical, main_part, parse, resolve};

const TABLES: u64 = 300;

/// A row of numbers that looks random and is the same each time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % limit
    }
}

/// How many columns a cell covers, and what it says.
type Cell = (usize, String);

/// A table whose rows are as wide as its grid.
fn table(numbers: &mut Numbers) -> (usize, Vec<Vec<Cell>>) {
    let columns = 2 + numbers.below(4);
    let rows = (0..2 + numbers.below(4)).map(|row| {
        let (mut cells, mut start) = (Vec::new(), 0);
        while start < columns {
            let span = if numbers.below(4) == 0 { 1 + numbers.below(columns - start) } else { 1 };
            cells.push((span, format!("r{row}c{start}")));
            start += span;
        }
        cells
    });
    (columns, rows.collect())
}

fn source(columns: usize, rows: &[Vec<Cell>]) -> Vec<u8> {
    let grid = "<w:gridCol w:w=\"1500\"/>".repeat(columns);
    let mut body = format!("<w:tbl><w:tblPr/><w:tblGrid>{grid}</w:tblGrid>");
    for row in rows {
        body.push_str("<w:tr>");
        for (span, text) in row {
            let span_xml = if *span > 1 { format!("<w:gridSpan w:val=\"{span}\"/>") } else { String::new() };
            let width = 1500 * span;
            write!(
                body,
                "<w:tc><w:tcPr><w:tcW w:w=\"{width}\" w:type=\"dxa\"/>{span_xml}</w:tcPr><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:tc>"
            )
            .unwrap();
        }
        body.push_str("</w:tr>");
    }
    DocxBuilder::new().body(&format!("{body}</w:tbl><w:p/>")).build()
}

/// An operation on columns, and the rows it gives; nothing where it is to be refused.
fn operation(numbers: &mut Numbers, columns: usize, rows: &[Vec<Cell>]) -> (Value, Option<Vec<Vec<Cell>>>) {
    let edit = |action: &str| json!({"op": "edit_table", "paragraphIndex": 1, "action": action});
    if numbers.below(2) == 0 {
        let at = numbers.below(columns);
        let mut edit = edit("delete_column");
        edit["targetColumn"] = json!(at);
        let mut wanted = rows.to_vec();
        for row in &mut wanted {
            let place = place_over(row, at);
            if row[place].0 > 1 {
                row[place].0 -= 1;
            } else if row.len() == 1 {
                return (edit, None);
            } else {
                row.remove(place);
            }
        }
        return (edit, Some(wanted));
    }
    let at = numbers.below(columns + 1);
    let mut edit = edit("add_column");
    edit["targetColumn"] = json!(at);
    let mut wanted = rows.to_vec();
    let mut content = Vec::new();
    for (number, row) in wanted.iter_mut().enumerate() {
        let mut start = 0;
        let border = row.iter().position(|(span, _)| {
            let is_border = start == at;
            start += span;
            is_border
        });
        let border = border.or((start == at).then_some(row.len()));
        let text = format!("new{number}");
        match border {
            Some(border) => {
                row.insert(border, (1, text.clone()));
                content.push(text);
            }
            None => {
                let over = place_over(row, at);
                row[over].0 += 1;
                content.push(String::new());
            }
        }
    }
    edit["content"] = json!(content);
    (edit, Some(wanted))
}

/// The cell over a column.
fn place_over(row: &[Cell], column: usize) -> usize {
    let mut end = 0;
    row.iter()
        .position(|(span, _)| {
            end += span;
            column < end
        })
        .unwrap()
}

/// The columns of the grid and the rows of the first table.
fn read(root: &Element) -> (usize, Vec<Vec<Cell>>) {
    let mut found = None;
    root.walk(&mut Vec::new(), &mut |element, _| {
        if element.name == "w:tbl" && found.is_none() {
            let grid = element.child("w:tblGrid").unwrap();
            let columns = grid.elements().filter(|child| child.name == "w:gridCol").count();
            let rows = element.elements().filter(|child| child.name == "w:tr").map(|row| {
                row.elements().filter(|child| child.name == "w:tc").map(cell).collect::<Vec<Cell>>()
            });
            found = Some((columns, rows.collect()));
        }
    });
    found.unwrap()
}

fn cell(cell: &Element) -> Cell {
    let span = cell.child("w:tcPr").and_then(|properties| properties.child("w:gridSpan"));
    let span = span.and_then(|span| span.attribute("w:val")).map_or(1, |value| value.parse().unwrap());
    let mut text = String::new();
    cell.walk(&mut Vec::new(), &mut |element, _| {
        if element.name == "w:t" {
            text.push_str(&element.characters());
        }
    });
    (span, text)
}

fn apply(source: Vec<u8>, edit: &Value) -> (Vec<OperationResult>, Vec<u8>) {
    let mut document = WordDocument::open(source, &Limits::default()).unwrap();
    let options = EditOptions { author: "A".to_owned(), date: "2026-01-31T09:30:00Z".to_owned() };
    let results = document.apply(&parse_batch(&json!([edit])).unwrap(), &options).unwrap();
    (results, document.save(Tracking::Tracked).unwrap().bytes)
}

#[test]
fn columns_come_and_go_over_merged_cells() {
    for seed in 0..TABLES {
        let mut numbers = Numbers(seed);
        let (columns, rows) = table(&mut numbers);
        let source = source(columns, &rows);
        let (edit, wanted) = operation(&mut numbers, columns, &rows);
        let (results, bytes) = apply(source.clone(), &edit);
        let told = format!("{seed}: {edit}\non {rows:?}\n{results:?}");
        let Some(wanted) = wanted else {
            assert_eq!(results[0].code.as_deref(), Some("TABLE_EDIT_REFUSED"), "{told}");
            continue;
        };
        assert_eq!(results[0].status, Status::Applied, "{told}");
        let written = parse(&main_part(&bytes));
        let (grid, found) = read(&resolve(&written, Side::Accept, None));
        assert_eq!(found, wanted, "{told}");
        assert!(found.iter().all(|row| row.iter().map(|(span, _)| span).sum::<usize>() == grid), "{told}");
        let rejected = resolve(&written, Side::Reject, None);
        assert_eq!(canonical(&rejected), canonical(&parse(&main_part(&source))), "{told}");
        // The engine resolves as the model does.
        for side in [engross_docx::revisions::Side::Accept, engross_docx::revisions::Side::Reject] {
            let mut document = WordDocument::open(bytes.clone(), &Limits::default()).unwrap();
            document.resolve_all(side).unwrap();
            let resolved = read(&parse(&main_part(&document.save(Tracking::Tracked).unwrap().bytes)));
            let ours = match side {
                engross_docx::revisions::Side::Accept => (grid, wanted.clone()),
                engross_docx::revisions::Side::Reject => (columns, rows.clone()),
            };
            assert_eq!(resolved, ours, "{told}");
        }
    }
}
