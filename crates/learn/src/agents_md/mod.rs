//! Plans the block of lessons in AGENTS.md, CLAUDE.md or GEMINI.md as a change of bytes.
//!
//! Must never change a byte outside the block, guess where a block ends, or claim that something was written that was not.
//! Pure: `disk` reads and writes.

mod markers;
mod plan;

#[cfg(test)]
mod plan_tests;

pub use markers::{END, START};
pub use plan::{BlockChange, BlockWarning, MarkerError, MarkerMode, check, edited_inner, plan};
