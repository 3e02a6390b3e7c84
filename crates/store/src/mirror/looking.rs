//! Looking at what others have changed beneath the roots, and for objects that nothing needs.
//!
//! Must never write a row: what is found is noted, and kept as what was told is.

use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use super::error::MirrorError;
use super::known::is_beneath;
use super::owner_mirror::{Keeping, RETRY};
use super::parts::{MirrorParts, holder};
use crate::files::{FileChange, RelPath};

/// How often it is looked for what others have changed, and how much longer if looking takes long.
const LOOK_EVERY: (Duration, u32) = (Duration::from_secs(5), 20);

/// How often it is looked for objects that nothing needs, and how old they are.
const COLLECT_EVERY: Duration = Duration::from_secs(3600);

impl Keeping {
    /// Takes note of what others have changed beneath a folder; gives the number to wait for. Blocks.
    pub(super) fn look_at(&self, folder: &str) -> u64 {
        let (changes, closed) = self.differing(folder);
        let mut state = self.lock();
        let differs = |path: &String| closed.contains(path) || changes.iter().any(|(other, _)| other == path);
        state.unreadable.retain(|path, _| !is_beneath(path, folder) || differs(path));
        drop(state);
        for path in &closed {
            self.note_unreadable(path, "not all that is in it may be looked at");
        }
        self.take_note(&changes)
    }

    /// What is not as it is kept beneath a folder, which begins with the name of its root, and the folders of which not all can be
    /// looked at. Blocks.
    fn differing(&self, folder: &str) -> (Vec<(String, FileChange)>, Vec<String>) {
        let (name, inner) = folder.split_once('/').unwrap_or((folder, ""));
        let Some(root) = self.parts.roots.iter().find(|root| root.name == name) else {
            return (Vec::new(), Vec::new());
        };
        let found = match inner {
            "" => Ok(Some(root.folder.clone())),
            inner => RelPath::parse(inner).and_then(|inner| root.folder.folder(&inner)),
        };
        let (mut seen, mut closed) = (Vec::new(), Vec::new());
        match found {
            Ok(Some(found)) => {
                let leave_out = if inner.is_empty() { &*root.leave_out } else { &[] };
                let own = found.all_on_disk(leave_out, &mut |mut file| {
                    if !inner.is_empty() {
                        file.path = format!("{inner}/{}", file.path);
                    }
                    seen.push(file);
                });
                let whole = |path: String| {
                    if path.is_empty() { folder.to_owned() } else { format!("{folder}/{path}") }
                };
                closed.extend(own.into_iter().map(whole));
            }
            Ok(None) => {}
            Err(_) => closed.push(folder.to_owned()),
        }
        (self.known().differing(name, folder, &seen, &closed, false), closed)
    }

    /// Takes note of what others have changed; gives the number to wait for, or nothing when that cannot be said.
    pub(super) async fn look(self: &Arc<Self>) -> Option<u64> {
        let keeping = Arc::clone(self);
        let looked = self.reading.run(move || {
            let whole = keeping.parts.roots.iter().filter(|root| root.is_whole);
            whole.map(|root| keeping.look_at(&root.name)).max().unwrap_or_default()
        });
        looked.await
    }

    /// Looks now and then for what others have changed, and removes objects that nothing needs. Never ends.
    pub(super) async fn look_around(self: &Arc<Self>) {
        let mut collected = Instant::now();
        let mut pause = LOOK_EVERY.0;
        loop {
            tokio::time::sleep(pause).await;
            let (begun, at) = (Instant::now(), self.parts.clock.millis());
            let Some(number) = self.look().await else { return };
            pause = LOOK_EVERY.0.max(begun.elapsed() * LOOK_EVERY.1);
            // All that was changed before is kept once this is.
            while !self.is_settled(number) {
                tokio::time::sleep(RETRY).await;
            }
            if self.lock().is_over {
                return;
            }
            // What is not kept would be taken for removed elsewhere if it was older than the note.
            let is_all = self.lock().unreadable.is_empty();
            let keeping = Arc::clone(self);
            self.reading.run(move || is_all.then(|| keeping.note.write(&keeping.note_at(at)))).await;
            if collected.elapsed() >= COLLECT_EVERY {
                collected = Instant::now();
                if let Err(error) = self.collect().await {
                    tracing::warn!(code = error.code(), "old objects of files were not removed: {error}");
                }
            }
        }
    }

    /// Removes objects that no row has needed for a day.
    pub(super) async fn collect(&self) -> Result<(), MirrorError> {
        let MirrorParts { owner, table, blobs, clock, .. } = &self.parts;
        let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let now = clock.millis();
        let before = now.saturating_sub(millis(COLLECT_EVERY));
        for term in table.terms(owner).await? {
            if term > self.term {
                return Err(MirrorError::Over { owner: owner.clone() });
            }
            let held = blobs.held_by(&holder(owner, &self.id, term));
            let old = held.kept_before(before).await?;
            let _sending = self.sending.lock().await;
            let needed = self.known().needed(term);
            let unneeded = old.into_iter().filter(|hash| !needed.contains(hash));
            let useless = {
                let mut seen = self.useless.lock().unwrap_or_else(PoisonError::into_inner);
                seen.take_in(term, unneeded, now)
            };
            held.remove(useless).await?;
            if needed.is_empty() && term < self.term && held.kept_before(u64::MAX).await?.is_empty() {
                table.forget_term(owner, term).await?;
            }
        }
        Ok(())
    }
}
