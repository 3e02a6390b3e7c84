//! The page for people: built by Node into files that the server embeds, and tried in a browser.
//!
//! Must never be needed to build or install engross.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{Result, root, run_command, say};

/// Builds the workbench and the pane of Word into `crates/http/assets`, the page for reviews into `crates/mcp/assets`.
pub(crate) fn build() -> Result<()> {
    npm(&["run", "build"], &[])?;
    say("crates/http/assets and crates/mcp/assets are built; commit them with the sources");
    Ok(())
}

/// The worker that runs the engine in a page, beside the module in `web/engine/pkg`.
pub(crate) fn worker() -> Result<()> {
    npm(&["run", "worker"], &[])
}

/// The session client and the page, against the server that was built.
pub(crate) fn test(engine: &Path) -> Result<()> {
    npm(&["run", "check"], &[])?;
    npm(&["test"], &[("ENGROSS_BIN", engine)])
}

/// The engine for pages, built before, against the command line.
pub(crate) fn test_engine(engine: &Path) -> Result<()> {
    npm(&["run", "test:engine"], &[("ENGROSS_BIN", engine)])
}

/// What takes longer of the page: long documents, large answers, every state in every appearance.
pub(crate) fn test_at_length(engine: &Path) -> Result<()> {
    npm(&["run", "test:long"], &[("ENGROSS_BIN", engine)])
}

/// Runs npm in `web`, with the packages of its lock file.
fn npm(arguments: &[&str], environment: &[(&str, &Path)]) -> Result<()> {
    let folder = root().join("web");
    let run = |arguments: &[&str]| {
        let mut command = Command::new("npm");
        command.args(arguments).current_dir(&folder).envs(environment.iter().copied());
        run_command(&mut command)
    };
    if !has_packages(&folder) {
        run(&["ci", "--no-audit", "--no-fund"])?;
    }
    run(arguments)
}

/// Whether what is installed is what the lock file says now.
fn has_packages(folder: &Path) -> bool {
    let changed = |path: PathBuf| path.metadata().and_then(|metadata| metadata.modified()).ok();
    let installed = changed(folder.join("node_modules/.package-lock.json"));
    installed.is_some_and(|installed| changed(folder.join("package-lock.json")) <= Some(installed))
}
