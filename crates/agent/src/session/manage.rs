//! What can be done to a session beside asking it: read it, set it, stop its turn.
//!
//! Must never change a session while a turn of it runs.

use std::sync::Arc;

use engross_journal::{Log, NewLog};
use engross_llm::{Message, MessageAttachment, Model, OptionTreatment, Usage};
use engross_protocol::SessionId;
use engross_store::SessionSummary;
use serde_json::Value;

use super::answer::AnswerStream;
use super::branch;
use super::decide::{Input, Offer, PartialAnswer, RetryState, decide};
use super::error::RequestError;
use super::log::{LogEvent, ResultSource};
use super::names::{key_in, name_of, principal_in};
use super::record::{self, lost};
use super::request::{AnswerPlace, SessionName, TurnRequest};
use super::service::{Inner, Sessions, moment, unknown};
use super::settings::Settings;
use super::state::SessionState;
use super::turn_state::TurnPhase;
use crate::codes;

/// Sessions that are listed at once.
const PAGE: usize = 200;

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
    pub session: SessionState,
    /// Whether a turn of it runs, here or on another server.
    pub runs: bool,
}

/// A session in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionLine {
    /// Its canonical key.
    pub key: String,
    /// When it was last changed, in milliseconds since 1970.
    pub changed: u64,
    /// Its workspace.
    pub workspace: Option<String>,
    /// How many turns it has.
    pub turns: u64,
    /// The newest message to the model.
    pub message: String,
}

/// A session in a page of all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionOverview {
    /// Its id.
    pub id: SessionId,
    /// Its canonical key.
    pub key: String,
    /// When it was created, in milliseconds since 1970.
    pub created: u64,
    /// When it was last changed, in milliseconds since 1970.
    pub changed: u64,
    /// How many entries its log has.
    pub entries: u64,
}

/// An answer that was asked for before.
pub struct AnswerView {
    /// It, from its beginning.
    pub answer: AnswerStream,
    /// Whether it is still being made.
    pub runs: bool,
    /// How many answers its session has.
    pub answers: usize,
    /// What its request brought: messages, and results of calls.
    pub input: Vec<Message>,
}

impl Sessions {
    /// At most `limit` sessions of a principal, the newest first; the next page is what comes behind the last of this one.
    ///
    /// # Errors
    /// When the store cannot be reached.
    pub async fn page(
        &self,
        principal: &str,
        after: Option<SessionId>,
        limit: usize,
    ) -> Result<Vec<SessionOverview>, RequestError> {
        let page = self.inner.config.store.list(Some(principal), after, limit).await?;
        let overview = |summary: SessionSummary| SessionOverview {
            id: summary.id,
            key: key_in(&summary.key),
            created: summary.created_at,
            changed: summary.changed_at,
            entries: summary.head,
        };
        Ok(page.into_iter().map(overview).collect())
    }

    /// Deletes a session for good, with all that was said in it. A turn that runs is cancelled first.
    ///
    /// # Errors
    /// When there is no such session, another server works on it, or the store cannot be reached.
    pub async fn delete(&self, principal: &str, key: &SessionName) -> Result<SessionId, RequestError> {
        let (id, text) = self.known(principal, key).await?;
        let Inner { config, journal, .. } = &*self.inner;
        let loaded = journal.get(id);
        if let Some(newest) = loaded.extra.get() {
            newest.channel.cancel();
        }
        let mut session = match journal.open(loaded.lock_behind(config.queue).await?).await {
            Err(engross_journal::Error::Unknown) => {
                journal.forget(id);
                return Err(unknown(&text));
            }
            opened => opened?,
        };
        let deleted = config.store.delete(id).await;
        // Nobody may go on with what is in memory.
        session.discard();
        session.release().await;
        deleted?;
        journal.forget(id);
        for observer in &config.observers {
            observer.deleted(id);
        }
        Ok(id)
    }

    /// Whether there is a session of this name.
    ///
    /// # Errors
    /// When the store cannot be reached.
    pub async fn has(&self, principal: &str, key: &SessionName) -> Result<bool, RequestError> {
        Ok(self.find(&name_of(principal, key)?.0).await?.is_some())
    }

    /// The bytes that the sessions of a principal have in the store.
    ///
    /// # Errors
    /// When the store cannot be reached.
    pub async fn stored_bytes(&self, principal: &str) -> Result<u64, RequestError> {
        Ok(self.inner.config.store.group_size(principal).await?)
    }

