//! A run in the hand of somebody who may see it: its snapshot, its updates, its end.
//!
//! Must never be given out for a run of another principal.

use std::collections::VecDeque;
use std::sync::Arc;

use engross_journal::{LogEntry, read_all, read_entry};
use engross_store::Millis;
use serde_json::{Value, json};

use super::error::RunError;
use super::handle::lock;
use super::journal::{LoadedThread, PublishedEnd};
use super::log::{RunEnd, RunEvent};
use super::notifications;
use super::receipts;
use super::request::RunRequest;
use super::service::Runs;
use super::state::{Phase, Run, RunThread};
use super::status::RunStatus;
use super::updates::{Update, entry_of, seq_of};
use engross_artifacts::{ExportPage, PageRequest, RunId, SessionKey, Sha256Sum, Signer, expected_dirs};

/// The bytes of the rows of files in one answer, of which a client of old reads two copies: an answer has at most a megabyte.
const ROWS: usize = 220_000;

/// Files that are told of a run whose folder is gone.
const FOLDERLESS: usize = 200;

/// Ends that are kept as they were told, for each thread.
const TOLD: usize = 16;

/// A run.
#[derive(Clone)]
pub struct Ticket {
    pub(super) runs: Runs,
    pub(super) loaded: Arc<LoadedThread>,
    pub(super) run: RunId,
    /// Whether the run had been accepted before.
    pub(super) replayed: bool,
}

/// How a run stands, as it is told.
#[derive(Debug, Clone, PartialEq)]
pub struct RunSnapshot {
    /// Another one whenever something of the run is new that is not merely time.
    pub revision: String,
    /// How it stands.
    pub status: RunStatus,
    /// All that is told.
    pub body: Arc<Value>,
}

impl Ticket {
    /// The run's id.
    #[must_use]
    pub fn run(&self) -> &RunId {
        &self.run
    }

    /// Whether the run had been accepted before, by the same request.
    #[must_use]
    pub fn replayed(&self) -> bool {
        self.replayed
    }

    /// The run's revision and status, without anything else.
    ///
    /// # Errors
    /// [`RunError::Damaged`].
    pub async fn revision(&self) -> Result<(String, RunStatus), RunError> {
        let thread = self.runs.open(&self.loaded).await?;
        let run = self.of(&thread)?;
        Ok((run.seq.to_string(), run.status()))
    }

