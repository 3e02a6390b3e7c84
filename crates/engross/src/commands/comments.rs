//! `engross comments`

use engross_documents::listing;
use engross_docx::revisions::CommentRow;
use engross_protocol::{Exit, Failure};
use serde::Serialize;

use super::CommandEnd;
use super::documents::open;
use crate::cli::ListArgs;
use crate::output::Output;
use engross_compose::failure;

#[derive(Serialize)]
struct Answer {
    comments: Vec<CommentRow>,
}

pub(crate) fn run(args: &ListArgs, output: Output) -> Result<CommandEnd, Failure> {
    let (input, document) = open(&args.file)?;
    let comments = document.comments().map_err(|error| failure::of_document(input.path(), &error))?;
    let answer = Answer { comments: comments.iter().map(CommentRow::from).collect() };
    output.answer(&answer, || listing::comments(&comments))?;
    Ok(CommandEnd::With(Exit::Done))
}
