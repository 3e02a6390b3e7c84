//! Task threads: what agents do for a person, and the files they deliver.
//!
//! Must never know the product's own agent, a transport, or what a document is. Time and secrets come from outside. Files are
//! in [`scopes`], what a person asked for in [`threads`]; whoever carries out runs is behind [`agent::TaskRunner`], other people's
//! agents in [`agents`].

pub mod agent;
pub mod agents;
pub mod gateway;
pub mod rpc;
pub mod runs;
pub mod scopes;
pub mod threads;
