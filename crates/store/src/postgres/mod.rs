//! A Postgres database that any number of nodes share.
//!
//! Must never need more than one statement to write: head, fence and names are checked where they are changed. What a
//! node knows it reads from the tables; nothing is kept in memory.

mod asking;
mod clock;
mod fault;
mod files;
mod homes;
mod open;
mod rows;
mod sql;
mod traces;

#[cfg(test)]
mod clock_tests;
#[cfg(test)]
mod fault_tests;

pub use files::PostgresFileTable;
pub use homes::PostgresHomes;
pub use traces::PostgresTraces;

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use engross_protocol::Clock;
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

use self::asking::{Statement, TABLES, named};
use self::clock::DatabaseClock;
use self::open::OpenPool;
use self::rows::{Columns, id, int, number, optional, unreadable};
use self::sql::{
    APPEND, BY_ID, BY_NAME, CLOCK, CREATE, DELETE, DELETE_IDLE, DUE, ENTRIES, EXISTS, GROUP_SIZE, LEASE,
    LIST, LIST_GROUP, NAMES, RELEASE, RENEW, SIZE, UNCHANGED, VALUE, VERSION,
};
use crate::Error;
use crate::store::{Pending, Store};
use crate::types::{
    Append, Entry, Fence, LEASE_REACH, Millis, Name, NameRow, NewSession, Session, SessionId, SessionSummary,
    first_id_after,
};

/// How often a writer tries that loses races; each time somebody else has won.
const TRIES: usize = 10;

/// Keeps sessions in a database.
#[derive(Debug)]
pub struct PostgresStore {
    opened: Arc<OpenPool>,
    clock: Arc<DatabaseClock>,
    /// What the names of its tables begin with; none for the tables of sessions.
    tables: Option<String>,
    is_closed: AtomicBool,
}

impl PostgresStore {
    /// Opens the database at `url`, such as `postgres://user:password@host/database`, within a tokio runtime.
    ///
    /// Tables are made in the first schema of the search path. With `sslmode=require` the connection is encrypted and
    /// the server's certificate is verified by what this machine trusts; otherwise it is plain.
    ///
    /// # Errors
    /// [`Error::Unusable`] for an address, a password or a right that is wrong, [`Error::Unavailable`] while the server
    /// does not answer, [`Error::Newer`].
    pub async fn open(url: &str) -> Result<Self, Error> {
        let opened = Arc::new(open::open(url, &open::SESSIONS).await?);
        let is_closed = AtomicBool::new(false);
        let store = Self { opened, clock: Arc::default(), tables: None, is_closed };
        store.timed(&CLOCK, &[], 0).await?;
        Ok(store)
    }

    /// A store of its own in the same database, over the same connections, whose tables are called `engross_PART_…`. `part` is 1 to
    /// 30 lower-case letters, digits and `_`. It is to be closed before this one.
    ///
    /// # Errors
    /// As [`PostgresStore::open`].
    pub async fn beside(&self, part: &str) -> Result<Self, Error> {
        let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
        if !(1..=30).contains(&part.len()) || !part.bytes().all(is_plain) {
            let message = format!("'{part}' can be no part of a table's name");
            return Err(Error::Unusable { place: self.opened.place.clone(), message });
        }
        let tables = format!("{TABLES}{part}_");
        open::migrated(&self.opened, &open::SESSIONS, Some(&tables)).await?;
        Ok(Self {
            opened: Arc::clone(&self.opened),
            clock: Arc::clone(&self.clock),
            tables: Some(tables),
            is_closed: AtomicBool::new(false),
        })
    }

    /// The same tables over a few connections of its own, which nobody else keeps busy.
    fn apart(&self, connections: usize) -> Result<Self, Error> {
        Ok(Self {
            opened: Arc::new(self.opened.apart(connections)?),
            clock: Arc::clone(&self.clock),
            tables: self.tables.clone(),
            is_closed: AtomicBool::new(false),
        })
    }

    /// The rows of a statement that tells the database's clock in the column `column`.
    async fn timed(
        &self,
        statement: &Statement,
        given: &[&(dyn ToSql + Sync)],
        column: usize,
    ) -> Result<Vec<Row>, Error> {
        let asked = self.clock.elapsed();
        let rows = self.query(statement, given).await?;
        let told = rows.first().map(|row| self.row(row, |row| number(row, column))).transpose()?;
        if let Some(told) = told {
            self.clock.hear(told, asked, self.clock.elapsed());
        }
        Ok(rows)
    }

