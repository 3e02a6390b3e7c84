//! Objects that no row needs, and since when: which of them may go.
//!
//! Must never give one away that was needed within a day: so far a database may go back, by a failover or from a dump.

use std::collections::HashMap;

use crate::Millis;

/// How long nothing has needed an object that is removed.
const GRACE: Millis = 24 * 3_600_000;

/// Objects that nothing needs, by term and hash, and when that was seen first.
#[derive(Debug, Default)]
pub(super) struct UselessObjects(HashMap<(u64, [u8; 32]), Millis>);

impl UselessObjects {
    /// Takes in what nothing needs of a term's objects now; gives those that nothing has needed for long enough. One that was needed
    /// meanwhile begins anew.
    pub(super) fn take_in(
        &mut self,
        term: u64,
        unneeded: impl Iterator<Item = [u8; 32]>,
        now: Millis,
    ) -> Vec<[u8; 32]> {
        let seen: HashMap<_, _> =
            unneeded.map(|hash| ((term, hash), self.0.get(&(term, hash)).copied().unwrap_or(now))).collect();
        self.0.retain(|(of, _), _| *of != term);
        let is_over = |since: &Millis| now.saturating_sub(*since) >= GRACE;
        let over = seen.iter().filter(|(_, since)| is_over(since)).map(|((_, hash), _)| *hash).collect();
        self.0.extend(seen);
        over
    }
}
