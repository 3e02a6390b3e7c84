//! The registry of write sessions, and the entry to each.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use engross_protocol::shared;
use engross_store::files::FileError;

use super::WriteSessionId;
use super::config::Config;
use super::content::Content;
use super::counters::WriteCounters;
use super::environment::{Environment, Permits, locked};
use super::hub::PublishedEvent;
use super::journal::{Journal, JournalOpening};
use super::loaded::{Answer, LoadedSession, WriteSessionView};
use super::restart::restart;
use super::target::Target;
use super::work::Work;
use crate::error::{Error, WriteFailure};
use crate::framing::TurnFinish;
use crate::patch::PatchSpec;
use crate::session::{BeginOptions, WriteInput, WriteSession, marker};
use crate::validate::FileKind;

/// After so many silences, a session to which nothing has come may go for another.
const LEFT: u64 = 5;

/// A caller that is named has this part of the sessions that one without a name may have.
const NAMED: usize = 8;

/// All callers together may have so many times the sessions of one.
const CALLERS: usize = 4;

/// For each session that may be worked on, so many may wait to be gone on with.
const WAITING: usize = 16;

/// How often an end line is drawn.
const DRAWS: usize = 8;

/// The sessions of a runner, and what they share.
pub(super) struct Registry {
    pub(super) environment: Environment,
    table: Mutex<SessionTable>,
}

#[derive(Default)]
struct SessionTable {
    by_id: HashMap<WriteSessionId, Arc<LoadedSession>>,
    /// Sessions that are being begun.
    beginning: usize,
}

/// The write sessions beneath one root. Clones share them.
#[derive(Clone)]
pub struct WriteSessions(pub(super) Arc<Registry>);

/// How a piece of a request ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChunkEnd {
    /// More of it follows at once.
    More,
    /// The sender waits for what came to be durable.
    Whole,
}

impl From<ChunkEnd> for Answer {
    fn from(ending: ChunkEnd) -> Self {
        match ending {
            ChunkEnd::More => Self::AtOnce,
            ChunkEnd::Whole => Self::Durable,
        }
    }
}

impl Registry {
    pub(super) fn all(&self) -> Vec<Arc<LoadedSession>> {
        locked(&self.table).by_id.values().cloned().collect()
    }

    /// Forgets sessions, all of which are over.
    pub(super) fn forget(&self, ids: &[WriteSessionId]) {
        let mut table = locked(&self.table);
        for id in ids {
            table.by_id.remove(id);
        }
    }

    fn find(&self, id: WriteSessionId) -> Result<Arc<LoadedSession>, WriteFailure> {
        let found = locked(&self.table).by_id.get(&id).cloned();
        found.ok_or_else(|| Error::SessionNotFound(id.to_string()).into())
    }
}

impl WriteSessions {
    /// A runner without sessions.
    ///
    /// # Errors
    /// When the folder for unfinished content cannot be made.
    pub fn new(config: Config) -> Result<Self, FileError> {
        let Config { root, spool, locks, clock, ids, composer, keeper, reviewer, limits } = config;
        let spool = spool.unwrap_or_else(|| root.top());
        let validations = Permits::new(limits.validations);
        let counters = WriteCounters::default();
        let environment = Environment {
            root,
            spool,
            locks,
            clock,
            ids,
            composer,
            keeper,
            reviewer,
            limits,
            counters,
            validations,
        };
        Ok(Self(Arc::new(Registry { environment, table: Mutex::default() })))
    }

    /// How many began, and how they ended, since the process began.
    #[must_use]
    pub fn counters(&self) -> &WriteCounters {
        &self.0.environment.counters
    }

    /// Takes up what an earlier process left; gives what could not be taken up, and why. That is left as it is.
    ///
    /// # Errors
    /// When the folder of unfinished content cannot be read.
    pub fn take_up(&self) -> Result<Vec<(WriteSessionId, WriteFailure)>, FileError> {
        let mut left = Vec::new();
        for name in self.0.environment.spool.staged_names()? {
            let Some(id) = Journal::id_of(&name) else { continue };
            match restart(id, &self.0.environment) {
                Ok(Some(running)) => {
                    locked(&self.0.table).by_id.insert(id, Arc::new(running));
                }
                Ok(None) => {}
                Err(problem) => left.push((id, problem)),
            }
        }
        Ok(left)
    }

    /// Begins a session. It is stored when this returns.
    ///
    /// # Errors
    /// As [`BeginOptions::parse`]; `SERVER_BUSY` beyond the limit; what the target says: `TARGET_EXISTS`, `TARGET_MISSING`,
    /// `TARGET_CHANGED`, `TARGET_IS_DIR`, `PATH_…`, `PROTECTED_PATH`; `SESSION_CONFLICT` while another session writes it.
    pub fn begin(&self, options: &BeginOptions) -> Result<WriteSessionView, WriteFailure> {
        self.begin_for("", options)
    }

