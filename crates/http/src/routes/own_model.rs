//! `/v1/own-model`: the model that a person has answers from by a key of their own, and whether the key is remembered.
//!
//! Must never give a key out, nor repeat anything of a request that may be one.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::response::Response;
use axum::routing::get;
use engross_llm::SecretString;
use serde_json::{Map, Value};

use crate::error::Error;
use crate::limits::Limits;
use crate::{body, reply};

/// Largest request, in bytes.
const LARGEST: usize = 64 << 10;

/// The model that a person brings.
#[derive(Debug, Clone)]
pub struct BroughtModel {
    /// Whose it is: `anthropic`, `openai` or `gemini`.
    pub provider: String,
    /// The provider's name for it.
    pub name: String,
    /// What it is asked with; nothing where the key stays that was given before.
    pub key: Option<SecretString>,
    /// Whether the key is kept when the server ends.
    pub remember: bool,
}

/// The model of one owner.
pub trait OwnModelPlace: Send + Sync + 'static {
    /// What it is, and where its key is; never the key.
    ///
    /// # Errors
    /// When the place where it is kept cannot be read.
    fn show(&self) -> Result<Value, Error>;

    /// Takes it, instead of the one before.
    ///
    /// # Errors
    /// When it cannot be one, or cannot be kept as it was asked.
    fn take(&self, model: BroughtModel) -> Result<Value, Error>;

    /// Forgets it, with its key, wherever that is.
    ///
    /// # Errors
    /// When the key is still somewhere.
    fn forget(&self) -> Result<Value, Error>;
}

struct OwnModelDoor {
    place: Arc<dyn OwnModelPlace>,
    limits: Limits,
}

/// The route.
pub fn router(place: Arc<dyn OwnModelPlace>, limits: Limits) -> Router {
    let door = Arc::new(OwnModelDoor { place, limits });
    Router::new().route("/v1/own-model", get(show).put(take).delete(forget)).with_state(door)
}

async fn show(State(door): State<Arc<OwnModelDoor>>) -> Result<Response, Error> {
    answer(move || door.place.show()).await
}

async fn take(State(door): State<Arc<OwnModelDoor>>, request: Request) -> Result<Response, Error> {
    let (parts, sent) = request.into_parts();
    let bytes = body::read_up_to(LARGEST, &parts.headers, sent, &door.limits).await?;
    // What a parser says of JSON that is none holds places and no values.
    let fields: Map<String, Value> =
        serde_json::from_slice(&bytes).map_err(|error| match error.classify() {
            serde_json::error::Category::Data => Error::invalid("body", "is no object"),
            _ => Error::InvalidJson { problem: error.to_string() },
        })?;
    let model = read(fields)?;
    answer(move || door.place.take(model)).await
}

async fn forget(State(door): State<Arc<OwnModelDoor>>) -> Result<Response, Error> {
    answer(move || door.place.forget()).await
}

/// What the fields say. A value is never part of a message: it may be a key at the wrong place.
fn read(mut fields: Map<String, Value>) -> Result<BroughtModel, Error> {
    let mut text = |field: &str| match fields.remove(field) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(Error::invalid(field, "is no text")),
    };
    let missing = |field: &str, what: &str| Error::invalid(field, format!("is missing; say {what}"));
    let provider = text("provider")?.ok_or_else(|| missing("provider", "anthropic, openai or gemini"))?;
    let name = text("name")?.ok_or_else(|| missing("name", "which model, as its provider calls it"))?;
    let key = text("key")?.map(SecretString::from);
    let remember = match fields.remove("remember") {
        None | Some(Value::Null) => false,
        Some(Value::Bool(remember)) => remember,
        Some(_) => return Err(Error::invalid("remember", "is neither true nor false")),
    };
    match fields.is_empty() {
        true => Ok(BroughtModel { provider, name, key, remember }),
        false => Err(Error::invalid("body", "has fields beside provider, name, key and remember")),
    }
}

/// Programs that keep secrets are asked on a thread for that.
async fn answer(work: impl FnOnce() -> Result<Value, Error> + Send + 'static) -> Result<Response, Error> {
    let done = tokio::task::spawn_blocking(work).await.map_err(|_| Error::AnswerInterrupted)?;
    Ok(reply::json(done?.to_string()))
}
