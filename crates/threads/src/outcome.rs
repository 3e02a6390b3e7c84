//! What a bridge says of a run: that it goes on, or how it ended.
//!
//! Must never take a running handle, a text that names files, or an unknown word for a result.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::record::Association;

/// What an answer or a snapshot says.
#[derive(Debug, Clone, PartialEq)]
pub enum BridgeReading {
    /// It goes on. What is known of where to ask for its end.
    Running(Box<Association>),
    /// It has ended.
    Ended(Box<TaskEnd>),
    /// The bridge knows no such run.
    NotFound {
        /// Its code, or `not_found`.
        code: String,
    },
}

/// How a run ended.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TaskEnd {
    /// The run; empty if the bridge did not say.
    pub run_id: String,
    /// `tasks/SESSION/RUN`; empty if the bridge did not say.
    pub artifact_scope: String,
    /// Whether it is a success, and everything that was required is there.
    pub success: bool,
    /// The bridge's word for how it ended.
    pub status: String,
    /// The bridge's code, if it gave one.
    pub code: Option<String>,
    /// What the agent said last.
    pub text: String,
    /// Why it failed, as the bridge tells it; empty for a success, or if it does not say.
    pub cause: String,
    /// Its files.
    pub artifacts: Vec<RemoteArtifact>,
    /// Whether named extensions or counts of files are missing.
    pub is_short: bool,
    /// The word of [`super::SyncStatus`] that the bridge suggests for a run without files.
    pub sync_status: Option<String>,
    /// What else is kept of it.
    #[serde(skip_serializing_if = "EndNotes::is_empty")]
    pub notes: EndNotes,
    /// What the bridge has signed of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub receipt: Option<Value>,
}

/// What a thread keeps of a run beside its words and files.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct EndNotes {
    /// What was not as it should be with its files.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// Files that its answer names and that it did not make.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub named_only: Vec<String>,
    /// Its id.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub run: String,
    /// Where it worked.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub directory: String,
    /// What kind of place that is.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub directory_kind: String,
}

impl EndNotes {
    /// Whether there is nothing to keep.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// How many warnings are kept.
const MOST_WARNINGS: usize = 120;

/// A file that a run delivers, as the bridge lists it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RemoteArtifact {
    /// Its path beneath the scope.
    pub relative_path: String,
    /// Its length in bytes, if known.
    pub size_bytes: Option<u64>,
    /// SHA-256 in lower-case hexadecimal digits; empty when the bridge did not say.
    pub sha256: String,
    /// Names it for downloads.
    pub artifact_ref: String,
    /// Where it can be fetched.
    pub download_url: String,
    /// Its bytes in base64, when they came along.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// Of which scope it is; empty if the bridge did not say.
    pub artifact_scope: String,
}

/// Words for a run that goes on (contracts/tasks.md §3.4).
const GOING_ON: &[&str] =
    &["queued", "running", "pending", "accepted", "started", "syncing-artifacts", "unknown"];

