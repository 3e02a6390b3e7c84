//! The files of learning that several commands use: the skillbook, and the instructions that show it.
//!
//! Must never read or write one: it only says where they are.

use std::path::{Path, PathBuf};

use engross_learn::disk::{BookFile, BookPaths};
use engross_protocol::{Exit, Failure};

use crate::cli::BookArgs;
use crate::settings::Environment;

/// The files of the skillbook.
pub(crate) fn book_paths(args: &BookArgs, environment: &Environment) -> Result<BookPaths, Failure> {
    if let Some(paths) = super::preferences::book_of(args.client.as_deref(), args.folder.as_deref())? {
        return Ok(paths);
    }
    let json = match &args.skillbook {
        Some(path) => path.clone(),
        None => workspace(environment)?.join("ace_skillbook.json"),
    };
    Ok(BookPaths { json })
}

/// The files that show the lessons.
pub(crate) fn instructions(named: &[PathBuf], environment: &Environment) -> Result<Vec<PathBuf>, Failure> {
    if named.is_empty() { Ok(vec![workspace(environment)?.join("AGENTS.md")]) } else { Ok(named.to_vec()) }
}

/// The file that holds what the block leaves out, as the block names it.
pub(crate) fn rest(book: &BookFile) -> String {
    let path = book.paths().markdown();
    path.file_name().map(Path::new).unwrap_or(&path).display().to_string()
}

fn workspace(environment: &Environment) -> Result<PathBuf, Failure> {
    match environment.get("OPENCLAW_WORKSPACE") {
        Some(folder) => Ok(PathBuf::from(folder)),
        None => Ok(home(environment)?.join("workspace")),
    }
}

/// OpenClaw's home.
pub(crate) fn home(environment: &Environment) -> Result<PathBuf, Failure> {
    if let Some(home) = environment.get("OPENCLAW_HOME") {
        return Ok(PathBuf::from(home));
    }
    let dirs = directories::UserDirs::new().ok_or_else(|| {
        Failure::new(Exit::Usage, "USAGE", "there is no home folder; set OPENCLAW_HOME, or name the files")
    })?;
    Ok(dirs.home_dir().join(".openclaw"))
}
