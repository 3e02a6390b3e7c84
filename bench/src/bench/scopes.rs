//! `cargo xtask bench scopes`: hashing and listing the files of a run, against `sha256sum` over the same files in the same run.
//!
//! Must never measure a cold disk: both sides read the files once before.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use wait4::Wait4;

use crate::run_command;
use crate::{Error, Result, root, say};

/// Runs of each side; the median counts.
const RUNS: usize = 7;

/// How often an unchanged scope is exported again.
const AGAIN: usize = 21;

const MIB: u64 = 1 << 20;

/// Files of a scope, what they are compared with, and the bars.
struct Row {
    name: &'static str,
    files: u64,
    bytes: u64,
    is_sparse: bool,
    /// Of the shell, and how many times as long the export may take.
    floor: Option<(&'static str, f64)>,
    /// The most milliseconds for an unchanged scope.
    again: Option<f64>,
}

const ROWS: [Row; 4] = [
    Row {
        name: "1,000 files, 100 MB",
        files: 1_000,
        bytes: 100_000,
        is_sparse: false,
        floor: Some(("find . -type f -print0 | xargs -0 -P2 -n64 sha256sum", 1.2)),
        again: Some(5.0),
    },
    Row {
        name: "10,000 files of 1 KB",
        files: 10_000,
        bytes: 1_000,
        is_sparse: false,
        floor: Some(("find . -type f -print0 | xargs -0 sha256sum", 3.0)),
        again: None,
    },
    Row { name: "1 GiB, sparse", files: 1, bytes: 1024 * MIB, is_sparse: true, floor: None, again: None },
    Row { name: "5 GiB, sparse", files: 1, bytes: 5 * 1024 * MIB, is_sparse: true, floor: None, again: None },
];

/// The most memory of the whole process for a file of any size.
const MEMORY: u64 = 32 * MIB;

/// Measures, prints a table, and fails when a bar is missed.
pub(crate) fn run() -> Result<()> {
    let build = ["build", "--release", "--package", "engross-artifacts", "--example", "scopes"];
    run_command(Command::new(env!("CARGO")).args(build).current_dir(root()))?;
    let program = root().join(format!("target/release/examples/scopes{}", std::env::consts::EXE_SUFFIX));
    let folder = root().join("target/bench/scopes");
    say("median wall time of the whole process, highest peak memory; again: unchanged, within the process\n");
    say("| files | export ms | sha256sum ms | ratio | again ms | peak MiB |");
    say("|---|---:|---:|---:|---:|---:|");
    let mut missed = Vec::new();
    for (number, row) in ROWS.iter().enumerate() {
        let workspace = folder.join(number.to_string());
        let scope = workspace.join("tasks/bench/r");
        fill(&scope, row)?;
        measure_row(row, &program, &workspace, &scope, &mut missed)?;
        fs::remove_dir_all(&workspace).map_err(Error::file(&workspace))?;
    }
    if missed.is_empty() { Ok(()) } else { Err(Error::Missed(missed.join("; "))) }
}

fn measure_row(
    row: &Row,
    program: &Path,
    workspace: &Path,
    scope: &Path,
    missed: &mut Vec<String>,
) -> Result<()> {
    // A hash of a file that was written just now is not kept.
    std::thread::sleep(Duration::from_secs(3));
    let runs = if row.is_sparse { 1 } else { RUNS };
    let (mut ours, mut floors, mut memory) = (Vec::new(), Vec::new(), 0);
    for run in 0..=runs {
        let export = measure(Command::new(program).arg(workspace).arg("0"))?;
        memory = memory.max(export.1);
        let floor = match row.floor {
            Some((line, _)) => {
                let shell = format!("{line} > /dev/null");
                Some(measure(Command::new("sh").arg("-c").arg(shell).current_dir(scope))?.0)
            }
            None => None,
        };
        // The first one warms the disk's cache.
        if run > 0 {
            ours.push(export.0);
            floors.extend(floor);
        }
    }
    let again = again(program, workspace)?;
    let (ours, floor) = (median(ours), row.floor.map(|(_, most)| (median(floors), most)));
    let ratio = floor.map(|(floor, most)| (ours / floor.max(1e-6), most));
    let shown = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), |value| format!("{value:.2}"));
    let mebibytes = f64::from(u32::try_from(memory / 1024).unwrap_or(u32::MAX)) / 1024.0;
    say(&format!(
        "| {} | {ours:.1} | {} | {} | {again:.2} | {mebibytes:.1} |",
        row.name,
        shown(floor.map(|(floor, _)| floor)),
        shown(ratio.map(|(ratio, _)| ratio)),
    ));
    if let Some((ratio, most)) = ratio.filter(|(ratio, most)| ratio > most) {
        missed.push(format!("{}: {ratio:.2} times sha256sum, more than {most}", row.name));
    }
    if let Some(most) = row.again.filter(|most| again > *most) {
        missed.push(format!("{}: {again:.2} ms again, more than {most}", row.name));
    }
    if row.is_sparse && memory > MEMORY {
        missed.push(format!("{}: {mebibytes:.1} MiB, more than 32", row.name));
    }
    Ok(())
}

/// The milliseconds for an unchanged scope.
fn again(program: &Path, workspace: &Path) -> Result<f64> {
    let mut command = Command::new(program);
    command.arg(workspace).arg(AGAIN.to_string());
    let shown = format!("{command:?}");
    let failed = |how: String| Error::Command { command: shown.clone(), how };
    let output = command.output().map_err(|error| failed(format!("could not be started: {error}")))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let figure = text.split_whitespace().nth(2).and_then(|figure| figure.parse().ok());
    figure.ok_or_else(|| failed(format!("answered {text:?}")))
}

/// Milliseconds and bytes.
fn measure(command: &mut Command) -> Result<(f64, u64)> {
    let shown = format!("{command:?}").replace('"', "");
    let failed = |how: String| Error::Command { command: shown.clone(), how };
    let begun = Instant::now();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| failed(format!("could not be started: {error}")))?;
    let usage = child.wait4().map_err(|error| failed(format!("could not be waited for: {error}")))?;
    if !usage.status.success() {
        return Err(failed(format!("ended with {}", usage.status)));
    }
    Ok((begun.elapsed().as_secs_f64() * 1000.0, usage.rusage.maxrss))
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}

/// Makes the files, spread over 140 folders.
fn fill(scope: &Path, row: &Row) -> Result<()> {
    let mut state = 7_u64;
    for number in 0..row.files {
        let folder = scope.join(format!("{}/{}", number % 20, number % 7));
        fs::create_dir_all(&folder).map_err(Error::file(&folder))?;
        let path: PathBuf = folder.join(format!("{number}.bin"));
        let mut write = || -> std::io::Result<()> {
            let mut file = fs::File::options().write(true).create(true).truncate(true).open(&path)?;
            if row.is_sparse {
                return file.set_len(row.bytes);
            }
            let mut bytes = Vec::new();
            while (bytes.len() as u64) < row.bytes {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                bytes.extend_from_slice(&state.to_le_bytes());
            }
            file.write_all(&bytes)
        };
        write().map_err(Error::file(&path))?;
    }
    Ok(())
}
