//! `engross completions` and `engross man`: made from the command line itself, so that they never say less or more.
//!
//! Must never have a word of its own: texts are those of [`crate::cli`].

use clap::{Command, CommandFactory};
use clap_mangen::Man;
use engross_protocol::{Exit, Failure};

use super::CommandEnd;
use crate::cli::{Cli, CompletionsArgs, ManArgs};
use crate::output::print;
use engross_compose::files::{by_path, make_folder};

pub(crate) fn completions(args: &CompletionsArgs) -> Result<CommandEnd, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "engross", &mut script);
    print(&String::from_utf8_lossy(&script))?;
    Ok(CommandEnd::With(Exit::Done))
}

pub(crate) fn man(args: &ManArgs) -> Result<CommandEnd, Failure> {
    let mut command = Cli::command();
    command.build();
    match &args.out {
        None => print(&String::from_utf8_lossy(&page(&command)?))?,
        Some(folder) => {
            make_folder(folder)?;
            for command in shown(&command) {
                by_path::write(&folder.join(format!("{}.1", title(command))), &page(command)?, None)?;
            }
        }
    }
    Ok(CommandEnd::With(Exit::Done))
}

/// A command and all below it, without those that `--help` hides.
fn shown(command: &Command) -> Vec<&Command> {
    let below = command.get_subcommands().filter(|below| !below.is_hide_set() && below.get_name() != "help");
    std::iter::once(command).chain(below.flat_map(shown)).collect()
}

/// Such as `engross-task-run`.
fn title(command: &Command) -> &str {
    command.get_display_name().unwrap_or_else(|| command.get_name())
}

fn page(command: &Command) -> Result<Vec<u8>, Failure> {
    let mut page = Vec::new();
    Man::new(command.clone())
        .render(&mut page)
        .map_err(|error| Failure::new(Exit::Io, "WRITE_FAILED", error.to_string()))?;
    Ok(page)
}