    /// Deletes sessions that were not changed for as many milliseconds as `age` says for their principal, if it says any; one on which
    /// somebody works stays. `least` is the smallest age that can be said: younger ones cost nothing.
    ///
    /// # Errors
    /// When the store cannot be reached.
    pub async fn expire(&self, age: impl Fn(&str) -> Option<u64>, least: u64) -> Result<usize, RequestError> {
        let store = &*self.inner.config.store;
        let now = self.inner.config.clock.millis();
        let (mut gone, mut after) = (0, None);
        loop {
            let page = store.unchanged(now.saturating_sub(least), after, PAGE).await?;
            let Some(last) = page.last() else { return Ok(gone) };
            after = Some(last.id);
            let is_old = |summary: &SessionSummary| {
                let age = age(principal_in(&summary.key));
                age.is_some_and(|age| now.saturating_sub(summary.changed_at) >= age)
            };
            gone += self.delete_idle(page.into_iter().filter(is_old)).await?;
        }
    }

    /// Deletes the sessions that were not changed for the longest, so that no more than `most` are left; one on which somebody works
    /// stays. All are looked through: for a store in memory.
    ///
    /// # Errors
    /// When the store cannot be reached.
    pub async fn keep_at_most(&self, most: usize) -> Result<usize, RequestError> {
        let (mut all, mut after) = (Vec::new(), None);
        loop {
            let page = self.inner.config.store.list(None, after, PAGE).await?;
            let Some(last) = page.last() else { break };
            after = Some(last.id);
            all.extend(page);
        }
        let surplus = all.len().saturating_sub(most);
        all.sort_unstable_by_key(|summary| (summary.changed_at, summary.id));
        self.delete_idle(all.into_iter().take(surplus)).await
    }

    /// Deletes those of a page of sessions that are still as they are told there, and on which nobody works.
    async fn delete_idle(
        &self,
        sessions: impl Iterator<Item = SessionSummary>,
    ) -> Result<usize, RequestError> {
        let Inner { config, journal, .. } = &*self.inner;
        // Who works on one in this process holds its lock; in another one, its lease.
        let locked: Vec<_> = sessions
            .filter_map(|summary| {
                let lock = journal.get(summary.id).lock_if_idle()?;
                (!lock.has_carried()).then_some((summary.id, summary.head, lock))
            })
            .collect();
        if locked.is_empty() {
            return Ok(0);
        }
        let wanted: Vec<(SessionId, u64)> = locked.iter().map(|(id, head, _)| (*id, *head)).collect();
        let deleted = config.store.delete_idle(&wanted, config.clock.millis()).await?;
        for id in &deleted {
            // Nobody may go on with what is in memory.
            journal.forget(*id);
            for observer in &config.observers {
                observer.deleted(*id);
            }
        }
        drop(locked);
        Ok(deleted.len())
    }

    /// An answer of a session, as far as it is.
    ///
    /// # Errors
    /// When there is no such answer, or the store cannot be reached.
    pub async fn answer(&self, principal: &str, place: AnswerPlace) -> Result<AnswerView, RequestError> {
        let named = SessionName::Named(place.session.to_string());
        let Ok((id, _)) = self.known(principal, &named).await else { return Err(branch::unknown()) };
        let log = record::read_log(&*self.inner.config.store, id).await?;
        let asked = log.iter().position(|entry| {
            entry.seq == place.answer
                && matches!(&entry.event, LogEvent::Accepted(accepted) if !accepted.retake)
        });
        let Some(asked) = asked else { return Err(branch::unknown()) };
        let answer = record::standing(&log, place.answer);
        let newest = self.inner.journal.get(id).extra.get();
        let runs = newest.is_some_and(|newest| newest.answer == answer && !newest.channel.is_over());
        let mut input = Vec::new();
        for entry in log.iter().skip(asked) {
            match &entry.event {
                LogEvent::Accepted(accepted) if entry.seq == place.answer => {
                    input.extend(accepted.messages.iter().cloned());
                }
                LogEvent::Resulted {
                    id, content, is_error, attachments, from: ResultSource::Client, ..
                } => {
                    input.push(Message::Tool {
                        tool_call_id: id.clone(),
                        name: String::new(),
                        content: content.clone(),
                        is_error: *is_error,
                        attachments: attachments.clone(),
                    });
                }
                _ => break,
            }
        }
        let answers = log
            .iter()
            .filter(|entry| matches!(&entry.event, LogEvent::Accepted(accepted) if !accepted.retake))
            .count();
        Ok(AnswerView { answer: AnswerStream::recorded(id, &log, answer), runs, answers, input })
    }

