//! Tasks: the runs of agents in a journal, and the protocol in front of them.
//!
//! Must never know an agent behind [`runner::TaskRunner`], a transport, or what a document is. Time and secrets come from
//! outside. [`runs`] carries out what a person asked for, [`rpc`] and [`a2a`] are how it is asked; the files of a run are in
//! `engross-artifacts`.

pub mod a2a;
pub mod codes;
pub mod rpc;
pub mod runner;
pub mod runs;
pub mod sandbox_request;
