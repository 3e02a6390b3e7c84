//! `/v1/workspaces/{name}`: what is asked of documents, and what is answered.
//!
//! Must never know where a workspace lies.

use engross_documents::{Application, Checkpoint, Losses, ReadReport, Receipt, signature};
use engross_docx::html::HtmlOptions;
use engross_docx::ops::{Batch, OperationResult, parse_batch};
use engross_docx::read::ReadOptions;
use engross_store::files::{Listing, RelPath, WrittenFile};
use serde::Serialize;
use serde_json::{Value, json};

use super::fields;
use super::view::view_named;
use crate::document_rows::{DocumentRows, Read};
use crate::error::Error;

/// Files of a page when the client does not say.
const USUAL_PAGE: usize = 100;

/// Most files of a page.
const LARGEST_PAGE: usize = 1000;

/// Which page of files is asked for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Page {
    /// The path behind which it begins.
    pub(crate) after: Option<String>,
    /// The most files of it.
    pub(crate) limit: usize,
}

/// What can be listed of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DocumentList {
    Revisions,
    Comments,
}

/// What is asked of a checkpoint.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum CheckpointQuery {
    /// All of them.
    All,
    /// What going back to one would take.
    Losses(String),
    /// The bytes of one.
    Whole(String),
}

/// Operations as they were sent.
#[derive(Debug, PartialEq)]
pub(crate) struct Operations {
    pub(crate) batch: Batch,
    /// The same as it was sent, with what goes for texts of write sessions.
    pub(crate) json: Value,
    /// Whether the text is changed without a trace, if the client says.
    pub(crate) untracked: Option<bool>,
}

/// Reads the query of a list.
///
/// # Errors
/// [`Error::InvalidRequest`] naming the parameter.
pub(crate) fn page_query(query: &str) -> Result<Page, Error> {
    let mut page = Page { after: None, limit: USUAL_PAGE };
    for (name, value) in form_urlencoded::parse(query.as_bytes()) {
        match &*name {
            "after" => page.after = Some(value.into_owned()),
            "limit" => page.limit = number("limit", &value, LARGEST_PAGE)?,
            other => return Err(unknown(other, "after, limit")),
        }
    }
    Ok(page)
}

/// What is asked of a file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum AskedReading {
    /// Its bytes.
    Bytes,
    /// What the document says.
    Text(ReadOptions),
    /// The document as HTML.
    Html(HtmlOptions),
    /// A list of what is in the document.
    List(DocumentList),
}

/// Reads the query of a document: how it is to be read.
///
/// # Errors
/// [`Error::InvalidRequest`] naming the parameter.
pub(crate) fn read_query(query: &str) -> Result<AskedReading, Error> {
    match query {
        "list=revisions" => return Ok(AskedReading::List(DocumentList::Revisions)),
        "list=comments" => return Ok(AskedReading::List(DocumentList::Comments)),
        _ => {}
    }
    let mut options = ReadOptions::default();
    let (mut viewed, mut other, mut html) = (false, None, None::<HtmlOptions>);
    for (name, value) in form_urlencoded::parse(query.as_bytes()) {
        match &*name {
            "view" => {
                viewed = true;
                options.view = view_named("view", &value)?;
                continue;
            }
            "as" => match &*value {
                "html" => html = Some(HtmlOptions { page: false, ..HtmlOptions::default() }),
                "page" => html = Some(HtmlOptions { page: true, ..HtmlOptions::default() }),
                _ => return Err(Error::invalid("as", "must be html or page")),
            },
            "story" => options.story = Some(value.into_owned()),
            "search" => options.search = Some(value.into_owned()),
            "from" => options.from = Some(value.into_owned()),
            "limit" => options.limit = Some(number("limit", &value, usize::MAX)?),
            "list" => return Err(Error::invalid("list", "stands alone, and is revisions or comments")),
            other => return Err(unknown(other, "view, as, story, search, from, limit, or list alone")),
        }
        if name != "as" {
            other = Some(name);
        }
    }
    match (html, other) {
        (Some(_), Some(name)) => {
            Err(Error::invalid(name, "does not go with `as`; HTML is of the whole document"))
        }
        (Some(html), None) if viewed => Ok(AskedReading::Html(HtmlOptions { view: options.view, ..html })),
        (Some(html), None) => Ok(AskedReading::Html(html)),
        (None, Some(name)) if !viewed => {
            Err(Error::invalid(name, "goes with `view`; add view=accepted to read the document"))
        }
        _ if viewed => Ok(AskedReading::Text(options)),
        _ => Ok(AskedReading::Bytes),
    }
}

/// Reads the query of checkpoints: which one is asked for, and what of it.
///
/// # Errors
/// [`Error::InvalidRequest`] naming the parameter.
pub(crate) fn checkpoint_query(query: &str) -> Result<CheckpointQuery, Error> {
    let (mut id, mut whole) = (None, false);
    for (name, value) in form_urlencoded::parse(query.as_bytes()) {
        match &*name {
            "id" => id = Some(value.into_owned()),
            "content" => {
                whole = match &*value {
                    "1" | "true" => true,
                    "0" | "false" => false,
                    _ => return Err(Error::invalid("content", "must be 1 or 0")),
                }
            }
            other => return Err(unknown(other, "id, content")),
        }
    }
    match (id, whole) {
        (Some(id), true) => Ok(CheckpointQuery::Whole(id)),
        (Some(id), false) => Ok(CheckpointQuery::Losses(id)),
        (None, false) => Ok(CheckpointQuery::All),
        (None, true) => {
            Err(Error::invalid("content", "goes with `id`, the checkpoint whose bytes are meant"))
        }
    }
}

