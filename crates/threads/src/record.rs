//! A task thread as other programs keep it: schema 20260411, read and written with whatever else stood in it.
//!
//! Must never drop a field that it does not know, or take an incomplete record for a thread.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::error::ThreadError;

/// The version of the schema that is read and written.
pub const SCHEMA_VERSION: u64 = 20_260_411;

/// Fields that nothing here knows; they go out as they came in.
pub type Others = Map<String, Value>;

/// A task thread (contracts/tasks.md §4.1). Times are milliseconds since 1970, UTC.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ThreadRecord {
    /// [`SCHEMA_VERSION`].
    pub schema_version: u64,
    /// Names the thread: `draft:…`, and the key of its session with the bridge.
    pub thread_id: String,
    /// What people see.
    #[serde(default)]
    pub title: String,
    /// Whose it is.
    #[serde(default)]
    pub owner_scope: OwnerScope,
    /// Where its files go.
    pub workspace_binding: WorkspaceBinding,
    /// Who carries its tasks out.
    pub execution_binding: ExecutionBinding,
    /// What was said, and what came of the newest run.
    #[serde(default)]
    pub context_state: ContextState,
    /// Whether something runs, and how the newest run ended.
    #[serde(default)]
    pub lifecycle_state: LifecycleState,
    /// When it was made.
    #[serde(default)]
    pub created_at_ms: u64,
    /// When it was last changed.
    #[serde(default)]
    pub updated_at_ms: u64,
    /// Other fields.
    #[serde(flatten)]
    pub others: Others,
}

/// Whose a thread is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OwnerScope {
    /// `local` or `remote`.
    pub realm: String,
    /// `tenant` or `user`.
    pub subject_type: String,
    /// Names the subject.
    pub subject_id: String,
    /// What people call it.
    #[serde(default)]
    pub display_name: String,
    /// Other fields.
    #[serde(flatten)]
    pub others: Others,
}

impl Default for OwnerScope {
    fn default() -> Self {
        Self {
            realm: "local".to_owned(),
            subject_type: "user".to_owned(),
            subject_id: "local".to_owned(),
            display_name: String::new(),
            others: Others::new(),
        }
    }
}

/// Where a thread's files go.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WorkspaceBinding {
    /// Names the workspace.
    pub workspace_id: String,
    /// `localFs` or `remoteFs`.
    #[serde(default = "local_fs")]
    pub workspace_kind: String,
    /// Its folder.
    pub workspace_path: String,
    /// The folder as people see it.
    #[serde(default)]
    pub display_path: String,
    /// Whether files may be written there.
    #[serde(default = "yes")]
    pub writable: bool,
    /// Other fields.
    #[serde(flatten)]
    pub others: Others,
}

fn local_fs() -> String {
    "localFs".to_owned()
}

fn yes() -> bool {
    true
}

/// Who carries a thread's tasks out.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExecutionBinding {
    /// `agent` or `gateway`.
    pub execution_mode: ExecutionMode,
    /// Names the executor.
    #[serde(default)]
    pub executor_id: String,
    /// The agent or gateway: `codex`, `openclaw`, …
    #[serde(default)]
    pub provider_id: String,
    /// Other fields.
    #[serde(flatten)]
    pub others: Others,
}

/// The two kinds of executors. `auto`, which older programs wrote, says nothing and is refused.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ExecutionMode {
    /// An agent, straight through.
    #[default]
    Agent,
    /// A gateway with few capacity.
    Gateway,
}

/// What was said in a thread, and what came of its newest run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ContextState {
    /// What was said, oldest first: the person's own words and the final answers.
    pub messages: Vec<ThreadMessage>,
    /// `skipped`, `synced`, …: see [`super::SyncStatus`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_artifact_sync_status: Option<String>,
    /// When files were last fetched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_artifact_sync_at_ms: Option<u64>,
    /// The files of the newest run, and of no other, in order.
    pub last_task_artifact_relative_paths: Vec<String>,
    /// The newest run that has ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_task_run_id: Option<String>,
    /// What was not as it should be with the files of the newest run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub last_task_warnings: Vec<String>,
    /// Files that the newest answer names and that its run did not make.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub last_task_named_only: Vec<String>,
    /// Where the newest run worked, as the bridge told it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_remote_working_directory: Option<String>,
    /// What kind of place that is: `localPath`, `remotePath` or `objectStore`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_remote_workspace_ref_kind: Option<String>,
    /// The run that is under way at a bridge.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open_claw_task_association: Option<Association>,
    /// Other fields.
    #[serde(flatten)]
    pub others: Others,
}

