//! What an agent in an editor is made of: the sessions of the folder for data, and the documents of the editor's folder.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use engross_acp::agent::codes::EDITOR_FOLDER_INVALID;
use engross_acp::agent::{EditorHost, OpenedFolder};
use engross_agent::session::{
    NoToolboxes, Observer, Sessions, Settings as SessionSettings, Toolbox, ToolboxFuture, Toolboxes,
};
use engross_agent::workspace::{Approver, DocumentTools};
use engross_documents::{CheckpointStore, DeliveryListener, Workspace, signature};
use engross_protocol::{Clock, Failure, IdSource, RandomIds, SystemClock};
use engross_rules::RulesModel;
use engross_store::Store;
use engross_store::files::Locks;

use super::model;
use super::preferences::Preferences;
use super::sessions::{self, SessionParts};
use crate::files::by_path;
use crate::settings::{Environment, ProgramSettings};

/// Models, sessions and documents for an editor.
pub struct EditorParts {
    settings: ProgramSettings,
    environment: Environment,
    session_settings: SessionSettings,
    store: Arc<dyn Store>,
    stored: Sessions,
    data: PathBuf,
    home: Option<PathBuf>,
    locks: Locks,
}

impl EditorParts {
    /// The parts, with sessions and checkpoints in the folder `data`; `home` is the person's.
    pub fn open(
        settings: ProgramSettings,
        environment: Environment,
        data: PathBuf,
        home: Option<PathBuf>,
    ) -> Result<Self, Failure> {
        let session_settings = sessions::session_settings(&settings)?;
        CheckpointStore::in_data(&data)?;
        let store: Arc<dyn Store> = Arc::new(sessions::open_file(&data)?);
        // Lists and deletes; it is never asked.
        let stored = SessionParts {
            settings: session_settings.clone(),
            store: Arc::clone(&store),
            toolboxes: Arc::new(NoToolboxes),
            observers: Vec::new(),
        };
        let stored = stored.open(Arc::new(RulesModel));
        Ok(Self { settings, environment, session_settings, store, stored, data, home, locks: Locks::new() })
    }

    /// Where sessions are kept.
    pub fn store(&self) -> Arc<dyn Store> {
        Arc::clone(&self.store)
    }

    /// The folder, unless an agent would reach too much there.
    fn narrow(&self, folder: &Path) -> Result<PathBuf, Failure> {
        let real = by_path::absolute(folder);
        let is_home = self.home.as_deref().is_some_and(|home| by_path::absolute(home) == real);
        if real.parent().is_none() || is_home {
            let message = format!(
                "{} is too much for one session; open the folder with the documents in the editor",
                real.display()
            );
            return Err(Failure::of(EDITOR_FOLDER_INVALID, message));
        }
        Ok(real)
    }
}

impl EditorHost for EditorParts {
    fn check_model(&self) -> Result<(), Failure> {
        model::open(&self.settings, &self.environment).map(drop)
    }

    fn open(
        &self,
        folder: &Path,
        approver: Arc<dyn Approver>,
        observer: Arc<dyn Observer>,
    ) -> Result<OpenedFolder, Failure> {
        let folder = self.narrow(folder)?;
        let model = sessions::recalling(model::open(&self.settings, &self.environment)?, &self.settings);
        let files = sessions::open_root(&folder)?.top();
        // The lessons of documents in this folder, where they are wanted, come with its workspace.
        let preferences = Preferences::of(&self.settings);
        let listener = preferences.map(|preferences| Arc::new(preferences) as Arc<dyn DeliveryListener>);
        let store = CheckpointStore::in_data(&self.data)?.beneath(folder.clone(), None);
        let workspace = Workspace::new(files, store, self.locks.clone(), Arc::new(SystemClock))
            .heard_by(listener, &folder);
        let tools = DocumentTools::new(workspace.clone()).with_approver(Some(approver));
        let parts = SessionParts {
            settings: self.session_settings.clone(),
            store: Arc::clone(&self.store),
            toolboxes: Arc::new(FolderTools(Arc::new(tools))),
            observers: vec![observer],
        };
        let author = signature::author(&self.settings.author.value)?.to_owned();
        Ok(OpenedFolder { sessions: parts.open(model), workspace, author })
    }

    fn stored(&self) -> &Sessions {
        &self.stored
    }

    fn new_name(&self) -> String {
        format!("{:032x}", u128::from_be_bytes(RandomIds.next(SystemClock.millis())))
    }
}

/// The tools of one folder, whatever the workspace is called.
struct FolderTools(Arc<DocumentTools>);

impl Toolboxes for FolderTools {
    fn open<'a>(&'a self, _: &'a str, _: &'a str) -> ToolboxFuture<'a> {
        Box::pin(async move { Ok(Arc::clone(&self.0) as Arc<dyn Toolbox>) })
    }
}
