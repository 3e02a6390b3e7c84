//! Where a line of a transcript comes from, so that an export can go on behind its last one.

use serde::Deserialize;
use serde_json::{Value, json};

/// The field that holds a line's mark. Readers of transcripts leave fields alone that they do not know.
const FIELD: &str = "__engross";

/// Which line of which entry. Marks grow from line to line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mark {
    /// The number of the log's entry.
    pub seq: u64,
    /// Counts the lines of one entry from 0.
    pub index: u32,
}

/// One line of a transcript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Where it comes from.
    pub mark: Mark,
    /// A JSON object without a line break.
    pub json: String,
}

#[derive(Deserialize)]
struct MarkedLine {
    #[serde(rename = "__engross")]
    mark: StoredMark,
}

#[derive(Deserialize)]
struct StoredMark {
    seq: u64,
    index: u32,
}

impl Mark {
    /// The mark of a line that was written by a [`super::Transcriber`]; `None` for any other text.
    #[must_use]
    pub fn of(line: &[u8]) -> Option<Self> {
        let MarkedLine { mark } = serde_json::from_slice(line).ok()?;
        Some(Self { seq: mark.seq, index: mark.index })
    }

    /// The line of `value`, an object, with this mark in it.
    pub(super) fn line(self, mut value: Value) -> Line {
        if let Some(fields) = value.as_object_mut() {
            fields.insert(FIELD.to_owned(), json!({"seq": self.seq, "index": self.index}));
        }
        Line { mark: self, json: value.to_string() }
    }
}
