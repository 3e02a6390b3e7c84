//! Workspaces of sessions that are the scopes of runs, and whose turns use what an owner has.
//!
//! Must never open a folder that no run has prepared.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

use engross_agent::session::{
    BriefingFuture, RefusalKind, RequestError, ServerTool, ToolResultsFuture, ToolRound, Toolbox,
    ToolboxFuture, Toolboxes,
};
use engross_agent::workspace::{DocumentTools, Workspaces};
use engross_agent::writing::{ContentTools, Writer};
use engross_artifacts::ArtifactScope;
use engross_documents::{CheckpointStore, DocumentIsolation, Workspace};
use engross_http::{HomeUse, HomeUses};
use engross_llm::ToolCall;
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

/// Those of an owner, and the turns that use them.
struct UsedToolboxes {
    toolboxes: TaskToolboxes,
    uses: HomeUses,
}

/// A toolbox that a turn uses.
struct UsedToolbox {
    toolbox: Arc<dyn Toolbox>,
    _used: HomeUse,
}

impl Toolbox for UsedToolbox {
    fn tools(&self) -> Vec<ServerTool> {
        self.toolbox.tools()
    }

    fn briefing(&self) -> BriefingFuture<'_> {
        self.toolbox.briefing()
    }

    fn status(&self, call: &ToolCall) -> String {
        self.toolbox.status(call)
    }

    fn writer(&self) -> Option<Writer> {
        self.toolbox.writer()
    }

    fn run(&self, round: ToolRound) -> ToolResultsFuture<'_> {
        self.toolbox.run(round)
    }
}

/// The workspaces of all owners: each reaches their own. Clones share them.
#[derive(Clone, Default)]
pub struct OwnerToolboxes {
    all: Arc<RwLock<BTreeMap<String, UsedToolboxes>>>,
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

    /// Takes away those of an owner if no turn uses them; whether that was so.
    pub fn remove_if_unused(&self, principal: &str) -> bool {
        let mut all = self.all.write().unwrap_or_else(PoisonError::into_inner);
        let is_unused = all.get(principal).is_none_or(|own| own.uses.are_over());
        if is_unused {
            all.remove(principal);
        }
        is_unused
    }

    /// Whether no turn uses those of an owner.
    pub fn are_unused(&self, principal: &str) -> bool {
        let all = self.all.read().unwrap_or_else(PoisonError::into_inner);
        all.get(principal).is_none_or(|own| own.uses.are_over())
    }

    /// Adds those of an owner.
    pub fn add(&self, principal: &str, toolboxes: TaskToolboxes) {
        let own = UsedToolboxes { toolboxes, uses: HomeUses::default() };
        self.all.write().unwrap_or_else(PoisonError::into_inner).insert(principal.to_owned(), own);
    }
}

impl Toolboxes for OwnerToolboxes {
    fn open<'a>(&'a self, principal: &'a str, workspace: &'a str) -> ToolboxFuture<'a> {
        let own = {
            let all = self.all.read().unwrap_or_else(PoisonError::into_inner);
            // Begun while nobody can take them away.
            all.get(principal).map(|own| (own.toolboxes.clone(), own.uses.begin()))
        };
        Box::pin(async move {
            match own {
                Some((own, used)) => {
                    let toolbox = own.open(principal, workspace).await?;
                    Ok(Arc::new(UsedToolbox { toolbox, _used: used }) as Arc<dyn Toolbox>)
                }
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