    fn of<'a>(&self, thread: &'a RunThread) -> Result<&'a Run, RunError> {
        thread.run(&self.run).ok_or_else(|| RunError::Damaged { problem: "a run is missing".to_owned() })
    }

    /// What the run was asked, as long as it waits or is with its agent.
    pub(super) async fn order(&self) -> Result<Option<RunRequest>, RunError> {
        let thread = self.runs.open(&self.loaded).await?;
        Ok(match &self.of(&thread)?.phase {
            Phase::Queued(order) => Some((**order).clone()),
            Phase::Running(active) => Some(active.order.clone()),
            _ => None,
        })
    }

    /// How it stands now. `base` is the address of this server, which download links begin with; without one there are none.
    ///
    /// # Errors
    /// When the store or the disk cannot be read.
    pub async fn snapshot(&self, base: &str) -> Result<RunSnapshot, RunError> {
        let thread = self.runs.open(&self.loaded).await?;
        let run = self.of(&thread)?.clone();
        drop(thread);
        let (revision, status) = (run.seq.to_string(), run.status());
        let now = self.runs.now();
        if !status.is_terminal() {
            let directory = self.directory(&run);
            let position = match &run.phase {
                Phase::Queued(order) => self.runs.position(order.face.target, &self.run),
                _ => None,
            };
            let body = Arc::new(notifications::handle(&run, &directory, position, now));
            return Ok(RunSnapshot { revision, status, body });
        }
        let key = (self.run.clone(), base.to_owned());
        let half = self.runs.inner.config.lifetime / 2;
        let known = lock(&self.loaded.extra.ends).get(&key).cloned();
        if let Some(told) =
            known.filter(|told| told.revision == revision && now.saturating_sub(told.at) < half)
        {
            return Ok(RunSnapshot { revision, status, body: told.body });
        }
        let end = self.terminal(run.seq).await?;
        let (runs, base, seq) = (self.runs.clone(), base.to_owned(), run.seq);
        let told = tokio::task::spawn_blocking(move || runs.tell_end(&end, seq, &base, now, None));
        let body = Arc::new(told.await.map_err(|_| RunError::Stopping)??);
        let mut all = lock(&self.loaded.extra.ends);
        if all.len() >= TOLD {
            all.clear();
        }
        all.insert(key, PublishedEnd { at: now, revision: revision.clone(), body: Arc::clone(&body) });
        Ok(RunSnapshot { revision, status, body })
    }

    /// A further page of the files of a run that has ended, and what follows `offset` of its words.
    ///
    /// # Errors
    /// As [`Ticket::snapshot`], and when the cursor is none of this run.
    pub async fn page(&self, base: &str, cursor: Option<&str>, offset: usize) -> Result<Value, RunError> {
        let thread = self.runs.open(&self.loaded).await?;
        let (seq, status) = (self.of(&thread)?.seq, self.of(&thread)?.status());
        drop(thread);
        if !status.is_terminal() {
            return Ok((*self.snapshot(base).await?.body).clone());
        }
        let mut end = self.terminal(seq).await?;
        let rest = end.text.get(end.text.ceil_char_boundary(offset)..).unwrap_or_default().to_owned();
        end.text = rest;
        // A receipt comes with the first page, of all words.
        end.prompt_sha256 = None;
        let (runs, base, now) = (self.runs.clone(), base.to_owned(), self.runs.now());
        let cursor = cursor.map(str::to_owned);
        let told =
            tokio::task::spawn_blocking(move || runs.tell_end(&end, seq, &base, now, cursor.as_deref()));
        let mut told = told.await.map_err(|_| RunError::Stopping)??;
        // Where the rest goes on is told from the beginning of all words.
        if offset > 0
            && let Some(next) = told.get("nextOutputOffset").and_then(Value::as_u64)
        {
            told["nextOutputOffset"] = (next + offset as u64).into();
        }
        Ok(told)
    }

    fn directory(&self, run: &Run) -> String {
        let Some(face) = run.face() else { return String::new() };
        self.runs.inner.config.directory_of(&face.session_key, &face.run)
    }

    /// The end of the run, which is the entry of this number.
    async fn terminal(&self, seq: u64) -> Result<RunEnd, RunError> {
        let store = &self.runs.inner.config.store;
        let entries = store.entries(self.loaded.id(), seq.saturating_sub(1), 1).await?;
        let end =
            entries.first().map(|entry| read_entry::<RunThread>(self.loaded.id(), entry)).transpose()?;
        match end {
            Some(RunEvent::Ended { end, .. }) if end.face.run == self.run => Ok(*end),
            _ => Err(RunError::Damaged { problem: format!("entry {seq} is not the end of {}", self.run) }),
        }
    }

    /// What the person said who asked for it.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn said(&self) -> Result<Option<String>, RunError> {
        if let Some(order) = self.order().await? {
            return Ok(Some(order.user_text));
        }
        let store = self.runs.inner.journal.store();
        let entries = read_all::<RunThread>(store, self.loaded.id()).await?;
        Ok(entries.into_iter().find_map(|entry| match entry.event {
            RunEvent::Accepted(order) if order.face.run == self.run => Some(order.user_text),
            _ => None,
        }))
    }

    /// The end of the run, if it has ended.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn end(&self) -> Result<Option<RunEnd>, RunError> {
        let thread = self.runs.open(&self.loaded).await?;
        let run = self.of(&thread)?;
        let (seq, status) = (run.seq, run.status());
        drop(thread);
        if status.is_terminal() { Ok(Some(self.terminal(seq).await?)) } else { Ok(None) }
    }

    /// Resolves when the revision is not `known` any more, or the run has ended. Dropping it harms nothing.
    ///
    /// # Errors
    /// As [`Ticket::revision`], and [`RunError::Stopping`] when the process ends before.
    pub async fn changed(&self, known: &str) -> Result<(), RunError> {
        loop {
            let changed = self.loaded.extra.updates.changed();
            tokio::pin!(changed);
            changed.as_mut().enable();
            let (revision, status) = self.revision().await?;
            if revision != known || status.is_terminal() {
                return Ok(());
            }
            tokio::select! {
                () = changed => {}
                () = self.runs.inner.drained.cancelled() => return Err(RunError::Stopping),
            }
        }
    }

    /// Everything that happens to the run behind the update `after`; 0 for all of it.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn listen(&self, after: u64) -> Result<RunListener, RunError> {
        let head = self.runs.open(&self.loaded).await?.head;
        let first = self.loaded.extra.updates.first();
        let mut backlog = VecDeque::new();
        // What is not kept in memory is told by the log, but for what only passed by.
        let wanted = seq_of(entry_of(after) + 1);
        if head > entry_of(after) && first.is_none_or(|first| first > wanted) {
            let mut thread = RunThread::default();
            let store = self.runs.inner.journal.store();
            for LogEntry { seq, at, event } in read_all::<RunThread>(store, self.loaded.id()).await? {
                thread.apply(&event, at);
                let seq = seq_of(seq);
                let ours = event.run() == Some(&self.run);
                if ours && seq > after && first.is_none_or(|first| seq < first) {
                    let told = notifications::of_entry(&thread, &event, seq, at);
                    backlog.extend(told.map(|params| Update {
                        seq,
                        run: self.run.clone(),
                        params: Arc::new(params),
                    }));
                }
            }
        }
        Ok(RunListener { loaded: Arc::clone(&self.loaded), run: self.run.clone(), backlog, last: after })
    }
}

