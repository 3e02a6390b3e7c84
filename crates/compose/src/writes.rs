//! What `serve` and `chat` make write sessions of: where unfinished content is, and who looks after it.
//!
//! Must never be opened twice on one folder in one process: those who write there share its locks.

use std::convert::Infallible;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use engross_documents::{CheckpointStore, Checkpoints, DocumentIsolation, Error, OWN_FOLDER};
use engross_docx::MadeDocument;
use engross_protocol::{Clock, Failure, RandomIds, SystemClock};
use engross_store::files::{Folder, Locks, RelPath, Root};
use engross_write::WriteFailure;
use engross_write::runner::{
    ComposedDocument, Composer, Config, FileKeeper, Limits, Reviewer, WriteService, WriteSessions,
};

use crate::console::note;
use crate::signals::survive_file_limit;

/// What the Markdown of a write session is called.
const CONTENT: &str = "the content";

/// How often write sessions are looked after.
const WATCH_EVERY: Duration = Duration::from_millis(250);

/// How often what write sessions have left is swept away.
const SWEEP_EVERY: Duration = Duration::from_secs(3600);

/// Makes Word documents of Markdown, and looks at what was made.
#[derive(Clone, Default)]
pub struct Typesetter(pub DocumentIsolation);

impl Composer for Typesetter {
    fn compose(&self, markdown: &str) -> Result<ComposedDocument, String> {
        let told = |error: Error| match error {
            Error::Document { error, .. } => error.to_string(),
            other => format!("{other} [{}]", other.code()),
        };
        let MadeDocument { bytes, warnings } = self.0.compose(CONTENT, markdown).map_err(told)?;
        match self.0.unsoundness(CONTENT, bytes.clone()).map_err(told)? {
            Some(problem) => Err(format!("the document would not be sound: {problem}")),
            None => Ok(ComposedDocument { bytes, warnings }),
        }
    }
}

/// Keeps the files of workspaces beneath a root where their documents are kept.
pub struct WorkspaceKeeper(pub Root, pub Arc<dyn Clock>);

impl FileKeeper for WorkspaceKeeper {
    fn keep(&self, path: &RelPath, bytes: &[u8]) -> Result<Option<String>, WriteFailure> {
        // What stands beside the workspaces is in none.
        let Some((workspace, file)) = path.as_str().split_once('/') else { return Ok(None) };
        let place = RelPath::parse(&format!("{workspace}/{OWN_FOLDER}/checkpoints"))?;
        let store = CheckpointStore::of_workspace(self.0.make_folder(&place)?)?;
        kept(store.of_file(&RelPath::parse(file)?), bytes, &*self.1)
    }
}

/// Keeps the files of a person's folder in the folder for data.
pub struct FolderKeeper {
    /// The folder for data.
    pub data: PathBuf,
    /// The absolute path of the folder.
    pub folder: PathBuf,
}

impl FileKeeper for FolderKeeper {
    fn keep(&self, path: &RelPath, bytes: &[u8]) -> Result<Option<String>, WriteFailure> {
        kept(
            CheckpointStore::in_data(&self.data)?.of_path(&self.folder.join(path.as_str())),
            bytes,
            &SystemClock,
        )
    }
}

fn kept(
    checkpoints: Result<Checkpoints, Error>,
    bytes: &[u8],
    clock: &dyn Clock,
) -> Result<Option<String>, WriteFailure> {
    let saved = checkpoints.and_then(|mut checkpoints| checkpoints.save(bytes, None, clock));
    match saved {
        Ok(checkpoint) => Ok(Some(checkpoint.id)),
        Err(error) => Err(WriteFailure { code: error.code().to_owned(), message: error.to_string() }),
    }
}

/// The write sessions beneath `root`, those of an earlier process too. `locks` are those of everyone else who writes there;
/// unfinished content is kept in `spool`, which is this root's alone; `keeper` keeps what files were, `composer` makes documents; `reviewer` is asked before a file takes its place.
pub fn open(
    root: Root,
    locks: Locks,
    spool: Folder,
    (keeper, composer): (Arc<dyn FileKeeper>, Typesetter),
    reviewer: Option<Arc<dyn Reviewer>>,
    clock: &Arc<dyn Clock>,
) -> Result<WriteService, Failure> {
    survive_file_limit();
    let sessions = WriteSessions::new(Config {
        root,
        spool: Some(spool),
        reviewer,
        locks,
        clock: Arc::clone(clock),
        ids: Arc::new(RandomIds),
        composer: Some(Arc::new(composer)),
        keeper: Some(keeper),
        limits: Limits::default(),
    })?;
    for (id, problem) in sessions.take_up()? {
        note(&format!("The write session {id} is left alone: {} [{}]", problem.message, problem.code));
    }
    Ok(WriteService::new(sessions))
}

/// Asks write sessions that are silent, lets them expire, and sweeps. Never ends.
pub async fn look_after(writes: &WriteService) -> Infallible {
    loop {
        writes.sweep().await;
        for _ in 0..SWEEP_EVERY.as_millis() / WATCH_EVERY.as_millis() {
            tokio::time::sleep(WATCH_EVERY).await;
            writes.watch().await;
        }
    }
}
