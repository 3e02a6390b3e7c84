//! `engross mcp`
//!
//! Must never do anything: it only says what was asked for.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

/// `engross mcp`
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Examples:\n  \
        engross mcp install --client claude-desktop --root ~/contracts\n  \
        engross mcp install --client cursor --project\n  \
        engross mcp --root ~/contracts\n\n\
    The last is what a client runs: it speaks on standard input and output, and ends with the client. docs/guide/mcp.md has the block \
    of each client."
)]
#[cfg_attr(
    all(feature = "server", not(feature = "mcp")),
    expect(dead_code, reason = "what only this server uses is declared all the same")
)]
pub(crate) struct McpArgs {
    /// Tell a client of the server, or take it back.
    #[command(subcommand)]
    pub(crate) command: Option<McpCommand>,
    /// A folder whose documents agents may read and write; may be given several times. The folder it is started in without.
    #[arg(long, value_name = "DIR")]
    pub(crate) root: Vec<PathBuf>,
    /// Tools besides those on documents; several with commas between them.
    #[arg(long, value_name = "TOOLS", value_delimiter = ',')]
    pub(crate) with: Vec<McpToolsArg>,
    /// Author of the changes; that of the settings without.
    #[arg(long, value_name = "NAME")]
    pub(crate) author: Option<String>,
    /// Folder for checkpoints; the platform's folder for data without.
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// Settings file instead of the one in the platform's config folder.
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
}

/// Tools that `engross mcp` has when they are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum McpToolsArg {
    /// Answer the positions of a playbook, checked against the document.
    Playbooks,
    /// Text files in pieces, whole or not at all.
    Writes,
    /// Tasks for other agents.
    Tasks,
    /// Conversations that engross keeps.
    Sessions,
}

/// The commands of `engross mcp`.
#[derive(Debug, Subcommand)]
pub(crate) enum McpCommand {
    /// Put the server into a client's settings; all else in them stays, and what they were is kept beside them.
    Install(McpInstallArgs),
    /// Take the server out of a client's settings.
    Uninstall(McpUninstallArgs),
}

/// `engross mcp install`
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  engross mcp install --client vscode --project --print")]
#[cfg_attr(
    all(feature = "server", not(feature = "mcp")),
    expect(dead_code, reason = "what only this server uses is declared all the same")
)]
pub(crate) struct McpInstallArgs {
    #[command(flatten)]
    pub(crate) place: McpPlaceArgs,
    /// A folder whose documents the client's agents may read and write; may be given several times.
    #[arg(long, value_name = "DIR")]
    pub(crate) root: Vec<PathBuf>,
    /// Tools besides those on documents: playbooks, writes, tasks, sessions; several with commas between them.
    #[arg(long, value_name = "TOOLS", value_delimiter = ',')]
    pub(crate) with: Vec<McpToolsArg>,
    /// The program that the client starts; this one without.
    #[arg(long, value_name = "PROGRAM")]
    pub(crate) command: Option<String>,
    /// Print the file and the block instead of writing.
    #[arg(long)]
    pub(crate) print: bool,
}

/// `engross mcp uninstall`
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  engross mcp uninstall --client vscode --project")]
#[cfg_attr(
    all(feature = "server", not(feature = "mcp")),
    expect(dead_code, reason = "what only this server uses is declared all the same")
)]
pub(crate) struct McpUninstallArgs {
    #[command(flatten)]
    pub(crate) place: McpPlaceArgs,
}

/// Whose settings are meant.
#[derive(Debug, Args)]
#[cfg_attr(
    all(feature = "server", not(feature = "mcp")),
    expect(dead_code, reason = "what only this server uses is declared all the same")
)]
pub(crate) struct McpPlaceArgs {
    /// The client: claude-code, claude-desktop, codex, cursor, gemini, opencode, vscode, zed and others.
    #[arg(long, value_name = "NAME")]
    pub(crate) client: String,
    /// The settings of the project in this folder instead of your own.
    #[arg(long)]
    pub(crate) project: bool,
}