    async fn query(&self, statement: &Statement, given: &[&(dyn ToSql + Sync)]) -> Result<Vec<Row>, Error> {
        let OpenPool { pool, place, sharing, .. } = &*self.opened;
        if self.is_closed.load(Ordering::Acquire) {
            return Err(Error::Closed);
        }
        let text = named(statement.text, self.tables.as_deref());
        let mut lost = 0;
        loop {
            let client = pool.get().await.map_err(|error| fault::no_connection(&error, place))?;
            match sharing.ask(&client, &text, statement.given, given).await {
                Err(error) if lost < TRIES && fault::is_race(&error) => lost += 1,
                rows => return rows.map_err(|error| fault::meaning(&error, place)),
            }
        }
    }

    /// The first row, where there always is one.
    async fn one(&self, statement: &Statement, given: &[&(dyn ToSql + Sync)]) -> Result<Row, Error> {
        self.first(self.query(statement, given).await?)
    }

    fn first(&self, rows: Vec<Row>) -> Result<Row, Error> {
        rows.into_iter().next().ok_or_else(|| unreadable(&self.opened.place, "a row is missing"))
    }

    /// Reads rows as `read` does.
    fn each<T>(&self, rows: &[Row], read: impl FnMut(&Row) -> Columns<T>) -> Result<Vec<T>, Error> {
        let values: Columns<Vec<T>> = rows.iter().map(read).collect();
        values.map_err(|error| unreadable(&self.opened.place, &error.to_string()))
    }

    /// Reads one row as `read` does.
    fn row<T>(&self, row: &Row, read: impl FnOnce(&Row) -> Columns<T>) -> Result<T, Error> {
        read(row).map_err(|error| unreadable(&self.opened.place, &error.to_string()))
    }

    async fn session(
        &self,
        statement: &Statement,
        wanted: &(dyn ToSql + Sync),
    ) -> Result<Option<Session>, Error> {
        let rows = self.query(statement, &[wanted]).await?;
        let Some(row) = rows.first() else { return Ok(None) };
        let mut session = self.row(row, rows::session)?;
        // Entries never change, so that those up to this head are what it was made of, whatever happens in between.
        let after = session.snapshot.as_ref().map_or(0, |snapshot| snapshot.seq);
        if after < session.head {
            session.entries = self.range(session.id, after, session.head, usize::MAX).await?;
        }
        Ok(Some(session))
    }

    async fn range(
        &self,
        session: SessionId,
        after: u64,
        last: u64,
        limit: usize,
    ) -> Result<Vec<Entry>, Error> {
        let id = &session.to_bytes()[..];
        let rows = self.query(&ENTRIES, &[&id, &int(after), &int(last), &int(limit as u64)]).await?;
        self.each(&rows, rows::entry)
    }

    async fn try_create(&self, new: NewSession) -> Result<(Session, bool), Error> {
        new.check_size()?;
        let names = rows::names(new.all_names());
        let entries = rows::entries(&new.entries);
        let row = self
            .one(
                &CREATE,
                &[
                    &&new.id.to_bytes()[..],
                    &new.key.as_str(),
                    &int(new.at),
                    &new.wake_at.map(int),
                    &entries.kinds,
                    &entries.ats,
                    &entries.bodies,
                    &names.names,
                    &names.values,
                    &new.snapshot,
                ],
            )
            .await?;
        let (answer, head, other) =
            self.row(&row, |row| Ok((row.try_get::<_, String>(0)?, optional(row, 1)?, row.try_get(2)?)))?;
        match (answer.as_str(), head, other) {
            ("created", ..) => Ok((new.into_session(), true)),
            ("known", _, Some::<Vec<u8>>(id)) => {
                let known = self.session(&BY_ID, &id).await?;
                Ok((known.ok_or_else(|| unreadable(&self.opened.place, "a name leads nowhere"))?, false))
            }
            (_, Some(head), _) => Err(Error::Conflict { session: new.id, expected: 0, head }),
            _ => Err(unreadable(&self.opened.place, "engross_create gave no answer")),
        }
    }

    async fn try_append(&self, append: Append) -> Result<u64, Error> {
        append.check_size()?;
        let session = append.session;
        let names = rows::names(append.distinct_names());
        let entries = rows::entries(&append.entries);
        let row = self
            .one(
                &APPEND,
                &[
                    &&session.to_bytes()[..],
                    &append.fence.map(|fence| int(fence.0)),
                    &int(append.expected_head),
                    &entries.kinds,
                    &entries.ats,
                    &entries.bodies,
                    &names.names,
                    &names.values,
                    &append.snapshot,
                    &append.wake_at.is_some(),
                    &append.wake_at.flatten().map(int),
                ],
            )
            .await?;
        let (answer, number) = self.row(&row, |row| Ok((row.try_get::<_, String>(0)?, optional(row, 1)?)))?;
        match (answer.as_str(), number, append.fence) {
            ("done", Some(head), _) => Ok(head),
            ("unknown", ..) => Err(Error::UnknownSession { session }),
            ("fenced", Some(newest), Some(fence)) => {
                Err(Error::Fenced { session, fence, newest: Fence(newest) })
            }
            ("conflict", Some(head), _) => {
                Err(Error::Conflict { session, expected: append.expected_head, head })
            }
            ("taken", ..) => {
                let (name, session) = self.row(&row, |row| Ok((rows::name(row, 2)?, id(row, 3)?)))?;
                Err(Error::NameTaken { name, session })
            }
            _ => Err(unreadable(&self.opened.place, "engross_append gave no answer")),
        }
    }

