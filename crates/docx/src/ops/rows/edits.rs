//! From the JSON of one operation to its edit; `rows` say which function reads which operation.

use serde_json::Value;

use crate::ops::address::parse_place;
use crate::ops::blocks::TableAction;
use crate::ops::edit::{CommentPolicy, Edit};
use crate::ops::fields::{
    Object, choice, flag, optional_count, optional_flag, optional_text, owned_text, texts,
};
use crate::ops::format::{parse_highlight, parse_paragraph_format, parse_run_format};
use crate::ops::lists::{ListKind, NumberStyle};
use crate::ops::place::Place;
use crate::ops::rows::reader::Fields;
use crate::revisions::{Choice, Range, RevisionKind, Side};
use crate::text::Template;

pub(crate) fn modify_text(fields: &Fields<'_>) -> Result<Edit, String> {
    let search = fields.search("originalText")?;
    let search = search.ok_or("modify_text needs 'originalText' or 'pattern'")?;
    let replacement = fields.text("replacementText")?;
    Template::parse(&replacement, &search.finder(str::to_owned)?)?;
    Ok(Edit::ModifyText { place: fields.search_place(Some(&search))?, search, replacement })
}

pub(crate) fn edit_paragraph(fields: &Fields<'_>) -> Result<Edit, String> {
    let texts = ["newContent", "append", "prepend"];
    let given: Vec<&str> = texts.into_iter().filter(|field| fields.object().contains_key(*field)).collect();
    let place = fields.required_place()?;
    match given.as_slice() {
        ["append"] => Ok(Edit::Append { place, content: fields.text("append")? }),
        ["prepend"] => Ok(Edit::Prepend { place, content: fields.text("prepend")? }),
        ["newContent"] | [] => Ok(Edit::EditParagraph { place, content: fields.text("newContent")? }),
        _ => Err("give one of 'newContent', 'append' and 'prepend'".to_owned()),
    }
}

pub(crate) fn edit_list(fields: &Fields<'_>) -> Result<Edit, String> {
    let place = fields.named_place("startParagraphIndex")?;
    let end = fields.end(&place)?.unwrap_or_else(|| place.clone());
    let items = texts(fields.object(), "newItems")?.ok_or("edit_list needs 'newItems'")?;
    if items.is_empty() {
        return Err("'newItems' is empty; give the items, or delete the paragraphs".to_owned());
    }
    let numbered = choice(fields.object(), "listType", &[("bullet", false), ("numbered", true)])?;
    let style = choice(fields.object(), "numberingStyle", NUMBER_STYLES)?.unwrap_or(NumberStyle::Decimal);
    let kind = match numbered {
        Some(true) => ListKind::Numbered(style),
        Some(false) => ListKind::Bullet,
        None => return Err("edit_list needs 'listType': bullet or numbered".to_owned()),
    };
    Ok(Edit::EditList { place, end, items, kind })
}

pub(crate) fn convert_headers(fields: &Fields<'_>) -> Result<Edit, String> {
    let wrong = || "convert_headers_to_list needs 'paragraphIndices', a list of addresses".to_owned();
    let array = fields.object().get("paragraphIndices").and_then(Value::as_array).ok_or_else(wrong)?;
    if array.is_empty() {
        return Err(wrong());
    }
    let places = array.iter().map(|value| parse_place(value, None)).collect::<Result<Vec<_>, _>>()?;
    if places.iter().any(|place| place.story != places.first().and_then(|first| first.story.clone())) {
        return Err("the headings stand in one story".to_owned());
    }
    let texts = texts(fields.object(), "newHeaderTexts")?.unwrap_or_default();
    if texts.len() > places.len() {
        return Err(format!("there are {} texts for {} headings", texts.len(), places.len()));
    }
    let format = choice(fields.object(), "numberingFormat", NUMBER_STYLES)?.unwrap_or(NumberStyle::Decimal);
    Ok(Edit::ConvertHeaders { places, texts, format })
}

pub(crate) fn insert_paragraph(fields: &Fields<'_>) -> Result<Edit, String> {
    let (side, place) = fields.beside()?;
    let style = owned_text(fields.object(), "style")?;
    let continues = continues_numbering(fields)?;
    Ok(Edit::InsertParagraph { place, side, content: fields.text("content")?, style, continues })
}

pub(crate) fn replace_paragraph(fields: &Fields<'_>) -> Result<Edit, String> {
    let (place, continues) = (fields.required_place()?, continues_numbering(fields)?);
    Ok(Edit::Replace { place, end: None, content: fields.text("content")?, continues })
}

