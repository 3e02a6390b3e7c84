//! The one document of a chat: where its edits go, and how the last of them is taken back.
//!
//! Must never change the document that was named unless that was asked for, nor a file that another session has made.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use engross_agent::session::{Toolbox, ToolboxFuture, Toolboxes};
use engross_agent::workspace::{Approver, DocumentTools};
use engross_agent::writing::{Writer, WritingTools};
use engross_documents::{CheckpointStore, EditWork, Error, InputFile, Workspace};
use engross_docx::revisions::Side;
use engross_docx::{Tracking, WordDocument};
use engross_protocol::{Exit, Failure, SystemClock, hex};
use engross_store::files::{Locks, Precondition, RelPath};
use sha2::{Digest, Sha256};

use engross_compose::files::by_path;
use engross_compose::sessions::open_root;

/// A document and its checkpoints.
#[derive(Clone)]
pub(super) struct ChatDocument {
    workspace: Workspace,
    target: RelPath,
    source: Arc<[u8]>,
    /// The target as the person knows it.
    shown: PathBuf,
    /// The document as the person knows it.
    named: PathBuf,
    in_place: bool,
    /// Names the default session of the document.
    name: String,
    /// The checkpoint that was restored last, since the last edit.
    undone: Option<String>,
}

/// What taking back did.
pub(super) enum UndoOutcome {
    /// The document is as it was before its last edit.
    Edit,
    /// It is as the document it was made from.
    All,
    /// There was nothing.
    Nothing,
}

impl ChatDocument {
    /// The document `source`, which was read from `input`. Its edits go to `target`, its checkpoints into `data`.
    pub(super) fn new(
        input: &InputFile,
        source: &[u8],
        target: PathBuf,
        in_place: bool,
        data: &Path,
    ) -> Result<Self, Failure> {
        let (folder, file) = by_path::folder_and_name(&target)?;
        // Where chats of version 0.1.0 kept whole files.
        let whole = RelPath::parse(&format!("checkpoints/{}", short_hash(&folder)))?;
        let store = CheckpointStore::in_data(data)?;
        let store = store.beneath(folder.clone(), open_root(data)?.folder(&whole)?);
        let files = open_root(&folder)?.top();
        let target_path = Workspace::path(&file)?;
        let workspace = Workspace::new(files, store, Locks::new(), Arc::new(SystemClock));
        Ok(Self {
            workspace: workspace.of_one(target_path.clone(), source.to_vec(), Some(input.absolute())),
            target: target_path,
            source: source.into(),
            shown: target,
            named: input.path().to_owned(),
            in_place,
            name: format!("chat:{}", short_hash(&input.absolute())),
            undone: None,
        })
    }

    /// The workspace with nothing but this document.
    pub(super) fn workspace(&self) -> Workspace {
        self.workspace.clone()
    }

    /// The name of the document's own session, of its workspace too.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Where edits go.
    pub(super) fn shown(&self) -> &Path {
        &self.shown
    }

    /// A new session does not go on with a file that it has not made.
    pub(super) fn must_be_new(&self) -> Result<(), Failure> {
        if self.in_place || !self.workspace.is_there(&self.target).map_err(Failure::from)? {
            return Ok(());
        }
        let shown = self.shown.display();
        let message = format!(
            "{shown} exists already, and this session has not made it: go on with it by `engross chat {shown} --in-place`, \
             write elsewhere with -o, or remove it"
        );
        Err(Failure::new(Exit::Refused, "TARGET_EXISTS", message))
    }

    /// The document was edited.
    pub(super) fn edited(&mut self) {
        self.undone = None;
    }

    /// Accepts the tracked changes in the file that edits go to, with a checkpoint; gives how many. Blocks.
    pub(super) fn accept_all(&self) -> Result<usize, Error> {
        if !self.workspace.is_there(&self.target)? && !self.in_place {
            return Ok(0);
        }
        let accept = |document: &mut WordDocument| document.resolve_all(Side::Accept);
        Ok(self.workspace.edit(&self.target, None, (Tracking::Tracked, &EditWork::Resolution), accept)?.0)
    }

    /// How many tracked changes the file that edits go to has; `None` when it is not there. Blocks.
    pub(super) fn tracked_changes(&self) -> Result<Option<usize>, Error> {
        if !self.workspace.is_there(&self.target)? {
            return Ok(None);
        }
        let document = self.workspace.open(&self.target)?.document;
        let revisions = document.revisions();
        Ok(Some(revisions.map_err(|error| Error::document(self.target.as_str(), error))?.len()))
    }

    /// Takes back the last edit that is not taken back yet. Blocks.
    pub(super) fn undo(&mut self) -> Result<UndoOutcome, Error> {
        let known = self.workspace.checkpoints(&self.target)?;
        let before =
            known.iter().rev().find(|one| self.undone.as_ref().is_none_or(|undone| one.id < *undone));
        if let Some(before) = before {
            self.workspace.restore(&self.target, &before.id, &Precondition::Any)?;
            self.undone = Some(before.id.clone());
            return Ok(UndoOutcome::Edit);
        }
        let now = self.workspace.read(&self.target)?;
        if self.in_place || now.is_none_or(|now| *now == *self.source) {
            return Ok(UndoOutcome::Nothing);
        }
        self.workspace.put(&self.target, &self.source, &Precondition::Exists)?;
        // Nothing is older.
        self.undone = Some(String::new());
        Ok(UndoOutcome::All)
    }

    /// What happened, for people.
    pub(super) fn describe(&self, undone: &UndoOutcome) -> String {
        let shown = self.shown.display();
        match undone {
            UndoOutcome::Edit => {
                format!("{shown} is as it was before the last edit; /undo goes on from there")
            }
            UndoOutcome::All => format!("{shown} is what {} is: no edit is left", self.named.display()),
            UndoOutcome::Nothing => "There is nothing to take back".to_owned(),
        }
    }
}

pub(super) fn failed(error: &Error) -> Failure {
    Failure::new(Exit::Refused, error.code(), error.to_string())
}

/// A name for a path.
fn short_hash(path: &Path) -> String {
    let hash = hex::encode(Sha256::digest(path.as_os_str().as_encoded_bytes()));
    hash.get(..16).unwrap_or(&hash).to_owned()
}

/// The tools of the one document, whatever the workspace is called.
pub(super) struct OneDocument(Arc<DocumentTools>);

/// A chat without a document: files can be written, whatever the workspace is called.
pub(super) struct NoDocument(Arc<WritingTools>);

impl NoDocument {
    pub(super) fn new(writer: Writer) -> Self {
        Self(Arc::new(WritingTools::new(writer)))
    }
}

impl Toolboxes for NoDocument {
    fn open<'a>(&'a self, _: &'a str, _: &'a str) -> ToolboxFuture<'a> {
        Box::pin(async move { Ok(Arc::clone(&self.0) as Arc<dyn Toolbox>) })
    }
}

impl OneDocument {
    /// The tools of `workspace`; `approver` has to agree to edits, if there is one.
    pub(super) fn new(workspace: Workspace, writer: Writer, approver: Option<Arc<dyn Approver>>) -> Self {
        Self(Arc::new(DocumentTools::new(workspace).with_writer(Some(writer)).with_approver(approver)))
    }
}

impl Toolboxes for OneDocument {
    fn open<'a>(&'a self, _: &'a str, _: &'a str) -> ToolboxFuture<'a> {
        Box::pin(async move { Ok(Arc::clone(&self.0) as Arc<dyn Toolbox>) })
    }
}
