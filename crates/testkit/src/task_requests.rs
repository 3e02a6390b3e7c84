//! Parameters of task requests, for the tests of every crate that takes such requests.

use std::time::Duration;

use serde_json::{Value, json};

/// The value of `work`, which must come within ten seconds.
///
/// # Panics
/// When it does not.
#[expect(clippy::expect_used, reason = "a test that hangs has failed")]
pub async fn within<T>(work: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(10), work).await.expect("it came in time")
}

/// Parameters of a `session.start` for an agent.
#[must_use]
pub fn agent(thread: &str, prompt: &str) -> Value {
    json!({
        "sessionId": thread, "threadId": thread, "taskPrompt": prompt,
        "routing": { "routingMode": "explicit", "explicitExecutionTarget": "agent", "explicitProviderId": "codex" },
    })
}

/// Parameters of a `session.start` for a gateway.
#[must_use]
pub fn gateway(thread: &str, prompt: &str) -> Value {
    json!({
        "sessionId": thread, "threadId": thread, "appThreadKey": thread, "taskPrompt": prompt,
        "executionTarget": "gateway",
        "routing": { "explicitExecutionTarget": "gateway", "preferredGatewayProviderId": "openclaw" },
    })
}

/// `params` with the fields of `more`.
///
/// # Panics
/// When one of them is no object.
#[must_use]
#[expect(clippy::panic, reason = "the test itself is wrong")]
pub fn and(mut params: Value, more: Value) -> Value {
    let (Value::Object(fields), Value::Object(more)) = (&mut params, more) else { panic!("objects") };
    fields.extend(more);
    params
}
