//! Reads transcripts, the files in which agents keep sessions, line by line in bounded memory.
//!
//! Must never change a file, fail for a bad line, or take what a line says for an order. [`lines`] splits, `parse` reads a
//! line as an [`TranscriptEntry`], [`pairing`] and [`EntryTree`] say how entries belong together, [`stats`] counts.

mod codex;
mod entry;
mod findings;
pub mod foreign;
mod gather;
mod json;
pub mod lines;
mod message;
mod outcome;
pub mod pairing;
mod parse;
mod reader;
pub mod repair;
mod session;
mod session_text;
mod short_text;
mod speaker;
pub mod stats;
mod tree;

#[cfg(test)]
mod held_tests;
#[cfg(test)]
mod lines_tests;
#[cfg(test)]
mod pairing_tests;
#[cfg(test)]
mod repair_tests;
#[cfg(test)]
mod short_text_tests;

pub use entry::{
    Arguments, CallItem, Content, ContentBlock, EntryKind, Header, Parent, ResultItem, TranscriptEntry,
    TranscriptMessage,
};
pub use findings::{FindingKind, Findings, TranscriptFinding};
pub use foreign::{GivenOutcome, SessionMaker};
pub use gather::text_in;
pub use json::Text;
pub use outcome::{CallOutcome, exit_code_of};
pub use parse::LineError;
pub use reader::{LineContent, LineFindings, LineReading, TranscriptReader};
pub use session::{CallStep, ReadProgress, StepKind, StepResult, StrayResult, Transcript, TranscriptStep};
pub use session_text::{SessionText, TextPlace, TextSource};
pub use short_text::{SharedName, SharedNames, ShortText, StepTime};
pub use speaker::Speaker;
pub use tree::EntryTree;
