//! What the journal of a task thread tells: its record, and the work that is under way.
//!
//! Must never decide anything: entries happened, and are only folded.

use std::collections::{BTreeMap, VecDeque};

use engross_store::Millis;
use engross_tasks::sandbox_request::SandboxRequest;
use serde::{Deserialize, Serialize};

use super::outcome::{EndNotes, TaskEnd};
use super::record::{Association, ThreadMessage, ThreadRecord};

/// What a person asks for in one turn.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Ask {
    /// Names the request; sent along, so that the same request is carried out once.
    pub id: String,
    /// The person's own words, and nothing else.
    pub text: String,
    /// Extensions of files that must be among the results.
    pub required_extensions: Vec<String>,
    /// The least number of files of some extensions.
    pub required_counts: BTreeMap<String, u64>,
    /// Whether files are expected at all.
    pub wants_files: bool,
    /// How long it may run, in milliseconds.
    pub budget: Millis,
    /// Which model, if not the usual one.
    pub model: Option<String>,
    /// Files that are sent along, by their paths here.
    pub attachments: Vec<String>,
    /// Whether the words are in the thread already: a request that is continued, not made.
    pub is_repeat: bool,
    /// Whether the agent is told what was said before, as it does not have the conversation any more.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub recalls: bool,
    /// Whether the words are kept with the receipt.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub with_text: bool,
    /// What is asked of the sandbox around the agent.
    #[serde(skip_serializing_if = "SandboxRequest::is_empty")]
    pub sandbox: SandboxRequest,
    /// Whether files are wanted, too, that agents keep for themselves and programs act on.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub include_hidden: bool,
    /// The server that is to carry it out; nothing where the runner of the person does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
}

/// How far a run is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Stage {
    /// It was sent, or is being sent.
    Sent,
    /// The stream of its answer was lost; so many tries to hear of it in a row have failed.
    Recovering {
        /// Tries in a row that failed.
        failures: u32,
    },
    /// It has ended, and its files are being fetched.
    Fetching {
        /// How it ended.
        terminal: Box<TaskEnd>,
    },
}

/// A run that is under way.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskInProgress {
    /// What was asked.
    pub ask: Ask,
    /// Whether the bridge is asked to go on with a session, and not to begin one.
    pub follows: bool,
    /// When it began.
    pub began: Millis,
    /// When it is given up.
    pub deadline: Millis,
    /// How far it is.
    pub stage: Stage,
}

/// What a thread is doing.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Work {
    /// Nothing.
    #[default]
    Idle,
    /// It waits for a slot.
    Queued(Box<Ask>),
    /// A run is under way.
    Running(Box<TaskInProgress>),
}

/// The four states of a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Lifecycle {
    /// Nothing runs. How the newest run ended is in `lastResultCode`.
    Ready,
    /// It waits for a slot.
    Queued,
    /// A run is under way.
    Running,
    /// It was put away.
    Archived,
}

impl Lifecycle {
    /// `ready`, `queued`, `running` or `archived`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ready => "ready",
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Archived => "archived",
        }
    }
}

/// How the fetching of files stands (contracts/tasks.md §4.4, and the paper's list).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SyncStatus {
    /// The run waits.
    Queued,
    /// The run is under way.
    Running,
    /// Files are being fetched.
    Syncing,
    /// All files of the run are here.
    Synced,
    /// Some could not be written here.
    Partial,
    /// There are none, as the run failed, or none could be written.
    Failed,
    /// There are none, and none were asked for.
    NoArtifacts,
    /// There are none, although files were asked for in general.
    NoExportedArtifacts,
}

impl SyncStatus {
    /// The word in a record.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Syncing => "syncing",
            Self::Synced => "synced",
            Self::Partial => "partial",
            Self::Failed => "failed",
            Self::NoArtifacts => "no-artifacts",
            Self::NoExportedArtifacts => "no-exported-artifacts",
        }
    }
}

