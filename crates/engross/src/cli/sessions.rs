//! `engross sessions`
//!
//! Must never do anything: it only says what was asked for.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// `engross sessions`
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    engross sessions list\n  \
    engross sessions show contract.docx --owner ann\n  \
    engross sessions export contract.docx > contract.jsonl\n  \
    engross sessions delete contract.docx\n  \
    engross sessions copy --to postgres://engross@db.internal/engross\n\n\
docs/guide/serve.md tells more.")]
pub(crate) struct SessionsArgs {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: SessionsCommand,
}

/// The commands about stored sessions.
#[derive(Debug, Subcommand)]
pub(crate) enum SessionsCommand {
    /// List the sessions, the newest first.
    List(ListSessionsArgs),
    /// Show what was said in a session.
    Show(OneSessionArgs),
    /// Write the log of a session as lines of JSON.
    Export(OneSessionArgs),
    /// Delete sessions for good: what was said, their transcripts and traces.
    Delete(DeleteSessionsArgs),
    /// Copy all sessions to another store, such as from SQLite to Postgres or back.
    Copy(CopySessionsArgs),
}

/// `engross sessions list`
#[derive(Debug, Args)]
pub(crate) struct ListSessionsArgs {
    /// Those of this owner alone; of all without.
    #[arg(long, value_name = "NAME")]
    pub(crate) owner: Option<String>,
    #[command(flatten)]
    pub(crate) place: SessionPlaceArgs,
}

/// `engross sessions show` and `export`
#[derive(Debug, Args)]
pub(crate) struct OneSessionArgs {
    /// The session's key or id.
    pub(crate) session: String,
    /// Whose it is.
    #[arg(long, value_name = "NAME", default_value = "default")]
    pub(crate) owner: String,
    #[command(flatten)]
    pub(crate) place: SessionPlaceArgs,
}

/// `engross sessions delete`
#[derive(Debug, Args)]
pub(crate) struct DeleteSessionsArgs {
    /// The sessions' keys or ids.
    #[arg(required_unless_present = "older_than", value_name = "SESSION")]
    pub(crate) sessions: Vec<String>,
    /// All that nobody touched for so many days.
    #[arg(long, value_name = "DAYS", conflicts_with = "sessions")]
    pub(crate) older_than: Option<u64>,
    /// Whose they are.
    #[arg(long, value_name = "NAME", default_value = "default")]
    pub(crate) owner: String,
    #[command(flatten)]
    pub(crate) place: SessionPlaceArgs,
}

/// `engross sessions copy`
#[derive(Debug, Args)]
pub(crate) struct CopySessionsArgs {
    /// The store to copy to: a folder for data, whose SQLite file is meant, or postgres://…
    #[arg(long, value_name = "STORE")]
    pub(crate) to: String,
    /// Those of this owner alone; of all without.
    #[arg(long, value_name = "NAME")]
    pub(crate) owner: Option<String>,
    #[command(flatten)]
    pub(crate) place: SessionPlaceArgs,
}

/// Where sessions are.
#[derive(Debug, Args)]
pub(crate) struct SessionPlaceArgs {
    /// The server's store: sqlite or postgres://…; that of the settings without.
    #[arg(long, value_name = "STORE")]
    pub(crate) store: Option<String>,
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

impl SessionsCommand {
    /// Where the sessions are.
    pub(crate) fn place(&self) -> &SessionPlaceArgs {
        match self {
            Self::List(args) => &args.place,
            Self::Show(args) | Self::Export(args) => &args.place,
            Self::Delete(args) => &args.place,
            Self::Copy(args) => &args.place,
        }
    }
}
