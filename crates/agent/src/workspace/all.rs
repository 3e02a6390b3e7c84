//! All workspaces: folders beneath one root, by name.
//!
//! Must never reach anything outside the root, or make a workspace by asking for it.

use std::path::PathBuf;
use std::sync::Arc;

use engross_documents::{DeliveryListener, DocumentIsolation, Workspace};
use engross_protocol::Clock;
use engross_protocol::shared;
use engross_store::files::{FileError, Locks, RelPath, Root};
use engross_write::runner::WriteService;

use super::tools::DocumentTools;
use crate::session::{RefusalKind, RequestError, Toolbox, ToolboxFuture, Toolboxes};
use crate::writing::{ContentTools, Texts, Writer};

/// The longest name in bytes.
const LONGEST: usize = 64;

/// Workspaces beneath a root. Cheap to clone.
#[derive(Clone)]
pub struct Workspaces {
    root: Root,
    locks: Locks,
    clock: Arc<dyn Clock>,
    writes: Option<(WriteService, ContentTools)>,
    listened: Option<(Arc<dyn DeliveryListener>, PathBuf)>,
    isolation: DocumentIsolation,
}

impl Workspaces {
    /// The workspaces beneath `root`.
    #[must_use]
    pub fn new(root: Root, locks: Locks, clock: Arc<dyn Clock>) -> Self {
        Self { root, locks, clock, writes: None, listened: None, isolation: DocumentIsolation::default() }
    }

    /// The same with models that may also write text files, by write sessions beneath the same root. `content` are
    /// further tools of theirs.
    #[must_use]
    pub fn with_writes(self, service: WriteService, content: ContentTools) -> Self {
        Self { writes: Some((service, content)), ..self }
    }

    /// The same; `listener` is told of every document that is written. `base` is the root's absolute path.
    #[must_use]
    pub fn heard_by(self, listener: Option<Arc<dyn DeliveryListener>>, base: PathBuf) -> Self {
        Self { listened: listener.map(|listener| (listener, base)), ..self }
    }

    /// The same with documents worked on elsewhere before they are opened here.
    #[must_use]
    pub fn isolated(self, isolation: DocumentIsolation) -> Self {
        Self { isolation, ..self }
    }

    /// The texts that were written into the workspace `name`.
    #[must_use]
    pub fn texts(&self, name: &str) -> Texts {
        self.writer(name).map(|writer| writer.texts()).unwrap_or_default()
    }

    fn writer(&self, name: &str) -> Option<Writer> {
        let (service, content) = self.writes.clone()?;
        Some(Writer::new(service, Some(name.to_owned()), content))
    }

    /// The workspace `name`; `None` when there is none.
    ///
    /// # Errors
    /// When the name cannot be one, or as the system says. Blocks.
    pub fn find(&self, name: &str) -> Result<Option<Workspace>, FileError> {
        let path = name_of(name)?;
        if self.root.folder(&path)?.is_none() {
            return Ok(None);
        }
        self.make(name).map(Some)
    }

    /// All workspaces: their names in order, and when a file right in each was last changed, in milliseconds since 1970.
    ///
    /// # Errors
    /// As the system says. Blocks.
    pub fn names(&self) -> Result<Vec<(String, u64)>, FileError> {
        let folders = self.root.top().folders()?;
        let named = folders.into_iter().map(|folder| (folder.path.as_str().to_owned(), folder.info.modified));
        Ok(named.filter(|(name, _)| name_of(name).is_ok()).collect())
    }

    /// Forgets for good what the documents of all workspaces were before the moment `before`, in milliseconds since 1970; gives how much was
    /// forgotten, and what kept something from being forgotten.
    ///
    /// # Errors
    /// As [`Workspaces::names`]. Blocks.
    pub fn forget_before(&self, before: u64) -> Result<(usize, Vec<engross_documents::Error>), FileError> {
        let (mut gone, mut problems) = (0, Vec::new());
        for (name, _) in self.names()? {
            let Some(workspace) = self.find(&name)? else { continue };
            match workspace.forget_before(before) {
                Ok(count) => gone += count,
                Err(problem) => problems.push(problem),
            }
        }
        Ok((gone, problems))
    }

    /// The workspace `name`, made if there is none.
    ///
    /// # Errors
    /// As [`Workspaces::find`]. Blocks.
    pub fn make(&self, name: &str) -> Result<Workspace, FileError> {
        let files = self.root.make_folder(&name_of(name)?)?;
        let workspace = Workspace::with_own_checkpoints(files, self.locks.clone(), Arc::clone(&self.clock))?;
        let workspace = workspace.isolated(self.isolation.clone());
        Ok(match &self.listened {
            Some((listener, base)) => workspace.heard_by(Some(Arc::clone(listener)), &base.join(name)),
            None => workspace,
        })
    }
}

/// A name of letters, digits, `.`, `_` and `-`, which does not begin with a dot.
fn name_of(name: &str) -> Result<RelPath, FileError> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    if name.is_empty() || name.len() > LONGEST || name.starts_with('.') || !name.bytes().all(is_plain) {
        return Err(FileError::PathInvalid {
            path: name.chars().filter(|letter| !letter.is_control()).take(80).collect(),
            problem: "a workspace's name has 1 to 64 letters, digits, '.', '_' and '-'".to_owned(),
        });
    }
    RelPath::parse(name)
}

impl Toolboxes for Workspaces {
    fn open<'a>(&'a self, _: &'a str, workspace: &'a str) -> ToolboxFuture<'a> {
        let all = self.clone();
        let name = workspace.to_owned();
        let writer = self.writer(workspace);
        Box::pin(async move {
            let found = tokio::task::spawn_blocking(move || all.find(&name)).await;
            let stopped = || {
                RequestError::of(
                    shared::SERVER_STOPPING,
                    "the server is about to stop; try again in a moment",
                )
            };
            match found.map_err(|_| stopped())? {
                Ok(Some(workspace)) => {
                    Ok(Arc::new(DocumentTools::new(workspace).with_writer(writer)) as Arc<dyn Toolbox>)
                }
                Ok(None) => Err(RequestError::no_workspace(workspace)),
                Err(error) => Err(RequestError::new(RefusalKind::Invalid, error.code(), error.to_string())),
            }
        })
    }
}