    /// The sessions in the second column. Where there are none, there is a row all the same, for the clock.
    fn ids_behind_clock(&self, rows: &[Row]) -> Result<Vec<SessionId>, Error> {
        let found = |row: &Row| row.try_get::<_, Option<&[u8]>>(1)?.is_some().then(|| id(row, 1)).transpose();
        Ok(self.each(rows, found)?.into_iter().flatten().collect())
    }

    /// Whether the first column says that the session is there.
    fn must_exist(&self, session: SessionId, row: &Row) -> Result<(), Error> {
        let exists = self.row(row, |row| Ok(row.try_get::<_, bool>(0)?))?;
        if exists { Ok(()) } else { Err(Error::UnknownSession { session }) }
    }
}

impl Store for PostgresStore {
    fn load(&self, name: &Name) -> Pending<'_, Option<Session>> {
        let name = name.clone();
        Box::pin(async move { self.session(&BY_NAME, &name.as_str()).await })
    }

    fn load_by_id(&self, session: SessionId) -> Pending<'_, Option<Session>> {
        Box::pin(async move { self.session(&BY_ID, &&session.to_bytes()[..]).await })
    }

    fn create(&self, new: NewSession) -> Pending<'_, (Session, bool)> {
        Box::pin(self.try_create(new))
    }

    fn append(&self, append: Append) -> Pending<'_, u64> {
        Box::pin(self.try_append(append))
    }

    fn delete(&self, session: SessionId) -> Pending<'_, bool> {
        Box::pin(async move {
            let row = self.one(&DELETE, &[&&session.to_bytes()[..]]).await?;
            self.row(&row, |row| Ok(row.try_get(0)?))
        })
    }

    fn entries(&self, session: SessionId, after: u64, limit: usize) -> Pending<'_, Vec<Entry>> {
        Box::pin(async move {
            let entries = self.range(session, after, u64::MAX, limit).await?;
            if entries.is_empty() {
                let row = self.one(&EXISTS, &[&&session.to_bytes()[..]]).await?;
                self.must_exist(session, &row)?;
            }
            Ok(entries)
        })
    }

    fn lease(
        &self,
        session: SessionId,
        holder: &str,
        now: Millis,
        ttl: Millis,
    ) -> Pending<'_, Option<Fence>> {
        let holder = holder.to_owned();
        Box::pin(async move {
            let id = &session.to_bytes()[..];
            let until = now.saturating_add(ttl);
            let (reach, until) = (int(until.saturating_add(LEASE_REACH)), int(until));
            let rows = self.timed(&LEASE, &[&id, &holder, &int(now), &until, &reach], 2).await?;
            let row = self.first(rows)?;
            self.must_exist(session, &row)?;
            Ok(self.row(&row, |row| optional(row, 1))?.map(Fence))
        })
    }

    fn renew(
        &self,
        leases: &[(SessionId, Fence)],
        holder: &str,
        now: Millis,
        ttl: Millis,
    ) -> Pending<'_, Vec<SessionId>> {
        let (leases, holder) = (leases.to_vec(), holder.to_owned());
        Box::pin(async move {
            let ids: Vec<[u8; 16]> = leases.iter().map(|(session, _)| session.to_bytes()).collect();
            let ids: Vec<&[u8]> = ids.iter().map(<[u8; 16]>::as_slice).collect();
            let fences: Vec<i64> = leases.iter().map(|(_, fence)| int(fence.0)).collect();
            let until = int(now.saturating_add(ttl));
            let rows = self.timed(&RENEW, &[&ids, &fences, &holder, &int(now), &until], 0).await?;
            let kept: HashSet<SessionId> = self.ids_behind_clock(&rows)?.into_iter().collect();
            Ok(leases
                .into_iter()
                .map(|(session, _)| session)
                .filter(|session| !kept.contains(session))
                .collect())
        })
    }

    fn release(&self, session: SessionId, fence: Fence) -> Pending<'_, ()> {
        Box::pin(async move {
            let row = self.one(&RELEASE, &[&&session.to_bytes()[..], &int(fence.0)]).await?;
            self.must_exist(session, &row)
        })
    }

    fn due(&self, until: Millis, limit: usize) -> Pending<'_, Vec<SessionId>> {
        Box::pin(async move {
            let rows = self.timed(&DUE, &[&int(until), &int(limit as u64)], 0).await?;
            self.ids_behind_clock(&rows)
        })
    }

    fn list(
        &self,
        group: Option<&str>,
        after: Option<SessionId>,
        limit: usize,
    ) -> Pending<'_, Vec<SessionSummary>> {
        let group = group.map(str::to_owned);
        Box::pin(async move {
            // One byte more than the greatest id stands behind every id.
            let before = after.map_or_else(|| vec![0xff; 17], |after| after.to_bytes().to_vec());
            let limit = int(limit as u64);
            let rows = match group {
                Some(group) => self.query(&LIST_GROUP, &[&before, &limit, &group]).await?,
                None => self.query(&LIST, &[&before, &limit]).await?,
            };
            self.each(&rows, rows::summary)
        })
    }

    fn unchanged(
        &self,
        until: Millis,
        after: Option<SessionId>,
        limit: usize,
    ) -> Pending<'_, Vec<SessionSummary>> {
        Box::pin(async move {
            let after = after.map_or_else(Vec::new, |after| after.to_bytes().to_vec());
            let before = &first_id_after(until)[..];
            let given: [&(dyn ToSql + Sync); 4] = [&after, &before, &int(until), &int(limit as u64)];
            let rows = self.query(&UNCHANGED, &given).await?;
            self.each(&rows, rows::summary)
        })
    }

    fn delete_idle(&self, sessions: &[(SessionId, u64)], now: Millis) -> Pending<'_, Vec<SessionId>> {
        let sessions = sessions.to_vec();
        Box::pin(async move {
            let ids: Vec<[u8; 16]> = sessions.iter().map(|(session, _)| session.to_bytes()).collect();
            let ids: Vec<&[u8]> = ids.iter().map(<[u8; 16]>::as_slice).collect();
            let heads: Vec<i64> = sessions.iter().map(|(_, head)| int(*head)).collect();
            let reach = int(now.saturating_add(LEASE_REACH));
            let rows = self.query(&DELETE_IDLE, &[&ids, &heads, &int(now), &reach]).await?;
            self.each(&rows, |row| id(row, 0))
        })
    }

    fn group_size(&self, group: &str) -> Pending<'_, u64> {
        let group = group.to_owned();
        Box::pin(async move {
            let row = self.one(&GROUP_SIZE, &[&group]).await?;
            self.row(&row, |row| number(row, 0))
        })
    }

    fn size(&self, session: SessionId) -> Pending<'_, u64> {
        Box::pin(async move {
            let rows = self.query(&SIZE, &[&&session.to_bytes()[..]]).await?;
            let row = rows.first().ok_or(Error::UnknownSession { session })?;
            self.row(row, |row| number(row, 0))
        })
    }

    fn names(&self, session: SessionId) -> Pending<'_, Vec<(Name, Vec<u8>)>> {
        Box::pin(async move {
            let id = &session.to_bytes()[..];
            let rows = self.query(&NAMES, &[&id]).await?;
            if rows.is_empty() {
                let row = self.one(&EXISTS, &[&id]).await?;
                self.must_exist(session, &row)?;
            }
            self.each(&rows, |row| Ok((rows::name(row, 0)?, row.try_get(1)?)))
        })
    }

    fn value(&self, name: &Name) -> Pending<'_, Option<NameRow>> {
        let name = name.clone();
        Box::pin(async move {
            let rows = self.query(&VALUE, &[&name.as_str()]).await?;
            let found =
                self.each(&rows, |row| Ok(NameRow { session: id(row, 0)?, value: row.try_get(1)? }))?;
            Ok(found.into_iter().next())
        })
    }

    fn clock(&self) -> Option<Arc<dyn Clock>> {
        Some(Arc::clone(&self.clock) as Arc<dyn Clock>)
    }

    fn healthy(&self) -> Pending<'_, ()> {
        Box::pin(async move {
            let row = self.one(&VERSION, &[]).await?;
            self.row(&row, |row| number(row, 0)).map(drop)
        })
    }

    fn close(&self) -> Pending<'_, ()> {
        Box::pin(async move {
            if self.is_closed.swap(true, Ordering::AcqRel) {
                return Err(Error::Closed);
            }
            if self.tables.is_none() {
                self.opened.pool.close();
            }
            Ok(())
        })
    }
}
