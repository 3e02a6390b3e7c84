//! Whole sessions, seen from outside.
#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod cases;
mod host;
mod model;
mod options;
