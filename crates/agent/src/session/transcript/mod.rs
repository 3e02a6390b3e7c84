//! From the log to a transcript: lines of OpenClaw JSONL, version 3 (`docs/protocol/transcripts.md`).
//!
//! Must never depend on anything but the log: the same entries give the same bytes, now and after a crash. Must never
//! write a call whose result is made up for the moment: a result is a line once it is known, and there is just one.

mod fold;
mod line;
mod mark;

#[cfg(test)]
mod transcript_tests;

pub use fold::Transcriber;
pub use mark::{Line, Mark};
