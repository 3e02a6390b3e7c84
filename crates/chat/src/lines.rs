//! What is typed, line by line, and Ctrl-C.
//!
//! Must never hold up the end: a line that nobody types is waited for on a thread of its own.

use std::io::{BufRead, Read};

use engross_protocol::{Exit, Failure};
use tokio::sync::mpsc::{Receiver, channel};

/// Bytes of a longest line.
const LONGEST: u64 = 1 << 20;

/// The lines of standard input, without their ends. A line that cannot be read is the last.
pub(super) fn lines() -> Receiver<Result<String, Failure>> {
    let (sender, receiver) = channel(1);
    std::thread::spawn(move || {
        let mut input = std::io::stdin().lock();
        loop {
            let line = next(&mut input);
            let is_last = !matches!(line, Some(Ok(_)));
            if let Some(line) = line
                && sender.blocking_send(line).is_err()
            {
                return;
            }
            if is_last {
                return;
            }
        }
    });
    receiver
}

fn next(input: &mut impl BufRead) -> Option<Result<String, Failure>> {
    let mut line = Vec::new();
    match input.take(LONGEST + 1).read_until(b'\n', &mut line) {
        Ok(0) => return None,
        Err(error) => {
            let message = format!("standard input cannot be read: {error}; check where it comes from");
            return Some(Err(Failure::new(Exit::Io, "READ_FAILED", message)));
        }
        Ok(_) => {}
    }
    if line.len() as u64 > LONGEST {
        let message = "a line of standard input is longer than 1 MiB; say it in shorter ones";
        return Some(Err(Failure::new(Exit::Usage, "TOO_LARGE", message)));
    }
    let text = String::from_utf8(line).map_err(|_| {
        Failure::new(Exit::Usage, "NOT_UTF8", "standard input is no UTF-8 text; send it as UTF-8")
    });
    Some(text.map(|text| text.trim_end_matches(['\n', '\r']).to_owned()))
}

/// Ctrl-C, again and again. From the first on it does not end the process by itself.
pub(super) struct Interrupts {
    #[cfg(unix)]
    signals: tokio::signal::unix::Signal,
}

impl Interrupts {
    pub(super) fn new() -> Result<Self, Failure> {
        #[cfg(unix)]
        {
            use tokio::signal::unix::{SignalKind, signal};
            let signals = signal(SignalKind::interrupt()).map_err(|error| {
                let message = format!("Ctrl-C cannot be listened for: {error}; close other programs");
                Failure::new(Exit::Io, "READ_FAILED", message)
            })?;
            Ok(Self { signals })
        }
        #[cfg(not(unix))]
        Ok(Self {})
    }

    /// Resolves at the next one.
    pub(super) async fn next(&mut self) {
        #[cfg(unix)]
        if self.signals.recv().await.is_none() {
            std::future::pending::<()>().await;
        }
        #[cfg(not(unix))]
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
