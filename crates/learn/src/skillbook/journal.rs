//! Reads and writes the journal of a book: one record a line, the newest last. It is the truth; every other file is made from it.
//!
//! Must never write over what it cannot read. A record says what is so now, so reading one twice changes nothing.

use std::collections::BTreeMap;

use super::book::Book;
pub use super::record::{Record, SessionEnd, SessionMark};

/// A journal that was read.
#[derive(Debug, Default)]
pub struct BookJournal {
    /// The book it makes.
    pub book: Book,
    /// How far each session was learnt from, by its key.
    pub sessions: BTreeMap<String, SessionMark>,
    /// Bytes of whole records. What stands behind was torn by a crash, and is written over.
    pub whole: u64,
    /// Records.
    pub records: u64,
}

impl BookJournal {
    /// Does what a record says.
    pub fn apply(&mut self, record: Record) {
        match record {
            Record::Session { key, state } => {
                self.sessions.insert(key, *state);
            }
            other => self.book.apply(other),
        }
    }

    /// The records that make this journal from nothing, and no more.
    #[must_use]
    pub fn compact(&self) -> Vec<Record> {
        let sessions = self
            .sessions
            .iter()
            .map(|(key, state)| Record::Session { key: key.clone(), state: Box::new(state.clone()) });
        self.book.records().chain(sessions).collect()
    }
}

/// A line that is no record, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DamagedLine {
    /// Which line.
    pub line: u64,
}

/// Bytes of a journal from which on it is read by several threads.
const LARGE: usize = 1 << 20;

/// So many threads at most.
const THREADS: usize = 4;

/// Reads a journal. A last line without its end was torn and does not count.
///
/// # Errors
/// [`DamagedLine`] when a whole line is no record.
pub fn read(bytes: &[u8]) -> Result<BookJournal, DamagedLine> {
    let mut journal = BookJournal::default();
    let whole = memchr::memrchr(b'\n', bytes).map_or(0, |end| end + 1);
    let bytes = bytes.get(..whole).unwrap_or_default();
    journal.book.reserve(memchr::memchr_iter(b'\n', bytes).count());
    for part in parsed(bytes) {
        for record in part {
            journal.apply(record.map_err(|()| DamagedLine { line: journal.records + 1 })?);
            journal.records += 1;
        }
    }
    journal.whole = u64::try_from(whole).unwrap_or_default();
    Ok(journal)
}

/// The records of whole lines, in order: a large journal is cut at lines' ends and its parts are read side by side.
fn parsed(bytes: &[u8]) -> Vec<Vec<Result<Record, ()>>> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(THREADS);
    if bytes.len() < LARGE || threads < 2 {
        return vec![lines(bytes)];
    }
    let mut parts = Vec::new();
    let mut rest = bytes;
    for left in (1..=threads).rev() {
        let at = rest.len() / left;
        let end =
            memchr::memchr(b'\n', rest.get(at..).unwrap_or_default()).map_or(rest.len(), |end| at + end + 1);
        let (part, behind) = rest.split_at(end);
        parts.push(part);
        rest = behind;
    }
    std::thread::scope(|scope| {
        let workers: Vec<_> = parts.iter().map(|part| scope.spawn(|| lines(part))).collect();
        let joined = workers.into_iter().zip(&parts);
        // A thread that could not do its work leaves it to this one.
        joined.map(|(worker, part)| worker.join().unwrap_or_else(|_| lines(part))).collect()
    })
}

/// The record of each line, up to the first that is none.
fn lines(bytes: &[u8]) -> Vec<Result<Record, ()>> {
    // One look at all bytes costs less than one at each string; a part with a bad byte is read line by line.
    let text = simdutf8::basic::from_utf8(bytes).ok();
    let mut records = Vec::with_capacity(memchr::memchr_iter(b'\n', bytes).count());
    let mut begin = 0;
    for end in memchr::memchr_iter(b'\n', bytes) {
        let record = match text.and_then(|text| text.get(begin..end)) {
            Some(line) => serde_json::from_str(line),
            None => serde_json::from_slice(bytes.get(begin..end).unwrap_or_default()),
        };
        let is_bad = record.is_err();
        records.push(record.map_err(|_| ()));
        if is_bad {
            break;
        }
        begin = end + 1;
    }
    records
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
