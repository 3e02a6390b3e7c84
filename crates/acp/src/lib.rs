//! The Agent Client Protocol, the only place that knows the crate of its types.
//!
//! Must never know tasks beside the trait that it implements, nor read our own environment. [`client`] gives turns to other
//! people's agents; [`agent`] is the other side, engross as an agent in an editor; `transport` is what both speak through.

pub mod agent;
pub mod client;
pub mod codes;
mod transport;
