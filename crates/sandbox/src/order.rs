//! What is to be started, and what it may do.
//!
//! Must never hold a secret: it stands in the environment of a process.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// What a process and all that it starts may reach.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FenceRules {
    /// Folders beneath which it may write.
    pub write: Vec<PathBuf>,
    /// Files and folders whose content it may not read, unless it may write there.
    pub hide: Vec<PathBuf>,
    /// Whether it may use the network.
    pub network: bool,
}

/// How much it may use; `None` is as much as there is.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Quota {
    /// Files and folders in all places where it may write.
    pub files: Option<u64>,
    /// Bytes on the disk in these places.
    pub bytes: Option<u64>,
    /// Processes at the same time.
    pub processes: Option<u64>,
}

/// Which of the two processes reads the order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum WatchStage {
    /// The one that watches.
    Watch,
    /// The one that becomes the program.
    Become,
}

/// What is to be started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WatchOrder {
    /// Who reads this.
    pub stage: WatchStage,
    /// The process that must be its parent; without it the order is void.
    pub parent: u32,
    /// How the running program is told to carry out an order.
    pub again: Vec<String>,
    /// The program.
    pub program: PathBuf,
    /// What it is given.
    pub arguments: Vec<String>,
    /// A variable of its environment by which it is known: name and value.
    pub mark: (String, String),
    /// What it may reach; `None` is everything.
    pub fence: Option<FenceRules>,
    /// How much it may use.
    pub quota: Quota,
    /// Whether it is put into a control group of its own where this account may make one, so that the kernel ends it at once.
    pub grouped: bool,
}

/// An order that cannot be written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a path of it is not Unicode")]
pub struct WatchOrderError;

impl WatchOrder {
    /// The text for the variable.
    ///
    /// # Errors
    /// When a path cannot be told.
    pub fn text(&self) -> Result<String, WatchOrderError> {
        serde_json::to_string(self).map_err(|_| WatchOrderError)
    }
}

/// Why the watching process ended what it watched, as its exit code tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WatchVerdict {
    /// What was asked for could not be enforced, so nothing was started.
    Unavailable,
    /// More files than allowed.
    Files,
    /// More bytes than allowed.
    Bytes,
    /// More processes than allowed.
    Processes,
}

impl WatchVerdict {
    /// The exit code of [`WatchVerdict::Unavailable`].
    pub const UNAVAILABLE: u8 = 240;
    /// Exit codes from here on are verdicts; those of programs are told below it.
    pub(crate) const FIRST: u8 = Self::UNAVAILABLE;

    /// The exit code that tells it.
    #[must_use]
    pub fn exit(self) -> u8 {
        match self {
            Self::Unavailable => Self::UNAVAILABLE,
            Self::Files => 241,
            Self::Bytes => 242,
            Self::Processes => 243,
        }
    }

    /// What an exit code tells.
    #[must_use]
    pub fn of_exit(code: i32) -> Option<Self> {
        let all = [Self::Unavailable, Self::Files, Self::Bytes, Self::Processes];
        all.into_iter().find(|verdict| i32::from(verdict.exit()) == code)
    }
}
