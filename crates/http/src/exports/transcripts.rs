//! Transcripts of all sessions, one file each, written as the sessions go on.
//!
//! A thread writes what the store holds behind the last line of a file. So a crash between the store and the file loses
//! nothing, and the one who stores never waits. Must never write into a file that is not a transcript of its session.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use engross_agent::session::transcript::{Mark, Transcriber};
use engross_agent::session::{LogEvent, Observer, StoredEntries};
use engross_protocol::{Exit, Failure, SessionId};
use engross_store::{Entry, SessionSummary, Store};
use tokio::runtime::Handle;

use super::waiting::{Next, Waiting};
use engross_store::files::LineFile;
use engross_store::files::by_path as files;

/// Entries and sessions that are read at once.
const PAGE: usize = 256;

/// So many sessions are gone on with from memory; others are read from their beginning.
const KNOWN: usize = 2048;

/// Writes transcripts.
pub(crate) struct Transcripts {
    waiting: Arc<Waiting>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Transcripts {
    /// Begins to write into `folder`, which is made if it is not there. Sessions that have something new are caught up
    /// with in the background.
    pub(super) fn start(store: Arc<dyn Store>, folder: &Path) -> Result<Arc<Self>, Failure> {
        files::make_folder(folder)?;
        let waiting = Arc::new(Waiting::default());
        waiting.add_all();
        let mut writer = Writer {
            waiting: Arc::clone(&waiting),
            runtime: Handle::current(),
            export: Export { store, folder: folder.to_owned(), known: HashMap::new(), uses: 0 },
        };
        let thread = std::thread::Builder::new().name("transcripts".to_owned());
        let thread = thread.spawn(move || writer.run()).map_err(|error| {
            let message = format!("no thread for transcripts can be started: {error}; close other programs");
            Failure::new(Exit::Io, "WRITE_FAILED", message)
        })?;
        Ok(Arc::new(Self { waiting, thread: Mutex::new(Some(thread)) }))
    }

    /// The sessions that wait to be written.
    pub(super) fn waiting(&self) -> Arc<Waiting> {
        Arc::clone(&self.waiting)
    }

    /// Returns when all that was heard of is written and would outlive a loss of power.
    pub(super) fn finish(&self) {
        self.waiting.stop();
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if thread.is_some_and(|thread| thread.join().is_err()) {
            tracing::error!("the thread of transcripts has died; they are caught up with at the next start");
        }
    }
}

impl Observer for Transcripts {
    fn stored(&self, stored: StoredEntries<'_>) {
        self.waiting.add(stored.session);
    }

    fn deleted(&self, session: SessionId) {
        self.waiting.add(session);
    }
}

/// The thread.
struct Writer {
    waiting: Arc<Waiting>,
    runtime: Handle,
    export: Export,
}

impl Writer {
    fn run(&mut self) {
        // Sessions of the present page that were not looked at yet; none: the walk is over.
        let mut walk: Option<Vec<SessionSummary>> = None;
        let mut after = None;
        loop {
            match self.waiting.next(walk.is_some()) {
                Next::Session(session) => self.write(session),
                Next::All => (walk, after) = (Some(Vec::new()), None),
                Next::More => match walk.as_mut().and_then(Vec::pop) {
                    Some(summary) => {
                        if self.export.is_behind(&summary) {
                            self.write(summary.id);
                        }
                    }
                    None => (walk, after) = self.page(after),
                },
                Next::Stop => return self.export.sync(),
            }
        }
    }

    /// The next page of all sessions, its first one last.
    fn page(&self, after: Option<SessionId>) -> (Option<Vec<SessionSummary>>, Option<SessionId>) {
        match self.runtime.block_on(self.export.store.list(None, after, PAGE)) {
            Ok(page) if page.is_empty() => (None, None),
            Ok(mut page) => {
                let after = page.last().map(|summary| summary.id);
                page.reverse();
                (Some(page), after)
            }
            Err(error) => {
                tracing::warn!(code = error.code(), "transcripts are not caught up with: {error}");
                (None, None)
            }
        }
    }