/// Something that was said.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ThreadMessage {
    /// Names it within the thread.
    pub id: String,
    /// `user`, `assistant`, …
    pub role: String,
    /// The words, and of the person nothing else.
    pub text: String,
    /// When.
    pub timestamp_ms: u64,
    /// Whether it is still awaited.
    pub pending: bool,
    /// Whether it tells of a failure.
    pub error: bool,
    /// Other fields.
    #[serde(flatten)]
    pub others: Others,
}

/// A run at a bridge. It is never a result: it only says what to ask for.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Association {
    /// The thread's key at the bridge.
    pub session_id: String,
    /// The same, or the thread's own.
    pub thread_id: String,
    /// The turn.
    pub turn_id: String,
    /// The run.
    pub run_id: String,
    /// The key that the person's program knows.
    pub app_thread_key: String,
    /// The key that the gateway knows.
    pub openclaw_session_key: String,
    /// `tasks/SESSION/RUN`.
    pub artifact_scope: String,
    /// The scope's folder at the bridge.
    pub artifact_directory: String,
    /// Which gateway or agent.
    pub gateway_provider_id: String,
    /// `running` as long as no end is known.
    pub status: String,
    /// When it began.
    pub started_at_ms: u64,
    /// Other fields.
    #[serde(flatten)]
    pub others: Others,
}

/// Whether something runs, and how the newest run ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LifecycleState {
    /// Whether it was put away.
    #[serde(default)]
    pub archived: bool,
    /// `ready`, `queued` or `running`; others that older programs wrote are read as `ready`.
    #[serde(default = "ready")]
    pub status: String,
    /// When the newest run began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_run_at_ms: Option<u64>,
    /// How it ended: `success`, `failed`, `aborted`, `artifact_missing`, or a code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_result_code: Option<String>,
    /// Other fields.
    #[serde(flatten)]
    pub others: Others,
}

fn ready() -> String {
    "ready".to_owned()
}

impl Default for LifecycleState {
    fn default() -> Self {
        Self {
            archived: false,
            status: ready(),
            last_run_at_ms: None,
            last_result_code: None,
            others: Others::new(),
        }
    }
}

impl ThreadRecord {
    /// Reads a record. What of it names no state that exists is mended: a status of another vocabulary becomes `ready`, with
    /// the word as the result's code where there was none.
    ///
    /// # Errors
    /// [`ThreadError::Record`] naming what is missing: a key, a workspace, or who carries tasks out.
    pub fn parse(text: &str) -> Result<Self, ThreadError> {
        let problem = |problem: String| ThreadError::Record { problem };
        let mut record: Self =
            serde_json::from_str(text).map_err(|error| problem(format!("it cannot be read: {error}")))?;
        if record.schema_version != SCHEMA_VERSION {
            return Err(problem(format!(
                "its `schemaVersion` is {}, known is {SCHEMA_VERSION}",
                record.schema_version
            )));
        }
        for (field, value) in [
            ("threadId", &record.thread_id),
            ("workspaceBinding.workspaceId", &record.workspace_binding.workspace_id),
            ("workspaceBinding.workspacePath", &record.workspace_binding.workspace_path),
        ] {
            if value.trim().is_empty() {
                return Err(problem(format!("`{field}` is empty")));
            }
        }
        let lifecycle = &mut record.lifecycle_state;
        if !["ready", "queued", "running"].contains(&lifecycle.status.as_str()) {
            let word = std::mem::replace(&mut lifecycle.status, ready());
            lifecycle.last_result_code.get_or_insert(word);
        }
        Ok(record)
    }

    /// The record as a line of JSON.
    ///
    /// # Errors
    /// [`ThreadError::Record`]; nothing known leads to it.
    pub fn to_json(&self) -> Result<String, ThreadError> {
        serde_json::to_string(self)
            .map_err(|error| ThreadError::Record { problem: format!("it cannot be written: {error}") })
    }
}
