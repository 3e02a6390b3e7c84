//! Attends to sessions when no request comes: calls without a result in time, and background turns whose process died.
//!
//! Must never touch a session of which a turn runs, here or in another process.

use std::time::Duration;

use engross_journal::Error;
use engross_protocol::SessionId;

use super::decide::{Action, Input, Offer, RetryState, decide};
use super::error::RequestError;
use super::names::principal_in;
use super::record;
use super::service::{Inner, Sessions, moment};
use super::turn_state::TurnPhase;

/// After how many looks what nobody asked for meanwhile leaves memory.
const UNUSED: u32 = 4;

/// How many sessions are looked at in one go.
const AT_ONCE: usize = 1024;

impl Sessions {
    /// Checks again and again, with a pause in between, until the server is about to stop.
    pub async fn watch(&self, pause: Duration) {
        let journal = &self.inner.journal;
        let mut uses = journal.uses();
        for looks in 1_u32.. {
            tokio::select! {
                () = self.inner.draining.cancelled() => return,
                () = self.look_after_all() => {}
            }
            journal.trim();
            if looks.is_multiple_of(UNUSED) {
                journal.let_go(std::mem::replace(&mut uses, journal.uses()));
            }
            tokio::select! {
                () = self.inner.draining.cancelled() => return,
                () = tokio::time::sleep(pause) => {}
            }
        }
    }

    /// Checks once all sessions that asked for it.
    pub async fn look_after_all(&self) {
        let config = &self.inner.config;
        let due = config.store.due(config.clock.millis(), AT_ONCE).await;
        let due = due.unwrap_or_else(|error| {
            tracing::warn!(code = error.code(), "nobody knows which sessions wait: {error}");
            Vec::new()
        });
        for id in due {
            if let Err(error) = self.look_after(id).await {
                tracing::warn!(session = %id, code = error.code, "a session was not looked after: {}", error.message);
            }
        }
    }

    async fn look_after(&self, id: SessionId) -> Result<(), RequestError> {
        let Inner { config, journal, .. } = &*self.inner;
        let Some(lock) = journal.get(id).lock_if_idle() else { return Ok(()) };
        let mut session = match journal.open_if_free(lock).await {
            Ok(Some(session)) => session,
            Ok(None) | Err(Error::Unknown) => return Ok(()),
            Err(error) => return Err(error.into()),
        };
        let now = config.clock.millis();
        let Some(turn) = &session.turn else {
            session.release().await;
            return Ok(());
        };
        let background = turn.background;
        let stored = journal.store().load_by_id(id).await?;
        let principal = stored.as_ref().map(|stored| principal_in(&stored.key)).unwrap_or_default();
        let toolbox = match self.toolbox_of(&session, principal, None).await {
            Ok(toolbox) => toolbox,
            // It is for the node that has its workspace.
            Err(_) => {
                session.release().await;
                return Ok(());
            }
        };
        let waited = matches!(turn.phase, TurnPhase::Suspended { .. });
        let continues = if waited {
            let (mut tries, offer) = (RetryState::default(), Offer::default());
            let decision = decide(&mut session, &mut tries, Input::Expire, &offer, config.rules, moment(now));
            record::append(config, &mut session, &decision.events, Vec::new(), now).await?;
            background && decision.action != Action::Rest
        } else {
            background
        };
        if !continues {
            session.release().await;
            return Ok(());
        }
        // An answer that gave calls to the client was whole, and stays what it was; what goes on is another one.
        let claimed = match waited {
            true => None,
            false => record::last_answer(&record::read_log(journal.store(), id).await?),
        };
        let answer = self.retake(&mut session, now).await?;
        tracing::info!(session = %id, "a background turn goes on");
        self.start(session, principal, (answer, claimed), now, toolbox, &[]);
        Ok(())
    }
}
