//! The report as a page, to be opened without a network.
//!
//! Must never hold a script, a link or a text that is not escaped: the page can do nothing.

use std::fmt::Write as _;

use engross_docx::ops::Status;

use super::{PositionReport, ReviewReport};

/// Nothing is loaded or run, whatever is in the page.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

const STYLE: &str = "body{font:15px/1.5 Georgia,serif;margin:2rem auto;max-width:60rem;padding:0 1rem;color:#222;background:#fff}\
h1{font-size:1.4rem}h2{font-size:1.1rem;margin:0}section{border:1px solid #ddd;border-left:6px solid #888;padding:.6rem 1rem;margin:1rem 0}\
blockquote{margin:.5rem 0;padding-left:.8rem;border-left:2px solid #bbb}del{color:#a3122a}ins{color:#0a6b2d}\
.verdict{font:bold 12px sans-serif;text-transform:uppercase}.place{color:#666;font:12px monospace}.problem{color:#8a5a00}\
.standard,.fallback{border-left-color:#2b7a3d}.deviates,.missing{border-left-color:#b36b00}.never{border-left-color:#a3122a}\
@media(prefers-color-scheme:dark){body{background:#1b1b1b;color:#ddd}section{border-color:#444}.place{color:#aaa}.problem{color:#f0b860}\
del{color:#ff9aa8}ins{color:#8fe0a8}}";

/// The page.
#[must_use]
pub fn html(report: &ReviewReport) -> String {
    let title = if report.title.is_empty() { "Playbook review" } else { &report.title };
    let title = escaped(title);
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\
         <meta name=\"viewport\" content=\"width=device-width\"><title>{title}</title>\
         <style>{STYLE}</style></head><body><h1>{title}</h1>\n<p>{} · {} · {}</p>\n",
        escaped(&report.document),
        escaped(&report.playbook),
        escaped(&report.model),
    );
    if let Some(output) = &report.output {
        let _ = writeln!(page, "<p>Changes and comments: {}</p>", escaped(output));
    }
    let _ = writeln!(page, "<p>{}</p>", report.summary.sentence());
    for position in &report.positions {
        section(&mut page, position);
    }
    for warning in &report.warnings {
        let _ = writeln!(page, "<p class=\"problem\">{}</p>", escaped(warning));
    }
    page.push_str("</body></html>\n");
    page
}

fn section(page: &mut String, position: &PositionReport) {
    let verdict = position.verdict.word();
    let _ = write!(
        page,
        "<section class=\"{verdict}\"><h2>{}</h2><p class=\"verdict\">{verdict}</p>",
        escaped(&position.position)
    );
    if let Some(clause) = &position.clause {
        let (from, to) = (escaped(&clause.from), escaped(&clause.to));
        let _ = write!(page, "<p class=\"place\">{from}–{to} {}</p>", escaped(&clause.title));
    }
    if let Some(citation) = &position.citation {
        let (quote, address) = (escaped(&citation.quote), escaped(&citation.address));
        let _ = write!(page, "<blockquote>{quote} <span class=\"place\">{address}</span></blockquote>");
    }
    if !position.reason.is_empty() {
        let _ = write!(page, "<p>{}</p>", escaped(&position.reason));
    }
    // A comment changes no text; what its paragraph says now came of another operation.
    let changes = position.operations.iter().filter(|operation| operation.comment_ids.is_empty());
    for operation in changes.filter(|operation| operation.status == Status::Applied) {
        let (before, after) = (operation.before.as_deref(), operation.after.as_deref());
        if before == after {
            continue;
        }
        let mark = |text: Option<&str>, tag: &str| {
            text.map(|text| format!("<{tag}>{}</{tag}><br>", escaped(text))).unwrap_or_default()
        };
        let _ = write!(page, "<p>{}{}</p>", mark(before, "del"), mark(after, "ins"));
    }
    let lines = position.done().map(|line| escaped(&line));
    let problems = position.problems.iter().map(|problem| {
        format!("<span class=\"problem\">{} [{}]</span>", escaped(&problem.message), escaped(&problem.code))
    });
    let items: Vec<String> = lines.chain(problems).map(|line| format!("<li>{line}</li>")).collect();
    if !items.is_empty() {
        let _ = write!(page, "<ul>{}</ul>", items.concat());
    }
    page.push_str("</section>\n");
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' => out.push_str("<br>"),
            letter if letter.is_control() => {}
            letter => out.push(letter),
        }
    }
    out
}
