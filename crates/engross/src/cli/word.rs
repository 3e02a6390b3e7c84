//! `engross word`
//!
//! Must never do anything: it only says what was asked for.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// `engross word`
#[derive(Debug, Args)]
pub(crate) struct WordArgs {
    #[command(subcommand)]
    pub(crate) command: WordCommand,
}

/// The commands of `engross word`.
#[derive(Debug, Subcommand)]
pub(crate) enum WordCommand {
    /// Make a certificate for this machine, and put the pane where Word looks for it.
    Install(WordInstallArgs),
    /// Take all of it away again.
    Uninstall(WordUninstallArgs),
    /// Say what is there, what Word would find, and what is missing; exits with 1 if something is.
    Doctor(WordPlaceArgs),
    /// Write the pane as a folder of files for any web server: it then works without engross, with a key of your own for a provider.
    Export(WordExportArgs),
}

impl WordCommand {
    /// Whether the answer is to be one JSON document.
    pub(crate) fn wants_json(&self) -> bool {
        match self {
            Self::Install(args) => args.place.json,
            Self::Uninstall(args) => args.place.json,
            Self::Doctor(args) => args.json,
            Self::Export(args) => args.json,
        }
    }
}

/// Where it is kept.
#[derive(Debug, Args)]
pub(crate) struct WordPlaceArgs {
    /// Folder of the server, in which the certificate is kept; the platform's folder for data without.
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// Print one JSON document.
    #[arg(long)]
    pub(crate) json: bool,
}

/// `engross word install`
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    engross word install --trust\n  \
    engross serve --word\n\n\
Both may be done again at any time. `engross word uninstall` takes everything back. docs/guide/word.md has the whole story.")]
pub(crate) struct WordInstallArgs {
    /// The port at which the server will listen.
    #[arg(long, value_name = "PORT", default_value_t = 18789, value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) port: u16,
    /// Have the system trust the certificate now, by the command that is printed otherwise; the system may ask for your password.
    #[arg(long)]
    pub(crate) trust: bool,
    /// Make a new certificate though the old one is good.
    #[arg(long)]
    pub(crate) renew: bool,
    #[command(flatten)]
    pub(crate) place: WordPlaceArgs,
}

/// `engross word uninstall`
#[derive(Debug, Args)]
pub(crate) struct WordUninstallArgs {
    /// Take the trust back as well though it was not given by `engross word install --trust`.
    #[arg(long)]
    pub(crate) untrust: bool,
    #[command(flatten)]
    pub(crate) place: WordPlaceArgs,
}

/// `engross word export`
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  engross word export -o site --address https://pane.example/word/")]
pub(crate) struct WordExportArgs {
    /// Folder for the files; made if it is missing.
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: PathBuf,
    /// Where the files will be found, beginning with https://.
    #[arg(long, value_name = "URL")]
    pub(crate) address: String,
    /// Folder with engine-worker.js and engross_wasm_bg.wasm, for a program that was built without the feature word-engine.
    #[arg(long, value_name = "DIR")]
    pub(crate) engine: Option<PathBuf>,
    /// Print one JSON document.
    #[arg(long)]
    pub(crate) json: bool,
}
