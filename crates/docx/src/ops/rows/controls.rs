//! The operation that fills a content control: its row in the language, and how it is read.

use serde_json::Value;

use crate::ops::controls::{ControlName, ControlValue};
use crate::ops::edit::Edit;
use crate::ops::rows::reader::Fields;
use crate::ops::rows::row::{OCCURRENCE, OperationRow, PLAIN, Shape, UNTRACKED, field};

pub(crate) fn fill_control(fields: &Fields<'_>) -> Result<Edit, String> {
    let control = match (fields.get("control"), fields.get("tag"), fields.get("title")) {
        (Some(number), None, None) => ControlName::Number(number_of(number)?),
        (None, Some(_), None) => ControlName::Tag(fields.text("tag")?),
        (None, None, Some(_)) => ControlName::Title(fields.text("title")?),
        _ => return Err("fill_control needs one of 'control', 'tag' and 'title'".to_owned()),
    };
    let value = match fields.get("value") {
        Some(Value::String(text)) => ControlValue::Text(text.clone()),
        Some(Value::Bool(checked)) => ControlValue::Checked(*checked),
        Some(Value::Number(number)) => ControlValue::Text(number.to_string()),
        _ => return Err("fill_control needs 'value': a text, or true or false for a check box".to_owned()),
    };
    let shown = match fields.get("shown") {
        Some(_) => Some(fields.text("shown")?),
        None => None,
    };
    Ok(Edit::FillControl { control, occurrence: fields.occurrence(), value, shown })
}

/// `3`, `"3"` or `"control:3"`.
fn number_of(value: &Value) -> Result<usize, String> {
    let number = match value {
        Value::Number(number) => number.as_u64().and_then(|number| usize::try_from(number).ok()),
        Value::String(text) => text.trim().trim_start_matches("control:").parse().ok(),
        _ => None,
    };
    let wrong = "'control' is the number of a control, from 1, as read with controls lists it";
    number.filter(|number| *number > 0).ok_or_else(|| wrong.to_owned())
}

pub(crate) const FILL_CONTROL: OperationRow = OperationRow {
    name: "fill_control",
    purpose: "Fills in a content control of a form.",
    fields: &[
        field(
            "control",
            Shape::Id,
            "The N of control:N in the reading.",
            "its number, as `engross read --controls` lists it",
        ),
        field("tag", Shape::Text, "Instead of its number: its tag.", "its tag, instead of the number"),
        field("title", Shape::Text, "Instead of its number: its title.", "its title, instead of the number"),
        OCCURRENCE.for_people("which of several with that tag or title: a number from 1, `\"first\"`, `\"last\"` or `\"all\"`"),
        field(
            "value",
            Shape::ControlValue,
            "Text; an item of its list; a date as 2026-02-28; true or false for a check box.",
            "what it is to say: a text, an item of its list, a date such as `2026-02-28`, or `true` or `false` for a check box; an empty text empties it",
        )
        .required(),
        field(
            "shown",
            Shape::Text,
            "For a date: how it is written there, if not as the control says.",
            "for a date: how it is written there, if not as the control says",
        ),
        UNTRACKED,
        PLAIN,
    ],
    parse: fill_control,
};
