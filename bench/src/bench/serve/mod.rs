//! `cargo xtask bench serve`: what a turn over HTTP costs, beside a floor that stores nothing.
//!
//! Clients and model run in this process, so that neither counts. Both servers are asked in turn, so that other work on the
//! machine falls on both.

mod bars;
pub(crate) mod floor;
mod growth;
pub(super) mod load;
pub(super) mod process;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use engross_testkit::instant::InstantModel;

use self::bars::{Bar, Bars};
use self::load::{Keys, Load, Shape, percentile};
use self::process::Server;
use super::{BuiltPrograms, build};
use crate::{Error, Result, root, say};

/// How many clients ask for what.
struct Row {
    name: &'static str,
    concurrency: usize,
    keys: Keys,
    /// How many times the floor it may cost.
    bar: Option<Bar>,
}

const ROWS: [Row; 7] = [
    Row { name: "1, new sessions", concurrency: 1, keys: Keys::Distinct, bar: Some(bars::ALONE) },
    Row { name: "16, new sessions", concurrency: 16, keys: Keys::Distinct, bar: Some(bars::TOGETHER) },
    Row { name: "64, new sessions", concurrency: 64, keys: Keys::Distinct, bar: Some(bars::TOGETHER) },
    Row { name: "256, new sessions", concurrency: 256, keys: Keys::Distinct, bar: Some(bars::TOGETHER) },
    Row { name: "16, a session each", concurrency: 16, keys: Keys::Worker, bar: None },
    Row { name: "1, one session", concurrency: 1, keys: Keys::Cycle(1), bar: Some(bars::ALONE) },
    Row { name: "16, one session", concurrency: 16, keys: Keys::Cycle(1), bar: Some(bars::ALONE) },
];

/// How much is asked.
struct Extent {
    rounds: usize,
    /// Requests of a load with one client.
    alone: usize,
    /// Requests of a load with many.
    together: usize,
}

/// One load on one server.
struct ServeFigures {
    /// For each turn.
    cpu: Duration,
    p50: Duration,
    p99: Duration,
    per_second: f64,
}

/// The servers, and what they are asked with.
struct Bench {
    built: BuiltPrograms,
    folder: PathBuf,
    model: InstantModel,
    epoch: Instant,
}

/// Measures, prints tables, and fails when a bar is missed.
pub(crate) fn run(quick: bool, rows: Option<&str>) -> Result<()> {
    let extent = if quick {
        Extent { rounds: 1, alone: 500, together: 1500 }
    } else {
        Extent { rounds: 5, alone: 1500, together: 4000 }
    };
    let epoch = Instant::now();
    let bench = Bench {
        built: build()?,
        folder: root().join("target/bench/serve"),
        model: InstantModel::start(epoch),
        epoch,
    };
    let mut bars = Bars::default();
    bench.table(&extent, rows.unwrap_or_default(), &mut bars)?;
    if rows.is_none() {
        growth::run(&bench, quick, &mut bars)?;
    }
    bars.judge()
}

impl Bench {
    /// `engross serve` with the store in a folder of that name, begun anew unless it is to be `kept`.
    fn engross(&self, name: &str, kept: bool) -> Result<Server> {
        let folder = self.folder.join(name);
        if !kept && folder.exists() {
            fs::remove_dir_all(&folder).map_err(Error::file(&folder))?;
        }
        fs::create_dir_all(&folder).map_err(Error::file(&folder))?;
        let settings = folder.join("config.toml");
        write(&settings, b"")?;
        Server::start(
            Command::new(&self.built.engine)
                .arg("serve")
                .arg("--model")
                .arg(format!("openai-compatible:{}#instant", self.model.url()))
                .arg("--data")
                .arg(&folder)
                .args(["--listen", "127.0.0.1:0"])
                .env_remove("ENGROSS_TOKEN")
                .env("ENGROSS_CONFIG", settings),
        )
    }

    fn floor(&self) -> Result<Server> {
        Server::start(Command::new(&self.built.chore).arg("floor-server").arg(self.model.url()))
    }

