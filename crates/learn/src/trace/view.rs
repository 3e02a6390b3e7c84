//! Shortens a trace for a reader with little room.

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

impl Trace {
    /// The whole reasoning in pieces of at most about `budget` characters. Nothing is left out: a part that is longer goes on
    /// in the next piece, which says so.
    #[must_use]
    pub fn passes(&self, budget: usize) -> Vec<String> {
        passes(&self.segments, budget)
    }

    /// The reasoning in about `budget` characters: the longest results, then the longest other parts, keep only their
    /// beginning and end.
    #[must_use]
    pub fn view(&self, budget: usize) -> ShortenedTrace {
        let mut sizes: Vec<(bool, usize, usize)> = self
            .segments
            .iter()
            .enumerate()
            .map(|(at, segment)| (segment.kind == SegmentKind::Result, segment.text.chars().count(), at))
            .collect();
        let mut total: usize = self.reasoning.chars().count();
        sizes.sort_unstable_by(|a, b| b.cmp(a));
        let (mut cut, mut left_out) = (Vec::new(), 0);
        for (_, size, at) in sizes {
            if total <= budget {
                break;
            }
            if size > 2 * LEFT + 80 {
                let saved = size - 2 * LEFT;
                total = total.saturating_sub(saved);
                left_out += saved;
                cut.push(at);
            }
        }
        let mut lines = Vec::new();
        let shown: Vec<String> = self
            .segments
            .iter()
            .enumerate()
            .map(|(at, segment)| {
                if !cut.contains(&at) {
                    return segment.shown();
                }
                lines.push(segment.line);
                shortened(segment)
            })
            .collect();
        ShortenedTrace { text: shown.join("\n"), left_out, lines }
    }
}

fn shortened(segment: &Segment) -> String {
    let text = &segment.text;
    let begin = text.char_indices().nth(LEFT).map_or(text.len(), |(at, _)| at);
    let end = text.char_indices().rev().nth(LEFT - 1).map_or(0, |(at, _)| at);
    let (head, tail) = (text.get(..begin).unwrap_or_default(), text.get(end..).unwrap_or_default());
    let out = text.chars().count() - 2 * LEFT;
    format!("[{}] {head}\n[… {out} characters of line {} left out …]\n{tail}", segment.label, segment.line)
}

/// Packs segments into pieces.
pub(crate) fn passes(segments: &[Segment], budget: usize) -> Vec<String> {
    let budget = budget.max(100);
    let mut passes = Vec::new();
    let (mut piece, mut size) = (String::new(), 0);
    for segment in segments {
        let name = clipped(&segment.label, budget / 4);
        let mut label = name.to_owned();
        let mut rest = segment.text.as_str();
        loop {
            let frame = label.chars().count() + 4;
            let room = budget.checked_sub(size + frame);
            let end = rest.char_indices().nth(room.unwrap_or(0)).map(|(at, _)| at);
            // What does not fit goes on in the next piece; what would only begin here begins there.
            if !piece.is_empty() && (room.is_none() || end.is_some()) {
                passes.push(std::mem::take(&mut piece));
                size = 0;
                continue;
            }
            let (now, later) = rest.split_at(end.unwrap_or(rest.len()));
            piece.push_str(&format!("[{label}] {now}\n"));
            size += now.chars().count() + frame;
            if end.is_none() {
                break;
            }
            rest = later;
            label = format!("{name}, continued");
        }
    }
    if !piece.is_empty() {
        passes.push(piece);
    }
    passes
}

/// The first `most` characters: a label must leave room for what it labels.
fn clipped(label: &str, most: usize) -> &str {
    label.char_indices().nth(most).map_or(label, |(at, _)| label.split_at(at).0)
}
