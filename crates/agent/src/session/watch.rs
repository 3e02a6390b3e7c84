//! Looks after sessions when no request comes: calls that nobody answered in time, and background turns whose process died.
//!
//! Must never touch a session that somebody works on, here or elsewhere.

use std::time::Duration;

use engross_protocol::SessionId;

use super::decide::{Action, Input, Offer, Tries, decide};
use super::error::RequestError;
use super::service::{Sessions, Work, moment};
use super::state::Phase;
use super::{lease, live, record};

/// How many sessions are looked at in one go.
const AT_ONCE: usize = 1024;

impl Sessions {
    /// Looks again and again, with a pause in between, until the server is about to stop.
    pub async fn watch(&self, pause: Duration) {
        loop {
            tokio::select! {
                () = self.inner.draining.cancelled() => return,
                () = self.look_after_all() => {}
            }
            tokio::select! {
                () = self.inner.draining.cancelled() => return,
                () = tokio::time::sleep(pause) => {}
            }
        }
    }

    /// Looks once at all sessions that asked for it.
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
        let config = &self.inner.config;
        let slot = self.inner.slots.slot(id);
        let Some(mut held) = slot.hold_if_idle() else { return Ok(()) };
        let Ok(fence) = lease::take_now(config, id).await else { return Ok(()) };
        let mut live = match held.take() {
            Some(live) => live,
            None => match live::load(&*config.store, id).await? {
                Some(live) => live,
                None => return Ok(()),
            },
        };
        live.fence = fence;
        let now = config.clock.millis();
        let Some(turn) = &live.session.turn else {
            lease::give_back(config, id, fence).await;
            *held = live.keep_unless_shared(config);
            return Ok(());
        };
        let waited = matches!(turn.phase, Phase::Suspended { .. });
        let goes_on = if waited {
            let (mut tries, offer) = (Tries::default(), Offer::default());
            let background = turn.background;
            let decision =
                decide(&mut live.session, &mut tries, Input::Expire, &offer, config.rules, moment(now));
            if let Err(error) = live.append(config, id, &decision.events, Vec::new(), now).await {
                lease::give_back(config, id, fence).await;
                return Err(error);
            }
            background && decision.action != Action::Rest
        } else {
            turn.background
        };
        if !goes_on {
            lease::give_back(config, id, fence).await;
            *held = live.keep_unless_shared(config);
            return Ok(());
        }
        // An answer that gave calls to the client was whole, and stays what it was; what goes on is another one.
        let claimed = if waited { None } else { record::last_answer(&*config.store, id).await? };
        let answer = match self.retake(id, &mut live, now).await {
            Ok(answer) => answer,
            Err(error) => {
                lease::give_back(config, id, fence).await;
                return Err(error);
            }
        };
        let key = live.session.key.clone();
        let toolbox = self.toolbox_of(&live.session, None).await;
        tracing::info!(session = %id, "a background turn goes on");
        self.start(Work { id, answer, retakes: claimed, created: now, key, toolbox }, &slot, held, live);
        Ok(())
    }
}
