//! `engross agent-skill`
//!
//! Must never do anything: it only says what was asked for.

use clap::{Args, Subcommand};

/// `engross agent-skill`
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  engross agent-skill install --agent claude-code\n  engross agent-skill print"
)]
pub(crate) struct AgentSkillArgs {
    /// What to do with it.
    #[command(subcommand)]
    pub(crate) command: AgentSkillCommand,
}

/// The commands of `engross agent-skill`.
#[derive(Debug, Subcommand)]
pub(crate) enum AgentSkillCommand {
    /// Write the skill into a folder that an agent looks into; an older one of engross is replaced.
    Install(AgentSkillInstallArgs),
    /// Print the skill.
    Print,
}

/// `engross agent-skill install`
#[derive(Debug, Args)]
pub(crate) struct AgentSkillInstallArgs {
    /// The agent: claude-code, codex, copilot, cursor, gemini; without, the folder that many look into, .agents/skills.
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<String>,
    /// The skills of the project in this folder instead of your own.
    #[arg(long)]
    pub(crate) project: bool,
}
