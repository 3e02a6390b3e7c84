//! What the session service is made of.

use std::sync::Arc;
use std::time::Duration;

use engross_llm::Model;
use engross_protocol::{Clock, IdSource};
use engross_store::Store;

use super::decide::Rules;

/// What a service needs.
pub struct SessionsConfig {
    /// Where logs are kept.
    pub store: Arc<dyn Store>,
    /// Who answers.
    pub model: Arc<dyn Model>,
    /// What is allowed.
    pub rules: Rules,
    /// How long a turn goes on when nobody listens.
    pub grace: Duration,
    /// How many requests may wait for one session.
    pub queue: usize,
    /// How many turns may run at once.
    pub turns: usize,
    /// This process's name where others work on the same store: then a lease says who works on a session. `None` where the
    /// store is its own.
    pub node: Option<String>,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// Makes ids.
    pub ids: Arc<dyn IdSource>,
}
