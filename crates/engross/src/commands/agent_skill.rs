//! `engross agent-skill`: how agents are to work with this program, as a skill in the open format.

use std::path::PathBuf;

use engross_protocol::{Exit, Failure};

use super::CommandEnd;
use crate::cli::{AgentSkillArgs, AgentSkillCommand, AgentSkillInstallArgs};
use crate::output::print;
use engross_compose::failure::usage;
use engross_compose::files::{by_path, make_folder};

const SKILL: &str = include_str!("../../../../skills/engross/SKILL.md");

/// The files of the skill.
const FILES: &[(&str, &str)] = &[
    ("SKILL.md", SKILL),
    ("references/operations.md", include_str!("../../../../skills/engross/references/operations.md")),
];

/// The folders in which agents look for their skills, in a person's folder and in a project alike.
const FOLDERS: &[(&str, &str)] = &[
    ("claude-code", ".claude"),
    ("codex", ".codex"),
    ("copilot", ".copilot"),
    ("cursor", ".cursor"),
    ("gemini", ".gemini"),
];

/// The folder that many agents look into.
const COMMON: &str = ".agents";

pub(crate) fn run(args: &AgentSkillArgs) -> Result<CommandEnd, Failure> {
    match &args.command {
        AgentSkillCommand::Print => print(SKILL)?,
        AgentSkillCommand::Install(args) => install(args)?,
    }
    Ok(CommandEnd::With(Exit::Done))
}

fn install(args: &AgentSkillInstallArgs) -> Result<(), Failure> {
    let folder = match &args.agent {
        None => COMMON,
        Some(name) => {
            FOLDERS.iter().find(|(known, _)| known == name).map(|(_, folder)| *folder).ok_or_else(|| {
                let known: Vec<&str> = FOLDERS.iter().map(|(known, _)| *known).collect();
                usage(
                    "USAGE",
                    format!(
                        "'{name}' is no agent that is known; known are {}; others look into {COMMON}",
                        known.join(", ")
                    ),
                )
            })?
        }
    };
    let base = if args.project {
        PathBuf::from(".")
    } else {
        let folders = directories::BaseDirs::new();
        let folders =
            folders.ok_or_else(|| usage("USAGE", "this platform tells no folder of yours; use --project"))?;
        folders.home_dir().to_owned()
    };
    let place = base.join(folder).join("skills/engross");
    for (name, text) in FILES {
        let path = place.join(name);
        make_folder(path.parent().unwrap_or(&place))?;
        by_path::write(&path, text.as_bytes(), None)?;
    }
    print(&format!("The skill is in {}\n", place.display()))
}
