//! Housekeeping: the files of runs that ended long ago are removed, and what was told of them stays.
//!
//! Must never remove a file that a newer run delivers, too, or the folder of a conversation that goes on.

use std::collections::HashSet;

use engross_artifacts::{CollectedFiles, RunId, SessionKey};
use engross_journal::read_all;
use engross_store::Millis;

use super::error::RunError;
use super::log::{RunEnd, RunEvent};
use super::service::Runs;
use super::state::RunThread;

/// Threads that are looked at at once.
const PAGE: usize = 500;

impl Runs {
    /// Removes the files of runs that ended before the moment `before`, unless a newer run has them, too. Runs whose files are being
    /// listed are waited for, and others wait until this is over.
    ///
    /// # Errors
    /// When the journal cannot be read, or as the system says.
    pub async fn collect(&self, before: Millis) -> Result<CollectedFiles, RunError> {
        let Some(frozen) = self.inner.config.workspace.frozen().cloned() else {
            return Ok(CollectedFiles::default());
        };
        let _alone = self.inner.freezing.write().await;
        let store = self.inner.journal.store();
        let mut ids = Vec::new();
        loop {
            let page = self.inner.config.store.list(ids.last().copied(), PAGE).await?;
            let is_last = page.len() < PAGE;
            ids.extend(page.into_iter().map(|row| row.id));
            if is_last {
                break;
            }
        }
        let (mut newer, mut over): (Vec<RunEnd>, Vec<(SessionKey, RunId)>) = (Vec::new(), Vec::new());
        for id in ids {
            // A log that is no thread's has no ends of runs.
            let Ok(entries) = read_all::<RunThread>(store, id).await else { continue };
            let ends: Vec<RunEnd> = entries
                .into_iter()
                .filter_map(|entry| match entry.event {
                    RunEvent::Ended { end, .. } => Some(*end),
                    _ => None,
                })
                .collect();
            // An agent may keep the folder in which its conversation began.
            let is_quiet = ends.iter().all(|end| end.ended < before);
            for end in ends {
                if end.ended >= before {
                    newer.push(end);
                } else if is_quiet {
                    over.push((end.face.session_key, end.face.run));
                }
            }
        }
        let runs = self.clone();
        let work = tokio::task::spawn_blocking(move || {
            let mut kept = HashSet::new();
            for manifest in newer.iter().filter_map(|end| end.manifest.as_ref()) {
                frozen.hashes_of(manifest, &mut kept)?;
            }
            let collected = frozen.collect(&kept, before)?;
            for (session, run) in over {
                runs.inner.config.workspace.remove(&session, &run)?;
            }
            Ok::<_, RunError>(collected)
        });
        work.await.map_err(|_| RunError::Stopping)?
    }
}