fn continues_numbering(fields: &Fields<'_>) -> Result<bool, String> {
    Ok(owned_text(fields.object(), "numbering")?.is_some_and(|numbering| numbering == "continue"))
}

pub(crate) fn delete_paragraph(fields: &Fields<'_>) -> Result<Edit, String> {
    let place = fields.required_place()?;
    let end = fields.end(&place)?;
    let known = [("keep", CommentPolicy::Keep), ("delete", CommentPolicy::Delete)];
    let comments = choice(fields.object(), "comments", &known)?.unwrap_or_default();
    Ok(Edit::DeleteParagraph { place, end, comments })
}

pub(crate) fn replace_range(fields: &Fields<'_>) -> Result<Edit, String> {
    let place = fields.required_place()?;
    let end = fields.end(&place)?.ok_or("replace_range needs 'endParagraphIndex'")?;
    let continues = continues_numbering(fields)?;
    Ok(Edit::Replace { place, end: Some(end), content: fields.text("content")?, continues })
}

pub(crate) fn replace_document(fields: &Fields<'_>) -> Result<Edit, String> {
    match (fields.get("content").is_some(), fields.get("file").is_some()) {
        (true, true) => Err("replace_document needs 'content' or 'file', not both".to_owned()),
        (false, true) => Ok(Edit::ReplaceByFile { file: fields.text("file")? }),
        _ => Ok(Edit::ReplaceDocument { content: fields.text("content")? }),
    }
}

pub(crate) fn move_paragraph(fields: &Fields<'_>) -> Result<Edit, String> {
    let place = fields.required_place()?;
    let end = fields.end(&place)?;
    let (side, to) = fields.beside()?;
    Ok(Edit::Move { place, end, side, to: Place { occurrence: None, ..to } })
}

pub(crate) fn format_text(fields: &Fields<'_>) -> Result<Edit, String> {
    let search = fields.search("textToFormat")?;
    let format = parse_run_format(fields.object())?;
    Ok(Edit::FormatText { place: fields.search_place(search.as_ref())?, search, format })
}

pub(crate) fn highlight_text(fields: &Fields<'_>) -> Result<Edit, String> {
    let search = fields.search("textToFind")?;
    let color = parse_highlight(fields.object(), "color")?.unwrap_or_else(|| "yellow".to_owned());
    Ok(Edit::Highlight { place: fields.search_place(search.as_ref())?, search, color })
}

pub(crate) fn format_paragraph(fields: &Fields<'_>) -> Result<Edit, String> {
    let place = fields.required_place()?;
    let end = fields.end(&place)?;
    Ok(Edit::FormatParagraph { place, end, format: parse_paragraph_format(fields.object())? })
}

pub(crate) fn insert_list_item(fields: &Fields<'_>) -> Result<Edit, String> {
    let place = fields.named_place("afterParagraphIndex")?;
    let indent = match fields.object().get("indentLevel") {
        None | Some(Value::Null) => 0,
        Some(value) => value.as_i64().ok_or("'indentLevel' is no whole number")?,
    };
    Ok(Edit::InsertListItem { place, content: fields.text("text")?, indent })
}

pub(crate) fn edit_section(fields: &Fields<'_>) -> Result<Edit, String> {
    let place = fields.named_place("sectionHeaderIndex")?;
    let header = owned_text(fields.object(), "newHeaderText")?;
    let body = texts(fields.object(), "newBodyParagraphs")?;
    if header.is_none() && body.is_none() {
        return Err("edit_section needs 'newHeaderText' or 'newBodyParagraphs'".to_owned());
    }
    Ok(Edit::EditSection { place, header, body, preserve: flag(fields.object(), "preserveSubsections")? })
}

pub(crate) fn edit_table(fields: &Fields<'_>) -> Result<Edit, String> {
    Ok(Edit::EditTable { place: fields.required_place()?, action: table_action(fields.object())? })
}

pub(crate) fn insert_comment(fields: &Fields<'_>) -> Result<Edit, String> {
    let search = fields.search("textToFind")?;
    let place = fields.search_place(search.as_ref())?;
    Ok(Edit::InsertComment { place, search, content: fields.text("commentContent")? })
}

pub(crate) fn comment_resolve(fields: &Fields<'_>) -> Result<Edit, String> {
    let resolved = optional_flag(fields.object(), "resolved")?.unwrap_or(true);
    Ok(Edit::CommentResolve { comment: fields.comment()?, resolved })
}

pub(crate) fn resolve(fields: &Fields<'_>, side: Side) -> Result<Edit, String> {
    Ok(Edit::Resolve { side, choice: revision_choice(fields.object())? })
}

