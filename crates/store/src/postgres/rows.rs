//! Between rows and values.

use tokio_postgres::Row;

use crate::Error;
use crate::types::{Entry, Name, NewEntry, Session, SessionId, SessionSummary, Snapshot};

/// What was read from a row, or what is wrong with it.
pub(super) type Columns<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// Entries as one array for each column.
pub(super) struct EntryColumns<'a> {
    pub(super) kinds: Vec<&'a str>,
    pub(super) ats: Vec<i64>,
    pub(super) bodies: Vec<&'a [u8]>,
}

/// Names as one array for each column.
pub(super) struct NameColumns<'a> {
    pub(super) names: Vec<&'a str>,
    pub(super) values: Vec<&'a [u8]>,
}

pub(super) fn entries(entries: &[NewEntry]) -> EntryColumns<'_> {
    EntryColumns {
        kinds: entries.iter().map(|entry| entry.kind).collect(),
        ats: entries.iter().map(|entry| int(entry.at)).collect(),
        bodies: entries.iter().map(|entry| entry.body.as_slice()).collect(),
    }
}

pub(super) fn names<'a>(names: Vec<(&'a Name, &'a [u8])>) -> NameColumns<'a> {
    let (names, values) = names.into_iter().map(|(name, value)| (name.as_str(), value)).unzip();
    NameColumns { names, values }
}

pub(super) fn session(row: &Row) -> Columns<Session> {
    let snapshot = match row.try_get(6)? {
        Some(state) => Some(Snapshot { seq: number(row, 5)?, state }),
        None => None,
    };
    Ok(Session {
        id: id(row, 0)?,
        key: name(row, 1)?,
        head: number(row, 2)?,
        created_at: number(row, 3)?,
        wake_at: optional(row, 4)?,
        snapshot,
        entries: Vec::new(),
    })
}

pub(super) fn summary(row: &Row) -> Columns<SessionSummary> {
    Ok(SessionSummary {
        id: id(row, 0)?,
        key: name(row, 1)?,
        head: number(row, 2)?,
        created_at: number(row, 3)?,
        changed_at: number(row, 4)?,
        wake_at: optional(row, 5)?,
    })
}

pub(super) fn entry(row: &Row) -> Columns<Entry> {
    Ok(Entry { seq: number(row, 0)?, kind: row.try_get(1)?, at: number(row, 2)?, body: row.try_get(3)? })
}

/// A number as Postgres takes it.
pub(super) fn int(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// A number that cannot be negative.
pub(super) fn number(row: &Row, index: usize) -> Columns<u64> {
    Ok(u64::try_from(row.try_get::<_, i64>(index)?)?)
}

/// A number that cannot be negative, or none.
pub(super) fn optional(row: &Row, index: usize) -> Columns<Option<u64>> {
    Ok(row.try_get::<_, Option<i64>>(index)?.map(u64::try_from).transpose()?)
}

pub(super) fn id(row: &Row, index: usize) -> Columns<SessionId> {
    let bytes: &[u8] = row.try_get(index)?;
    Ok(SessionId::from_bytes(bytes.try_into()?))
}

pub(super) fn name(row: &Row, index: usize) -> Columns<Name> {
    Ok(Name::new(row.try_get::<_, String>(index)?)?)
}

/// A row that does not have the shape we gave it.
pub(super) fn unreadable(place: &str, message: &str) -> Error {
    Error::Damaged { place: place.to_owned(), message: message.to_owned() }
}
