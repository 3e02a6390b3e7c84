//! The tree of entries and the path that counts: from the active leaf to the root.
//!
//! A parent stands above its child in the file. One that does not, or is nowhere, is taken to be the entry before.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};

use super::entry::Parent;

/// No parent.
const ROOT: u32 = u32::MAX;

/// Gathers entries in the file's order.
///
/// Ids are known by their hash, whose keys nobody knows before: that two of a million meet has a chance of one in ten million.
#[derive(Debug, Default)]
pub struct EntryTree {
    places: HashMap<u64, u32>,
    keys: RandomState,
    nodes: Vec<u32>,
    leaf: Option<u32>,
    dangling: Vec<usize>,
    twice: Vec<usize>,
}

impl EntryTree {
    /// Adds an entry; gives its place, counted from 0. The entry becomes the leaf.
    pub fn add(&mut self, id: Option<&str>, parent: Parent<'_>) -> usize {
        let place = self.nodes.len();
        let before = place.checked_sub(1).and_then(|before| u32::try_from(before).ok());
        let parent = match parent {
            Parent::Root => None,
            Parent::Unsaid => before,
            Parent::Entry(id) => {
                let known = self.place_of(id.raw());
                if known.is_none() {
                    self.dangling.push(place);
                }
                known.or(before)
            }
        };
        self.nodes.push(parent.unwrap_or(ROOT));
        let number = u32::try_from(place).unwrap_or(ROOT);
        if let Some(id) = id
            && self.places.insert(self.keys.hash_one(id), number).is_some()
        {
            self.twice.push(place);
        }
        self.leaf = Some(number);
        place
    }

    fn place_of(&self, id: &str) -> Option<u32> {
        self.places.get(&self.keys.hash_one(id)).copied()
    }

    /// Moves the leaf to the entry with this id, if there is one.
    pub fn move_leaf(&mut self, id: &str) {
        self.leaf = self.place_of(id).or(self.leaf);
    }

    /// The places from the root to the leaf.
    #[must_use]
    pub fn path(&self) -> Vec<usize> {
        let mut path = Vec::new();
        let mut at = self.leaf.unwrap_or(ROOT) as usize;
        while let Some(parent) = self.nodes.get(at) {
            path.push(at);
            // Parents stand above, so this comes to an end.
            at = *parent as usize;
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
        let mut has_child = vec![false; self.nodes.len()];
        self.nodes.iter().any(|parent| {
            let child = has_child.get_mut(*parent as usize);
            child.is_some_and(|has_child| std::mem::replace(has_child, true))
        })
    }
}
