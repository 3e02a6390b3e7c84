//! Other people's agents, as processes of this machine that speak ACP.
//!
//! Must never know what becomes of an agent's files, nor read our own environment: both are handed in.
//!
//! `provider` says how an agent is started, `registry` which there are, `runner` gives them turns, `conversations` and `warm` keep
//! processes between turns, `viewer` says what of a person's environment an agent may have,
//! `acp` is the protocol and `process` the process with all that it starts.
//!
//! A process belongs to one turn at a time. When it is cancelled, late, broken or dropped, it is ended together with everything
//! that it started, and only then the end of the turn is told.

mod acp;
mod command_line;
#[cfg(test)]
mod command_line_tests;
mod confinement;
mod conversations;
mod error;
#[cfg(test)]
mod error_tests;
mod fenced_settings;
mod limits;
mod login;
mod login_files;
#[cfg(test)]
mod login_tests;
mod process;
mod provider;
#[cfg(test)]
mod provider_tests;
mod registry;
mod runner;
mod viewer;
mod warm_pool;

pub use error::AgentFault;
pub use limits::Limits;
pub use login_files::LoginFiles;
pub use provider::{AgentProvider, Host, SandboxHost, SandboxMode, StartMode};
pub use registry::AgentRegistry;
pub use runner::AcpRunner;
pub use viewer::viewer_environment;
