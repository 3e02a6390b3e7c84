//! `cargo xtask bench nodes`: how many turns one, two and three nodes on one Postgres carry, where that ends, and what a turn costs
//! each part; the same clients on one node with SQLite stand beside it.
//!
//! Must never count what clients and model use: they run in this process.

mod kinds;
pub(crate) mod many;
mod plot;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use engross_testkit::instant::InstantModel;
use engross_testkit::postgres::PostgresServer;

use self::plot::{Curve, draw};
use super::build;
use super::serve::load::{self, Keys, Load, Shape, percentile};
use super::serve::process::Server;
use crate::{Error, Result, root, say};

/// Clients at once, over all nodes.
const CLIENTS: [usize; 7] = [1, 2, 4, 8, 16, 32, 64];

/// What was seen with so many clients.
struct SaturationPoint {
    per_second: f64,
    p50: Duration,
    p99: Duration,
    /// For each turn.
    of_nodes: Duration,
    /// For each turn.
    of_database: Duration,
}

impl SaturationPoint {
    /// As cells of a table: how many a second, milliseconds, microseconds.
    fn cells(&self) -> String {
        format!(
            "{:.0} | {:.2} | {:.2} | {:.0} | {:.0}",
            self.per_second,
            self.p50.as_secs_f64() * 1e3,
            self.p99.as_secs_f64() * 1e3,
            self.of_nodes.as_secs_f64() * 1e6,
            self.of_database.as_secs_f64() * 1e6,
        )
    }
}

/// Measures, prints a table, and draws the curves into `pictures`.
pub(crate) fn run(turns: usize, pictures: Option<&Path>) -> Result<()> {
    let built = build()?;
    let epoch = Instant::now();
    let model = InstantModel::start(epoch);
    say("CPU is user and system time for each turn, of all nodes and of all processes of the database\n");
    say("| nodes | clients | turns/s | p50 ms | p99 ms | nodes µs | database µs |");
    say("|---|---:|---:|---:|---:|---:|---:|");
    let mut kept = Vec::new();
    let mut curves: Vec<(String, Vec<SaturationPoint>)> = Vec::new();
    for (name, nodes) in [("1, SQLite", 0), ("1", 1), ("2", 2), ("3", 3)] {
        let database = if nodes == 0 { None } else { PostgresServer::start() };
        if nodes > 0 && database.is_none() {
            say("there is no Postgres: install it");
            break;
        }
        let store = database.as_ref().map_or_else(|| "sqlite".to_owned(), PostgresServer::url);
        let servers: Vec<Server> = (0..nodes.max(1))
            .map(|number| start(&built.engine, &model, &store, &format!("{nodes}-{number}")))
            .collect::<Result<_>>()?;
        measure(&servers, database.as_ref(), 8, turns / 2, "warm", epoch)?;
        let before = size(database.as_ref());
        let mut points = Vec::new();
        for clients in CLIENTS {
            let prefix = format!("{nodes}-{clients}");
            let point = measure(&servers, database.as_ref(), clients, turns, &prefix, epoch)?;
            say(&format!("| {name} | {clients} | {} |", point.cells()));
            points.push(point);
        }
        kept.push(kept_line(
            name,
            &servers,
            size(database.as_ref()).saturating_sub(before),
            turns * CLIENTS.len(),
        )?);
        curves.push((name.to_owned(), points));
    }
    say("");
    for line in kept {
        say(&line);
    }
    let kinds = kinds::run(&built.engine, &model, (turns / 10).max(48))?;
    let Some(folder) = pictures else { return Ok(()) };
    let carried = each(&curves, |point| point.per_second);
    let waits = each(&curves, |point| point.p99.as_secs_f64() * 1e3);
    let turns = draw("Turns that are carried", "turns/s", &CLIENTS, &carried);
    write(&folder.join("sizing-turns.svg"), &turns)?;
    let waits = draw("How long 99 of 100 turns take at most", "ms", &CLIENTS, &waits);
    write(&folder.join("sizing-waits.svg"), &waits)?;
    for kind in kinds {
        let carried = each(&kind.curves, |point| point.per_second);
        let drawn = draw(kind.title, "a second", &kinds::CLIENTS, &carried);
        write(&folder.join(format!("sizing-{}.svg", kind.name)), &drawn)?;
    }
    Ok(())
}

/// A curve of one value for each number of nodes.
fn each(curves: &[(String, Vec<SaturationPoint>)], of: fn(&SaturationPoint) -> f64) -> Vec<Curve> {
    let curve = |(name, points): &(String, Vec<SaturationPoint>)| {
        let nodes = if name == "1" || name.contains("SQLite") { "node" } else { "nodes" };
        let name = name.replacen(',', &format!(" {nodes},"), 1);
        let name = if name.contains(nodes) { name } else { format!("{name} {nodes}") };
        Curve { name, values: points.iter().map(of).collect() }
    };
    curves.iter().map(curve).collect()
}

