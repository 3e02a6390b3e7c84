//! `engross acp`
//!
//! Must never do anything: it only says what was asked for.

use std::path::PathBuf;

use clap::Args;

/// `engross acp`
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    engross acp --setup\n  \
    engross acp --model ollama/qwen3\n\n\
An editor starts the second: it speaks on standard input and output, and ends with the editor. docs/guide/acp.md has the block of each \
editor.")]
#[cfg_attr(
    all(feature = "server", not(feature = "acp")),
    expect(dead_code, reason = "what only this agent uses is declared all the same")
)]
pub(crate) struct AcpArgs {
    /// Choose the model that answers, a provider's or one on this machine, try it, and keep the choice in the settings file.
    #[arg(long)]
    pub(crate) setup: bool,
    /// openai/NAME, anthropic/NAME, gemini/NAME, ollama/NAME, openai-compatible:URL#NAME, script:FILE or rules.
    #[arg(long, value_name = "SPEC")]
    pub(crate) model: Option<String>,
    /// Author of the changes; that of the settings without.
    #[arg(long, value_name = "NAME")]
    pub(crate) author: Option<String>,
    /// Folder for sessions and checkpoints; the platform's folder for data without.
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// Settings file instead of the one in the platform's config folder.
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
}
