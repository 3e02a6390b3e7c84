//! Whole sessions, seen from outside.
#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]
#![expect(clippy::disallowed_methods, reason = "the tests look at the files that sessions write")]

mod cases;
mod host;
mod model;
mod options;
mod runner;
