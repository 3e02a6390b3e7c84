//! Housekeeping: the files of runs that ended long ago are removed, and, where nothing is to be kept of them, what was told of them, too.
//!
//! Must never remove a file that a newer run delivers, too, or the folder or the log of a conversation that goes on.

use std::collections::HashSet;

use engross_artifacts::{CollectedFiles, RunId, SessionKey};
use engross_journal::{LogGuard, read_all};
use engross_store::{Millis, SessionSummary};

use super::error::RunError;
use super::log::{RunEnd, RunEvent};
use super::names::is_list;
use super::service::Runs;
use super::state::{Phase, RunThread};

/// Threads that are looked at at once.
const PAGE: usize = 500;

/// Files kept elsewhere that are removed while others wait; the rest is the next one's.
const ELSEWHERE: usize = 10_000;

impl Runs {
    /// Removes the files of runs that ended before the moment `before`, here and where they are kept besides, unless a newer run has them, too.
    /// Runs whose files are being
    /// listed are waited for, and others wait until this is over.
    ///
    /// # Errors
    /// When the journal cannot be read, or as the system says.
    pub async fn collect(&self, before: Millis) -> Result<CollectedFiles, RunError> {
        let Some(frozen) = self.inner.config.workspace.frozen().cloned() else {
            return Ok(CollectedFiles::default());
        };
        let elsewhere = self.old_elsewhere(before).await;
        let _alone = self.inner.freezing.write().await;
        let store = self.inner.journal.store();
        let ids = self.logs().await?.into_iter().map(|row| row.id);
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
            Ok::<_, RunError>((collected, kept))
        });
        let (collected, kept) = work.await.map_err(|_| RunError::Stopping)??;
        let kept: HashSet<[u8; 32]> = kept.iter().map(|hash| *hash.as_bytes()).collect();
        self.remove_elsewhere(elsewhere.into_iter().filter(|hash| !kept.contains(hash)).collect()).await;
        Ok(collected)
    }

    /// What is kept elsewhere since before the moment `before`. It is asked before others have to wait.
    async fn old_elsewhere(&self, before: Millis) -> Vec<[u8; 32]> {
        let Some(blobs) = &self.inner.config.blobs else { return Vec::new() };
        blobs.kept_before(before).await.unwrap_or_else(|problem| {
            tracing::warn!(%problem, "old files of tasks that are kept elsewhere are not known, and stay for now");
            Vec::new()
        })
    }

    /// Removes files that are kept elsewhere. What stays is found again by the next one who collects.
    async fn remove_elsewhere(&self, mut hashes: Vec<[u8; 32]>) {
        let Some(blobs) = self.inner.config.blobs.as_ref().filter(|_| !hashes.is_empty()) else { return };
        hashes.truncate(ELSEWHERE);
        let count = hashes.len();
        match blobs.remove(hashes).await {
            Ok(()) => {
                tracing::info!(files = count, "old files of tasks that were kept elsewhere were removed");
            }
            Err(problem) => {
                tracing::warn!(%problem, "old files of tasks that are kept elsewhere could not be removed");
            }
        }
    }

    /// Forgets the tasks of threads in which nothing has happened since the moment `before`, with all that was said in them. A thread that
    /// somebody works on stays. Gives how many threads are gone.
    ///
    /// # Errors
    /// When the journal cannot be read or written.
    pub async fn forget(&self, before: Millis) -> Result<usize, RunError> {
        let (store, journal) = (&self.inner.config.store, &self.inner.journal);
        let mut gone = 0;
        for row in self.logs().await?.into_iter().filter(|row| row.changed_at < before) {
            if is_list(&row.key) {
                // The ids in it lead nowhere by now.
                store.delete(row.id).await?;
                continue;
            }
            // Who works on it holds this.
            let Some(lock) = journal.get(row.id).lock_if_idle() else { continue };
            let mut thread = match journal.open_if_free(lock).await {
                Ok(Some(thread)) => thread,
                // It is no thread's, or gone.
                Ok(None) | Err(engross_journal::Error::Unknown | engross_journal::Error::Damaged { .. }) => {
                    continue;
                }
                Err(error) => return Err(error.into()),
            };
            let is_over = thread.runs.iter().all(|run| matches!(run.phase, Phase::Done { .. }));
            if !is_over || thread.runs.is_empty() || LogGuard::head(&thread) != row.head {
                thread.release().await;
                continue;
            }
            let deleted = store.delete(row.id).await;
            thread.discard();
            thread.release().await;
            journal.forget(row.id);
            gone += usize::from(deleted?);
        }
        Ok(gone)
    }

    /// All logs of the store.
    async fn logs(&self) -> Result<Vec<SessionSummary>, RunError> {
        let mut rows: Vec<SessionSummary> = Vec::new();
        loop {
            let page = self.inner.config.store.list(None, rows.last().map(|row| row.id), PAGE).await?;
            let is_last = page.len() < PAGE;
            rows.extend(page);
            if is_last {
                return Ok(rows);
            }
        }
    }
}
