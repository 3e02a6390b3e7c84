//! Carries out the actions of one session, and makes its content durable in time.
//!
//! Must never be asked while somebody else asks: `running` sees to that.

use std::collections::VecDeque;
use std::sync::Arc;

use engross_protocol::Clock;
use engross_store::Millis;
use engross_store::files::{LockGuard, Locks};

use super::config::{Composer, Durability, FileKeeper};
use super::content::Content;
use super::deliver::{Delivery, Inspection, PrepareError};
use super::environment::Environment;
use super::hub::Notice;
use super::journal::{Checkpoint, Intent, Journal};
use super::target::Target;
use crate::error::WriteFailure;
use crate::session::{
    AssemblyBase, CommittedFile, Pause, Prompt, State, WriteAction, WriteEvent, WriteInput, WriteSession,
    WriteWarning,
};

/// A chunk up to this size goes into the journal itself, so that one file is synced rather than two.
const SMALL: usize = 32 << 10;
/// So many bytes of small chunks may have to be taken again after a crash.
const SMALL_TOGETHER: usize = 256 << 10;
/// How often it is begun at most to make content durable, in milliseconds. Each time costs a wait for the disk's cache, also
/// when little has come.
const SYNC_APART: Millis = 20;
/// The longest that content which comes is not durable, in milliseconds.
const SYNC_AFTER: Millis = 200;
/// How often progress is told, in milliseconds.
const PROGRESS_EVERY: Millis = 250;

/// A session that is not over, with its files.
pub(super) struct Work {
    pub(super) session: WriteSession,
    pub(super) content: Content,
    pub(super) target: Target,
    /// What was done to the content when the file was put together.
    pub(super) changes: Vec<WriteWarning>,
    intent: Option<Intent>,
    /// The content that was refused last, if it was whole. Not stored: after a crash the next one is not compared with it.
    pub(super) refused: Option<Arc<Vec<u8>>>,
    /// What is to be told, once it may be.
    pub(super) news: Vec<Notice>,
    /// What was last asked, while nobody has answered.
    pub(super) prompt: Option<Prompt>,
    /// Bytes received that are durable.
    pub(super) durable: u64,
    /// How many events were told.
    pub(super) events: u64,
    pub(super) created: Millis,
    /// How often its sender was asked whether it is finished, since it was last heard of.
    pub(super) asked: u64,
    journal: Journal,
    lock: Option<LockGuard>,
    locks: Locks,
    clock: Arc<dyn Clock>,
    composer: Option<Arc<dyn Composer>>,
    keeper: Option<Arc<dyn FileKeeper>>,
    durability: Durability,
    small: PendingChunks,
    is_changed: bool,
    synced_at: Millis,
    sync_begun_at: Millis,
    /// Why content could not be made durable before somebody waited for it.
    failure: Option<WriteFailure>,
    told_at: Millis,
    told: u64,
    has_begun: bool,
}

/// Bytes that came since the journal's last record, while they can be taken again from it.
#[derive(Debug, Default)]
struct PendingChunks {
    bytes: Vec<u8>,
    since_checkpoint: usize,
    spoilt: bool,
}

impl Work {
    pub(super) fn new(
        session: WriteSession,
        content: Content,
        target: Target,
        journal: Journal,
        lock: Option<LockGuard>,
        created: Millis,
        shared: &Environment,
    ) -> Self {
        let now = shared.now();
        Self {
            durable: session.offset(),
            has_begun: session.state() != State::Open,
            prompt: session.asked().cloned(),
            session,
            content,
            target,
            changes: Vec::new(),
            intent: None,
            refused: None,
            news: Vec::new(),
            events: 0,
            created,
            asked: 0,
            journal,
            lock,
            locks: shared.locks.clone(),
            clock: Arc::clone(&shared.clock),
            composer: shared.composer.clone(),
            keeper: shared.keeper.clone(),
            durability: shared.limits.durability,
            small: PendingChunks::default(),
            is_changed: false,
            synced_at: now,
            sync_begun_at: now,
            failure: None,
            told_at: now,
            told: 0,
        }
    }

