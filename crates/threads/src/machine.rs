//! What happens next to a task thread: a pure function from the thread and an input to entries of its journal and actions.
//!
//! Must never do anything itself, take a running handle for a result, list files of another run, or leave a thread with a run
//! that nobody will look after.

use engross_store::Millis;

use super::decision::{Rules, SlotState, ThreadAction, ThreadInput, ThreadStep};
use super::error::ThreadError;
use super::failing::{failure, failure_code, failure_of, said_or};
use super::outcome::{BridgeReading, EndNotes, TaskEnd};
use super::record::{Association, ExecutionMode};
use super::state::{Ask, Lifecycle, Stage, SyncStatus, Thread, ThreadEntry, Work};

/// Codes after which a follow-up begins a new session at the bridge (contracts/tasks.md §4.2).
const NEEDS_NEW_SESSION: &[&str] = &[
    "RUNNING",
    "QUEUED",
    "ABORTED",
    "BRIDGE_NOT_CONNECTED",
    "ARTIFACT_MISSING",
    "OPENCLAW_ARTIFACT_MISSING",
    "OPENCLAW_GATEWAY_QUEUE_FULL",
    engross_tasks::codes::OPENCLAW_GATEWAY_SOCKET_CLOSED.name,
    "OPENCLAW_NO_DISPLAYABLE_OUTPUT",
    "OPENCLAW_NO_EXPORTED_ARTIFACTS",
    engross_tasks::codes::OPENCLAW_WAIT_FAILED.name,
    "ACP_HTTP_401",
    "ACP_HTTP_502",
    "ACP_HTTP_CONNECT_FAILED",
    "ACP_HTTP_CONNECT_TIMEOUT",
    "ACP_HTTP_HANDSHAKE_INTERRUPTED",
    "GATEWAY_TASK_REJECTED",
    engross_tasks::codes::SESSION_CONTINUATION_UNAVAILABLE.name,
];

/// Decides. The thread is as its journal tells; the entries of the step are not taken into it.
///
/// # Errors
/// When a person asks for what cannot be done now; nothing has changed then.
pub fn step(
    thread: &Thread,
    input: ThreadInput,
    rules: Rules,
    now: Millis,
) -> Result<ThreadStep, ThreadError> {
    let mut step = ThreadStep::default();
    let decider = Decider { thread, rules, now };
    match input {
        ThreadInput::Send(ask, slot) => decider.send(ask, slot, &mut step)?,
        ThreadInput::Drain(slot) => decider.drain(slot, &mut step),
        ThreadInput::Named(association) => decider.named(association, &mut step),
        ThreadInput::Answered(reading) => decider.answered(reading, &mut step),
        ThreadInput::Lost(code) => decider.lost(&code, &mut step),
        ThreadInput::Refused(code, message) => decider.refused(code, message, &mut step),
        ThreadInput::Fetched { paths, failed } => decider.fetched(paths, failed, &mut step),
        ThreadInput::Abort => decider.abort(&mut step),
        ThreadInput::Archive => decider.archive(&mut step)?,
        ThreadInput::Restore => {
            if thread.record.lifecycle_state.archived {
                step.entries.push(ThreadEntry::Restored);
            }
        }
        ThreadInput::Wake => decider.wake(&mut step),
        ThreadInput::Resume => decider.resume(&mut step),
    }
    Ok(step)
}

struct Decider<'a> {
    thread: &'a Thread,
    rules: Rules,
    now: Millis,
}

