//! How a request gets into its session, and its answer begun.
//!
//! Must never store a part of a request, or let two requests change one session at once.

use std::sync::Arc;

use engross_llm::Message;
use engross_protocol::SessionId;
use engross_store::{Name, NewSession};

use super::answer::Answering;
use super::error::{RefusalKind, RequestError};
use super::intake::take_in;
use super::live::{self, Live, PATIENCE};
use super::log::LogEvent;
use super::names::{key_in, name_of};
use super::request::{SessionKey, TurnRequest};
use super::service::{Sessions, Work, lost, moment, unknown};
use super::state::Session;
use super::toolbox::Toolbox;
use super::{idempotency, lease, record};

/// A request on its way in.
struct Order {
    request: TurnRequest,
    claim: Option<idempotency::Claim>,
    /// The tools of the workspace that the request names.
    toolbox: Option<Arc<dyn Toolbox>>,
}

impl Sessions {
    /// Takes a request in. Resolves when it is durable; the answer follows.
    ///
    /// # Errors
    /// When the request is wrong, does not fit its session, or there is too much to do. Nothing of it is stored then.
    pub async fn submit(&self, request: TurnRequest) -> Result<Answering, RequestError> {
        self.refuse_when_full()?;
        if let Some(model) = request.parameters.model.as_deref() {
            self.check_model(model)?;
        }
        let toolbox = match &request.workspace {
            Some(workspace) => Some(self.inner.config.toolboxes.open(workspace).await?),
            None => None,
        };
        let order = Order { claim: idempotency::claim(&request)?, request, toolbox };
        if let Some(earlier) = self.earlier(&order).await? {
            return Ok(earlier);
        }
        let key = match &order.request.key {
            Some(key) => Some(name_of(&order.request.principal, key)?),
            None => None,
        };
        let id = match &key {
            // A request that may open a session finds out by trying, so that the store is asked once.
            Some((name, text)) if opens(&order.request) && text.parse::<SessionId>().is_err() => {
                self.inner.slots.known(name)
            }
            Some((name, _)) => self.find(name).await?,
            None => None,
        };
        match (id, key) {
            (Some(id), _) => self.go_on(id, &order).await,
            (None, Some((_, text))) if text.parse::<SessionId>().is_ok() => Err(unknown(&text)),
            (None, Some((name, text))) => self.begin(Some(name), Some(text), &order).await,
            (None, None) => self.begin(None, None, &order).await,
        }
    }

    /// Refuses models that are not on offer.
    pub(super) fn check_model(&self, name: &str) -> Result<(), RequestError> {
        if self.inner.config.models.has(name) {
            return Ok(());
        }
        let names: Vec<&str> = self.inner.config.models.names().collect();
        let known = if names.is_empty() { "none has a name here".to_owned() } else { names.join(", ") };
        Err(RequestError::new(
            RefusalKind::Invalid,
            "MODEL_NOT_OFFERED",
            format!("there is no model '{name}'; there are: {known}"),
        ))
    }

    fn refuse_when_full(&self) -> Result<(), RequestError> {
        if self.inner.draining.is_cancelled() {
            return Err(RequestError::new(
                RefusalKind::Unavailable,
                "SERVER_STOPPING",
                "the server is about to stop and takes no new requests; try again in a moment",
            )
            .retry_after(1));
        }
        let turns = self.inner.config.turns;
        if self.running() >= turns {
            return Err(RequestError::new(
                RefusalKind::Busy,
                "SERVER_BUSY",
                format!("{turns} turns are under way already, which is as many as may; try again"),
            )
            .retry_after(1));
        }
        Ok(())
    }

