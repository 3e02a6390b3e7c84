//! `cargo xtask python`: the engine for Python is built, laid beside its modules, and tried by its tests.

use std::process::Command;

use crate::dist::{built_module, target_folder};
use crate::{Error, Result, root, run_command};

/// Builds and tries it.
pub(crate) fn run() -> Result<()> {
    let (name, module) = built_module()?;
    let package = target_folder().join("python-package");
    let sources = root().join("bindings/python/engross");
    let into = package.join("engross");
    std::fs::create_dir_all(&into).map_err(Error::file(&into))?;
    for entry in std::fs::read_dir(&sources).map_err(Error::file(&sources))? {
        let from = entry.map_err(Error::file(&sources))?.path();
        if let Some(name) = from.file_name().filter(|_| from.is_file()) {
            std::fs::copy(&from, into.join(name)).map_err(Error::file(&from))?;
        }
    }
    std::fs::copy(&module, into.join(name)).map_err(Error::file(&module))?;
    let mut tests = Command::new("python3");
    tests.args(["-B", "-m", "unittest", "discover", "--start-directory", "bindings/python/tests"]);
    run_command(tests.env("PYTHONPATH", &package).current_dir(root()))
}
