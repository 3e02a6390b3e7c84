//! Why an instruction was not understood, in words for the person who wrote it.
//!
//! Must never quote more of the instruction than a line of bounded length, nor its control characters.

use crate::limits::{MAXIMUM_OPERATIONS, MAXIMUM_PARAGRAPH};

/// An instruction that the patterns do not cover. Nothing of it is done.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub(crate) struct Refusal {
    /// The clause that was not understood, as one line; empty when there is no clause at all.
    pub(crate) clause: String,
    /// What is wrong with it.
    pub(crate) reason: Reason,
}

/// What is wrong with a clause.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Reason {
    /// No clause at all.
    #[error("The instruction is empty.")]
    Empty,
    /// A quoted value runs to the end of the instruction.
    #[error("The quote opened with {opening} is never closed.")]
    UnclosedQuote {
        /// The opening mark.
        opening: char,
    },
    /// A quote mark inside or behind a word.
    #[error("The quote mark in {word} opens or closes nothing: put the whole value in quotes.")]
    StrayQuote {
        /// The word.
        word: String,
    },
    /// The first word begins no pattern.
    #[error("It begins like none of the patterns.")]
    UnknownStart,
    /// Something that the pattern needs is not there.
    #[error("Here it lacks {what}.")]
    Missing {
        /// What is missing.
        what: String,
    },
    /// A value that could be read in another way.
    #[error("Without quotes, {word} could mean something else: put the text in quotes.")]
    NeedsQuotes {
        /// The word that makes it so.
        word: String,
    },
    /// A value with nothing in it.
    #[error("{what} must not be empty.")]
    EmptyValue {
        /// Which value.
        what: &'static str,
    },
    /// Not a number, or not one that a paragraph or an occurrence can have.
    #[error("{word} is not a number from 1 to {MAXIMUM_PARAGRAPH}.")]
    Number {
        /// What stands where the number should be.
        word: String,
    },
    /// A range that runs backwards.
    #[error("The range from {first} to {last} runs backwards.")]
    ReversedRange {
        /// Where it starts.
        first: u32,
        /// Where it ends.
        last: u32,
    },
    /// More operations than one instruction may give.
    #[error("It asks for more than {MAXIMUM_OPERATIONS} operations at once: split it up.")]
    TooManyOperations,
    /// One occurrence and all of them, or two places.
    #[error("It says in two different ways which text is meant.")]
    Contradiction,
    /// An occurrence counted in a paragraph that is itself found by its text.
    #[error("Which occurrence cannot be told together with “containing”: name the paragraph by its number.")]
    OccurrenceInContaining,
    /// The pattern is complete, but there is more.
    #[error("The meaning of {word} at this place is not known.")]
    Leftover {
        /// The first word too many.
        word: String,
    },
}

impl Refusal {
    pub(crate) fn new(clause: &str, reason: Reason) -> Self {
        Self { clause: excerpt(clause), reason }
    }
}

/// A piece of an instruction as one line of at most 160 characters, without control characters.
pub(crate) fn excerpt(text: &str) -> String {
    const MAXIMUM_CHARACTERS: usize = 160;
    let mut line: String = text
        .chars()
        .take(MAXIMUM_CHARACTERS)
        .map(|character| if character.is_control() { ' ' } else { character })
        .collect();
    if text.chars().nth(MAXIMUM_CHARACTERS).is_some() {
        line.push('…');
    }
    line
}
