//! How a request gets into its session, and its answer begun.
//!
//! Must never store a part of a request, or let two requests change one session at once.

use std::sync::Arc;

use engross_journal::NewLog;
use engross_llm::Message;
use engross_protocol::SessionId;
use engross_protocol::shared;
use engross_store::Name;

use super::answer::AnswerStream;
use super::branch;
use super::channel::AnswerHandle;
use super::error::{RefusalKind, RequestError};
use super::idempotency::KeyClaim;
use super::intake::take_in;
use super::log::LogEvent;
use super::names::{key_in, name_of};
use super::prepared::PreparedRequest;
use super::record::{self, SessionGuard, lost};
use super::request::{SessionName, TurnRequest};
use super::service::{Inner, Sessions, moment, unknown};
use super::settings::Settings;
use super::state::SessionState;
use super::toolbox::Toolbox;
use super::work_queue::Waiting;

impl Sessions {
    /// Takes a request in. Resolves when it is durable; the answer follows.
    ///
    /// # Errors
    /// When the request is wrong, does not fit its session, or there is too much to do. Nothing of it is stored then.
    pub async fn submit(&self, request: TurnRequest) -> Result<AnswerStream, RequestError> {
        self.refuse_when_full()?;
        if let Some(model) = request.parameters.model.as_deref() {
            self.check_model(&request.principal, model)?;
        }
        let toolbox = match &request.workspace {
            Some(workspace) => Some(self.inner.config.toolboxes.open(&request.principal, workspace).await?),
            None => None,
        };
        let prepared = PreparedRequest { claim: KeyClaim::of(&request)?, request, toolbox };
        if let Some(earlier) = self.earlier(&prepared).await? {
            return Ok(earlier);
        }
        let after = prepared.request.after;
        let place = after.map(|after| SessionName::Named(after.session.to_string()));
        let key = match prepared.request.key.as_ref().or(place.as_ref()) {
            Some(key) => Some(name_of(&prepared.request.principal, key)?),
            None => None,
        };
        let id = match &key {
            // A request that may open a session finds out by trying, so that the store is asked once.
            Some((name, text))
                if opens(&prepared.request) && after.is_none() && text.parse::<SessionId>().is_err() =>
            {
                self.inner.journal.remembered(name).map(|row| row.session)
            }
            Some((name, _)) => self.find(name).await?,
            None => None,
        };
        if after.is_some_and(|after| id != Some(after.session)) && prepared.request.key.is_some() {
            return Err(branch::elsewhere());
        }
        match (id, key) {
            (Some(id), _) => self.resume(id, &prepared).await,
            (None, Some((_, text))) if text.parse::<SessionId>().is_ok() => Err(unknown(&text)),
            (None, Some((name, text))) => self.begin(Some(name), Some(text), &prepared, None).await,
            (None, None) => self.begin(None, None, &prepared, None).await,
        }
    }

    /// Refuses models that are not on offer.
    pub(super) fn check_model(&self, principal: &str, name: &str) -> Result<(), RequestError> {
        if self.inner.config.models.has(principal, name) {
            return Ok(());
        }
        let names = self.inner.config.models.names(principal);
        let known = if names.is_empty() { "none has a name here".to_owned() } else { names.join(", ") };
        Err(RequestError::new(
            RefusalKind::Invalid,
            engross_llm::codes::MODEL_NOT_OFFERED.name,
            format!("there is no model '{name}'; there are: {known}"),
        ))
    }

    /// Refuses a request that a model would answer which was chosen before and is not on offer any more: its results continue a
    /// turn that asked for it, or the session's settings do.
    fn check_chosen(&self, session: &SessionState, request: &TurnRequest) -> Result<(), RequestError> {
        let is_new = request.messages.iter().any(|message| matches!(message, Message::User { .. }));
        let continued = session.turn.as_ref().filter(|_| !is_new);
        let of_turn = continued.and_then(|turn| turn.parameters.model.as_ref());
        let of_session = session.settings.model.as_ref();
        match request.parameters.model.as_ref().or(of_turn).or(of_session) {
            Some(name) => self.check_model(&request.principal, name),
            None => Ok(()),
        }
    }

