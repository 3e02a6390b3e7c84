//! Reading. Entries are never changed or removed, so that what one transaction sees stays true.

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::fault::Fault;
use crate::Error;
use crate::types::{Entry, Millis, Name, NameRow, Session, SessionId, SessionSummary, Snapshot};

pub(super) const BY_NAME: &str = "
    SELECT s.number, s.id, s.key, s.head, s.created_at, s.wake_at, p.seq, p.state
    FROM names n JOIN sessions s ON s.number = n.session LEFT JOIN snapshots p ON p.session = s.number
    WHERE n.name = ?1";

const BY_ID: &str = "
    SELECT s.number, s.id, s.key, s.head, s.created_at, s.wake_at, p.seq, p.state
    FROM sessions s LEFT JOIN snapshots p ON p.session = s.number
    WHERE s.id = ?1";

const ENTRIES: &str =
    "SELECT place, kind, at, body FROM entries WHERE place > ?1 AND place <= ?2 ORDER BY place LIMIT ?3";

const DUE: &str = "
    SELECT id FROM sessions WHERE wake_at IS NOT NULL AND wake_at <= ?1 ORDER BY wake_at, id LIMIT ?2";

const LIST: &str = "
    SELECT id, key, head, created_at, changed_at, wake_at FROM sessions
    WHERE id < ?1 ORDER BY id DESC LIMIT ?2";

/// The group of a key, as in `Name::group` and in the index `sessions_group`.
macro_rules! group {
    () => {
        "CASE instr(key, char(1)) WHEN 0 THEN '' ELSE substr(key, instr(key, char(1)) + 1,
            instr(substr(key || char(1), instr(key, char(1)) + 1), char(1)) - 1) END"
    };
}

pub(super) const LIST_GROUP: &str = concat!(
    "SELECT id, key, head, created_at, changed_at, wake_at FROM sessions WHERE ",
    group!(),
    " = ?3 AND id < ?1 ORDER BY id DESC LIMIT ?2"
);

pub(super) const UNCHANGED: &str = "
    SELECT id, key, head, created_at, changed_at, wake_at FROM sessions
    WHERE id > ?1 AND changed_at <= ?2 ORDER BY id LIMIT ?3";

const GROUP_SIZE: &str = concat!(
    "SELECT coalesce(sum(
        coalesce((SELECT sum(length(body)) FROM entries
            WHERE place > (number << 32) AND place <= (number << 32) + 4294967295), 0)
        + coalesce((SELECT length(state) FROM snapshots WHERE session = number), 0)), 0)
    FROM sessions WHERE ",
    group!(),
    " = ?1"
);

const NAMES: &str = "SELECT name, value FROM names WHERE session = ?1 ORDER BY name";

pub(super) const VALUE: &str =
    "SELECT s.id, n.value FROM names n JOIN sessions s ON s.number = n.session WHERE n.name = ?1";

const SIZE: &str = "
    SELECT coalesce((SELECT sum(length(body)) FROM entries WHERE place > ?1 AND place <= ?2), 0)
        + coalesce((SELECT length(state) FROM snapshots WHERE session = ?3), 0)";

/// The last number that an entry can have.
const LAST: u64 = u32::MAX as u64;

pub(super) fn load(connection: &Connection, name: &Name) -> Result<Option<Session>, Fault> {
    session(connection, BY_NAME, name.as_str())
}

pub(super) fn load_by_id(connection: &Connection, id: SessionId) -> Result<Option<Session>, Fault> {
    session(connection, BY_ID, id.to_bytes().as_slice())
}

pub(super) fn entries(
    connection: &Connection,
    session: SessionId,
    after: u64,
    limit: usize,
) -> Result<Vec<Entry>, Fault> {
    let number = number_of(connection, session)?;
    Ok(entries_of(connection, number, after, limit)?)
}

