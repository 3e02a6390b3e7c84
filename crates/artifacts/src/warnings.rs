//! Collects warnings about files that were left out of a list, for people.
//!
//! Must never grow with a hostile folder.

use super::error::shown;

/// How many are told one by one.
const TOLD: usize = 100;

/// Warnings as they come.
#[derive(Debug, Default)]
pub(super) struct Warnings {
    told: Vec<String>,
    more: usize,
}

impl Warnings {
    /// Notes that something about `path` was not as one might expect.
    pub(super) fn add(&mut self, path: &str, what: &str) {
        if self.told.len() < TOLD {
            self.told.push(format!("{}: {what}", shown(path)));
        } else {
            self.more += 1;
        }
    }

    /// All of them, in the order of their text.
    pub(super) fn into_list(self) -> Vec<String> {
        let Self { mut told, more } = self;
        told.sort_unstable();
        if more > 0 {
            told.push(format!("and {more} more like these"));
        }
        told
    }
}
