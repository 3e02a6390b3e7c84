//! One file for each resource.
//!
//! Must never hold rules: a route reads, asks the service, and writes.

pub(super) mod chat;
pub(super) mod events;
pub(super) mod health;
pub(super) mod models;
pub(super) mod responses;

use super::error::Error;
use super::server::Server;
use super::service::Answering;
use super::wire::{Asked, EventId, Head, Wanted};

/// Refuses a model that is not listed, where the server insists.
fn check_model<S>(server: &Server<S>, asked: &Asked) -> Result<(), Error> {
    if server.strict_models && !models::is_offered(&asked.model) {
        return Err(Error::ModelNotOffered { model: asked.model.chars().take(100).collect() });
    }
    Ok(())
}

/// Which answer it is.
fn head(answering: &impl Answering, model: String) -> Head {
    Head {
        session: answering.session(),
        answer: answering.answer(),
        turn: answering.turn(),
        model,
        created: answering.created() / 1000,
    }
}

/// What a listener wants. The place of another answer means nothing in this one.
fn wanted(last: Option<EventId>, answering: &impl Answering, usage: bool, events: bool) -> Wanted {
    let last = last.filter(|last| last.answer == answering.answer());
    Wanted { usage, events, behind: last.map(|last| last.place) }
}
