//! Under which names sessions are found in the store.
//!
//! Must never let the keys of different principals meet.

use engross_store::Name;

use super::error::RequestError;
use super::request::SessionName;
use crate::codes;

/// The name in the store of a session's key, and the key itself.
pub(super) fn name_of(principal: &str, key: &SessionName) -> Result<(Name, String), RequestError> {
    let text = match key {
        SessionName::Named(text) => text.clone(),
        SessionName::User(user) => format!("agent:main:openai-user:{user}"),
    };
    let name = Name::new(format!("key\u{1}{principal}\u{1}{text}"));
    let name = name.map_err(|error| {
        RequestError::of(codes::SESSION_KEY_INVALID, format!("the session key cannot be used: {error}"))
    })?;
    Ok((name, text))
}

/// The key that a name was made from.
pub(super) fn key_in(name: &Name) -> String {
    name.as_str().rsplit('\u{1}').next().unwrap_or_default().to_owned()
}

/// Whom a name belongs to.
pub(super) fn principal_in(name: &Name) -> &str {
    name.as_str().split('\u{1}').nth(1).unwrap_or_default()
}
