//! Writing, within a transaction of the writer's. Every check comes before the first change, so that a refused request
//! leaves the transaction as it was.

use rusqlite::{Connection, OptionalExtension, params};

use super::fault::Fault;
use super::read::{self, int, number, place};
use crate::Error;
use crate::types::{Append, Fence, Millis, Name, NewEntry, NewSession, Session, SessionId};

const CREATE: &str = "
    INSERT INTO sessions (id, key, head, created_at, changed_at, wake_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
const FIND: &str =
    "SELECT number, head, fence, leased_until, coalesce(holder, '') FROM sessions WHERE id = ?1";
const ENTRY: &str = "INSERT INTO entries (place, kind, at, body) VALUES (?1, ?2, ?3, ?4)";
const NAME: &str = "INSERT INTO names (name, session, value) VALUES (?1, ?2, ?3)";
const SNAPSHOT: &str = "
    INSERT INTO snapshots (session, seq, state) VALUES (?1, ?2, ?3)
    ON CONFLICT (session) DO UPDATE SET seq = excluded.seq, state = excluded.state";
const MOVE: &str = "UPDATE sessions SET head = ?2, changed_at = coalesce(?3, changed_at) WHERE number = ?1";
const WAKE: &str = "UPDATE sessions SET wake_at = ?2 WHERE number = ?1";
const LEASE: &str = "UPDATE sessions SET fence = ?2, holder = ?3, leased_until = ?4 WHERE number = ?1";

/// What the writer must know of a session.
struct Found {
    number: i64,
    head: u64,
    fence: u64,
    leased_until: Millis,
    holder: String,
}

pub(super) fn create(connection: &Connection, new: &NewSession) -> Result<(Session, bool), Fault> {
    new.check_size()?;
    let names = new.all_names();
    for (name, _) in &names {
        if let Some(session) = read::load(connection, name)? {
            return Ok((session, false));
        }
    }
    if let Some(found) = find(connection, new.id)? {
        return Err(Error::Conflict { session: new.id, expected: 0, head: found.head }.into());
    }
    let changed_at = new.entries.last().map_or(new.at, |entry| entry.at);
    let (head, wake_at) = (int(new.entries.len() as u64), new.wake_at.map(int));
    connection.prepare_cached(CREATE)?.execute(params![
        new.id.to_bytes(),
        new.key.as_str(),
        head,
        int(new.at),
        int(changed_at),
        wake_at
    ])?;
    let session = connection.last_insert_rowid();
    put(connection, session, 0, &new.entries, &names, new.snapshot.as_deref())?;
    Ok((new.clone().into_session(), true))
}

pub(super) fn append(connection: &Connection, append: &Append) -> Result<u64, Fault> {
    append.check_size()?;
    let session = append.session;
    let found = find(connection, session)?.ok_or(Error::UnknownSession { session })?;
    if let Some(fence) = append.fence.filter(|fence| fence.0 != found.fence) {
        return Err(Error::Fenced { session, fence, newest: Fence(found.fence) }.into());
    }
    if append.expected_head != found.head {
        return Err(Error::Conflict { session, expected: append.expected_head, head: found.head }.into());
    }
    let names = append.distinct_names();
    for (name, _) in &names {
        if let Some(taken) = read::value(connection, name)? {
            return Err(Error::NameTaken { name: (*name).clone(), session: taken.session }.into());
        }
    }
    let head =
        put(connection, found.number, found.head, &append.entries, &names, append.snapshot.as_deref())?;
    if let Some(last) = append.entries.last() {
        connection.prepare_cached(MOVE)?.execute(params![found.number, int(head), int(last.at)])?;
    }
    if let Some(wake_at) = append.wake_at {
        connection.prepare_cached(WAKE)?.execute(params![found.number, wake_at.map(int)])?;
    }
    Ok(head)
}

pub(super) fn lease(
    connection: &Connection,
    session: SessionId,
    holder: &str,
    now: Millis,
    ttl: Millis,
) -> Result<Option<Fence>, Fault> {
    let found = find(connection, session)?.ok_or(Error::UnknownSession { session })?;
    let held = found.leased_until > now;
    if held && found.holder != holder {
        return Ok(None);
    }
    let fence = if held { found.fence } else { found.fence + 1 };
    let until = int(now.saturating_add(ttl));
    connection.prepare_cached(LEASE)?.execute(params![found.number, int(fence), holder, until])?;
    Ok(Some(Fence(fence)))
}

pub(super) fn release(connection: &Connection, session: SessionId, fence: Fence) -> Result<(), Fault> {
    let found = find(connection, session)?.ok_or(Error::UnknownSession { session })?;
    if found.fence == fence.0 {
        let nobody: Option<&str> = None;
        connection.prepare_cached(LEASE)?.execute(params![found.number, int(fence.0), nobody, 0])?;
    }
    Ok(())
}

fn find(connection: &Connection, session: SessionId) -> Result<Option<Found>, Fault> {
    let mut statement = connection.prepare_cached(FIND)?;
    let found = statement.query_row([session.to_bytes()], |row| {
        Ok(Found {
            number: row.get(0)?,
            head: number(row, 1)?,
            fence: number(row, 2)?,
            leased_until: number(row, 3)?,
            holder: row.get(4)?,
        })
    });
    Ok(found.optional()?)
}

/// Writes what stands behind `head`; gives the new head.
fn put(
    connection: &Connection,
    session: i64,
    head: u64,
    entries: &[NewEntry],
    names: &[(&Name, &[u8])],
    snapshot: Option<&[u8]>,
) -> Result<u64, Fault> {
    let mut statement = connection.prepare_cached(ENTRY)?;
    for (seq, entry) in (head + 1..).zip(entries) {
        statement.execute(params![place(session, seq), entry.kind, int(entry.at), entry.body])?;
    }
    let mut statement = connection.prepare_cached(NAME)?;
    for (name, value) in names {
        statement.execute(params![name.as_str(), session, value])?;
    }
    let head = head + entries.len() as u64;
    if let Some(state) = snapshot {
        connection.prepare_cached(SNAPSHOT)?.execute(params![session, int(head), state])?;
    }
    Ok(head)
}
