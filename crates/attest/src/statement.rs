//! What is said of a run, or of a redline: hashes and numbers.
//!
//! Must never hold a text of a person or of a document.

use serde::{Deserialize, Serialize};

/// What is signed. New fields only in a new version: a receipt is read to its last field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "statement", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Statement {
    /// What a run of an agent made.
    TaskRun(RunStatement),
    /// How a document was changed.
    Redline(RedlineStatement),
}

impl Statement {
    /// The media type under which it is signed.
    #[must_use]
    pub fn payload_type(&self) -> &'static str {
        match self {
            Self::TaskRun(_) => "application/vnd.engross.task-run.v1+json",
            Self::Redline(_) => "application/vnd.engross.redline.v1+json",
        }
    }
}

/// What a run of an agent made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RunStatement {
    /// The run.
    pub run: String,
    /// The thread.
    pub thread: String,
    /// Who carried it out.
    pub agent: String,
    /// The model that was asked for; empty for the agent's own choice.
    pub model: String,
    /// What made the statement, such as `engross 0.1.0`.
    pub maker: String,
    /// The hash of all that the agent was told.
    pub prompt_sha256: String,
    /// The hash of its answer.
    pub answer_sha256: String,
    /// How often it asked for permissions.
    pub permissions: PermissionCount,
    /// When it was accepted, in RFC 3339.
    pub accepted_at: String,
    /// When it began; empty when that is not known.
    pub started_at: String,
    /// When it ended.
    pub ended_at: String,
    /// Its files.
    pub files: FileSummary,
}

/// How often an agent asked whether it may do something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PermissionCount {
    /// Questions.
    pub asked: u32,
    /// Those that were allowed.
    pub allowed: u32,
}

/// All files in two values.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FileSummary {
    /// How many.
    pub count: u64,
    /// [`super::merkle_root`] over them.
    pub merkle_root: String,
}

/// How a document was changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RedlineStatement {
    /// What made the statement.
    pub maker: String,
    /// The document before.
    pub source: DocumentFile,
    /// The document with its tracked changes.
    pub redline: DocumentFile,
    /// The hash of the text when everything is accepted.
    pub accepted_text_sha256: String,
    /// The hash of the text when everything is rejected.
    pub rejected_text_sha256: String,
    /// In whose name it was changed.
    pub author: String,
    /// Which model asked for the changes; empty when a person or a program did.
    pub model: String,
    /// The hash of the operations, as they were given; empty when there were none to give.
    pub operations_sha256: String,
    /// How many operations of each kind, by name.
    pub operations: std::collections::BTreeMap<String, u64>,
    /// Every tracked change that this made.
    pub revisions: Vec<RevisionEntry>,
    /// When, in RFC 3339.
    pub made_at: String,
}

/// A file by its bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DocumentFile {
    /// Its length.
    pub size: u64,
    /// The hash of its bytes.
    pub sha256: String,
}

/// A tracked change without its words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RevisionEntry {
    /// Its kind, such as `insert`.
    pub kind: String,
    /// In whose name.
    pub author: String,
    /// When; empty when it does not say.
    pub date: String,
    /// The hash of its words.
    pub text_sha256: String,
}
