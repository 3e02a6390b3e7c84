//! A store in memory: for tests, and for `--store memory`.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Bound;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::Error;
use crate::store::{Pending, Store};
use crate::types::{
    Append, Entry, Fence, Millis, Name, NameRow, NewEntry, NewSession, Session, SessionId, SessionSummary,
    Snapshot, still_holds,
};

/// Keeps everything in memory, by the rules of [`Store`].
#[derive(Debug)]
pub struct MemoryStore {
    tables: Mutex<Option<Tables>>,
}

#[derive(Debug, Default)]
struct Tables {
    sessions: BTreeMap<SessionId, Row>,
    names: HashMap<Name, NameRow>,
}

#[derive(Debug)]
struct Row {
    key: Name,
    created_at: Millis,
    changed_at: Millis,
    wake_at: Option<Millis>,
    entries: Vec<Entry>,
    snapshot: Option<Snapshot>,
    fence: u64,
    lease: Option<Lease>,
}

#[derive(Debug)]
struct Lease {
    holder: String,
    until: Millis,
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self::new()
    }
}

impl MemoryStore {
    /// An empty store.
    #[must_use]
    pub fn new() -> Self {
        Self { tables: Mutex::new(Some(Tables::default())) }
    }

    /// Does `work` on the tables, at once.
    fn with<T: Send + 'static>(&self, work: impl FnOnce(&mut Tables) -> Result<T, Error>) -> Pending<'_, T> {
        let done = self.lock().as_mut().ok_or(Error::Closed).and_then(work);
        Box::pin(std::future::ready(done))
    }

