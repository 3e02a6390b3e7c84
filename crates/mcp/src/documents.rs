//! What every call needs: the folders, the checkpoints, a name for the author, the clock.
//!
//! Must never remember anything between two calls.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use engross_documents::{
    CheckpointStore, DeliveryListener, DocumentIsolation, Error, OpenDocument, Workspace, signature,
};
use engross_protocol::{Clock, Failure};
use engross_store::files::{FileError, Folder, Locks};

use crate::folders::{AllowedFolders, Place};

/// What every call of the server needs.
pub struct McpDocuments {
    pub(crate) folders: AllowedFolders,
    keeping: Keeping,
    locks: Locks,
    pub(crate) clock: Arc<dyn Clock>,
    author: String,
    /// Who is told of written documents, and the absolute path of the folder of all workspaces.
    listener: Option<(Arc<dyn DeliveryListener>, PathBuf)>,
    /// Where documents are worked on before they are opened here.
    pub(crate) isolation: DocumentIsolation,
    /// Held by a call from the choice of a name for its result until that is written, so that no two choose the same.
    naming: Mutex<()>,
}

/// Where checkpoints are kept.
enum Keeping {
    /// In the folder for data, with those of the command line.
    Data(PathBuf),
    /// In each workspace.
    Workspaces,
}

impl McpDocuments {
    /// Documents beneath `folders`; checkpoints are kept in the folder `data`, and changes are made in the name of `author`.
    ///
    /// # Errors
    /// `INVALID_AUTHOR`, and when nothing can be kept in `data`.
    pub fn new(
        folders: AllowedFolders,
        data: PathBuf,
        author: &str,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, Failure> {
        CheckpointStore::in_data(&data)?;
        let author = signature::author(author)?.to_owned();
        let keeping = Keeping::Data(data);
        Ok(Self {
            folders,
            keeping,
            locks: Locks::new(),
            clock,
            author,
            listener: None,
            isolation: DocumentIsolation::default(),
            naming: Mutex::new(()),
        })
    }

    /// Documents of the workspaces in the folder `top`, whose other writers hold the same `locks`.
    ///
    /// # Errors
    /// `INVALID_AUTHOR`.
    pub fn of_workspaces(
        top: Folder,
        locks: Locks,
        author: &str,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, Failure> {
        let author = signature::author(author)?.to_owned();
        let (folders, keeping) = (AllowedFolders::Workspaces(top), Keeping::Workspaces);
        let (isolation, naming) = (DocumentIsolation::default(), Mutex::new(()));
        Ok(Self { folders, keeping, locks, clock, author, listener: None, isolation, naming })
    }

    /// The same; `listener` is told of every document that is written. `top` is the absolute path of the folder of all
    /// workspaces, where there is one.
    #[must_use]
    pub fn heard_by(self, listener: Option<Arc<dyn DeliveryListener>>, top: PathBuf) -> Self {
        Self { listener: listener.map(|listener| (listener, top)), ..self }
    }

    /// The same, with documents worked on elsewhere before they are opened here.
    #[must_use]
    pub fn isolated(self, isolation: DocumentIsolation) -> Self {
        Self { isolation, ..self }
    }

    /// The name that changes are made in.
    pub(crate) fn author<'a>(&'a self, asked: Option<&'a str>) -> Result<&'a str, Failure> {
        signature::author(asked.unwrap_or(&self.author))
    }

    /// The documents of the folder that a place is in.
    pub(crate) fn workspace(&self, place: &Place) -> Result<Workspace, Failure> {
        let (locks, clock) = (self.locks.clone(), Arc::clone(&self.clock));
        let files = place.folder.clone();
        let workspace = match (&self.keeping, place.base()) {
            (Keeping::Data(data), Some(base)) => {
                let store = CheckpointStore::in_data(data)?.beneath(base.to_owned(), None);
                Workspace::new(files, store, locks, clock)
            }
            _ => Workspace::with_own_checkpoints(files, locks, clock)?,
        };
        let workspace = workspace.isolated(self.isolation.clone());
        Ok(match self.listener.clone() {
            Some((listener, top)) => workspace.heard_by(Some(listener), &place.folder_beneath(&top)),
            None => workspace,
        })
    }

    /// The document that a client names.
    pub(crate) fn open(&self, path: &str) -> Result<(Place, OpenDocument), Failure> {
        let place = self.folders.meant(self.folders.locate(path)?);
        let opened = self.workspace(&place)?.open(&place.path);
        let opened = opened.map_err(|error| self.failure(&place, error))?;
        Ok((place, opened))
    }

    /// The bytes of the file that a client names.
    pub(crate) fn read(&self, path: &str) -> Result<(Place, Vec<u8>), Failure> {
        let place = self.folders.meant(self.folders.locate(path)?);
        let bytes =
            self.workspace(&place)?.read(&place.path).map_err(|error| self.failure(&place, error.into()))?;
        let bytes = bytes.ok_or_else(|| self.folders.missing(&place))?;
        Ok((place, bytes))
    }

    /// Whether engross has written the file at a place, so that it may be worked on where it is.
    pub(crate) fn is_ours(&self, place: &Place) -> Result<bool, Failure> {
        let made_from = self.workspace(place)?.made_from(&place.path);
        made_from.map(|made_from| made_from.is_some()).map_err(|error| self.failure(place, error))
    }

    /// What went wrong at a place, with what may help.
    pub(crate) fn failure(&self, place: &Place, error: Error) -> Failure {
        match error {
            Error::File(FileError::TargetMissing { .. }) => self.folders.missing(place),
            Error::File(error @ FileError::TargetIsDir { .. }) => self.folders.is_folder(place, error),
            Error::File(error) => self.folders.refused(error),
            Error::Document { error, .. } => Error::document(place.shown(), error).into(),
            other => other.into(),
        }
    }

    /// Waits until the call that writes has written.
    pub fn finish_writing(&self) {
        drop(self.naming());
    }

    /// The right to choose the name of a result.
    pub(crate) fn naming(&self) -> MutexGuard<'_, ()> {
        self.naming.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
