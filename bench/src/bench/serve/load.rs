//! The clients: connections that stay open, each with one request at a time.
//!
//! Must never count an answer that is not whole: the first one fails the run.

use std::cell::{Cell, RefCell};
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::LocalSet;

use crate::{Error, Result};

/// Which sessions the requests go to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::bench) enum Keys {
    /// A new one each.
    Distinct,
    /// One for each connection.
    Worker,
    /// So many, one after the other.
    Cycle(usize),
}

/// Whether the answers come as streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::bench) enum Shape {
    Whole,
    Stream,
}

/// What is asked.
pub(in crate::bench) struct Load<'a> {
    pub(in crate::bench) requests: usize,
    pub(in crate::bench) concurrency: usize,
    pub(in crate::bench) keys: Keys,
    pub(in crate::bench) shape: Shape,
    /// Begins every key: loads with the same one meet in the same sessions.
    pub(in crate::bench) prefix: &'a str,
    /// What the user says.
    pub(in crate::bench) message: &'a str,
    /// From when on the model counts.
    pub(in crate::bench) epoch: Instant,
}

/// What was heard.
pub(in crate::bench) struct ReceivedAnswer {
    /// From sending a request to the last byte of its answer, shortest first.
    pub(in crate::bench) latencies: Vec<Duration>,
    /// From the model's writing its content to its arrival, shortest first.
    pub(in crate::bench) delays: Vec<Duration>,
    /// From the first request to the last answer.
    pub(in crate::bench) wall: Duration,
}

/// Puts the load on a server.
pub(in crate::bench) fn run(load: &Load<'_>, address: SocketAddr) -> Result<ReceivedAnswer> {
    let failed = |error: &dyn std::fmt::Display| Error::Server(format!("{address}: {error}"));
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|error| failed(&error))?;
    let next = Cell::new(0);
    let samples = RefCell::new(Vec::with_capacity(load.requests));
    let start = Instant::now();
    runtime.block_on(LocalSet::new().run_until(async {
        let clients = (0..load.concurrency).map(|worker| client(load, address, worker, &next, &samples));
        futures_util::future::try_join_all(clients).await.map_err(|error| failed(&error))
    }))?;
    let wall = start.elapsed();
    let (mut latencies, mut delays): (Vec<Duration>, Vec<Duration>) =
        samples.into_inner().into_iter().unzip();
    latencies.sort();
    delays.sort();
    Ok(ReceivedAnswer { latencies, delays, wall })
}

/// The value below which `share` of all are.
pub(in crate::bench) fn percentile(sorted: &[Duration], share: f64) -> Duration {
    let index = (sorted.len() as f64 * share).ceil() as usize;
    sorted.get(index.clamp(1, sorted.len().max(1)) - 1).copied().unwrap_or_default()
}

async fn client(
    load: &Load<'_>,
    address: SocketAddr,
    worker: usize,
    next: &Cell<usize>,
    samples: &RefCell<Vec<(Duration, Duration)>>,
) -> std::result::Result<(), String> {
    let mut stream = TcpStream::connect(address).await.map_err(|error| error.to_string())?;
    stream.set_nodelay(true).map_err(|error| error.to_string())?;
    let body = json!({
        "model": "engross",
        "messages": [{"role": "user", "content": load.message}],
        "stream": load.shape == Shape::Stream,
    })
    .to_string();
    let mut buffer = Vec::new();
    loop {
        let number = next.get();
        if number >= load.requests {
            return Ok(());
        }
        next.set(number + 1);
        let key = match load.keys {
            Keys::Distinct => format!("{}-d{number}", load.prefix),
            Keys::Worker => format!("{}-w{worker}", load.prefix),
            Keys::Cycle(count) => format!("{}-c{}", load.prefix, number % count.max(1)),
        };
        let request = format!(
            "POST /v1/chat/completions HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\n\
             x-engross-session-key: {key}\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        let sent = Instant::now();
        stream.write_all(request.as_bytes()).await.map_err(|error| error.to_string())?;
        let came = answer(&mut stream, &mut buffer).await?;
        let latency = sent.elapsed();
        let text = String::from_utf8_lossy(&buffer);
        let is_whole = match load.shape {
            Shape::Whole => text.contains("\"finish_reason\":\"stop\""),
            Shape::Stream => text.contains("\"finish_reason\":\"stop\"") && text.contains("[DONE]"),
        };
        if !text.starts_with("HTTP/1.1 200") || !is_whole {
            return Err(format!("an answer is not whole: {text}"));
        }
        let written = stamp(&buffer).ok_or_else(|| format!("an answer is not the model's: {text}"))?;
        let delay = came.saturating_duration_since(load.epoch + Duration::from_nanos(written));
        samples.borrow_mut().push((latency, delay));
    }
}

/// Reads one answer into `buffer`, and says when its content came.
async fn answer(stream: &mut TcpStream, buffer: &mut Vec<u8>) -> std::result::Result<Instant, String> {
    buffer.clear();
    let mut came = None;
    let mut end = None;
    loop {
        let read = stream.read_buf(buffer).await.map_err(|error| error.to_string())?;
        if read == 0 {
            return Err(format!("the connection ended: {}", String::from_utf8_lossy(buffer)));
        }
        let now = Instant::now();
        if came.is_none() && stamp(buffer).is_some() {
            came = Some(now);
        }
        if end.is_none() {
            end = Some(End::of(buffer)).flatten();
        }
        let is_over = match end {
            Some(End::At(length)) => buffer.len() >= length,
            Some(End::Chunk) => buffer.ends_with(b"\r\n0\r\n\r\n"),
            None => false,
        };
        if is_over {
            return Ok(came.unwrap_or(now));
        }
    }
}

/// Where an answer ends.
#[derive(Clone, Copy)]
enum End {
    At(usize),
    Chunk,
}

impl End {
    /// Known once the head is there.
    fn of(buffer: &[u8]) -> Option<Self> {
        let head = memchr::memmem::find(buffer, b"\r\n\r\n")?;
        let text = std::str::from_utf8(buffer.get(..head)?).ok()?;
        let length = text.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            if name.eq_ignore_ascii_case("content-length") {
                value.trim().parse::<usize>().ok()
            } else {
                None
            }
        });
        Some(length.map_or(Self::Chunk, |length| Self::At(head + 4 + length)))
    }
}

/// The nanoseconds that the model has written into its content.
fn stamp(buffer: &[u8]) -> Option<u64> {
    let mark = b"\"content\":\"ok ";
    let at = memchr::memmem::find(buffer, mark)? + mark.len();
    let rest = buffer.get(at..)?;
    let digits = rest.get(..memchr::memchr(b'"', rest)?)?;
    std::str::from_utf8(digits).ok()?.parse().ok()
}