    /// The same for a caller that is named: it may have fewer at once, and its own go before those of others.
    ///
    /// # Errors
    /// As there.
    pub fn begin_for(&self, caller: &str, options: &BeginOptions) -> Result<WriteSessionView, WriteFailure> {
        let shared = &self.0.environment;
        if options.max_bytes > shared.limits.max_bytes {
            let problem = format!("'max_bytes' is {} at most", shared.limits.max_bytes);
            return Err(Error::Options(problem).into());
        }
        if options.kind() == FileKind::Docx && shared.composer.is_none() {
            return Err(Error::UnsupportedTarget(options.target_file.clone()).into());
        }
        let _reservation = Reservation::take(&self.0, caller)?;
        let mut target = Target::find(&shared.root, options)?;
        let key = target.folder.lock_key(&target.path);
        let lock = shared.locks.lock(&key).ok_or_else(|| target.conflict())?;
        target.check(options)?;
        let now = shared.now();
        let id = WriteSessionId::new(shared.ids.as_ref(), now);
        let session = WriteSession::begin(options.clone(), self.draw(options, &target)?);
        let mut content = Content::create(&shared.spool, id)?;
        let opening = JournalOpening {
            id,
            created: now,
            path: target.path.to_string(),
            shown: target.shown.clone(),
            base: target.base.clone(),
            session: Box::new(session),
            content: content.state(),
        };
        let journal = match Journal::create(&shared.spool, &opening) {
            Ok(journal) => journal,
            Err(error) => {
                content.discard();
                return Err(error.into());
            }
        };
        let session = *opening.session;
        let work = Work::new(session, content, target, journal, Some(lock), now, shared);
        let running = Arc::new(LoadedSession::new(work, id, shared).of_caller(caller));
        running.publish_opened(shared);
        let view = running.view();
        locked(&self.0.table).by_id.insert(id, running);
        Ok(view)
    }

    /// An end line that is neither in the request nor in the old file.
    fn draw(&self, options: &BeginOptions, target: &Target) -> Result<String, WriteFailure> {
        let asked = serde_json::to_string(options).unwrap_or_default();
        let mut drawn = String::new();
        for _ in 0..DRAWS {
            let random = self.0.environment.ids.next(self.0.environment.now());
            // The first six bytes tell the time.
            let (_, bits) = random.split_at(6);
            drawn = marker(std::array::from_fn(|index| bits.get(index).copied().unwrap_or_default()));
            if !asked.contains(&drawn) && !target.has(&drawn)? {
                break;
            }
        }
        Ok(drawn)
    }

    /// Takes content for `offset`, or for the next one.
    ///
    /// # Errors
    /// `SESSION_NOT_FOUND`; `OFFSET_MISMATCH`; the session's problem when it is over without a file.
    pub fn chunk(
        &self,
        id: WriteSessionId,
        offset: Option<u64>,
        bytes: &[u8],
        ending: ChunkEnd,
    ) -> Result<WriteSessionView, WriteFailure> {
        self.0.find(id)?.drive(WriteInput::Chunk { offset, bytes }, ending.into(), &self.0.environment)
    }

    /// The same for content that is not copied to be summed.
    ///
    /// # Errors
    /// As there.
    pub(super) fn shared_chunk(
        &self,
        id: WriteSessionId,
        offset: Option<u64>,
        bytes: &Bytes,
        ending: ChunkEnd,
    ) -> Result<WriteSessionView, WriteFailure> {
        let input = WriteInput::Chunk { offset, bytes };
        self.0.find(id)?.drive_part(input, Some(bytes), ending.into(), &self.0.environment)
    }

    /// The turn of the model that sends content is over.
    ///
    /// # Errors
    /// As [`WriteSessions::chunk`].
    pub fn turn_end(&self, id: WriteSessionId, finish: TurnFinish) -> Result<WriteSessionView, WriteFailure> {
        self.drive(id, WriteInput::TurnEnd(finish))
    }

    /// The content ends here.
    ///
    /// # Errors
    /// Besides those of [`WriteSessions::chunk`], why it cannot: `INCOMPLETE`, `AMBIGUOUS_END`.
    pub fn finalise(&self, id: WriteSessionId) -> Result<WriteSessionView, WriteFailure> {
        self.drive(id, WriteInput::Finalise)
    }

    /// This is all of the content; nothing in it ends it.
    ///
    /// # Errors
    /// As [`WriteSessions::finalise`]; `ARGS_INVALID` when content has come already.
    pub fn whole(&self, id: WriteSessionId, content: &[u8]) -> Result<WriteSessionView, WriteFailure> {
        self.drive(id, WriteInput::Whole(content))
    }

    /// The next content is a patch of what was refused.
    ///
    /// # Errors
    /// As [`WriteSessions::chunk`]; `ARGS_INVALID` when nothing was refused.
    pub fn patch(&self, id: WriteSessionId, spec: PatchSpec) -> Result<WriteSessionView, WriteFailure> {
        self.drive(id, WriteInput::Patch(spec))
    }

    /// The connection of the sender is gone, in the middle of content.
    ///
    /// # Errors
    /// As [`WriteSessions::chunk`].
    pub fn disconnect(&self, id: WriteSessionId) -> Result<WriteSessionView, WriteFailure> {
        self.drive(id, WriteInput::Disconnect)
    }

