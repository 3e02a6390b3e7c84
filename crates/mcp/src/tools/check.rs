//! `check_document`

use engross_documents::{Error, listing};
use engross_protocol::Failure;

use crate::answer::Answer;
use crate::arguments::CallArguments;
use crate::budget::Budget;
use crate::documents::McpDocuments;

pub(super) fn run(documents: &McpDocuments, arguments: &CallArguments) -> Result<Answer, Failure> {
    let (place, opened) = documents.open(arguments.required("path"))?;
    let findings = engross_docx::check(&opened.document)
        .map_err(|error| Failure::from(Error::document(place.shown(), error)))?;
    let list = Budget::of_tokens(None).cut(&listing::findings(&findings), "mend these first");
    let line = if findings.is_empty() { " " } else { "\n" };
    Ok(Answer::of(format!("{}:{line}{list}", place.shown())))
}
