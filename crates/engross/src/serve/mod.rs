//! `engross serve`: sessions over HTTP, in the shapes of the OpenAI API.
//!
//! Must never keep a session, call a model, or decide what happens in a turn: requests become values ([`wire`]), a
//! service answers them ([`service`]), and its events become bodies and streams. Start at [`app()`], then `routes/`.
//! The protocol is described in `docs/protocol/sessions.md` and `workspaces.md`.

mod access;
mod app;
mod body;
pub(crate) mod codes;
mod document_error;
mod documents;
mod download;
mod error;
mod headers;
mod keys;
mod listening;
mod metrics;
mod reply;
mod routes;
mod server;
mod service;
mod sessions;
mod wire;

#[cfg(test)]
mod access_tests;
#[cfg(test)]
mod acp_tests;
#[cfg(test)]
mod client;
#[cfg(test)]
mod contract_tests;
#[cfg(test)]
mod fake;
#[cfg(test)]
mod front_door_tests;
#[cfg(test)]
mod keys_tests;
#[cfg(test)]
mod routes_tests;
#[cfg(test)]
mod session_routes_tests;
#[cfg(test)]
mod socket_tests;
#[cfg(test)]
mod workspace_routes_tests;

pub(crate) use access::{Access, Token};
pub(crate) use app::app;
pub(crate) use documents::Documents;
#[cfg(test)]
pub(crate) use error::status_of_answer;
pub(crate) use keys::canonical as canonical_key;
pub(crate) use metrics::Metrics;
pub(crate) use routes::acp::router as task_routes;
pub(crate) use routes::write_sessions::router as write_routes;
pub(crate) use server::{Limits, Server};
pub(crate) use wire::client_tools;
#[cfg(test)]
pub(crate) use wire::status_of as status_of_write;
