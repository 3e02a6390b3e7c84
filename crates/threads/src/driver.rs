//! Carries out what the state machine of threads decides: sends, listens, asks again, fetches.
//!
//! Must never decide anything itself, or tell of anything that is not stored.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use engross_attest::ReceiptTexts;
use engross_store::Millis;
use engross_store::files::Folder;
use engross_tasks::runs::Capacity;
use futures_util::StreamExt;
use serde_json::{Value, json};

use super::decision::{Rules, ThreadAction, ThreadInput};
use super::error::ThreadError;
use super::folder::{keep_synced, sent, synced};
use super::journal::{LoadedThread, ThreadJournal};
use super::link::{BridgeCall, BridgeFrame, Link};
use super::look_up::look_up;
use super::machine::step;
use super::outcome::{BridgeReading, association_of};
use super::progress::Progress;
use super::prompt;
use super::receipts::keep_receipt;
use super::record::ThreadRecord;
use super::slots::{QueueWait, slot};
use super::state::{Ask, Stage, Work};
use super::sync::{FileReport, SyncReport, sync};

/// How long the last look at a run may take.
const LAST_LOOK: Duration = Duration::from_secs(10);

/// How often the journal is looked at for what other processes did.
const WATCH: Duration = Duration::from_secs(1);

/// How long a bridge may wait with a snapshot, in milliseconds.
const SNAPSHOT_WAIT: Millis = 20_000;

/// The threads of a person, and the bridge that works for them.
pub struct ThreadDriver {
    journal: ThreadJournal,
    link: Arc<dyn Link>,
    rules: Rules,
    capacity: Capacity,
}

/// A thread while it is driven.
struct ThreadRun<'a> {
    driver: &'a ThreadDriver,
    thread: LoadedThread,
    folder: &'a Folder,
    tell: &'a mut (dyn FnMut(Progress) + Send),
    todo: VecDeque<ThreadAction>,
    heard: Option<String>,
    /// The deadline at which the bridge was asked for the last time.
    asked_last: Option<Millis>,
    /// While it waits for a place.
    wait: QueueWait,
}

impl ThreadDriver {
    /// The threads of a journal, and the bridge behind `link`.
    #[must_use]
    pub fn new(journal: ThreadJournal, link: Arc<dyn Link>, rules: Rules, capacity: Capacity) -> Self {
        Self { journal, link, rules, capacity }
    }

    /// The way to the bridge.
    pub(super) fn link(&self) -> &dyn Link {
        &*self.link
    }

    /// What the gateway takes.
    pub(super) fn capacity(&self) -> Capacity {
        self.capacity
    }

    /// The threads.
    #[must_use]
    pub fn journal(&self) -> &ThreadJournal {
        &self.journal
    }

    /// Takes a request into a thread. Durable when this returns; [`ThreadDriver::drive`] carries it out.
    ///
    /// # Errors
    /// When the thread is archived, or the store fails.
    pub async fn send(&self, key: &str, ask: Ask) -> Result<LoadedThread, ThreadError> {
        let mut thread = self.find(key).await?;
        let ask = Ask { id: if ask.id.is_empty() { self.journal.new_id() } else { ask.id }, ..ask };
        loop {
            let room = (self.journal(), self.link(), self.capacity());
            let slot = slot(room, &thread, &ask, &mut QueueWait::default()).await?;
            if self.tell(&mut thread, ThreadInput::Send(ask.clone(), slot)).await?.is_some() {
                return Ok(thread);
            }
        }
    }

    /// Stops what a thread does, puts it away, or takes it back.
    ///
    /// # Errors
    /// When that cannot be done now, or the store fails.
    pub async fn order(&self, key: &str, order: ThreadInput) -> Result<LoadedThread, ThreadError> {
        let mut thread = self.find(key).await?;
        loop {
            if let Some(actions) = self.tell(&mut thread, order.clone()).await? {
                for action in actions {
                    self.notify(&thread.state().record, &action).await;
                }
                return Ok(thread);
            }
        }
    }

    /// Carries on with a thread until nothing is to be done, files going into `folder`. Dropping this loses nothing:
    /// the next call continues.
    ///
    /// # Errors
    /// When there is no such thread, or the store fails.
    pub async fn drive(
        &self,
        key: &str,
        folder: &Folder,
        tell: &mut (dyn FnMut(Progress) + Send),
    ) -> Result<LoadedThread, ThreadError> {
        let thread = self.find(key).await?;
        let mut driven = ThreadRun {
            driver: self,
            thread,
            folder,
            tell,
            todo: VecDeque::new(),
            heard: None,
            asked_last: None,
            wait: QueueWait::default(),
        };
        driven.run().await?;
        Ok(driven.thread)
    }

