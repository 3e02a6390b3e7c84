//! Which sessions there are, and the door to each.

use std::collections::HashMap;
use std::sync::{Arc, Condvar, Mutex};

use engross_protocol::shared;
use engross_protocol::{Clock, IdSource};
use engross_store::Millis;
use engross_store::files::{FileError, Folder, Locks, Root};

use super::WriteSessionId;
use super::config::{Composer, Config, Limits};
use super::content::Content;
use super::hub::Told;
use super::journal::{Journal, Opening};
use super::restart::restart;
use super::running::{Answer, Running, View, locked};
use super::target::Target;
use super::work::{Surroundings, Work};
use crate::error::{Error, Problem};
use crate::framing::Finish;
use crate::patch::PatchSpec;
use crate::session::{BeginOptions, Input, Session, marker};
use crate::validate::Kind;

/// How often an end line is drawn.
const DRAWS: usize = 8;

/// What the sessions of a runner share.
pub(super) struct Shared {
    pub(super) root: Root,
    pub(super) spool: Folder,
    pub(super) locks: Locks,
    pub(super) clock: Arc<dyn Clock>,
    ids: Arc<dyn IdSource>,
    documents: Option<Arc<dyn Composer>>,
    pub(super) limits: Limits,
    pub(super) looks: Permits,
    all: Mutex<All>,
}

#[derive(Default)]
struct All {
    by_id: HashMap<WriteSessionId, Arc<Running>>,
    beginning: usize,
}

/// The write sessions beneath one root. Clones share them.
#[derive(Clone)]
pub struct WriteSessions(pub(super) Arc<Shared>);

/// How a piece of a request ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// More of it follows at once.
    More,
    /// The sender waits for what came to be durable.
    Whole,
}

impl Shared {
    pub(super) fn now(&self) -> Millis {
        self.clock.millis()
    }

    pub(super) fn surroundings(&self) -> Surroundings<'_> {
        Surroundings {
            clock: &self.clock,
            locks: &self.locks,
            documents: self.documents.as_ref(),
            limits: &self.limits,
        }
    }

    pub(super) fn everyone(&self) -> Vec<Arc<Running>> {
        locked(&self.all).by_id.values().cloned().collect()
    }

    /// Forgets sessions, all of which are over.
    pub(super) fn forget(&self, ids: &[WriteSessionId]) {
        let mut all = locked(&self.all);
        for id in ids {
            all.by_id.remove(id);
        }
    }

    fn find(&self, id: WriteSessionId) -> Result<Arc<Running>, Problem> {
        let found = locked(&self.all).by_id.get(&id).cloned();
        found.ok_or_else(|| Error::SessionNotFound(id.to_string()).into())
    }
}

impl WriteSessions {
    /// A runner without sessions.
    ///
    /// # Errors
    /// When the folder for unfinished content cannot be made.
    pub fn new(config: Config) -> Result<Self, FileError> {
        let Config { root, spool, locks, clock, ids, documents, limits } = config;
        let spool = match spool {
            Some(path) => root.make_folder(&path)?,
            None => root.top(),
        };
        let (looks, all) = (Permits::new(limits.looks), Mutex::default());
        Ok(Self(Arc::new(Shared { root, spool, locks, clock, ids, documents, limits, looks, all })))
    }