fn number(name: &str, value: &str, most: usize) -> Result<usize, Error> {
    let number = value.parse().ok().filter(|number| (1..=most).contains(number));
    number.ok_or_else(|| match most {
        usize::MAX => Error::invalid(name, "must be a whole number from 1"),
        _ => Error::invalid(name, format!("must be a whole number from 1 to {most}")),
    })
}

fn unknown(name: &str, known: &str) -> Error {
    let name: String = name.chars().take(80).collect();
    Error::invalid(name, format!("is no parameter here; there are: {known}"))
}

/// Reads a batch of operations, each of which goes through `fill` first.
///
/// # Errors
/// [`Error::InvalidJson`], what `fill` says, or what the operation language, the author or the date refuses.
pub(crate) fn operations_request(
    bytes: &[u8],
    fill: impl FnMut(&mut Value) -> Result<(), Error>,
) -> Result<Operations, Error> {
    let mut body: Value = serde_json::from_slice(bytes)
        .map_err(|problem| Error::InvalidJson { problem: problem.to_string() })?;
    if let Some(operations) = body.get_mut("operations").and_then(Value::as_array_mut) {
        operations.iter_mut().try_for_each(fill)?;
    }
    let untracked = match &mut body {
        Value::Object(body) => fields::flag(body, "untracked", fields::Path::root("untracked"))?,
        _ => None,
    };
    let mut batch = parse_batch(&body).map_err(|error| Error::of_operations(&error))?;
    signature::check(&mut batch)?;
    Ok(Operations { batch, json: body, untracked })
}

/// Reads which checkpoint is to be restored.
///
/// # Errors
/// [`Error::InvalidJson`] or [`Error::InvalidRequest`].
pub(crate) fn restore_request(bytes: &[u8]) -> Result<String, Error> {
    let mut body = fields::body(bytes)?;
    let id = fields::text(&mut body, "restore", fields::Path::root("restore"))?;
    id.ok_or_else(|| Error::invalid("restore", "is missing; send the id of a checkpoint"))
}

/// All workspaces.
pub(crate) fn names_body(names: &[(String, u64)]) -> Value {
    let data = names.iter().map(|(name, millis)| json!({"name": name, "modified": millis / 1000}));
    json!({"object": "list", "data": data.collect::<Vec<Value>>()})
}

/// The tracked changes or the comments of a document.
pub(crate) fn listed_body(listed: &DocumentRows) -> Value {
    match listed {
        DocumentRows::Revisions(rows) => json!({"revisions": rows}),
        DocumentRows::Comments(rows) => json!({"comments": rows}),
    }
}

/// A page of files.
pub(crate) fn list_body(listing: &Listing) -> Value {
    let files = listing.files.iter().map(|listed| {
        let info = listed.info;
        json!({"path": listed.path.as_str(), "size": info.size, "modified": info.modified / 1000})
    });
    let next = listing.files.last().filter(|_| listing.more).map(|last| last.path.as_str());
    json!({"object": "list", "data": files.collect::<Vec<Value>>(), "next": next})
}

/// A file that was put.
pub(crate) fn written_body(path: &RelPath, written: &WrittenFile) -> Value {
    json!({"path": path.as_str(), "size": written.info.size, "sha256": written.sha256})
}

/// A file that was removed.
pub(crate) fn removed_body(path: &RelPath) -> Value {
    json!({"path": path.as_str(), "deleted": true})
}

/// What a document was is forgotten.
pub(crate) fn forgotten_body(path: &RelPath, count: usize) -> Value {
    json!({"path": path.as_str(), "forgotten": count})
}

/// What a document says.
pub(crate) fn read_body(read: Read) -> Value {
    json!(ReadReport { file: read.path.as_str().to_owned(), reading: read.reading })
}

/// What operations did: the report of `engross apply --json`, and the state behind it.
pub(crate) fn applied_body(applied: &Application) -> Value {
    #[derive(Serialize)]
    struct Body<'a> {
        #[serde(flatten)]
        receipt: &'a Receipt<OperationResult>,
        revision: &'a str,
        checkpoint: Option<&'a str>,
    }
    json!(Body {
        receipt: &applied.receipt,
        revision: &applied.revision,
        checkpoint: applied.checkpoint.as_deref()
    })
}

/// The checkpoints of a document.
pub(crate) fn checkpoints_body(checkpoints: &[Checkpoint]) -> Value {
    let data = checkpoints.iter().map(
        |checkpoint| json!({"id": checkpoint.id, "created": checkpoint.millis / 1000, "size": checkpoint.size}),
    );
    json!({"object": "list", "data": data.collect::<Vec<Value>>()})
}

/// What going back to a checkpoint would take from the document, and give back.
pub(crate) fn losses_body(id: &str, losses: &Losses) -> Value {
    let list = |paragraphs: &[(String, String)]| -> Vec<Value> {
        paragraphs.iter().map(|(address, text)| json!({"address": address, "text": text})).collect()
    };
    json!({"id": id, "lost": list(&losses.lost), "back": list(&losses.back)})
}
