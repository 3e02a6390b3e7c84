//! `engross acp` as editors start it, and editors that do what they should not.
//!
//! Each frame that the agent sends is read by the types of the protocol's own crate, and must come out of them as it went in.

mod commands;
pub mod editor;
mod faults;
mod registry;
mod sessions;
mod setup;
mod turns;