    /// Takes up what an earlier process left; gives what could not be taken up, and why. That is left as it is.
    ///
    /// # Errors
    /// When the folder of unfinished content cannot be read.
    pub fn take_up(&self) -> Result<Vec<(WriteSessionId, Problem)>, FileError> {
        let mut left = Vec::new();
        for name in self.0.spool.staged_names()? {
            let Some(id) = Journal::id_of(&name) else { continue };
            match restart(id, &self.0) {
                Ok(Some(running)) => {
                    locked(&self.0.all).by_id.insert(id, Arc::new(running));
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
    pub fn begin(&self, options: &BeginOptions) -> Result<View, Problem> {
        let shared = &self.0;
        if options.max_bytes > shared.limits.max_bytes {
            let problem = format!("'max_bytes' is {} at most", shared.limits.max_bytes);
            return Err(Error::Options(problem).into());
        }
        if options.kind() == Kind::Docx && shared.documents.is_none() {
            return Err(Error::UnsupportedTarget(options.target_file.clone()).into());
        }
        let _place = Beginning::take(shared)?;
        let mut target = Target::find(&shared.root, options)?;
        let key = target.folder.lock_key(&target.path);
        let lock = shared.locks.lock(&key).ok_or_else(|| target.conflict())?;
        target.look(options)?;
        let now = shared.now();
        let id = WriteSessionId::new(shared.ids.as_ref(), now);
        let session = Session::begin(options.clone(), self.draw(options, &target)?);
        let mut content = Content::create(&shared.spool, id)?;
        let opening = Opening {
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
        let work = Work::new(session, content, target, journal, Some(lock), now, &shared.surroundings());
        let running = Arc::new(Running::new(work, id, shared));
        running.tell_opened(shared);
        let view = running.view();
        locked(&shared.all).by_id.insert(id, running);
        Ok(view)
    }

    /// An end line that is neither in the request nor in the old file.
    fn draw(&self, options: &BeginOptions, target: &Target) -> Result<String, Problem> {
        let asked = serde_json::to_string(options).unwrap_or_default();
        let mut drawn = String::new();
        for _ in 0..DRAWS {
            let random = self.0.ids.next(self.0.now());
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
        ending: Ending,
    ) -> Result<View, Problem> {
        let answer = match ending {
            Ending::More => Answer::AtOnce,
            Ending::Whole => Answer::Durable,
        };
        self.0.find(id)?.drive(Input::Chunk { offset, bytes }, answer, &self.0)
    }

    /// The turn of the model that sends content is over.
    ///
    /// # Errors
    /// As [`WriteSessions::chunk`].
    pub fn turn_end(&self, id: WriteSessionId, finish: Finish) -> Result<View, Problem> {
        self.drive(id, Input::TurnEnd(finish))
    }

    /// The content ends here.
    ///
    /// # Errors
    /// Besides those of [`WriteSessions::chunk`], why it cannot: `INCOMPLETE`, `AMBIGUOUS_END`.
    pub fn finalise(&self, id: WriteSessionId) -> Result<View, Problem> {
        self.drive(id, Input::Finalise)
    }

    /// This is all of the content; nothing in it ends it.
    ///
    /// # Errors
    /// As [`WriteSessions::finalise`]; `ARGS_INVALID` when content has come already.
    pub fn whole(&self, id: WriteSessionId, content: &[u8]) -> Result<View, Problem> {
        self.drive(id, Input::Whole(content))
    }

    /// The next content is a patch of what was refused.
    ///
    /// # Errors
    /// As [`WriteSessions::chunk`]; `ARGS_INVALID` when nothing was refused.
    pub fn patch(&self, id: WriteSessionId, spec: PatchSpec) -> Result<View, Problem> {
        self.drive(id, Input::Patch(spec))
    }

    /// The connection of the sender is gone, in the middle of content.
    ///
    /// # Errors
    /// As [`WriteSessions::chunk`].
    pub fn disconnect(&self, id: WriteSessionId) -> Result<View, Problem> {
        self.drive(id, Input::Disconnect)
    }

    /// Gives up: nothing is left of it on disk. Once the file is written this changes nothing.
    ///
    /// # Errors
    /// `SESSION_NOT_FOUND`.
    pub fn cancel(&self, id: WriteSessionId) -> Result<View, Problem> {
        self.0.find(id)?.cancel(&self.0)
    }

    /// Removes all that is left of a session that is over, its receipt too.
    ///
    /// # Errors
    /// When the folder of unfinished content cannot be read.
    pub fn forget(&self, id: WriteSessionId) -> Result<(), FileError> {
        if self.look(id).is_ok_and(|view| !view.state.is_final()) {
            return Ok(());
        }
        self.0.forget(&[id]);
        let name = id.to_string();
        for left in self.0.spool.staged_names()? {
            if left.as_str().starts_with(&name)
                && let Ok(Some(left)) = self.0.spool.staged(&left)
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
    pub fn look(&self, id: WriteSessionId) -> Result<View, Problem> {
        Ok(self.0.find(id)?.view())
    }

    /// All sessions, the oldest first.
    #[must_use]
    pub fn list(&self) -> Vec<View> {
        let mut views: Vec<View> = self.0.everyone().iter().map(|running| running.view()).collect();
        views.sort_by_key(|view| view.id);
        views
    }

    /// What was told behind event `last`, and whether no more follows.
    ///
    /// # Errors
    /// `SESSION_NOT_FOUND`.
    pub fn told(&self, id: WriteSessionId, last: u64) -> Result<(Vec<Told>, bool), Problem> {
        Ok(self.0.find(id)?.hub.behind_id(last))
    }

    pub(super) fn running(&self, id: WriteSessionId) -> Result<Arc<Running>, Problem> {
        self.0.find(id)
    }

    fn drive(&self, id: WriteSessionId, input: Input<'_>) -> Result<View, Problem> {
        self.0.find(id)?.drive(input, Answer::Durable, &self.0)
    }
}

/// A place among the sessions that are not over, while one begins.
struct Beginning<'a>(&'a Shared);

impl<'a> Beginning<'a> {
    fn take(shared: &'a Shared) -> Result<Self, Problem> {
        let mut all = locked(&shared.all);
        let live = all.by_id.values().filter(|running| running.is_live()).count();
        if live + all.beginning >= shared.limits.sessions {
            return Err(busy(shared.limits.sessions));
        }
        all.beginning += 1;
        Ok(Self(shared))
    }
}

impl Drop for Beginning<'_> {
    fn drop(&mut self) {
        locked(&self.0.all).beginning -= 1;
    }
}

fn busy(sessions: usize) -> Problem {
    let message = format!(
        "{sessions} write sessions are open, which is as many as may: finish or cancel one, then begin again"
    );
    Problem { code: shared::SERVER_BUSY.name.to_owned(), message }
}

/// So many may do something at once; the others wait.
pub(super) struct Permits {
    free: Mutex<usize>,
    freed: Condvar,
}

pub(super) struct Permit<'a>(&'a Permits);

impl Permits {
    fn new(count: usize) -> Self {
        Self { free: Mutex::new(count.max(1)), freed: Condvar::new() }
    }

    pub(super) fn take(&self) -> Permit<'_> {
        let free = locked(&self.free);
        let waited = self.freed.wait_while(free, |free| *free == 0);
        *waited.unwrap_or_else(std::sync::PoisonError::into_inner) -= 1;
        Permit(self)
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        *locked(&self.0.free) += 1;
        self.0.freed.notify_one();
    }
}
