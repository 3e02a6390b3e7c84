//! The tree of entries and the path that counts: from the active leaf to the root.
//!
//! A parent stands above its child in the file. One that does not, or is nowhere, is taken to be the entry before.

use std::collections::HashMap;

use super::entry::Parent;

/// Gathers entries in the file's order.
#[derive(Debug, Default)]
pub struct EntryTree {
    places: HashMap<Box<str>, usize>,
    nodes: Vec<Option<usize>>,
    leaf: Option<usize>,
    dangling: Vec<usize>,
    twice: Vec<usize>,
    children: Vec<u32>,
}

impl EntryTree {
    /// Adds an entry; gives its place, counted from 0. The entry becomes the leaf.
    pub fn add(&mut self, id: Option<&str>, parent: Parent<'_>) -> usize {
        let place = self.nodes.len();
        let before = place.checked_sub(1);
        let parent = match parent {
            Parent::Root => None,
            Parent::Unsaid => before,
            Parent::Entry(id) => {
                let known = self.places.get(id.raw()).copied();
                if known.is_none() {
                    self.dangling.push(place);
                }
                known.or(before)
            }
        };
        self.nodes.push(parent);
        self.children.push(0);
        if let Some(children) = parent.and_then(|parent| self.children.get_mut(parent)) {
            *children += 1;
        }
        if let Some(id) = id
            && self.places.insert(id.into(), place).is_some()
        {
            self.twice.push(place);
        }
        self.leaf = Some(place);
        place
    }

    /// Moves the leaf to the entry with this id, if there is one.
    pub fn move_leaf(&mut self, id: &str) {
        self.leaf = self.places.get(id).copied().or(self.leaf);
    }

    /// The places from the root to the leaf.
    #[must_use]
    pub fn path(&self) -> Vec<usize> {
        let mut path = Vec::new();
        let mut at = self.leaf;
        while let Some(place) = at {
            path.push(place);
            // Parents stand above, so this comes to an end.
            at = self.nodes.get(place).copied().flatten();
        }
        path.reverse();
        path
    }

    /// Entries whose parent was nowhere above them.
    #[must_use]
    pub fn dangling(&self) -> &[usize] {
        &self.dangling
    }

    /// Entries whose id an earlier one had.
    #[must_use]
    pub fn twice(&self) -> &[usize] {
        &self.twice
    }

    /// Whether any entry has more than one child.
    #[must_use]
    pub fn has_branches(&self) -> bool {
        self.children.iter().any(|children| *children > 1)
    }
}
