//! What is broken at present, as it is told to those whom it troubles.
//!
//! Must never break or mend anything.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use super::ledger::lock;

/// What is broken at present, so that clients can say what troubled them.
pub(super) struct Board {
    nodes: Mutex<Vec<&'static str>>,
    database: Mutex<Option<&'static str>>,
    /// Whether the disk is full, and since when it is as it is; nothing where it never was.
    disk: Mutex<Option<(bool, Instant)>>,
}

/// How long after a disk has room again something may still begin that meets what was full.
const ECHO: Duration = Duration::from_secs(1);

impl Board {
    /// Nothing is broken on so many nodes.
    pub(super) fn of(nodes: usize) -> Self {
        Self { nodes: Mutex::new(vec!["none"; nodes]), database: Mutex::default(), disk: Mutex::default() }
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

    /// The disk is full, or no more.
    pub(super) fn disk(&self, is_full: bool) {
        *lock(&self.disk) = Some((is_full, Instant::now()));
    }

    /// Whether the disk was full when or after something began.
    pub(super) fn was_full(&self, begun: Instant) -> bool {
        lock(&self.disk).is_some_and(|(is_full, since)| is_full || begun < since + ECHO)
    }

    /// Something is the matter with the database, or nothing is any more.
    pub(super) fn database(&self, trouble: Option<&'static str>) {
        *lock(&self.database) = trouble;
    }
}
