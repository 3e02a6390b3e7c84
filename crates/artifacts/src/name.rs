//! Derives folder names from session keys, runs and scopes.
//!
//! Must never give two keys one folder, on any file system, nor a name that some system does not take.

use std::fmt;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest, Sha256};

use super::error::ScopeError;

/// The first component of every scope.
pub(super) const TASKS: &str = "tasks";

/// The bytes of the longest segment.
const LONGEST: usize = 96;

/// The characters of a hash in a segment: 130 bits, so that nobody can find two keys for one name.
const HASH: usize = 26;

/// What stands between what can be read of a key and its hash. No plain segment has it.
const SIGN: char = '~';

const DIGITS: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";

/// The folder name of `key`, whatever it is: at most 96 bytes of `a-z`, `0-9`, `.`, `_`, `-` and at most one `~`.
///
/// A key that is a good name everywhere is its own segment. Every other one, also one with a capital letter as some file
/// systems do not tell them apart, becomes what can be read of it, `~`, and 26 base-32 digits of the SHA-256 of its bytes.
///
/// ```
/// use engross_artifacts::segment;
/// assert_eq!(segment("run-9"), "run-9");
/// assert!(segment("agent:main:draft").starts_with("agent_main_draft~"));
/// ```
#[must_use]
pub fn segment(key: &str) -> String {
    if is_plain(key) {
        return key.to_owned();
    }
    let mut readable = readable(key);
    readable.make_ascii_lowercase();
    readable.truncate(LONGEST - HASH - 1);
    let mut readable = readable.trim_end_matches(['.', '_', '-']).to_owned();
    if is_device(&readable) || readable.is_empty() {
        "scope".clone_into(&mut readable);
    }
    format!("{readable}{SIGN}{}", digits(&Sha256::digest(key)))
}

/// The name that the reference gives to `key`: not unique, and not good everywhere.
fn readable(key: &str) -> String {
    let mut name = String::new();
    for c in key.trim().chars() {
        let c = if c.is_ascii_alphanumeric() || matches!(c, '.' | '-') { c } else { '_' };
        if c != '_' || !name.ends_with('_') {
            name.push(c);
        }
    }
    let mut name = name.trim_matches(['.', '_', '-']).to_owned();
    name.truncate(LONGEST);
    name
}

/// Whether `key` may be its own segment.
fn is_plain(key: &str) -> bool {
    !key.is_empty()
        && readable(key) == key
        && !key.contains(|c: char| c.is_ascii_uppercase())
        && !is_device(key)
}

/// CON, NUL, COM1 and the like, with any extension, in any case.
fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default();
    let numbered = |prefix: &str| {
        let rest = stem.get(..3).filter(|start| start.eq_ignore_ascii_case(prefix)).and(stem.get(3..));
        rest.is_some_and(|rest| matches!(rest.as_bytes(), [b'0'..=b'9']))
    };
    ["con", "prn", "aux", "nul"].iter().any(|device| stem.eq_ignore_ascii_case(device))
        || numbered("com")
        || numbered("lpt")
}

/// The first base-32 digits of `bytes`.
fn digits(bytes: &[u8]) -> String {
    let bit = |at: usize| bytes.get(at / 8).map_or(0, |byte| byte >> (7 - at % 8) & 1);
    let digit = |at: usize| (0..5).fold(0, |value, offset| value << 1 | bit(at * 5 + offset));
    (0..HASH).filter_map(|at| DIGITS.get(usize::from(digit(at)))).map(|digit| char::from(*digit)).collect()
}

/// Whether [`segment`] can give `text`.
fn is_segment(text: &str) -> bool {
    let Some((readable, hash)) = text.split_once(SIGN) else { return is_plain(text) };
    let good = |c: u8| DIGITS.contains(&c);
    is_plain(readable) && text.len() <= LONGEST && hash.len() == HASH && hash.bytes().all(good)
}

/// The key of a session: 1 to 1024 bytes, not blank, without control characters.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionKey(String);

/// The id of a run: 1 to 1024 bytes, not blank, without control characters.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunId(String);

macro_rules! key {
    ($name:ident, $what:literal) => {
        impl $name {
            /// The bytes of the longest one.
            pub const MAX: usize = 1024;

            /// Checks `text`, which is never tidied: two texts are two keys.
            ///
            /// # Errors
            /// [`ScopeError::KeyInvalid`].
            pub fn parse(text: &str) -> Result<Self, ScopeError> {
                check_key($what, text)?;
                Ok(Self(text.to_owned()))
            }

            /// Its text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&self.0)
            }
        }
    };
}

key!(SessionKey, "session key");
key!(RunId, "run id");

fn check_key(what: &'static str, text: &str) -> Result<(), ScopeError> {
    let problem = if text.trim().is_empty() {
        "it is missing or blank"
    } else if text.len() > SessionKey::MAX {
        "it is longer than 1024 bytes"
    } else if text.contains(char::is_control) {
        "it has a control character"
    } else {
        return Ok(());
    };
    Err(ScopeError::KeyInvalid { what, problem: problem.to_owned() })
}

/// The folder of one run beneath the workspace: `tasks/SESSION/RUN`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ArtifactScope(String);

impl ArtifactScope {
    /// The scope of a run.
    #[must_use]
    pub fn of(session: &SessionKey, run: &RunId) -> Self {
        Self(format!("{TASKS}/{}/{}", segment(&session.0), segment(&run.0)))
    }

    /// Reads a scope that somebody names. It says nothing about whose it is.
    ///
    /// # Errors
    /// [`ScopeError::ScopeInvalid`] unless some session and run have it.
    pub fn parse(text: &str) -> Result<Self, ScopeError> {
        let mut segments = text.split('/');
        let segments = [segments.next(), segments.next(), segments.next(), segments.next()];
        match segments {
            [Some(TASKS), Some(session), Some(run), None] if is_segment(session) && is_segment(run) => {
                Ok(Self(text.to_owned()))
            }
            _ => Err(ScopeError::scope_invalid(text)),
        }
    }

    /// Its text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The folder of the session: `tasks/SESSION`.
    #[must_use]
    pub fn session_scope(&self) -> &str {
        self.0.rsplit_once('/').map_or("", |(session, _)| session)
    }

    /// The key of the session, if it can be read from its folder.
    #[must_use]
    pub fn session(&self) -> Option<SessionKey> {
        self.key(1).map(SessionKey)
    }

    /// The id of the run, if it can be read from its folder.
    #[must_use]
    pub fn run(&self) -> Option<RunId> {
        self.key(2).map(RunId)
    }

    fn key(&self, at: usize) -> Option<String> {
        self.0.split('/').nth(at).filter(|segment| !segment.contains(SIGN)).map(str::to_owned)
    }
}

impl fmt::Display for ArtifactScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Serialize for ArtifactScope {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for RunId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::parse(&String::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

impl<'de> Deserialize<'de> for SessionKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::parse(&String::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}