impl Decider<'_> {
    fn send(&self, ask: Ask, slot: SlotState, step: &mut ThreadStep) -> Result<(), ThreadError> {
        match self.thread.lifecycle() {
            Lifecycle::Archived => {
                Err(ThreadError::Archived { thread: self.thread.record.thread_id.clone() })
            }
            Lifecycle::Queued | Lifecycle::Running => {
                step.entries.push(ThreadEntry::Waits { ask });
                Ok(())
            }
            Lifecycle::Ready => {
                self.begin(ask, slot, step);
                Ok(())
            }
        }
    }

    fn drain(&self, slot: SlotState, step: &mut ThreadStep) {
        let ask = match &self.thread.work {
            Work::Queued(ask) if slot == SlotState::Free => (**ask).clone(),
            Work::Idle => match self.thread.waiting.front() {
                Some(ask) if !self.thread.record.lifecycle_state.archived => ask.clone(),
                _ => return,
            },
            _ => return,
        };
        self.begin(ask, slot, step);
    }

    fn begin(&self, ask: Ask, slot: SlotState, step: &mut ThreadStep) {
        match slot {
            SlotState::Free => {
                let deadline = self.now.saturating_add(ask.budget).saturating_add(self.rules.grace);
                let follows = self.follows();
                step.entries.push(ThreadEntry::Began { ask, follows, deadline });
                step.actions.push(ThreadAction::Submit { after: 0 });
            }
            SlotState::Busy => step.entries.push(ThreadEntry::Queued { ask }),
            SlotState::Full => {
                // The words stay in the thread, so that they can be sent again.
                step.entries.push(ThreadEntry::Queued { ask });
                let told = "too many tasks wait for the gateway; send it again later".to_owned();
                step.entries.push(failure("OPENCLAW_GATEWAY_QUEUE_FULL".to_owned(), told));
            }
        }
    }

    /// Whether the bridge has a session of this thread to go on with.
    fn follows(&self) -> bool {
        let record = &self.thread.record;
        let was_answered =
            record.context_state.messages.iter().any(|said| said.role == "assistant" && !said.error);
        let code = record.lifecycle_state.last_result_code.as_deref().unwrap_or_default();
        // While it waits, its own code stands there.
        let queued = matches!(self.thread.work, Work::Queued(_));
        was_answered && (queued || !NEEDS_NEW_SESSION.iter().any(|known| known.eq_ignore_ascii_case(code)))
    }

    fn named(&self, association: Association, step: &mut ThreadStep) {
        if self.is_open() && self.is_ours(&association.artifact_scope, &association.run_id) {
            self.associate(association, step);
        }
    }

    /// What names the run is kept once; later handles only fill in what was missing.
    fn associate(&self, new: Association, step: &mut ThreadStep) {
        if new.run_id.is_empty() {
            return;
        }
        let known = self.thread.record.context_state.open_claw_task_association.clone();
        let mut merged = known.clone().unwrap_or_default();
        for (field, value) in [
            (&mut merged.session_id, new.session_id),
            (&mut merged.thread_id, new.thread_id),
            (&mut merged.turn_id, new.turn_id),
            (&mut merged.run_id, new.run_id),
            (&mut merged.app_thread_key, new.app_thread_key),
            (&mut merged.openclaw_session_key, new.openclaw_session_key),
            (&mut merged.artifact_scope, new.artifact_scope),
            (&mut merged.artifact_directory, new.artifact_directory),
            (&mut merged.gateway_provider_id, new.gateway_provider_id),
            (&mut merged.status, new.status),
        ] {
            if field.is_empty() {
                *field = value;
            }
        }
        if merged.started_at_ms == 0 {
            merged.started_at_ms = self.thread.running().map_or(self.now, |running| running.began);
        }
        if known.as_ref() != Some(&merged) {
            step.entries.push(ThreadEntry::Associated { association: Box::new(merged) });
        }
    }

    fn answered(&self, reading: BridgeReading, step: &mut ThreadStep) {
        if !self.is_open() {
            return;
        }
        match reading {
            BridgeReading::Running(mut association) => {
                let is_ours = self.is_ours(&association.artifact_scope, &association.run_id);
                let is_queued = association.status == "queued";
                // A record keeps that it is under way, wherever it is.
                "running".clone_into(&mut association.status);
                if is_ours {
                    self.associate(*association, step);
                }
                if is_ours && is_queued {
                    self.wait_on(step);
                }
                if is_ours && self.failures() > 0 {
                    step.entries.push(ThreadEntry::Reached);
                }
                self.look(0, step);
            }
            BridgeReading::Ended(terminal) if !self.is_ours(&terminal.artifact_scope, &terminal.run_id) => {
                // The end of another run says nothing of this one.
                self.look(1, step);
            }
            BridgeReading::Ended(terminal) => self.ended(terminal, step),
            BridgeReading::NotFound { code } => {
                step.entries.push(failure(code, "the bridge does not know the run any more".to_owned()));
                self.next(step);
            }
        }
    }

    /// A run that the bridge has not begun has all of its time still before it.
    fn wait_on(&self, step: &mut ThreadStep) {
        let Some(running) = self.thread.running() else { return };
        if self.now.saturating_add(self.rules.grace) >= running.deadline {
            let deadline = self.now.saturating_add(running.ask.budget).saturating_add(self.rules.grace);
            step.entries.push(ThreadEntry::Waited { deadline });
        }
    }

    fn ended(&self, terminal: Box<TaskEnd>, step: &mut ThreadStep) {
        let wants_files = self.thread.running().is_some_and(|running| running.ask.wants_files);
        let is_named = self.thread.running().is_some_and(|running| {
            !(running.ask.required_extensions.is_empty() && running.ask.required_counts.is_empty())
        });
        let has_text = !terminal.text.trim().is_empty();
        let has_files = !terminal.artifacts.is_empty();
        if terminal.is_short || (terminal.success && is_named && !self.has_required(&terminal)) {
            let told = said_or(&terminal, "files that were asked for are missing");
            step.entries.push(failure_of("artifact_missing".to_owned(), told, &terminal));
        } else if !terminal.success {
            let code = failure_code(&terminal, has_text || has_files);
            let told = said_or(&terminal, "the run failed");
            step.entries.push(failure_of(code, told, &terminal));
        } else if has_files {
            step.entries.push(ThreadEntry::Delivered { terminal });
            step.actions.push(ThreadAction::Fetch);
            return;
        } else if has_text {
            let sync = if wants_files { SyncStatus::NoExportedArtifacts } else { SyncStatus::NoArtifacts };
            step.entries.push(ThreadEntry::Ended {
                code: "success".to_owned(),
                sync,
                paths: Vec::new(),
                text: terminal.text,
                failed: false,
                notes: terminal.notes,
            });
        } else {
            let told = "the run ended without a word and without a file".to_owned();
            step.entries.push(failure(
                engross_tasks::codes::OPENCLAW_TERMINAL_WITHOUT_EVIDENCE.name.to_owned(),
                told,
            ));
        }
        self.next(step);
    }

    /// Whether the files that were asked for by name are listed: a bridge that says so is not enough.
    fn has_required(&self, terminal: &TaskEnd) -> bool {
        let Some(running) = self.thread.running() else { return false };
        let ask = &running.ask;
        let extensions = ask.required_extensions.iter().map(String::as_str);
        let counts = ask.required_counts.iter().map(|(extension, count)| (extension.as_str(), *count));
        let requirements = engross_artifacts::Requirements::new(extensions, counts);
        // An empty file is none that somebody asked for, whatever a bridge says.
        let files = terminal.artifacts.iter().filter(|file| file.size_bytes != Some(0));
        let names = files.map(|file| file.relative_path.rsplit('/').next().unwrap_or_default());
        requirements.judge(names).constraint_satisfied
    }

    fn lost(&self, code: &str, step: &mut ThreadStep) {
        let Some(running) = self.thread.running().filter(|_| self.is_open()) else { return };
        let failures = self.failures().saturating_add(1);
        let is_known = self.is_known();
        // Without a name nothing can be asked but the same request again, which a bridge must recognise.
        let is_hopeless = !(is_known || self.rules.is_idempotent);
        if is_hopeless || failures > self.rules.failures || self.now >= running.deadline {
            step.entries.push(failure(code.to_owned(), "the connection to the bridge was lost".to_owned()));
            self.next(step);
            return;
        }
        step.entries.push(ThreadEntry::Lost { failures });
        if failures == 1 || !is_known {
            step.actions.push(ThreadAction::Submit { after: self.pause(failures - 1) });
        } else {
            self.look(failures, step);
        }
    }

    fn refused(&self, code: String, message: String, step: &mut ThreadStep) {
        if let Some(running) = self.thread.running().filter(|running| self.is_open() && running.follows)
            && code == engross_tasks::codes::SESSION_CONTINUATION_UNAVAILABLE.name
        {
            // The agent has forgotten the conversation, and the thread has not: it begins another one and is told of this.
            let ask = Ask { id: format!("{}-anew", running.ask.id), recalls: true, ..running.ask.clone() };
            step.entries.push(ThreadEntry::Began { ask, follows: false, deadline: running.deadline });
            step.actions.push(ThreadAction::Submit { after: 0 });
            return;
        }
        if self.is_open() {
            step.entries.push(failure(code, message));
            self.next(step);
        }
    }

    fn fetched(&self, paths: Vec<String>, failed: usize, step: &mut ThreadStep) {
        let Some(Stage::Fetching { terminal }) = self.thread.running().map(|running| &running.stage) else {
            return;
        };
        let sync = match (paths.is_empty(), failed) {
            (_, 0) => SyncStatus::Synced,
            (false, _) => SyncStatus::Partial,
            (true, _) => SyncStatus::Failed,
        };
        step.entries.push(ThreadEntry::Ended {
            code: "success".to_owned(),
            sync,
            paths,
            text: terminal.text.clone(),
            failed: false,
            notes: terminal.notes.clone(),
        });
        self.next(step);
    }

    fn abort(&self, step: &mut ThreadStep) {
        let ended = |told: &str| ThreadEntry::Ended {
            code: "aborted".to_owned(),
            sync: SyncStatus::Failed,
            paths: Vec::new(),
            text: told.to_owned(),
            failed: true,
            notes: EndNotes::default(),
        };
        match &self.thread.work {
            Work::Idle => return,
            Work::Queued(_) => step.entries.push(ended("stopped before it began")),
            Work::Running(running) => {
                step.entries.push(ended("stopped"));
                if !matches!(running.stage, Stage::Fetching { .. }) {
                    let known = self.thread.record.context_state.open_claw_task_association.clone();
                    step.actions.push(ThreadAction::Cancel(known.map(Box::new)));
                }
            }
        }
        self.next(step);
    }

    fn archive(&self, step: &mut ThreadStep) -> Result<(), ThreadError> {
        let status = self.thread.lifecycle();
        match status {
            Lifecycle::Archived => Ok(()),
            Lifecycle::Ready if self.thread.waiting.is_empty() => {
                step.entries.push(ThreadEntry::Archived);
                step.actions.push(ThreadAction::Close);
                Ok(())
            }
            _ => Err(ThreadError::NotIdle {
                thread: self.thread.record.thread_id.clone(),
                status: status.as_str(),
            }),
        }
    }

    fn wake(&self, step: &mut ThreadStep) {
        let Some(running) = self.thread.running() else { return };
        if self.is_open() && self.now >= running.deadline {
            let known = self.thread.record.context_state.open_claw_task_association.clone();
            let told = "the run did not end in time".to_owned();
            step.entries.push(failure("OPENCLAW_RUN_POLL_TIMEOUT".to_owned(), told));
            step.actions.push(ThreadAction::Cancel(known.map(Box::new)));
            self.next(step);
        }
    }

    fn resume(&self, step: &mut ThreadStep) {
        match &self.thread.work {
            Work::Idle if self.thread.waiting.is_empty() => {}
            Work::Idle | Work::Queued(_) => step.actions.push(ThreadAction::AskForSlot),
            Work::Running(running) => match running.stage {
                Stage::Fetching { .. } => step.actions.push(ThreadAction::Fetch),
                _ if self.now >= running.deadline => self.wake(step),
                Stage::Recovering { failures } if self.is_known() => self.look(failures, step),
                _ if self.is_known() || self.rules.is_idempotent => {
                    step.actions.push(ThreadAction::Submit { after: 0 });
                }
                _ => self.lost("ACP_HTTP_CONNECTION_CLOSED", step),
            },
        }
    }

    /// Asks how the run stands, later the more tries have failed.
    fn look(&self, failures: u32, step: &mut ThreadStep) {
        step.actions.push(ThreadAction::Look { after: self.pause(failures) });
    }

    /// How long to wait after so many tries that failed.
    fn pause(&self, failures: u32) -> Millis {
        let (shortest, longest) = self.rules.pause;
        if failures == 0 { 0 } else { shortest.saturating_mul(1 << failures.min(16)).min(longest) }
    }

    /// Whether the bridge has named the run.
    fn is_known(&self) -> bool {
        self.thread.record.context_state.open_claw_task_association.is_some()
    }

    /// What came while the thread was at work may begin.
    fn next(&self, step: &mut ThreadStep) {
        if !self.thread.waiting.is_empty() {
            step.actions.push(ThreadAction::AskForSlot);
        }
    }

    /// Whether a run is under way whose end is not known.
    fn is_open(&self) -> bool {
        self.thread.running().is_some_and(|running| !matches!(running.stage, Stage::Fetching { .. }))
    }

    fn failures(&self) -> u32 {
        match self.thread.running().map(|running| &running.stage) {
            Some(Stage::Recovering { failures }) => *failures,
            _ => 0,
        }
    }

    /// Whether what was heard is of the run that is under way. A bridge that names none is believed.
    fn is_ours(&self, scope: &str, run: &str) -> bool {
        let Some(known) = &self.thread.record.context_state.open_claw_task_association else { return true };
        let is_same = |known: &str, heard: &str| known.is_empty() || heard.is_empty() || known == heard;
        is_same(&known.artifact_scope, scope) && is_same(&known.run_id, run)
    }
}

/// Whether a thread's tasks go through a gateway, whose capacity are few.
#[must_use]
pub fn needs_slot(thread: &Thread) -> bool {
    thread.record.execution_binding.execution_mode == ExecutionMode::Gateway
}
