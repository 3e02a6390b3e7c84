//! `cargo xtask bench learn`: reading transcripts against a bare typed parse and a Python loop over the same files, and the times of a
//! large skillbook.
//!
//! Must never compare figures of different runs: the floors are measured beside.

use std::path::Path;
use std::process::{Command, Stdio};

use wait4::Wait4;

use crate::run_command;
use crate::{Error, Result, root, say};

/// Runs of each side; the best counts, because everything else on the machine only adds.
const RUNS: usize = 3;

/// How much of the bare parse's speed reading must reach.
const OF_PARSE: f64 = 0.6;

/// How many times as fast as a Python loop reading must be.
const OF_PYTHON: f64 = 3.0;

/// How much faster two threads must be than one.
const TWO_THREADS: f64 = 1.6;

const MEMORY: u64 = 64 << 20;

/// Bars of the skillbook with 100,000 skills, in milliseconds.
const BOOK: [(&str, f64); 2] = [("load", 300.0), ("add", 5.0)];

/// A loop that parses each line and does nothing with it.
const PYTHON: &str = "import json,sys,glob\n\
    for path in sorted(glob.glob(sys.argv[1]+'/*.jsonl')):\n    for line in open(path,'rb'):\n        json.loads(line)\n";

/// Measures, prints a table, and fails when a bar is missed. Makes a corpus of `megabytes` unless it is there.
pub(crate) fn run(megabytes: u32) -> Result<()> {
    let build = ["build", "--release", "--package", "engross-learn", "--examples"];
    run_command(Command::new(env!("CARGO")).args(build).current_dir(root()))?;
    let suffix = std::env::consts::EXE_SUFFIX;
    let program = root().join(format!("target/release/examples/bench_learn{suffix}"));
    let corpus = corpus(megabytes)?;
    let folder = corpus.join("agents/main/sessions");
    let check = root().join(format!("target/release/examples/check_transcripts{suffix}"));
    run_command(Command::new(check).arg(&corpus))?;
    let mut missed = Vec::new();
    let one = best(|| measure(Command::new(&program).arg("stats").arg(&folder).arg("1")))?;
    let two = best(|| measure(Command::new(&program).arg("stats").arg(&folder).arg("2")))?;
    let sonic = best(|| measure(Command::new(&program).arg("sonic").arg(&folder)))?;
    let python = measure(Command::new("python3").arg("-c").arg(PYTHON).arg(&folder))?;
    say("| | CPU s | wall s | MiB | of the bare parse | of a Python loop |");
    say("|---|---:|---:|---:|---:|---:|");
    for (name, run) in [
        ("reading", &one),
        ("reading, two threads", &two),
        ("bare typed parse", &sonic),
        ("Python loop", &python),
    ] {
        say(&format!(
            "| {name} | {:.2} | {:.2} | {:.0} | {:.2} | {:.2} |",
            run.cpu,
            run.wall,
            mebibytes(run.memory),
            sonic.cpu / run.cpu,
            python.cpu / run.cpu
        ));
    }
    let mut bar = |name: &str, is_met: bool| {
        if !is_met {
            missed.push(name.to_owned());
        }
    };
    bar("reading is slower than 0.6 of a bare parse", sonic.cpu / one.cpu >= OF_PARSE);
    bar("reading is not three times as fast as a Python loop", python.cpu / one.cpu >= OF_PYTHON);
    bar("two threads are not 1.6 times as fast as one", one.wall / two.wall >= TWO_THREADS);
    bar("reading takes more than 64 MiB", one.memory.max(two.memory) <= MEMORY);
    let told = Command::new(&program).args(["book", "100000"]).output();
    let told = told.map_err(|error| failed("bench_learn", &error))?;
    let told = String::from_utf8_lossy(&told.stdout).into_owned();
    say("\nA skillbook of 100,000 skills, ms:");
    say(&told);
    for (name, most) in BOOK {
        let value = told.lines().find_map(|line| line.strip_prefix(name)?.trim().parse::<f64>().ok());
        bar(&format!("{name} takes more than {most} ms"), value.is_some_and(|value| value <= most));
    }
    if missed.is_empty() { Ok(()) } else { Err(Error::Missed(missed.join("; "))) }
}

/// What a run took.
struct Run {
    cpu: f64,
    wall: f64,
    memory: u64,
}

fn best(mut run: impl FnMut() -> Result<Run>) -> Result<Run> {
    // The first one warms the disk's cache.
    run()?;
    let mut best = run()?;
    for _ in 1..RUNS {
        let next = run()?;
        best = Run {
            cpu: best.cpu.min(next.cpu),
            wall: best.wall.min(next.wall),
            memory: best.memory.max(next.memory),
        };
    }
    Ok(best)
}

fn measure(command: &mut Command) -> Result<Run> {
    let begun = std::time::Instant::now();
    let shown = format!("{command:?}").replace('"', "");
    let mut child = command.stdout(Stdio::null()).spawn().map_err(|error| failed(&shown, &error))?;
    let ended = child.wait4().map_err(|error| failed(&shown, &error))?;
    if !ended.status.success() {
        return Err(failed(&shown, &ended.status));
    }
    let usage = ended.rusage;
    Ok(Run {
        cpu: (usage.utime + usage.stime).as_secs_f64().max(1e-6),
        wall: begun.elapsed().as_secs_f64(),
        memory: usage.maxrss,
    })
}

fn failed(command: &str, how: &dyn std::fmt::Display) -> Error {
    Error::Command { command: command.to_owned(), how: format!("failed: {how}") }
}

fn corpus(megabytes: u32) -> Result<std::path::PathBuf> {
    let folder = root().join(format!("target/bench/learn-{megabytes}"));
    if !Path::new(&folder.join("expected.json")).exists() {
        let generator = root().join("xtask/checks/gen_transcripts.py");
        let sessions = (megabytes * 5 / 6).max(1).to_string();
        let megabytes = megabytes.to_string();
        let arguments =
            ["--sessions", &sessions, "--mb", &megabytes, "--profile", "clean", "--seed", "7", "--out"];
        run_command(Command::new("python3").arg(generator).args(arguments).arg(&folder))?;
    }
    Ok(folder)
}

fn mebibytes(bytes: u64) -> f64 {
    f64::from(u32::try_from(bytes / 1024).unwrap_or(u32::MAX)) / 1024.0
}
