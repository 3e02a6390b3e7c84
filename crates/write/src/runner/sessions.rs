//! The write sessions beneath a root, and the entry to each.
//!
//! Must never hold the table while a session is driven.

use std::sync::{Arc, Mutex};

use bytes::Bytes;
use engross_store::files::FileError;

use super::WriteSessionId;
use super::caller::WriteCaller;
use super::config::Config;
use super::content::Content;
use super::counters::WriteCounters;
use super::environment::{Environment, Permits, locked};
use super::hub::PublishedEvent;
use super::journal::{Journal, JournalOpening};
use super::loaded::{Answer, LoadedSession, WriteSessionView};
use super::registry::Registry;
use super::reservation::Reservation;
use super::restart::restart;
use super::target::Target;
use super::work::Work;
use crate::error::{Error, WriteFailure};
use crate::framing::TurnFinish;
use crate::patch::PatchSpec;
use crate::session::{BeginOptions, WriteInput, WriteSession, marker};
use crate::validate::FileKind;

/// How often an end line is drawn.
const DRAWS: usize = 8;

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

impl WriteSessions {
    /// A runner without sessions.
    ///
    /// # Errors
    /// When the folder for unfinished content cannot be made.
    pub fn new(config: Config) -> Result<Self, FileError> {
        let Config { root, spool, locks, clock, ids, composer, keeper, reviewer, limits } = config;
        let spool = spool.unwrap_or_else(|| root.top());
        let validations = Permits::new(limits.validations);
        let counters = Arc::<WriteCounters>::default();
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
    pub fn counters(&self) -> &Arc<WriteCounters> {
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
            // A folder has those of a whole day, and hardly one is asked for.
            if Journal::is_over(&self.0.environment.spool, id).unwrap_or(false) {
                locked(&self.0.table).unread.insert(id);
                continue;
            }
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
        self.begin_for(&WriteCaller::default(), options)
    }

    /// The same for one of several callers: its own sessions go before those of others.
    ///
    /// # Errors
    /// As there.
    pub fn begin_for(
        &self,
        caller: &WriteCaller,
        options: &BeginOptions,
    ) -> Result<WriteSessionView, WriteFailure> {
        let shared = &self.0.environment;
        if options.max_bytes > shared.limits.max_bytes {
            let problem = format!("'max_bytes' is {} at most", shared.limits.max_bytes);
            return Err(Error::Options(problem).into());
        }
        if options.kind() == FileKind::Docx && shared.composer.is_none() {
            return Err(Error::UnsupportedTarget(options.target_file.clone()).into());
        }
        let reservation = Reservation::take(&self.0, caller)?;
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
        reservation.admit(running);
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

    /// The content ends here, at this offset. A loss of an earlier connection that is noticed only now changes nothing.
    ///
    /// # Errors
    /// As [`WriteSessions::finalise`]; `OFFSET_MISMATCH`.
    pub fn finalise_at(&self, id: WriteSessionId, offset: u64) -> Result<WriteSessionView, WriteFailure> {
        self.drive(id, WriteInput::FinaliseAt(offset))
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

    /// Nobody works on it for the time being: it can be gone on with, and does not keep others from writing the file. Whoever
    /// writes it first wins; the other one is told.
    ///
    /// # Errors
    /// `SESSION_NOT_FOUND`.
    pub fn leave(&self, id: WriteSessionId) -> Result<(), WriteFailure> {
        self.0.find(id)?.leave();
        Ok(())
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
        let found = self.0.ids().into_iter().filter_map(|id| self.0.find(id).ok());
        let mut views: Vec<WriteSessionView> = found.map(|found| found.view()).collect();
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
