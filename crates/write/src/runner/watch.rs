//! Asks silent sessions whether they are finished, expires old ones, forgets those that are over.

use engross_store::files::StagedName;

use super::WriteSessionId;
use super::environment::locked;
use super::journal::Journal;
use super::sessions::WriteSessions;
use crate::session::{Pause, State, WriteInput};

/// How often a sender is asked in a row.
const ASKS: u64 = 10;

impl WriteSessions {
    /// Asks senders that are silent whether they are finished, lets sessions expire, and forgets those that have been over
    /// for long. Somebody calls this about twice a second.
    pub fn watch(&self) {
        let (shared, limits) = (&self.0.environment, self.0.environment.limits);
        let mut over = Vec::new();
        for running in self.0.all() {
            let Some(silence) = running.silence(shared) else { continue };
            let takes_content = silence.state.takes_content();
            if takes_content && silence.since >= limits.expire {
                running.try_drive(WriteInput::Expire, shared);
            } else if is_sending(silence.state)
                && silence.asked < ASKS
                && silence.since >= limits.silence * (silence.asked + 1)
            {
                running.ask(shared);
            } else if silence.state.is_final() && silence.is_held && silence.since >= limits.expire {
                running.discard_content();
            } else if silence.state.is_final() && !silence.is_held {
                over.push((silence.since, running.id));
            }
        }
        over.sort_unstable();
        let kept = over.iter().take(limits.finished).take_while(|(since, _)| *since < limits.keep).count();
        let forgotten: Vec<WriteSessionId> = over.drain(kept..).map(|(_, id)| id).collect();
        self.0.forget(&forgotten);
    }

    /// Removes what sessions have left on disk that nobody has taken up or asked for in all the time it is kept; says how
    /// many files. Somebody calls this now and then.
    #[must_use]
    pub fn sweep(&self) -> usize {
        let Ok(names) = self.0.environment.spool.staged_names() else { return 0 };
        names.into_iter().filter(|name| self.remove_old(name)).count()
    }

    fn remove_old(&self, name: &StagedName) -> bool {
        let is_ours = name.as_str().starts_with(WriteSessionId::PREFIX);
        // What is open elsewhere is in use.
        let Some(staged) = is_ours.then(|| self.0.environment.spool.staged(name).ok().flatten()).flatten()
        else {
            return false;
        };
        let modified = staged.reader().map(|reader| reader.info().modified);
        let is_old = modified.is_ok_and(|modified| {
            modified.saturating_add(self.0.environment.limits.keep) <= self.0.environment.now()
        });
        let is_removed = is_old && staged.discard().is_ok();
        if let (true, Some(id)) = (is_removed, Journal::id_of(name)) {
            locked(&self.0.table).unread.remove(&id);
        }
        is_removed
    }
}

fn is_sending(state: State) -> bool {
    matches!(state, State::Receiving | State::Paused(Pause::Idle))
}
