//! Which of many texts can hold a phrase, in one look through all of them.
//!
//! Must never leave out a text that does hold it; whether one does, `matching` says.

use memchr::memmem;

use super::folding::{Folding, LetterCase, fold_letters};

/// Parts the texts; XML cannot hold it, so no phrase of a document does.
const SEPARATOR: char = '\u{ffff}';

/// Texts in their broadest form: without objects, case and typography.
#[derive(Debug, Clone, Default)]
pub(crate) struct TextIndex {
    all: String,
    /// Where each text ends in `all`.
    ends: Vec<usize>,
}

impl TextIndex {
    pub(crate) fn of<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        let mut index = Self::default();
        for text in texts {
            push_broadest(&mut index.all, text);
            index.all.push(SEPARATOR);
            index.ends.push(index.all.len());
        }
        index
    }

    /// The texts that may hold the phrase, in order.
    pub(crate) fn candidates(&self, phrase: &str) -> Vec<usize> {
        let mut wanted = String::new();
        push_broadest(&mut wanted, phrase);
        if wanted.is_empty() {
            return (0..self.ends.len()).collect();
        }
        let mut found = Vec::new();
        let mut start = 0;
        let finder = memmem::Finder::new(wanted.as_bytes());
        while let Some(at) = self.all.as_bytes().get(start..).and_then(|rest| finder.find(rest)) {
            let text = self.ends.partition_point(|end| *end <= start + at);
            found.push(text);
            start = self.ends.get(text).copied().unwrap_or(self.all.len());
        }
        found
    }
}

fn push_broadest(all: &mut String, text: &str) {
    // Folding changes nothing else in it.
    if text.is_ascii() && !text.contains("  ") {
        all.extend(text.chars().map(|c| c.to_ascii_lowercase()));
    } else {
        all.push_str(&fold_letters(text, Folding::TypographyAndObjects, LetterCase::Ignored).text);
    }
}
