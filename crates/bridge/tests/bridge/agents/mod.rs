//! Agents as processes: a fake one that does what its prompt says, so that every way to end is tried.

#![expect(clippy::panic, clippy::expect_used, reason = "a test that hears something else has failed")]

mod ends;
mod fake;
mod fixture;
mod keeping;
mod trees;
mod turns;
