//! What is broken at present, as it is told to those whom it troubles.
//!
//! Must never break or mend anything.

use std::sync::Mutex;

use super::ledger::lock;

/// What is broken at present, so that clients can say what troubled them.
pub(super) struct Board {
    nodes: Mutex<Vec<&'static str>>,
    database: Mutex<Option<&'static str>>,
}

impl Board {
    /// Nothing is broken on so many nodes.
    pub(super) fn of(nodes: usize) -> Self {
        Self { nodes: Mutex::new(vec!["none"; nodes]), database: Mutex::default() }
    }

    /// What is, or was last, the matter with a node or with the database.
    pub(super) fn trouble(&self, node: usize) -> &'static str {
        let database = *lock(&self.database);
        database.unwrap_or_else(|| lock(&self.nodes).get(node).copied().unwrap_or("none"))
    }

    /// Something is the matter with a node.
    pub(super) fn node(&self, node: usize, trouble: &'static str) {
        lock(&self.nodes)[node] = trouble;
    }

    /// Something is the matter with the database, or nothing is any more.
    pub(super) fn database(&self, trouble: Option<&'static str>) {
        *lock(&self.database) = trouble;
    }
}
