//! The Agent Client Protocol, version 1, on the pipes of a process.
//!
//! Must never know where an agent comes from, or keep one. `wire` is the form of messages, `line` the pipes, `client` one
//! process that has been greeted, `turn` a prompt until its end, `updates` and `files` what an agent tells and asks meanwhile.
//! Only this folder knows the crate with the protocol's types.

mod client;
mod files;
mod line;
#[cfg(test)]
mod line_tests;
mod model;
mod turn;
mod updates;
#[cfg(test)]
mod updates_tests;
mod wire;
#[cfg(test)]
mod wire_tests;

pub(super) use client::{Client, Session};
pub(super) use turn::{Prompt, TurnChannels};
