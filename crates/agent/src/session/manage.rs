//! What can be done to a session beside asking it: look at it, set it, stop its turn.
//!
//! Must never change a session that somebody works on.

use engross_protocol::SessionId;

use super::decide::{Heard, Input, Offer, Tries, decide};
use super::error::{RefusalKind, RequestError};
use super::live;
use super::log::LogEvent;
use super::names::name_of;
use super::request::SessionKey;
use super::service::{Sessions, lost, moment, unknown};
use super::settings::Settings;
use super::state::Session;
use super::{lease, record};

/// A session as it stands in the log.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionView {
    /// Its id.
    pub id: SessionId,
    /// The number of its last entry.
    pub head: u64,
    /// When it was created, in milliseconds since 1970.
    pub created: u64,
    /// Its state.
    pub session: Session,
}

impl Sessions {
    /// The names of further models that requests and settings may choose.
    #[must_use]
    pub fn models(&self) -> Vec<String> {
        self.inner.config.models.names().map(str::to_owned).collect()
    }

    /// A session as it stands in the log now.
    ///
    /// # Errors
    /// When there is no such session, or the store cannot be reached.
    pub async fn look(&self, principal: &str, key: &SessionKey) -> Result<SessionView, RequestError> {
        let (id, text) = self.known(principal, key).await?;
        let store = &*self.inner.config.store;
        let stored = store.load_by_id(id).await.map_err(|error| record::refusal(&error))?;
        let stored = stored.ok_or_else(|| unknown(&text))?;
        let (session, _) = record::replay(store, &stored).await?;
        Ok(SessionView { id, head: stored.head, created: stored.created_at, session })
    }

    /// Sets what holds for a session from its next model call on; what is left out is as the server has it. A session that
    /// does not exist is created. Waits while a turn runs.
    ///
    /// # Errors
    /// When a setting is wrong, or too many requests wait.
    pub async fn configure(
        &self,
        principal: &str,
        key: &SessionKey,
        settings: Settings,
    ) -> Result<(), RequestError> {
        if let Some((field, problem)) = settings.problem() {
            let message = format!("the setting '{field}' {problem}");
            return Err(RequestError::new(RefusalKind::Invalid, "SETTING_INVALID", message));
        }
        if let Some(model) = settings.model.as_deref() {
            self.check_model(model)?;
        }
        let (name, text) = name_of(principal, key)?;
        let config = &self.inner.config;
        let event = LogEvent::Configured(settings);
        let id = match self.find(&name).await? {
            Some(id) => id,
            None if text.parse::<SessionId>().is_ok() => return Err(unknown(&text)),
            None => {
                let now = config.clock.millis();
                let id = SessionId::new(&*config.ids, now);
                let events = [LogEvent::Opened { key: text }, event.clone()];
                let mut session = Session::default();
                for event in &events {
                    session.apply(event);
                }
                let created = self.create(id, &name, session, &events, Vec::new(), now).await?;
                if let Some(live) = created {
                    lease::give_back(config, id, live.fence).await;
                    return Ok(());
                }
                self.find(&name).await?.ok_or_else(lost)?
            }
        };
        self.change(id, |_| vec![event]).await.map(|_| ())
    }

    /// Stops the turn of a session: cancels what runs, and closes what waits for the client. Tells whether there was
    /// anything to stop. Resolves once the end is durable.
    ///
    /// # Errors
    /// When there is no such session, or another server works on it.
    pub async fn cancel(&self, principal: &str, key: &SessionKey) -> Result<bool, RequestError> {
        let (id, _) = self.known(principal, key).await?;
        let runs = match self.inner.slots.slot(id).newest() {
            Some(newest) if !newest.channel.is_over() => {
                newest.channel.cancel();
                true
            }
            _ => false,
        };
        let now = moment(self.inner.config.clock.millis());
        let stopped = self
            .change(id, |session| {
                if session.turn.is_none() {
                    return Vec::new();
                }
                let input = Input::Cancel("TURN_CANCELLED", "the turn was cancelled", Heard::default());
                let mut after = session.clone();
                let rules = self.inner.config.rules;
                decide(&mut after, &mut Tries::default(), input, &Offer::default(), rules, now).events
            })
            .await?;
        Ok(runs || stopped)
    }

    /// Adds entries to a session that nobody works on; tells whether there were any.
    pub(super) async fn change(
        &self,
        id: SessionId,
        entries: impl FnOnce(&Session) -> Vec<LogEvent>,
    ) -> Result<bool, RequestError> {
        let config = &self.inner.config;
        let mut held = self.inner.slots.slot(id).wait(config.queue).await?;
        let fence = lease::take(config, id).await?;
        let mut live = match held.take() {
            Some(live) => live,
            None => live::load(&*config.store, id).await?.ok_or_else(lost)?,
        };
        live.fence = fence;
        let events = entries(&live.session);
        for event in &events {
            live.session.apply(event);
        }
        let stored = live.append(config, id, &events, Vec::new(), config.clock.millis()).await;
        lease::give_back(config, id, fence).await;
        stored?;
        *held = live.keep_unless_shared(config);
        Ok(!events.is_empty())
    }
}
