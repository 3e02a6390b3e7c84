//! Sessions as they stand in a store, for the one who looks after it: whose they are, what was said, and how one is taken to
//! another store.
//!
//! Must never change a session on which somebody works, nor take half of one for a whole one.

use engross_journal::{Log, read_entry};
use engross_protocol::SessionId;
use engross_store::{Append, Fence, NewEntry, NewSession, Store};

use super::error::RequestError;
use super::names::{key_in, name_of, principal_in};
use super::request::SessionName;
use super::state::SessionState;
use crate::codes;

/// Sessions that are read at once.
const PAGE: usize = 256;

/// Entries that are copied at once, and about as many bytes.
const ENTRIES: usize = 512;
const BYTES: usize = 8 << 20;

/// How long somebody who copies or deletes has a session, in milliseconds.
const LEASE: u64 = 600_000;

/// A session in a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredSession {
    /// Its id.
    pub id: SessionId,
    /// Whose it is; nothing for the default owner.
    pub principal: String,
    /// Its canonical key.
    pub key: String,
    /// When it was created, in milliseconds since 1970.
    pub created: u64,
    /// When it was last changed, in milliseconds since 1970.
    pub changed: u64,
    /// How many entries its log has.
    pub entries: u64,
}

/// What became of a session that was to be copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CopyOutcome {
    /// It is there now.
    Copied,
    /// It was there before, as it is here.
    Known,
}

/// All sessions of `principal`, or of everybody, the newest first.
///
/// # Errors
/// When the store cannot be reached.
pub async fn stored_sessions(
    store: &dyn Store,
    principal: Option<&str>,
) -> Result<Vec<StoredSession>, RequestError> {
    let (mut found, mut after) = (Vec::new(), None);
    loop {
        let page = store.list(principal, after, PAGE).await?;
        let Some(last) = page.last() else { return Ok(found) };
        after = Some(last.id);
        found.extend(page.into_iter().map(|summary| StoredSession {
            id: summary.id,
            principal: principal_in(&summary.key).to_owned(),
            key: key_in(&summary.key),
            created: summary.created_at,
            changed: summary.changed_at,
            entries: summary.head,
        }));
    }
}

/// The session of `principal` that a key or an id names.
///
/// # Errors
/// When there is none, or the store cannot be reached.
pub async fn find_stored(
    store: &dyn Store,
    principal: &str,
    key: &SessionName,
) -> Result<SessionId, RequestError> {
    let (name, text) = name_of(principal, key)?;
    let found = match text.parse::<SessionId>() {
        Ok(id) => store.load_by_id(id).await?.filter(|found| principal_in(&found.key) == principal),
        Err(_) => store.load(&name).await?,
    };
    found.map(|found| found.id).ok_or_else(|| super::service::unknown(&text))
}

/// What a session has come to; `None` when it is not there any more.
///
/// # Errors
/// When the store cannot be reached, or an entry cannot be read.
pub async fn read_stored(store: &dyn Store, id: SessionId) -> Result<Option<SessionState>, RequestError> {
    Ok(Log::<SessionState>::load(store, id).await?.map(Log::into_state))
}

/// Deletes a session for good, in the name of `holder` at `now`.
///
/// # Errors
/// When somebody works on it, or the store cannot be reached.
pub async fn delete_stored(
    store: &dyn Store,
    id: SessionId,
    (holder, now): (&str, u64),
) -> Result<bool, RequestError> {
    take(store, id, (holder, now)).await?;
    Ok(store.delete(id).await?)
}

/// Copies a session with all its entries and names, and leaves it where it is.
///
/// # Errors
/// When somebody works on it, another session of its id or one of its names is there, an entry cannot be read, or a store cannot be reached. What was
/// begun of it is taken away again.
pub async fn copy_stored(
    from: &dyn Store,
    to: &dyn Store,
    id: SessionId,
    (holder, now): (&str, u64),
) -> Result<CopyOutcome, RequestError> {
    let fence = take(from, id, (holder, now)).await?;
    let copied = copy_whole(from, to, id).await;
    // Nobody has to wait until it runs out; if it is lost, it does.
    let _ = from.release(id, fence).await;
    copied
}

async fn copy_whole(from: &dyn Store, to: &dyn Store, id: SessionId) -> Result<CopyOutcome, RequestError> {
    let Some(session) = from.load_by_id(id).await? else {
        return Err(super::service::unknown(&id.to_string()));
    };
    if let Some(there) = to.load_by_id(id).await? {
        return match is_same(from, to, id, (session.head, there.head)).await? {
            true => Ok(CopyOutcome::Known),
            false => Err(taken(&key_in(&session.key))),
        };
    }
    let names = from.names(id).await?;
    for (name, _) in &names {
        if to.value(name).await?.is_some() {
            return Err(taken(&key_in(&session.key)));
        }
    }
    let names = names.into_iter().filter(|(name, _)| *name != session.key).collect();
    let mut head = 0;
    let mut first = Some(NewSession {
        id,
        at: session.created_at,
        key: session.key.clone(),
        names,
        entries: Vec::new(),
        snapshot: None,
        wake_at: session.wake_at,
    });
    loop {
        let page = from.entries(id, head, ENTRIES).await?;
        let is_last = page.len() < ENTRIES;
        let mut page = page.into_iter().peekable();
        loop {
            let (mut entries, mut bytes) = (Vec::new(), 0);
            while let Some(entry) =
                page.next_if(|entry| entries.is_empty() || bytes + entry.body.len() <= BYTES)
            {
                bytes += entry.body.len();
                // What this version does not know is not taken along unread.
                let event = read_entry::<SessionState>(id, &entry)?;
                entries.push(NewEntry { kind: event.kind(), at: entry.at, body: entry.body });
            }
            let count = entries.len() as u64;
            match first.take() {
                Some(new) => {
                    let (_, is_new) = to.create(NewSession { entries, ..new }).await?;
                    if !is_new {
                        return Err(taken(&key_in(&session.key)));
                    }
                }
                None if entries.is_empty() => break,
                None => {
                    let append = Append {
                        session: id,
                        fence: None,
                        expected_head: head,
                        entries,
                        names: Vec::new(),
                        snapshot: None,
                        wake_at: None,
                    };
                    if let Err(error) = to.append(append).await {
                        // Half a session is none.
                        to.delete(id).await?;
                        return Err(error.into());
                    }
                }
            }
            head += count;
        }
        if is_last {
            return Ok(CopyOutcome::Copied);
        }
    }
}

/// Whether a session is the same in both stores: its entries are never changed, so the last ones tell.
async fn is_same(
    from: &dyn Store,
    to: &dyn Store,
    id: SessionId,
    (here, there): (u64, u64),
) -> Result<bool, RequestError> {
    if here != there {
        return Ok(false);
    }
    let last = here.saturating_sub(ENTRIES as u64);
    Ok(from.entries(id, last, ENTRIES).await? == to.entries(id, last, ENTRIES).await?)
}

async fn take(store: &dyn Store, id: SessionId, (holder, now): (&str, u64)) -> Result<Fence, RequestError> {
    store.lease(id, holder, now, LEASE).await?.ok_or_else(|| {
        RequestError::of(
            codes::SESSION_BUSY,
            format!("somebody works on the session {id}; try again when its turn is over"),
        )
    })
}

fn taken(key: &str) -> RequestError {
    let message = format!(
        "there is another session in the place of '{key}' already, or one that has gone on; delete it there, or leave this one out"
    );
    RequestError::of(codes::SESSION_TAKEN, message)
}