pub(super) fn names(connection: &Connection, session: SessionId) -> Result<Vec<(Name, Vec<u8>)>, Fault> {
    let number = number_of(connection, session)?;
    let mut statement = connection.prepare_cached(NAMES)?;
    let rows = statement.query_map([number], |row| Ok((name(row, 0)?, row.get(1)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

pub(super) fn size(connection: &Connection, session: SessionId) -> Result<u64, Fault> {
    let session = number_of(connection, session)?;
    let mut statement = connection.prepare_cached(SIZE)?;
    Ok(statement
        .query_row(params![place(session, 0), place(session, LAST), session], |row| number(row, 0))?)
}

/// The number that a session has in the file.
fn number_of(connection: &Connection, session: SessionId) -> Result<i64, Fault> {
    let mut statement = connection.prepare_cached("SELECT number FROM sessions WHERE id = ?1")?;
    let number = statement.query_row([session.to_bytes()], |row| row.get(0)).optional()?;
    Ok(number.ok_or(Error::UnknownSession { session })?)
}

pub(super) fn due(connection: &Connection, until: Millis, limit: usize) -> Result<Vec<SessionId>, Fault> {
    let mut statement = connection.prepare_cached(DUE)?;
    let rows = statement.query_map(params![int(until), count(limit)], |row| id(row, 0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

pub(super) fn list(
    connection: &Connection,
    group: Option<&str>,
    after: Option<SessionId>,
    limit: usize,
) -> Result<Vec<SessionSummary>, Fault> {
    // One byte more than the greatest id stands behind every id.
    let before = after.map_or_else(|| vec![0xff; 17], |after| after.to_bytes().to_vec());
    match group {
        Some(group) => summaries(connection, LIST_GROUP, params![before, count(limit), group]),
        None => summaries(connection, LIST, params![before, count(limit)]),
    }
}

pub(super) fn unchanged(
    connection: &Connection,
    until: Millis,
    after: Option<SessionId>,
    limit: usize,
) -> Result<Vec<SessionSummary>, Fault> {
    let after = after.map_or_else(Vec::new, |after| after.to_bytes().to_vec());
    summaries(connection, UNCHANGED, params![after, int(until), count(limit)])
}

fn summaries(
    connection: &Connection,
    query: &'static str,
    given: impl rusqlite::Params,
) -> Result<Vec<SessionSummary>, Fault> {
    let mut statement = connection.prepare_cached(query)?;
    let rows = statement.query_map(given, |row| {
        Ok(SessionSummary {
            id: id(row, 0)?,
            key: name(row, 1)?,
            head: number(row, 2)?,
            created_at: number(row, 3)?,
            changed_at: number(row, 4)?,
            wake_at: wake(row, 5)?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

pub(super) fn group_size(connection: &Connection, group: &str) -> Result<u64, Fault> {
    let mut statement = connection.prepare_cached(GROUP_SIZE)?;
    Ok(statement.query_row([group], |row| number(row, 0))?)
}

pub(super) fn value(connection: &Connection, name: &Name) -> Result<Option<NameRow>, Fault> {
    let mut statement = connection.prepare_cached(VALUE)?;
    let row =
        statement.query_row([name.as_str()], |row| Ok(NameRow { session: id(row, 0)?, value: row.get(1)? }));
    Ok(row.optional()?)
}

/// A number as SQLite takes it.
pub(super) fn int(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// A number that cannot be negative.
pub(super) fn number(row: &Row<'_>, index: usize) -> rusqlite::Result<u64> {
    let found: i64 = row.get(index)?;
    u64::try_from(found).map_err(|_| rusqlite::Error::IntegralValueOutOfRange(index, found))
}

/// Where an entry of session `number` stands.
pub(super) fn place(number: i64, seq: u64) -> i64 {
    (number << 32) + int(seq.min(LAST))
}

fn session(
    connection: &Connection,
    query: &'static str,
    wanted: impl rusqlite::ToSql,
) -> Result<Option<Session>, Fault> {
    let mut statement = connection.prepare_cached(query)?;
    let found = statement.query_row([wanted], |row| {
        let snapshot = match row.get(7)? {
            Some(state) => Some(Snapshot { seq: number(row, 6)?, state }),
            None => None,
        };
        let session = Session {
            id: id(row, 1)?,
            key: name(row, 2)?,
            head: number(row, 3)?,
            created_at: number(row, 4)?,
            wake_at: wake(row, 5)?,
            snapshot,
            entries: Vec::new(),
        };
        Ok((row.get(0)?, session))
    });
    let Some((number, mut session)) = found.optional()? else { return Ok(None) };
    let after = session.snapshot.as_ref().map_or(0, |snapshot| snapshot.seq);
    session.entries = entries_of(connection, number, after, usize::MAX)?;
    Ok(Some(session))
}

fn entries_of(
    connection: &Connection,
    number: i64,
    after: u64,
    limit: usize,
) -> rusqlite::Result<Vec<Entry>> {
    let mut statement = connection.prepare_cached(ENTRIES)?;
    let range = params![place(number, after), place(number, LAST), count(limit)];
    let rows = statement.query_map(range, |row| {
        let place = self::number(row, 0)?;
        let at = self::number(row, 2)?;
        Ok(Entry { seq: place & LAST, kind: row.get(1)?, at, body: row.get(3)? })
    })?;
    rows.collect()
}

fn count(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}

fn id(row: &Row<'_>, index: usize) -> rusqlite::Result<SessionId> {
    row.get(index).map(SessionId::from_bytes)
}

fn wake(row: &Row<'_>, index: usize) -> rusqlite::Result<Option<Millis>> {
    let found: Option<i64> = row.get(index)?;
    found.map(|_| number(row, index)).transpose()
}

fn name(row: &Row<'_>, index: usize) -> rusqlite::Result<Name> {
    let wrong = |error| {
        rusqlite::Error::FromSqlConversionFailure(index, rusqlite::types::Type::Text, Box::new(error))
    };
    Name::new(row.get::<_, String>(index)?).map_err(wrong)
}
