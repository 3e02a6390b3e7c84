//! Views of documents as HTML: what a request says of them.

use engross_docx::html::HtmlOptions;
use engross_docx::read::View;
use serde_json::{Map, Value};

use crate::error::Error;

/// Reads the part `options`: a JSON object.
///
/// # Errors
/// [`Error::InvalidRequest`] naming the field.
pub(crate) fn view_options(bytes: Option<&[u8]>) -> Result<HtmlOptions, Error> {
    let mut options = HtmlOptions::default();
    let Some(bytes) = bytes.filter(|bytes| !bytes.trim_ascii().is_empty()) else { return Ok(options) };
    let object: Map<String, Value> = serde_json::from_slice(bytes)
        .map_err(|_| Error::invalid("options", "must be a JSON object, such as {\"view\": \"markup\"}"))?;
    for (name, value) in object {
        let field = format!("options.{name}");
        match (name.as_str(), value) {
            (_, Value::Null) => {}
            ("view", Value::String(view)) => options.view = view_named(&field, &view)?,
            ("page", Value::Bool(page)) => options.page = page,
            ("title", Value::String(title)) => options.title = title,
            ("prefix", Value::String(prefix)) => options.prefix = prefix,
            ("page", _) => return Err(Error::invalid(&field, "must be true or false")),
            ("view" | "title" | "prefix", _) => return Err(Error::invalid(&field, "must be a text")),
            _ => return Err(Error::invalid(&field, "is unknown; known are view, page, title, prefix")),
        }
    }
    Ok(options)
}

/// The view of that name.
///
/// # Errors
/// [`Error::InvalidRequest`] naming the field.
pub(super) fn view_named(field: &str, name: &str) -> Result<View, Error> {
    match name {
        "accepted" => Ok(View::Accepted),
        "original" => Ok(View::Original),
        "markup" => Ok(View::Markup),
        _ => Err(Error::invalid(field, "must be accepted, original or markup")),
    }
}
