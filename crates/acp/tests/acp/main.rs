//! Agents as processes: a fake one that does what its prompt says, so that every way to end is tried.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]
#![expect(clippy::expect_used, clippy::panic, reason = "the helpers of the tests say what is missing")]
#![expect(
    clippy::disallowed_methods,
    reason = "the tests look at the disk, and attack it, behind engross's back"
)]

mod ends;
mod fake;
mod fixture;
mod keeping;
mod trees;
mod turns;
