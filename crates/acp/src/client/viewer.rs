//! What of a person's environment goes to their runner of tasks.
//!
//! Must never hold more than the agent would see of it.

use std::ffi::OsString;

use engross_tasks::runner::ViewerEnvironment;

use super::process::seen_by;
use super::provider::AgentProvider;

/// The part of `environment` that `provider` may see, as far as it is Unicode.
#[must_use]
pub fn viewer_environment(
    provider: &AgentProvider,
    environment: &[(OsString, OsString)],
) -> ViewerEnvironment {
    let seen = seen_by(&provider.pass, environment);
    let texts = seen.filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    ViewerEnvironment(texts.collect())
}
