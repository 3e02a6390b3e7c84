//! A root folder of its own, a clock that stands, and the sessions beneath it.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use engross_protocol::{Clock, RandomIds, Timestamp};
use engross_store::files::{Locks, RelPath, Root};
use engross_write::WriteFailure;
use engross_write::runner::{
    ChunkEnd, ComposedDocument, Composer, Config, FileKeeper, Limits, Reviewer, WriteSessionId,
    WriteSessionView, WriteSessions,
};
use engross_write::session::{BeginOptions, WriteOperation};
use tempfile::TempDir;

pub const SPOOL: &str = ".engross-writes";

#[derive(Debug, Default)]
pub struct TestClock(AtomicU64);

impl TestClock {
    pub fn pass(&self, millis: u64) {
        self.0.fetch_add(millis, Ordering::SeqCst);
    }
}

impl Clock for TestClock {
    fn now(&self) -> Timestamp {
        "2026-01-31T09:30:00Z".parse().unwrap()
    }

    fn millis(&self) -> u64 {
        1_700_000_000_000 + self.0.load(Ordering::SeqCst)
    }
}

pub struct TestBench {
    pub folder: TempDir,
    pub time: Arc<TestClock>,
    pub limits: Limits,
    pub locks: Locks,
    pub sessions: WriteSessions,
}

impl TestBench {
    pub fn new() -> Self {
        Self::with(Limits::default())
    }

    pub fn with(limits: Limits) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (time, locks) = (Arc::new(TestClock::default()), Locks::new());
        let sessions = open(&folder, &time, &locks, limits, None, None);
        Self { folder, time, limits, locks, sessions }
    }

    /// Sessions whose files somebody has to agree to.
    pub fn reviewed(reviewer: Arc<dyn Reviewer>) -> Self {
        let desk = Self::new();
        let sessions = open(&desk.folder, &desk.time, &desk.locks, desk.limits, Some(reviewer), None);
        Self { sessions, ..desk }
    }

    /// Sessions that keep what files were.
    pub fn keeping(keeper: Arc<dyn FileKeeper>) -> Self {
        let desk = Self::new();
        let sessions = open(&desk.folder, &desk.time, &desk.locks, desk.limits, None, Some(keeper));
        Self { sessions, ..desk }
    }

    /// The process is killed, and another one takes up what is there.
    pub fn restart(&mut self) {
        let gone = std::mem::replace(
            &mut self.sessions,
            open(&self.folder, &self.time, &Locks::new(), self.limits, None, None),
        );
        drop(gone);
        self.locks = Locks::new();
        self.sessions = open(&self.folder, &self.time, &self.locks, self.limits, None, None);
        assert_eq!(self.sessions.take_up().unwrap(), []);
    }

    pub fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    pub fn put(&self, path: &str, bytes: impl AsRef<[u8]>) {
        std::fs::create_dir_all(self.path(path).parent().unwrap()).unwrap();
        std::fs::write(self.path(path), bytes).unwrap();
    }

    pub fn read(&self, path: &str) -> Option<String> {
        std::fs::read(self.path(path)).ok().map(|bytes| String::from_utf8(bytes).unwrap())
    }

    /// The names of all files, hidden ones too.
    pub fn files(&self) -> Vec<String> {
        let mut found = Vec::new();
        let mut folders = vec![self.folder.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let entry = entry.unwrap();
                if entry.file_type().unwrap().is_dir() {
                    folders.push(entry.path());
                } else {
                    let path = entry.path();
                    found.push(path.strip_prefix(self.folder.path()).unwrap().to_str().unwrap().to_owned());
                }
            }
        }
        found.sort();
        found
    }

    /// Those that hold content or are somebody's, journals of what is over left out.
    pub fn contents(&self) -> Vec<String> {
        self.files().into_iter().filter(|name| !name.ends_with("-journal")).collect()
    }

    pub fn begin(&self, target: &str, operation: WriteOperation) -> Result<WriteSessionView, WriteFailure> {
        self.sessions.begin(&BeginOptions::new(target, operation))
    }

    pub fn begun(
        &self,
        target: &str,
        operation: WriteOperation,
        change: impl FnOnce(&mut BeginOptions),
    ) -> WriteSessionId {
        let mut options = BeginOptions::new(target, operation);
        change(&mut options);
        self.sessions.begin(&options).unwrap().id
    }

    pub fn send(&self, id: WriteSessionId, text: impl AsRef<[u8]>) -> Result<WriteSessionView, WriteFailure> {
        self.sessions.chunk(id, None, text.as_ref(), ChunkEnd::Whole)
    }

    /// All of a file, in one session.
    pub fn write(
        &self,
        target: &str,
        operation: WriteOperation,
        text: &str,
    ) -> Result<WriteSessionView, WriteFailure> {
        let id = self.begin(target, operation)?.id;
        self.send(id, text)?;
        self.sessions.finalise(id)
    }
}

fn open(
    folder: &TempDir,
    time: &Arc<TestClock>,
    locks: &Locks,
    limits: Limits,
    reviewer: Option<Arc<dyn Reviewer>>,
    keeper: Option<Arc<dyn FileKeeper>>,
) -> WriteSessions {
    let root = Root::open(folder.path()).unwrap();
    let config = Config {
        spool: Some(root.make_folder(&RelPath::parse(SPOOL).unwrap()).unwrap()),
        root,
        reviewer,
        locks: locks.clone(),
        clock: time.clone(),
        ids: Arc::new(RandomIds),
        composer: Some(Arc::new(UppercaseComposer)),
        keeper,
        limits,
    };
    WriteSessions::new(config).unwrap()
}

/// Makes "documents": the text in capitals behind a head; refuses what holds a bell.
struct UppercaseComposer;

impl Composer for UppercaseComposer {
    fn compose(&self, markdown: &str) -> Result<ComposedDocument, String> {
        let bell = markdown.find('\u{7}');
        bell.map_or_else(
            || {
                let bytes = format!("PK\n\n\n{}", markdown.to_uppercase()).into_bytes();
                Ok(ComposedDocument { bytes, warnings: Vec::new() })
            },
            |at| Err(format!("a bell at byte {at}")),
        )
    }
}

pub fn code<T: std::fmt::Debug>(result: Result<T, WriteFailure>) -> String {
    result.unwrap_err().code
}

/// The code of what is wrong with a session.
pub fn problem(view: &WriteSessionView) -> Option<&str> {
    view.problem.as_ref().map(|problem| problem.code.as_str())
}