    /// Gives up: nothing is left of it on disk. Once the file is written this changes nothing.
    ///
    /// # Errors
    /// `SESSION_NOT_FOUND`.
    pub fn cancel(&self, id: WriteSessionId) -> Result<WriteSessionView, WriteFailure> {
        self.0.find(id)?.cancel(&self.0.environment)
    }

    /// Removes all that is left of a session that is over, its receipt too.
    ///
    /// # Errors
    /// When the folder of unfinished content cannot be read.
    pub fn forget(&self, id: WriteSessionId) -> Result<(), FileError> {
        if self.get(id).is_ok_and(|view| !view.state.is_final()) {
            return Ok(());
        }
        self.0.forget(&[id]);
        let name = id.to_string();
        for left in self.0.environment.spool.staged_names()? {
            if left.as_str().starts_with(&name)
                && let Ok(Some(left)) = self.0.environment.spool.staged(&left)
            {
                left.discard()?;
            }
        }
        Ok(())
    }

    /// A session as it stands.
    ///
    /// # Errors
    /// `SESSION_NOT_FOUND`.
    pub fn get(&self, id: WriteSessionId) -> Result<WriteSessionView, WriteFailure> {
        Ok(self.0.find(id)?.view())
    }

    /// All sessions, the oldest first.
    #[must_use]
    pub fn list(&self) -> Vec<WriteSessionView> {
        let mut views: Vec<WriteSessionView> = self.0.all().iter().map(|running| running.view()).collect();
        views.sort_by_key(|view| view.id);
        views
    }

    /// What was told behind event `last`, and whether no more follows.
    ///
    /// # Errors
    /// `SESSION_NOT_FOUND`.
    pub fn events_after(
        &self,
        id: WriteSessionId,
        last: u64,
    ) -> Result<(Vec<PublishedEvent>, bool), WriteFailure> {
        Ok(self.0.find(id)?.hub.after(last))
    }

    pub(super) fn running(&self, id: WriteSessionId) -> Result<Arc<LoadedSession>, WriteFailure> {
        self.0.find(id)
    }

    fn drive(&self, id: WriteSessionId, input: WriteInput<'_>) -> Result<WriteSessionView, WriteFailure> {
        self.0.find(id)?.drive(input, Answer::Durable, &self.0.environment)
    }
}

/// Counts a session that is being begun among those that are not over.
struct Reservation<'a>(&'a Registry);

impl<'a> Reservation<'a> {
    fn take(registry: &'a Registry, caller: &str) -> Result<Self, WriteFailure> {
        let limits = &registry.environment.limits;
        let left = registry.environment.now().saturating_sub(LEFT * limits.silence);
        let mut table = locked(&registry.table);
        // Who was silent for long is waited for, and takes nobody's place.
        let active: Vec<&Arc<LoadedSession>> = table
            .by_id
            .values()
            .filter(|running| {
                running.is_active() && (running.view().offset == 0 || !running.is_silent_since(left))
            })
            .collect();
        let own = active.iter().filter(|running| running.caller == caller).count();
        let most = if caller.is_empty() { limits.sessions } else { (limits.sessions / NAMED).max(1) };
        let all = limits.sessions.saturating_mul(CALLERS);
        let gives_way = if own >= most {
            // A caller that is named is known to have left what it does not go on with.
            let left = if caller.is_empty() { left } else { u64::MAX };
            let own = active.into_iter().filter(|running| running.caller == caller);
            Some(oldest(own.filter(|running| running.is_empty_since(left))).ok_or_else(|| busy(most))?)
        } else if active.len() + table.beginning >= all {
            let empty = active.into_iter().filter(|running| running.is_empty_since(left));
            Some(oldest(empty).ok_or_else(|| busy(all))?)
        } else {
            None
        };
        let live = table.by_id.values().filter(|running| running.is_live());
        let waiting: Vec<&Arc<LoadedSession>> = live.collect();
        let expires = if waiting.len() >= limits.sessions.saturating_mul(WAITING) {
            let silent = waiting.into_iter().filter(|running| running.is_silent_since(left));
            Some(oldest(silent).ok_or_else(|| busy(limits.sessions))?)
        } else {
            None
        };
        table.beginning += 1;
        drop(table);
        let reservation = Self(registry);
        if let Some(empty) = gives_way {
            empty.cancel(&registry.environment)?;
        } else if let Some(silent) = expires {
            // Its content is kept as that of any that expires.
            silent.try_drive(WriteInput::Expire, &registry.environment).transpose()?;
        }
        Ok(reservation)
    }
}

/// The one that was heard of least lately.
fn oldest<'s>(sessions: impl Iterator<Item = &'s Arc<LoadedSession>>) -> Option<Arc<LoadedSession>> {
    sessions.min_by_key(|running| running.view().updated).cloned()
}

impl Drop for Reservation<'_> {
    fn drop(&mut self) {
        locked(&self.0.table).beginning -= 1;
    }
}

fn busy(sessions: usize) -> WriteFailure {
    let message = format!(
        "{sessions} write sessions are open, which is as many as may: finish or cancel one, then begin again"
    );
    WriteFailure { code: shared::SERVER_BUSY.name.to_owned(), message }
}
