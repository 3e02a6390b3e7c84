//! Tracked changes and comments as rows of JSON, the same on the command line, over HTTP and in JavaScript.
//!
//! Must never leave out a change that accepting or rejecting would touch.

use serde::Serialize;

use super::{Comment, PlacedRevision, RevisionKind};

/// A tracked change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RevisionRow {
    /// By which it is accepted or rejected.
    pub id: String,
    /// What it does.
    pub kind: RevisionKind,
    /// Who made it.
    pub author: String,
    /// When, as it is written.
    pub date: Option<String>,
    /// Its paragraph; empty when it is in none.
    pub address: String,
    /// The text that it is about.
    pub text: String,
}

impl From<&PlacedRevision> for RevisionRow {
    fn from(placed: &PlacedRevision) -> Self {
        let PlacedRevision { id, address, revision, .. } = placed.clone();
        let (author, date) = (revision.stamp.author, revision.stamp.date);
        Self { id, kind: revision.kind, author, date, address, text: revision.text }
    }
}

/// A comment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CommentRow {
    /// By which it is answered, resolved or deleted.
    pub id: String,
    /// Who wrote it.
    pub author: String,
    /// The same in short.
    pub initials: Option<String>,
    /// When, as it is written.
    pub date: Option<String>,
    /// The paragraph of the body where it is anchored; empty when that is elsewhere.
    pub address: String,
    /// The text that it is about.
    pub quoted: String,
    /// What it says.
    pub text: String,
    /// The comment that it answers.
    pub parent: Option<String>,
    /// Whether its thread is done.
    pub resolved: bool,
}

impl CommentRow {
    pub(crate) fn new(address: String, comment: Comment) -> Self {
        Self {
            id: comment.id,
            author: comment.stamp.author,
            initials: comment.initials,
            date: comment.stamp.date,
            address,
            quoted: comment.quoted,
            text: comment.text,
            parent: comment.parent,
            resolved: comment.resolved,
        }
    }
}
