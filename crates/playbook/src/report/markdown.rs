//! The report as Markdown.
//!
//! Must never let a text of the document or of a model be markup.

use std::fmt::Write as _;

use super::ReviewReport;

/// The report.
#[must_use]
pub fn markdown(report: &ReviewReport) -> String {
    let title = if report.title.is_empty() { "Playbook review" } else { &report.title };
    let mut out = format!("# {}\n\n", plain(title));
    let _ = writeln!(out, "Document: {}  ", plain(&report.document));
    let _ = writeln!(out, "Playbook: {}  ", plain(&report.playbook));
    let _ = writeln!(out, "Model: {}", plain(&report.model));
    if let Some(output) = &report.output {
        let _ = writeln!(out, "\nChanges and comments: {}", plain(output));
    }
    let _ = writeln!(out, "\nVerdicts: {}\n", report.summary.sentence());
    out.push_str("| Position | Verdict | Where | Reason |\n|---|---|---|---|\n");
    for position in &report.positions {
        let place = position.citation.as_ref().map(|citation| citation.address.clone());
        let place = place.or_else(|| position.clause.as_ref().map(|clause| clause.from.clone()));
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} |",
            plain(&position.position),
            position.verdict.word(),
            place.unwrap_or_else(|| "–".to_owned()),
            plain(&position.reason),
        );
    }
    for position in &report.positions {
        let _ =
            writeln!(out, "\n## {}\n\nVerdict: **{}**", plain(&position.position), position.verdict.word());
        if let Some(clause) = &position.clause {
            let _ = writeln!(out, "\nClause: {} ({} to {})", plain(&clause.title), clause.from, clause.to);
        }
        if let Some(citation) = &position.citation {
            let _ = writeln!(out, "\n> {} ({})", plain(&citation.quote), citation.address);
        }
        if !position.reason.is_empty() {
            let _ = writeln!(out, "\n{}", plain(&position.reason));
        }
        let mut lines: Vec<String> = position.done().map(|line| plain(&line)).collect();
        lines.extend(
            position.problems.iter().map(|problem| format!("{} [{}]", plain(&problem.message), problem.code)),
        );
        if !lines.is_empty() {
            out.push('\n');
        }
        for line in lines {
            let _ = writeln!(out, "- {line}");
        }
    }
    for warning in &report.warnings {
        let _ = writeln!(out, "\nWarning: {}", plain(warning));
    }
    out
}

/// A text on one line, without marks that mean something.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '#' | '&' | '!' | '~' => {
                out.push('\\');
                out.push(letter);
            }
            letter if letter.is_control() => out.push(' '),
            letter => out.push(letter),
        }
    }
    out
}
