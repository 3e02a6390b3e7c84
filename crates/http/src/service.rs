//! What the routes need of the session service, as traits, so that they can be tried without one.
//!
//! Must never say how a session is kept.

use std::future::Future;

use engross_agent::session::{
    AnswerPlace, PositionedEvent, RequestError, SessionName, SessionOverview, SessionView, Settings,
    TurnRequest,
};
use engross_llm::{Message, MessageAttachment, OptionTreatment};
use engross_protocol::SessionId;
use serde_json::Value;

/// Answers requests to the sessions of one owner: it has no others to give.
pub trait Service: Send + Sync + 'static {
    /// An answer that is being listened to.
    type AnswerEvents: AnswerEvents;

    /// Accepts a request. Resolves when its input is durable.
    fn submit(
        &self,
        request: TurnRequest,
    ) -> impl Future<Output = Result<Self::AnswerEvents, RequestError>> + Send;

    /// The newest answer of a session, running or over.
    fn listen(
        &self,
        key: &SessionName,
    ) -> impl Future<Output = Result<Self::AnswerEvents, RequestError>> + Send;

    /// A session as it stands.
    fn look(&self, key: &SessionName) -> impl Future<Output = Result<SessionView, RequestError>> + Send;

    /// Sets what holds for a session.
    fn configure(
        &self,
        key: &SessionName,
        settings: Settings,
    ) -> impl Future<Output = Result<(), RequestError>> + Send;

    /// Stops the turn of a session; tells whether there was one.
    fn cancel(&self, key: &SessionName) -> impl Future<Output = Result<bool, RequestError>> + Send;

    /// At most `limit` sessions, the newest first, behind `after`.
    fn page(
        &self,
        after: Option<SessionId>,
        limit: usize,
    ) -> impl Future<Output = Result<Vec<SessionOverview>, RequestError>> + Send;

    /// Deletes a session for good.
    fn delete(&self, key: &SessionName) -> impl Future<Output = Result<SessionId, RequestError>> + Send;

    /// An answer that was asked for before.
    fn answer(
        &self,
        place: AnswerPlace,
    ) -> impl Future<Output = Result<EarlierAnswer<Self::AnswerEvents>, RequestError>> + Send;

    /// The name of the model that answers a request; the usual one for none.
    fn model_for(
        &self,
        request: &TurnRequest,
    ) -> impl Future<Output = Result<Option<String>, RequestError>> + Send;

    /// What a model makes of an option with this value: the one of that name, or the usual one.
    fn treatment(&self, model: Option<&str>, option: &str, value: &Value) -> OptionTreatment;

    /// Why a model cannot be given something beside text: the one of that name, or the usual one.
    fn refusal(&self, model: Option<&str>, attachment: &MessageAttachment) -> Option<&'static str>;

    /// Names of further models.
    fn models(&self) -> Vec<String>;

    /// How many requests wait for their session, and how many turns for a place to work, of all owners.
    fn waiting(&self) -> (usize, usize);

    /// How many turns run, of all owners.
    fn running(&self) -> usize;

    /// What keeps it from accepting requests, by name; nothing when it is ready.
    fn failing(&self) -> impl Future<Output = Vec<&'static str>> + Send;
}

/// An answer that was asked for before.
pub struct EarlierAnswer<A> {
    /// It, from its beginning.
    pub events: A,
    /// Whether it is still being made.
    pub runs: bool,
    /// How many answers its session has.
    pub answers: usize,
    /// What its request brought.
    pub input: Vec<Message>,
}

/// An answer that is being listened to. Dropping it means that the client went away.
pub trait AnswerEvents: Send + 'static {
    /// The session's id.
    fn session(&self) -> SessionId;

    /// The session's canonical key.
    fn key(&self) -> &str;

    /// The turn that the answer belongs to, counted from 1 in its session.
    fn turn(&self) -> u64;

    /// The answer's number in its session.
    fn answer(&self) -> u64;

    /// When its request was accepted, in milliseconds since 1970, UTC.
    fn created(&self) -> u64;

    /// Whether the answer was asked for before, so that no model is called again.
    fn replayed(&self) -> bool;

    /// Leaves out what lies at or before `position`.
    fn resume_after(&mut self, position: u64);

    /// The next event; `None` after the last one. Cancel-safe: a future that is dropped has taken nothing.
    fn next(&mut self) -> impl Future<Output = Option<PositionedEvent>> + Send;
}
