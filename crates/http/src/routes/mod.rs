//! One file for each resource.
//!
//! Must never hold rules: a route reads, asks the service, and writes.

pub(super) mod about;
pub(super) mod acp;
mod acp_download;
mod acp_socket;
pub(super) mod chat;
pub(super) mod events;
pub(super) mod health;
pub(super) mod models;
pub(super) mod responses;
pub(super) mod seed_write_session;
pub(super) mod sessions;
pub(crate) mod task_routes;
pub(super) mod workspaces;
pub(crate) mod write_routes;
pub(super) mod write_sessions;

use super::error::Error;
use super::server::Server;
use super::service::AnswerEvents;
use super::wire::{AnswerShape, EventId, Head, RequestHead};

/// Refuses a model that is not listed, where the server insists.
fn check_model<S>(server: &Server<S>, asked: &RequestHead) -> Result<(), Error> {
    let is_offered = |model: &str| {
        models::is_offered(model)
            // Whether there is such a model is for the service to say.
            || asked.request.parameters.model.is_some()
    };
    if server.strict_models && !is_offered(&asked.model) {
        return Err(Error::ModelNotOffered { model: asked.model.chars().take(100).collect() });
    }
    Ok(())
}

/// Which answer it is.
fn head(answering: &impl AnswerEvents, model: String) -> Head {
    Head {
        session: answering.session(),
        answer: answering.answer(),
        turn: answering.turn(),
        model,
        created: answering.created() / 1000,
    }
}

/// What a listener wants. The place of another answer means nothing in this one.
fn wanted(last: Option<EventId>, answering: &impl AnswerEvents, usage: bool, events: bool) -> AnswerShape {
    let last = last.filter(|last| last.answer == answering.answer());
    AnswerShape { usage, events, behind: last.map(|last| last.place) }
}
