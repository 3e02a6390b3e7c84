//! Who may use the server: the bearer token, and the pages that may call it.
//!
//! Must never keep a token in plain, nor take time that depends on how much of one is right.

use axum::http::HeaderMap;
use axum::http::header::{AUTHORIZATION, HOST, ORIGIN};
use sha2::{Digest, Sha256};

use super::error::Error;

/// What a token is known by: its SHA-256.
#[derive(Clone, PartialEq, Eq)]
pub struct Token([u8; 32]);

impl Token {
    /// The token as people know it.
    pub fn new(secret: &str) -> Self {
        Self(Sha256::digest(secret.as_bytes()).into())
    }

    /// Compares all of both, whatever they are.
    fn is(&self, secret: &[u8]) -> bool {
        let other: [u8; 32] = Sha256::digest(secret).into();
        let difference =
            self.0.iter().zip(other).fold(0, |difference, (ours, theirs)| difference | (ours ^ theirs));
        difference == 0
    }
}

/// The rules of access.
#[derive(Clone, Default)]
pub struct Access {
    /// The token that every request needs. Without one only names of this machine lead here.
    pub token: Option<Token>,
    /// Origins of pages that may call, besides those of this machine; `*` stands for all.
    pub origins: Vec<String>,
}

impl Access {
    /// Whether a request may come in.
    ///
    /// A page can send simple requests to a server on its reader's machine without asking first, and a name that is made
    /// to lead to this machine makes a page count as ours; so the origin is checked here too, and without a token the name.
    ///
    /// # Errors
    /// [`Error::OriginNotAllowed`] and [`Error::Unauthorized`].
    pub fn check(&self, headers: &HeaderMap) -> Result<(), Error> {
        let text =
            |name| headers.get(name).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
        let host = text(HOST);
        if let Some(origin) = text(ORIGIN) {
            let is_ours = authority(&origin).is_some_and(|authority| host.as_deref() == Some(authority));
            if !is_ours && !self.allows_origin(&origin) {
                return Err(Error::OriginNotAllowed { origin });
            }
        }
        let Some(token) = &self.token else {
            return match host {
                Some(host) if !is_this_machine(&host) => Err(Error::OriginNotAllowed { origin: host }),
                _ => Ok(()),
            };
        };
        let given = headers.get(AUTHORIZATION).map(axum::http::HeaderValue::as_bytes).unwrap_or_default();
        let (scheme, secret) = given.split_at_checked("Bearer ".len()).unwrap_or_default();
        if scheme.eq_ignore_ascii_case(b"Bearer ") && token.is(secret.trim_ascii()) {
            Ok(())
        } else {
            Err(Error::Unauthorized)
        }
    }

    /// Whether pages of an origin may call.
    pub fn allows_origin(&self, origin: &str) -> bool {
        authority(origin).is_some_and(is_this_machine)
            || self.origins.iter().any(|allowed| allowed == "*" || allowed.trim_end_matches('/') == origin)
    }
}

/// Host and port of an origin such as `http://localhost:3000`.
fn authority(origin: &str) -> Option<&str> {
    origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"))
}

/// Whether a host, perhaps with a port, is a name of this machine.
fn is_this_machine(host: &str) -> bool {
    let (name, port) = match host.rsplit_once(':') {
        Some((name, port)) if !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()) => {
            (name, Some(port))
        }
        _ => (host, None),
    };
    port.is_none_or(|port| port.len() <= 5) && matches!(name, "localhost" | "127.0.0.1" | "[::1]")
}
