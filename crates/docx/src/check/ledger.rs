//! What the rules remember from element to element: ids that others refer to, ids that are given once, ranges with two ends.
//!
//! Must never look at a document.

use std::collections::{HashMap, HashSet};

use engross_xml::NodeId;

/// Ids that other elements refer to, or that must be given once.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    pub(super) footnotes: HashSet<String>,
    pub(super) endnotes: HashSet<String>,
    pub(super) comments: HashSet<String>,
    pub(super) bookmark_names: HashMap<String, usize>,
    pub(super) revision_ids: HashMap<String, usize>,
    /// Of the part: starts minus ends, and where.
    pub(super) bookmarks: HashMap<String, (i64, NodeId)>,
    pub(super) paragraph_ids: HashSet<String>,
    /// Of the part, by name: sources minus targets, and where.
    pub(super) moves: HashMap<String, (i64, NodeId)>,
    /// Of the part, by id: starts minus ends, and where.
    pub(super) move_ranges: HashMap<String, (i64, NodeId)>,
}

impl Ledger {
    /// Forgets what must be given once in a part only.
    pub(super) fn start_part(&mut self) {
        self.bookmarks.clear();
        self.paragraph_ids.clear();
        self.moves.clear();
        self.move_ranges.clear();
    }
}

/// Ids that stand for one thing, and ranges with two ends.
#[derive(Debug, Default)]
pub(super) struct Ids {
    pub(super) controls: HashSet<String>,
    pub(super) drawings: HashSet<String>,
    /// Of the part.
    pub(super) bookmarks: HashSet<String>,
    /// Of the part, by id: starts minus ends, and where.
    pub(super) comments: HashMap<String, (i64, NodeId)>,
    /// Of the part, by id: starts minus ends, and where.
    pub(super) permissions: HashMap<String, (i64, NodeId)>,
}

impl Ids {
    pub(super) fn start_part(&mut self) {
        self.bookmarks.clear();
        self.comments.clear();
        self.permissions.clear();
    }
}

/// What does not balance, in the order of the file.
pub(super) fn unpaired(balance: &HashMap<String, (i64, NodeId)>) -> Vec<(String, NodeId)> {
    let mut found: Vec<(String, NodeId)> = balance
        .iter()
        .filter(|(_, (balance, _))| *balance != 0)
        .map(|(key, (_, node))| (key.clone(), *node))
        .collect();
    found.sort_by_key(|(_, node)| *node);
    found
}
