//! Shortens a trace, or cuts it into pieces, for a reader with little room.
//!
//! Must never hold more than one part and one piece at a time: a trace can be longer than the memory.

use std::collections::BTreeSet;

use serde::Serialize;

use super::{Segment, SegmentKind, Trace};

/// Characters that are left of what is shortened, at its beginning and at its end.
const LEFT: usize = 200;

/// A reasoning that was shortened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ShortenedTrace {
    /// The reasoning, with a mark at each place where something was left out.
    pub text: String,
    /// Characters that were left out.
    pub left_out: usize,
    /// The lines of the transcript where something was left out.
    pub lines: Vec<u64>,
}

/// What a reader of a trace may see of a text.
pub type Cleaning<'a> = &'a dyn Fn(&str) -> String;

impl Trace {
    /// The whole reasoning in pieces of at most about `budget` characters, each text cleaned. Nothing is left out: a part
    /// that is longer goes on in the next piece, which says so.
    pub fn passes<'a>(&'a self, budget: usize, clean: Cleaning<'a>) -> impl Iterator<Item = String> + 'a {
        Passes::new(self.segments.iter().map(move |segment| told(segment, clean)), budget)
    }

    /// The reasoning in about `budget` characters, each text cleaned: the longest results, then the longest other parts,
    /// keep only their beginning and end.
    #[must_use]
    pub fn view(&self, budget: usize, clean: Cleaning<'_>) -> ShortenedTrace {
        let (mut total, mut sizes) = (0, Vec::with_capacity(self.segments.len()));
        for (at, segment) in self.segments.iter().enumerate() {
            let (label, text) = told(segment, clean);
            let size = text.chars().count();
            total += size + label.chars().count() + 4;
            sizes.push((segment.kind == SegmentKind::Result, size, at));
        }
        // Between two parts stands the end of a line, behind the last none.
        total = total.saturating_sub(1);
        sizes.sort_unstable_by(|a, b| b.cmp(a));
        let (mut cut, mut left_out) = (BTreeSet::new(), 0);
        for (_, size, at) in sizes {
            if total <= budget {
                break;
            }
            if size > 2 * LEFT + 80 {
                let saved = size - 2 * LEFT;
                total = total.saturating_sub(saved);
                left_out += saved;
                cut.insert(at);
            }
        }
        let (mut lines, mut view) = (Vec::new(), String::new());
        for (at, segment) in self.segments.iter().enumerate() {
            if at > 0 {
                view.push('\n');
            }
            let (label, text) = told(segment, clean);
            if cut.contains(&at) {
                lines.push(segment.line);
                view.push_str(&shortened(&label, &text, segment.line));
            } else {
                view.push_str(&format!("[{label}] {text}"));
            }
        }
        ShortenedTrace { text: view, left_out, lines }
    }
}

fn told(segment: &Segment, clean: Cleaning<'_>) -> (String, String) {
    (clean(&segment.label), clean(&segment.text.whole()))
}

fn shortened(label: &str, text: &str, line: u64) -> String {
    let begin = text.char_indices().nth(LEFT).map_or(text.len(), |(at, _)| at);
    let end = text.char_indices().rev().nth(LEFT - 1).map_or(0, |(at, _)| at);
    let (head, tail) = (text.get(..begin).unwrap_or_default(), text.get(end..).unwrap_or_default());
    let out = text.chars().count() - 2 * LEFT;
    format!("[{label}] {head}\n[… {out} characters of line {line} left out …]\n{tail}")
}

/// Packs parts into pieces, one after the other.
struct Passes<I> {
    parts: I,
    budget: usize,
    /// The part that is not all told: its name, its label now, its text, and where that goes on.
    rest: Option<(String, String, String, usize)>,
}

impl<I: Iterator<Item = (String, String)>> Passes<I> {
    fn new(parts: I, budget: usize) -> Self {
        Self { parts, budget: budget.max(100), rest: None }
    }
}

impl<I: Iterator<Item = (String, String)>> Iterator for Passes<I> {
    type Item = String;

    fn next(&mut self) -> Option<String> {
        let (mut piece, mut size) = (String::new(), 0);
        loop {
            let (name, label, text, from) = match self.rest.take() {
                Some(rest) => rest,
                None => match self.parts.next() {
                    Some((label, text)) => {
                        let name = clipped(&label, self.budget / 4).to_owned();
                        (name.clone(), name, text, 0)
                    }
                    None => return (!piece.is_empty()).then_some(piece),
                },
            };
            let rest = text.get(from..).unwrap_or_default();
            let frame = label.chars().count() + 4;
            let room = self.budget.checked_sub(size + frame);
            let end = rest.char_indices().nth(room.unwrap_or(0)).map(|(at, _)| at);
            // What does not fit goes on in the next piece; what would only begin here begins there.
            if !piece.is_empty() && (room.is_none() || end.is_some()) {
                self.rest = Some((name, label, text, from));
                return Some(piece);
            }
            let now = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
            size += now.chars().count() + frame;
            piece.push_str(&format!("[{label}] {now}\n"));
            if let Some(end) = end {
                let label = format!("{name}, continued");
                self.rest = Some((name, label, text, from + end));
            }
        }
    }
}

/// The first `most` characters: a label must leave room for what it labels.
fn clipped(label: &str, most: usize) -> &str {
    label.char_indices().nth(most).map_or(label, |(at, _)| label.split_at(at).0)
}
