//! A model provider on a loopback port that answers chat completions at once, for measurements.
//!
//! Must never cost more than the least that a provider can: it looks for two things in a request and parses nothing.
#![expect(clippy::expect_used, reason = "a measurement that cannot set up its model has failed")]

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinSet;

/// The model; it stops when dropped.
///
/// Its answer is `ok N`, streamed or not as it is asked to: `N` are the nanoseconds from the epoch it was given to the
/// moment it wrote that.
pub struct InstantModel {
    address: SocketAddr,
    pause: Arc<AtomicU64>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl InstantModel {
    /// Answers on a thread of its own.
    #[must_use]
    pub fn start(epoch: Instant) -> Self {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
        listener.set_nonblocking(true).expect("a non-blocking listener");
        let address = listener.local_addr().expect("an address");
        let pause = Arc::new(AtomicU64::new(0));
        let (stop, stopped) = oneshot::channel();
        let for_thread = Arc::clone(&pause);
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.expect("a runtime").block_on(accept(listener, epoch, for_thread, stopped));
        });
        Self { address, pause, stop: Some(stop), thread: Some(thread) }
    }

    /// `http://127.0.0.1:PORT/v1`
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// How long a stream rests between its content and its end, in whole milliseconds; not at all at first.
    pub fn pause_after_content(&self, pause: Duration) {
        self.pause.store(u64::try_from(pause.as_millis()).unwrap_or(u64::MAX), Ordering::Relaxed);
    }
}

impl Drop for InstantModel {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

async fn accept(
    listener: std::net::TcpListener,
    epoch: Instant,
    pause: Arc<AtomicU64>,
    mut stopped: oneshot::Receiver<()>,
) {
    let listener = TcpListener::from_std(listener).expect("a listener");
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            _ = &mut stopped => return,
            accepted = listener.accept() => {
                if let Ok((stream, _)) = accepted {
                    let pause = Arc::clone(&pause);
                    connections.spawn(async move { connection(stream, epoch, &pause).await });
                }
            }
        }
    }
}

/// Answers until the connection ends; what is no request ends it.
async fn connection(mut stream: TcpStream, epoch: Instant, pause: &AtomicU64) -> Option<()> {
    let _ = stream.set_nodelay(true);
    let mut buffer = Vec::new();
    loop {
        let streams = request(&mut stream, &mut buffer).await?;
        let pause = Duration::from_millis(pause.load(Ordering::Relaxed));
        let nanoseconds = epoch.elapsed().as_nanos();
        if !streams {
            stream.write_all(&whole(nanoseconds)).await.ok()?;
            continue;
        }
        let mut head = head_and_content(nanoseconds);
        if pause.is_zero() {
            head.extend_from_slice(&end());
            stream.write_all(&head).await.ok()?;
        } else {
            stream.write_all(&head).await.ok()?;
            tokio::time::sleep(pause).await;
            stream.write_all(&end()).await.ok()?;
        }
    }
}

/// Reads a request away, and says whether it wants a stream.
async fn request(stream: &mut TcpStream, buffer: &mut Vec<u8>) -> Option<bool> {
    let (head, length) = loop {
        if let Some(end) = buffer.windows(4).position(|window| window == b"\r\n\r\n") {
            let head = std::str::from_utf8(&buffer[..end]).ok()?.to_ascii_lowercase();
            let length = head.lines().find_map(|line| line.strip_prefix("content-length:"));
            break (end + 4, length?.trim().parse::<usize>().ok()?);
        }
        if stream.read_buf(buffer).await.ok()? == 0 {
            return None;
        }
    };
    while buffer.len() < head + length {
        if stream.read_buf(buffer).await.ok()? == 0 {
            return None;
        }
    }
    let wanted = b"\"stream\":true";
    let streams = buffer[head..head + length].windows(wanted.len()).any(|window| window == wanted);
    buffer.drain(..head + length);
    Some(streams)
}

fn whole(nanoseconds: u128) -> Vec<u8> {
    let body = format!(
        "{{\"id\":\"i\",\"object\":\"chat.completion\",\"created\":0,\"model\":\"instant\",\"choices\":[{{\"index\":0,\
         \"message\":{{\"role\":\"assistant\",\"content\":\"ok {nanoseconds}\"}},\"finish_reason\":\"stop\"}}]}}"
    );
    format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}

fn head_and_content(nanoseconds: u128) -> Vec<u8> {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
    let delta = format!("{{\"role\":\"assistant\",\"content\":\"ok {nanoseconds}\"}}");
    format!("{head}{}", piece(&event(&delta, "null"))).into_bytes()
}

fn end() -> Vec<u8> {
    let events = format!("{}data: [DONE]\n\n", event("{}", "\"stop\""));
    format!("{}0\r\n\r\n", piece(&events)).into_bytes()
}

fn event(delta: &str, finish: &str) -> String {
    format!(
        "data: {{\"id\":\"i\",\"object\":\"chat.completion.chunk\",\"created\":0,\"model\":\"instant\",\"choices\":\
         [{{\"index\":0,\"delta\":{delta},\"finish_reason\":{finish}}}]}}\n\n"
    )
}

fn piece(text: &str) -> String {
    format!("{:x}\r\n{text}\r\n", text.len())
}
