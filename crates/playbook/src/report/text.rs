//! The report as lines of text, for a terminal and for models.

use std::fmt::Write as _;

use super::ReviewReport;
use crate::playbook::Playbook;

/// How positions are answered.
const ANSWERING: &str = "Call again with 'answers', one for each position: {position, verdict, paragraph, quote, reason, …}. Verdicts: standard (as \
     wanted), fallback, never, deviates, missing. Each but 'missing' cites: 'paragraph' such as P12 and 'quote', at least three words of the clause copied \
     exactly. For deviates, never and missing give 'reason' and, where words can mend it, 'original' and 'replacement' (as few words as will do) or \
     'insertAfter' and 'content'; they become tracked changes with the reason as comment.";

/// What is answered when a caller gives no answers yet: how to answer, each position, and what words alone tell of it. `printable` as
/// for [`text`].
#[must_use]
pub fn asked(playbook: &Playbook, report: &ReviewReport, printable: impl Fn(&str) -> String) -> String {
    let mut out = format!("{ANSWERING}\n");
    for (position, found) in playbook.positions.iter().zip(&report.positions) {
        let place = match &found.clause {
            Some(clause) => format!("{} to {}, “{}”", clause.from, clause.to, printable(&clause.title)),
            None => "no clause of that name was found".to_owned(),
        };
        let _ = writeln!(out, "\n## {} ({place})", position.name);
        for (label, words) in
            [("Standard", &position.standard), ("Fallback", &position.fallback), ("Never", &position.never)]
        {
            if !words.is_empty() {
                let _ = writeln!(out, "{label}: {words}");
            }
        }
        if let Some(citation) = &found.citation {
            let _ = writeln!(
                out,
                "{} has “{}”: the verdict is never.",
                citation.address,
                printable(&citation.quote)
            );
        }
    }
    out
}

/// The report in lines, with what was written. `printable` takes out of words of others what a terminal would act on.
#[must_use]
pub fn text(report: &ReviewReport, printable: impl Fn(&str) -> String) -> String {
    let mut out = verdicts(report, &printable);
    match &report.output {
        Some(output) => {
            let _ = writeln!(out, "Wrote {}: rejecting all gives back the original.", printable(output));
        }
        None => out.push_str("Nothing was written.\n"),
    }
    out
}

/// The verdicts in lines. `printable` as for [`text`].
#[must_use]
pub fn verdicts(report: &ReviewReport, printable: impl Fn(&str) -> String) -> String {
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
    out
}
