//! What tests of the routes need: a service that plays what it is told, and a client without a socket.
//!
//! Must never be part of the product: only tests switch the feature `testing` on.

#![expect(missing_docs, reason = "the names say what a test needs to know")]

pub mod client;
pub mod fake;

pub use crate::routes::acp::with_keepalive;
