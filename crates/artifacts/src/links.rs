//! Signs and checks links by which one artifact can be downloaded for some time.
//!
//! Must never sign what could be read in two ways: no key or run has a line break, and the expiry is digits only.

use std::fmt::Write as _;

use engross_protocol::hex;
use engross_store::Millis;
use engross_store::files::DiskPath;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Deserialize;

use super::error::ScopeError;
use super::hashes::Sha256Sum;
use super::keys::Keys;
use super::name::{RunId, SessionKey};
use super::read::artifact_path;

/// What a query must not have as it is.
const QUERY: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// The query of a download link, as it was received and decoded.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LinkQuery {
    /// The session's key.
    pub session_key: String,
    /// The run's id.
    pub run_id: String,
    /// The file's path beneath the run's scope.
    pub relative_path: String,
    /// Until when, in seconds since 1970.
    pub expires: String,
    /// The hash of the file's bytes; links of 0.1.0 have none.
    #[serde(default)]
    pub sha256: Option<String>,
    /// 64 hexadecimal digits.
    pub sig: String,
}

/// What a good link leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkTarget {
    /// The session.
    pub session: SessionKey,
    /// The run.
    pub run: RunId,
    /// The file's path beneath the run's scope.
    pub path: DiskPath,
    /// The bytes that it had, if the link says.
    pub sha256: Option<Sha256Sum>,
}

impl Keys {
    /// The query of a link to the file at `path` with these bytes, good from `now` for `lifetime`, both in milliseconds:
    /// `sessionKey=…&runId=…&relativePath=…&sha256=…&expires=…&sig=…`.
    ///
    /// # Errors
    /// [`ScopeError::KeyUnusable`] when no key is left to sign with.
    pub fn link(
        &self,
        session: &SessionKey,
        run: &RunId,
        (path, sha256): (&str, Sha256Sum),
        now: Millis,
        lifetime: Millis,
    ) -> Result<String, ScopeError> {
        let key = self.newest(now)?;
        let expires = (now.saturating_add(lifetime) / 1000).to_string();
        let sha256 = sha256.to_string();
        let signature = key.sign(&message(session.as_str(), run.as_str(), path, &expires, Some(&sha256)))?;
        let mut query = String::new();
        for (name, value) in [
            ("sessionKey", session.as_str()),
            ("runId", run.as_str()),
            ("relativePath", path),
            ("sha256", &sha256),
        ] {
            let _ = write!(query, "{name}={}&", utf8_percent_encode(value, QUERY));
        }
        let _ = write!(query, "expires={expires}&sig={}", hex::encode(signature));
        Ok(query)
    }

    /// Where the link leads, if it was issued here and is still good at `now`, in milliseconds since 1970.
    ///
    /// # Errors
    /// * [`ScopeError::PathInvalid`], [`ScopeError::KeyInvalid`]: no link is ever issued for such a path, session or run.
    /// * [`ScopeError::LinkInvalid`]: the signature is not that of a key that is not retired.
    /// * [`ScopeError::LinkExpired`].
    pub fn follow(&self, query: &LinkQuery, now: Millis) -> Result<LinkTarget, ScopeError> {
        let LinkQuery { session_key, run_id, relative_path, expires, sha256, sig } = query;
        let path = artifact_path(relative_path)?;
        let (session, run) = (SessionKey::parse(session_key)?, RunId::parse(run_id)?);
        let until: u64 = match expires.parse::<u64>() {
            Ok(until) if until.to_string() == *expires => until,
            _ => return Err(ScopeError::LinkInvalid),
        };
        let signature = Sha256Sum::parse(sig).ok_or(ScopeError::LinkInvalid)?;
        let message = message(session_key, run_id, relative_path, expires, sha256.as_deref());
        if !self.active(now).any(|key| key.verifies(&message, signature.as_bytes())) {
            return Err(ScopeError::LinkInvalid);
        }
        if until <= now / 1000 {
            return Err(ScopeError::LinkExpired);
        }
        let sha256 = match sha256 {
            Some(sha256) => Some(Sha256Sum::parse(sha256).ok_or(ScopeError::LinkInvalid)?),
            None => None,
        };
        Ok(LinkTarget { session, run, path, sha256 })
    }
}

fn message(session: &str, run: &str, path: &str, expires: &str, sha256: Option<&str>) -> Vec<u8> {
    let mut message = format!("{session}\n{run}\n{path}\n{expires}");
    if let Some(sha256) = sha256 {
        let _ = write!(message, "\n{sha256}");
    }
    message.into_bytes()
}
