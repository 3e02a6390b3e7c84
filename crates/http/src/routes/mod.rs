//! One file for each resource.
//!
//! Must never hold rules: a route reads, asks the service, and writes.

pub(super) mod a2a;
pub(super) mod about;
pub(super) mod acp;
mod acp_download;
mod acp_socket;
pub(super) mod chat;
pub(super) mod compare;
pub(super) mod errors;
pub(super) mod events;
pub(super) mod health;
pub(super) mod models;
pub(super) mod own_model;
mod page_file;
pub(super) mod responses;
pub mod review;
pub(super) mod seed_write_session;
pub(super) mod sessions;
pub(super) mod skill_routes;
pub(crate) mod task_routes;
pub(super) mod taskpane;
pub(super) mod thread_routes;
pub(super) mod view;
pub(super) mod workbench;
pub(super) mod workspaces;
pub(crate) mod write_routes;
pub(super) mod write_sessions;

use engross_llm::OptionTreatment;
use serde_json::json;

use super::error::Error;
use super::keys;
use super::server::Server;
use super::service::{AnswerEvents, Service};
use super::wire::{AnswerShape, EventId, Head, Notice, RequestHead, field_of};

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

/// Settles what the model that answers can do of what is asked of it. What it cannot do is refused by name, or noted where the
/// answer means the same without it.
async fn settle<S: Service>(server: &Server<S>, asked: &mut RequestHead) -> Result<(), Error> {
    if let Some(user) = asked.user.take() {
        if server.session_by_user {
            asked.request.key = match asked.request.key.take() {
                None => keys::of_user(&user)?,
                key => key,
            };
        } else if !user.trim().is_empty() {
            asked.request.parameters.options.set("user", json!(user));
        }
    }
    if asked.request.is_passing && asked.request.key.is_some() {
        let message = "`store` has no effect in a session that has a name: what is said in it is kept.";
        asked.notices.push(Notice::new("PARAMETER_IGNORED", message));
    }
    let options = asked.request.parameters.options.clone();
    if options.is_empty() && asked.attached.is_empty() {
        return Ok(());
    }
    // That of the session, where the request names none.
    let model = server.service.model_for(&asked.request).await?;
    let model = model.as_deref();
    for (field, attachment) in &asked.attached {
        if let Some(why) = server.service.refusal(model, attachment) {
            return Err(Error::invalid(field, format!("is {}: {why}", attachment.kind)));
        }
    }
    for (name, value) in options.iter() {
        let field = field_of(name, asked.is_responses);
        match server.service.treatment(model, name, value) {
            OptionTreatment::Passed => continue,
            OptionTreatment::Refused => {
                return Err(Error::invalid(
                    field,
                    "cannot be done by the model that answers here; leave it out",
                ));
            }
            OptionTreatment::Ignored => {}
        }
        asked.notices.push(Notice::new("PARAMETER_IGNORED", format!("`{field}` has no effect here.")));
        asked.request.parameters.options.remove(name);
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
