//! The report as lines of text, for a terminal and for models.

use std::fmt::Write as _;

use super::ReviewReport;

/// The report in lines. `printable` takes out of words of others what a terminal would act on.
#[must_use]
pub fn text(report: &ReviewReport, printable: impl Fn(&str) -> String) -> String {
    let mut out = String::new();
    for position in &report.positions {
        let place = position.citation.as_ref().map(|citation| citation.address.as_str());
        let place = place.or_else(|| position.clause.as_ref().map(|clause| clause.from.as_str()));
        let _ = write!(
            out,
            "{:<10} {:<5} {}",
            position.verdict.word(),
            place.unwrap_or("–"),
            printable(&position.position)
        );
        if !position.reason.is_empty() && !position.verdict.is_acceptable() {
            let _ = write!(out, ": {}", printable(&position.reason));
        }
        out.push('\n');
        if let Some(citation) = &position.citation {
            let _ = writeln!(out, "           “{}”", printable(&citation.quote));
        }
        for problem in &position.problems {
            let _ = writeln!(out, "           {} [{}]", printable(&problem.message), problem.code);
        }
    }
    for warning in &report.warnings {
        let _ = writeln!(out, "Warning: {}", printable(warning));
    }
    let _ = writeln!(out, "\n{}.", report.summary.sentence());
    match &report.output {
        Some(output) => {
            let _ = writeln!(out, "Wrote {}: rejecting all gives back the original.", printable(output));
        }
        None => out.push_str("Nothing was written.\n"),
    }
    out
}
