//! What the routes share.

use std::sync::Arc;

use engross_protocol::{Clock, Code, IdSource};

use super::access::Access;
use super::access_log::AccessLog;
use super::brake::Brake;
use super::documents::Documents;
use super::limits::Limits;
use super::metrics::Metrics;
use super::quota::OwnerQuota;

/// What the routes share.
pub struct Server<S> {
    /// Answers requests to sessions.
    pub service: S,
    /// The model that answers when a request names none, as its specification has it: `rules`, `ollama/qwen3`.
    pub model: String,
    /// The documents that sessions work on.
    pub documents: Documents,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// Makes ids of requests.
    pub ids: Arc<dyn IdSource>,
    /// Who may use the server.
    pub access: Access,
    /// Who hears of each request.
    pub access_log: Option<Arc<dyn AccessLog>>,
    /// Slows down those who try tokens.
    pub brake: Brake,
    /// Whether only models that are listed are accepted.
    pub strict_models: bool,
    /// Whether the field `user` names a session. Clients send it for other reasons, too.
    pub session_by_user: bool,
    /// Tables of codes that stand above this crate, so that each code is explained that the page may show.
    pub codes: &'static [&'static [&'static Code]],
    /// Bounds.
    pub limits: Limits,
    /// How much its owner may have.
    pub quota: OwnerQuota,
    /// Counters.
    pub metrics: Arc<Metrics>,
}