    /// The sessions of a principal that were changed last, the newest first, at most `limit`.
    ///
    /// # Errors
    /// When the store cannot be reached.
    pub async fn list(&self, principal: &str, limit: usize) -> Result<Vec<SessionLine>, RequestError> {
        let store = &*self.inner.config.store;
        let mut found = Vec::new();
        let mut after = None;
        loop {
            let page = store.list(Some(principal), after, PAGE).await?;
            let Some(last) = page.last() else { break };
            after = Some(last.id);
            found.extend(page);
        }
        found.sort_by_key(|summary| std::cmp::Reverse(summary.changed_at));
        found.truncate(limit);
        let mut lines = Vec::with_capacity(found.len());
        for summary in found {
            let Some(stored) = store.load_by_id(summary.id).await? else { continue };
            let session = Log::<SessionState>::replay(store, stored).await?.into_state();
            let asked = session.messages.iter().rev().find_map(|message| match message {
                Message::User { content, .. } => Some(content.clone()),
                _ => None,
            });
            lines.push(SessionLine {
                key: session.key,
                changed: summary.changed_at,
                workspace: session.workspace,
                turns: session.turns,
                message: asked.unwrap_or_default(),
            });
        }
        Ok(lines)
    }

    /// The tokens that a session has used, as far as its models told.
    ///
    /// # Errors
    /// When there is no such session, or the store cannot be reached.
    pub async fn usage(&self, principal: &str, key: &SessionName) -> Result<Usage, RequestError> {
        let (id, _) = self.known(principal, key).await?;
        let log = record::read_log(&*self.inner.config.store, id).await?;
        let used = log.iter().filter_map(|entry| match &entry.event {
            LogEvent::Answered { usage, .. } => *usage,
            LogEvent::Wrote(wrote) => wrote.usage,
            _ => None,
        });
        Ok(used.fold(Usage::default(), |sum, used| Usage {
            input_tokens: sum.input_tokens + used.input_tokens,
            output_tokens: sum.output_tokens + used.output_tokens,
        }))
    }

    /// The model that answers when nobody chooses one.
    #[must_use]
    pub fn usual_model(&self) -> Arc<dyn Model> {
        self.inner.config.models.usual()
    }

    /// The names of further models that requests and settings of a principal may choose.
    #[must_use]
    pub fn models(&self, principal: &str) -> Vec<String> {
        self.inner.config.models.names(principal)
    }

    /// The name of the model that answers a request: what it asks for, else what its session is set to; the usual one for none.
    ///
    /// # Errors
    /// When the store cannot be reached.
    pub async fn model_for(&self, request: &TurnRequest) -> Result<Option<String>, RequestError> {
        let config = &self.inner.config;
        if request.parameters.model.is_some() {
            return Ok(request.parameters.model.clone());
        }
        let usual = config.settings.model.clone();
        if config.models.names(&request.principal).is_empty() {
            return Ok(usual);
        }
        let place = request.after.map(|after| SessionName::Named(after.session.to_string()));
        let Some(key) = request.key.as_ref().or(place.as_ref()) else { return Ok(usual) };
        let (name, _) = name_of(&request.principal, key)?;
        let Some(id) = self.find(&name).await? else { return Ok(usual) };
        let Some(stored) = config.store.load_by_id(id).await? else { return Ok(usual) };
        let session = Log::<SessionState>::replay(&*config.store, stored).await?.into_state();
        Ok(session.settings.model.or(usual))
    }

    /// What a model makes of an option with this value: the one of that name, or the usual one.
    #[must_use]
    pub fn treatment(
        &self,
        principal: &str,
        model: Option<&str>,
        option: &str,
        value: &Value,
    ) -> OptionTreatment {
        self.inner.config.models.get(principal, model).treats(option, value)
    }

