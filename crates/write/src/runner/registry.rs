//! The table of the sessions of a runner, and what they share.
//!
//! Must never drive a session: who finds one here does.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use super::WriteSessionId;
use super::caller::WriteCaller;
use super::environment::{Environment, locked};
use super::loaded::LoadedSession;
use crate::error::{Error, WriteFailure};

/// The sessions of a runner, and what they share.
pub(super) struct Registry {
    pub(super) environment: Environment,
    pub(super) table: Mutex<SessionTable>,
}

#[derive(Default)]
pub(super) struct SessionTable {
    pub(super) by_id: HashMap<WriteSessionId, Arc<LoadedSession>>,
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
        let found = locked(&self.table).by_id.get(&id).cloned();
        found.ok_or_else(|| Error::SessionNotFound(id.to_string()).into())
    }
}
