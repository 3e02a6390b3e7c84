//! The Word document engine: read, tracked edits, accept, reject, proof.
//!
//! Must never: do I/O, ask the clock, use randomness, start a thread, panic. Bytes and dates come in, bytes come out,
//! and the same input gives the same output everywhere.

mod canon;
mod check;
pub mod codes;
mod document;
mod edit;
mod error;
mod markdown;
pub mod model;
pub mod names;
pub mod numbering;
pub mod ops;
pub mod package;
mod parts;
mod proof;
pub mod read;
pub mod revisions;
pub mod styles;
pub mod text;

pub use check::{CODES, Finding, Severity, check, guards};
pub use document::{
    DefinedTerm, EditOptions, Effects, Limits, PlacedComment, Reference, Renumbered, Saved, Survey,
    TermChange, WordDocument,
};
pub use error::{Error, Refusal, RefusalCode};
pub use markdown::from_markdown;
pub use ops::Tracking;
pub use revisions::PlacedRevision;

#[cfg(test)]
mod markdown_tests;
#[cfg(test)]
mod styles_tests;