    fn lock(&self) -> MutexGuard<'_, Option<Tables>> {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store for MemoryStore {
    fn load(&self, name: &Name) -> Pending<'_, Option<Session>> {
        self.with(|tables| Ok(tables.names.get(name).and_then(|row| tables.session(row.session))))
    }

    fn load_by_id(&self, session: SessionId) -> Pending<'_, Option<Session>> {
        self.with(|tables| Ok(tables.session(session)))
    }

    fn create(&self, new: NewSession) -> Pending<'_, (Session, bool)> {
        self.with(|tables| tables.create(new))
    }

    fn append(&self, append: Append) -> Pending<'_, u64> {
        self.with(|tables| tables.append(append))
    }

    fn delete(&self, session: SessionId) -> Pending<'_, bool> {
        self.with(|tables| {
            tables.names.retain(|_, row| row.session != session);
            Ok(tables.sessions.remove(&session).is_some())
        })
    }

    fn entries(&self, session: SessionId, after: u64, limit: usize) -> Pending<'_, Vec<Entry>> {
        self.with(|tables| {
            let row = tables.row(session)?;
            let skipped = usize::try_from(after).unwrap_or(usize::MAX);
            Ok(row.entries.iter().skip(skipped).take(limit).cloned().collect())
        })
    }

    fn lease(
        &self,
        session: SessionId,
        holder: &str,
        now: Millis,
        ttl: Millis,
    ) -> Pending<'_, Option<Fence>> {
        self.with(|tables| {
            let row = tables.row(session)?;
            let until = now.saturating_add(ttl);
            match &mut row.lease {
                Some(lease) if lease.holder == holder && lease.until > now => lease.until = until,
                Some(lease) if still_holds(lease.until, now, ttl) => return Ok(None),
                _ => {
                    row.fence += 1;
                    row.lease = Some(Lease { holder: holder.to_owned(), until });
                }
            }
            Ok(Some(Fence(row.fence)))
        })
    }

    fn renew(
        &self,
        leases: &[(SessionId, Fence)],
        holder: &str,
        now: Millis,
        ttl: Millis,
    ) -> Pending<'_, Vec<SessionId>> {
        self.with(|tables| {
            let mut lost = Vec::new();
            for (session, fence) in leases {
                let row = tables.row(*session).ok().filter(|row| row.fence == fence.0);
                let lease = row.and_then(|row| row.lease.as_mut());
                match lease.filter(|lease| lease.holder == holder && lease.until > now) {
                    Some(lease) => lease.until = now.saturating_add(ttl),
                    None => lost.push(*session),
                }
            }
            Ok(lost)
        })
    }

    fn release(&self, session: SessionId, fence: Fence) -> Pending<'_, ()> {
        self.with(|tables| {
            let row = tables.row(session)?;
            if row.fence == fence.0 {
                row.lease = None;
            }
            Ok(())
        })
    }

    fn due(&self, until: Millis, limit: usize) -> Pending<'_, Vec<SessionId>> {
        self.with(|tables| {
            let woken = tables.sessions.iter().filter_map(|(id, row)| Some((row.wake_at?, *id)));
            let mut due: Vec<_> = woken.filter(|(at, _)| *at <= until).collect();
            due.sort_unstable();
            Ok(due.into_iter().take(limit).map(|(_, id)| id).collect())
        })
    }

    fn names(&self, session: SessionId) -> Pending<'_, Vec<(Name, Vec<u8>)>> {
        self.with(|tables| {
            tables.row(session)?;
            let of_it = tables.names.iter().filter(|(_, row)| row.session == session);
            let mut names: Vec<_> = of_it.map(|(name, row)| (name.clone(), row.value.clone())).collect();
            names.sort();
            Ok(names)
        })
    }

    fn list(
        &self,
        group: Option<&str>,
        after: Option<SessionId>,
        limit: usize,
    ) -> Pending<'_, Vec<SessionSummary>> {
        self.with(|tables| {
            let older = tables.sessions.iter().rev().filter(|(id, _)| after.is_none_or(|after| **id < after));
            let wanted = older.filter(|(_, row)| group.is_none_or(|group| row.key.group() == group));
            Ok(wanted.take(limit).map(|(id, row)| row.summary(*id)).collect())
        })
    }

    fn unchanged(
        &self,
        until: Millis,
        after: Option<SessionId>,
        limit: usize,
    ) -> Pending<'_, Vec<SessionSummary>> {
        self.with(|tables| {
            let from = after.map_or(Bound::Unbounded, Bound::Excluded);
            let behind = tables.sessions.range((from, Bound::Unbounded));
            let old = behind.filter(|(_, row)| row.changed_at <= until);
            Ok(old.take(limit).map(|(id, row)| row.summary(*id)).collect())
        })
    }

    fn delete_idle(&self, sessions: &[(SessionId, u64)], now: Millis) -> Pending<'_, Vec<SessionId>> {
        self.with(|tables| {
            let is_idle = |row: &Row, head| {
                let leased = row.lease.as_ref().is_some_and(|lease| still_holds(lease.until, now, 0));
                row.head() == head && !leased
            };
            let idle = sessions
                .iter()
                .filter(|(id, head)| tables.sessions.get(id).is_some_and(|row| is_idle(row, *head)))
                .map(|(id, _)| *id)
                .collect::<BTreeSet<_>>();
            tables.sessions.retain(|id, _| !idle.contains(id));
            tables.names.retain(|_, row| !idle.contains(&row.session));
            Ok(idle.into_iter().collect())
        })
    }

    fn group_size(&self, group: &str) -> Pending<'_, u64> {
        self.with(|tables| {
            let of_group = tables.sessions.values().filter(|row| row.key.group() == group);
            Ok(of_group.map(Row::size).sum())
        })
    }

    fn size(&self, session: SessionId) -> Pending<'_, u64> {
        self.with(|tables| Ok(tables.row(session)?.size()))
    }

    fn value(&self, name: &Name) -> Pending<'_, Option<NameRow>> {
        self.with(|tables| Ok(tables.names.get(name).cloned()))
    }

    fn healthy(&self) -> Pending<'_, ()> {
        self.with(|_| Ok(()))
    }

    fn close(&self) -> Pending<'_, ()> {
        let closed = self.lock().take().map(drop).ok_or(Error::Closed);
        Box::pin(std::future::ready(closed))
    }
}

