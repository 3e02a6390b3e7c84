//! Redlines judged by an independent model: `xtask/checks/`, in Python, which shares no code with the engine.

use std::path::Path;
use std::process::Command;

use crate::{Result, root, run_command};

/// Plans random edits of every document, applies them, and judges the results.
pub(crate) fn run(documents: &Path, folder: &Path, seed: u64, out: &Path) -> Result<()> {
    run_command(
        Command::new(env!("CARGO")).args(["build", "--release", "--package", "engross"]).current_dir(root()),
    )?;
    let engine = root().join("target/release").join(format!("engross{}", std::env::consts::EXE_SUFFIX));
    judge(&engine, documents, folder, seed, out)
}

/// The same on the documents of examples/, as part of the tests.
pub(crate) fn judge_examples(engine: &Path) -> Result<()> {
    let out = root().join("target/judged");
    for seed in 1..=8 {
        let documents = root().join("xtask/checks/examples.csv");
        judge(engine, &documents, &root().join("examples"), seed, &out)?;
    }
    Ok(())
}

fn judge(engine: &Path, documents: &Path, folder: &Path, seed: u64, out: &Path) -> Result<()> {
    let script = root().join("xtask/checks/edit_model.py");
    run_command(
        Command::new("python3")
            .arg(script)
            .arg("batch")
            .arg("--documents")
            .arg(documents)
            .arg("--root")
            .arg(folder)
            .args(["--seed", &seed.to_string()])
            .arg("--out")
            .arg(out)
            .arg("--engine")
            .arg(engine)
            .args(["--jobs", "2"]),
    )
}
