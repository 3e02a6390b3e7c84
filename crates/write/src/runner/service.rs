//! Offers write sessions to asynchronous callers: what touches the disk runs on a blocking thread.

use std::collections::VecDeque;

use bytes::Bytes;
use engross_protocol::shared;
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::task::spawn_blocking;

use super::WriteSessionId;
use super::caller::WriteCaller;
use super::hub::PublishedEvent;
use super::loaded::WriteSessionView;
use super::sessions::{ChunkEnd, WriteSessions};
use crate::error::WriteFailure;
use crate::framing::TurnFinish;
use crate::patch::PatchSpec;
use crate::session::BeginOptions;

/// The write sessions beneath one root. Clones share them.
#[derive(Clone)]
pub struct WriteService(WriteSessions);

impl WriteService {
    /// The service of these sessions.
    #[must_use]
    pub fn new(sessions: WriteSessions) -> Self {
        Self(sessions)
    }

    /// The sessions, for callers that may wait.
    #[must_use]
    pub fn sessions(&self) -> &WriteSessions {
        &self.0
    }

    /// As [`WriteSessions::begin`].
    ///
    /// # Errors
    /// As there.
    pub async fn begin(&self, options: BeginOptions) -> Result<WriteSessionView, WriteFailure> {
        self.run(move |sessions| sessions.begin(&options)).await
    }

    /// As [`WriteSessions::begin_for`].
    ///
    /// # Errors
    /// As there.
    pub async fn begin_for(
        &self,
        caller: WriteCaller,
        options: BeginOptions,
    ) -> Result<WriteSessionView, WriteFailure> {
        self.run(move |sessions| sessions.begin_for(&caller, &options)).await
    }

    /// As [`WriteSessions::chunk`].
    ///
    /// # Errors
    /// As there.
    pub async fn chunk(
        &self,
        id: WriteSessionId,
        offset: Option<u64>,
        bytes: impl Into<Bytes>,
        ending: ChunkEnd,
    ) -> Result<WriteSessionView, WriteFailure> {
        let bytes = bytes.into();
        self.run(move |sessions| sessions.shared_chunk(id, offset, &bytes, ending)).await
    }

    /// As [`WriteSessions::turn_end`].
    ///
    /// # Errors
    /// As there.
    pub async fn turn_end(
        &self,
        id: WriteSessionId,
        finish: TurnFinish,
    ) -> Result<WriteSessionView, WriteFailure> {
        self.run(move |sessions| sessions.turn_end(id, finish)).await
    }

    /// As [`WriteSessions::finalise`].
    ///
    /// # Errors
    /// As there.
    pub async fn finalise(&self, id: WriteSessionId) -> Result<WriteSessionView, WriteFailure> {
        self.run(move |sessions| sessions.finalise(id)).await
    }

    /// As [`WriteSessions::finalise_at`].
    ///
    /// # Errors
    /// As there.
    pub async fn finalise_at(
        &self,
        id: WriteSessionId,
        offset: u64,
    ) -> Result<WriteSessionView, WriteFailure> {
        self.run(move |sessions| sessions.finalise_at(id, offset)).await
    }

    /// As [`WriteSessions::whole`].
    ///
    /// # Errors
    /// As there.
    pub async fn whole(
        &self,
        id: WriteSessionId,
        content: Vec<u8>,
    ) -> Result<WriteSessionView, WriteFailure> {
        self.run(move |sessions| sessions.whole(id, &content)).await
    }

    /// As [`WriteSessions::patch`].
    ///
    /// # Errors
    /// As there.
    pub async fn patch(&self, id: WriteSessionId, spec: PatchSpec) -> Result<WriteSessionView, WriteFailure> {
        self.run(move |sessions| sessions.patch(id, spec)).await
    }

    /// As [`WriteSessions::cancel`].
    ///
    /// # Errors
    /// As there.
    pub async fn cancel(&self, id: WriteSessionId) -> Result<WriteSessionView, WriteFailure> {
        self.run(move |sessions| sessions.cancel(id)).await
    }

    /// Notes that the sender of content is gone. It can be called where nobody can wait, within a runtime.
    pub fn disconnect(&self, id: WriteSessionId) {
        let sessions = self.0.clone();
        if let Ok(handle) = Handle::try_current() {
            // A session that is gone misses nothing.
            drop(handle.spawn_blocking(move || sessions.disconnect(id).is_ok()));
        }
    }

    /// As [`WriteSessions::watch`].
    pub async fn watch(&self) {
        let sessions = self.0.clone();
        let _ = spawn_blocking(move || sessions.watch()).await;
    }

    /// As [`WriteSessions::sweep`].
    pub async fn sweep(&self) {
        let sessions = self.0.clone();
        let _ = spawn_blocking(move || sessions.sweep()).await;
    }

    /// Listens to a session, to what comes behind event `last`.
    ///
    /// # Errors
    /// `SESSION_NOT_FOUND`.
    pub fn listen(&self, id: WriteSessionId, last: u64) -> Result<WriteListener, WriteFailure> {
        let news = self.0.running(id)?.hub.watch();
        Ok(WriteListener { sessions: self.0.clone(), id, last, heard: VecDeque::new(), news })
    }

    async fn run<T: Send + 'static>(
        &self,
        ask: impl FnOnce(&WriteSessions) -> Result<T, WriteFailure> + Send + 'static,
    ) -> Result<T, WriteFailure> {
        let sessions = self.0.clone();
        let done = spawn_blocking(move || ask(&sessions)).await;
        done.unwrap_or_else(|_| {
            let message = "the server is stopping: send the request again when it is back".to_owned();
            Err(WriteFailure { code: shared::SERVER_STOPPING.name.to_owned(), message })
        })
    }
}

/// Somebody who listens to a session.
pub struct WriteListener {
    sessions: WriteSessions,
    id: WriteSessionId,
    last: u64,
    heard: VecDeque<PublishedEvent>,
    news: watch::Receiver<u64>,
}

impl WriteListener {
    /// The next event; `None` when the session is over and all was told. A future that is dropped has taken nothing.
    pub async fn next(&mut self) -> Option<PublishedEvent> {
        loop {
            if let Some(told) = self.heard.pop_front() {
                self.last = told.id;
                return Some(told);
            }
            self.news.borrow_and_update();
            let (heard, is_over) = self.sessions.events_after(self.id, self.last).ok()?;
            self.heard.extend(heard);
            if self.heard.is_empty() && (is_over || self.news.changed().await.is_err()) {
                return None;
            }
        }
    }
}
