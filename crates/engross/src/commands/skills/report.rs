//! `engross skills report`: what was learnt in a span of time.

use std::fmt::Write as _;

use engross_documents::change::printable;
use engross_learn::disk::BookFile;
use engross_learn::run::{PeriodReport, ReportedLesson, period_page, report_since};
use engross_learn::skillbook::from_iso;
use engross_protocol::{Clock, Failure, SystemClock};

use super::super::synced::counted;
use crate::cli::ReportArgs;
use crate::output::{Output, print};
use engross_compose::failure::usage;

/// Milliseconds of an hour.
const HOUR: u64 = 3_600_000;

pub(super) fn run(args: &ReportArgs, book: &BookFile, output: Output) -> Result<(), Failure> {
    let now = SystemClock.millis();
    let since = begin_of(&args.since, now).ok_or_else(|| {
        usage("USAGE", "--since takes a span such as 7d, 4w or 12h, or a date such as 2026-11-01")
    })?;
    let report = report_since(&book.journal, since, now);
    if args.html && !output.json {
        return print(&period_page(&report));
    }
    output.answer(&report, || text(&report))
}

/// When a span that ends now began, or a date is.
fn begin_of(span: &str, now: u64) -> Option<u64> {
    let date = from_iso(&format!("{span}T00:00:00Z")).max(from_iso(span));
    if date > 0 {
        return Some(date);
    }
    let (number, unit) = span.split_at_checked(span.len().checked_sub(1)?)?;
    let hours = match unit {
        "h" => 1,
        "d" => 24,
        "w" => 24 * 7,
        _ => return None,
    };
    let span = number.parse::<u64>().ok()?.checked_mul(hours)?.checked_mul(HOUR)?;
    Some(now.saturating_sub(span))
}

fn text(report: &PeriodReport) -> String {
    let mut text = format!("{} to {}\n", &report.since, &report.until);
    let _ = writeln!(text, "{} learnt from", counted(report.sessions, "session"));
    let _ = match report.hit_rate {
        Some(rate) => writeln!(
            text,
            "Hit rate: {:.0} % ({} of {} sessions that were shown lessons named one)",
            rate * 100.0,
            report.sessions_that_named,
            report.sessions_with_lessons
        ),
        None => writeln!(text, "Hit rate: no session could name a lesson"),
    };
    let _ = writeln!(
        text,
        "{} learnt, {} confirmed, {} waiting for a person; {} votes for lessons, {} against; {} secrets taken out",
        report.learnt.len(),
        report.confirmed.len(),
        report.hidden.len(),
        report.helped,
        report.harmed,
        report.redacted
    );
    for (title, lessons) in [
        ("Learnt", &report.learnt),
        ("Confirmed", &report.confirmed),
        ("Harmful", &report.harmful),
        ("Waiting", &report.hidden),
    ] {
        text.push_str(&section(title, lessons));
    }
    text
}

fn section(title: &str, lessons: &[ReportedLesson]) -> String {
    let mut text = String::new();
    if !lessons.is_empty() {
        let _ = writeln!(text, "{title}:");
    }
    for lesson in lessons {
        let _ = writeln!(text, "  [{}] {}", lesson.id, printable(&lesson.content));
    }
    text
}
