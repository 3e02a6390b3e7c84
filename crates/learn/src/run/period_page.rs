//! The report of a span of time as a page: one file without scripts, with a plot of its days.
//!
//! Must never put a text of a lesson into the page but as text.

use std::fmt::Write;

use super::period::{DayCounts, PeriodReport, ReportedLesson};
use crate::safety::neutral;

/// The plot's size, and the room of a bar's group at most.
const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 180.0;
const WIDEST: f64 = 48.0;

/// What is drawn of a day: its name, its colour, its count.
type Series = (&'static str, &'static str, fn(&DayCounts) -> u64);

const SERIES: [Series; 3] = [
    ("learnt", "#2f6fb0", |day| day.learnt),
    ("confirmed", "#4a9a5b", |day| day.confirmed),
    ("harmed", "#b5453c", |day| day.harmed),
];

/// The page.
#[must_use]
pub fn period_page(report: &PeriodReport) -> String {
    let rate = report.hit_rate.map_or("no session could name one".to_owned(), |rate| {
        format!("{:.0} % ({} of {})", rate * 100.0, report.sessions_that_named, report.sessions_with_lessons)
    });
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>Skillbook report</title>\n<style>\n\
         body{{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem;color:#1c1c1c}}\n\
         table{{border-collapse:collapse;width:100%}}th,td{{text-align:left;padding:.3rem .6rem;border-bottom:1px solid #ddd;vertical-align:top}}\n\
         svg{{width:100%;height:auto}}code{{font-size:.85em}}\n</style>\n</head>\n<body>\n\
         <h1>Skillbook report</h1>\n<p>{} to {}</p>\n<table>\n",
        day_of(&report.since),
        day_of(&report.until)
    );
    for (name, value) in [
        ("Sessions learnt from", report.sessions.to_string()),
        ("Sessions that named a lesson, of those that could", rate),
        ("Lessons learnt", report.learnt.len().to_string()),
        ("Lessons confirmed", report.confirmed.len().to_string()),
        ("Lessons that wait for a person", report.hidden.len().to_string()),
        ("Votes for lessons", report.helped.to_string()),
        ("Votes against lessons", report.harmed.to_string()),
        ("Secrets and personal data taken out", report.redacted.to_string()),
    ] {
        let _ = writeln!(page, "<tr><th scope=\"row\">{name}</th><td>{value}</td></tr>");
    }
    page.push_str("</table>\n");
    page.push_str(&plot(&report.days));
    for (title, lessons) in [
        ("Learnt", &report.learnt),
        ("Confirmed", &report.confirmed),
        ("Harmful", &report.harmful),
        ("Waiting for a person", &report.hidden),
    ] {
        page.push_str(&table(title, lessons));
    }
    page.push_str("</body>\n</html>\n");
    page
}

fn table(title: &str, lessons: &[ReportedLesson]) -> String {
    if lessons.is_empty() {
        return String::new();
    }
    let mut text =
        format!("<h2>{title}</h2>\n<table>\n<tr><th>Lesson</th><th>Observed</th><th>Votes</th></tr>\n");
    for lesson in lessons {
        let _ = writeln!(
            text,
            "<tr><td>{}<br><code>{}</code></td><td>{}</td><td>+{} −{}</td></tr>",
            escaped(&lesson.content),
            escaped(&lesson.id),
            lesson.observations,
            lesson.helped,
            lesson.harmed
        );
    }
    text.push_str("</table>\n");
    text
}

/// Bars for each day.
#[expect(clippy::cast_precision_loss, reason = "a plot needs no more")]
fn plot(days: &[DayCounts]) -> String {
    let most =
        days.iter().flat_map(|day| SERIES.map(|(_, _, count)| count(day))).max().unwrap_or_default().max(1);
    let room = (WIDTH / days.len().max(1) as f64).min(WIDEST);
    let bar = room * 0.8 / SERIES.len() as f64;
    let mut text = format!(
        "<svg viewBox=\"0 0 {WIDTH} {}\" role=\"img\" aria-label=\"Lessons by day, at most {most}\">\n\
         <line x1=\"0\" y1=\"{HEIGHT}\" x2=\"{WIDTH}\" y2=\"{HEIGHT}\" stroke=\"#999\"/>\n<text x=\"0\" y=\"12\" font-size=\"12\">{most}</text>\n",
        HEIGHT + 44.0
    );
    for (at, day) in days.iter().enumerate() {
        let left = at as f64 * room;
        for (number, (name, colour, count)) in SERIES.iter().enumerate() {
            let count = count(day);
            if count == 0 {
                continue;
            }
            let height = count as f64 / most as f64 * (HEIGHT - 20.0);
            let _ = writeln!(
                text,
                "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{bar:.1}\" height=\"{height:.1}\" fill=\"{colour}\"><title>{}: {count} {name}</title></rect>",
                left + room * 0.1 + bar * number as f64,
                HEIGHT - height,
                day.day
            );
        }
    }
    for (day, anchor, x) in [(days.first(), "start", 0.0), (days.last(), "end", room * days.len() as f64)] {
        if let Some(day) = day {
            let _ = writeln!(
                text,
                "<text x=\"{x:.1}\" y=\"{}\" font-size=\"12\" text-anchor=\"{anchor}\">{}</text>",
                HEIGHT + 16.0,
                day.day
            );
        }
    }
    let mut x = 0.0;
    for (name, colour, _) in SERIES {
        let y = HEIGHT + 28.0;
        let _ = writeln!(
            text,
            "<rect x=\"{x}\" y=\"{y}\" width=\"10\" height=\"10\" fill=\"{colour}\"/><text x=\"{}\" y=\"{}\" font-size=\"12\">{name}</text>",
            x + 14.0,
            y + 10.0
        );
        x += 100.0;
    }
    text.push_str("</svg>\n");
    text
}

fn day_of(date: &str) -> String {
    date.chars().take(10).collect()
}

fn escaped(text: &str) -> String {
    let text = neutral(text).replace("&lt;", "<").replace("&gt;", ">");
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
