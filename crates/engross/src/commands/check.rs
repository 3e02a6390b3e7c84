//! `engross check`

use std::fmt::Write as _;

use engross_docx::{Finding, Severity, check};
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
    findings: Vec<Finding>,
}

pub(crate) fn run(args: &ListArgs, output: Output) -> Result<CommandEnd, Failure> {
    let (input, document) = open(&args.file)?;
    let findings = check(&document).map_err(|error| failure::of_document(input.path(), &error))?;
    let has_errors = findings.iter().any(|finding| finding.severity == Severity::Error);
    let answer = Answer { findings };
    output.answer(&answer, || text(&answer.findings))?;
    Ok(CommandEnd::With(if has_errors { Exit::Refused } else { Exit::Done }))
}

fn text(findings: &[Finding]) -> String {
    let mut out = String::new();
    for finding in findings {
        let severity = serde_json::to_value(finding.severity).unwrap_or_default();
        let _ = writeln!(
            out,
            "{:<7} {:<6} {}  [{}]",
            severity.as_str().unwrap_or_default(),
            printable(&finding.address),
            printable(&finding.message),
            finding.code
        );
    }
    let _ = writeln!(out, "{} findings.", findings.len());
    out
}