    /// Every row whose name holds `wanted`, as often as there are rounds.
    fn table(&self, extent: &Extent, wanted: &str, bars: &mut Bars) -> Result<()> {
        let (ours, floor) = (self.engross("table", false)?, self.floor()?);
        for shape in [Shape::Whole, Shape::Stream] {
            for server in [&ours, &floor] {
                self.measure(server, &ROWS[1], shape, extent.alone, "warm")?;
            }
        }
        say(&format!(
            "medians of {} rounds; CPU is user and system time of the server for each turn\n",
            extent.rounds
        ));
        say(
            "| clients | answer | engross µs | floor µs | ratio | bar | p50 ms | p99 ms | turns/s | floor p50 ms |",
        );
        say("|---|---|---:|---:|---:|---:|---:|---:|---:|---:|");
        for row in ROWS.iter().filter(|row| row.name.contains(wanted)) {
            for shape in [Shape::Whole, Shape::Stream] {
                let requests = if row.concurrency == 1 { extent.alone } else { extent.together };
                let (mut of_ours, mut of_floor) = (Vec::new(), Vec::new());
                for round in 0..extent.rounds {
                    let prefix = format!("{}-{shape:?}-{round}", row.name.replace([' ', ','], ""));
                    of_ours.push(self.measure(&ours, row, shape, requests, &prefix)?);
                    of_floor.push(self.measure(&floor, row, shape, requests, &prefix)?);
                }
                report(row, shape, &of_ours, &of_floor, bars);
            }
        }
        Ok(())
    }

    fn measure(
        &self,
        server: &Server,
        row: &Row,
        shape: Shape,
        requests: usize,
        prefix: &str,
    ) -> Result<ServeFigures> {
        let Row { concurrency, keys, .. } = *row;
        let load = Load { requests, concurrency, keys, shape, prefix, message: "hi", epoch: self.epoch };
        let before = server.cpu()?;
        let heard = load::run(&load, server.address)?;
        let cpu = server.cpu()?.saturating_sub(before);
        Ok(ServeFigures {
            cpu: cpu.div_f64(requests as f64),
            p50: percentile(&heard.latencies, 0.5),
            p99: percentile(&heard.latencies, 0.99),
            per_second: requests as f64 / heard.wall.as_secs_f64(),
        })
    }
}

impl ServeFigures {
    /// The median of each figure.
    fn medians(all: &[Self]) -> Self {
        let duration = |of: fn(&Self) -> Duration| median(all.iter().map(of).collect());
        Self {
            cpu: duration(|measured| measured.cpu),
            p50: duration(|measured| measured.p50),
            p99: duration(|measured| measured.p99),
            per_second: middle(all.iter().map(|measured| measured.per_second).collect()),
        }
    }
}

/// Ratios are those of one round each: what disturbs a round disturbs both sides of it.
fn report(row: &Row, shape: Shape, ours: &[ServeFigures], floor: &[ServeFigures], bars: &mut Bars) {
    let answer = if shape == Shape::Stream { "stream" } else { "whole" };
    let ratio = |(ours, floor): (&ServeFigures, &ServeFigures)| {
        ours.cpu.as_secs_f64() / floor.cpu.as_secs_f64().max(1e-9)
    };
    let ratio = middle(ours.iter().zip(floor).map(ratio).collect());
    let spread = |ours: &ServeFigures| ours.p99.as_secs_f64() / ours.p50.as_secs_f64().max(1e-9);
    let spread = middle(ours.iter().map(spread).collect());
    let (ours, floor) = (ServeFigures::medians(ours), ServeFigures::medians(floor));
    say(&format!(
        "| {} | {answer} | {:.0} | {:.0} | {ratio:.2} | {} | {:.2} | {:.2} | {:.0} | {:.2} |",
        row.name,
        microseconds(ours.cpu),
        microseconds(floor.cpu),
        row.bar.as_ref().map_or_else(String::new, |bar| format!("≤ {}", bar.most)),
        milliseconds(ours.p50),
        milliseconds(ours.p99),
        ours.per_second,
        milliseconds(floor.p50),
    ));
    if let Some(bar) = &row.bar {
        bars.check(bar, &format!("{} ({answer})", row.name), ratio);
    }
    if row.concurrency == 256 {
        bars.check(&bars::SPREAD, &format!("{} ({answer})", row.name), spread);
    }
}

fn middle(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

fn median(mut values: Vec<Duration>) -> Duration {
    values.sort();
    values.get(values.len() / 2).copied().unwrap_or_default()
}

fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}

fn microseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e6
}

#[expect(clippy::disallowed_methods, reason = "a chore writes the settings of what it measures")]
fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    fs::write(path, bytes).map_err(Error::file(path))
}
