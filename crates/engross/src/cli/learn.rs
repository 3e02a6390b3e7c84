//! `engross learn`, `transcript` and `agents-md`: what may be typed about learning.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::CommonArgs;

/// `engross learn`
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    engross learn\n  \
    engross learn --agent ops --model anthropic/claude-sonnet-4-5\n  \
    engross learn ~/.claude/projects/x/*.jsonl --skillbook book.json --agents-md AGENTS.md --agents-md CLAUDE.md\n  \
    engross learn --dry-run --json\n\n\
Without a model, rules are used: they see repeated tool errors and corrections, offline (docs/guide/learning.md).")]
pub(crate) struct LearnArgs {
    /// Session files; without, those of the agent.
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// The agent whose sessions are read; OPENCLAW_AGENT_ID, else main, without.
    #[arg(long, value_name = "ID", conflicts_with = "files")]
    pub(crate) agent: Option<String>,
    /// Folder of session files, or a store of OpenClaw, instead of the agent's.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["files", "agent"])]
    pub(crate) sessions: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) book: BookArgs,
    #[command(flatten)]
    pub(crate) block: BlockArgs,
    /// openai/NAME, anthropic/NAME, gemini/NAME, ollama/NAME, openai-compatible:URL#NAME, script:FILE or rules.
    #[arg(long, value_name = "SPEC")]
    pub(crate) model: Option<String>,
    /// Say what would be learnt and write nothing; a language model is not asked.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Learn from all sessions anew; votes are not counted twice.
    #[arg(long)]
    pub(crate) reprocess: bool,
    /// Characters of a session that the model reads at once; longer ones are read in several passes.
    #[arg(long, value_name = "N", default_value_t = 120_000, value_parser = at_least_1000)]
    pub(crate) pass: usize,
    /// Leave out the middle of long tool results instead of reading in several passes.
    #[arg(long)]
    pub(crate) shorten: bool,
    /// Let e-mail addresses, chat ids and telephone numbers stand; secrets always go.
    #[arg(long)]
    pub(crate) keep_personal: bool,
    /// Put what was learnt on this git branch, as one commit with its evidence; the branch that is checked out stays.
    #[arg(long, value_name = "NAME", conflicts_with = "dry_run")]
    pub(crate) branch: Option<String>,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// Which skillbook.
#[derive(Debug, Clone, Args)]
pub(crate) struct BookArgs {
    /// The skillbook; ace_skillbook.json in the folder OPENCLAW_WORKSPACE without.
    #[arg(long, value_name = "FILE")]
    pub(crate) skillbook: Option<PathBuf>,
    /// The skillbook of this client's documents instead.
    #[arg(long, value_name = "NAME", conflicts_with = "skillbook")]
    pub(crate) client: Option<String>,
    /// The skillbook of the documents in this folder instead.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["skillbook", "client"])]
    pub(crate) folder: Option<PathBuf>,
}

/// What is shown where.
#[derive(Debug, Args)]
pub(crate) struct BlockArgs {
    /// File that shows the lessons; AGENTS.md in the folder OPENCLAW_WORKSPACE without. May be repeated.
    #[arg(long, value_name = "FILE")]
    pub(crate) agents_md: Vec<PathBuf>,
    /// Tokens that the lessons may take there.
    #[arg(long, value_name = "N", default_value_t = 2_000)]
    pub(crate) tokens: usize,
    /// Put markers right that make no sense; the old file is kept beside.
    #[arg(long)]
    pub(crate) repair: bool,
}

/// `engross transcript`
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    engross transcript stats session.jsonl --json\n  \
    engross transcript show session.jsonl\n  \
    engross transcript trace session.jsonl --json\n  \
    engross transcript repair session.jsonl -o whole.jsonl\n\n\
Reads files of OpenClaw, engross, Claude Code, Codex and others (docs/guide/learning.md). What show and trace print is not redacted.")]
pub(crate) struct TranscriptArgs {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: TranscriptCommand,
}

/// The commands about transcripts.
#[derive(Debug, Subcommand)]
pub(crate) enum TranscriptCommand {
    /// Count lines, calls, results and texts, and name what is odd.
    Stats(TranscriptFiles),
    /// Show what was said and done, and what could not be read.
    Show(TranscriptFiles),
    /// Retell sessions as a learner sees them.
    Trace(TranscriptFiles),
    /// Write the lines that can be read into a new file.
    Repair(RepairArgs),
}

/// Which transcripts.
#[derive(Debug, Args)]
pub(crate) struct TranscriptFiles {
    /// Session files.
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// `engross transcript repair`
#[derive(Debug, Args)]
pub(crate) struct RepairArgs {
    /// The session file; it is not changed.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Where the whole lines go; NAME.repaired.jsonl beside the file without.
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// `engross agents-md`
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    engross agents-md sync\n  \
    engross agents-md sync --agents-md AGENTS.md --agents-md CLAUDE.md --tokens 1000\n  \
    engross agents-md check --agents-md AGENTS.md --skillbook book.json\n  \
    engross agents-md remove --agents-md AGENTS.md\n\n\
Not a byte outside the block is changed.")]
pub(crate) struct AgentsMdArgs {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: AgentsMdCommand,
}

/// The commands about AGENTS.md.
#[derive(Debug, Subcommand)]
pub(crate) enum AgentsMdCommand {
    /// Bring the block of lessons up to date.
    Sync(SyncBlockArgs),
    /// Take the block out; the file is as it was before.
    Remove(SyncBlockArgs),
    /// Say what is wrong with the block, and with --skillbook whether it is up to date; exits with 1 if anything is.
    Check(CheckBlockArgs),
}

/// `engross agents-md sync` and `engross agents-md remove`
#[derive(Debug, Args)]
pub(crate) struct SyncBlockArgs {
    #[command(flatten)]
    pub(crate) block: BlockArgs,
    #[command(flatten)]
    pub(crate) book: BookArgs,
    /// Say what would change and write nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// `engross agents-md check`
#[derive(Debug, Args)]
pub(crate) struct CheckBlockArgs {
    /// The file; AGENTS.md in the folder OPENCLAW_WORKSPACE without. May be repeated.
    #[arg(long, value_name = "FILE")]
    pub(crate) agents_md: Vec<PathBuf>,
    /// Tokens that the lessons may take there, as for sync.
    #[arg(long, value_name = "N", default_value_t = 2_000)]
    pub(crate) tokens: usize,
    /// Where a skillbook is named, the block must be what it shows.
    #[command(flatten)]
    pub(crate) book: BookArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

impl TranscriptCommand {
    /// Whether the answer is to be one JSON document.
    pub(crate) fn wants_json(&self) -> bool {
        match self {
            Self::Stats(args) | Self::Show(args) | Self::Trace(args) => args.common.json,
            Self::Repair(args) => args.common.json,
        }
    }
}

impl AgentsMdCommand {
    /// Whether the answer is to be one JSON document.
    pub(crate) fn wants_json(&self) -> bool {
        match self {
            Self::Sync(args) | Self::Remove(args) => args.common.json,
            Self::Check(args) => args.common.json,
        }
    }
}

fn at_least_1000(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|number| *number >= 1_000).ok_or_else(|| "give a number from 1000".to_owned())
}
