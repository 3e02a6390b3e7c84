//! What an agent has said in a run so far, and is not in the log.
//!
//! Must never join words of two messages into one answer, or leave a hole in one.

use std::collections::BTreeSet;

use engross_artifacts::media_tokens;

/// The most bytes of an answer that are kept.
pub(super) const LONGEST_TEXT: usize = 8 << 20;

/// How many calls are told apart: an agent that makes more has begun a new message long before.
const MOST_CALLS: usize = 10_000;

/// How many warnings are kept.
const MOST_WARNINGS: usize = 20;

/// What was heard of an answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct AnswerText {
    /// The newest message that has words (contracts/tasks.md §6, case 52): what was said before a tool was called is not the answer.
    pub(super) text: String,
    /// Files elsewhere that any message names.
    pub(super) files: Vec<String>,
    /// What was not as it should be.
    pub(super) warnings: Vec<String>,
    calls: BTreeSet<String>,
    is_over: bool,
    is_full: bool,
}

impl AnswerText {
    /// More words.
    pub(super) fn hear(&mut self, words: &str) {
        if words.is_empty() {
            return;
        }
        if std::mem::take(&mut self.is_over) {
            let named = media_tokens(&self.text);
            self.name(named);
            self.text.clear();
            self.is_full = false;
        }
        if self.is_full {
            return;
        }
        let room = LONGEST_TEXT.saturating_sub(self.text.len());
        if words.len() > room {
            self.is_full = true;
            self.text.push_str(words.get(..words.floor_char_boundary(room)).unwrap_or_default());
            self.text.push_str("\n[… the answer is longer than 8 MiB; the rest is left out …]");
        } else {
            self.text.push_str(words);
        }
    }

    /// A tool is called, or something is told of a call.
    pub(super) fn call(&mut self, id: &str) {
        if self.calls.len() < MOST_CALLS && self.calls.insert(id.to_owned()) {
            self.is_over = true;
        }
    }

    /// Something is not as it should be.
    pub(super) fn warn(&mut self, warning: String) {
        if self.warnings.len() < MOST_WARNINGS && !self.warnings.contains(&warning) {
            self.warnings.push(warning);
        }
    }

    /// Files are named.
    pub(super) fn name(&mut self, files: Vec<String>) {
        for file in files {
            if !self.files.contains(&file) {
                self.files.push(file);
            }
        }
    }
}