    /// The threads that have something to be done, in an order in which each can be carried on while those behind it wait: what
    /// runs holds slots, and who has waited longest is next.
    ///
    /// # Errors
    /// When the store fails. A thread that cannot be read is left out.
    pub async fn unfinished(&self) -> Result<Vec<LoadedThread>, ThreadError> {
        let mut all = Vec::new();
        for key in self.journal.keys().await? {
            let thread = match self.journal.load(&key).await {
                Ok(Some(thread)) => thread,
                Ok(None) => continue,
                Err(ThreadError::Record { problem }) => {
                    tracing::warn!(thread = %key, %problem, "a task thread cannot be read");
                    continue;
                }
                Err(error) => return Err(error),
            };
            let state = thread.state();
            let order = match &state.work {
                _ if state.record.lifecycle_state.archived => continue,
                Work::Running(running) => (0, running.began),
                Work::Queued(_) => (1, state.record.updated_at_ms),
                Work::Idle if !state.waiting.is_empty() => (2, state.record.updated_at_ms),
                Work::Idle => continue,
            };
            all.push((order, thread));
        }
        all.sort_by(|(one, a), (other, b)| {
            (one, &a.state().record.thread_id).cmp(&(other, &b.state().record.thread_id))
        });
        Ok(all.into_iter().map(|(_, thread)| thread).collect())
    }

    async fn find(&self, key: &str) -> Result<LoadedThread, ThreadError> {
        let found = self.journal.load(key).await?;
        found.ok_or_else(|| ThreadError::Unknown { thread: key.to_owned() })
    }

    /// Decides and stores; the actions, or `None` when somebody else was first and the thread is another one now.
    async fn tell(
        &self,
        thread: &mut LoadedThread,
        input: ThreadInput,
    ) -> Result<Option<Vec<ThreadAction>>, ThreadError> {
        let step = step(thread.state(), input, self.rules, self.journal.now())?;
        Ok(self.journal.append(thread, &step.entries).await?.then_some(step.actions))
    }

    /// What is only told to the bridge: its answer changes nothing here.
    async fn notify(&self, record: &ThreadRecord, action: &ThreadAction) {
        let call = match action {
            ThreadAction::Cancel(known) => {
                let mut params = look_up(record, known.as_deref());
                params["idempotencyKey"] = json!(format!("cancel:{}", self.journal.new_id()));
                BridgeCall { method: "xworkmate.tasks.cancel", params, last_event: None }
            }
            ThreadAction::Close => BridgeCall {
                method: "session.close",
                params: json!({"sessionId": record.thread_id, "threadId": record.thread_id}),
                last_event: None,
            },
            _ => return,
        };
        let told = async {
            if let Ok(mut frames) = self.link.call(call).await {
                while let Some(Ok(frame)) = frames.next().await {
                    if !matches!(frame, BridgeFrame::Update(..)) {
                        break;
                    }
                }
            }
        };
        if tokio::time::timeout(Duration::from_secs(10), told).await.is_err() {
            tracing::warn!(thread = %record.thread_id, "the bridge did not answer in 10 s; the thread is ready all the same");
        }
    }
}

