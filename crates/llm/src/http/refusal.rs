//! What a provider says when it refuses, made fit to be quoted.
//!
//! Must never read more than its limit, and never let a key or a control character through.

use std::time::Duration;

use reqwest::Response;
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;

/// How much of a refusal is quoted, in bytes.
const LIMIT: usize = 4096;

/// How much of it is read: so much more that no key is cut in two, of which the first half would stay.
const READ_LIMIT: usize = LIMIT + 1024;

/// Keys shorter than this are not looked for in texts: a placeholder such as `x` would blank out every word.
const SHORTEST_KEY: usize = 6;

/// The words of the refusal: the message in its JSON if there is one, else all of it.
pub(super) async fn explanation(response: Response, patience: Duration) -> String {
    let location = response
        .headers()
        .get(reqwest::header::LOCATION)
        .filter(|_| response.status().is_redirection())
        .and_then(|location| location.to_str().ok())
        .map(|location| format!("it redirects to {location}, which is not followed"));
    if let Some(location) = location {
        return location;
    }
    let mut body = Vec::new();
    // A body that fails or takes too long is quoted as far as it came.
    let _ = tokio::time::timeout(patience, read(response, &mut body)).await;
    let text = String::from_utf8_lossy(&body);
    match serde_json::from_str::<Value>(&text) {
        Ok(value) => message_in(&value).unwrap_or_else(|| text.trim().to_owned()),
        Err(_) => text.trim().to_owned(),
    }
}

/// The message in a provider's error object: `{"error":{"message":…}}`, `{"error":…}`, `{"message":…}`,
/// `{"detail":…}`, or the first of a list of these.
pub(crate) fn message_in(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Array(all) => message_in(all.first()?),
        Value::Object(fields) => {
            ["error", "message", "detail"].iter().find_map(|name| fields.get(*name).and_then(message_in))
        }
        _ => None,
    }
}

/// One line of at most [`LIMIT`] bytes without control characters and without the key.
pub(super) fn clean(text: &str, key: Option<&SecretString>) -> String {
    let text = match key.map(ExposeSecret::expose_secret) {
        Some(key) if key.len() >= SHORTEST_KEY => text.replace(key, "[key]"),
        _ => text.to_owned(),
    };
    let mut line: String = text
        .chars()
        .map(|character| if character.is_control() { ' ' } else { character })
        .take(LIMIT)
        .collect();
    if line.len() > LIMIT {
        let end = (0..=LIMIT).rfind(|end| line.is_char_boundary(*end)).unwrap_or_default();
        line.truncate(end);
    }
    if line.trim().is_empty() { "it gives no reason".to_owned() } else { line }
}

async fn read(mut response: Response, body: &mut Vec<u8>) {
    while let Ok(Some(chunk)) = response.chunk().await {
        let room = READ_LIMIT - body.len();
        body.extend_from_slice(chunk.get(..room).unwrap_or(&chunk));
        if body.len() >= READ_LIMIT {
            return;
        }
    }
}
