//! Joins a file that broke off with its continuation in another turn, and decides when to stop trying.
//!
//! Must never remove text that may be content: what does not clearly repeat stays, what is clearly not the file is refused.
//!
//! | File | Question it answers |
//! |---|---|
//! | `recent` | what does the file begin and end with, and from where is the model to go on? |
//! | `lines` | when are two lines the same to a reader? |
//! | `digest` | is a text that comes once more the same? |
//! | `answer` | what are the lines of an answer, and which are words before a text? |
//! | `seam` | where was a line cut, and where in an answer does it come anew? |
//! | `seam_join` | what of a continuation is held, let through, refused? |
//! | `join` | what at the beginning of a continuation is repeated, or not of the file? |
//! | `guard` | does going on lead anywhere? |

mod answer;
mod digest;
mod guard;
mod join;
mod lines;
mod recent;
mod seam;
mod seam_join;

#[cfg(test)]
mod guard_tests;
#[cfg(test)]
mod join_tests;
#[cfg(test)]
mod seam_tests;

use serde::{Deserialize, Serialize};

pub(crate) use digest::PlainDigest;
pub use guard::{Limit, ProgressGuard};
pub(crate) use join::JoinContext;
pub use join::{EarlierContent, JoinDoubt, JoinError, Joiner};
pub use recent::{Anchor, RecentContent};
pub(crate) use seam::{Seam, joint_in};
pub(crate) use seam_join::{JoinedText, SeamContext, SeamJoiner};

/// Whether repeated text at the beginning of a continuation is removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Overlap {
    /// All of it is content.
    #[default]
    None,
    /// It is, because the model was asked to repeat.
    Dedupe,
    /// The line that was cut is taken back and comes anew, behind lines that are repeated. What does not prove its place is
    /// refused. For content that a model writes answer by answer.
    Seam,
}

/// Whether a continuation that begins the file anew is noticed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RestartDetection {
    /// No.
    #[default]
    Off,
    /// Yes.
    Detect,
}

/// How continuations are treated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Continuation {
    /// Whether repeated text is removed.
    pub overlap: Overlap,
    /// The shortest repetition, in bytes, that counts as one.
    pub min_overlap_bytes: u32,
    /// Whether a new beginning is noticed.
    pub restart: RestartDetection,
    /// How many continuations there may be.
    pub max_rounds: u32,
}

impl Default for Continuation {
    /// None removed, 24 bytes, off, 16 rounds.
    fn default() -> Self {
        Self { overlap: Overlap::None, min_overlap_bytes: 24, restart: RestartDetection::Off, max_rounds: 16 }
    }
}