impl ThreadRun<'_> {
    async fn run(&mut self) -> Result<(), ThreadError> {
        self.look_last().await?;
        self.input(ThreadInput::Resume).await?;
        loop {
            match self.todo.pop_front() {
                Some(action) => self.act(action).await?,
                None if matches!(self.thread.state().work, Work::Queued(_)) => {
                    tokio::time::sleep(WATCH).await;
                    self.driver.journal.refresh(&mut self.thread).await?;
                    self.todo.push_back(ThreadAction::AskForSlot);
                }
                // Another process has changed it between two steps: what is to be done is asked anew.
                None if self.thread.state().running().is_some() => self.input(ThreadInput::Resume).await?,
                None => return Ok(()),
            }
        }
    }

    /// Tells the machine, and keeps what is to be done. When another process was first, what it did counts and the machine is
    /// asked what is left to do.
    async fn input(&mut self, input: ThreadInput) -> Result<(), ThreadError> {
        let before = self.thread.state().lifecycle();
        match self.driver.tell(&mut self.thread, input).await? {
            Some(actions) => self.todo.extend(actions),
            None => self.todo.clear(),
        }
        let now = self.thread.state().lifecycle();
        if now != before {
            (self.tell)(Progress::State(now));
        }
        Ok(())
    }

    async fn act(&mut self, action: ThreadAction) -> Result<(), ThreadError> {
        match action {
            ThreadAction::Submit { after } => {
                if !self.pause(Duration::from_millis(after)).await? {
                    return Ok(());
                }
                let Some(running) = self.thread.state().running() else { return Ok(()) };
                let method = if running.follows { "session.message" } else { "session.start" };
                let sent = match sent(self.folder, &running.ask).await {
                    Ok(sent) => sent,
                    Err(error) => {
                        let message = format!("a file that was to be sent along cannot be read: {error}");
                        return self.input(ThreadInput::Refused(error.code().to_owned(), message)).await;
                    }
                };
                let params = prompt::params(&self.thread.state().record, &running.ask, &sent);
                let last_event = self.heard.clone();
                self.listen(BridgeCall { method, params, last_event }).await
            }
            ThreadAction::Look { after } => {
                if !self.pause(Duration::from_millis(after)).await? {
                    return Ok(());
                }
                let record = &self.thread.state().record;
                let known = record.context_state.open_claw_task_association.as_ref();
                let mut params = look_up(record, known);
                params["waitMs"] = json!(SNAPSHOT_WAIT);
                self.listen(BridgeCall { method: "xworkmate.tasks.get", params, last_event: None }).await
            }
            ThreadAction::Fetch => self.fetch().await,
            ThreadAction::AskForSlot => {
                let ask = match &self.thread.state().work {
                    Work::Queued(ask) => (**ask).clone(),
                    _ => match self.thread.state().waiting.front() {
                        Some(ask) => ask.clone(),
                        None => return Ok(()),
                    },
                };
                let room = (self.driver.journal(), self.driver.link(), self.driver.capacity());
                let slot = slot(room, &self.thread, &ask, &mut self.wait).await?;
                self.input(ThreadInput::Drain(slot)).await
            }
            action @ (ThreadAction::Cancel(_) | ThreadAction::Close) => {
                self.driver.notify(&self.thread.state().record, &action).await;
                Ok(())
            }
        }
    }

    /// Waits, unless the run ends meanwhile: by another process, or because its time is over.
    async fn pause(&mut self, pause: Duration) -> Result<bool, ThreadError> {
        let end = tokio::time::Instant::now() + pause;
        loop {
            if !self.is_still_open().await? {
                return Ok(false);
            }
            let now = tokio::time::Instant::now();
            if now >= end {
                return Ok(true);
            }
            tokio::time::sleep_until(end.min(now + WATCH)).await;
        }
    }

    /// Whether the run is to be gone on with; looks at the clock and at what others did.
    async fn is_still_open(&mut self) -> Result<bool, ThreadError> {
        if self.driver.journal.refresh(&mut self.thread).await? {
            self.todo.clear();
        }
        self.look_last().await?;
        self.input(ThreadInput::Wake).await?;
        let is_open = |stage: &Stage| !matches!(stage, Stage::Fetching { .. });
        Ok(self.thread.state().running().is_some_and(|running| is_open(&running.stage)))
    }

    /// Asks how a run stands whose time is over, once, before it is given up: the one who looks on may have slept while it ended.
    async fn look_last(&mut self) -> Result<(), ThreadError> {
        let Some(running) = self.thread.state().running() else { return Ok(()) };
        let (deadline, is_fetching) = (running.deadline, matches!(running.stage, Stage::Fetching { .. }));
        let record = &self.thread.state().record;
        let Some(known) = record.context_state.open_claw_task_association.as_ref() else { return Ok(()) };
        if is_fetching || self.driver.journal.now() < deadline || self.asked_last == Some(deadline) {
            return Ok(());
        }
        self.asked_last = Some(deadline);
        let params = look_up(record, Some(known));
        let call = BridgeCall { method: "xworkmate.tasks.get", params, last_event: None };
        let answer = async {
            let mut frames = self.driver.link.call(call).await.ok()?;
            while let Some(Ok(frame)) = frames.next().await {
                if let BridgeFrame::Answer(answer) = frame {
                    return self.driver.whole(record, answer).await.ok();
                }
            }
            None
        };
        if let Ok(Some(answer)) = tokio::time::timeout(LAST_LOOK, answer).await {
            self.input(ThreadInput::Answered(BridgeReading::of(&answer))).await?;
        }
        Ok(())
    }

    /// Makes a call and tells the machine what comes of it.
    async fn listen(&mut self, call: BridgeCall) -> Result<(), ThreadError> {
        let mut frames = match self.driver.link.call(call).await {
            Ok(frames) => frames,
            Err(error) if error.is_passing => {
                (self.tell)(Progress::Connected(false));
                return self.input(ThreadInput::Lost(error.code)).await;
            }
            Err(error) => return self.input(ThreadInput::Refused(error.code, error.message)).await,
        };
        loop {
            let frame = tokio::select! {
                frame = frames.next() => frame,
                () = tokio::time::sleep(WATCH) => {
                    if self.is_still_open().await? {
                        continue;
                    }
                    return Ok(());
                }
            };
            match frame {
                Some(Ok(BridgeFrame::Update(update, id))) => self.hear(&update, id).await?,
                Some(Ok(BridgeFrame::Answer(answer))) => {
                    let answer = match self.driver.whole(&self.thread.state().record, answer).await {
                        Ok(answer) => answer,
                        Err(error) if error.is_passing => {
                            return self.input(ThreadInput::Lost(error.code)).await;
                        }
                        Err(error) => {
                            return self.input(ThreadInput::Refused(error.code, error.message)).await;
                        }
                    };
                    return self.input(ThreadInput::Answered(BridgeReading::of(&answer))).await;
                }
                Some(Ok(BridgeFrame::Refused { code, message })) => {
                    if code == engross_tasks::codes::SESSION_CONTINUATION_UNAVAILABLE.name {
                        let told = "The agent does not have this conversation any more: it is told what was said, and begins anew";
                        (self.tell)(Progress::Status(told.to_owned()));
                    }
                    return self.input(ThreadInput::Refused(code, message)).await;
                }
                Some(Err(error)) if !error.is_passing => {
                    return self.input(ThreadInput::Refused(error.code, error.message)).await;
                }
                Some(Err(error)) => return self.input(ThreadInput::Lost(error.code)).await,
                None => return self.input(ThreadInput::Lost("ACP_SSE_NO_RESULT".to_owned())).await,
            }
            if self.thread.state().running().is_none() {
                return Ok(());
            }
        }
    }

    async fn hear(&mut self, update: &Value, id: Option<String>) -> Result<(), ThreadError> {
        let record = &self.thread.state().record;
        // What is said to somebody else is not heard (contracts/tasks.md §2.1).
        let is_other = |name: &str| update[name].as_str().is_some_and(|key| key != record.thread_id);
        if is_other("sessionId") || is_other("threadId") {
            return Ok(());
        }
        (self.tell)(Progress::Connected(true));
        self.heard = id.or_else(|| self.heard.take());
        let known = record.context_state.open_claw_task_association.is_some();
        if !known && let Some(association) = association_of(update) {
            self.input(ThreadInput::Named(association)).await?;
        }
        if let Some(progress) = Progress::of_update(update) {
            (self.tell)(progress);
        }
        Ok(())
    }

    async fn fetch(&mut self) -> Result<(), ThreadError> {
        let Some(Stage::Fetching { terminal }) =
            self.thread.state().running().map(|running| running.stage.clone())
        else {
            return Ok(());
        };
        let (folder, source) = (self.folder.clone(), self.driver.link.files());
        let (sender, mut done) = tokio::sync::mpsc::unbounded_channel();
        let record = &self.thread.state().record;
        let asked = self.thread.state().running().map(|running| &running.ask).filter(|ask| ask.with_text);
        let texts =
            asked.map(|ask| ReceiptTexts { prompt: prompt(record, ask), answer: terminal.text.clone() });
        let work = tokio::task::spawn_blocking(move || -> Result<SyncReport, ThreadError> {
            let known = synced(&folder)?;
            let tell = &mut |file: &FileReport| {
                let _ = sender.send(file.clone());
            };
            let report = sync(&folder, &*source, &terminal.artifacts, &known, tell);
            keep_synced(&folder, known, &report)?;
            keep_receipt(&folder, &terminal, &report, texts)?;
            Ok(report)
        });
        while let Some(file) = done.recv().await {
            (self.tell)(Progress::File(file));
        }
        let report = match work.await {
            Ok(report) => report?,
            Err(error) => {
                return Err(ThreadError::Record { problem: format!("fetching broke off: {error}") });
            }
        };
        self.input(ThreadInput::Fetched { paths: report.paths(), failed: report.failed() }).await
    }
}
