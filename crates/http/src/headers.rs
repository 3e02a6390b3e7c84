//! What a request says in its headers.
//!
//! Must never read a key as anything but UTF-8.

use axum::http::header::{IF_MATCH, IF_NONE_MATCH};
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use engross_agent::session::{SessionName, TurnRequest};
use engross_store::files::Precondition;

use super::error::Error;
use super::keys;
use super::wire::{EventId, NAMED_MODEL};

/// The session's key, as OpenClaw's clients send it; comes back canonical.
pub(crate) const OPENCLAW_SESSION_KEY: HeaderName = HeaderName::from_static("x-openclaw-session-key");
/// The same in our own name.
pub(crate) const SESSION_KEY: HeaderName = HeaderName::from_static("x-engross-session-key");
/// The session's id.
pub(crate) const SESSION_ID: HeaderName = HeaderName::from_static("x-engross-session-id");
/// The turn, counted from 1 in its session.
pub(crate) const TURN: HeaderName = HeaderName::from_static("x-engross-turn");
/// The state of a document that an answer shows.
pub(crate) const REVISION: HeaderName = HeaderName::from_static("x-engross-revision");
/// Whether `engross.status` events are wanted.
pub(crate) const EVENTS: HeaderName = HeaderName::from_static("x-engross-events");
/// Whether the content of files that are being written is wanted, too.
pub(crate) const WRITE_CONTENT: HeaderName = HeaderName::from_static("x-engross-write-content");
/// Whether the turn goes on when nobody listens.
pub(crate) const BACKGROUND: HeaderName = HeaderName::from_static("x-engross-background");
/// The workspace whose tools the model is to have.
pub(crate) const WORKSPACE: HeaderName = HeaderName::from_static("x-engross-workspace");
/// The name of a further model that the server was given.
pub(crate) const MODEL: HeaderName = HeaderName::from_static("x-engross-model");
/// The same as the reference's clients send it.
pub(crate) const OPENCLAW_MODEL: HeaderName = HeaderName::from_static("x-openclaw-model");
/// The name that a client gives itself, to be told from others with the same key on the same machine.
pub(crate) const CLIENT: HeaderName = HeaderName::from_static("x-engross-client");
/// Makes a repeated request answer the same.
pub(crate) const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
/// Where to go on in a stream.
pub(crate) const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");
/// Names the request in both logs.
pub(crate) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// What the client should know of how its request was read: notices, in words.
pub(crate) const WARNINGS: HeaderName = HeaderName::from_static("x-engross-warnings");
/// Tells OpenAI's libraries whether to repeat a request by themselves.
pub(crate) const SHOULD_RETRY: HeaderName = HeaderName::from_static("x-should-retry");

/// Longest idempotency key in bytes.
const LONGEST_IDEMPOTENCY_KEY: usize = 255;

/// Puts what the headers say into a request. A key in a header goes before one in the body.
pub(crate) fn complete(request: &mut TurnRequest, headers: &HeaderMap) -> Result<(), Error> {
    if let Some(key) = session_key(headers)? {
        request.key = Some(key);
    }
    request.background |= flag(headers, &BACKGROUND)?;
    request.parameters.write_content = flag(headers, &WRITE_CONTENT)?;
    if let Some(model) = word(headers, &MODEL)?.or(word(headers, &OPENCLAW_MODEL)?) {
        let model = model.strip_prefix(NAMED_MODEL).unwrap_or(&model).to_owned();
        request.parameters.model = Some(model);
    }
    request.workspace = word(headers, &WORKSPACE)?;
    request.idempotency_key = idempotency_key(headers)?;
    Ok(())
}

/// Whether the client asks for `engross.status` events.
pub(crate) fn wants_events(headers: &HeaderMap) -> Result<bool, Error> {
    flag(headers, &EVENTS)
}

/// The name that the client gives itself.
pub(crate) fn client_name(headers: &HeaderMap) -> Result<Option<String>, Error> {
    word(headers, &CLIENT)
}

/// Where the client goes on. An id that is none of ours asks for all.
pub(crate) fn last_event_id(headers: &HeaderMap) -> Option<EventId> {
    headers.get(LAST_EVENT_ID)?.to_str().ok()?.parse().ok()
}

/// What must hold of a file for it to be written or removed.
pub(crate) fn precondition(headers: &HeaderMap) -> Result<Precondition, Error> {
    let text = |name| headers.get(name).map(|value: &HeaderValue| value.to_str().unwrap_or_default().trim());
    match (text(&IF_MATCH), text(&IF_NONE_MATCH)) {
        (None, None) => Ok(Precondition::Any),
        (None, Some("*")) => Ok(Precondition::Absent),
        (None, Some(_)) => {
            Err(Error::invalid("If-None-Match", "must be *, which means that there is no file yet"))
        }
        (Some("*"), None) => Ok(Precondition::Exists),
        (Some(tag), None) => {
            let sha256 = tag.strip_prefix('"').and_then(|tag| tag.strip_suffix('"'));
            let is_hash = |text: &&str| text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
            let sha256 = sha256.filter(is_hash).map(|sha256| Precondition::Sha256(sha256.to_owned()));
            sha256.ok_or_else(|| {
                Error::invalid(
                    "If-Match",
                    "must be one ETag of this server, the SHA-256 in double quotes, or *",
                )
            })
        }
        (Some(_), Some(_)) => {
            Err(Error::invalid("If-Match", "and If-None-Match exclude each other; send one"))
        }
    }
}

fn session_key(headers: &HeaderMap) -> Result<Option<SessionName>, Error> {
    let named = |name| -> Result<Option<SessionName>, Error> {
        let given =
            headers.get(name).map(HeaderValue::as_bytes).filter(|value| !value.trim_ascii().is_empty());
        given.map(keys::of_header).transpose()
    };
    match (named(OPENCLAW_SESSION_KEY)?, named(SESSION_KEY)?) {
        (Some(one), Some(other)) if one != other => Err(Error::SessionKeyInvalid {
            problem: "The headers x-openclaw-session-key and x-engross-session-key name different sessions. Send one."
                .to_owned(),
        }),
        (one, other) => Ok(one.or(other)),
    }
}

fn idempotency_key(headers: &HeaderMap) -> Result<Option<String>, Error> {
    let Some(value) = headers.get(IDEMPOTENCY_KEY) else { return Ok(None) };
    let key = str::from_utf8(value.as_bytes()).map(str::trim).unwrap_or_default();
    if key.is_empty() || key.len() > LONGEST_IDEMPOTENCY_KEY {
        return Err(Error::invalid("Idempotency-Key", "must be 1 to 255 bytes of UTF-8, such as a UUID"));
    }
    Ok(Some(key.to_owned()))
}

/// A header of at most 255 bytes of UTF-8; `None` when it is absent or blank.
fn word(headers: &HeaderMap, name: &HeaderName) -> Result<Option<String>, Error> {
    let Some(value) = headers.get(name) else { return Ok(None) };
    match str::from_utf8(value.as_bytes()).map(str::trim) {
        Ok("") => Ok(None),
        Ok(word) if word.len() <= 255 => Ok(Some(word.to_owned())),
        _ => Err(Error::invalid(name.as_str(), "must be at most 255 bytes of UTF-8")),
    }
}

fn flag(headers: &HeaderMap, name: &HeaderName) -> Result<bool, Error> {
    let Some(value) = headers.get(name) else { return Ok(false) };
    match value.as_bytes() {
        b"1" | b"true" => Ok(true),
        b"" | b"0" | b"false" => Ok(false),
        _ => Err(Error::invalid(name.as_str(), "must be 1 or 0")),
    }
}
