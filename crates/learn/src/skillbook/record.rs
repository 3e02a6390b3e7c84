//! The records of the journal: each states one fact about the book, or about a session that was learnt from.
//!
//! Must never change a serialised name: journals of earlier versions are read as they are.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::skill::{Skill, Vote};

/// Something that is so from now on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Record {
    /// A skill, whole.
    Put(Box<Skill>),
    /// What a trace says about a skill, instead of what it said before.
    Vote {
        /// The skill.
        id: String,
        /// The trace.
        trace: String,
        /// What it says.
        vote: Vote,
    },
    /// Two skills are two things.
    Apart {
        /// One.
        one: String,
        /// The other.
        other: String,
        /// What was said about it.
        why: Value,
    },
    /// How far a session was learnt from.
    Session {
        /// The session's id, or its file's name without one.
        key: String,
        /// How far.
        state: Box<SessionMark>,
    },
    /// What stands beside the skills.
    Other {
        /// Fields that mean nothing here.
        fields: Map<String, Value>,
        /// The highest number that an id has had.
        last_number: u64,
    },
}

/// How far a session was learnt from.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SessionMark {
    /// The file's name.
    pub file: String,
    /// Bytes of the file that were learnt from.
    pub offset: u64,
    /// Lines of the file that were learnt from.
    pub lines: u64,
    /// Bytes of the file when it was looked at.
    pub size: u64,
    /// When the file was last changed, in milliseconds since 1970.
    pub modified: u64,
    /// Beginning of the hash of the file's first bytes.
    pub head: String,
    /// Beginning of the hash of the bytes before `offset`; empty where it is not known.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub tail: String,
    /// The file's number on its disk; 0 where it is not known.
    #[serde(skip_serializing_if = "is_zero")]
    pub inode: u64,
    /// The session that counts in its place, when it was forked.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub root: String,
    /// How it ended: `learnt`, `skipped` or `failed`.
    pub end: SessionEnd,
    /// Why, where that says something.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// How often it failed in a row.
    #[serde(skip_serializing_if = "is_none")]
    pub failures: u32,
    /// When, in milliseconds since 1970.
    pub at: u64,
    /// Secrets and personal data that were taken out of it.
    #[serde(skip_serializing_if = "is_zero")]
    pub redacted: u64,
    /// Lessons that the book showed when the session was learnt from.
    #[serde(skip_serializing_if = "is_zero")]
    pub shown: u64,
    /// Lessons of the book that the agent named in it.
    #[serde(skip_serializing_if = "is_zero")]
    pub named: u64,
}

/// How learning from a session ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SessionEnd {
    /// Its lessons are in the book.
    #[default]
    Learnt,
    /// There was nothing to learn from.
    Skipped,
    /// The model failed; it is tried again later.
    Failed,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands references")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands references")]
fn is_none(count: &u32) -> bool {
    *count == 0
}
