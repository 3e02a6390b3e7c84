//! `engross review`
//!
//! Must never do anything: it only says what was asked for.

use std::path::PathBuf;

use clap::Args;

use super::{CommonArgs, TargetArgs};

/// `engross review`
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    engross review nda.docx --playbook nda.playbook.md --model anthropic/claude-sonnet-4-5\n  \
    engross review nda.docx --playbook nda.playbook.md --html report.html -o answer.docx\n\n\
Without a model, missing clauses and the quoted words of 'Never:' are found. docs/guide/playbooks.md has the format of a playbook.")]
pub(crate) struct PlaybookReviewArgs {
    /// The document, a .docx file.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// The playbook, a Markdown file with a position for each clause.
    #[arg(long, value_name = "PLAYBOOK")]
    pub(crate) playbook: PathBuf,
    /// openai/NAME, anthropic/NAME, gemini/NAME, ollama/NAME, openai-compatible:URL#NAME or script:FILE.
    #[arg(long, value_name = "SPEC")]
    pub(crate) model: Option<String>,
    /// Write the report there as Markdown.
    #[arg(long, value_name = "REPORT")]
    pub(crate) markdown: Option<PathBuf>,
    /// Write the report there as a page that needs no network.
    #[arg(long, value_name = "REPORT")]
    pub(crate) html: Option<PathBuf>,
    /// Author of the changes and comments.
    #[arg(long, value_name = "NAME")]
    pub(crate) author: Option<String>,
    /// Date of the changes, such as 2026-01-31T09:30:00Z; now without.
    #[arg(long, value_name = "RFC3339")]
    pub(crate) date: Option<String>,
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}
