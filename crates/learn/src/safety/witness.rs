//! Says whether anything that a lesson is about was said by a person or done by the agent in a session.
//!
//! What a model writes down may come from a page that it read, in words of its own, so that no text of a tool gives it away. A lesson
//! about nothing that a person said and no call did has no witness. Must never take the words of tools, programs or models for one.

use std::collections::HashSet;

use crate::skillbook::topic;
use crate::trace::{SegmentKind, Trace};

/// Bytes of one text that are looked at: what a lesson is about stands at the beginning of a call, and persons are brief.
const MOST: usize = 64 << 10;

/// What a lesson's words must weigh together: one name counts two.
const LEAST: usize = 2;

/// One in so many of a lesson's words must have a witness.
const SHARE: usize = 4;

/// The words of persons and of calls in a session.
#[derive(Debug)]
pub(crate) struct WitnessWords(HashSet<String>);

impl WitnessWords {
    pub(crate) fn of(trace: &Trace) -> Self {
        let mut words = HashSet::new();
        let is_witness = |kind| matches!(kind, SegmentKind::User | SegmentKind::Call);
        for segment in trace.segments.iter().filter(|segment| is_witness(segment.kind)) {
            let text = segment.text.whole();
            let head = text.get(..text.floor_char_boundary(MOST)).unwrap_or_default();
            for word in topic(&segment.label.replace(':', " ")).into_iter().chain(topic(head)) {
                words.extend(pairs(&word));
                words.insert(word);
            }
        }
        Self(words)
    }

    /// Whether enough of what a lesson says was said or done.
    pub(crate) fn bear_out(&self, content: &str) -> bool {
        let words = topic(content);
        let weight: usize = words.iter().map(|word| self.weight(word)).sum();
        weight >= LEAST && weight * SHARE >= words.len()
    }

    fn weight(&self, word: &str) -> usize {
        let pairs = pairs(word);
        if !pairs.is_empty() {
            let known = pairs.iter().filter(|pair| self.0.contains(*pair)).count();
            // A whole clause is one word where words are not set apart.
            return if known * 3 >= pairs.len() { known.min(3) } else { 0 };
        }
        let is_name = word.chars().count() >= 3 && word.contains(['_', '/', '.', '-'])
            || word.len() >= 2 && word.bytes().any(|byte| byte.is_ascii_digit());
        match self.0.contains(word) {
            true if is_name => 2,
            true => 1,
            false => 0,
        }
    }
}

/// The pairs of characters in a word of a script that sets no words apart.
fn pairs(word: &str) -> Vec<String> {
    let chars: Vec<char> = word.chars().collect();
    if !chars
        .iter()
        .any(|c| matches!(c, '\u{2e80}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{e00}'..='\u{eff}'))
    {
        return Vec::new();
    }
    chars.windows(2).map(|pair| pair.iter().collect()).collect()
}
