//! One redline, however many rounds: which pending revisions from before this session are one's own.
//!
//! A name proves nothing, since everybody's default author is the same. So revisions are one's own when the caller has kept a
//! record of what it wrote into this very file, or claims all of an author. Must never adopt what somebody else signed.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::WordDocument;
use crate::error::Error;
use crate::ops::{Batch, OwnPolicy, Tracking};

/// Revisions by author, as `w:id`: what one wrote into a file. It holds for these bytes of the file alone, since other programs
/// number revisions anew.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct OwnRecord(BTreeMap<String, BTreeSet<i64>>);

impl OwnRecord {
    /// In whose names they are.
    pub fn authors(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter(|(_, ids)| !ids.is_empty()).map(|(author, _)| author.as_str())
    }

    /// Whether it names no revision.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl WordDocument {
    /// Takes note of what the caller wrote into this file before. A batch whose policy is [`OwnPolicy::Recorded`] goes on with
    /// those of its author.
    pub fn recall(&mut self, record: OwnRecord) {
        self.record = record;
    }

    /// One's own revisions that stand in the document now: to be kept with the hash of the bytes that
    /// [`WordDocument::save`] gives with the same `tracking`.
    ///
    /// # Errors
    /// When a part of the document cannot be read.
    pub fn own_record(&self, tracking: Tracking) -> Result<OwnRecord, Error> {
        let own = self.ids.own();
        let mut record: BTreeMap<String, BTreeSet<i64>> = BTreeMap::new();
        for placed in self.revisions()? {
            let stamp = placed.revision.stamp;
            let Some(id) = stamp.id else { continue };
            let recorded = || self.record.0.get(&stamp.author).is_some_and(|ids| ids.contains(&id));
            let is_new = tracking == Tracking::Tracked && own.is_new(id);
            if is_new || own.is_adopted(&stamp.author, id) || recorded() {
                record.entry(stamp.author).or_default().insert(id);
            }
        }
        Ok(OwnRecord(record))
    }

    /// All pending revisions of an author, to be claimed by [`WordDocument::recall`].
    ///
    /// # Errors
    /// When a part of the document cannot be read.
    pub fn record_of(&self, author: &str) -> Result<OwnRecord, Error> {
        let stamps = self.revisions()?.into_iter().map(|placed| placed.revision.stamp);
        let ids: BTreeSet<i64> =
            stamps.filter(|stamp| stamp.author == author).filter_map(|stamp| stamp.id).collect();
        Ok(OwnRecord(if ids.is_empty() {
            BTreeMap::new()
        } else {
            BTreeMap::from([(author.to_owned(), ids)])
        }))
    }

    /// Makes earlier revisions of the batch's authors one's own, as its policy says.
    pub(super) fn adopt(&mut self, batch: &Batch, author: &str) -> Result<(), Error> {
        let authors: BTreeSet<&str> =
            batch.operations.iter().map(|operation| operation.author.as_deref().unwrap_or(author)).collect();
        let mut meant: Vec<(String, i64)> = Vec::new();
        for author in authors {
            let claimed = match batch.own {
                OwnPolicy::History => return Ok(()),
                OwnPolicy::Recorded => self.record.0.get(author).cloned(),
                OwnPolicy::Author => self.record_of(author)?.0.remove(author),
            };
            meant.extend(claimed.into_iter().flatten().map(|id| (author.to_owned(), id)));
        }
        let own = self.ids.own();
        let new: Vec<(String, i64)> = meant
            .into_iter()
            .filter(|(author, id)| !own.is_new(*id) && !own.is_adopted(author, *id))
            .collect();
        if !new.is_empty() {
            self.ids.adopt(new);
        }
        Ok(())
    }
}
