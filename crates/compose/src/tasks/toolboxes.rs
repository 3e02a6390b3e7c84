//! Workspaces of sessions that are the scopes of runs.
//!
//! Must never open a folder that no run has prepared.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

use engross_agent::session::{RefusalKind, RequestError, Toolbox, ToolboxFuture, Toolboxes};
use engross_agent::workspace::{DocumentTools, Workspaces};
use engross_agent::writing::{ContentTools, Writer};
use engross_artifacts::ArtifactScope;
use engross_documents::{CheckpointStore, DocumentIsolation, Workspace};
use engross_protocol::Clock;
use engross_store::files::{FileError, Locks, RelPath, Root};
use engross_write::runner::WriteService;

/// What the name of a run's workspace begins with; no other workspace may be called so.
const PREFIX: &str = "task:";

/// Where a run's workspace keeps what is its own; exports leave it out.
const OWN: &str = ".xworkmate/checkpoints";

/// The workspaces by name, and the scopes of runs.
#[derive(Clone)]
pub struct TaskToolboxes {
    /// Those by name.
    pub usual: Workspaces,
    /// Where the scopes of runs are.
    pub root: Root,
    /// Who writes which file now.
    pub locks: Locks,
    /// What the time is.
    pub clock: Arc<dyn Clock>,
    /// Files that models write as text.
    pub writes: WriteService,
    /// Whether their content may be an argument, too.
    pub content: ContentTools,
    /// Where documents are worked on before they are opened here.
    pub isolation: DocumentIsolation,
}

/// The name of the workspace of a run.
pub fn workspace_of(scope: &str) -> String {
    format!("{PREFIX}{scope}")
}

/// The workspaces of all owners: each reaches their own. Clones share them.
#[derive(Clone, Default)]
pub struct OwnerToolboxes {
    all: Arc<RwLock<BTreeMap<String, TaskToolboxes>>>,
    /// Whether other nodes have those that are not here.
    is_shared: bool,
}

impl OwnerToolboxes {
    /// Of a node of several: what is not here is at another one.
    pub fn shared() -> Self {
        Self { is_shared: true, ..Self::default() }
    }

    /// Takes away those of an owner.
    pub fn remove(&self, principal: &str) {
        self.all.write().unwrap_or_else(PoisonError::into_inner).remove(principal);
    }

    /// Adds those of an owner.
    pub fn add(&self, principal: &str, toolboxes: TaskToolboxes) {
        self.all.write().unwrap_or_else(PoisonError::into_inner).insert(principal.to_owned(), toolboxes);
    }
}

impl Toolboxes for OwnerToolboxes {
    fn open<'a>(&'a self, principal: &'a str, workspace: &'a str) -> ToolboxFuture<'a> {
        let own = self.all.read().unwrap_or_else(PoisonError::into_inner).get(principal).cloned();
        Box::pin(async move {
            match own {
                Some(own) => own.open(principal, workspace).await,
                None if self.is_shared => Err(RequestError::home_away()),
                None => Err(RequestError::no_workspace(workspace)),
            }
        })
    }
}

impl TaskToolboxes {
    fn find(&self, scope: &str) -> Result<Option<Workspace>, FileError> {
        let Ok(scope) = ArtifactScope::parse(scope) else { return Ok(None) };
        let Some(files) = self.root.folder(&RelPath::parse(scope.as_str())?)? else { return Ok(None) };
        let checkpoints = files.make_folder(&RelPath::parse(OWN)?)?;
        let store = CheckpointStore::of_workspace(checkpoints)?;
        let workspace = Workspace::new(files, store, self.locks.clone(), Arc::clone(&self.clock));
        Ok(Some(workspace.isolated(self.isolation.clone())))
    }
}

impl Toolboxes for TaskToolboxes {
    fn open<'a>(&'a self, principal: &'a str, workspace: &'a str) -> ToolboxFuture<'a> {
        let Some(scope) = workspace.strip_prefix(PREFIX) else {
            return self.usual.open(principal, workspace);
        };
        let (all, scope) = (self.clone(), scope.to_owned());
        let writer = Writer::new(self.writes.clone(), Some(scope.clone()), self.content);
        Box::pin(async move {
            let found = tokio::task::spawn_blocking(move || all.find(&scope)).await;
            let refused = |code, message: String| RequestError::new(RefusalKind::Unavailable, code, message);
            match found {
                Ok(Ok(Some(found))) => {
                    Ok(Arc::new(DocumentTools::new(found).with_writer(Some(writer))) as Arc<dyn Toolbox>)
                }
                Ok(Ok(None)) => Err(RequestError::no_workspace(workspace)),
                Ok(Err(error)) => Err(refused(error.code(), error.to_string())),
                Err(_) => Err(refused(
                    "SERVER_STOPPING",
                    "the server is about to stop; try again in a moment".to_owned(),
                )),
            }
        })
    }
}