/// Hears what happens to a run.
pub struct RunListener {
    loaded: Arc<LoadedThread>,
    run: RunId,
    backlog: VecDeque<Update>,
    last: u64,
}

impl RunListener {
    /// The next update. It waits for ever when nothing happens any more. Cancel-safe.
    pub async fn next(&mut self) -> Update {
        loop {
            if let Some(update) = self.ready() {
                return update;
            }
            let changed = self.loaded.extra.updates.changed();
            tokio::pin!(changed);
            changed.as_mut().enable();
            if let Some(update) = Self::kept(&self.loaded, &self.run, &mut self.last) {
                return update;
            }
            changed.await;
        }
    }

    /// The next update, if there is one already.
    pub fn ready(&mut self) -> Option<Update> {
        if let Some(update) = self.backlog.pop_front() {
            self.last = update.seq;
            return Some(update);
        }
        Self::kept(&self.loaded, &self.run, &mut self.last)
    }

    fn kept(loaded: &LoadedThread, run: &RunId, last: &mut u64) -> Option<Update> {
        loop {
            let update = loaded.extra.updates.after(*last)?;
            *last = update.seq;
            if update.run == *run {
                return Some(update);
            }
        }
    }
}

impl Runs {
    /// An end with its files as links and references. What cannot be said of the files any more is a warning.
    fn tell_end(
        &self,
        end: &RunEnd,
        seq: u64,
        base: &str,
        now: Millis,
        cursor: Option<&str>,
    ) -> Result<Value, RunError> {
        let config = &self.inner.config;
        let directory = config.directory_of(&end.face.session_key, &end.face.run);
        let Some(manifest) = &end.manifest else {
            return Ok(notifications::terminal(end, seq, &directory, None));
        };
        let page: Result<ExportPage, RunError> = (|| {
            let scope = config.workspace.open(&end.face.session_key, &end.face.run, None)?;
            let expected: Vec<Value> =
                end.face.contract.expected_dirs.iter().cloned().map(Value::from).collect();
            let expected = expected_dirs(&expected).unwrap_or_default();
            let signer = Signer { keys: &config.keys, now, lifetime: config.lifetime };
            let of = PageRequest { expected: &expected, bytes: Some(ROWS), cursor, ..PageRequest::default() };
            Ok(scope.page(manifest, of, signer, config.hashing())?)
        })();
        match page {
            Ok(page) => {
                let mut told = notifications::terminal(end, seq, &directory, Some(&page));
                if let Some(receipt) =
                    config.signer.as_ref().and_then(|signer| receipts::receipt(end, signer))
                {
                    told["receipt"] = receipt;
                }
                self.link(&mut told, &end.face.session_key, &end.face.run, base);
                Ok(told)
            }
            // It is the request that is wrong.
            Err(error) if cursor.is_some() => Err(error),
            Err(error) => {
                // The folder is gone; what was in it is still told, without a way to it.
                let mut told = notifications::terminal(end, seq, &directory, None);
                let files: Vec<Value> = manifest
                    .files
                    .iter()
                    .take(FOLDERLESS)
                    .map(|file| {
                        json!({
                            "relativePath": file.relative_path,
                            "label": file.label(),
                            "contentType": engross_artifacts::content_type(file.label()),
                            "sizeBytes": file.size_bytes,
                            "sha256": file.sha256,
                        })
                    })
                    .collect();
                if let Value::Object(told) = &mut told {
                    told.insert("artifactCount".to_owned(), manifest.count().into());
                    told.insert("artifacts".to_owned(), files.into());
                    told.insert("warnings".to_owned(), json!([error.to_string()]));
                }
                if manifest.frozen {
                    // Its bytes are elsewhere, and a link leads there.
                    self.link(&mut told, &end.face.session_key, &end.face.run, base);
                }
                Ok(told)
            }
        }
    }

    /// Adds a download link to every file that is told of a run.
    pub(crate) fn link(&self, told: &mut Value, session: &SessionKey, run: &RunId, base: &str) {
        if base.is_empty() {
            return;
        }
        let config = &self.inner.config;
        let now = self.now();
        let Some(files) = told.get_mut("artifacts").and_then(Value::as_array_mut) else { return };
        for file in files {
            let path = file.get("relativePath").and_then(Value::as_str).unwrap_or_default().to_owned();
            let Some(sha256) = file.get("sha256").and_then(Value::as_str).and_then(Sha256Sum::parse) else {
                continue;
            };
            let link = config.keys.link(session, run, (&path, sha256), now, config.lifetime);
            if let (Ok(query), Value::Object(file)) = (link, file) {
                let url = format!("{}/artifacts/openclaw/download?{query}", base.trim_end_matches('/'));
                file.insert("downloadUrl".to_owned(), url.into());
            }
        }
    }
}
