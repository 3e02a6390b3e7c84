//! `engross comments`

use engross_documents::listing;
use engross_docx::PlacedComment;
use engross_protocol::{Exit, Failure};
use serde::Serialize;

use super::CommandEnd;
use super::documents::open;
use crate::cli::ListArgs;
use crate::failure;
use crate::output::Output;

#[derive(Serialize)]
struct Answer {
    comments: Vec<Row>,
}

/// A comment as it is shown.
#[derive(Serialize)]
struct Row {
    id: String,
    author: String,
    initials: Option<String>,
    date: Option<String>,
    address: String,
    quoted: String,
    text: String,
}

impl From<&PlacedComment> for Row {
    fn from(placed: &PlacedComment) -> Self {
        let PlacedComment { address, comment } = placed.clone();
        Self {
            id: comment.id,
            author: comment.stamp.author,
            initials: comment.initials,
            date: comment.stamp.date,
            address,
            quoted: comment.quoted,
            text: comment.text,
        }
    }
}

pub(crate) fn run(args: &ListArgs, output: Output) -> Result<CommandEnd, Failure> {
    let (input, document) = open(&args.file)?;
    let comments = document.comments().map_err(|error| failure::of_document(input.path(), &error))?;
    let answer = Answer { comments: comments.iter().map(Row::from).collect() };
    output.answer(&answer, || listing::comments(&comments))?;
    Ok(CommandEnd::With(Exit::Done))
}
