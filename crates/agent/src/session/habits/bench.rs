//! Sessions in a folder of their own, with any model, and what came of a file there.

use std::sync::Arc;

use engross_llm::Model;
use engross_protocol::{CountingIds, FixedClock};
use engross_store::MemoryStore;
use engross_store::files::{Locks, RelPath, Root};
use engross_write::runner::{Config, Limits, WriteService, WriteSessions};

use crate::session::log::{LogEvent, Standing, WriteReport};
use crate::session::service_support::{ScriptedModel, config};
use crate::session::write_support::{HeardAnswer, at_desk, hear};
use crate::session::{Models, Sessions, SessionsConfig, Toolbox, ToolboxFuture, Toolboxes, record};
use crate::writing::{ContentTools, Writer, WritingTools};

pub(super) struct HabitBench {
    pub(super) sessions: Sessions,
    pub(super) store: Arc<MemoryStore>,
    folder: tempfile::TempDir,
}

struct Room(Writer);

impl Toolboxes for Room {
    fn open<'a>(&'a self, _: &'a str, _: &'a str) -> ToolboxFuture<'a> {
        Box::pin(async move { Ok(Arc::new(WritingTools::new(self.0.clone())) as Arc<dyn Toolbox>) })
    }
}

/// What became of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum FileFate {
    /// It is what the model wanted to write.
    Exact,
    /// The same but for blanks that mean nothing in it.
    Restyled,
    /// It is not there; it was said, and can be gone on with.
    Resumable,
    /// It is not there, and it was said.
    Loud,
    /// It is something else, and the receipt warns.
    Warned,
    /// It is something else, or lost, and nobody says so.
    Silent,
}

impl HabitBench {
    pub(super) fn new(model: Arc<dyn Model>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = Root::open(folder.path()).unwrap();
        let writes = WriteSessions::new(Config {
            spool: Some(root.make_folder(&RelPath::parse(".engross-writes").unwrap()).unwrap()),
            root,
            reviewer: None,
            locks: Locks::new(),
            clock: Arc::new(FixedClock("2026-01-31T09:30:00Z".parse().unwrap())),
            ids: Arc::new(engross_protocol::RandomIds),
            composer: None,
            keeper: None,
            limits: Limits::default(),
        })
        .unwrap();
        let writer = Writer::new(WriteService::new(writes), Some("room".to_owned()), ContentTools::default());
        let store = Arc::new(MemoryStore::default());
        let config = SessionsConfig {
            toolboxes: Arc::new(Room(writer)),
            models: Models::one(model),
            ids: Arc::new(CountingIds::default()),
            ..config(&store, &ScriptedModel::new([]))
        };
        Self { sessions: Sessions::new(config), store, folder }
    }

    pub(super) async fn say(&self, words: &str) -> HeardAnswer {
        hear(self.sessions.submit(at_desk(words)).await.unwrap()).await
    }

    #[expect(clippy::disallowed_methods, reason = "a test's own file")]
    pub(super) fn file(&self, file: &str) -> Option<Vec<u8>> {
        std::fs::read(self.folder.path().join("room").join(file)).ok()
    }

    pub(super) async fn wrote(&self, heard: &HeardAnswer) -> Vec<WriteReport> {
        let log = record::read_log(&*self.store, heard.session).await.unwrap();
        let wrote = |event| if let LogEvent::Wrote(wrote) = event { Some(wrote) } else { None };
        log.into_iter().filter_map(|recorded| wrote(recorded.event)).collect()
    }

    /// What became of `name`, which was to be `wanted`.
    pub(super) async fn fate(
        &self,
        heard: &HeardAnswer,
        name: &str,
        wanted: &str,
        only_restyles: bool,
    ) -> FileFate {
        let last = self.wrote(heard).await.pop();
        let standing = last.as_ref().map(|wrote| wrote.standing);
        match (self.file(name), standing) {
            (Some(bytes), _) if bytes == wanted.as_bytes() => FileFate::Exact,
            (Some(bytes), _) if only_restyles && plain(&bytes) == plain(wanted.as_bytes()) => {
                FileFate::Restyled
            }
            (Some(_), _) if last.as_ref().is_some_and(warns) => FileFate::Warned,
            (None, Some(Standing::Left)) => FileFate::Resumable,
            (None, Some(Standing::Failed)) => FileFate::Loud,
            _ => FileFate::Silent,
        }
    }
}

/// A text without the blanks in its lines.
fn plain(text: &[u8]) -> Vec<u8> {
    text.iter().filter(|byte| !matches!(byte, b' ' | b'\t')).copied().collect()
}

/// Whether the receipt has a warning that is no remark on what was cleaned.
fn warns(wrote: &WriteReport) -> bool {
    let remarks = ["UNWRAPPED", "OVERLAP_AMBIGUOUS", "LOOKS_UNFINISHED", "CHATTER_REMOVED", "NOT_VALIDATED"];
    let receipt: serde_json::Value = serde_json::from_str(&wrote.say).unwrap_or_default();
    let warnings = receipt["receipt"]["warnings"].as_array().cloned().unwrap_or_default();
    warnings.iter().any(|warning| !remarks.contains(&warning["code"].as_str().unwrap_or_default()))
}
