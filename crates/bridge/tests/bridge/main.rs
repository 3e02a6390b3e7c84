//! The bridge from outside.
#![expect(
    clippy::disallowed_methods,
    reason = "the tests look at the disk, and attack it, behind engross's back"
)]

mod scopes;
