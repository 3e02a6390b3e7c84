//! The real session services behind the routes.
//!
//! Must never store what a client does not want stored.

use std::time::Duration;

use engross_agent::session::{
    AnswerPlace, AnswerStream, AnswerView, PositionedEvent, RequestError, SessionName, SessionOverview,
    SessionView, Sessions, Settings, TurnRequest,
};
use engross_llm::{MessageAttachment, OptionTreatment};
use engross_protocol::SessionId;
use serde_json::Value;

use super::service::{AnswerEvents, EarlierAnswer, Service};

/// How long a session that may not be stored is in memory after its last change, in milliseconds: as long as its client may take for
/// its calls, and a while.
const PASSING_FOR: u64 = 40 * 60_000;

/// Most of them.
const MOST_PASSING: usize = 2048;

/// The sessions of one owner: those that are kept, and those of which nothing may be stored.
#[derive(Clone)]
pub struct AllSessions {
    /// Whose; nothing for the default owner.
    principal: String,
    kept: Sessions,
    passing: Sessions,
}

impl AllSessions {
    /// `passing` has to keep its sessions in memory, and notify nobody of them.
    #[must_use]
    pub fn new(kept: Sessions, passing: Sessions) -> Self {
        Self { principal: String::new(), kept, passing }
    }

    /// Those of another owner, in the same stores.
    #[must_use]
    pub fn of_owner(&self, principal: &str) -> Self {
        Self { principal: principal.to_owned(), ..self.clone() }
    }

    /// Forgets what need not be in memory any more.
    pub async fn forget_old(&self) {
        let forgotten = match self.passing.expire(|_| Some(PASSING_FOR), PASSING_FOR).await {
            Ok(_) => self.passing.keep_at_most(MOST_PASSING).await,
            failed => failed,
        };
        if let Err(error) = forgotten {
            tracing::warn!(
                code = error.code,
                "sessions in memory were not looked through: {}",
                error.message
            );
        }
    }

    /// Deletes for good what nobody touched for as many days as `days` says for its principal, if it says any. `least` are the fewest
    /// days that can be said.
    pub async fn delete_older(&self, days: impl Fn(&str) -> Option<u64>, least: u64) {
        let millis = |days: u64| days.saturating_mul(24 * 60 * 60_000);
        match self.kept.expire(|principal| days(principal).map(millis), millis(least)).await {
            Ok(0) => {}
            Ok(gone) => tracing::info!(gone, "sessions were deleted that nobody touched"),
            Err(error) => {
                tracing::warn!(code = error.code, "old sessions were not deleted: {}", error.message);
            }
        }
    }

    /// Refuses new requests, and resolves once the running turns are over or suspended, or after `patience`.
    pub async fn drain(&self, patience: Duration) {
        tokio::join!(self.kept.drain(patience), self.passing.drain(patience));
    }

    /// Those among which a session of this name is.
    async fn of(&self, key: &SessionName) -> &Sessions {
        if self.passing.has(&self.principal, key).await.unwrap_or(false) { &self.passing } else { &self.kept }
    }

    async fn at(&self, place: AnswerPlace) -> &Sessions {
        self.of(&SessionName::Named(place.session.to_string())).await
    }
}

impl Service for AllSessions {
    type AnswerEvents = AnswerStream;

    async fn submit(&self, request: TurnRequest) -> Result<AnswerStream, RequestError> {
        let request = TurnRequest { principal: self.principal.clone(), ..request };
        if let Some(after) = request.after
            && request.key.is_none()
        {
            let sessions = self.at(after).await;
            if request.is_passing && std::ptr::eq(sessions, &self.kept) {
                // What was stored before stays, and what comes now is not.
                return self.passing.submit(self.kept.copied(request).await?).await;
            }
            return sessions.submit(request).await;
        }
        if request.is_passing && request.key.is_none() {
            return self.passing.submit(request).await;
        }
        self.kept.submit(request).await
    }

    async fn listen(&self, key: &SessionName) -> Result<AnswerStream, RequestError> {
        self.of(key).await.listen(&self.principal, key).await
    }

    async fn look(&self, key: &SessionName) -> Result<SessionView, RequestError> {
        self.of(key).await.get(&self.principal, key).await
    }

    async fn configure(&self, key: &SessionName, settings: Settings) -> Result<(), RequestError> {
        self.of(key).await.configure(&self.principal, key, settings).await
    }

    async fn cancel(&self, key: &SessionName) -> Result<bool, RequestError> {
        self.of(key).await.cancel(&self.principal, key).await
    }

    async fn page(
        &self,
        after: Option<SessionId>,
        limit: usize,
    ) -> Result<Vec<SessionOverview>, RequestError> {
        self.kept.page(&self.principal, after, limit).await
    }

    async fn delete(&self, key: &SessionName) -> Result<SessionId, RequestError> {
        self.of(key).await.delete(&self.principal, key).await
    }

    async fn answer(&self, place: AnswerPlace) -> Result<EarlierAnswer<AnswerStream>, RequestError> {
        let AnswerView { answer, runs, answers, input } =
            self.at(place).await.answer(&self.principal, place).await?;
        Ok(EarlierAnswer { events: answer, runs, answers, input })
    }

    async fn model_for(&self, request: &TurnRequest) -> Result<Option<String>, RequestError> {
        let key = request.key.clone();
        let place = request.after.map(|after| SessionName::Named(after.session.to_string()));
        let request = TurnRequest {
            principal: self.principal.clone(),
            key: request.key.clone(),
            after: request.after,
            parameters: request.parameters.clone(),
            ..TurnRequest::default()
        };
        let sessions = match key.or(place) {
            Some(key) => self.of(&key).await,
            None => &self.kept,
        };
        sessions.model_for(&request).await
    }

    fn treatment(&self, model: Option<&str>, option: &str, value: &Value) -> OptionTreatment {
        self.kept.treatment(&self.principal, model, option, value)
    }

    fn refusal(&self, model: Option<&str>, attachment: &MessageAttachment) -> Option<&'static str> {
        self.kept.refusal(&self.principal, model, attachment)
    }

    fn models(&self) -> Vec<String> {
        self.kept.models(&self.principal)
    }

    fn waiting(&self) -> (usize, usize) {
        let ((kept, working), (passing, too)) = (self.kept.waiting(), self.passing.waiting());
        (kept + passing, working + too)
    }

    fn running(&self) -> usize {
        self.kept.running() + self.passing.running()
    }

    async fn failing(&self) -> Vec<&'static str> {
        self.kept.failing().await
    }
}

impl AnswerEvents for AnswerStream {
    fn session(&self) -> SessionId {
        self.session
    }

    fn key(&self) -> &str {
        &self.key
    }

    fn turn(&self) -> u64 {
        self.turn
    }

    fn answer(&self) -> u64 {
        self.answer
    }

    fn created(&self) -> u64 {
        self.created
    }

    fn replayed(&self) -> bool {
        self.replayed
    }

    fn resume_after(&mut self, position: u64) {
        Self::resume_after(self, position);
    }

    async fn next(&mut self) -> Option<PositionedEvent> {
        Self::next(self).await
    }
}
