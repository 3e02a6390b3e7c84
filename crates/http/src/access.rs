//! Who may use the server, and what they may do: the bearer token, keys with owners and rights, the pages that may call it.
//!
//! Must never keep a secret in plain, nor take time that depends on how much of one is right.

use std::sync::{Arc, PoisonError, RwLock};

use axum::http::header::{AUTHORIZATION, HOST, ORIGIN};
use axum::http::{HeaderMap, Method};
use sha2::{Digest, Sha256};

use super::error::Error;

/// The owner of the token, and of everything that was there before there were keys.
pub const DEFAULT_OWNER: &str = "default";

/// What a secret is known by: its SHA-256.
#[derive(Clone, PartialEq, Eq)]
pub struct Token([u8; 32]);

impl Token {
    /// The secret as people know it.
    pub fn new(secret: &str) -> Self {
        Self(Sha256::digest(secret.as_bytes()).into())
    }

    /// A secret of which only the SHA-256 is known.
    pub fn of_digest(digest: [u8; 32]) -> Self {
        Self(digest)
    }

    /// Compares all of both, whatever they are.
    fn is(&self, other: &[u8; 32]) -> bool {
        let difference =
            self.0.iter().zip(other).fold(0, |difference, (ours, theirs)| difference | (ours ^ theirs));
        difference == 0
    }
}

/// What a key may do. Each right holds those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Right {
    /// Look at what its owner has.
    Read,
    /// Talk, change and delete.
    Write,
    /// See how the server is, for all owners together.
    Admin,
}

impl Right {
    /// All of them, the least first.
    pub const ALL: [Self; 3] = [Self::Read, Self::Write, Self::Admin];

    /// As it is written.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Admin => "admin",
        }
    }

    /// What a request needs. Whatever is not known only to look needs the right to write.
    pub(crate) fn needed(method: &Method, path: &str) -> Self {
        match (method, path) {
            (_, "/metrics") => Self::Admin,
            // A socket over which tasks are given.
            (_, "/acp" | "/mcp") => Self::Write,
            (&Method::GET | &Method::HEAD, _) | (&Method::POST, "/v1/view" | "/v1/compare") => Self::Read,
            _ => Self::Write,
        }
    }
}

/// A key that opens the server.
#[derive(Clone)]
pub struct AccessKey {
    /// How people call it.
    pub name: Arc<str>,
    /// Whose sessions, workspaces and tasks it reaches, and nobody else's.
    pub owner: Arc<str>,
    /// What may be done with it.
    pub right: Right,
    /// What it is known by.
    pub secret: Token,
}

/// The keys of a server. Clones share them, so that keys come and go while it runs.
#[derive(Clone, Default)]
pub struct KeyRing(Arc<RwLock<Option<Arc<[AccessKey]>>>>);

impl KeyRing {
    /// Takes these keys and no others from now on. From the first time on a request needs a key, be there none.
    pub fn replace(&self, keys: Vec<AccessKey>) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Some(keys.into());
    }

    fn get(&self) -> Option<Arc<[AccessKey]>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Who sent a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// The name of the key; `token` for the server's token, nothing where none is needed.
    pub key: Arc<str>,
    /// Whose things it reaches.
    pub owner: Arc<str>,
    /// What it may do.
    pub right: Right,
}

impl Caller {
    fn of_server(key: &str) -> Self {
        Self { key: key.into(), owner: DEFAULT_OWNER.into(), right: Right::Admin }
    }
}

/// The rules of access.
#[derive(Clone, Default)]
pub struct Access {
    /// The token of the default owner, which may do all.
    pub token: Option<Token>,
    /// Further keys. Without any, and without a token, only names of this machine lead here.
    pub keys: KeyRing,
    /// Origins of pages that may call, besides those of this machine; `*` stands for all.
    pub origins: Vec<String>,
}

impl Access {
    /// Whether a request needs a secret.
    #[must_use]
    pub fn is_locked(&self) -> bool {
        self.token.is_some() || self.keys.get().is_some()
    }

    /// Whether there were ever keys.
    pub fn is_locked_by_keys(&self) -> bool {
        self.keys.get().is_some()
    }

    /// Who a request comes from, if it may come in.
    ///
    /// A page can send simple requests to a server on its reader's machine without asking first, and a name that is made
    /// to lead to this machine makes a page count as ours; so the origin is checked here too, and without a token the name.
    ///
    /// # Errors
    /// [`Error::OriginNotAllowed`] and [`Error::Unauthorized`].
    pub fn check(&self, headers: &HeaderMap) -> Result<Caller, Error> {
        let text =
            |name| headers.get(name).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
        let host = text(HOST);
        if let Some(origin) = text(ORIGIN) {
            let is_ours = authority(&origin).is_some_and(|authority| host.as_deref() == Some(authority));
            if !is_ours && !self.allows_origin(&origin) {
                return Err(Error::OriginNotAllowed { origin });
            }
        }
        let keys = self.keys.get();
        if self.token.is_none() && keys.is_none() {
            return match host {
                Some(host) if !is_this_machine(&host) => Err(Error::OriginNotAllowed { origin: host }),
                _ => Ok(Caller::of_server("")),
            };
        }
        let given = headers.get(AUTHORIZATION).map(axum::http::HeaderValue::as_bytes).unwrap_or_default();
        let (scheme, secret) = given.split_at_checked("Bearer ".len()).unwrap_or_default();
        if !scheme.eq_ignore_ascii_case(b"Bearer ") {
            return Err(Error::Unauthorized);
        }
        let digest: [u8; 32] = Sha256::digest(secret.trim_ascii()).into();
        let mut found = None;
        // All are looked at, whichever it is.
        for key in keys.as_deref().unwrap_or_default() {
            if key.secret.is(&digest) {
                let (key, owner, right) = (Arc::clone(&key.name), Arc::clone(&key.owner), key.right);
                found = Some(Caller { key, owner, right });
            }
        }
        if self.token.as_ref().is_some_and(|token| token.is(&digest)) {
            found = Some(Caller::of_server("token"));
        }
        found.ok_or(Error::Unauthorized)
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
