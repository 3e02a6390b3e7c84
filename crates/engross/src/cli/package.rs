//! `engross completions` and `engross man`: what packages put beside the program.
//!
//! Must never do anything: it only says what was asked for.

use std::path::PathBuf;

use clap::Args;
use clap_complete::Shell;

/// `engross completions`
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    engross completions bash > ~/.local/share/bash-completion/completions/engross\n  \
    engross completions zsh > ~/.zfunc/_engross\n  \
    engross completions powershell >> $PROFILE")]
pub(crate) struct CompletionsArgs {
    /// The shell.
    #[arg(value_name = "SHELL", value_enum)]
    pub(crate) shell: Shell,
}

/// `engross man`
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  engross man | man -l -\n  engross man --out ~/.local/share/man/man1")]
pub(crate) struct ManArgs {
    /// Write the pages of all commands into this folder instead; it is made.
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
}
