//! The book as what happened to it: one record a line, the newest last. The truth; every other file is made from it.
//!
//! Must never write over what it cannot read. A record says what is so now, so reading one twice changes nothing.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::book::Book;
use super::skill::{Skill, Vote};

/// Something that is so from now on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Record {
    /// A skill, whole.
    Put(Box<Skill>),
    /// What a trace says about a skill, instead of what it said before.
    Vote {
        /// The skill.
        id: String,
        /// The trace.
        trace: String,
        /// What it says.
        vote: Vote,
    },
    /// Two skills are two things.
    Apart {
        /// One.
        one: String,
        /// The other.
        other: String,
        /// What was said about it.
        why: Value,
    },
    /// What stands beside the skills.
    Other {
        /// Fields that mean nothing here.
        fields: Map<String, Value>,
        /// The highest number that an id has had.
        last_number: u64,
    },
}

/// A journal that was read.
#[derive(Debug, Default)]
pub struct Journal {
    /// The book it makes.
    pub book: Book,
    /// Bytes of whole records. What stands behind was torn by a crash, and is written over.
    pub whole: u64,
    /// Records.
    pub records: u64,
}

/// A line that is no record, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Damaged {
    /// Which line.
    pub line: u64,
}

/// Reads a journal. A last line without its end was torn and does not count.
///
/// # Errors
/// [`Damaged`] when a whole line is no record.
pub fn read(bytes: &[u8]) -> Result<Journal, Damaged> {
    let mut journal = Journal::default();
    let mut rest = bytes;
    while let Some(end) = memchr::memchr(b'\n', rest) {
        let (line, later) = rest.split_at(end);
        let record: Record =
            serde_json::from_slice(line).map_err(|_| Damaged { line: journal.records + 1 })?;
        journal.book.take(record);
        journal.records += 1;
        rest = later.get(1..).unwrap_or_default();
    }
    journal.whole = u64::try_from(bytes.len() - rest.len()).unwrap_or_default();
    Ok(journal)
}

/// The lines of some records.
#[must_use]
pub fn write<'a>(records: impl IntoIterator<Item = &'a Record>) -> Vec<u8> {
    let mut lines = Vec::new();
    for record in records {
        // A record has string keys only, so this cannot fail.
        if serde_json::to_writer(&mut lines, record).is_ok() {
            lines.push(b'\n');
        }
    }
    lines
}
