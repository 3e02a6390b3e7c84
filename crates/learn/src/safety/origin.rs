//! Decides who in a trace said a lesson first. Words of a tool or a file are data; only experience teaches.

use std::borrow::Cow;
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
        if words.len() < LEAST {
            return false;
        }
        let text = segment.text.whole();
        finder.may_say(&text) && share(&words, &text) >= SHARE
    };
    if trace.segments.iter().filter(|segment| segment.kind == SegmentKind::User).any(|segment| says(&segment))
    {
        return LessonOrigin::Experience;
    }
    let mut origin = match ToolNames::of(trace, [content]).has_one_in(content) {
        true => LessonOrigin::ToolText,
        false => LessonOrigin::Experience,
    };
    let mut arguments = Cow::Borrowed("");
    for segment in &trace.segments {
        match segment.kind {
            SegmentKind::Call => arguments = segment.text.whole(),
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
                SegmentKind::User => segment.text.whole().contains(&skill.id),
                _ => true,
            };
            if !is_place {
                return false;
            }
            let text = segment.text.whole();
            finder.may_say(&text) && squeezed(&text).contains(&wanted)
        };
        trace.segments.iter().any(is_shown)
    })
}

/// Says where a lesson comes from that was drawn from calls of this trace: only its names can be another's.
pub(crate) fn of_calls(names: &ToolNames, content: &str) -> LessonOrigin {
    if names.has_one_in(content) { LessonOrigin::ToolText } else { LessonOrigin::Experience }
}

/// Says where a lesson comes from that a person said in this trace: from the person, unless skills were pasted there.
pub(crate) fn of_person(trace: &Trace, book: &Book, content: &str) -> LessonOrigin {
    let said = trace.segments.iter().filter(|segment| segment.kind == SegmentKind::User);
    let known: Vec<_> = book.same(content).collect();
    let mut shown = said.filter(|_| !known.is_empty());
    let names = |text: &str| known.iter().any(|skill| text.contains(&skill.id));
    if shown.any(|segment| names(&segment.text.whole())) {
        LessonOrigin::Recall
    } else {
        LessonOrigin::Experience
    }
}

/// Names in lessons – paths, hosts, identifiers – that were first seen in what a tool printed, and that no person said. One look
/// at a trace for all lessons.
#[derive(Debug, Default)]
pub(crate) struct ToolNames(BTreeSet<String>);

impl ToolNames {
    pub(crate) fn of<'a>(trace: &Trace, contents: impl IntoIterator<Item = &'a str>) -> Self {
        let names: BTreeSet<String> = contents.into_iter().flat_map(names_in).collect();
        let names: Vec<String> = names.into_iter().collect();
        if names.is_empty() {
            return Self::default();
        }
        let Ok(finder) = AhoCorasick::builder().ascii_case_insensitive(true).build(&names) else {
            return Self::default();
        };
        // For each name whether a tool said it first.
        let mut first: Vec<Option<bool>> = vec![None; names.len()];
        for segment in &trace.segments {
            let is_persons = segment.kind == SegmentKind::User;
            if !is_persons && first.iter().all(Option::is_some) {
                continue;
            }
            for text in [Cow::Borrowed(&*segment.label), segment.text.whole()] {
                for found in finder.find_overlapping_iter(text.as_ref()) {
                    let Some(said) = first.get_mut(found.pattern().as_usize()) else { continue };
                    if is_persons {
                        *said = Some(false);
                    } else {
                        said.get_or_insert(segment.is_untrusted());
                    }
                }
            }
        }
        let of_tools = names.into_iter().zip(first).filter(|(_, said)| *said == Some(true));
        Self(of_tools.map(|(name, _)| name).collect())
    }

    fn has_one_in(&self, content: &str) -> bool {
        !self.0.is_empty() && names_in(content).any(|name| self.0.contains(&name))
    }
}

fn names_in(content: &str) -> impl Iterator<Item = String> {
    raw_words(content).chain(code_spans(content)).filter(|name| is_name(name))
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
