//! What must not grow: the cost of a turn with the sessions in the store and with the turns of a session, the memory; and
//! the two times that people wait for.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use super::bars::{self, Bars};
use super::load::{self, Keys, Load, Shape, percentile};
use super::process::Server;
use super::{Bench, median, microseconds, middle, milliseconds};
use crate::{Error, Result, say};

/// Turns of which the cost is taken.
const BATCH: usize = 1_000;
/// How often the small and the large case are compared.
const PAIRS: usize = 5;
const HI: &str = "hi";
/// Clients, but for the first content.
const CLIENTS: usize = 8;
/// How often a start is tried.
const STARTS: usize = 5;
/// The rest of a stream comes so much later, so that content cannot come with it.
const PAUSE: Duration = Duration::from_millis(5);

/// Measures and prints all of them.
pub(super) fn run(bench: &Bench, quick: bool, bars: &mut Bars) -> Result<()> {
    let (sessions, turns) = if quick { (2_000, 200) } else { (10_000, 1_000) };
    say("\n| what | figure | bar |\n|---|---:|---:|");
    first_content(bench, if quick { 100 } else { 400 }, bars)?;
    let server = bench.engross("sessions", false)?;
    many_sessions(bench, &server, sessions, bars)?;
    drop(server);
    ready(bench, sessions, bars)?;
    long_sessions(bench, turns, bars)
}

fn first_content(bench: &Bench, requests: usize, bars: &mut Bars) -> Result<()> {
    let (ours, floor) = (bench.engross("content", false)?, bench.floor()?);
    bench.model.pause_after_content(PAUSE);
    let delay = |server: &Server| {
        let load = Load {
            requests,
            concurrency: 1,
            keys: Keys::Distinct,
            shape: Shape::Stream,
            prefix: "content",
            message: HI,
            epoch: bench.epoch,
        };
        load::run(&load, server.address).map(|heard| percentile(&heard.delays, 0.5))
    };
    let (ours, floor) = (delay(&ours)?, delay(&floor)?);
    bench.model.pause_after_content(Duration::ZERO);
    line(
        &format!("model's content to client, p50, 1 client (floor {:.2} ms)", milliseconds(floor)),
        milliseconds(ours),
        &bars::DELAY,
        bars,
    );
    Ok(())
}

/// Two servers are asked in turn: one with few sessions, one with many.
fn many_sessions(bench: &Bench, many: &Server, sessions: usize, bars: &mut Bars) -> Result<()> {
    let few = bench.engross("few", false)?;
    turns(bench, many, sessions, Keys::Distinct, "before", HI)?;
    line(&format!("resident memory after {sessions} sessions"), many.memory()?, &bars::MEMORY, bars);
    // As warm as the other one, with 100 sessions.
    turns(bench, &few, sessions / 4, Keys::Cycle(100), "before", HI)?;
    let mut pairs = Vec::new();
    for pair in 0..PAIRS {
        let prefix = format!("measured{pair}");
        let of_few = turns(bench, &few, BATCH / 2, Keys::Distinct, &prefix, HI)?;
        let of_many = turns(bench, many, BATCH / 2, Keys::Distinct, &prefix, HI)?;
        pairs.push((of_few, of_many));
    }
    grown(&format!("CPU of a turn with 100 and with {sessions} sessions"), &pairs, bars);
    Ok(())
}

/// Messages have the length of a paragraph, so that what is kept of them weighs.
fn long_sessions(bench: &Bench, length: usize, bars: &mut Bars) -> Result<()> {
    let server = bench.engross("turns", false)?;
    let message = "word ".repeat(200);
    turns(bench, &server, CLIENTS * length, Keys::Worker, "long", &message)?;
    let mut pairs = Vec::new();
    for pair in 0..PAIRS {
        let prefix = format!("short{pair}");
        turns(bench, &server, BATCH, Keys::Cycle(100), &prefix, &message)?;
        let short = turns(bench, &server, BATCH, Keys::Cycle(100), &prefix, &message)?;
        let long = turns(bench, &server, BATCH, Keys::Worker, "long", &message)?;
        pairs.push((short, long));
    }
    grown(&format!("CPU of a turn behind 10 to 20 and behind {length} turns of 1 kB"), &pairs, bars);
    Ok(())
}

fn ready(bench: &Bench, sessions: usize, bars: &mut Bars) -> Result<()> {
    let mut times = Vec::new();
    for _ in 0..STARTS {
        let start = Instant::now();
        let server = bench.engross("sessions", true)?;
        let is_ready = |error: std::io::Error| Error::Server(format!("/readyz: {error}"));
        let mut stream = TcpStream::connect(server.address).map_err(is_ready)?;
        let request =
            format!("GET /readyz HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n\r\n", server.address);
        stream.write_all(request.as_bytes()).map_err(is_ready)?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).map_err(is_ready)?;
        if !answer.starts_with("HTTP/1.1 200") {
            return Err(Error::Server(format!("/readyz: {answer}")));
        }
        times.push(start.elapsed());
    }
    let what = format!("start to ready with {sessions} sessions");
    line(&what, milliseconds(median(times)), &bars::READY, bars);
    Ok(())
}

/// CPU of the server for each of so many turns.
fn turns(
    bench: &Bench,
    server: &Server,
    requests: usize,
    keys: Keys,
    prefix: &str,
    message: &str,
) -> Result<Duration> {
    let (concurrency, shape, epoch) = (CLIENTS, Shape::Whole, bench.epoch);
    let load = Load { requests, concurrency, keys, shape, prefix, message, epoch };
    let before = server.cpu()?;
    load::run(&load, server.address)?;
    Ok(server.cpu()?.saturating_sub(before).div_f64(requests as f64))
}

/// Small and large cases that were measured one after the other.
fn grown(what: &str, pairs: &[(Duration, Duration)], bars: &mut Bars) {
    let ratio = |(small, large): &(Duration, Duration)| large.as_secs_f64() / small.as_secs_f64().max(1e-9);
    let small = median(pairs.iter().map(|(small, _)| *small).collect());
    let large = median(pairs.iter().map(|(_, large)| *large).collect());
    let what = format!("{what}: {:.0} and {:.0} µs", microseconds(small), microseconds(large));
    line(&what, middle(pairs.iter().map(ratio).collect()), &bars::GROWTH, bars);
}

fn line(what: &str, figure: f64, bar: &bars::Bar, bars: &mut Bars) {
    say(&format!("| {what} | {figure:.2} {} | ≤ {} |", bar.unit, bar.most));
    bars.check(bar, what, figure);
}
