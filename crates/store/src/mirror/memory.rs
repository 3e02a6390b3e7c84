//! A table in memory, for tests and for trying things.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use super::table::{FileRow, FileTable, FileTerm};
use crate::Pending;

/// Rows of files in memory. Any holder may begin a term.
#[derive(Debug, Default)]
pub struct MemoryFileTable(Mutex<BTreeMap<String, OwnerRows>>);

#[derive(Debug, Default, Clone)]
struct OwnerRows {
    id: String,
    term: u64,
    terms: Vec<u64>,
    changes: u64,
    is_whole: bool,
    rows: BTreeMap<String, (FileRow, u64)>,
}

impl MemoryFileTable {
    /// As a table that was saved and put back.
    #[cfg(test)]
    pub(super) fn copy(&self) -> Self {
        Self(Mutex::new(self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()))
    }

    fn term_of(&self, owner: &str) -> Option<FileTerm> {
        self.with(owner, |owner| {
            let OwnerRows { id, term, changes, is_whole, .. } = owner;
            (*term > 0).then(|| FileTerm {
                number: *term,
                id: id.clone(),
                changes: *changes,
                is_whole: *is_whole,
            })
        })
    }

    fn with<T>(&self, owner: &str, act: impl FnOnce(&mut OwnerRows) -> T) -> T {
        let mut owners = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        act(owners.entry(owner.to_owned()).or_default())
    }
}

impl FileTable for MemoryFileTable {
    fn begin(&self, owner: &str, _: &str) -> Pending<'_, Option<FileTerm>> {
        static TABLES: AtomicU64 = AtomicU64::new(1);
        self.with(owner, |owner| {
            owner.term += 1;
            owner.terms.push(owner.term);
            if owner.id.is_empty() {
                owner.id = format!("m{}", TABLES.fetch_add(1, Ordering::Relaxed));
            }
        });
        let term = self.term_of(owner);
        Box::pin(async move { Ok(term) })
    }

    fn term(&self, owner: &str) -> Pending<'_, Option<FileTerm>> {
        let term = self.term_of(owner);
        Box::pin(async move { Ok(term) })
    }

    fn note_whole(&self, owner: &str, term: u64, is_whole: bool) -> Pending<'_, bool> {
        let is_done = self.with(owner, |owner| {
            let is_now = owner.term == term;
            if is_now {
                owner.is_whole = is_whole;
            }
            is_now
        });
        Box::pin(async move { Ok(is_done) })
    }

    fn rows(&self, owner: &str, since: u64) -> Pending<'_, (Vec<FileRow>, u64)> {
        let rows = self.with(owner, |owner| {
            let rows = owner.rows.values().filter(|(_, changed)| *changed > since);
            let newest = rows.clone().map(|(_, changed)| *changed).max().unwrap_or(since);
            (rows.map(|(row, _)| row.clone()).collect(), newest)
        });
        Box::pin(async move { Ok(rows) })
    }

    fn change(
        &self,
        owner: &str,
        term: u64,
        put: Vec<FileRow>,
        remove: Vec<String>,
    ) -> Pending<'_, Option<u64>> {
        let done = self.with(owner, |owner| {
            if owner.term != term {
                return None;
            }
            owner.changes += 1;
            let changed = owner.changes;
            owner.rows.retain(|path, _| !remove.contains(path));
            owner.rows.extend(put.into_iter().map(|row| (row.path.clone(), (row, changed))));
            Some(changed)
        });
        Box::pin(async move { Ok(done) })
    }

    fn terms(&self, owner: &str) -> Pending<'_, Vec<u64>> {
        let terms = self.with(owner, |owner| owner.terms.clone());
        Box::pin(async move { Ok(terms) })
    }

    fn forget_term(&self, owner: &str, term: u64) -> Pending<'_, ()> {
        self.with(owner, |owner| owner.terms.retain(|known| *known != term));
        Box::pin(async move { Ok(()) })
    }
}
