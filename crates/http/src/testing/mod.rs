//! What tests of the routes need: a service that plays what it is told, and a client without a socket.
//!
//! Must never be part of the product: only tests switch the feature `testing` on.

pub mod client;
pub mod fake;

pub use crate::routes::acp::with_keepalive;