    /// Takes an input. What is returned is to be carried out.
    pub(super) fn feed(&mut self, input: WriteInput<'_>) -> Result<Vec<WriteAction>, WriteFailure> {
        if !matches!(input, WriteInput::Idle | WriteInput::Expire) {
            self.asked = 0;
        }
        let (before, spoils) = (self.session.offset(), !matches!(input, WriteInput::Chunk { .. }));
        let sent = if let WriteInput::Chunk { bytes, .. } = &input { *bytes } else { &[] };
        let actions = self.session.step(input, &mut self.content)?;
        let new = usize::try_from(self.session.offset() - before).unwrap_or(sent.len());
        self.small.push(sent.get(sent.len().saturating_sub(new)..).unwrap_or_default());
        self.is_changed |= spoils || new > 0 || !actions.is_empty();
        self.small.spoilt |= spoils;
        match self.content.take_failure() {
            Some(error) => self.lose(error.into()),
            None => Ok(actions),
        }
    }

    /// Its content cannot be kept.
    pub(super) fn lose(&mut self, problem: WriteFailure) -> Result<Vec<WriteAction>, WriteFailure> {
        self.is_changed = true;
        self.small.spoilt = true;
        self.session.step(WriteInput::Lost(problem), &mut self.content)
    }

    /// Does what is to be done, up to the validation of the file: the caller does that, and feeds what is found.
    pub(super) fn carry_out(&mut self, actions: Vec<WriteAction>) -> Option<Inspection> {
        let mut left: VecDeque<WriteAction> = actions.into();
        while let Some(action) = left.pop_front() {
            let following = match action {
                WriteAction::Sync => {
                    self.pace(true);
                    continue;
                }
                WriteAction::Ask(prompt) => {
                    self.news.push(Notice::Prompt(prompt.clone()));
                    self.prompt = Some(prompt);
                    continue;
                }
                WriteAction::Publish(event) => {
                    self.note_event(event);
                    continue;
                }
                WriteAction::Discard => {
                    self.content.discard();
                    continue;
                }
                WriteAction::Validate(assembly) => {
                    self.changes.clear();
                    match self.delivery().prepare(&assembly) {
                        Ok((mut inspection, changes)) => {
                            self.changes = changes;
                            // A patch is put into all of it.
                            let is_whole = matches!(
                                assembly.base,
                                AssemblyBase::Nothing | AssemblyBase::BehindTarget { .. }
                            );
                            inspection.refused = self.refused.clone().filter(|_| is_whole);
                            return Some(inspection);
                        }
                        Err(PrepareError::Patch(error)) => self.feed(WriteInput::PatchFailed(error)),
                        Err(PrepareError::Lost(problem)) => self.lose(problem),
                    }
                }
                WriteAction::Commit => match self.commit() {
                    Ok(written) => self.feed(WriteInput::Committed(written)),
                    Err(problem) => self.feed(WriteInput::CommitFailed(problem)),
                },
            };
            left.extend(following.into_iter().flatten());
        }
        None
    }

    /// Moves the file to its place. What is about to happen is stored before.
    fn commit(&mut self) -> Result<CommittedFile, WriteFailure> {
        let mut changes = std::mem::take(&mut self.changes);
        let keeper = self.keeper.clone();
        let kept = keeper.map_or(Ok(None), |keeper| self.delivery().keep(&*keeper, &mut changes));
        let intent = kept.and_then(|checkpoint| self.delivery().intend(&changes, checkpoint));
        self.changes = changes;
        let intent = intent?;
        self.intent = Some(intent.clone());
        let stored = self.checkpoint();
        self.intent = None;
        stored?;
        self.delivery().place(&intent)
    }