    /// A session that does not exist yet, with its first request as one.
    async fn begin(
        &self,
        name: Option<Name>,
        text: Option<String>,
        order: &Order,
    ) -> Result<Answering, RequestError> {
        let request = &order.request;
        let now = self.inner.config.clock.millis();
        let id = SessionId::new(&*self.inner.config.ids, now);
        let key = text.unwrap_or_else(|| format!("agent:main:openai:{id}"));
        let name = match name {
            Some(name) => name,
            None => name_of(&request.principal, &SessionKey::Named(key.clone()))?.0,
        };
        let mut events = vec![LogEvent::Opened { key: key.clone() }];
        let mut session = Session::default();
        events.extend(take_in(&session, request, moment(now))?);
        for event in &events {
            session.apply(event);
        }
        let answer = record::answer_of(&events, 0).ok_or_else(lost)?;
        let names = order.claim.iter().map(|claim| claim.name(answer)).collect();
        let slot = self.inner.slots.slot(id);
        let held = slot.hold().await;
        let Some(live) = self.create(id, &name, session, &events, names, now).await? else {
            // Somebody was faster.
            drop(held);
            self.inner.slots.forget(id);
            return match self.earlier(order).await? {
                Some(earlier) => Ok(earlier),
                None => {
                    let id = self.find(&name).await?.ok_or_else(lost)?;
                    self.go_on(id, order).await
                }
            };
        };
        let toolbox = order.toolbox.clone();
        Ok(self.start(Work { id, answer, retakes: None, created: now, key, toolbox }, &slot, held, live))
    }

    /// Creates a session with its first entries, which `session` has taken in; `None` when its name is taken by now.
    pub(super) async fn create(
        &self,
        id: SessionId,
        name: &Name,
        session: Session,
        events: &[LogEvent],
        names: Vec<(Name, Vec<u8>)>,
        now: u64,
    ) -> Result<Option<Live>, RequestError> {
        let config = &self.inner.config;
        let wake_at = session.wake_at(now, PATIENCE);
        let new = NewSession {
            id,
            at: now,
            key: name.clone(),
            names,
            entries: record::entries(events, now)?,
            snapshot: None,
            wake_at,
        };
        // Nobody else knows the session yet, so the lease is there for the taking behind this.
        let (stored, is_new) = config.store.create(new).await.map_err(|error| record::refusal(&error))?;
        self.inner.slots.remember(name, stored.id);
        if !is_new {
            return Ok(None);
        }
        live::tell(config, id, &session.key, (1, now), events);
        let mut live = Live::new(session, stored.head, wake_at);
        live.fence = lease::take(config, id).await?;
        Ok(Some(live))
    }

    /// A request for a session that exists.
    async fn go_on(&self, id: SessionId, order: &Order) -> Result<Answering, RequestError> {
        let config = &self.inner.config;
        let slot = self.inner.slots.slot(id);
        if order.request.messages.iter().any(|message| matches!(message, Message::User { .. }))
            && let Some(newest) = slot.newest()
            && !newest.background
            && !newest.channel.is_heard()
        {
            // Whoever gave the turn up and says something new does not want to wait for it.
            newest.channel.cancel();
        }
        let mut held = slot.wait(config.queue).await?;
        let fence = lease::take(config, id).await?;
        let mut live = match held.take() {
            Some(live) => live,
            None => live::load(&*config.store, id).await?.ok_or_else(lost)?,
        };
        live.fence = fence;
        let now = config.clock.millis();
        let events = match take_in(&live.session, &order.request, moment(now)) {
            Ok(events) => events,
            Err(error) => {
                lease::give_back(config, id, fence).await;
                *held = live.keep_unless_shared(config);
                return Err(error);
            }
        };
        let answer = record::answer_of(&events, live.head).ok_or_else(lost)?;
        let names = order.claim.iter().map(|claim| claim.name(answer)).collect();
        for event in &events {
            live.session.apply(event);
        }
        // After a failure the state in memory is ahead of the log: it is dropped, and read anew next time.
        let stored = live.append(config, id, &events, names, now).await;
        if let Err(error) = stored {
            lease::give_back(config, id, fence).await;
            drop(held);
            // The same request may have come twice at once.
            return self.earlier(order).await?.ok_or(error);
        }
        let key = live.session.key.clone();
        let toolbox = self.toolbox_of(&live.session, order.toolbox.as_ref()).await;
        Ok(self.start(Work { id, answer, retakes: None, created: now, key, toolbox }, &slot, held, live))
    }

