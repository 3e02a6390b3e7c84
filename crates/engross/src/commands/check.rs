//! `engross check`

use engross_documents::listing;
use engross_docx::{Finding, Severity, check};
use engross_protocol::{Exit, Failure};
use serde::Serialize;

use super::CommandEnd;
use super::documents::open;
use crate::cli::ListArgs;
use crate::output::Output;
use engross_compose::failure;

#[derive(Serialize)]
struct Answer {
    findings: Vec<Finding>,
}

pub(crate) fn run(args: &ListArgs, output: Output) -> Result<CommandEnd, Failure> {
    let (input, document) = open(&args.file)?;
    let findings = check(&document).map_err(|error| failure::of_document(input.path(), &error))?;
    let has_errors = findings.iter().any(|finding| finding.severity == Severity::Error);
    let answer = Answer { findings };
    output.answer(&answer, || listing::findings(&answer.findings))?;
    Ok(CommandEnd::With(if has_errors { Exit::Refused } else { Exit::Done }))
}
