//! `engross revisions`

use engross_documents::listing;
use engross_docx::PlacedRevision;
use engross_docx::revisions::RevisionKind;
use engross_protocol::{Exit, Failure};
use serde::Serialize;

use super::CommandEnd;
use super::documents::open;
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

impl From<&PlacedRevision> for Row {
    fn from(placed: &PlacedRevision) -> Self {
        let PlacedRevision { id, address, revision, .. } = placed.clone();
        let (author, date) = (revision.stamp.author, revision.stamp.date);
        Self { id, kind: revision.kind, author, date, address, text: revision.text }
    }
}

pub(crate) fn run(args: &ListArgs, output: Output) -> Result<CommandEnd, Failure> {
    let (input, document) = open(&args.file)?;
    let revisions = document.revisions().map_err(|error| failure::of_document(input.path(), &error))?;
    let answer = Answer { revisions: revisions.iter().map(Row::from).collect() };
    output.answer(&answer, || listing::revisions(&revisions))?;
    Ok(CommandEnd::With(Exit::Done))
}
