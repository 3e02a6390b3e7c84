//! How a run stands, and what its thread says of its files.
//!
//! Must never say why: that is the end's to tell.

use serde::{Deserialize, Serialize};

/// How a run stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RunStatus {
    /// It waits for a place.
    Queued,
    /// It is under way.
    Running,
    /// The agent is done, and the files are being listed.
    SyncingArtifacts,
    /// It was done.
    Completed,
    /// It failed.
    Failed,
    /// It was cancelled.
    Cancelled,
    /// Its process or its time came to an end before it did.
    Interrupted,
}

impl RunStatus {
    /// Its name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::SyncingArtifacts => "syncing-artifacts",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::Interrupted => "interrupted",
        }
    }

    /// Whether it is an end.
    #[must_use]
    pub fn is_terminal(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled | Self::Interrupted)
    }
}

/// What the thread says of its files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RunSyncStatus {
    /// There are files, and all that were required.
    Synced,
    /// None were asked for, and there are none.
    NoArtifacts,
    /// Files were asked for in general, and there are none.
    NoExportedArtifacts,
    /// Nothing is delivered.
    Failed,
}

impl RunSyncStatus {
    /// Its name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Synced => "synced",
            Self::NoArtifacts => "no-artifacts",
            Self::NoExportedArtifacts => "no-exported-artifacts",
            Self::Failed => "failed",
        }
    }
}
