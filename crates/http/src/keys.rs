//! How a session is named: from what the client sends to the canonical key.
//!
//! Must never make up a key, and never do I/O.

use std::str::FromStr;

use engross_agent::session::SessionName;
use engross_protocol::SessionId;

use super::error::Error;

/// Longest key in bytes, as sent.
pub const LONGEST_KEY: usize = 512;

/// Names that begin like this belong to sessions that no client may reach by name.
const RESERVED: [&str; 3] = ["subagent:", "cron:", "acp:"];

/// Where keys without an agent belong.
const DEFAULT_AGENT: &str = "main";

/// The canonical form of a key: `agent:AGENT:REST` in lower case, with the agent `main` where none is named. The id of a
/// session names that session and stays as it is. Canonical keys are their own canonical form.
///
/// # Errors
/// [`Error::SessionKeyInvalid`] for a key that is empty, too long, reserved, or holds control characters.
pub fn canonical(raw: &str) -> Result<String, Error> {
    let key = raw.trim();
    let problem = |problem: &str| Err(Error::SessionKeyInvalid { problem: problem.to_owned() });
    if key.is_empty() {
        return problem("The session key is empty. Leave it out for a new session.");
    }
    if key.len() > LONGEST_KEY {
        return problem("The session key is longer than 512 bytes. Send a shorter one.");
    }
    if key.chars().any(char::is_control) {
        return problem("The session key holds control characters. Send one without.");
    }
    if SessionId::from_str(key).is_ok() {
        return Ok(key.to_owned());
    }
    let lower = key.to_lowercase();
    let (agent, rest) = match lower.strip_prefix("agent:") {
        None => (DEFAULT_AGENT, lower.as_str()),
        Some(named) => match named.split_once(':') {
            Some((agent, rest)) if is_agent(agent) && !rest.is_empty() => (agent, rest),
            _ => {
                return problem(
                    "A session key that begins with `agent:` has the form `agent:AGENT:NAME`, with an agent of at most \
                     64 letters, digits, `_` and `-`.",
                );
            }
        },
    };
    if RESERVED.iter().any(|reserved| rest.starts_with(reserved)) {
        return problem(
            "`x-openclaw-session-key` cannot use reserved internal session namespaces: `subagent:`, `cron:`, `acp:`. \
             Send another key.",
        );
    }
    Ok(format!("agent:{agent}:{rest}"))
}

/// The session that a header names. Headers are read as UTF-8.
pub fn of_header(bytes: &[u8]) -> Result<SessionName, Error> {
    let raw = str::from_utf8(bytes).map_err(|_| Error::SessionKeyInvalid {
        problem: "The session key is not UTF-8. Encode it as UTF-8, or use ASCII only.".to_owned(),
    })?;
    canonical(raw).map(SessionName::Named)
}

/// The session of the person that the field `user` names; in lower case, like every key.
pub fn of_user(user: &str) -> Result<Option<SessionName>, Error> {
    let user = user.trim();
    if user.is_empty() {
        return Ok(None);
    }
    canonical(&format!("agent:main:openai-user:{user}"))?;
    Ok(Some(SessionName::User(user.to_lowercase())))
}

fn is_agent(name: &str) -> bool {
    let mut letters = name.bytes();
    letters.next().is_some_and(|first| first.is_ascii_lowercase() || first.is_ascii_digit())
        && letters
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'_' | b'-'))
        && name.len() <= 64
}
