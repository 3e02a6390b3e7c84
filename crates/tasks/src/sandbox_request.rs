//! What a client asks of the sandbox around a run.
//!
//! Must never widen what the server allows.

use serde::{Deserialize, Serialize};

/// What is asked for; `None` leaves it to the server. In requests `sandbox`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct SandboxRequest {
    /// Whether the agent is fenced in.
    pub enabled: Option<bool>,
    /// Whether it may use the network.
    pub network: Option<bool>,
    /// Files and folders that it may have.
    pub max_files: Option<u64>,
    /// Bytes that it may have on the disk.
    pub max_bytes: Option<u64>,
    /// Processes that it may have at the same time.
    pub max_processes: Option<u64>,
}

impl SandboxRequest {
    /// Whether nothing is asked for.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether something is asked for that has to be enforced, or the run refused.
    #[must_use]
    pub fn is_binding(&self) -> bool {
        self.enabled == Some(true) || self.network == Some(false) || self.has_quota()
    }

    /// Whether a quota is asked for.
    #[must_use]
    pub fn has_quota(&self) -> bool {
        [self.max_files, self.max_bytes, self.max_processes].iter().any(Option::is_some)
    }
}
