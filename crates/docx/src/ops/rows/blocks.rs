//! Operations on tables as a whole, breaks and pages: their rows in the language, and how they are read.

use serde_json::Value;

use crate::ops::blocks::{Borders, BreakKind, CellRange, PageSetup, TableFormat};
use crate::ops::edit::Edit;
use crate::ops::fields::{
    Object, check_fields, choice, optional_count, optional_extent, optional_flag, optional_points,
};
use crate::ops::rows::reader::Fields;
use crate::ops::rows::row::{
    AFTER, BEFORE, INDEX, OCCURRENCE, OperationRow, REFERENCES, Shape, TARGET, field,
};

/// Twentieths of a point in a point.
const TWENTIETHS: f64 = 20.0;

/// The margins that a page has.
const MARGINS: &[&str] = &["top", "right", "bottom", "left", "header", "footer", "gutter"];

pub(crate) const SET_TABLE: OperationRow = OperationRow {
    name: "set_table",
    purpose: "Changes borders, column widths or the head of a table, or merges and splits cells.",
    fields: &[
        INDEX.for_people("any paragraph of the table; of a nested one, one in it"),
        TARGET.for_people("any other place of it"),
        field(
            "borders",
            Shape::Word(&["all", "none", "outer"]),
            "",
            "`all`, `none`, or `outer` for those around it",
        ),
        field(
            "widths",
            Shape::Lengths,
            "Points, one for each column.",
            "a list of points, one for each column",
        ),
        field(
            "headerRow",
            Shape::Flag,
            "true: the first row stands on each page.",
            "`true`: the first row is repeated on each page",
        ),
        field(
            "merge",
            Shape::CellRange,
            "Cells that become one; rows and columns from 0.",
            "`{\"fromRow\", \"fromColumn\", \"toRow\", \"toColumn\"}`: these cells become one, with all of their text",
        ),
        field(
            "split",
            Shape::CellPlace,
            "A merged cell that becomes several.",
            "`{\"row\", \"column\"}`: a merged cell becomes one for each column and row again",
        ),
        OCCURRENCE,
    ],
    parse: set_table,
};

pub(crate) const DELETE_TABLE: OperationRow = OperationRow {
    name: "delete_table",
    purpose: "Removes a whole table.",
    fields: &[
        INDEX.for_people("any paragraph of the table; of a nested one, one in it"),
        TARGET.for_people("any other place of it"),
        OCCURRENCE,
        REFERENCES,
    ],
    parse: |fields| Ok(Edit::DeleteTable { place: fields.required_place()? }),
};

pub(crate) const INSERT_BREAK: OperationRow = OperationRow {
    name: "insert_break",
    purpose: "Begins a new page, column or section.",
    fields: &[
        AFTER.for_people("the paragraph before the break: a number or any place"),
        BEFORE.for_people("the paragraph behind it"),
        field("kind", Shape::Word(&["page", "column", "section"]), "", "`page`, `column` or `section`")
            .required(),
        OCCURRENCE,
    ],
    parse: insert_break,
};

pub(crate) const PAGE_SETUP: OperationRow = OperationRow {
    name: "page_setup",
    purpose: "Changes size, orientation or margins of pages.",
    fields: &[
        TARGET.for_people("any paragraph of the section; all sections without"),
        field("orientation", Shape::Word(&["portrait", "landscape"]), "", "`portrait` or `landscape`"),
        field("width", Shape::Points, "Points.", "points"),
        field("height", Shape::Points, "Points.", "points"),
        field(
            "margins",
            Shape::Margins,
            "Points: top, right, bottom, left, header, footer, gutter.",
            "points by name: `top`, `right`, `bottom`, `left`, `header`, `footer`, `gutter`",
        ),
        OCCURRENCE,
    ],
    parse: page_setup,
};

fn set_table(fields: &Fields<'_>) -> Result<Edit, String> {
    let object = fields.object();
    let format = TableFormat {
        borders: choice(
            object,
            "borders",
            &[("all", Borders::All), ("none", Borders::None), ("outer", Borders::Outer)],
        )?,
        widths: widths(object)?,
        header_row: optional_flag(object, "headerRow")?,
        merge: merge(object)?,
        split: split(object)?,
    };
    if format == TableFormat::default() {
        return Err("set_table needs 'borders', 'widths', 'headerRow', 'merge' or 'split'".to_owned());
    }
    Ok(Edit::SetTable { place: fields.required_place()?, format })
}

