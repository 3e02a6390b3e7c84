//! `cargo xtask faults`: servers, databases and disks fail under load, and what clients were told is held against the log.
//!
//! Each scenario is a file. Faults of the model's provider need no chore: `crates/engross/src/serve/contract_tests/provider.rs`.

mod attack;
mod database;
pub(crate) mod disk;
mod kill;
mod load;
mod nodes;
pub(crate) mod server;
mod tasks;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use crate::run_command;
use crate::{Error, Result, root, say};

/// What a scenario needs: a folder of its own, and whether it is to be short.
struct Trial<'a> {
    folder: &'a Path,
    quick: bool,
}

/// Tells its figures, or that it was skipped, and why.
type Scenario = fn(&Trial<'_>) -> Result<String>;

const SCENARIOS: [(&str, Scenario); 8] = [
    ("kill-sqlite", kill::sqlite),
    ("kill-postgres", kill::postgres),
    ("database", database::run),
    ("nodes", nodes::run),
    ("disk", disk::run),
    ("tasks", tasks::run),
    ("disk-of-tasks", tasks::on_a_full_disk),
    ("attack", attack::run),
];

/// Runs the scenarios whose name holds `only`.
pub(crate) fn run(quick: bool, only: Option<&str>) -> Result<()> {
    run_command(
        Command::new(env!("CARGO"))
            .args([
                "build",
                "--profile",
                "ci",
                "--package",
                "engross",
                "--features",
                "engross/full",
                "--package",
                "engross-bench",
            ])
            .current_dir(root()),
    )?;
    let mut missed = Vec::new();
    for (name, scenario) in SCENARIOS.iter().filter(|(name, _)| name.contains(only.unwrap_or_default())) {
        let folder = anew(name)?;
        let started = Instant::now();
        match scenario(&Trial { folder: &folder, quick }) {
            Ok(figures) => say(&format!("{name}: {figures} ({:.0} s)", started.elapsed().as_secs_f64())),
            Err(error) => {
                say(&format!("{name}: FAILED: {error}"));
                missed.push((*name).to_owned());
            }
        }
    }
    if missed.is_empty() { Ok(()) } else { Err(Error::Missed(format!("failed: {}", missed.join(", ")))) }
}

/// An empty folder.
pub(crate) fn anew(name: &str) -> Result<PathBuf> {
    let folder = root().join("target/faults").join(name);
    if folder.exists() {
        std::fs::remove_dir_all(&folder).map_err(Error::file(&folder))?;
    }
    std::fs::create_dir_all(&folder).map_err(Error::file(&folder))?;
    Ok(folder)
}

/// Numbers that look random and are the same in each run.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound.max(1)
    }
}
