//! `cargo xtask fuzz` and `cargo xtask random`: long runs on inputs that nobody thought of.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{Error, Result, root, run_command, say};

const TARGETS: [&str; 9] = [
    "xml_parse",
    "package_open",
    "document_read",
    "apply",
    "objects",
    "resolve",
    "markdown",
    "comments",
    "compare",
];

/// Runs every fuzz target, or the one named, for some seconds each. Needs `cargo install cargo-fuzz`.
pub(crate) fn run(target: Option<&str>, seconds: u64) -> Result<()> {
    let chosen: Vec<&str> =
        TARGETS.into_iter().filter(|name| target.is_none_or(|only| only == *name)).collect();
    if chosen.is_empty() {
        return Err(Error::Missed(format!("there is no such target; there are {}", TARGETS.join(", "))));
    }
    for name in chosen {
        let found = root().join("fuzz/corpus").join(name);
        let seeds = root().join("target/fuzz-seeds").join(name);
        for folder in [&found, &seeds] {
            fs::create_dir_all(folder).map_err(Error::file(folder))?;
        }
        plant(name, &seeds)?;
        run_command(
            Command::new("cargo")
                // The sanitizers of the compiler in use, without a second one.
                .env("RUSTC_BOOTSTRAP", "1")
                .current_dir(root())
                .args(["fuzz", "run", name])
                .args([&found, &seeds])
                .arg("--")
                .args(["-timeout=20", "-rss_limit_mb=4096", "-max_len=65536", "-print_final_stats=1"])
                .arg(format!("-max_total_time={seconds}")),
        )?;
    }
    Ok(())
}

/// Random documents with random operations, judged by the oracle of the engine's tests, for some seconds.
pub(crate) fn random(seconds: u64) -> Result<()> {
    run_command(
        Command::new("cargo")
            .env("ENGROSS_RANDOM_SECONDS", seconds.to_string())
            .current_dir(root())
            .args(["test", "--profile", "ci", "--package", "engross-docx", "--test", "docx"])
            .args(["random_edits_hold", "--", "--nocapture"]),
    )
}

/// Writes what a target begins with: the example, and the scenarios of the engine.
fn plant(target: &str, folder: &Path) -> Result<()> {
    let example = root().join("examples");
    let scenarios = root().join("crates/docx/tests/scenarios");
    let seeds: Vec<PathBuf> = match target {
        "package_open" => vec![example.join("nda.docx")],
        "document_read" => [vec![example.join("nda.docx")], named(&scenarios, "body.xml")?].concat(),
        "markdown" => vec![root().join("README.md"), root().join("docs/guide/editing.md")],
        // Its bytes are choices, which no file of ours holds.
        "objects" | "comments" | "compare" => vec![],
        "apply" => named(&scenarios, "operations.json")?,
        "xml_parse" => vec![
            example.join("nda/word/document.xml"),
            example.join("nda/word/styles.xml"),
            example.join("nda/word/numbering.xml"),
        ],
        _ => named(&scenarios, "body.xml")?,
    };
    for (index, seed) in seeds.iter().enumerate() {
        fs::copy(seed, folder.join(index.to_string())).map_err(Error::file(seed))?;
    }
    say(&format!("{target} begins with {} seeds", seeds.len()));
    Ok(())
}

fn named(scenarios: &Path, name: &str) -> Result<Vec<PathBuf>> {
    let folders = fs::read_dir(scenarios).map_err(Error::file(scenarios))?;
    let files = folders.filter_map(|folder| Some(folder.ok()?.path().join(name)));
    Ok(files.filter(|file| file.is_file()).collect())
}
