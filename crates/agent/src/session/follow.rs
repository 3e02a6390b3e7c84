//! An answer on which another server works, told from the log as it grows.
//!
//! Must never change the session, nor tell of an end that is not in the log: where the other server dies, its listeners are told to
//! ask again.

use std::sync::Arc;
use std::time::Duration;

use engross_journal::{Error, LogEntry, read_entry};
use engross_protocol::{SessionId, shared};

use super::answer::{AnswerReplay, AnswerStream};
use super::channel::{AnswerHandle, Channel};
use super::error::RequestError;
use super::record;
use super::service::{Inner, Sessions};
use super::state::SessionState;

/// How often the log is looked at.
const PAUSE: Duration = Duration::from_millis(250);

/// After how many looks it is seen whether the other server still has the session.
const PATIENCE: u32 = 8;

/// How many entries are read at once.
const PAGE: usize = 1_000;

impl Sessions {
    /// The answer with this number, or the one that stands for it, from what is stored of it and what another server stores from now on.
    pub(super) async fn follow(&self, id: SessionId, claimed: u64) -> Result<AnswerStream, RequestError> {
        let log = record::read_log(self.inner.journal.store(), id).await?;
        let answer = record::standing(&log, claimed);
        let mut replay = AnswerReplay::of(answer);
        let channel = Arc::new(Channel::default());
        channel.publish(log.iter().flat_map(|entry| replay.take(entry)));
        let (turn, created) = (replay.turn, replay.created);
        // It goes on when nobody listens, as far as this server is concerned.
        let handle = AnswerHandle {
            answer,
            retakes: None,
            turn,
            created,
            background: true,
            channel: Arc::clone(&channel),
        };
        let stream = AnswerStream::live(id, replay.state.key.clone(), &handle, true);
        if !channel.is_over() {
            let sessions = self.clone();
            self.inner.tasks.spawn(async move { sessions.tell(id, replay, &channel).await });
        }
        Ok(stream)
    }

    /// Tells what is stored of an answer until it is over, nobody listens, or nobody works on it.
    async fn tell(&self, id: SessionId, mut replay: AnswerReplay, channel: &Channel) {
        let Inner { journal, draining, .. } = &*self.inner;
        for looks in 1_u32.. {
            tokio::select! {
                () = channel.deserted() => return,
                () = draining.cancelled() => {
                    let message = "this server is about to stop; ask again".to_owned();
                    let code = shared::SERVER_STOPPING.name.to_owned();
                    return channel.publish([replay.renderer.failed(code, message, Some(1))]);
                }
                () = tokio::time::sleep(PAUSE) => {}
            }
            // Seen before the log is read, so that what the other server stored last is read, too.
            let is_left = looks.is_multiple_of(PATIENCE) && self.is_left(id).await;
            match journal.store().entries(id, replay.seq, PAGE).await {
                Ok(entries) => {
                    for entry in &entries {
                        let Ok(event) = read_entry::<SessionState>(id, entry) else {
                            return channel.publish([replay.interrupted()]);
                        };
                        channel.publish(replay.take(&LogEntry { seq: entry.seq, at: entry.at, event }));
                    }
                    if channel.is_over() {
                        return;
                    }
                    if replay.is_overtaken || (is_left && entries.is_empty()) {
                        return channel.publish([replay.interrupted()]);
                    }
                }
                Err(engross_store::Error::UnknownSession { .. }) => {
                    return channel.publish([replay.interrupted()]);
                }
                // It may be back before the listeners lose patience.
                Err(error) => {
                    tracing::warn!(session = %id, code = error.code(), "an answer could not be followed: {error}");
                }
            }
        }
    }

    /// Whether no other server has the session.
    async fn is_left(&self, id: SessionId) -> bool {
        let Inner { journal, .. } = &*self.inner;
        // Who has it here waits for the other server, too; if they get it, the log tells.
        let Some(lock) = journal.get(id).lock_if_idle() else { return false };
        match journal.open_if_free(lock).await {
            Ok(Some(session)) => {
                session.release().await;
                true
            }
            Err(Error::Unknown) => true,
            Ok(None) | Err(_) => false,
        }
    }
}
