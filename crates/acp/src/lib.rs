//! The Agent Client Protocol, the only place that knows the crate of its types.
//!
//! Must never know tasks beside the trait that it implements, nor read our own environment. [`client`] gives turns to other
//! people's agents; the other side, engross as an agent in an editor, will stand beside it.

pub mod client;
pub mod codes;
