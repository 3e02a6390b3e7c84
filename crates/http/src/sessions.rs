//! The real session services behind the routes.
//!
//! Must never store what a client does not want stored.

use std::time::Duration;

use engross_agent::session::{
    AnswerPlace, AnswerStream, AnswerView, PositionedEvent, RequestError, SessionName, SessionOverview,
    SessionView, Sessions, Settings, TurnRequest,
};
use engross_llm::OptionTreatment;
use engross_protocol::SessionId;
use serde_json::Value;

use super::service::{AnswerEvents, EarlierAnswer, Service};

/// How long a session that may not be stored is in memory after its last change, in milliseconds: as long as its client may take for
/// its calls, and a while.
const PASSING_FOR: u64 = 40 * 60_000;

/// Most of them.
const MOST_PASSING: usize = 2048;

/// The sessions of a server: those that are kept, and those of which nothing may be stored.
#[derive(Clone)]
pub struct AllSessions {
    kept: Sessions,
    passing: Sessions,
}

impl AllSessions {
    /// `passing` has to keep its sessions in memory, and notify nobody of them.
    #[must_use]
    pub fn new(kept: Sessions, passing: Sessions) -> Self {
        Self { kept, passing }
    }

    /// Forgets what need not be in memory any more.
    pub async fn forget_old(&self) {
        if let Err(error) = self.passing.expire(PASSING_FOR, MOST_PASSING).await {
            tracing::warn!(
                code = error.code,
                "sessions in memory were not looked through: {}",
                error.message
            );
        }
    }

    /// Refuses new requests, and resolves once the running turns are over or suspended, or after `patience`.
    pub async fn drain(&self, patience: Duration) {
        tokio::join!(self.kept.drain(patience), self.passing.drain(patience));
    }

    /// Those among which a session of this name is.
    async fn of(&self, principal: &str, key: &SessionName) -> &Sessions {
        if self.passing.has(principal, key).await.unwrap_or(false) { &self.passing } else { &self.kept }
    }

    async fn at(&self, principal: &str, place: AnswerPlace) -> &Sessions {
        self.of(principal, &SessionName::Named(place.session.to_string())).await
    }
}

impl Service for AllSessions {
    type AnswerEvents = AnswerStream;

    async fn submit(&self, request: TurnRequest) -> Result<AnswerStream, RequestError> {
        if let Some(after) = request.after
            && request.key.is_none()
        {
            let sessions = self.at(&request.principal, after).await;
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

    async fn listen(&self, principal: &str, key: &SessionName) -> Result<AnswerStream, RequestError> {
        self.of(principal, key).await.listen(principal, key).await
    }

    async fn look(&self, principal: &str, key: &SessionName) -> Result<SessionView, RequestError> {
        self.of(principal, key).await.get(principal, key).await
    }

    async fn configure(
        &self,
        principal: &str,
        key: &SessionName,
        settings: Settings,
    ) -> Result<(), RequestError> {
        self.of(principal, key).await.configure(principal, key, settings).await
    }

    async fn cancel(&self, principal: &str, key: &SessionName) -> Result<bool, RequestError> {
        self.of(principal, key).await.cancel(principal, key).await
    }

    async fn page(
        &self,
        principal: &str,
        after: Option<SessionId>,
        limit: usize,
    ) -> Result<Vec<SessionOverview>, RequestError> {
        self.kept.page(principal, after, limit).await
    }

    async fn delete(&self, principal: &str, key: &SessionName) -> Result<SessionId, RequestError> {
        self.of(principal, key).await.delete(principal, key).await
    }

    async fn answer(
        &self,
        principal: &str,
        place: AnswerPlace,
    ) -> Result<EarlierAnswer<AnswerStream>, RequestError> {
        let AnswerView { answer, runs, answers, input } =
            self.at(principal, place).await.answer(principal, place).await?;
        Ok(EarlierAnswer { events: answer, runs, answers, input })
    }

    fn treatment(&self, model: Option<&str>, option: &str, value: &Value) -> OptionTreatment {
        self.kept.treatment(model, option, value)
    }

    fn models(&self) -> Vec<String> {
        self.kept.models()
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
