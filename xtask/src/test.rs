//! `cargo xtask test`: every test of the repository, with what is installed.

use std::path::PathBuf;
use std::process::Command;

use crate::part::{Part, required, soffice};
use crate::{Error, Result, corpus, office, root, run_command, say, wasm, web};

/// The tests of all crates, with all that is published.
const TESTS: [&str; 6] = ["test", "--profile", "ci", "--workspace", "--features", "engross/full"];

/// Runs the tests; names what was skipped at the end.
pub(crate) fn run() -> Result<()> {
    let required = required();
    let (there, missing): (Vec<Part>, Vec<Part>) = Part::ALL.into_iter().partition(|part| part.is_there());
    let unknown: Vec<String> =
        required.iter().filter(|name| !Part::ALL.iter().any(|part| part.name() == **name)).cloned().collect();
    let lacking: Vec<String> = missing
        .iter()
        .filter(|part| required.iter().any(|name| name == part.name()))
        .map(|part| format!("{} ({})", part.name(), part.remedy()))
        .chain(unknown.into_iter().map(|name| format!("{name} (no such part)")))
        .collect();
    if !lacking.is_empty() {
        return Err(Error::Missing(lacking));
    }
    // Everything is built once, with all features; what follows uses what is there.
    cargo(&[&TESTS[..], &["--no-run"]].concat())?;
    if there.contains(&Part::Wasm) {
        cargo(&[
            "check",
            "--profile",
            "ci",
            "--target",
            "wasm32-unknown-unknown",
            "--package",
            "engross-xml",
            "--package",
            "engross-docx",
        ])?;
    }
    let engine = engine();
    if there.contains(&Part::Wasm) && there.contains(&Part::Node) {
        wasm::build("ci")?;
        web::test_engine(&engine)?;
    }
    if there.contains(&Part::Judge) {
        corpus::judge_examples(&engine)?;
    }
    if there.contains(&Part::Soffice) {
        office::case_143_opens_and_accepts_the_same_text(&engine, &soffice())?;
    }
    if there.contains(&Part::Node) {
        web::test(&engine)?;
    }
    // Last, so that the run ends with the summary of the tests.
    cargo(&TESTS)?;
    for part in missing {
        say(&format!("skipped: {} is not there; get it by: {}", part.name(), part.remedy()));
    }
    Ok(())
}

/// Tries every fault at every byte of a streamed file.
pub(crate) fn write_matrix() -> Result<()> {
    run_command(
        Command::new(env!("CARGO"))
            .args(["test", "--profile", "ci", "--package", "engross", "--test", "cli", "writes::matrix"])
            .env("ENGROSS_WRITE_MATRIX", "1")
            .current_dir(root()),
    )
}

/// Random streams, so many for each rule of ends, cuts and restarts.
pub(crate) fn write_streams(streams: u32) -> Result<()> {
    let tests = |filters: &[&str]| {
        let mut command = Command::new(env!("CARGO"));
        command.args(["test", "--profile", "ci", "--package", "engross-write"]).args(filters);
        run_command(command.env("ENGROSS_WRITE_STREAMS", streams.to_string()).current_dir(root()))
    };
    tests(&["--lib", "framing::framer_tests"])?;
    tests(&["--test", "write", "model::"])
}

/// Every habit of models over every kind of file, and 120,000 patches.
pub(crate) fn write_habits(seed: u64) -> Result<()> {
    let tests = |package: &str, filter: &str| {
        let mut command = Command::new(env!("CARGO"));
        command.args(["test", "--profile", "ci", "--package", package, "--lib", filter, "--", "--nocapture"]);
        command.env("ENGROSS_WRITE_HABITS", seed.to_string()).env("ENGROSS_WRITE_PATCHES", "120000");
        run_command(command.current_dir(root()))
    };
    tests("engross-agent", "session::habits")?;
    tests("engross-write", "patch::model_tests")
}

/// The binary that the tests build.
pub(crate) fn engine() -> PathBuf {
    root().join("target/ci").join(format!("engross{}", std::env::consts::EXE_SUFFIX))
}

fn cargo(arguments: &[&str]) -> Result<()> {
    run_command(Command::new(env!("CARGO")).args(arguments).current_dir(root()))
}