impl Tables {
    fn row(&mut self, session: SessionId) -> Result<&mut Row, Error> {
        self.sessions.get_mut(&session).ok_or(Error::UnknownSession { session })
    }

    fn session(&self, id: SessionId) -> Option<Session> {
        let row = self.sessions.get(&id)?;
        let taken_in = row.snapshot.as_ref().map_or(0, |snapshot| snapshot.seq);
        Some(Session {
            id,
            key: row.key.clone(),
            head: row.head(),
            created_at: row.created_at,
            wake_at: row.wake_at,
            snapshot: row.snapshot.clone(),
            entries: row.entries.iter().filter(|entry| entry.seq > taken_in).cloned().collect(),
        })
    }

    fn create(&mut self, new: NewSession) -> Result<(Session, bool), Error> {
        new.check_size()?;
        let names = new.all_names();
        let known = names.iter().find_map(|(name, _)| self.names.get(*name)).map(|row| row.session);
        if let Some(session) = known.and_then(|known| self.session(known)) {
            return Ok((session, false));
        }
        if let Some(row) = self.sessions.get(&new.id) {
            return Err(Error::Conflict { session: new.id, expected: 0, head: row.head() });
        }
        for (name, value) in names {
            self.names.insert(name.clone(), NameRow { session: new.id, value: value.to_vec() });
        }
        let created = new.clone().into_session();
        let mut row = Row {
            key: new.key,
            created_at: new.at,
            changed_at: new.at,
            wake_at: new.wake_at,
            entries: Vec::new(),
            snapshot: None,
            fence: 0,
            lease: None,
        };
        row.extend(new.entries, new.snapshot);
        self.sessions.insert(new.id, row);
        Ok((created, true))
    }

    fn append(&mut self, append: Append) -> Result<u64, Error> {
        append.check_size()?;
        let session = append.session;
        let row = self.sessions.get_mut(&session).ok_or(Error::UnknownSession { session })?;
        if let Some(fence) = append.fence.filter(|fence| fence.0 != row.fence) {
            return Err(Error::Fenced { session, fence, newest: Fence(row.fence) });
        }
        if row.head() != append.expected_head {
            return Err(Error::Conflict { session, expected: append.expected_head, head: row.head() });
        }
        let names = append.distinct_names();
        if let Some((name, taken)) = names.iter().find_map(|(name, _)| self.names.get_key_value(*name)) {
            return Err(Error::NameTaken { name: name.clone(), session: taken.session });
        }
        for (name, value) in names {
            self.names.insert(name.clone(), NameRow { session, value: value.to_vec() });
        }
        if let Some(wake_at) = append.wake_at {
            row.wake_at = wake_at;
        }
        row.extend(append.entries, append.snapshot);
        Ok(row.head())
    }
}

impl Row {
    fn head(&self) -> u64 {
        self.entries.last().map_or(0, |entry| entry.seq)
    }

    fn extend(&mut self, entries: Vec<NewEntry>, snapshot: Option<Vec<u8>>) {
        for entry in entries {
            self.changed_at = entry.at;
            let seq = self.head() + 1;
            self.entries.push(Entry { seq, kind: entry.kind.to_owned(), at: entry.at, body: entry.body });
        }
        if let Some(state) = snapshot {
            self.snapshot = Some(Snapshot { seq: self.head(), state });
        }
    }

    fn size(&self) -> u64 {
        let entries: usize = self.entries.iter().map(|entry| entry.body.len()).sum();
        let snapshot = self.snapshot.as_ref().map_or(0, |snapshot| snapshot.state.len());
        (entries + snapshot) as u64
    }

    fn summary(&self, id: SessionId) -> SessionSummary {
        SessionSummary {
            id,
            key: self.key.clone(),
            head: self.head(),
            created_at: self.created_at,
            changed_at: self.changed_at,
            wake_at: self.wake_at,
        }
    }
}