    fn write(&mut self, session: SessionId) {
        match self.runtime.block_on(self.export.write(session)) {
            Ok(()) => self.waiting.written(session),
            Err(problem) => {
                if self.waiting.failed(session) {
                    tracing::warn!(%session, "the transcript is behind, and tried again later: {problem}");
                }
            }
        }
    }
}

/// Why a transcript is behind its session.
#[derive(Debug, thiserror::Error)]
pub(super) enum Problem {
    #[error("{0}")]
    File(#[from] engross_store::files::PathError),
    #[error("{0}")]
    Store(#[from] engross_store::Error),
    #[error("{path} does not end with a line of this session's log; move it away", path = .0.display())]
    Foreign(PathBuf),
    #[error("entry {seq} cannot be read: {why}")]
    Entry { seq: u64, why: String },
}

/// Between the store and the files.
pub(super) struct Export {
    pub(super) store: Arc<dyn Store>,
    pub(super) folder: PathBuf,
    pub(super) known: HashMap<SessionId, KnownFiles>,
    pub(super) uses: u64,
}

/// A session as far as it is told.
pub(super) struct KnownFiles {
    transcriber: Transcriber,
    file: LineFile,
    /// The last entry that was taken in.
    seq: u64,
    /// The last line that was in the file when it was opened.
    last: Option<Mark>,
    /// When it was used last, counted in uses.
    used: u64,
}

impl Export {
    fn path(&self, session: SessionId) -> PathBuf {
        self.folder.join(format!("{session}.jsonl"))
    }

    /// Whether the file lacks something. One that cannot be read is told as such when it is written.
    fn is_behind(&self, summary: &SessionSummary) -> bool {
        let last = LineFile::open(&self.path(summary.id)).map(|(_, last)| last);
        let mark = last.ok().flatten().and_then(|line| Mark::of(&line));
        mark.is_none_or(|mark| mark.seq < summary.head)
    }

    /// Writes what is new of a session.
    pub(super) async fn write(&mut self, session: SessionId) -> Result<(), Problem> {
        // After a failure nothing is known, so that the file is looked at again.
        let mut known = match self.known.remove(&session) {
            Some(known) => known,
            None => self.open(session)?,
        };
        loop {
            let page = match self.store.entries(session, known.seq, PAGE).await {
                // It was deleted, and its transcript goes with it.
                Err(engross_store::Error::UnknownSession { .. }) => {
                    drop(known);
                    return Ok(files::remove(&self.path(session))?);
                }
                page => page?,
            };
            let mut lines = String::new();
            for entry in &page {
                known.take(entry, &mut lines)?;
            }
            if page.len() < PAGE && known.last.is_some_and(|last| last.seq > known.seq) {
                return Err(Problem::Foreign(self.path(session)));
            }
            if !lines.is_empty() {
                known.file.append(lines.as_bytes())?;
            }
            if page.len() < PAGE {
                break;
            }
        }
        self.uses += 1;
        known.used = self.uses;
        if self.known.len() >= KNOWN {
            self.forget_oldest();
        }
        self.known.insert(session, known);
        Ok(())
    }

    fn open(&self, session: SessionId) -> Result<KnownFiles, Problem> {
        let path = self.path(session);
        let (file, line) = LineFile::open(&path)?;
        let last = match line {
            Some(line) => Some(Mark::of(&line).ok_or(Problem::Foreign(path))?),
            None => None,
        };
        Ok(KnownFiles { transcriber: Transcriber::new(session), file, seq: 0, last, used: 0 })
    }

    /// Makes room. Half of all go, so that the search for the oldest is rare.
    fn forget_oldest(&mut self) {
        let mut uses: Vec<u64> = self.known.values().map(|known| known.used).collect();
        let middle = uses.len() / 2;
        let (_, middle, _) = uses.select_nth_unstable(middle);
        let middle = *middle;
        for (_, known) in self.known.extract_if(|_, known| known.used < middle) {
            sync(&known.file);
        }
    }

    fn sync(&self) {
        self.known.values().for_each(|known| sync(&known.file));
    }
}

impl KnownFiles {
    /// Takes the next entry in; adds its lines to those that are to be written, unless the file has them.
    fn take(&mut self, entry: &Entry, lines: &mut String) -> Result<(), Problem> {
        let event: LogEvent = serde_json::from_slice(&entry.body)
            .map_err(|error| Problem::Entry { seq: entry.seq, why: error.to_string() })?;
        for line in self.transcriber.fold(entry.seq, entry.at, &event) {
            if self.last.is_none_or(|last| line.mark > last) {
                lines.push_str(&line.json);
                lines.push('\n');
            }
        }
        self.seq = entry.seq;
        Ok(())
    }
}

fn sync(file: &LineFile) {
    if let Err(error) = file.sync() {
        tracing::warn!(code = error.code(), "a transcript may be lost with the power: {error}");
    }
}