fn insert_break(fields: &Fields<'_>) -> Result<Edit, String> {
    let (side, place) = fields.beside()?;
    let kinds = [("page", BreakKind::Page), ("column", BreakKind::Column), ("section", BreakKind::Section)];
    let kind = choice(fields.object(), "kind", &kinds)?.ok_or("insert_break needs 'kind'")?;
    Ok(Edit::InsertBreak { place, side, kind })
}

fn page_setup(fields: &Fields<'_>) -> Result<Edit, String> {
    let object = fields.object();
    let setup = PageSetup {
        landscape: choice(object, "orientation", &[("portrait", false), ("landscape", true)])?,
        width: optional_extent(object, "width", TWENTIETHS)?,
        height: optional_extent(object, "height", TWENTIETHS)?,
        margins: margins(object)?,
    };
    if setup == PageSetup::default() {
        return Err("page_setup needs 'orientation', 'width', 'height' or 'margins'".to_owned());
    }
    Ok(Edit::PageSetup { place: fields.place()?, setup })
}

/// An object within an operation, whose fields are known to be among `known`.
fn inner<'a>(object: &'a Object, field: &str, known: &[&str]) -> Result<Option<&'a Object>, String> {
    match object.get(field) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Object(inner)) => {
            check_fields(inner, &[], known, &format!("'{field}'"))?;
            Ok(Some(inner))
        }
        Some(_) => Err(format!("'{field}' is no object with {}", known.join(", "))),
    }
}

fn count(object: &Object, owner: &str, field: &str) -> Result<usize, String> {
    optional_count(object, field)?.ok_or_else(|| format!("'{owner}' needs '{field}'"))
}

fn merge(object: &Object) -> Result<Option<CellRange>, String> {
    let Some(merge) = inner(object, "merge", &["fromRow", "fromColumn", "toRow", "toColumn"])? else {
        return Ok(None);
    };
    let range = CellRange {
        from_row: count(merge, "merge", "fromRow")?,
        from_column: count(merge, "merge", "fromColumn")?,
        to_row: count(merge, "merge", "toRow")?,
        to_column: count(merge, "merge", "toColumn")?,
    };
    if range.from_row > range.to_row || range.from_column > range.to_column {
        return Err("'merge' ends before it begins; swap the two corners".to_owned());
    }
    if (range.from_row, range.from_column) == (range.to_row, range.to_column) {
        return Err("'merge' names one cell; give two corners".to_owned());
    }
    Ok(Some(range))
}

fn split(object: &Object) -> Result<Option<(usize, usize)>, String> {
    let Some(split) = inner(object, "split", &["row", "column"])? else { return Ok(None) };
    Ok(Some((count(split, "split", "row")?, count(split, "split", "column")?)))
}

fn widths(object: &Object) -> Result<Option<Vec<u32>>, String> {
    let wrong = || "'widths' is no list of points, more than 0 each".to_owned();
    let array = match object.get("widths") {
        None | Some(Value::Null) => return Ok(None),
        Some(value) => value.as_array().filter(|array| !array.is_empty()).ok_or_else(wrong)?,
    };
    let mut widths = Vec::new();
    for value in array {
        let one = Object::from_iter([("width".to_owned(), value.clone())]);
        let width = optional_extent(&one, "width", TWENTIETHS).ok().flatten().filter(|width| *width > 0);
        widths.push(width.ok_or_else(wrong)?);
    }
    Ok(Some(widths))
}

fn margins(object: &Object) -> Result<Vec<(&'static str, i32)>, String> {
    let Some(margins) = inner(object, "margins", MARGINS)? else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for name in MARGINS {
        if let Some(length) = optional_points(margins, name, TWENTIETHS)? {
            if length < 0 && !matches!(*name, "top" | "bottom") {
                return Err(format!("'{name}' cannot be less than 0"));
            }
            found.push((*name, length));
        }
    }
    if found.is_empty() {
        return Err(format!("'margins' is empty; it takes {}", MARGINS.join(", ")));
    }
    Ok(found)
}
