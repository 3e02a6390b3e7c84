//! What stands before a server: who may call, how that is secured, and how much may come at once.
//!
//! Must never let other machines in without a token, nor start with a token that nobody can send.

use std::path::{Path, PathBuf};
use std::time::Duration;

use engross_http::{Access, AccessKey, ConnectionLimits, KeyRing, Tls, Token};
use engross_protocol::Failure;
use engross_store::files::by_path;

use crate::console::note;
use crate::failure::usage;
use crate::files;
use crate::settings::ServeSettings;

/// Descriptors that are kept for files and the store.
const KEPT: u64 = 64;

/// As many descriptors as are asked for where the system gives more.
const MOST: u64 = 65_536;

/// The longest certificate chain or key in bytes.
const LONGEST_PEM: u64 = 1 << 20;

/// Who may call. Other machines only with a token or a key.
pub(super) fn access(options: &ServeSettings, keys: Option<&[AccessKey]>) -> Result<Access, Failure> {
    let given = options.text("token").map(|token| (options.origin("token").to_string(), token));
    let token = given.map(|(origin, token)| usable(&origin, token)).transpose()?;
    let listen = options.listen();
    if token.is_none() && keys.is_none() && !listen.ip().is_loopback() {
        return Err(usage(
            "USAGE",
            format!(
                "{listen} can be reached from other machines, so a token is needed: give --token, set ENGROSS_TOKEN, or \
                 make a key with `engross keys add`"
            ),
        ));
    }
    let access = Access { token, keys: KeyRing::default(), origins: options.list("cors") };
    if keys.is_some() {
        // Shut until what the owners of the keys have is open.
        access.keys.replace(Vec::new());
    }
    Ok(access)
}

/// A token as clients send it: without the line end of the file that it was read from.
fn usable(origin: &str, token: &str) -> Result<Token, Failure> {
    let token = token.trim();
    if token.is_empty() {
        return Err(usage(
            "USAGE",
            format!("the token of {origin} is blank; set one that clients can send, or none"),
        ));
    }
    if token.chars().any(|character| character.is_control() || character.is_whitespace()) {
        let problem = "holds white space or control characters, which no client can send";
        return Err(usage("USAGE", format!("the token of {origin} {problem}; take another one")));
    }
    Ok(Token::new(token))
}

/// The certificate of a server, and where it came from.
pub(super) struct Certificate {
    pub(super) tls: Tls,
    files: (PathBuf, PathBuf),
}

impl Certificate {
    /// That of the settings, if there is one.
    pub(super) fn of(options: &ServeSettings) -> Result<Option<Self>, Failure> {
        let (chain, key) = match (options.path("tls_cert"), options.path("tls_key")) {
            (Some(chain), Some(key)) => (chain, key),
            (None, None) => return Ok(None),
            (Some(_), None) => {
                return Err(usage("USAGE", "a certificate needs its key; give --tls-key, too"));
            }
            (None, Some(_)) => {
                return Err(usage("USAGE", "a key needs its certificate; give --tls-cert, too"));
            }
        };
        let tls = Tls::new(&pem(&chain)?, &pem(&key)?)
            .map_err(|error| refused(&chain, &key, &error.to_string()))?;
        warn_of_openness(&key, "600");
        Ok(Some(Self { tls, files: (chain, key) }))
    }

    /// Reads the files again. What cannot be used is told, and the server goes on with what it had.
    pub(super) fn renew(&self) {
        let (chain, key) = &self.files;
        let renewed = || {
            let (chain_text, key_text) = (pem(chain)?, pem(key)?);
            self.tls.renew(&chain_text, &key_text).map_err(|error| refused(chain, key, &error.to_string()))
        };
        match renewed() {
            Ok(()) => note("The certificate was read again"),
            Err(failure) => {
                note(&format!("{} [{}]; the old certificate stays", failure.message, failure.code));
            }
        }
    }
}

/// Tells where everybody on this machine can reach what one alone should.
pub(super) fn warn_of_openness(path: &Path, mode: &str) {
    if by_path::is_open_to_all(path) {
        let path = path.display();
        note(&format!(
            "{path} is open to everybody on this machine; take that away with `chmod {mode} {path}`"
        ));
    }
}

fn pem(path: &Path) -> Result<Vec<u8>, Failure> {
    Ok(files::read_bytes(path, LONGEST_PEM)?)
}

fn refused(chain: &Path, key: &Path, problem: &str) -> Failure {
    usage("CONFIG_INVALID", format!("{} and {}: {problem}", chain.display(), key.display()))
}

/// As many connections as the system has descriptors for: each may need one more, toward a model.
pub(super) fn connections(options: &ServeSettings) -> ConnectionLimits {
    let seconds = |key| Duration::from_secs(options.number(key));
    let most = usize::try_from(options.number("max_connections")).unwrap_or(usize::MAX);
    let room = descriptors().saturating_sub(KEPT) / 2;
    let connections = usize::try_from(room).unwrap_or(usize::MAX).clamp(16, most.max(16));
    ConnectionLimits {
        connections,
        head: seconds("head_seconds"),
        idle: seconds("idle_seconds"),
        unread: seconds("unread_seconds"),
    }
}

/// How many descriptors there are, once as many were asked for as the system gives.
#[cfg(unix)]
fn descriptors() -> u64 {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    let before = getrlimit(Resource::Nofile);
    let wanted = before.maximum.unwrap_or(MOST).min(MOST);
    if before.current.is_some_and(|current| current < wanted) {
        // What is not given is done without.
        let _ = setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), maximum: before.maximum });
    }
    getrlimit(Resource::Nofile).current.unwrap_or(MOST)
}

#[cfg(not(unix))]
fn descriptors() -> u64 {
    MOST
}