    fn refuse_when_full(&self) -> Result<(), RequestError> {
        if self.inner.draining.is_cancelled() {
            return Err(RequestError::of(
                shared::SERVER_STOPPING,
                "the server is about to stop and takes no new requests; try again in a moment",
            )
            .retry_after(1));
        }
        let turns = self.inner.config.turns;
        if self.running() >= turns {
            return Err(RequestError::of(
                shared::SERVER_BUSY,
                format!("{turns} turns are under way already, which is as many as may; try again"),
            )
            .retry_after(1));
        }
        Ok(())
    }

    /// A session that does not exist yet, with its first request as one.
    /// `settings` are those that it has from its beginning.
    pub(super) async fn begin(
        &self,
        name: Option<Name>,
        text: Option<String>,
        prepared: &PreparedRequest,
        settings: Option<Settings>,
    ) -> Result<AnswerStream, RequestError> {
        let request = &prepared.request;
        let now = self.inner.config.clock.millis();
        let id = SessionId::new(&*self.inner.config.ids, now);
        let key = text.unwrap_or_else(|| format!("agent:main:openai:{id}"));
        let name = match name {
            Some(name) => name,
            None => name_of(&request.principal, &SessionName::Named(key.clone()))?.0,
        };
        let mut events = vec![LogEvent::Opened { key: key.clone() }];
        events.extend(settings.map(LogEvent::Configured));
        events.extend(take_in(&SessionState { key, ..SessionState::default() }, request, moment(now))?);
        let answer = record::answer_of(&events, 0).ok_or_else(lost)?;
        let names = prepared.claim.iter().map(|claim| claim.name(answer)).collect();
        let new = NewLog { id, at: now, key: name.clone(), names };
        let Inner { config, journal, .. } = &*self.inner;
        let Some(session) = record::create(journal, config, new, &events).await? else {
            // Another request was faster.
            return match self.earlier(prepared).await? {
                Some(earlier) => Ok(earlier),
                None => {
                    let id = self.find(&name).await?.ok_or_else(lost)?;
                    self.resume(id, prepared).await
                }
            };
        };
        Ok(self.start(session, &request.principal, (answer, None), now, prepared.toolbox.clone(), &events))
    }

    /// A request for a session that exists.
    async fn resume(&self, id: SessionId, prepared: &PreparedRequest) -> Result<AnswerStream, RequestError> {
        let Inner { config, journal, .. } = &*self.inner;
        let loaded = journal.get(id);
        if prepared.request.messages.iter().any(|message| matches!(message, Message::User { .. }))
            && let Some(newest) = loaded.extra.get()
            && !newest.background
            && !newest.channel.has_listeners()
        {
            // A client that gave the turn up and says something new does not want to wait for it.
            newest.channel.cancel();
        }
        let lock = {
            let _waits = Waiting::new(&self.inner.waiting);
            loaded.lock_behind(config.queue).await?
        };
        let opened = match prepared.request.after {
            // A branch is made from the log.
            Some(_) => journal.open(lock).await,
            None => journal.open_to_append(lock).await,
        };
        let mut session = match opened {
            // It was deleted by another server: its name may be another session's by now.
            Err(engross_journal::Error::Unknown) => {
                journal.forget(id);
                return Err(lost());
            }
            opened => opened?,
        };
        if let Some(after) = prepared.request.after
            && let Some(branch) = self.branch_of(id, after, prepared).await?
        {
            session.release().await;
            let (prepared, settings) = branch;
            return Box::pin(self.begin(None, None, &prepared, Some(settings))).await;
        }
        let opened = self.toolbox_of(&session, &prepared.request.principal, prepared.toolbox.as_ref()).await;
        let now = config.clock.millis();
        let taken = opened.and_then(|toolbox| {
            self.check_chosen(&session, &prepared.request)?;
            Ok((toolbox, take_in(&session, &prepared.request, moment(now))?))
        });
        let (toolbox, events) = match taken {
            Ok(taken) => taken,
            Err(error) => {
                session.release().await;
                return Err(error);
            }
        };
        let answer = record::answer_of(&events, session.next_entry() - 1).ok_or_else(lost)?;
        let names = prepared.claim.iter().map(|claim| claim.name(answer)).collect();
        for event in &events {
            session.apply(event);
        }
        let appended = record::append_next(config, journal, (session, events), names, now).await;
        let (session, events) = match appended {
            Ok(appended) => appended,
            // The same request may have come twice at once.
            Err(error) => return self.earlier(prepared).await?.ok_or(error),
        };
        Ok(self.start(session, &prepared.request.principal, (answer, None), now, toolbox, &events))
    }

