//! The loop in which a model edits a document: read, propose, apply, read again.
//!
//! Must never speak HTTP or SQL, or ask for the time. What happens next in a conversation is decided by one pure function
//! (`session/decide.rs`): [`session::Sessions`] carries it out with a store behind it, [`EditRun`] on a document in memory.

pub mod codes;
mod outcome;
mod prompt;
mod reading;
mod repair;
mod runner;
pub mod session;
mod tools;
mod translate;
pub mod workspace;
pub mod writing;

#[cfg(test)]
mod reading_tests;
#[cfg(test)]
mod repair_tests;
#[cfg(test)]
mod runner_tests;
#[cfg(test)]
mod translate_tests;

pub use outcome::{EditRunEnd, EditRunOperation, EditRunOutcome};
pub use runner::{EditRun, EditRunEvent, EditRunOptions, PictureReader};
pub use tools::{CallResult, Proposal, ToolError, ToolUse};
