//! `engross keys`
//!
//! Must never do anything: it only says what was asked for.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// `engross keys`
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    engross keys add word-pane --owner ann --right write\n  \
    engross keys list\n  \
    engross keys revoke word-pane\n\n\
A server that runs takes the change when it gets SIGHUP. docs/guide/serve.md tells more.")]
pub(crate) struct KeysArgs {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: KeysCommand,
}

/// The commands about keys.
#[derive(Debug, Subcommand)]
pub(crate) enum KeysCommand {
    /// Make a key and show it, this once.
    Add(AddKeyArgs),
    /// List the keys: names, owners and rights, never a key itself.
    List(KeyPlaceArgs),
    /// Take a key away.
    Revoke(RevokeKeyArgs),
}

/// `engross keys add`
#[derive(Debug, Args)]
pub(crate) struct AddKeyArgs {
    /// How you call the key: letters, digits, -, _, . and @.
    pub(crate) name: String,
    /// Whose sessions, workspaces and tasks it reaches; default without, to whom --token belongs.
    #[arg(long, value_name = "NAME", default_value = "default")]
    pub(crate) owner: String,
    /// What may be done with it: read, write (talk, change, delete), or admin (see how the server is, too).
    #[arg(long, value_name = "RIGHT", default_value = "write", value_parser = ["read", "write", "admin"])]
    pub(crate) right: String,
    #[command(flatten)]
    pub(crate) place: KeyPlaceArgs,
}

/// `engross keys revoke`
#[derive(Debug, Args)]
pub(crate) struct RevokeKeyArgs {
    /// The name of the key.
    pub(crate) name: String,
    #[command(flatten)]
    pub(crate) place: KeyPlaceArgs,
}

/// Where keys are.
#[derive(Debug, Args)]
pub(crate) struct KeyPlaceArgs {
    /// The server's folder for data; that of the settings, or the platform's, without.
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// Settings file instead of the one in the platform's config folder.
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Print one JSON document.
    #[arg(long)]
    pub(crate) json: bool,
}

impl KeysCommand {
    /// Whether the answer is to be one JSON document.
    pub(crate) fn wants_json(&self) -> bool {
        match self {
            Self::Add(args) => args.place.json,
            Self::List(args) => args.json,
            Self::Revoke(args) => args.place.json,
        }
    }
}
