//! `/v1/errors`: which requests failed in the last hour, and what a code means.
//!
//! Must never explain a code in other words than its page.

use std::sync::Arc;

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::response::Response;
use engross_protocol::codes::find;
use engross_protocol::{Code, shared};
use serde_json::{Value, json};

use crate::error::Error;
use crate::server::Server;
use crate::service::Service;
use crate::{codes, reply};

/// How far back the list goes, in milliseconds.
const HOUR: u64 = 60 * 60_000;

/// The codes of what stands below; those above come with the server.
const TABLES: &[&[&Code]] = &[
    codes::ALL,
    shared::ALL,
    engross_agent::codes::ALL,
    engross_artifacts::codes::ALL,
    engross_documents::codes::ALL,
    engross_llm::codes::ALL,
    engross_store::codes::ALL,
    engross_store::files::codes::ALL,
    engross_tasks::codes::ALL,
    engross_write::codes::ALL,
];

/// The errors of the last hour, the newest first.
pub(crate) async fn recent<S: Service>(State(server): State<Arc<Server<S>>>) -> Response {
    let since = server.clock.millis().saturating_sub(HOUR);
    let data: Vec<Value> = server
        .metrics
        .recent_errors()
        .since(since)
        .iter()
        .map(|error| {
            json!({"at": error.at / 1000, "route": error.route.as_str(), "status": error.status, "code": error.code})
        })
        .collect();
    reply::json(json!({"object": "list", "data": data}).to_string())
}

/// What a code means, and what to do.
pub(crate) async fn explain<S: Service>(
    State(server): State<Arc<Server<S>>>,
    code: Result<Path<String>, PathRejection>,
) -> Result<Response, Error> {
    let code = code.map(|Path(code)| code).unwrap_or_default();
    let unknown = || Error::RouteNotFound { path: format!("/v1/errors/{}", shown(&code)) };
    let told = match (
        find(TABLES, &code).or_else(|| find(server.codes, &code)),
        engross_documents::document_row(&code),
    ) {
        (Some(row), _) => [row.name, row.summary, row.why, row.remedy],
        (None, Some(row)) => [row.name, row.summary, row.why, row.remedy],
        (None, None) => return Err(unknown()),
    };
    let [code, summary, why, remedy] = told;
    Ok(reply::json(json!({"code": code, "summary": summary, "why": why, "remedy": remedy}).to_string()))
}

fn shown(code: &str) -> String {
    code.chars().filter(|letter| !letter.is_control()).take(80).collect()
}
