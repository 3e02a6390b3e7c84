//! `/v1/compare`: how two documents are compared, and what is answered of the redline.

use engross_documents::{Redline, signature};
use engross_docx::{ComparedView, Granularity};
use serde_json::{Map, Value, json};

use crate::error::Error;

/// Two documents, and how they are compared.
pub(crate) struct ComparedFiles {
    pub(crate) before: Vec<u8>,
    pub(crate) after: Vec<u8>,
    pub(crate) options: ComparisonRequest,
}

/// How two documents are compared, as far as a request says.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ComparisonRequest {
    pub(crate) author: Option<String>,
    pub(crate) date: Option<String>,
    pub(crate) view: ComparedView,
    pub(crate) keep_revisions: bool,
    pub(crate) formatting: bool,
    pub(crate) moves: bool,
    pub(crate) granularity: Granularity,
}

/// Reads the part `options`: a JSON object.
///
/// # Errors
/// [`Error::InvalidRequest`] naming the field.
pub(crate) fn compare_options(bytes: Option<&[u8]>) -> Result<ComparisonRequest, Error> {
    let mut request = ComparisonRequest {
        author: None,
        date: None,
        view: ComparedView::Accepted,
        keep_revisions: false,
        formatting: true,
        moves: true,
        granularity: Granularity::Word,
    };
    let Some(bytes) = bytes.filter(|bytes| !bytes.trim_ascii().is_empty()) else { return Ok(request) };
    let object: Map<String, Value> = serde_json::from_slice(bytes)
        .map_err(|_| Error::invalid("options", "must be a JSON object, such as {\"moves\": false}"))?;
    for (name, value) in object {
        let field = format!("options.{name}");
        match (name.as_str(), value) {
            (_, Value::Null) => {}
            ("author", Value::String(author)) => {
                request.author = Some(signature::author(&author)?.to_owned());
            }
            ("date", Value::String(date)) => request.date = Some(signature::date(&date)?.to_string()),
            ("view", Value::String(view)) => {
                request.view = match view.as_str() {
                    "accepted" => ComparedView::Accepted,
                    "original" => ComparedView::Original,
                    "as-is" => ComparedView::AsIs,
                    _ => return Err(Error::invalid(&field, "must be accepted, original or as-is")),
                };
            }
            ("granularity", Value::String(least)) => {
                request.granularity = match least.as_str() {
                    "word" => Granularity::Word,
                    "clause" => Granularity::Clause,
                    "sentence" => Granularity::Sentence,
                    _ => return Err(Error::invalid(&field, "must be word, clause or sentence")),
                };
            }
            ("moves", Value::Bool(moves)) => request.moves = moves,
            ("keepRevisions", Value::Bool(keep)) => request.keep_revisions = keep,
            ("formatting", Value::Bool(formatting)) => request.formatting = formatting,
            ("author" | "date" | "view" | "granularity", _) => {
                return Err(Error::invalid(&field, "must be a text"));
            }
            ("moves" | "keepRevisions" | "formatting", _) => {
                return Err(Error::invalid(&field, "must be true or false"));
            }
            _ => {
                return Err(Error::invalid(
                    &field,
                    "is unknown; known are author, date, view, keepRevisions, formatting, moves, granularity",
                ));
            }
        }
    }
    Ok(request)
}

/// What is in a redline.
pub(crate) fn redline_body(made: &Redline) -> Value {
    let mut body = json!({"object": "redline", "size": made.bytes.len()});
    if let (Some(body), Ok(Value::Object(report))) =
        (body.as_object_mut(), serde_json::to_value(&made.report))
    {
        body.extend(report);
    }
    body
}
