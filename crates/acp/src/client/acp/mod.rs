//! The Agent Client Protocol, version 1, on the pipes of a process.
//!
//! Must never know where an agent comes from, or keep one. `client` is one
//! process that has been greeted, `turn` a prompt until its end, `updates` and `files` what an agent tells and asks meanwhile.
//! Only this folder knows the crate with the protocol's types.

mod client;
mod files;
mod model;
mod turn;
mod updates;
#[cfg(test)]
mod updates_tests;

pub(super) use client::{Client, Session};
pub(super) use turn::{Prompt, TurnChannels};
