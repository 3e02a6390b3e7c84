//! The real session service behind the routes.

use engross_agent::session::{
    Answering as AgentAnswering, Placed, RequestError, SessionKey, Sessions, TurnRequest,
};
use engross_protocol::SessionId;

use super::service::{Answering, Service};

impl Service for Sessions {
    type Answering = AgentAnswering;

    async fn submit(&self, request: TurnRequest) -> Result<AgentAnswering, RequestError> {
        Self::submit(self, request).await
    }

    async fn listen(&self, principal: &str, key: &SessionKey) -> Result<AgentAnswering, RequestError> {
        Self::listen(self, principal, key).await
    }

    async fn failing(&self) -> Vec<&'static str> {
        Self::failing(self).await
    }
}

impl Answering for AgentAnswering {
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

    fn go_on_behind(&mut self, position: u64) {
        Self::go_on_behind(self, position);
    }

    async fn next(&mut self) -> Option<Placed> {
        Self::next(self).await
    }
}
