//! Runs tasks by the agents of an OpenClaw gateway, over its WebSocket.
//!
//! Must never send the raw key of a thread, begin a turn twice, or tell an end that the gateway has not told.
//!
//! `frame` reads what the gateway sends, `turn` (pure) makes of it what a run is told, `connection` keeps the one line to it
//! with `handshake` and `identity` at its beginning, `follow` hears one run to its end across lost lines, `plugin` fetches the
//! files of a gateway that has the plugin for it, and `runner` is the door. `docs/agents.md` says how it is set up.

mod address;
#[cfg(test)]
mod address_tests;
pub mod codes;
mod config;
mod connection;
mod error;
mod follow;
mod frame;
#[cfg(test)]
mod frame_tests;
mod handshake;
mod identity;
#[cfg(test)]
mod identity_tests;
mod mailbox;
mod media;
mod message;
#[cfg(test)]
mod message_tests;
mod plugin;
mod runner;
mod socket;
mod turn;
#[cfg(test)]
mod turn_tests;

pub use config::{GatewayConfig, GatewayLimits};
pub use error::GatewayFault;
pub use media::media_sources;
pub use runner::GatewayRunner;