    /// The tools of a session: those of the request, else those of the workspace it had before. A workspace that cannot be
    /// reached any more has none.
    pub(super) async fn toolbox_of(
        &self,
        session: &Session,
        asked: Option<&Arc<dyn Toolbox>>,
    ) -> Option<Arc<dyn Toolbox>> {
        if let Some(asked) = asked {
            return Some(Arc::clone(asked));
        }
        let workspace = session.workspace.as_ref()?;
        match self.inner.config.toolboxes.open(workspace).await {
            Ok(toolbox) => Some(toolbox),
            Err(error) => {
                tracing::warn!(
                    workspace,
                    code = error.code,
                    "a session goes on without its workspace: {error}"
                );
                None
            }
        }
    }

    /// The answer that the same request got before.
    async fn earlier(&self, order: &Order) -> Result<Option<Answering>, RequestError> {
        let Some(claim) = &order.claim else { return Ok(None) };
        let config = &self.inner.config;
        let store = &*config.store;
        let row = store.value(&claim.name).await.map_err(|error| record::refusal(&error))?;
        let Some(row) = row else { return Ok(None) };
        let (id, claimed) = (row.session, claim.answer(&row.value)?);
        let slot = self.inner.slots.slot(id);
        let stands_for = |newest: &super::channel::Newest| {
            (newest.answer == claimed || newest.retakes == Some(claimed)) && !newest.channel.is_lost()
        };
        if let Some(newest) = slot.newest().filter(stands_for) {
            let key = self.key_of(id).await?;
            return Ok(Some(Answering::live(id, key, &newest, true)));
        }
        // Whoever works on the answer holds this.
        let mut held = slot.hold().await;
        let log = record::read_all(store, id).await?;
        let answer = record::standing(&log, claimed);
        if record::is_whole(&log, answer) {
            return Ok(Some(Answering::recorded(id, &log, answer)));
        }
        // Its process died, so it is begun anew, under a number of its own: what was told of it before may not be continued
        // with the words of another answer.
        let fence = lease::take(config, id).await?;
        if fence.is_some() {
            // Another server may have finished it while this one waited for the lease.
            let log = record::read_all(store, id).await;
            let whole = log.as_ref().ok().map(|log| record::standing(log, claimed));
            if let (Ok(log), Some(answer)) = (&log, whole)
                && record::is_whole(log, answer)
            {
                lease::give_back(config, id, fence).await;
                return Ok(Some(Answering::recorded(id, log, answer)));
            }
        }
        let mut live = match held.take() {
            Some(live) => live,
            None => live::load(store, id).await?.ok_or_else(lost)?,
        };
        live.fence = fence;
        let now = config.clock.millis();
        let answer = match self.retake(id, &mut live, now).await {
            Ok(answer) => answer,
            Err(error) => {
                lease::give_back(config, id, fence).await;
                return Err(error);
            }
        };
        let key = live.session.key.clone();
        let toolbox = self.toolbox_of(&live.session, order.toolbox.as_ref()).await;
        let work = Work { id, answer, retakes: Some(claimed), created: now, key, toolbox };
        Ok(Some(self.start(work, &slot, held, live)))
    }

    /// Begins the answer to what a turn was last asked anew; gives its number.
    pub(super) async fn retake(&self, id: SessionId, live: &mut Live, now: u64) -> Result<u64, RequestError> {
        let turn = live.session.turn.as_ref().ok_or_else(lost)?;
        let events = [live::retake(turn)];
        let answer = record::answer_of(&events, live.head).ok_or_else(lost)?;
        for event in &events {
            live.session.apply(event);
        }
        live.append(&self.inner.config, id, &events, Vec::new(), now).await?;
        Ok(answer)
    }

    async fn key_of(&self, id: SessionId) -> Result<String, RequestError> {
        let stored = self.inner.config.store.load_by_id(id).await;
        let stored = stored.map_err(|error| record::refusal(&error))?.ok_or_else(lost)?;
        Ok(key_in(&stored.key))
    }
}

/// Whether a request could be the first of a session, whatever is in it: it brings no results.
fn opens(request: &TurnRequest) -> bool {
    request.messages.iter().all(|message| matches!(message, Message::User { .. }))
}
