//! The bridge from outside.
#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]
#![expect(
    clippy::disallowed_methods,
    reason = "the tests look at the disk, and attack it, behind engross's back"
)]

#[cfg(target_os = "linux")]
mod agents;
mod scopes;