    /// Why a model cannot be given something beside text: the one of that name, or the usual one.
    #[must_use]
    pub fn refusal(
        &self,
        principal: &str,
        model: Option<&str>,
        attachment: &MessageAttachment,
    ) -> Option<&'static str> {
        self.inner.config.models.get(principal, model).refuses(attachment)
    }

    /// A session as it stands in the log now.
    ///
    /// # Errors
    /// When there is no such session, or the store cannot be reached.
    pub async fn get(&self, principal: &str, key: &SessionName) -> Result<SessionView, RequestError> {
        let (id, text) = self.known(principal, key).await?;
        let store = &*self.inner.config.store;
        let stored = store.load_by_id(id).await?.ok_or_else(|| unknown(&text))?;
        let created = stored.created_at;
        let log = Log::<SessionState>::replay(store, stored).await?;
        let (head, session) = (log.head(), log.into_state());
        let is_open =
            session.turn.as_ref().is_some_and(|turn| !matches!(turn.phase, TurnPhase::Suspended { .. }));
        let runs = is_open && self.runs(id).await;
        Ok(SessionView { id, head, created, session, runs })
    }

    /// Whether somebody works on a session: a turn of this process, or another server.
    async fn runs(&self, id: SessionId) -> bool {
        let journal = &self.inner.journal;
        let Some(lock) = journal.get(id).lock_if_idle() else { return true };
        match journal.open_if_free(lock).await {
            Ok(Some(session)) => {
                session.release().await;
                false
            }
            Ok(None) => true,
            Err(_) => false,
        }
    }

    /// Sets what holds for a session from its next model call on; what is left out is as the server has it. A session that
    /// does not exist is created. Waits while a turn runs.
    ///
    /// # Errors
    /// When a setting is wrong, or too many requests wait.
    pub async fn configure(
        &self,
        principal: &str,
        key: &SessionName,
        settings: Settings,
    ) -> Result<(), RequestError> {
        if let Some((field, problem)) = settings.problem() {
            let message = format!("the setting '{field}' {problem}");
            return Err(RequestError::of(codes::SETTING_INVALID, message));
        }
        if let Some(model) = settings.model.as_deref() {
            self.check_model(principal, model)?;
        }
        let (name, text) = name_of(principal, key)?;
        let Inner { config, journal, .. } = &*self.inner;
        let event = LogEvent::Configured(settings);
        let id = match self.find(&name).await? {
            Some(id) => id,
            None if text.parse::<SessionId>().is_ok() => return Err(unknown(&text)),
            None => {
                let now = config.clock.millis();
                let id = SessionId::new(&*config.ids, now);
                let events = [LogEvent::Opened { key: text }, event.clone()];
                let new = NewLog { id, at: now, key: name.clone(), names: Vec::new() };
                if let Some(session) = record::create(journal, config, new, &events).await? {
                    session.release().await;
                    return Ok(());
                }
                self.find(&name).await?.ok_or_else(lost)?
            }
        };
        self.change(id, |_| vec![event]).await.map(|_| ())
    }

    /// Says something while a turn runs: the model reads it with its next question, behind the results of its calls. Tells whether
    /// a turn runs here. What no question is left for is not read, and is no part of the conversation: an observer hears of
    /// [`LogEvent::Steered`] when it is.
    ///
    /// # Errors
    /// When there is no such session.
    pub async fn steer(
        &self,
        principal: &str,
        key: &SessionName,
        content: String,
    ) -> Result<bool, RequestError> {
        let (id, _) = self.known(principal, key).await?;
        match self.inner.journal.get(id).extra.get() {
            Some(newest) if !newest.channel.is_over() => {
                newest.channel.say(content);
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// Stops the turn of a session: cancels what runs, and closes what waits for the client. Tells whether there was
    /// anything to stop. Resolves once the end is durable.
    ///
    /// # Errors
    /// When there is no such session, or another server works on it.
    pub async fn cancel(&self, principal: &str, key: &SessionName) -> Result<bool, RequestError> {
        let (id, _) = self.known(principal, key).await?;
        let runs = match self.inner.journal.get(id).extra.get() {
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
                let input = Input::Cancel(
                    codes::TURN_CANCELLED.name,
                    "the turn was cancelled",
                    PartialAnswer::default(),
                );
                let mut after = session.clone();
                let rules = self.inner.config.rules;
                decide(&mut after, &mut RetryState::default(), input, &Offer::default(), rules, now).events
            })
            .await?;
        Ok(runs || stopped)
    }

    /// Adds entries to a session that nobody works on; tells whether there were any.
    pub(super) async fn change(
        &self,
        id: SessionId,
        entries: impl FnOnce(&SessionState) -> Vec<LogEvent>,
    ) -> Result<bool, RequestError> {
        let Inner { config, journal, .. } = &*self.inner;
        let mut session = journal.open(journal.get(id).lock_behind(config.queue).await?).await?;
        let events = entries(&session);
        for event in &events {
            session.apply(event);
        }
        let stored = record::append(config, &mut session, &events, Vec::new(), config.clock.millis()).await;
        session.release().await;
        stored?;
        Ok(!events.is_empty())
    }
}
