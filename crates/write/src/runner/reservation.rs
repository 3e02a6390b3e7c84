//! How many sessions may be open at once: of one caller, of all, and of those that wait to be gone on with.
//!
//! Must never take content away to make room: only what is empty and was left gives way.

use std::sync::Arc;

use engross_protocol::shared;

use super::caller::WriteCaller;
use super::environment::locked;
use super::loaded::LoadedSession;
use super::registry::Registry;
use crate::error::WriteFailure;
use crate::session::WriteInput;

/// After so many silences, a session to which nothing has come may go for another.
const LEFT: u64 = 5;

/// A session of the agent has this part of the write sessions that a client may have.
const OF_AGENT: usize = 8;

/// All callers together may have so many times the sessions of one client.
const CALLERS: usize = 4;

/// For each session that may be worked on, so many may wait to be gone on with.
const WAITING: usize = 16;

/// Counts a session that is being begun among those that are not over.
pub(super) struct Reservation<'a> {
    registry: &'a Registry,
    caller: &'a WriteCaller,
    /// Whether the session has taken its place.
    is_used: bool,
}

/// Which session makes room, if one has to.
enum Eviction {
    Nobody,
    /// Nothing has come to it.
    Empty(Arc<LoadedSession>),
    /// It waits to be gone on with. Its content is kept as that of any that expires.
    Silent(Arc<LoadedSession>),
}

impl<'a> Reservation<'a> {
    /// Room for one more session of `caller`.
    ///
    /// # Errors
    /// `SERVER_BUSY` when there is none and nothing gives way.
    pub(super) fn take(registry: &'a Registry, caller: &'a WriteCaller) -> Result<Self, WriteFailure> {
        loop {
            let (reservation, eviction) = Self::choose(registry, caller)?;
            match eviction {
                Eviction::Nobody => return Ok(reservation),
                Eviction::Empty(session) if session.give_way(&registry.environment)? => {
                    return Ok(reservation);
                }
                // Content has come to it meanwhile, or it went for somebody else: another one is chosen.
                Eviction::Empty(_) => {}
                Eviction::Silent(session) => {
                    session.try_drive(WriteInput::Expire, &registry.environment).transpose()?;
                    return Ok(reservation);
                }
            }
        }
    }

    fn choose(registry: &'a Registry, caller: &'a WriteCaller) -> Result<(Self, Eviction), WriteFailure> {
        let limits = &registry.environment.limits;
        let left = registry.environment.now().saturating_sub(LEFT * limits.silence);
        let mut table = locked(&registry.table);
        // Who was silent for long is waited for, and takes nobody's place.
        let is_counted = |session: &&Arc<LoadedSession>| {
            session.is_active() && (session.view().offset == 0 || !session.is_silent_since(left))
        };
        let active: Vec<&Arc<LoadedSession>> = table.by_id.values().filter(is_counted).collect();
        let own = active.iter().filter(|session| session.caller == *caller).count();
        let own = own + table.beginning.iter().filter(|beginning| *beginning == caller).count();
        let (most, own_left) = match caller {
            WriteCaller::Client(_) => (limits.sessions, left),
            // It is known to have left what it does not go on with.
            WriteCaller::AgentSession(_) => ((limits.sessions / OF_AGENT).max(1), u64::MAX),
        };
        let all = limits.sessions.saturating_mul(CALLERS);
        let live: Vec<&Arc<LoadedSession>> =
            table.by_id.values().filter(|session| session.is_live()).collect();
        let eviction = if own >= most {
            let own = active.into_iter().filter(|session| session.caller == *caller);
            let empty = oldest(own.filter(|session| session.is_empty_since(own_left)));
            Eviction::Empty(empty.ok_or_else(|| busy(most))?)
        } else if active.len() + table.beginning.len() >= all {
            let empty = active.into_iter().filter(|session| session.is_empty_since(left));
            Eviction::Empty(oldest(empty).ok_or_else(|| busy(all))?)
        } else if live.len() >= limits.sessions.saturating_mul(WAITING) {
            let silent = live.into_iter().filter(|session| session.is_silent_since(left));
            Eviction::Silent(oldest(silent).ok_or_else(|| busy(limits.sessions))?)
        } else {
            Eviction::Nobody
        };
        table.beginning.push(caller.clone());
        drop(table);
        Ok((Self { registry, caller, is_used: false }, eviction))
    }

    /// The session that it was for is there: it takes the place at once, so that nothing is counted twice.
    pub(super) fn admit(mut self, session: Arc<LoadedSession>) {
        let mut table = locked(&self.registry.table);
        table.by_id.insert(session.id, session);
        table.end_beginning(self.caller);
        self.is_used = true;
    }
}

/// The one that was heard of least lately.
fn oldest<'s>(sessions: impl Iterator<Item = &'s Arc<LoadedSession>>) -> Option<Arc<LoadedSession>> {
    sessions.min_by_key(|running| running.view().updated).cloned()
}

impl Drop for Reservation<'_> {
    fn drop(&mut self) {
        if !self.is_used {
            locked(&self.registry.table).end_beginning(self.caller);
        }
    }
}

fn busy(sessions: usize) -> WriteFailure {
    let message = format!(
        "{sessions} write sessions are open, which is as many as may: finish or cancel one, then begin again"
    );
    WriteFailure { code: shared::SERVER_BUSY.name.to_owned(), message }
}
