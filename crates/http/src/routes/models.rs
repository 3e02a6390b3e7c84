//! `GET /v1/models` and `GET /v1/models/{id}`.

use std::sync::Arc;

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::response::Response;
use serde_json::{Value, json};

use crate::error::Error;
use crate::reply;
use crate::server::Server;
use crate::service::Service;
use crate::wire::NAMED_MODEL;

/// What can be asked for by name.
const OFFERED: [&str; 2] = ["engross", "openclaw"];

/// Whether a model is offered. The reference's names of agents all lead to the one model there is.
pub(super) fn is_offered(model: &str) -> bool {
    OFFERED.contains(&model)
        || ["openclaw/", "openclaw:", "agent:"].iter().any(|prefix| {
            model.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix))
                && model.len() > prefix.len()
        })
}

/// All models.
pub(crate) async fn list<S: Service>(State(server): State<Arc<Server<S>>>) -> Response {
    let data: Vec<Value> = offered(&server).iter().map(|id| describe(id, &server.model)).collect();
    reply::json(json!({"object": "list", "data": data}).to_string())
}

/// One model.
pub(crate) async fn one<S: Service>(
    State(server): State<Arc<Server<S>>>,
    id: Result<Path<String>, PathRejection>,
) -> Result<Response, Error> {
    let id = id.map(|Path(id)| id).unwrap_or_default();
    match offered(&server).into_iter().find(|offered| *offered == id) {
        Some(id) => Ok(reply::json(describe(&id, &server.model).to_string())),
        None => Err(Error::ModelNotOffered { model: id.chars().take(100).collect() }),
    }
}

/// All names, those of further models last.
fn offered<S: Service>(server: &Server<S>) -> Vec<String> {
    let further = server.service.models();
    let further = further.iter().map(|name| format!("{NAMED_MODEL}{name}"));
    OFFERED.iter().map(|name| (*name).to_owned()).chain(further).collect()
}

/// A model; of the usual one also what it is.
fn describe(id: &str, usual: &str) -> Value {
    let mut described = json!({"id": id, "object": "model", "created": 0, "owned_by": "engross"});
    if OFFERED.contains(&id) {
        described["engross"] = json!({"model": usual});
    }
    described
}
