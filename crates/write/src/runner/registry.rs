//! The table of the sessions of a runner, and what they share.
//!
//! Must never drive a session: who finds one here does.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex};

use super::WriteSessionId;
use super::caller::WriteCaller;
use super::environment::{Environment, locked};
use super::loaded::LoadedSession;
use super::restart::restart;
use crate::error::{Error, WriteFailure};

/// The sessions of a runner, and what they share.
pub(super) struct Registry {
    pub(super) environment: Environment,
    pub(super) table: Mutex<SessionTable>,
}

#[derive(Default)]
pub(super) struct SessionTable {
    pub(super) by_id: HashMap<WriteSessionId, Arc<LoadedSession>>,
    /// Sessions of earlier processes that are over, and that nobody has asked for yet.
    pub(super) unread: HashSet<WriteSessionId>,
    /// Who is beginning a session: one entry for each.
    pub(super) beginning: Vec<WriteCaller>,
}

impl SessionTable {
    /// A session of `caller` is no longer being begun.
    pub(super) fn end_beginning(&mut self, caller: &WriteCaller) {
        if let Some(at) = self.beginning.iter().position(|beginning| beginning == caller) {
            self.beginning.swap_remove(at);
        }
    }
}

impl Registry {
    pub(super) fn all(&self) -> Vec<Arc<LoadedSession>> {
        locked(&self.table).by_id.values().cloned().collect()
    }

    /// Forgets sessions, all of which are over.
    pub(super) fn forget(&self, ids: &[WriteSessionId]) {
        let mut table = locked(&self.table);
        for id in ids {
            table.by_id.remove(id);
        }
    }

    pub(super) fn find(&self, id: WriteSessionId) -> Result<Arc<LoadedSession>, WriteFailure> {
        let unknown = || Error::SessionNotFound(id.to_string()).into();
        {
            let table = locked(&self.table);
            match table.by_id.get(&id) {
                Some(found) => return Ok(Arc::clone(found)),
                None if table.unread.contains(&id) => {}
                None => return Err(unknown()),
            }
        }
        // What is over does not change: the first one that is read is that of all.
        let read = Arc::new(restart(id, &self.environment)?.ok_or_else(unknown)?);
        let mut table = locked(&self.table);
        table.unread.remove(&id);
        Ok(Arc::clone(table.by_id.entry(id).or_insert(read)))
    }

    /// All sessions, also those that are yet to be read.
    pub(super) fn ids(&self) -> Vec<WriteSessionId> {
        let table = locked(&self.table);
        table.by_id.keys().chain(&table.unread).copied().collect()
    }
}
