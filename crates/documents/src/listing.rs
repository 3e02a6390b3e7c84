//! Lists of what is in a document, as people and agents read them: outline, controls, styles, properties, tracked changes, comments,
//! findings.
//!
//! Must never let a text steer a terminal.

use std::fmt::Write as _;

use engross_docx::{
    ControlReading, Finding, OutlineEntry, PlacedComment, PlacedRevision, Properties, StyleReading,
};
use serde::Serialize;
use serde_json::Value;

use crate::change::printable;

/// What of a control is told in a line, in order.
const CONTROL_COLUMNS: &[&str] = &[
    "number",
    "address",
    "kind",
    "tag",
    "title",
    "value",
    "placeholder",
    "checked",
    "date",
    "lock",
    "binding",
    "choices",
];

/// What of a style is told in a line.
const STYLE_COLUMNS: &[&str] = &["kind", "id", "name", "basedOn", "default", "inUse"];

/// The headings, schedules and tables, indented by depth.
#[must_use]
pub fn outline(entries: &[OutlineEntry]) -> String {
    entries.iter().map(outline_line).collect()
}

/// The content controls, one a line.
#[must_use]
pub fn controls(controls: &[ControlReading]) -> String {
    table(controls, CONTROL_COLUMNS)
}

/// The styles, one a line.
#[must_use]
pub fn styles(styles: &[StyleReading]) -> String {
    table(styles, STYLE_COLUMNS)
}

/// The properties, one a line.
#[must_use]
pub fn properties(properties: &Properties) -> String {
    let all = properties.named.iter().chain(&properties.custom);
    all.map(|(name, value)| format!("{name}: {value}\n")).collect()
}

/// The tracked changes.
#[must_use]
pub fn revisions(revisions: &[PlacedRevision]) -> String {
    let mut out = String::new();
    for PlacedRevision { id, address, revision, .. } in revisions {
        let kind = serde_json::to_value(revision.kind).unwrap_or_default();
        let kind = kind.as_str().unwrap_or_default().replace('_', " ");
        let (author, date) = (&revision.stamp.author, revision.stamp.date.as_deref().unwrap_or("no date"));
        let (address, author, date) = (printable(address), printable(author), printable(date));
        let _ = writeln!(out, "{address:<6} {kind:<20} {author}, {date}  (id {id})");
        if !revision.text.is_empty() {
            let _ = writeln!(out, "       {}", printable(&revision.text));
        }
    }
    let changes = if revisions.len() == 1 { "change" } else { "changes" };
    let _ = writeln!(out, "{} tracked {changes}.", revisions.len());
    out
}

/// The comments.
#[must_use]
pub fn comments(comments: &[PlacedComment]) -> String {
    let mut out = String::new();
    for PlacedComment { address, comment } in comments {
        let date = comment.stamp.date.as_deref().unwrap_or("no date");
        let (address, author) = (printable(address), printable(&comment.stamp.author));
        let (date, id) = (printable(date), printable(&comment.id));
        let _ = writeln!(out, "{address:<6} {author}, {date}  (id {id})");
        if !comment.quoted.is_empty() {
            let _ = writeln!(out, "       on “{}”", printable(&comment.quoted));
        }
        for line in comment.text.lines() {
            let _ = writeln!(out, "       {}", printable(line));
        }
    }
    let _ = writeln!(out, "{} comments.", comments.len());
    out
}

/// What a check found.
#[must_use]
pub fn findings(findings: &[Finding]) -> String {
    let mut out = String::new();
    for finding in findings {
        let severity = serde_json::to_value(finding.severity).unwrap_or_default();
        let (severity, address) = (severity.as_str().unwrap_or_default(), printable(&finding.address));
        let _ =
            writeln!(out, "{severity:<7} {address:<6} {}  [{}]", printable(&finding.message), finding.code);
    }
    let _ = writeln!(out, "{} findings.", findings.len());
    out
}

/// Objects as lines: the first values as they stand, the others with their name where there is something to say.
fn table<T: Serialize>(list: &[T], columns: &[&str]) -> String {
    const BARE: usize = 3;
    let line = |entry: &T| {
        let entry = serde_json::to_value(entry).unwrap_or_default();
        let cells = columns.iter().enumerate().filter_map(|(at, name)| match entry.get(name)? {
            Value::Null | Value::Bool(false) if *name != "checked" => None,
            Value::Bool(true) if *name != "checked" => Some((*name).to_owned()),
            Value::String(text) if at < BARE => Some(text.clone()),
            value if at < BARE => Some(value.to_string()),
            value => Some(format!("{name}={value}")),
        });
        cells.collect::<Vec<_>>().join(" ") + "\n"
    };
    list.iter().map(line).collect()
}

/// `P12–P40  2. Services (29 paragraphs, 5200 characters)`, indented by depth.
fn outline_line(entry: &OutlineEntry) -> String {
    let OutlineEntry { address, end, depth, kind, number, text, paragraphs, characters, cells } = entry;
    let name = match (*kind, cells) {
        ("table", Some((rows, columns))) => format!("table {number}, {rows} × {columns}: {text}"),
        _ if number.is_empty() => text.clone(),
        _ => format!("{number} {text}"),
    };
    let place = if address == end { address.clone() } else { format!("{address}–{end}") };
    let name = printable(&name);
    let s = if *paragraphs == 1 { "" } else { "s" };
    format!("{}{place}  {name} ({paragraphs} paragraph{s}, {characters} characters)\n", "  ".repeat(*depth))
}