    /// What the file is put together from, and where it goes.
    pub(super) fn delivery(&mut self) -> Delivery<'_> {
        Delivery {
            content: &mut self.content,
            target: &self.target,
            session: &self.session,
            composer: self.composer.as_deref(),
        }
    }

    fn note_event(&mut self, event: WriteEvent) {
        let news = match event {
            WriteEvent::Progress { bytes, .. } => {
                self.told = bytes;
                return self.publish_progress();
            }
            WriteEvent::Receipt(receipt) => Notice::Committed(receipt),
            WriteEvent::State { state, error, .. } => {
                if !matches!(state, State::Paused(_)) {
                    self.prompt = None;
                }
                match state {
                    State::Receiving if !std::mem::replace(&mut self.has_begun, true) => return,
                    State::Receiving => Notice::Resumed,
                    State::Paused(Pause::Idle) | State::Open | State::Committed => return,
                    State::Paused(pause) => Notice::Cut { pause: Some(pause), error },
                    State::Incomplete => Notice::Cut { pause: None, error },
                    State::Ambiguous => Notice::Ambiguous(error),
                    State::Validating => Notice::Validating,
                    State::NeedsRepair => Notice::RepairNeeded(error),
                    State::Committing => Notice::Committing,
                    State::Cancelled | State::Expired | State::Failed => Notice::Over { state, error },
                }
            }
        };
        self.news.push(news);
    }

    fn publish_progress(&mut self) {
        self.told_at = self.clock.millis();
        let (bytes, lines) = (self.session.content_bytes(), self.session.content_lines());
        let rate = bytes.saturating_mul(1000) / self.told_at.saturating_sub(self.created).max(1);
        self.news.push(Notice::Progress { bytes, lines, rate });
    }

    /// Content has come, and more may follow.
    pub(super) fn receive_more(&mut self) {
        self.pace(false);
        let bytes = self.session.content_bytes();
        if bytes > self.told && self.clock.millis() >= self.told_at + PROGRESS_EVERY {
            self.told = bytes;
            self.publish_progress();
        }
    }

    /// Makes what has come durable, if it is time.
    fn pace(&mut self, is_much: bool) {
        if self.session.state() != State::Receiving || !self.is_changed {
            return;
        }
        let now = self.clock.millis();
        let waited = now.saturating_sub(self.synced_at);
        let done = if self.durability == Durability::EveryChunk || waited >= SYNC_AFTER {
            let done = self.persist();
            self.synced_at = self.clock.millis();
            done
        } else if is_much && now >= self.sync_begun_at.saturating_add(SYNC_APART) {
            self.sync_begun_at = now;
            self.content.begin_sync().map_err(WriteFailure::from)
        } else {
            Ok(())
        };
        if let Err(problem) = done {
            self.failure.get_or_insert(problem);
        }
    }

    /// Makes all that has come durable.
    pub(super) fn persist(&mut self) -> Result<(), WriteFailure> {
        if let Some(problem) = self.failure.take() {
            return Err(problem);
        }
        if !self.is_changed {
            return Ok(());
        }
        if self.small.spoilt || self.session.state() != State::Receiving {
            return self.checkpoint();
        }
        self.journal.chunk(&self.small.bytes)?;
        self.small.bytes.clear();
        self.persisted();
        Ok(())
    }

    /// Stores what the session is.
    pub(super) fn checkpoint(&mut self) -> Result<(), WriteFailure> {
        self.content.sync()?;
        self.journal.checkpoint(&Checkpoint {
            at: self.clock.millis(),
            events: self.events + self.news.len() as u64,
            session: &self.session,
            content: self.content.state(),
            intent: self.intent.clone(),
        })?;
        self.content.settle();
        self.small = PendingChunks::default();
        self.persisted();
        Ok(())
    }

    fn persisted(&mut self) {
        self.durable = self.session.offset();
        self.is_changed = false;
    }

    /// The file is somebody else's to write again.
    pub(super) fn unlock(&mut self) {
        self.lock = None;
    }

    /// The file is nobody else's while this goes on.
    pub(super) fn relock(&mut self) -> Result<(), WriteFailure> {
        if self.lock.is_none() {
            let key = self.target.folder.lock_key(&self.target.path);
            self.lock = Some(self.locks.lock(&key).ok_or_else(|| self.target.conflict())?);
        }
        Ok(())
    }

    /// Removes all that there is of it on disk.
    pub(super) fn remove(mut self) {
        self.content.discard();
        self.journal.discard();
    }

    /// Nobody knows whether more was sent than has come.
    pub(super) fn pause(&mut self) -> Result<(), WriteFailure> {
        let actions = self.feed(WriteInput::Disconnect)?;
        self.carry_out(actions);
        Ok(())
    }

    /// Takes bytes again that the journal has.
    pub(super) fn replay(&mut self, bytes: &[u8]) -> Result<(), WriteFailure> {
        // It leads to nothing that is to be done, else there would be a checkpoint.
        self.feed(WriteInput::Chunk { offset: None, bytes })?;
        self.small.spoilt = true;
        self.durable = self.session.offset();
        Ok(())
    }
}

impl PendingChunks {
    fn push(&mut self, bytes: &[u8]) {
        self.since_checkpoint += bytes.len();
        if bytes.len() + self.bytes.len() > SMALL || self.since_checkpoint > SMALL_TOGETHER {
            self.spoilt = true;
        }
        if self.spoilt {
            self.bytes.clear();
        } else {
            self.bytes.extend_from_slice(bytes);
        }
    }
}
