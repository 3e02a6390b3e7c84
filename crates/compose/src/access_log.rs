//! Where the lines about requests go: a file that grows, or standard error.
//!
//! Must never keep a request waiting: lines that the disk does not take in time are lost, and their number is told.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::time::Duration;

use engross_http::AccessLog;
use engross_protocol::{Exit, Failure};
use engross_store::files::LineFile;

use crate::console::note;

/// Lines that may wait for the disk.
const AHEAD: usize = 65_536;

/// Lines that are written at once.
const TOGETHER: usize = 16_384;

/// How long a line waits for others, so that a busy server writes a few times a second and not for each request.
const GATHERING: Duration = Duration::from_millis(50);

/// How long the end of the process waits for the disk.
const PATIENCE: Duration = Duration::from_secs(2);

/// What the thread is asked to do.
enum LogCommand {
    Write(String),
    /// Open the file again: it was put away, as a rule.
    Reopen,
    /// Say when all is written that was told before.
    Flush(SyncSender<()>),
}

/// A log on its way to the disk.
pub(super) struct RequestLog {
    orders: SyncSender<LogCommand>,
    lost: AtomicU64,
}

impl AccessLog for RequestLog {
    fn write(&self, line: String) {
        if let Err(TrySendError::Full(_)) = self.orders.try_send(LogCommand::Write(line)) {
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
    }
}

impl RequestLog {
    /// Opens the file again.
    pub(super) fn reopen(&self) {
        let _ = self.orders.try_send(LogCommand::Reopen);
        let lost = self.lost.swap(0, Ordering::Relaxed);
        if lost > 0 {
            note(&format!("{lost} requests are not in the access log: the disk took them too slowly"));
        }
    }
}

impl RequestLog {
    /// Waits until what was told is written, for a moment at most.
    pub(super) fn finish(&self) {
        let (done, written) = sync_channel(1);
        if self.orders.try_send(LogCommand::Flush(done)).is_ok() {
            let _ = written.recv_timeout(PATIENCE);
        }
    }
}

/// Begins to write to `path`; `-` is standard error.
pub(super) fn start(path: &Path) -> Result<Arc<RequestLog>, Failure> {
    let target = Target::open(path)?;
    let (orders, taken) = sync_channel(AHEAD);
    let thread = std::thread::Builder::new().name("access log".to_owned());
    thread.spawn(move || write_all(target, &taken)).map_err(|error| {
        let message = format!("no thread for the access log can be started: {error}; close other programs");
        Failure::new(Exit::Io, "WRITE_FAILED", message)
    })?;
    Ok(Arc::new(RequestLog { orders, lost: AtomicU64::default() }))
}

enum Target {
    StandardError,
    File(PathBuf, LineFile),
}

impl Target {
    fn open(path: &Path) -> Result<Self, Failure> {
        if path == Path::new("-") {
            return Ok(Self::StandardError);
        }
        let (mut file, _) = LineFile::open(path)?;
        // Whether it can be written is better known now than with the first request.
        file.append(b"")?;
        Ok(Self::File(path.to_owned(), file))
    }

    fn write(&mut self, lines: &str) -> Result<(), Failure> {
        match self {
            Self::StandardError => {
                let _ = std::io::stderr().lock().write_all(lines.as_bytes());
                Ok(())
            }
            Self::File(_, file) => Ok(file.append(lines.as_bytes())?),
        }
    }

    fn reopen(&mut self) -> Result<(), Failure> {
        if let Self::File(path, _) = self {
            *self = Self::open(&path.clone())?;
        }
        Ok(())
    }
}

fn write_all(mut target: Target, orders: &Receiver<LogCommand>) {
    let mut complained = false;
    while let Ok(first) = orders.recv() {
        if matches!(first, LogCommand::Write(_)) {
            std::thread::sleep(GATHERING);
        }
        let mut lines = String::new();
        let (mut reopens, mut waiting) = (false, Vec::new());
        for order in std::iter::once(first).chain(orders.try_iter().take(TOGETHER)) {
            match order {
                LogCommand::Write(line) => lines.push_str(&line),
                LogCommand::Reopen => reopens = true,
                LogCommand::Flush(done) => waiting.push(done),
            }
        }
        // After a failure the file is opened again, too: it may be another one, or there may be room again.
        let written = target.write(&lines).or_else(|_| target.reopen().and_then(|()| target.write(&lines)));
        let done = written.and_then(|()| if reopens { target.reopen() } else { Ok(()) });
        match done {
            Ok(()) => complained = false,
            Err(failure) if !complained => {
                complained = true;
                note(&format!("The access log is not written: {} [{}]", failure.message, failure.code));
            }
            Err(_) => {}
        }
        for done in waiting {
            let _ = done.try_send(());
        }
    }
}
