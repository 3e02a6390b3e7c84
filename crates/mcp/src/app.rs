//! The page with which a person decides on tracked changes in the window of a chat (an MCP app), and what it is told.
//!
//! What it is told stands in `_meta` of a result, which no model reads. Must never be needed: whatever it shows is in the texts of
//! the tools as well.

use std::collections::BTreeMap;

use engross_docx::WordDocument;
use engross_docx::read::{ParagraphReading, ReadOptions, View};
use engross_docx::revisions::RevisionRow;
use rmcp::model::{ClientCapabilities, JsonObject, MetaObject, Resource, ResourceContents};
use serde_json::{Map, Value, json};

/// Where the page is.
pub(crate) const REVIEW: &str = "ui://engross/review.html";

/// The extension of the protocol.
pub(crate) const EXTENSION: &str = "io.modelcontextprotocol/ui";

/// The kind of page that hosts show.
const KIND: &str = "text/html;profile=mcp-app";

/// The field of `_meta` with what the page shows.
const FIELD: &str = "engross/review";

/// Built from `web/review` by `cargo xtask web`.
const PAGE: &str = include_str!("../assets/review.html");

/// The most changes that are listed.
const MOST: usize = 400;

/// The most characters of a change, and of a paragraph around changes.
const LONGEST_CHANGE: usize = 400;
const LONGEST_PARAGRAPH: usize = 4_000;

/// The marks of changes in a paragraph's text.
const MARKS: [(&str, &str, &str); 2] = [("{++", "++}", "come"), ("{--", "--}", "gone")];

/// Whether a client shows the page.
pub(crate) fn is_shown_by(capabilities: &ClientCapabilities) -> bool {
    let settings = capabilities.extensions.as_ref().and_then(|all| all.get(EXTENSION));
    settings.is_some_and(|settings| match settings.get("mimeTypes").and_then(Value::as_array) {
        Some(kinds) => kinds.iter().any(|kind| kind == KIND),
        None => true,
    })
}

/// The page as it is listed.
pub(crate) fn resource() -> Resource {
    Resource::new(REVIEW, "review")
        .with_title("Review tracked changes")
        .with_description("A page that lists the tracked changes of a document, to be accepted and rejected.")
        .with_mime_type(KIND)
}

/// The page itself, if that is what stands at the address.
pub(crate) fn read(uri: &str) -> Option<ResourceContents> {
    (uri == REVIEW).then(|| ResourceContents::TextResourceContents {
        uri: uri.to_owned(),
        mime_type: Some(KIND.to_owned()),
        text: PAGE.to_owned(),
        // It asks for nothing of any other machine.
        meta: Some(meta("ui", json!({"csp": {}, "prefersBorder": true}))),
    })
}

/// What the definition of a tool says whose result the page shows.
pub(crate) fn of_tool() -> MetaObject {
    let MetaObject(mut all) = meta("ui", json!({"resourceUri": REVIEW}));
    // Hosts of before 2026 look here.
    all.insert("ui/resourceUri".to_owned(), json!(REVIEW));
    MetaObject(all)
}

/// What the extension says of itself.
pub(crate) fn settings() -> JsonObject {
    Map::from_iter([("mimeTypes".to_owned(), json!([KIND]))])
}

/// `_meta` of a result that the page shows.
pub(crate) fn of_result(changes: Value) -> MetaObject {
    meta(FIELD, changes)
}

fn meta(field: &str, value: Value) -> MetaObject {
    MetaObject(Map::from_iter([(field.to_owned(), value)]))
}

/// The tracked changes of a document as the page takes them. `path` is the name by which tools are called for it, `in_place` whether what
/// is decided goes into that very file.
pub(crate) fn changes(
    document: &WordDocument,
    path: &str,
    in_place: bool,
) -> Result<Value, engross_docx::Error> {
    let all = document.revisions()?;
    let rows: Vec<RevisionRow> = all.iter().take(MOST).map(RevisionRow::from).map(shortened).collect();
    let paragraphs = if rows.is_empty() { Map::new() } else { paragraphs(document, &rows)? };
    Ok(json!({
        "path": path,
        "revision": document.revision(),
        "inPlace": in_place,
        "total": all.len(),
        "changes": rows,
        "paragraphs": paragraphs,
    }))
}

fn shortened(row: RevisionRow) -> RevisionRow {
    match row.text.char_indices().nth(LONGEST_CHANGE) {
        Some((cut, _)) => RevisionRow { text: format!("{}…", row.text.split_at(cut).0), ..row },
        None => row,
    }
}

/// The paragraphs with changes, in pieces that stay, go and come.
fn paragraphs(
    document: &WordDocument,
    rows: &[RevisionRow],
) -> Result<Map<String, Value>, engross_docx::Error> {
    let read = |view| {
        let options = ReadOptions {
            view,
            story: Some("everywhere".to_owned()),
            labels: false,
            fingerprints: false,
            ..ReadOptions::default()
        };
        Ok::<_, engross_docx::Error>(document.read(&options)?.paragraphs)
    };
    let by_address = |paragraphs: Vec<ParagraphReading>| -> BTreeMap<String, String> {
        paragraphs.into_iter().map(|paragraph| (paragraph.address, paragraph.text)).collect()
    };
    let (marked, accepted, original) = (
        by_address(read(View::Markup)?),
        by_address(read(View::Accepted)?),
        by_address(read(View::Original)?),
    );
    let mut out = Map::new();
    for row in rows {
        if out.contains_key(&row.address) {
            continue;
        }
        let Some(text) = marked.get(&row.address).filter(|text| text.len() <= LONGEST_PARAGRAPH) else {
            continue;
        };
        // Who writes marks into the text itself could make it look changed.
        let plain = [accepted.get(&row.address), original.get(&row.address)];
        if plain.into_iter().flatten().any(|text| has_marks(text)) {
            continue;
        }
        out.insert(row.address.clone(), pieces(text));
    }
    Ok(out)
}

fn has_marks(text: &str) -> bool {
    MARKS.iter().any(|(start, end, _)| text.contains(start) || text.contains(end))
}

/// A text with marks, in pieces.
fn pieces(text: &str) -> Value {
    let mut out = Vec::new();
    let mut put = |kind: &str, text: &str| {
        if !text.is_empty() {
            out.push(json!([kind, text]));
        }
    };
    let mut rest = text;
    loop {
        let next = MARKS.iter().filter_map(|mark| Some((rest.find(mark.0)?, mark))).min_by_key(|(at, _)| *at);
        let Some((at, (start, end, kind))) = next else { break };
        let (before, behind) = rest.split_at(at);
        let behind = behind.strip_prefix(start).unwrap_or(behind);
        let (inner, behind) = behind.split_once(end).unwrap_or((behind, ""));
        put("same", before);
        put(kind, inner);
        rest = behind;
    }
    put("same", rest);
    Value::Array(out)
}