/// Something that happened to a thread, as its journal keeps it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "entry")]
pub enum ThreadEntry {
    /// It was made, or taken over from another program's record.
    Opened {
        /// The record.
        record: Box<ThreadRecord>,
    },
    /// A person asked for something while another run was under way.
    Waits {
        /// What.
        ask: Ask,
    },
    /// A request waits for a slot.
    Queued {
        /// Which.
        ask: Ask,
    },
    /// A run began: the files of the one before it are nobody's any more.
    Began {
        /// What was asked.
        ask: Ask,
        /// Whether the bridge is to go on with a session.
        follows: bool,
        /// When it is given up.
        deadline: Millis,
    },
    /// The bridge named the run.
    Associated {
        /// Where to ask for its end.
        association: Box<Association>,
    },
    /// The stream of its answer was lost, or another try to hear of it has failed.
    Lost {
        /// Tries in a row that failed.
        failures: u32,
    },
    /// The bridge has not begun it yet, so that its time counts anew.
    Waited {
        /// When it is given up.
        deadline: Millis,
    },
    /// It was heard of again.
    #[serde(rename = "heard")]
    Reached,
    /// It has ended with files that are to be fetched.
    Delivered {
        /// How it ended.
        terminal: Box<TaskEnd>,
    },
    /// The run is over, or the request that waited.
    Ended {
        /// `lastResultCode`.
        code: String,
        /// `lastArtifactSyncStatus`.
        sync: SyncStatus,
        /// The files of the run that are here.
        paths: Vec<String>,
        /// What the agent said last, or what is to be told of a failure.
        text: String,
        /// Whether it is a failure.
        failed: bool,
        /// What else is kept of it.
        #[serde(default, skip_serializing_if = "EndNotes::is_empty")]
        notes: EndNotes,
    },
    /// It was put away.
    Archived,
    /// It was taken back.
    Restored,
}

/// A task thread.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Thread {
    /// Its record.
    pub record: ThreadRecord,
    /// What it is doing.
    pub work: Work,
    /// Requests that came while it was at work, oldest first.
    pub waiting: VecDeque<Ask>,
    /// What was asked last, so that it can be asked again.
    #[serde(default)]
    pub last: Option<Box<Ask>>,
}

impl Thread {
    /// The thread of the first entry; `None` if that does not open one.
    #[must_use]
    pub fn opened(entry: &ThreadEntry) -> Option<Self> {
        let ThreadEntry::Opened { record } = entry else { return None };
        Some(Self { record: (**record).clone(), ..Self::default() })
    }

    /// Whether its first entry was taken in.
    #[must_use]
    pub fn is_opened(&self) -> bool {
        !self.record.thread_id.is_empty()
    }

    /// Its state.
    #[must_use]
    pub fn lifecycle(&self) -> Lifecycle {
        match self.work {
            _ if self.record.lifecycle_state.archived => Lifecycle::Archived,
            Work::Idle => Lifecycle::Ready,
            Work::Queued(_) => Lifecycle::Queued,
            Work::Running(_) => Lifecycle::Running,
        }
    }

    /// The run that is under way.
    #[must_use]
    pub fn running(&self) -> Option<&TaskInProgress> {
        match &self.work {
            Work::Running(running) => Some(running),
            _ => None,
        }
    }

    /// The server of what is under way, else of what waits, else of what was asked last: nobody else knows its runs.
    #[must_use]
    pub fn server(&self) -> Option<&str> {
        let ask = match &self.work {
            Work::Running(running) => Some(&running.ask),
            Work::Queued(ask) => Some(&**ask),
            Work::Idle => self.waiting.front().or(self.last.as_deref()),
        };
        ask?.server.as_deref()
    }

