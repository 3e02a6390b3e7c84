//! The bridge from outside: artifact scopes on a real disk, and tasks with an agent that plays a script.
#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]
#![expect(clippy::expect_used, clippy::panic, reason = "the helpers of the tests say what is missing")]
#![expect(
    clippy::disallowed_methods,
    reason = "the tests look at the disk, and attack it, behind engross's back"
)]

#[cfg(target_os = "linux")]
mod agents;
mod gateway;
mod scopes;
mod tasks;
