//! Decides who in a trace said a lesson first. Words of a tool or a file are data; only experience teaches.

use std::collections::BTreeSet;

use aho_corasick::AhoCorasick;

use crate::skillbook::{Book, SIMILAR, is_canonical, raw_words, topic};
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
    let finder = WordFinder::of(&words);
    let says = |segment: &&Segment| {
        words.len() >= LEAST && finder.may_say(&segment.text) && share(&words, &segment.text) >= SHARE
    };
    if trace.segments.iter().filter(|segment| segment.kind == SegmentKind::User).any(|segment| says(&segment))
    {
        return LessonOrigin::Experience;
    }
    let mut origin = match has_name_from_tools(trace, content) {
        true => LessonOrigin::ToolText,
        false => LessonOrigin::Experience,
    };
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

/// Whether a known skill like this one stands in the transcript, word for word, where nobody lived through it. A person who
/// says it has lived through something, unless its id stands with it.
fn is_recall(trace: &Trace, book: &Book, content: &str) -> bool {
    let known = book.like(content, SIMILAR, 5);
    known.iter().filter_map(|found| book.at(found.place)).any(|skill| {
        let finder = WordFinder::of(&topic(&skill.content));
        let wanted = squeezed(&skill.content);
        let is_shown = |segment: &Segment| {
            let is_place = match segment.kind {
                SegmentKind::Thinking | SegmentKind::Response => false,
                SegmentKind::User => segment.text.contains(&skill.id),
                _ => true,
            };
            is_place && finder.may_say(&segment.text) && squeezed(&segment.text).contains(&wanted)
        };
        trace.segments.iter().any(is_shown)
    })
}

/// Whether a name in `content` – a path, a host, an identifier in code marks – was first seen in what a tool printed, and no
/// person said it.
fn has_name_from_tools(trace: &Trace, content: &str) -> bool {
    let mut names: Vec<String> =
        raw_words(content).chain(code_spans(content)).filter(|name| is_name(name)).collect();
    names.sort_unstable();
    names.dedup();
    names.iter().any(|name| {
        let Ok(finder) = AhoCorasick::builder().ascii_case_insensitive(true).build([name]) else {
            return false;
        };
        let is_told = |segment: &&Segment| finder.is_match(&segment.text) || finder.is_match(&segment.label);
        let mut told = trace.segments.iter().filter(is_told);
        told.next().is_some_and(Segment::is_untrusted)
            && !told.any(|segment| segment.kind == SegmentKind::User)
    })
}

/// The words of a text's code marks.
fn code_spans(text: &str) -> impl Iterator<Item = String> {
    let spans = text.split('`').enumerate().filter(|(at, _)| at % 2 == 1).map(|(_, span)| span);
    spans.flat_map(|span| span.split([' ', ':', '=']).map(str::to_lowercase))
}

fn is_name(word: &str) -> bool {
    let has_letter = word.chars().any(char::is_alphabetic);
    has_letter && word.chars().count() >= 4 && word.contains(['_', '/', '.', '-'])
}

/// Looks quickly whether a text can say enough of a lesson to be read word by word.
struct WordFinder {
    finder: Option<AhoCorasick>,
    /// So many different beginnings of words must be found.
    least: usize,
}

impl WordFinder {
    fn of(words: &BTreeSet<String>) -> Self {
        // Words are stems and may stand for their like, so only beginnings of plain ones are looked for.
        let plain = words.iter().filter(|word| word.is_ascii() && !is_canonical(word));
        let plain: Vec<&str> = plain.filter_map(|word| word.get(..word.len().min(4))).collect();
        let missing = words.len() - plain.len();
        let least = (words.len() * 4).div_ceil(5).saturating_sub(missing);
        Self { finder: AhoCorasick::builder().ascii_case_insensitive(true).build(&plain).ok(), least }
    }

    fn may_say(&self, text: &str) -> bool {
        let Some(finder) = self.finder.as_ref().filter(|_| self.least > 0) else { return true };
        let mut seen = BTreeSet::new();
        finder.find_overlapping_iter(text).any(|found| {
            seen.insert(found.pattern());
            seen.len() >= self.least
        })
    }
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
