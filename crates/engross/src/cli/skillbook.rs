//! `engross skills`: what may be typed about the lessons that were learnt.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::CommonArgs;
use super::learn::BookArgs;

/// `engross skills`
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    engross skills list\n  \
    engross skills show paths-00001\n  \
    engross skills review\n  \
    engross skills review --section paths --accept-section paths\n  \
    engross skills report --since 7d --html > report.html\n  \
    engross skills export --format skill --output skills\n\n\
What is learnt is shown to agents after two independent sessions, or once you accept it.")]
pub(crate) struct SkillsArgs {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: SkillsCommand,
}

/// The commands about skills.
#[derive(Debug, Subcommand)]
pub(crate) enum SkillsCommand {
    /// List the skills.
    List(ListSkillsArgs),
    /// Show a skill with its evidence and votes.
    Show(SkillArgs),
    /// Protect a skill from being changed or taken out by learning.
    Pin(PinArgs),
    /// Take a skill out; it is not learnt again.
    Retire(SkillArgs),
    /// Show what waits for a person, with its evidence, and ask.
    Review(ReviewArgs),
    /// Say what was learnt, confirmed, harmed and used in a span of time.
    Report(ReportArgs),
    /// Write the skillbook to standard output, or as skills that agents load.
    Export(ExportArgs),
    /// Take over a skillbook of any dialect.
    Import(ImportSkillsArgs),
}

/// `engross skills list`
#[derive(Debug, Args)]
pub(crate) struct ListSkillsArgs {
    /// Retired skills, too.
    #[arg(long)]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) book: BookArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// Which skill.
#[derive(Debug, Args)]
pub(crate) struct SkillArgs {
    /// The skill's id.
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    #[command(flatten)]
    pub(crate) book: BookArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// `engross skills pin`
#[derive(Debug, Args)]
pub(crate) struct PinArgs {
    #[command(flatten)]
    pub(crate) skill: SkillArgs,
    /// Protect it no longer.
    #[arg(long)]
    pub(crate) off: bool,
}

/// `engross skills review`
#[derive(Debug, Args)]
pub(crate) struct ReviewArgs {
    /// Show this skill to agents from now on, and ask nothing. May be repeated.
    #[arg(long, value_name = "ID")]
    pub(crate) accept: Vec<String>,
    /// Take this skill out, and ask nothing. May be repeated.
    #[arg(long, value_name = "ID")]
    pub(crate) retire: Vec<String>,
    /// Leave this skill as it is, without the words that were proposed for it. May be repeated.
    #[arg(long, value_name = "ID")]
    pub(crate) decline: Vec<String>,
    /// Give this skill these words, and show it from now on. May be repeated.
    #[arg(long, value_name = "ID=WORDS", value_parser = edited_words)]
    pub(crate) edit: Vec<(String, String)>,
    /// Show all skills of this section that wait and that nothing speaks against. May be repeated.
    #[arg(long, value_name = "SECTION")]
    pub(crate) accept_section: Vec<String>,
    /// Only what waits in this section.
    #[arg(long, value_name = "SECTION")]
    pub(crate) section: Option<String>,
    /// Only what waits for this reason.
    #[arg(long, value_enum)]
    pub(crate) because: Option<ReasonArg>,
    #[command(flatten)]
    pub(crate) book: BookArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// Why a skill waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReasonArg {
    /// It was observed in one piece of work only.
    Once,
    /// Something speaks against it.
    Doubt,
    /// Other words were proposed for it, or that it go.
    Proposal,
}

/// `engross skills report`
#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    /// How far back: 7d, 4w, 12h, or a date such as 2026-11-01.
    #[arg(long, value_name = "SPAN", default_value = "7d")]
    pub(crate) since: String,
    /// Print a page with a plot instead of text.
    #[arg(long)]
    pub(crate) html: bool,
    #[command(flatten)]
    pub(crate) book: BookArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// `engross skills export`
#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    /// How it is written.
    #[arg(long, value_enum, default_value_t = FormatArg::Json)]
    pub(crate) format: FormatArg,
    /// Folder for the format skill; it follows the book from now on.
    #[arg(short, long, value_name = "DIR", required_if_eq("format", "skill"))]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) book: BookArgs,
    /// Settings file instead of the one in the platform's config folder.
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
}

/// How a skillbook is written.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum FormatArg {
    /// The file that all programs of this family from 0.8 on read.
    Json,
    /// For people.
    Markdown,
    /// The table that models read.
    Toon,
    /// A SKILL.md for each section in a folder of its own, as agents load them.
    Skill,
}

/// `engross skills import`
#[derive(Debug, Args)]
pub(crate) struct ImportSkillsArgs {
    /// The skillbook to take over, a JSON file; - reads standard input.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) book: BookArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

impl SkillsCommand {
    /// Whether the answer is to be one JSON document.
    pub(crate) fn wants_json(&self) -> bool {
        match self {
            Self::List(args) => args.common.json,
            Self::Show(args) | Self::Retire(args) => args.common.json,
            Self::Pin(args) => args.skill.common.json,
            Self::Review(args) => args.common.json,
            Self::Report(args) => args.common.json,
            Self::Import(args) => args.common.json,
            Self::Export(_) => false,
        }
    }
}

/// `ID=WORDS`
fn edited_words(text: &str) -> Result<(String, String), String> {
    let (id, words) = text.split_once('=').ok_or("give ID=WORDS")?;
    let words = words.trim();
    if words.is_empty() {
        Err("the words are empty".to_owned())
    } else {
        Ok((id.to_owned(), words.to_owned()))
    }
}
