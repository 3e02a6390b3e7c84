//! How the clients of agents are told of the server: where each keeps its settings, and what of them changes.
//!
//! Everything here is pure: text in, text out. Must never change more of a person's settings than the entry `engross`, or lose a
//! comment.

mod clients;
mod settings;

#[cfg(test)]
mod settings_tests;

pub use clients::{ClientFolders, McpClient, ServerStart};
pub use settings::{print_server, with_server, without_server};
