//! `/v1/threads`: the records of task threads, those of the terminal too, put away and taken back.
//!
//! Must never run a task: that is spoken at `/acp/rpc`.

use std::pin::Pin;
use std::sync::Arc;

use axum::Router;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request, State};
use axum::response::Response;
use axum::routing::{get, post};
use serde::Deserialize;
use serde_json::Value;

use crate::error::Error;
use crate::limits::Limits;
use crate::{body, reply};

/// What a person wants with a thread.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct ThreadOrder {
    /// What is to be done.
    pub order: ThreadOrderKind,
    /// What people see, for a thread that has no record yet.
    #[serde(default)]
    pub title: String,
    /// Who carried its tasks out, for a thread that has no record yet.
    #[serde(default)]
    pub provider_id: String,
}

/// What can be done with a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ThreadOrderKind {
    /// It is put away.
    Archive,
    /// It is taken back.
    Restore,
}

/// The answer, or why there is none.
pub type ThreadFuture<'a> = Pin<Box<dyn Future<Output = Result<Value, Error>> + Send + 'a>>;

/// The threads of an owner.
pub trait ThreadRecords: Send + Sync + 'static {
    /// All of them, the newest first.
    fn list(&self) -> ThreadFuture<'_>;

    /// Carries an order out; gives the record as it is then.
    fn order(&self, thread: String, order: ThreadOrder) -> ThreadFuture<'_>;
}

struct Threads {
    records: Arc<dyn ThreadRecords>,
    limits: Limits,
}

/// The routes of threads.
pub fn router(records: Arc<dyn ThreadRecords>, limits: Limits) -> Router {
    Router::new()
        .route("/v1/threads", get(list))
        .route("/v1/threads/{id}", post(order))
        .with_state(Arc::new(Threads { records, limits }))
}

async fn list(State(threads): State<Arc<Threads>>) -> Result<Response, Error> {
    Ok(reply::json(threads.records.list().await?.to_string()))
}

async fn order(
    State(threads): State<Arc<Threads>>,
    id: Result<Path<String>, PathRejection>,
    request: Request,
) -> Result<Response, Error> {
    let Path(id) = id.map_err(|_| Error::invalid("id", "is not UTF-8; percent-encode it as UTF-8"))?;
    let (parts, sent) = request.into_parts();
    let bytes = body::read(&parts.headers, sent, &threads.limits).await?;
    let order: ThreadOrder = serde_json::from_slice(&bytes).map_err(|error| match error.classify() {
        serde_json::error::Category::Data => Error::invalid(
            "order",
            format!("cannot be understood: {error}; send {{\"order\": \"archive\"}} or restore"),
        ),
        _ => Error::InvalidJson { problem: error.to_string() },
    })?;
    Ok(reply::json(threads.records.order(id, order).await?.to_string()))
}
