//! `cargo xtask bench write`: what a write session costs, beside floors that only move the bytes.
//!
//! Must never compare figures of different runs: both sides take turns in each round, and ratios are those of one round.

mod client;
mod engine;
pub(crate) mod floor;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use wait4::Wait4;

use self::client::Client;
use super::serve::process::Server;
use super::{BuiltPrograms, build};
use crate::{Error, Result, root, say};

const MIB: u64 = 1 << 20;
/// The file that is sent from end to end.
const BYTES: u64 = 64 * MIB;
/// How many times each floor it may take.
const MOST: f64 = 1.5;
/// The files whose memory is compared, and by how many MiB it may differ.
const SMALL: u64 = MIB;
const LARGE: u64 = 1024 * MIB;
const GROWTH: f64 = 8.0;

/// What one side needs for one file.
#[derive(Clone, Copy)]
struct Cost {
    wall: Duration,
    cpu: Duration,
}

/// Measures, prints tables, and fails when a bar is missed.
pub(crate) fn run(rounds: usize) -> Result<()> {
    let mut missed = Vec::new();
    engine::run(&mut missed)?;
    let built = build()?;
    let folder = root().join("target/bench/write");
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(Error::file(&folder))?;
    }
    fs::create_dir_all(&folder).map_err(Error::file(&folder))?;
    end_to_end(&built, &folder, rounds, &mut missed)?;
    memory(&built, &folder, &mut missed)?;
    fs::remove_dir_all(&folder).map_err(Error::file(&folder))?;
    if missed.is_empty() { Ok(()) } else { Err(Error::Missed(missed.join("; "))) }
}

/// `engross serve` with a root of its own.
fn serve(built: &BuiltPrograms, folder: &Path) -> Result<Server> {
    let settings = folder.join("config.toml");
    fs::create_dir_all(folder.join("root")).map_err(Error::file(folder))?;
    write(&settings, b"")?;
    Server::start(
        Command::new(&built.engine)
            .args(["serve", "--listen", "127.0.0.1:0", "--store", "memory", "--model", "rules", "--root"])
            .arg(folder.join("root"))
            .arg("--data")
            .arg(folder.join("data"))
            .env_remove("ENGROSS_TOKEN")
            .env("ENGROSS_CONFIG", settings),
    )
}

/// 64 MiB through HTTP, by a floor that writes them twice, and by `cat`.
fn end_to_end(built: &BuiltPrograms, folder: &Path, rounds: usize, missed: &mut Vec<String>) -> Result<()> {
    let source = folder.join("source");
    let content = engine::prose(BYTES);
    write(&source, &content)?;
    let server = serve(built, &folder.join("served"))?;
    let client = Client { address: server.address };
    let (mut ours, mut twice, mut once) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..=rounds {
        let target = format!("{round}.md");
        let before = server.ticks()?;
        let begun = Instant::now();
        client.send(&target, BYTES, &content)?;
        let wall = begun.elapsed();
        let of_ours = Cost { wall, cpu: server.ticks()?.saturating_sub(before) };
        remove(&folder.join("served/root").join(&target))?;
        let of_twice =
            measure(Command::new(&built.chore).arg("floor-write").arg(&source).arg(folder.join("twice")))?;
        let once_path = folder.join("once");
        let line = "cat \"$0\" > \"$1\" && sync \"$1\"";
        let of_once = measure(Command::new("sh").args(["-c", line]).arg(&source).arg(&once_path))?;
        remove(&once_path)?;
        // The first round warms both.
        if round > 0 {
            ours.push(of_ours);
            twice.push(of_twice);
            once.push(of_once);
        }
    }
    say(&format!(
        "\n64 MiB from begin to receipt, medians of {rounds} rounds; ratios are of one round each\n"
    ));
    say("| what | wall ms | CPU ms | engross to it, wall | bar | engross to it, CPU |");
    say("|---|---:|---:|---:|---:|---:|");
    let shown = |costs: &[Cost]| format!("{:.0} | {:.0}", median(costs, wall_ms), median(costs, cpu_ms));
    say(&format!("| engross, over HTTP | {} | | | |", shown(&ours)));
    for (name, floor) in [("spool, then target", &twice), ("cat and fsync", &once)] {
        let ratio = |of: fn(&Cost) -> f64| {
            let ratios = ours.iter().zip(floor).map(|(ours, floor)| of(ours) / of(floor).max(1e-3));
            middle(ratios.collect())
        };
        let (wall, cpu) = (ratio(wall_ms), ratio(cpu_ms));
        say(&format!("| {name} | {} | {wall:.2} | ≤ {MOST} | {cpu:.2} |", shown(floor)));
        if wall > MOST {
            missed.push(format!("64 MiB over HTTP: {wall:.2} times \"{name}\", and may be {MOST}"));
        }
    }
    Ok(())
}

/// The most memory of a server that has taken one file.
fn memory(built: &BuiltPrograms, folder: &Path, missed: &mut Vec<String>) -> Result<()> {
    say("\n| one file of | peak MiB | resident afterwards MiB |\n|---|---:|---:|");
    let block = engine::prose(SMALL);
    let mut peaks = Vec::new();
    for (name, bytes) in [("1 MiB", SMALL), ("1 GiB", LARGE)] {
        let folder: PathBuf = folder.join(format!("memory-{bytes}"));
        let server = serve(built, &folder)?;
        let client = Client { address: server.address };
        client.send("file.md", bytes, &block)?;
        let (peak, resident) = (server.status("VmHWM:")?, server.memory()?);
        say(&format!("| {name} | {peak:.1} | {resident:.1} |"));
        peaks.push(peak);
        let path = folder.join("root/file.md");
        let length = fs::metadata(&path).map_err(Error::file(&path))?.len();
        if length != bytes {
            return Err(Error::Server(format!("a file of {bytes} bytes has {length}")));
        }
        remove(&path)?;
    }
    if let [small, large] = peaks[..]
        && large - small > GROWTH
    {
        missed.push(format!("memory: {:.1} MiB more for 1 GiB, and may be {GROWTH}", large - small));
    }
    Ok(())
}

fn measure(command: &mut Command) -> Result<Cost> {
    let shown = format!("{command:?}").replace('"', "");
    let failed = |how: String| Error::Command { command: shown.clone(), how };
    let begun = Instant::now();
    let mut child = command
        .stdin(Stdio::null())
        .spawn()
        .map_err(|error| failed(format!("could not be started: {error}")))?;
    let usage = child.wait4().map_err(|error| failed(format!("could not be waited for: {error}")))?;
    let wall = begun.elapsed();
    if !usage.status.success() {
        return Err(failed(format!("ended with {}", usage.status)));
    }
    Ok(Cost { wall, cpu: usage.rusage.utime + usage.rusage.stime })
}

fn wall_ms(cost: &Cost) -> f64 {
    cost.wall.as_secs_f64() * 1e3
}

fn cpu_ms(cost: &Cost) -> f64 {
    cost.cpu.as_secs_f64() * 1e3
}

fn median(costs: &[Cost], of: fn(&Cost) -> f64) -> f64 {
    middle(costs.iter().map(of).collect())
}

fn middle(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}

#[expect(clippy::disallowed_methods, reason = "a bench makes and removes files of its own")]
fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    fs::write(path, bytes).map_err(Error::file(path))
}

#[expect(clippy::disallowed_methods, reason = "a bench makes and removes files of its own")]
fn remove(path: &Path) -> Result<()> {
    fs::remove_file(path).map_err(Error::file(path))
}
