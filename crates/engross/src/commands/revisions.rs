//! `engross revisions`

use engross_documents::listing;
use engross_docx::revisions::RevisionRow;
use engross_protocol::{Exit, Failure};
use serde::Serialize;

use super::CommandEnd;
use super::documents::open;
use crate::cli::ListArgs;
use crate::output::Output;
use engross_compose::failure;

#[derive(Serialize)]
struct Answer {
    revisions: Vec<RevisionRow>,
}

pub(crate) fn run(args: &ListArgs, output: Output) -> Result<CommandEnd, Failure> {
    let (input, document) = open(&args.file)?;
    let revisions = document.revisions().map_err(|error| failure::of_document(input.path(), &error))?;
    let answer = Answer { revisions: revisions.iter().map(RevisionRow::from).collect() };
    output.answer(&answer, || listing::revisions(&revisions))?;
    Ok(CommandEnd::With(Exit::Done))
}
