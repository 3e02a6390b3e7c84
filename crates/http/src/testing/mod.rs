//! What tests of the routes need: a service that plays what it is told, and a client without a socket.
//!
//! Must never be part of the product: only tests switch the feature `testing` on.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot be set up has failed")]

pub mod client;
pub mod fake;

pub use crate::routes::task_routes::with_keepalive;