/// The bytes of the database; nought where there is none.
fn size(database: Option<&PostgresServer>) -> u64 {
    let told = database.map(|database| database.psql("SELECT pg_database_size(current_database())"));
    told.and_then(|told| told.parse().ok()).unwrap_or(0)
}

/// What so many turns have left behind.
fn kept_line(name: &str, servers: &[Server], grown: u64, turns: usize) -> Result<String> {
    let memory: Vec<String> =
        servers.iter().map(|server| Ok(format!("{:.0} MiB", server.memory()?))).collect::<Result<_>>()?;
    let a_turn = grown / turns.max(1) as u64;
    Ok(format!(
        "{name}: after {turns} turns {} of memory; the database has grown by {a_turn} bytes a turn",
        memory.join(", ")
    ))
}

fn start(engine: &Path, model: &InstantModel, store: &str, name: &str) -> Result<Server> {
    let folder = fresh_folder(name)?;
    let settings = folder.join("config.toml");
    write(&settings, "")?;
    let model = format!("openai-compatible:{}#instant", model.url());
    let mut command = Command::new(engine);
    command.args(["serve", "--listen", "127.0.0.1:0", "--model", &model, "--store", store, "--data"]);
    command.arg(&folder).env_remove("ENGROSS_TOKEN").env("ENGROSS_CONFIG", settings);
    Server::start(&mut command)
}

/// An empty folder.
fn fresh_folder(name: &str) -> Result<PathBuf> {
    let folder = root().join("target/bench/nodes").join(name);
    if folder.exists() {
        std::fs::remove_dir_all(&folder).map_err(Error::file(&folder))?;
    }
    std::fs::create_dir_all(&folder).map_err(Error::file(&folder))?;
    Ok(folder)
}

/// Has so many clients speak, an equal share of them to each node. Where there are fewer clients than nodes, some nodes rest.
fn measure(
    servers: &[Server],
    database: Option<&PostgresServer>,
    clients: usize,
    turns: usize,
    prefix: &str,
    epoch: Instant,
) -> Result<SaturationPoint> {
    let shares: Vec<usize> = (0..servers.len())
        .map(|number| clients / servers.len() + usize::from(number < clients % servers.len()))
        .collect();
    let speak = || {
        std::thread::scope(|scope| {
            let speaking: Vec<_> = servers
                .iter()
                .zip(&shares)
                .enumerate()
                .filter(|(_, (_, share))| **share > 0)
                .map(|(number, (server, share))| {
                    let prefix = format!("{prefix}-{number}");
                    let requests = turns * share / clients;
                    scope.spawn(move || {
                        let (keys, shape, message) = (Keys::Distinct, Shape::Whole, "hi");
                        let load = Load {
                            requests,
                            concurrency: *share,
                            keys,
                            shape,
                            prefix: &prefix,
                            message,
                            epoch,
                        };
                        load::run(&load, server.address)
                    })
                })
                .collect();
            let joined = speaking.into_iter().map(std::thread::ScopedJoinHandle::join);
            joined
                .map(|heard| heard.unwrap_or_else(|_| Err(Error::Server("a client died".to_owned()))))
                .collect::<Result<Vec<_>>>()
        })
    };
    measured(servers, database, || Ok(speak()?.into_iter().flat_map(|heard| heard.latencies).collect()))
}

/// What nodes and database use while `work` is done, which tells how long each request took.
fn measured(
    servers: &[Server],
    database: Option<&PostgresServer>,
    work: impl FnOnce() -> Result<Vec<Duration>>,
) -> Result<SaturationPoint> {
    let used = || -> Result<(Duration, Duration)> {
        let nodes = servers.iter().map(Server::cpu).sum::<Result<Duration>>()?;
        Ok((nodes, database.map_or(Duration::ZERO, PostgresServer::cpu)))
    };
    let before = used()?;
    let begun = Instant::now();
    let mut latencies = work()?;
    let wall = begun.elapsed();
    let after = used()?;
    latencies.sort();
    let done = latencies.len() as f64;
    Ok(SaturationPoint {
        per_second: done / wall.as_secs_f64(),
        p50: percentile(&latencies, 0.5),
        p99: percentile(&latencies, 0.99),
        of_nodes: after.0.saturating_sub(before.0).div_f64(done),
        of_database: after.1.saturating_sub(before.1).div_f64(done),
    })
}

#[expect(clippy::disallowed_methods, reason = "a chore writes what it measured")]
fn write(path: &Path, text: &str) -> Result<()> {
    std::fs::write(path, text).map_err(Error::file(path))
}
