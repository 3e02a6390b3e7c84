//! Finds Markdown files that look unfinished.
//!
//! Hints only: any text is Markdown.

use super::{ContentFinding, FindingSeverity, Subject, Validator};
use crate::codes;
use crate::framing::FenceTracker;

pub(super) struct Markdown;

impl Validator for Markdown {
    fn name(&self) -> &'static str {
        "markdown"
    }

    fn check(&self, subject: &Subject<'_>) -> Vec<ContentFinding> {
        let bytes = subject.bytes;
        let mut fences = FenceTracker::default();
        let mut last = (0, &bytes[..0]);
        for (number, line) in (1usize..).zip(bytes.split(|byte| *byte == b'\n')) {
            fences.begin_line();
            fences.feed(line);
            fences.end_line(number as u64);
            if !line.trim_ascii().is_empty() {
                last = (number, line);
            }
        }
        let (number, line) = last;
        let text = String::from_utf8_lossy(line);
        let hint = |message: &str, line: usize| {
            ContentFinding::new(codes::LOOKS_UNFINISHED.name, FindingSeverity::Hint, message)
                .at(bytes, line, 0)
        };
        if let Some(fence) = fences.open() {
            return vec![hint("this fence is not closed", usize::try_from(fence.line).unwrap_or(1))];
        }
        if is_heading(&text) {
            return vec![hint("the file ends with a heading that nothing follows", number)];
        }
        if ends_in_a_sentence(&text) {
            vec![hint("the file ends within a sentence", number)]
        } else {
            Vec::new()
        }
    }
}

fn is_heading(line: &str) -> bool {
    let text = line.trim_start_matches('#');
    let level = line.len() - text.len();
    (1..=6).contains(&level) && (text.is_empty() || text.starts_with([' ', '\t']))
}

/// Whether the line is a longer sentence that ends in a small word or a comma.
fn ends_in_a_sentence(line: &str) -> bool {
    let line = line.trim();
    let is_prose = line.split_whitespace().count() >= 6 && line.starts_with(|c: char| c.is_alphanumeric());
    let word = line.rsplit(char::is_whitespace).next().unwrap_or_default();
    let small =
        ["a", "an", "and", "as", "but", "by", "for", "in", "is", "of", "or", "that", "the", "to", "with"];
    is_prose && (line.ends_with([',', '(', '–', '-']) || small.contains(&word))
}
