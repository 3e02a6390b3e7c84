//! The commands, one file each: what is typed becomes a call of the rooms below, and their answer becomes text or JSON.
//!
//! Must never put rooms together: that is done in [`engross_compose`].

#[cfg(feature = "acp")]
pub(crate) mod acp;
pub(crate) mod agent_skill;
#[cfg(feature = "server")]
pub(crate) mod agents_md;
pub(crate) mod apply;
#[cfg(feature = "server")]
mod book;
#[cfg(feature = "server")]
pub(crate) mod chat;
pub(crate) mod check;
pub(crate) mod checkpoint;
pub(crate) mod comments;
pub(crate) mod compare;
pub(crate) mod doctor;
pub(crate) mod documents;
pub(crate) mod edit;
pub(crate) mod html;
#[cfg(feature = "server")]
pub(crate) mod keys;
#[cfg(feature = "server")]
pub(crate) mod learn;
#[cfg(feature = "server")]
mod learn_branch;
pub(crate) mod markdown;
#[cfg(feature = "mcp")]
pub(crate) mod mcp;
pub(crate) mod package;
pub(crate) mod read;
pub(crate) mod resolve;
pub(crate) mod review;
pub(crate) mod revisions;
#[cfg(feature = "server")]
pub(crate) mod serve;
#[cfg(feature = "server")]
pub(crate) mod sessions;
#[cfg(feature = "server")]
pub(crate) mod skills;
#[cfg(feature = "server")]
mod synced;
#[cfg(feature = "server")]
pub(crate) mod task;
#[cfg(feature = "server")]
pub(crate) mod transcript;
pub(crate) mod verify;
#[cfg(feature = "server")]
pub(crate) mod word;
#[cfg(feature = "server")]
pub(crate) mod write;

#[cfg(all(test, feature = "server"))]
pub(crate) use write::failure as write_failure;

use engross_protocol::{Exit, Failure};

use crate::cli::CommonArgs;
use engross_compose::settings::{Environment, Flags, ProgramSettings};

/// How a command ended without having failed.
pub(crate) enum CommandEnd {
    /// With this exit code.
    With(Exit),
    /// By Ctrl-C, with what that means.
    Interrupted(&'static str),
}

/// The settings of a command without flags of its own for them.
fn settings(
    common: &CommonArgs,
    flags: Flags,
    environment: &Environment,
) -> Result<ProgramSettings, Failure> {
    Ok(ProgramSettings::load(&Flags { config: common.config.clone(), ..flags }, environment)?)
}