    /// Takes in what happened at `at`.
    pub fn apply(&mut self, entry: &ThreadEntry, at: Millis) {
        self.record.updated_at_ms = at;
        match entry {
            ThreadEntry::Opened { record } => self.record = (**record).clone(),
            ThreadEntry::Waits { ask } => self.waiting.push_back(ask.clone()),
            ThreadEntry::Queued { ask } => {
                self.waiting.retain(|waiting| waiting.id != ask.id);
                self.say(ask, at);
                self.tell("queued", SyncStatus::Queued);
                self.work = Work::Queued(Box::new(Ask { is_repeat: true, ..ask.clone() }));
            }
            ThreadEntry::Began { ask, follows, deadline } => {
                self.waiting.retain(|waiting| waiting.id != ask.id);
                self.say(ask, at);
                self.tell("running", SyncStatus::Running);
                self.last = Some(Box::new(Ask { is_repeat: true, recalls: false, ..ask.clone() }));
                self.record.lifecycle_state.last_run_at_ms = Some(at);
                let context = &mut self.record.context_state;
                context.last_task_artifact_relative_paths.clear();
                context.last_task_warnings.clear();
                context.last_task_named_only.clear();
                self.record.context_state.open_claw_task_association = None;
                let running = TaskInProgress {
                    ask: Ask { is_repeat: true, ..ask.clone() },
                    follows: *follows,
                    began: at,
                    deadline: *deadline,
                    stage: Stage::Sent,
                };
                self.work = Work::Running(Box::new(running));
            }
            ThreadEntry::Associated { association } => {
                self.record.context_state.open_claw_task_association = Some((**association).clone());
            }
            ThreadEntry::Lost { failures } => self.set_stage(Stage::Recovering { failures: *failures }),
            ThreadEntry::Waited { deadline } => {
                if let Work::Running(running) = &mut self.work {
                    running.deadline = *deadline;
                }
            }
            ThreadEntry::Reached => self.set_stage(Stage::Recovering { failures: 0 }),
            ThreadEntry::Delivered { terminal } => {
                self.tell("running", SyncStatus::Syncing);
                self.set_stage(Stage::Fetching { terminal: terminal.clone() });
            }
            ThreadEntry::Ended { code, sync, paths, text, failed, notes } => {
                let context = &mut self.record.context_state;
                context.open_claw_task_association = None;
                context.last_task_artifact_relative_paths.clone_from(paths);
                context.last_artifact_sync_at_ms = Some(at);
                context.last_task_warnings.clone_from(&notes.warnings);
                context.last_task_named_only.clone_from(&notes.named_only);
                if !notes.run.is_empty() {
                    context.last_task_run_id = Some(notes.run.clone());
                }
                if !notes.directory.is_empty() {
                    context.last_remote_working_directory = Some(notes.directory.clone());
                    context.last_remote_workspace_ref_kind =
                        Some(notes.directory_kind.clone()).filter(|kind| !kind.is_empty());
                }
                if !text.is_empty() {
                    context.messages.push(ThreadMessage {
                        id: format!("m{}", context.messages.len() + 1),
                        role: "assistant".to_owned(),
                        text: text.clone(),
                        timestamp_ms: at,
                        error: *failed,
                        ..ThreadMessage::default()
                    });
                }
                self.work = Work::Idle;
                self.tell(code, *sync);
            }
            ThreadEntry::Archived => self.record.lifecycle_state.archived = true,
            ThreadEntry::Restored => self.record.lifecycle_state.archived = false,
        }
        let status = match self.work {
            Work::Idle => "ready",
            Work::Queued(_) => "queued",
            Work::Running(_) => "running",
        };
        status.clone_into(&mut self.record.lifecycle_state.status);
    }

    fn set_stage(&mut self, stage: Stage) {
        if let Work::Running(running) = &mut self.work {
            running.stage = stage;
        }
    }

    fn tell(&mut self, code: &str, sync: SyncStatus) {
        self.record.lifecycle_state.last_result_code = Some(code.to_owned());
        self.record.context_state.last_artifact_sync_status = Some(sync.as_str().to_owned());
    }

    /// Keeps the person's words, once.
    fn say(&mut self, ask: &Ask, at: Millis) {
        if ask.is_repeat {
            return;
        }
        if self.record.title.is_empty() {
            self.record.title = title(&ask.text);
        }
        self.record.context_state.messages.push(ThreadMessage {
            id: ask.id.clone(),
            role: "user".to_owned(),
            text: ask.text.clone(),
            timestamp_ms: at,
            ..ThreadMessage::default()
        });
    }
}

/// The first words of a thread, at most 32 characters of its first line.
fn title(text: &str) -> String {
    let line = text.trim().lines().next().unwrap_or_default().trim();
    let mut short: String = line.chars().take(32).collect();
    if short.len() < line.len() {
        short.push('…');
    }
    short
}
