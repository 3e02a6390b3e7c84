//! Decides who in a trace said a lesson first. Words of a tool or a file are data; only experience teaches.

use std::collections::BTreeSet;

use crate::skillbook::topic;
use crate::skillbook::{Book, SIMILAR};
use crate::trace::{Segment, SegmentKind, Trace};

/// How much of a lesson must stand in one place for that place to be where it comes from.
const SHARE: f64 = 0.8;

/// Words that a lesson must have to be traced at all.
const LEAST: usize = 3;

/// Where a lesson comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LessonOrigin {
    /// Nobody said it: it was drawn from what happened, or a person or the model said it.
    Experience,
    /// A tool's result says it, and no person does.
    ToolText,
    /// A file of instructions or the program says it, and no person does.
    Instructions,
    /// It is a skill that was shown in this session.
    Recall,
}

/// Files whose words are instructions, not experience.
const INSTRUCTIONS: &[&str] = &[
    "AGENTS.md",
    "CLAUDE.md",
    "GEMINI.md",
    "SOUL.md",
    "USER.md",
    "MEMORY.md",
    "HEARTBEAT.md",
    "TOOLS.md",
    "SKILL.md",
    "skillbook",
];

/// Says where `content` comes from.
#[must_use]
pub fn of(trace: &Trace, book: &Book, content: &str) -> LessonOrigin {
    if is_recall(trace, book, content) {
        return LessonOrigin::Recall;
    }
    let words = topic(content);
    if words.len() < LEAST {
        return LessonOrigin::Experience;
    }
    let says = |segment: &&Segment| share(&words, &segment.text) >= SHARE;
    if trace.segments.iter().filter(|segment| segment.kind == SegmentKind::User).any(|segment| says(&segment))
    {
        return LessonOrigin::Experience;
    }
    let mut origin = LessonOrigin::Experience;
    let mut arguments = "";
    for segment in &trace.segments {
        match segment.kind {
            SegmentKind::Call => arguments = &segment.text,
            SegmentKind::Program if says(&segment) => return LessonOrigin::Instructions,
            SegmentKind::Result if says(&segment) => {
                if INSTRUCTIONS.iter().any(|name| arguments.contains(name)) {
                    return LessonOrigin::Instructions;
                }
                origin = LessonOrigin::ToolText;
            }
            _ => {}
        }
    }
    origin
}

/// Whether a known skill like this one stands in the transcript, word for word, where nobody lived through it.
fn is_recall(trace: &Trace, book: &Book, content: &str) -> bool {
    let known = book.like(content, SIMILAR, 5);
    known.iter().filter_map(|found| book.at(found.place)).any(|skill| {
        let is_shown = |segment: &Segment| {
            segment.kind != SegmentKind::Thinking
                && segment.kind != SegmentKind::Response
                && squeezed(&segment.text).contains(&squeezed(&skill.content))
        };
        trace.segments.iter().any(is_shown)
    })
}

/// How much of `words` stands in one paragraph of `text`.
#[expect(clippy::cast_precision_loss, reason = "a lesson has few words")]
fn share(words: &BTreeSet<String>, text: &str) -> f64 {
    let paragraphs = text.split("\n\n").flat_map(windows);
    let best = paragraphs.map(|part| words.intersection(&topic(part)).count()).max().unwrap_or_default();
    best as f64 / words.len() as f64
}

/// A long paragraph in pieces, so that a long text does not hold everything by its length alone.
fn windows(part: &str) -> impl Iterator<Item = &str> {
    let is_long = part.len() > 1_500;
    let pieces: Vec<&str> = if is_long { part.split(['\n', '.']).collect() } else { vec![part] };
    pieces.into_iter()
}

fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}
