//! `engross agents-md`: the block of lessons in AGENTS.md and its like.

use std::fmt::Write as _;

use engross_learn::agents_md::MarkerMode;
use engross_learn::disk::{BookFile, check_file, check_file_against, sync_files};
use engross_learn::run::block;
use engross_protocol::{Clock, Exit, Failure, SystemClock};
use serde_json::json;

use super::CommandEnd;
use super::book::book_paths;
use super::synced::{explain, text};
use crate::cli::{AgentsMdArgs, AgentsMdCommand, BookArgs, SyncBlockArgs};
use crate::output::Output;
use engross_compose::settings::Environment;
use engross_compose::skillbook::{instructions, rest};

pub(crate) fn run(
    args: &AgentsMdArgs,
    environment: &Environment,
    output: Output,
) -> Result<CommandEnd, Failure> {
    match &args.command {
        AgentsMdCommand::Sync(args) => {
            let inner = shown(&args.book, args.block.tokens, environment)?;
            sync(args, inner.as_deref(), environment, output)
        }
        AgentsMdCommand::Remove(args) => sync(args, None, environment, output),
        AgentsMdCommand::Check(args) => {
            let of = &args.book;
            let is_named = of.skillbook.is_some() || of.client.is_some() || of.folder.is_some();
            let shown = match is_named {
                true => Some(shown(&args.book, args.tokens, environment)?),
                false => None,
            };
            let mut files = Vec::new();
            for path in instructions(&args.agents_md, environment)? {
                let warnings = match &shown {
                    Some(inner) => check_file_against(&path, inner.as_deref())?,
                    None => check_file(&path)?,
                };
                files.push((path, warnings));
            }
            let is_fine = files.iter().all(|(_, warnings)| warnings.is_empty());
            let shown: Vec<_> =
                files.iter().map(|(path, warnings)| json!({"path": path, "warnings": warnings})).collect();
            output.answer(&json!({"files": shown}), || {
                files.iter().fold(String::new(), |mut text, (path, warnings)| {
                    let said: Vec<&str> = warnings.iter().map(|warning| explain(*warning)).collect();
                    let said = if said.is_empty() { "in order".to_owned() } else { said.join("; ") };
                    let _ = writeln!(text, "{}: {said}", path.display());
                    text
                })
            })?;
            Ok(CommandEnd::With(if is_fine { Exit::Done } else { Exit::Refused }))
        }
    }
}

/// What the block of a skillbook says.
fn shown(args: &BookArgs, tokens: usize, environment: &Environment) -> Result<Option<String>, Failure> {
    let book = BookFile::read(book_paths(args, environment)?)?;
    Ok(block(&book.journal.book, tokens, SystemClock.millis(), &rest(&book)).inner)
}

fn sync(
    args: &SyncBlockArgs,
    inner: Option<&str>,
    environment: &Environment,
    output: Output,
) -> Result<CommandEnd, Failure> {
    let mode = if args.block.repair { MarkerMode::Repair } else { MarkerMode::Strict };
    let paths = instructions(&args.block.agents_md, environment)?;
    let synced = sync_files(&paths, inner, mode, args.dry_run)?;
    output.answer(&json!({"files": synced, "dryRun": args.dry_run}), || text(&synced))?;
    Ok(CommandEnd::With(Exit::Done))
}
