//! Maps threads to conversations of an agent, and keeps processes for their next turn.
//!
//! Must never give the conversation of one principal to another, nor let two turns into one.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use tokio::sync::Mutex;
use tokio::time::Instant;

use super::acp::{Client, Session};

/// A conversation. The holder of its lock has the turn.
pub(super) type ConversationLock = Arc<Mutex<Conversation>>;

/// What is known of a conversation.
#[derive(Default)]
pub(super) struct Conversation {
    /// What the agent calls it.
    pub(super) session: Option<String>,
    /// A process in which it is open.
    pub(super) kept: Option<IdleProcess>,
}

/// A process that waits for the next turn.
pub(super) struct IdleProcess {
    pub(super) client: Client,
    pub(super) session: Session,
    /// Where the session works.
    pub(super) folder: PathBuf,
    /// What it saw of an environment when it began.
    pub(super) environment: Vec<(OsString, OsString)>,
    /// Which keeping this is.
    pub(super) number: u64,
}

/// All conversations of a provider, by principal and thread.
#[derive(Default)]
pub(super) struct Conversations {
    slots: HashMap<(String, String), (ConversationLock, Instant)>,
    kept: Vec<(u64, ConversationLock)>,
    number: u64,
}

impl Conversations {
    /// Whether no thread has one.
    pub(super) fn are_none(&self) -> bool {
        self.slots.is_empty()
    }

    /// The conversation of a thread. Beyond `most` of them the one that was not used for longest is forgotten.
    pub(super) fn slot(&mut self, principal: &str, thread: &str, most: usize) -> ConversationLock {
        let now = Instant::now();
        let key = (principal.to_owned(), thread.to_owned());
        if let Some((slot, used)) = self.slots.get_mut(&key) {
            *used = now;
            return slot.clone();
        }
        if self.slots.len() >= most {
            // One that somebody holds is in use.
            let idle = self.slots.iter().filter(|(_, (slot, _))| Arc::strong_count(slot) == 1);
            let oldest = idle.min_by_key(|(_, (_, used))| *used).map(|(key, _)| key.clone());
            if let Some(oldest) = oldest {
                self.slots.remove(&oldest);
            }
        }
        let slot = ConversationLock::default();
        self.slots.insert(key, (slot.clone(), now));
        slot
    }

    pub(super) fn forget(&mut self, principal: &str, thread: &str) -> Option<ConversationLock> {
        self.slots.remove(&(principal.to_owned(), thread.to_owned())).map(|(slot, _)| slot)
    }

    /// The number of the next keeping.
    pub(super) fn number(&mut self) -> u64 {
        self.number += 1;
        self.number
    }

    /// Notes that `slot` keeps a process. Gives back the keepings that are too many, oldest first.
    pub(super) fn keep(
        &mut self,
        number: u64,
        slot: &ConversationLock,
        most: usize,
    ) -> Vec<(u64, ConversationLock)> {
        self.kept.retain(|(_, other)| !Arc::ptr_eq(other, slot));
        self.kept.push((number, slot.clone()));
        let over = self.kept.len().saturating_sub(most);
        self.kept.drain(..over).collect()
    }

    /// Notes that a keeping is over.
    pub(super) fn release(&mut self, number: u64) {
        self.kept.retain(|(other, _)| *other != number);
    }

    pub(super) fn clear(&mut self) {
        *self = Self { number: self.number, ..Self::default() };
    }
}

/// Takes the process of a keeping, if it is still that one and no turn is under way.
pub(super) fn take(slot: &ConversationLock, number: u64) -> Option<Client> {
    let mut conversation = slot.try_lock().ok()?;
    if conversation.kept.as_ref().is_some_and(|kept| kept.number == number) {
        return conversation.kept.take().map(|kept| kept.client);
    }
    None
}
