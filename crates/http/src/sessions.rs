//! The real session service behind the routes.

use engross_agent::session::{
    AnswerPlace, AnswerStream, AnswerView, PositionedEvent, RequestError, SessionName, SessionSummary,
    SessionView, Sessions, Settings, TurnRequest,
};
use engross_llm::OptionTreatment;
use engross_protocol::SessionId;
use serde_json::Value;

use super::service::{AnswerEvents, EarlierAnswer, Service};

impl Service for Sessions {
    type AnswerEvents = AnswerStream;

    async fn submit(&self, request: TurnRequest) -> Result<AnswerStream, RequestError> {
        Self::submit(self, request).await
    }

    async fn listen(&self, principal: &str, key: &SessionName) -> Result<AnswerStream, RequestError> {
        Self::listen(self, principal, key).await
    }

    async fn look(&self, principal: &str, key: &SessionName) -> Result<SessionView, RequestError> {
        Self::get(self, principal, key).await
    }

    async fn configure(
        &self,
        principal: &str,
        key: &SessionName,
        settings: Settings,
    ) -> Result<(), RequestError> {
        Self::configure(self, principal, key, settings).await
    }

    async fn cancel(&self, principal: &str, key: &SessionName) -> Result<bool, RequestError> {
        Self::cancel(self, principal, key).await
    }

    async fn page(
        &self,
        principal: &str,
        after: Option<SessionId>,
        limit: usize,
    ) -> Result<Vec<SessionSummary>, RequestError> {
        Self::page(self, principal, after, limit).await
    }

    async fn delete(&self, principal: &str, key: &SessionName) -> Result<SessionId, RequestError> {
        Self::delete(self, principal, key).await
    }

    async fn answer(
        &self,
        principal: &str,
        place: AnswerPlace,
    ) -> Result<EarlierAnswer<AnswerStream>, RequestError> {
        let AnswerView { answer, runs, answers, input } = Self::answer(self, principal, place).await?;
        Ok(EarlierAnswer { events: answer, runs, answers, input })
    }

    fn treatment(&self, model: Option<&str>, option: &str, value: &Value) -> OptionTreatment {
        Self::treatment(self, model, option, value)
    }

    fn models(&self) -> Vec<String> {
        Self::models(self)
    }

    async fn failing(&self) -> Vec<&'static str> {
        Self::failing(self).await
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