    /// The tools of a session: those of the request, else those of the workspace it had before. A workspace that cannot be
    /// reached any more has none.
    ///
    /// # Errors
    /// [`RequestError::home_away`] when another node has it: nothing of the session may go on here then.
    pub(super) async fn toolbox_of(
        &self,
        session: &SessionState,
        principal: &str,
        asked: Option<&Arc<dyn Toolbox>>,
    ) -> Result<Option<Arc<dyn Toolbox>>, RequestError> {
        if let Some(asked) = asked {
            return Ok(Some(Arc::clone(asked)));
        }
        let Some(workspace) = session.workspace.as_ref() else { return Ok(None) };
        match self.inner.config.toolboxes.open(principal, workspace).await {
            Ok(toolbox) => Ok(Some(toolbox)),
            Err(error) if error.is_home_away() => Err(error),
            Err(error) => {
                tracing::warn!(
                    workspace,
                    code = error.code,
                    "a session goes on without its workspace: {error}"
                );
                Ok(None)
            }
        }
    }

    /// The answer that the same request got before.
    async fn earlier(&self, prepared: &PreparedRequest) -> Result<Option<AnswerStream>, RequestError> {
        let Some(claim) = &prepared.claim else { return Ok(None) };
        let Inner { config, journal, .. } = &*self.inner;
        let store = journal.store();
        let Some(row) = store.value(&claim.name).await? else { return Ok(None) };
        let (id, claimed) = (row.session, claim.answer(&row.value)?);
        let loaded = journal.get(id);
        let stands_for = |newest: &AnswerHandle| {
            (newest.answer == claimed || newest.retakes == Some(claimed)) && !newest.channel.is_lost()
        };
        if let Some(newest) = loaded.extra.get().filter(stands_for) {
            let key = self.key_of(id).await?;
            return Ok(Some(AnswerStream::live(id, key, &newest, true)));
        }
        let recorded = async || {
            let log = record::read_log(store, id).await?;
            let answer = record::standing(&log, claimed);
            let is_whole = record::is_whole(&log, answer);
            Ok::<_, RequestError>(is_whole.then(|| AnswerStream::recorded(id, &log, answer)))
        };
        // A task of this process that works on the answer holds this.
        let lock = loaded.lock().await;
        if let Some(recorded) = recorded().await? {
            return Ok(Some(recorded));
        }
        // Its process died, so it is begun anew, under a number of its own: what was published of it before may not be continued
        // with the words of another answer.
        let mut session = match journal.open(lock).await {
            Ok(session) => session,
            // Another server works on it, and lives.
            Err(engross_journal::Error::Leased) => return self.follow(id, claimed).await.map(Some),
            Err(error) => return Err(error.into()),
        };
        // Another server may have finished it while this one waited for the lease, and an end that was handed on is stored now.
        if let Some(recorded) = recorded().await? {
            session.release().await;
            return Ok(Some(recorded));
        }
        let opened = self.toolbox_of(&session, &prepared.request.principal, prepared.toolbox.as_ref()).await;
        let toolbox = match opened {
            Ok(toolbox) => toolbox,
            Err(error) => {
                session.release().await;
                return Err(error);
            }
        };
        let now = config.clock.millis();
        let answer = self.retake(&mut session, now).await?;
        Ok(Some(self.start(session, &prepared.request.principal, (answer, Some(claimed)), now, toolbox, &[])))
    }

    /// Begins the answer to what a turn was last asked anew; gives its number.
    pub(super) async fn retake(&self, session: &mut SessionGuard, now: u64) -> Result<u64, RequestError> {
        let events = [record::retake(session.turn.as_ref().ok_or_else(lost)?)];
        let answer = record::answer_of(&events, session.head()).ok_or_else(lost)?;
        for event in &events {
            session.apply(event);
        }
        record::append(&self.inner.config, session, &events, Vec::new(), now).await?;
        Ok(answer)
    }

    async fn key_of(&self, id: SessionId) -> Result<String, RequestError> {
        let stored = self.inner.config.store.load_by_id(id).await?.ok_or_else(lost)?;
        Ok(key_in(&stored.key))
    }
}

/// Whether a request could be the first of a session, whatever is in it: it brings no results.
fn opens(request: &TurnRequest) -> bool {
    request.messages.iter().all(|message| matches!(message, Message::User { .. }))
}
