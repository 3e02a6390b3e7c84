//! Writing, within a transaction of the writer's. Every check comes before the first change, so that a refused request
//! leaves the transaction as it was.

use rusqlite::{Connection, OptionalExtension, params};

use super::fault::Fault;
use super::read::{self, int, number, place};
use crate::Error;
use crate::types::{Append, Fence, Millis, Name, NewEntry, NewSession, Session, SessionId, still_holds};

const CREATE: &str = "
    INSERT INTO sessions (id, key, head, created_at, changed_at, wake_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
const FIND: &str = "SELECT number, head, fence, leased_until, holder FROM sessions WHERE id = ?1";
const ENTRY: &str = "INSERT INTO entries (place, kind, at, body) VALUES (?1, ?2, ?3, ?4)";
const NAME: &str = "INSERT INTO names (name, session, value) VALUES (?1, ?2, ?3)";
const SNAPSHOT: &str = "
    INSERT INTO snapshots (session, seq, state) VALUES (?1, ?2, ?3)
    ON CONFLICT (session) DO UPDATE SET seq = excluded.seq, state = excluded.state";
const MOVE: &str =
    "UPDATE sessions SET head = ?2, changed_at = coalesce(?3, changed_at), fence = ?4 WHERE number = ?1";
const WAKE: &str = "UPDATE sessions SET wake_at = ?2 WHERE number = ?1";
const LEASE: &str = "UPDATE sessions SET fence = ?2, holder = ?3, leased_until = ?4 WHERE number = ?1";

const LEASE_BY_ID: &str = "UPDATE sessions SET fence = ?2, holder = ?3, leased_until = ?4 WHERE id = ?1";

/// What the writer must know of a session.
struct Row {
    number: i64,
    head: u64,
    lease: Lease,
}

/// Who has a session's lease.
#[derive(Debug, Clone, Default)]
pub(super) struct Lease {
    /// The newest one that was given out.
    pub(super) fence: u64,
    /// None: nobody.
    pub(super) holder: Option<String>,
    pub(super) until: Millis,
}

impl Lease {
    /// Takes or renews it.
    pub(super) fn take(&mut self, holder: &str, now: Millis, ttl: Millis) -> Option<Fence> {
        match self.holder.as_deref() {
            Some(own) if own == holder && self.until > now => {}
            Some(_) if still_holds(self.until, now, ttl) => return None,
            _ => {
                self.fence += 1;
                self.holder = Some(holder.to_owned());
            }
        }
        self.until = now.saturating_add(ttl);
        Some(Fence(self.fence))
    }

    /// Renews it, if it is still the holder's; tells whether it is.
    pub(super) fn renew(&mut self, fence: Fence, holder: &str, now: Millis, ttl: Millis) -> bool {
        let is_own = self.fence == fence.0 && self.holder.as_deref() == Some(holder) && self.until > now;
        if is_own {
            self.until = now.saturating_add(ttl);
        }
        is_own
    }

    /// Gives it up, unless `fence` is not the newest one; tells whether anything changed.
    pub(super) fn release(&mut self, fence: Fence) -> bool {
        let is_newest = self.fence == fence.0;
        if is_newest {
            (self.holder, self.until) = (None, 0);
        }
        is_newest
    }
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

/// `newest` is the newest fence, if it is newer than that in the file.
pub(super) fn append(connection: &Connection, append: &Append, newest: Option<u64>) -> Result<u64, Fault> {
    append.check_size()?;
    let session = append.session;
    let found = find(connection, session)?.ok_or(Error::UnknownSession { session })?;
    let newest = newest.unwrap_or(found.lease.fence);
    if let Some(fence) = append.fence.filter(|fence| fence.0 != newest) {
        return Err(Error::Fenced { session, fence, newest: Fence(newest) }.into());
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
        connection.prepare_cached(MOVE)?.execute(params![
            found.number,
            int(head),
            int(last.at),
            int(newest)
        ])?;
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
    let Row { number, mut lease, .. } =
        find(connection, session)?.ok_or(Error::UnknownSession { session })?;
    let given = lease.take(holder, now, ttl);
    if given.is_some() {
        let holder = lease.holder.as_deref();
        let values = params![number, int(lease.fence), holder, int(lease.until)];
        connection.prepare_cached(LEASE)?.execute(values)?;
    }
    Ok(given)
}

/// Renews leases; gives the sessions that are not the holder's any more.
pub(super) fn renew(
    connection: &Connection,
    leases: &[(SessionId, Fence)],
    holder: &str,
    now: Millis,
    ttl: Millis,
) -> Result<Vec<SessionId>, Fault> {
    let mut lost = Vec::new();
    for (session, fence) in leases {
        let found = find(connection, *session)?;
        let renewed = found.and_then(|Row { number, mut lease, .. }| {
            lease.renew(*fence, holder, now, ttl).then_some((number, lease))
        });
        match renewed {
            Some((number, lease)) => {
                let values = params![number, int(lease.fence), lease.holder, int(lease.until)];
                connection.prepare_cached(LEASE)?.execute(values)?;
            }
            None => lost.push(*session),
        }
    }
    Ok(lost)
}

pub(super) fn release(connection: &Connection, session: SessionId, fence: Fence) -> Result<(), Fault> {
    let Row { number, mut lease, .. } =
        find(connection, session)?.ok_or(Error::UnknownSession { session })?;
    if lease.release(fence) {
        let values = params![number, int(lease.fence), lease.holder, int(lease.until)];
        connection.prepare_cached(LEASE)?.execute(values)?;
    }
    Ok(())
}

/// Deletes a session. What its pages held is written over, as the connection is set up so.
pub(super) fn delete(connection: &Connection, session: SessionId) -> Result<bool, Fault> {
    let Some(Row { number, .. }) = find(connection, session)? else { return Ok(false) };
    delete_row(connection, number)?;
    Ok(true)
}

/// Deletes a session that is still at `head`, and whose lease nobody has. `lease` is the one in memory, if it is there.
pub(super) fn delete_idle(
    connection: &Connection,
    session: SessionId,
    head: u64,
    lease: Option<Lease>,
    now: Millis,
) -> Result<bool, Fault> {
    let Some(row) = find(connection, session)?.filter(|row| row.head == head) else { return Ok(false) };
    let lease = lease.unwrap_or(row.lease);
    if lease.holder.is_some() && still_holds(lease.until, now, 0) {
        return Ok(false);
    }
    delete_row(connection, row.number)?;
    Ok(true)
}

fn delete_row(connection: &Connection, number: i64) -> Result<(), Fault> {
    let (from, to) = (place(number, 0), place(number + 1, 0));
    let range = "DELETE FROM entries WHERE place >= ?1 AND place < ?2";
    connection.prepare_cached(range)?.execute([from, to])?;
    for rows in [
        "DELETE FROM snapshots WHERE session = ?1",
        "DELETE FROM names WHERE session = ?1",
        "DELETE FROM sessions WHERE number = ?1",
    ] {
        connection.prepare_cached(rows)?.execute([number])?;
    }
    Ok(())
}

/// The lease of a session as it is in the file.
pub(super) fn read_lease(connection: &Connection, session: SessionId) -> Result<Lease, Fault> {
    Ok(find(connection, session)?.ok_or(Error::UnknownSession { session })?.lease)
}

/// Writes the lease of a session.
pub(super) fn put_lease(connection: &Connection, session: SessionId, lease: &Lease) -> Result<(), Fault> {
    let values = params![session.to_bytes(), int(lease.fence), lease.holder, int(lease.until)];
    connection.prepare_cached(LEASE_BY_ID)?.execute(values)?;
    Ok(())
}

fn find(connection: &Connection, session: SessionId) -> Result<Option<Row>, Fault> {
    let mut statement = connection.prepare_cached(FIND)?;
    let found = statement.query_row([session.to_bytes()], |row| {
        let lease = Lease { fence: number(row, 2)?, until: number(row, 3)?, holder: row.get(4)? };
        Ok(Row { number: row.get(0)?, head: number(row, 1)?, lease })
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
