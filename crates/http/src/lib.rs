//! `engross serve`: sessions over HTTP, in the shapes of the OpenAI API.
//!
//! Must never keep a session, call a model, or decide what happens in a turn: requests become values (`wire`), a
//! service answers them (`service`), and its events become bodies and streams. Start at [`app()`], then `routes/`.
//! The protocol is described in `docs/protocol/sessions.md`, `workspaces.md`, `compare.md` and `review.md`.

mod access;
mod access_log;
mod app;
mod body;
mod brake;
pub mod codes;
mod connections;
mod document_error;
mod document_rows;
mod documents;
mod download;
mod error;
mod error_kind;
pub mod exports;
mod headers;
mod homes;
mod keys;
mod limits;
mod listening;
mod metrics;
mod owners;
mod quota;
mod recent_errors;
mod reply;
mod route_name;
mod routes;
mod server;
mod service;
mod sessions;
#[cfg(feature = "otel")]
pub mod telemetry;
#[cfg(all(test, feature = "otel"))]
mod telemetry_tests;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod wire;

#[cfg(test)]
mod about_tests;
#[cfg(test)]
mod access_log_tests;
#[cfg(test)]
mod access_tests;
#[cfg(test)]
mod attack_tests;
#[cfg(test)]
mod brake_tests;
#[cfg(test)]
mod compare_routes_tests;
#[cfg(test)]
mod contract_tests;
#[cfg(test)]
mod front_door_tests;
#[cfg(test)]
mod homes_tests;
#[cfg(test)]
mod keys_tests;
#[cfg(test)]
mod own_model_tests;
#[cfg(test)]
mod owners_tests;
#[cfg(test)]
mod quota_tests;
#[cfg(test)]
mod review_routes_tests;
#[cfg(test)]
mod routes_tests;
#[cfg(test)]
mod session_routes_tests;
#[cfg(test)]
mod socket_tests;
#[cfg(test)]
mod taskpane_tests;
#[cfg(test)]
mod tls_tests;
#[cfg(test)]
mod workbench_tests;
#[cfg(test)]
mod workspace_routes_tests;

pub use access::{Access, AccessKey, DEFAULT_OWNER, KeyRing, Right, Token};
pub use access_log::AccessLog;
pub use app::{app, app_of_homes, app_of_owners, routes as owner_routes};
pub use brake::Brake;
pub use connections::{ConnectionLimits, Listener, Tls, serve};
pub use documents::Documents;
pub use error::Error;
#[cfg(any(test, feature = "testing"))]
pub use error::status_of_answer;
pub use homes::{HomeDoor, HomeFinder, HomeNews, HomePlace, HomeUse, HomeUses};
pub use keys::canonical as canonical_key;
pub use limits::{BodyBudget, Limits};
pub use metrics::Metrics;
pub use owners::Owners;
pub use quota::OwnerQuota;
pub use routes::own_model::{BroughtModel, OwnModelPlace, router as own_model_routes};
pub use routes::review::{PlaybookReviews, router as review_routes};
pub use routes::skill_routes::{SkillDecision, SkillReview, router as skill_routes};
pub use routes::task_routes::router as task_routes;
pub use routes::taskpane::{ENGINE_FILES, hosted_pane_files};
pub use routes::thread_routes::{
    ThreadFuture, ThreadOrder, ThreadOrderKind, ThreadRecords, router as thread_routes,
};
pub use routes::write_routes::router as write_routes;
pub use server::Server;
pub use sessions::AllSessions;
pub use wire::client_tools;
#[cfg(any(test, feature = "testing"))]
pub use wire::status_of as status_of_write;
