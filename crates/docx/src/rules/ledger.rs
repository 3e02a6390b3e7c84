//! What the rules remember from element to element: ids that others refer to, ids that are given once, ranges with two ends.
//!
//! Must never look at a document.

use std::collections::{HashMap, HashSet};

use engross_xml::NodeId;

/// Ids that other elements refer to, or that must be given once.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    pub(crate) bookmark_names: HashMap<String, usize>,
    pub(crate) revision_ids: HashMap<String, usize>,
    /// Of the part: starts minus ends, and where.
    pub(crate) bookmarks: HashMap<String, (i64, NodeId)>,
    /// Of the part: ends that come before a start.
    pub(crate) early_ends: Vec<(String, NodeId)>,
    pub(crate) paragraph_ids: HashSet<String>,
    /// Of the part, by name: sources minus targets, and where.
    pub(crate) moves: HashMap<String, (i64, NodeId)>,
    /// Of the part, by id: starts minus ends, and where.
    pub(crate) move_ranges: HashMap<String, (i64, NodeId)>,
}

impl Ledger {
    /// Forgets what must be given once in a part only.
    pub(crate) fn start_part(&mut self) {
        self.bookmarks.clear();
        self.early_ends.clear();
        self.paragraph_ids.clear();
        self.moves.clear();
        self.move_ranges.clear();
    }
}

/// Ids that stand for one thing, and ranges with two ends.
#[derive(Debug, Default)]
pub(crate) struct Ids {
    pub(crate) controls: HashSet<String>,
    pub(crate) drawings: HashSet<String>,
    /// Of the part.
    pub(crate) bookmarks: HashSet<String>,
    /// Of the part, by id: starts minus ends, and where.
    pub(crate) comments: HashMap<String, (i64, NodeId)>,
    /// Of the part, by id: starts minus ends, and where.
    pub(crate) permissions: HashMap<String, (i64, NodeId)>,
}

impl Ids {
    pub(crate) fn start_part(&mut self) {
        self.bookmarks.clear();
        self.comments.clear();
        self.permissions.clear();
    }
}

/// What does not balance, in the order of the file.
pub(crate) fn unpaired(balance: &HashMap<String, (i64, NodeId)>) -> Vec<(String, NodeId)> {
    let mut found: Vec<(String, NodeId)> = balance
        .iter()
        .filter(|(_, (balance, _))| *balance != 0)
        .map(|(key, (_, node))| (key.clone(), *node))
        .collect();
    found.sort_by_key(|(_, node)| *node);
    found
}
