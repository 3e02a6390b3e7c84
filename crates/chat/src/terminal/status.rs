//! The line below the one that is typed: what goes on, for how long, and what can be done.
//!
//! Must never be wider than the terminal.

use super::screen::{Phase, Screen, Work};
use super::styled::{Colour, Style, StyledLine};

/// The pictures of a wheel that turns.
const WHEEL: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

/// How long each is shown, in milliseconds.
const TURN: u64 = 120;

/// The line at a moment, in milliseconds.
pub(super) fn status(screen: &Screen, now: u64) -> StyledLine {
    let mut line = StyledLine::default();
    if !screen.questions.is_empty() {
        line.push("Agree? ", Style { bold: true, ..Style::coloured(Colour::Yellow) });
        for (key, meaning) in [("y", "es  "), ("n", "o  "), ("a", "lways")] {
            line.push(key, Style { bold: true, underline: true, ..Style::default() });
            line.push(meaning, Style::default());
        }
        line.push("  Ctrl-C stops", Style::DIM);
    } else if let Some(work) = &screen.work {
        working(&mut line, work, now);
        if let Phase::Aloud(_, latest) = &work.phase {
            thought(&mut line, latest, screen.width);
        }
    } else if screen.leaving.is_some() {
        line.push("Ctrl-C once more ends the chat; your line is kept", Style::coloured(Colour::Yellow));
    } else {
        line.push(&screen.about, Style::DIM);
        let tokens = screen.usage.input_tokens + screen.usage.output_tokens;
        if tokens > 0 {
            line.push(&format!(" · {tokens} tokens"), Style::DIM);
        }
        line.push(" · /help", Style::DIM);
    }
    match screen.queue.len() {
        0 => {}
        1 => line.push(" · 1 message waits", Style::coloured(Colour::Cyan)),
        waiting => line.push(&format!(" · {waiting} messages wait"), Style::coloured(Colour::Cyan)),
    }
    line.cut(screen.width.saturating_sub(1))
}

fn working(line: &mut StyledLine, work: &Work, now: u64) {
    let passed = now.saturating_sub(work.since);
    let picture = usize::try_from(passed / TURN).unwrap_or_default() % WHEEL.len();
    line.push(WHEEL.get(picture).copied().unwrap_or_default(), Style::coloured(Colour::Cyan));
    let what = match &work.phase {
        _ if work.is_stopping => "Stopping",
        Phase::Thinking | Phase::Aloud(..) => "Thinking",
        Phase::Text => "Answering",
        Phase::Busy(message) => message.trim_end_matches([' ', '…']),
    };
    line.push(&format!(" {what}"), Style::default());
    line.push(&format!(" · {}", duration(passed)), Style::DIM);
    if let Phase::Aloud(bytes, _) = work.phase {
        line.push(&format!(" · {bytes} bytes"), Style::DIM);
    }
    let end = if work.is_stopping { " · Ctrl-C ends the chat" } else { " · Ctrl-C stops" };
    line.push(end, Style::DIM);
}

/// The last words of what the model thinks, as many as there is room for.
fn thought(line: &mut StyledLine, latest: &str, width: usize) {
    let words: Vec<&str> = latest.split_whitespace().collect();
    let room = width.saturating_sub(line.width() + 7);
    let mut last = StyledLine::of(&words.join(" "), Style::DIM).text();
    while StyledLine::of(&last, Style::DIM).width() > room {
        last = last.split_once(' ').map_or_else(String::new, |(_, rest)| rest.to_owned());
    }
    if !last.is_empty() {
        line.push(" · ", Style::DIM);
        line.push(&format!("… {last}"), Style { italic: true, ..Style::DIM });
    }
}

/// Seconds, or minutes and seconds.
fn duration(millis: u64) -> String {
    let seconds = millis / 1000;
    if seconds < 60 { format!("{seconds} s") } else { format!("{} min {:02} s", seconds / 60, seconds % 60) }
}
