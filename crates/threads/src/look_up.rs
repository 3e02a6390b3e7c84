//! How a bridge is asked for a run.
//!
//! Must never ask with less than what is known of it: a run id alone may be that of several threads.

use serde_json::{Value, json};

use super::record::{Association, ThreadRecord};

/// The parameters by which a run is found.
pub(super) fn look_up(record: &ThreadRecord, known: Option<&Association>) -> Value {
    let mut params = json!({
        "sessionId": record.thread_id,
        "threadId": record.thread_id,
        "appThreadKey": record.thread_id,
        "includeArtifacts": true,
    });
    if let Some(known) = known {
        for (name, value) in [
            ("runId", &known.run_id),
            ("turnId", &known.turn_id),
            ("openclawSessionKey", &known.openclaw_session_key),
            ("artifactScope", &known.artifact_scope),
            ("artifactDirectory", &known.artifact_directory),
            ("gatewayProviderId", &known.gateway_provider_id),
        ] {
            if !value.is_empty() {
                params[name] = json!(value);
            }
        }
    }
    params
}