/// The names of the two tools that count.
const NUMBER_STYLES: &[(&str, NumberStyle)] = &[
    ("decimal", NumberStyle::Decimal),
    ("arabic", NumberStyle::Decimal),
    ("lowerAlpha", NumberStyle::LowerLetter),
    ("lowerLetter", NumberStyle::LowerLetter),
    ("upperAlpha", NumberStyle::UpperLetter),
    ("upperLetter", NumberStyle::UpperLetter),
    ("lowerRoman", NumberStyle::LowerRoman),
    ("upperRoman", NumberStyle::UpperRoman),
];

fn table_action(object: &Object) -> Result<TableAction, String> {
    let known = ["replace_content", "add_row", "delete_row", "update_cell", "add_column", "delete_column"];
    let table: Vec<(&str, &str)> = known.iter().map(|name| (*name, *name)).collect();
    let action = choice(object, "action", &table)?.ok_or("edit_table needs 'action'")?;
    let row = optional_count(object, "targetRow")?;
    let column = optional_count(object, "targetColumn")?;
    let needed =
        |number: Option<usize>, field: &str| number.ok_or_else(|| format!("{action} needs '{field}'"));
    match action {
        "replace_content" => {
            let rows = object.get("content").and_then(Value::as_array).map(|rows| {
                rows.iter().map(|row| row.as_array().and_then(|row| strings(row))).collect::<Option<Vec<_>>>()
            });
            let rows =
                rows.flatten().filter(|rows| !rows.is_empty() && rows.iter().all(|row| !row.is_empty()));
            rows.map(TableAction::ReplaceContent).ok_or_else(|| {
                "replace_content needs 'content', a list of rows that are lists of texts".to_owned()
            })
        }
        "add_row" => Ok(TableAction::AddRow { at: row, content: cells(object)?.unwrap_or_default() }),
        "delete_row" => Ok(TableAction::DeleteRow(needed(row, "targetRow")?)),
        "add_column" => {
            Ok(TableAction::AddColumn { at: column, content: cells(object)?.unwrap_or_default() })
        }
        "delete_column" => Ok(TableAction::DeleteColumn(needed(column, "targetColumn")?)),
        _ => {
            let content = match object.get("content") {
                Some(Value::String(text)) => Some(text.clone()),
                _ => cells(object)?.filter(|cells| cells.len() == 1).and_then(|mut cells| cells.pop()),
            };
            Ok(TableAction::UpdateCell {
                row: needed(row, "targetRow")?,
                column: needed(column, "targetColumn")?,
                content: content.ok_or("update_cell needs 'content', one text")?,
            })
        }
    }
}

/// The texts of one row: a list, or a list with one row in it.
fn cells(object: &Object) -> Result<Option<Vec<String>>, String> {
    match object.get("content") {
        Some(Value::Array(rows)) if rows.len() == 1 && rows.first().is_some_and(Value::is_array) => {
            let row = rows.first().and_then(Value::as_array).and_then(|row| strings(row));
            row.map(Some).ok_or_else(|| "'content' is no list of texts".to_owned())
        }
        _ => texts(object, "content"),
    }
}

fn strings(row: &[Value]) -> Option<Vec<String>> {
    row.iter().map(|value| value.as_str().map(str::to_owned)).collect()
}

fn revision_choice(object: &Object) -> Result<Choice, String> {
    let as_id = |value: &Value| match value {
        Value::String(id) => Ok(id.clone()),
        Value::Number(id) => Ok(id.to_string()),
        _ => Err("an id of a revision is a number or a text".to_owned()),
    };
    let mut ids = object.get("id").map(as_id).transpose()?.into_iter().collect::<Vec<_>>();
    match object.get("ids") {
        None | Some(Value::Null) => {}
        Some(Value::Array(more)) => ids.extend(more.iter().map(as_id).collect::<Result<Vec<_>, _>>()?),
        Some(_) => return Err("'ids' is no list".to_owned()),
    }
    let words = match object.get("kind") {
        Some(Value::Array(_)) => texts(object, "kind")?.unwrap_or_default(),
        _ => owned_text(object, "kind")?.into_iter().collect(),
    };
    let mut kinds = Vec::new();
    for word in words {
        match RevisionKind::named(&word) {
            named if named.is_empty() => return Err(format!("'{word}' is no kind of revision")),
            named => kinds.extend(named),
        }
    }
    let range = match optional_text(object, "range")? {
        None => None,
        Some(text) => Some(Range::parse(text).ok_or_else(|| format!("'{text}' is no range such as P3-P9"))?),
    };
    Ok(Choice { ids, author: owned_text(object, "by")?, kinds, range })
}