impl BridgeReading {
    /// Reads the result of `session.start`, `session.message` or `xworkmate.tasks.get`.
    #[must_use]
    pub fn of(result: &Value) -> Self {
        let empty = Map::new();
        let fields = result.as_object().unwrap_or(&empty);
        let inner = fields.get("result").and_then(Value::as_object);
        let text = |names: &[&str]| -> String {
            let among = |fields: &Map<String, Value>| {
                names.iter().find_map(|name| {
                    fields
                        .get(*name)
                        .and_then(Value::as_str)
                        .filter(|text| !text.trim().is_empty())
                        .map(str::to_owned)
                })
            };
            among(fields).or_else(|| inner.and_then(among)).unwrap_or_default()
        };
        let flag = |name: &str| fields.get(name).or_else(|| inner?.get(name)).and_then(Value::as_bool);
        let status = text(&["status", "taskStatus"]).to_ascii_lowercase();
        let code = Some(text(&["code"])).filter(|code| !code.is_empty());
        if status == "not_found" || (status.is_empty() && flag("ok") == Some(false)) {
            return Self::NotFound { code: code.unwrap_or_else(|| "not_found".to_owned()) };
        }
        let claims_end = flag("terminal") == Some(true) && status == "unknown";
        if GOING_ON.contains(&status.as_str()) && !claims_end {
            let mut association = association(fields);
            if status == "queued" {
                association.status = status;
            }
            return Self::Running(Box::new(association));
        }
        let artifacts = artifacts(fields).or_else(|| artifacts(inner?)).unwrap_or_default();
        let words = text(&["output", "summary", "resultSummary"]);
        let words =
            if words.is_empty() && flag("success") == Some(true) { text(&["message"]) } else { words };
        let missing = |name: &str| match fields.get(name) {
            Some(Value::Array(list)) => !list.is_empty(),
            Some(Value::Object(map)) => !map.is_empty(),
            _ => false,
        };
        let is_short = flag("constraintSatisfied") == Some(false)
            || missing("missingRequiredExtensions")
            || missing("missingRequiredFileCounts")
            || matches!(status.as_str(), "partially_delivered" | "artifact_missing");
        let failed = !matches!(status.as_str(), "" | "completed" | "partially_delivered");
        let claimed = match flag("success") {
            Some(success) => success && !failed,
            // Without a word for it, something must be there to show for it.
            None => !failed && (!words.is_empty() || !artifacts.is_empty()),
        };
        let success = claimed && !is_short;
        Self::Ended(Box::new(TaskEnd {
            run_id: text(&["runId"]),
            artifact_scope: text(&["artifactScope"]),
            success,
            status,
            code,
            cause: if success { String::new() } else { text(&["error", "message"]) },
            text: words,
            artifacts,
            is_short,
            sync_status: Some(text(&["artifactSyncStatus"])).filter(|word| !word.is_empty()),
            receipt: fields.get("receipt").filter(|receipt| receipt.is_object()).cloned(),
            notes: EndNotes {
                warnings: texts(fields, &["artifactWarnings", "warnings"]),
                named_only: texts(fields, &["namedOnly"]),
                run: text(&["runId"]),
                directory: text(&["remoteWorkingDirectory"]),
                directory_kind: text(&["remoteWorkspaceRefKind"]),
            },
        }))
    }
}

/// The texts of the first list that has some.
fn texts(fields: &Map<String, Value>, names: &[&str]) -> Vec<String> {
    let lists = names.iter().filter_map(|name| fields.get(*name)?.as_array());
    let mut texts: Vec<String> = lists
        .map(|list| list.iter().filter_map(Value::as_str).map(str::to_owned).collect())
        .find(|texts: &Vec<String>| !texts.is_empty())
        .unwrap_or_default();
    texts.truncate(MOST_WARNINGS);
    texts
}

/// What a running handle or an update says of where to ask; `None` when it does not name a run.
#[must_use]
pub fn association_of(update: &Value) -> Option<Association> {
    let association = association(update.as_object()?);
    (!association.run_id.is_empty()).then_some(association)
}

fn association(fields: &Map<String, Value>) -> Association {
    let text = |names: &[&str]| -> String {
        names
            .iter()
            .find_map(|name| fields.get(*name).and_then(Value::as_str).filter(|text| !text.is_empty()))
            .unwrap_or_default()
            .to_owned()
    };
    Association {
        session_id: text(&["sessionId"]),
        thread_id: text(&["threadId"]),
        turn_id: text(&["turnId"]),
        run_id: text(&["runId", "taskId"]),
        app_thread_key: text(&["appThreadKey", "threadId"]),
        openclaw_session_key: text(&["openclawSessionKey"]),
        artifact_scope: text(&["artifactScope"]),
        artifact_directory: text(&["artifactDirectory"]),
        gateway_provider_id: text(&["gatewayProviderId", "resolvedGatewayProviderId", "resolvedProviderId"]),
        status: "running".to_owned(),
        started_at_ms: 0,
        others: Map::new(),
    }
}

/// The files of a result: `artifacts`, `artifacts.items`, `files` or `attachments`, and no other field (D5).
fn artifacts(fields: &Map<String, Value>) -> Option<Vec<RemoteArtifact>> {
    let list = ["artifacts", "files", "attachments"].iter().find_map(|name| {
        let value = fields.get(*name)?;
        let list = value.as_array().or_else(|| value.get("items")?.as_array())?;
        (!list.is_empty()).then_some(list)
    })?;
    let text = |entry: &Value, name: &str| entry[name].as_str().unwrap_or_default().to_owned();
    Some(
        list.iter()
            .filter(|entry| entry["relativePath"].as_str().is_some_and(|path| !path.is_empty()))
            .map(|entry| RemoteArtifact {
                relative_path: text(entry, "relativePath"),
                size_bytes: entry["sizeBytes"].as_u64(),
                sha256: text(entry, "sha256").to_ascii_lowercase(),
                artifact_ref: text(entry, "artifactRef"),
                download_url: text(entry, "downloadUrl"),
                content: entry["content"].as_str().map(str::to_owned),
                artifact_scope: text(entry, "artifactScope"),
            })
            .collect(),
    )
}
