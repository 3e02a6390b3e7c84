//! The place of a patch, and the reasons why it does not fit.

use engross_protocol::Code;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use crate::codes;

/// Where the body of a patch goes. Lines count from 1.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum PatchSpec {
    /// Behind a line; behind line 0 is the beginning.
    InsertAfterLine {
        /// The line.
        #[serde(deserialize_with = "number")]
        line: u64,
    },
    /// Before a line; before the one behind the last is the end.
    InsertBeforeLine {
        /// The line.
        #[serde(deserialize_with = "number")]
        line: u64,
    },
    /// In place of some lines. An empty body deletes them.
    ReplaceLines {
        /// The first.
        #[serde(deserialize_with = "number")]
        start_line: u64,
        /// The last.
        #[serde(deserialize_with = "number")]
        end_line: u64,
    },
    /// At the beginning.
    Prepend,
    /// In place of a text that occurs once. Without a line end at its end, the body's last one is not part of it.
    ReplaceText {
        /// The text.
        find: String,
    },
    /// In place of the one match of a pattern. `$1` in the body is no group. Without a line end at the end of a match, the
    /// body's last one is not part of it.
    ReplacePattern {
        /// The pattern, as the `regex` crate has it.
        pattern: String,
        /// Some of `i`, `m`, `s`, `x`; `g` replaces every match.
        #[serde(default)]
        flags: String,
    },
}

/// A number, also as text: many models send it so.
fn number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Number {
        Plain(u64),
        Text(String),
    }
    match Number::deserialize(deserializer) {
        Ok(Number::Plain(number)) => Ok(number),
        Ok(Number::Text(text)) => {
            text.trim().parse().map_err(|_| D::Error::custom("a line is a number from 1"))
        }
        Err(_) => Err(D::Error::custom("a line is a number from 1")),
    }
}

/// Why a patch was not applied.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PatchError {
    /// The text or pattern is not in the file.
    #[error("nothing in the file matches {what}: read the file and quote it exactly")]
    NoMatch {
        /// What was looked for, shortened.
        what: String,
    },
    /// It is there more than once.
    #[error("{what} is in the file {count} times, on lines {lines:?}: quote more, so that it is found once")]
    Ambiguous {
        /// What was looked for, shortened.
        what: String,
        /// How often it was found.
        count: usize,
        /// On which lines, at most 20 of them.
        lines: Vec<u64>,
    },
    /// The file, or the new text, is not UTF-8.
    #[error(
        "it is not UTF-8 behind byte {offset}: only UTF-8 text is patched; overwrite the file, or convert it first"
    )]
    Encoding {
        /// Bytes before that place.
        offset: u64,
    },
    /// The patch itself is wrong.
    #[error("the patch is wrong: {problem}")]
    Invalid {
        /// What is wrong, and what would be right.
        problem: String,
    },
}

impl PatchError {
    /// The row of its code.
    #[must_use]
    pub fn row(&self) -> &'static Code {
        match self {
            Self::NoMatch { .. } => codes::PATCH_NO_MATCH,
            Self::Ambiguous { .. } => codes::PATCH_AMBIGUOUS,
            Self::Encoding { .. } => codes::ENCODING_INVALID,
            Self::Invalid { .. } => codes::PATCH_INVALID,
        }
    }
}
