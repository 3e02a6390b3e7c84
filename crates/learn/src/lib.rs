//! Learning: transcripts become traces, lessons and a skillbook, which AGENTS.md shows.
//!
//! Must never ask for the time, touch a path outside [`disk`], reach a model except through the trait of `llm`, or let
//! what it reads give orders. What [`engross_transcript`] reads, [`mod@trace`] retells, [`skillbook`] keeps lessons, [`safety`] keeps them
//! honest, [`recall`] gives them to sessions.

pub mod agents_md;
pub mod codes;
pub mod disk;
mod error;
pub mod preferences;
pub mod recall;
pub mod reflect;
pub mod run;
pub mod safety;
pub mod skillbook;
pub mod trace;

pub use error::Error;
