//! `engross revisions`

use std::fmt::Write as _;

use engross_docx::PlacedRevision;
use engross_docx::revisions::RevisionKind;
use engross_protocol::{Exit, Failure};
use serde::Serialize;

use super::CommandEnd;
use super::documents::open;
use crate::change::printable;
use crate::cli::ListArgs;
use crate::failure;
use crate::output::Output;

#[derive(Serialize)]
struct Answer {
    revisions: Vec<Row>,
}

/// A revision as it is shown.
#[derive(Serialize)]
struct Row {
    id: String,
    kind: RevisionKind,
    author: String,
    date: Option<String>,
    address: String,
    text: String,
}

impl From<PlacedRevision> for Row {
    fn from(placed: PlacedRevision) -> Self {
        let PlacedRevision { id, address, revision, .. } = placed;
        let (author, date) = (revision.stamp.author, revision.stamp.date);
        Self { id, kind: revision.kind, author, date, address, text: revision.text }
    }
}

pub(crate) fn run(args: &ListArgs, output: Output) -> Result<CommandEnd, Failure> {
    let (input, document) = open(&args.file)?;
    let revisions = document.revisions().map_err(|error| failure::of_document(input.path(), &error))?;
    let answer = Answer { revisions: revisions.into_iter().map(Row::from).collect() };
    output.answer(&answer, || text(&answer.revisions))?;
    Ok(CommandEnd::With(Exit::Done))
}

fn text(rows: &[Row]) -> String {
    let mut out = String::new();
    for row in rows {
        let kind = serde_json::to_value(row.kind).unwrap_or_default();
        let kind = kind.as_str().unwrap_or_default().replace('_', " ");
        let date = row.date.as_deref().unwrap_or("no date");
        let _ = writeln!(
            out,
            "{:<6} {kind:<20} {}, {}  (id {})",
            printable(&row.address),
            printable(&row.author),
            printable(date),
            row.id
        );
        if !row.text.is_empty() {
            let _ = writeln!(out, "       {}", printable(&row.text));
        }
    }
    let _ = writeln!(out, "{} tracked changes.", rows.len());
    out
}
