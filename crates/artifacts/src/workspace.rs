//! Manages the folders of runs beneath one workspace, each through an open handle.
//!
//! Must never open the folder of one run for another, nor make anything outside `tasks/`.

use engross_store::files::{Folder, RelPath};
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::error::ScopeError;
use super::frozen::FrozenFiles;
use super::hashes::Sha256Sum;
use super::hints::{ExpectedDir, ExpectedDirStatus};
use super::name::{ArtifactScope, RunId, SessionKey};

/// A workspace with the scopes of all runs beneath `tasks/`. Clones share its handle.
#[derive(Debug, Clone)]
pub struct ArtifactWorkspace {
    folder: Folder,
    /// Where it is, for people and agents; nothing is opened by it.
    place: String,
    hash: String,
    frozen: Option<FrozenFiles>,
}

/// What a run is told about its folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PreparedScope {
    /// The run.
    pub run_id: RunId,
    /// The session.
    pub session_key: SessionKey,
    /// The scope.
    pub artifact_scope: ArtifactScope,
    /// Its folder as agents name it: the workspace's place and the scope.
    pub artifact_directory: String,
    /// Its folder beneath the workspace; the same as the scope.
    pub relative_artifact_directory: String,
    /// Always `task`.
    pub scope_kind: &'static str,
    /// The expected folders.
    pub expected_artifact_dirs: Vec<ExpectedDir>,
    /// Whether they are there.
    pub expected_artifact_dir_status: Vec<ExpectedDirStatus>,
    /// For people; at present none.
    pub warnings: Vec<String>,
}

/// The folder of one run.
#[derive(Debug, Clone)]
pub struct Scope {
    name: ArtifactScope,
    session: SessionKey,
    run: RunId,
    folder: Folder,
    directory: String,
    workspace_hash: String,
    frozen: Option<FrozenFiles>,
}

impl ArtifactWorkspace {
    /// The workspace in `folder`. `place` is its absolute path as agents name it; references are bound to it.
    #[must_use]
    pub fn new(folder: Folder, place: &str) -> Self {
        let place = if place.len() > 1 { place.trim_end_matches('/') } else { place };
        let hash = Sha256Sum::from_bytes(Sha256::digest(place).into()).to_string();
        Self { folder, place: place.to_owned(), hash, frozen: None }
    }

    /// The same, with a place for the files of runs that have ended.
    #[must_use]
    pub fn with_frozen(self, frozen: FrozenFiles) -> Self {
        Self { frozen: Some(frozen), ..self }
    }

    /// Where the files of ended runs are.
    #[must_use]
    pub fn frozen(&self) -> Option<&FrozenFiles> {
        self.frozen.as_ref()
    }

    /// Makes the folder of a run, durably, unless it is there already. Expected folders are not made.
    ///
    /// # Errors
    /// [`ScopeError::File`]: a link or a file is in the way, or the system refuses.
    pub fn prepare(
        &self,
        session: &SessionKey,
        run: &RunId,
        expected: &[ExpectedDir],
    ) -> Result<PreparedScope, ScopeError> {
        let name = ArtifactScope::of(session, run);
        let folder = self.folder.make_folder(&RelPath::parse(name.as_str())?)?;
        let scope = self.scope(name, session, run, folder);
        Ok(PreparedScope {
            run_id: run.clone(),
            session_key: session.clone(),
            artifact_directory: scope.directory.clone(),
            relative_artifact_directory: scope.name.as_str().to_owned(),
            scope_kind: "task",
            expected_artifact_dirs: expected.to_vec(),
            expected_artifact_dir_status: scope.expected(expected)?,
            warnings: Vec::new(),
            artifact_scope: scope.name,
        })
    }

    /// Opens the scope of a run. `given` is the scope that the caller names, if any.
    ///
    /// # Errors
    /// * [`ScopeError::ScopeInvalid`], [`ScopeError::ScopeMismatch`]: `given` is no scope, or another run's.
    /// * [`ScopeError::ScopeMissing`]: it was not prepared, or is removed.
    /// * [`ScopeError::File`]: a link or a file is in its place, or the system refuses.
    pub fn open(&self, session: &SessionKey, run: &RunId, given: Option<&str>) -> Result<Scope, ScopeError> {
        let name = ArtifactScope::of(session, run);
        if let Some(given) = given {
            check(&name, given)?;
        }
        let missing = || ScopeError::ScopeMissing { scope: name.as_str().to_owned() };
        let folder = self.folder.folder(&RelPath::parse(name.as_str())?)?.ok_or_else(missing)?;
        Ok(self.scope(name, session, run, folder))
    }

    /// Removes the folder of a run and all that is in it; says whether there was one. References to it are good for nothing
    /// then.
    ///
    /// # Errors
    /// As [`Folder::remove_folder`].
    pub fn remove(&self, session: &SessionKey, run: &RunId) -> Result<bool, ScopeError> {
        let name = ArtifactScope::of(session, run);
        Ok(self.folder.remove_folder(&RelPath::parse(name.as_str())?)?)
    }

    fn scope(&self, name: ArtifactScope, session: &SessionKey, run: &RunId, folder: Folder) -> Scope {
        let directory = format!("{}/{name}", self.place.trim_end_matches('/'));
        let (session, run, workspace_hash) = (session.clone(), run.clone(), self.hash.clone());
        Scope { name, session, run, folder, directory, workspace_hash, frozen: self.frozen.clone() }
    }
}

impl Scope {
    /// Its name.
    #[must_use]
    pub fn name(&self) -> &ArtifactScope {
        &self.name
    }

    /// Its session.
    #[must_use]
    pub fn session(&self) -> &SessionKey {
        &self.session
    }

    /// Its run.
    #[must_use]
    pub fn run(&self) -> &RunId {
        &self.run
    }

    /// Its folder as agents name it. Nothing is opened by it.
    #[must_use]
    pub fn directory(&self) -> &str {
        &self.directory
    }

    /// Its folder.
    #[must_use]
    pub fn folder(&self) -> &Folder {
        &self.folder
    }

    /// Where its files are kept once the run has ended.
    pub(super) fn frozen(&self) -> Option<&FrozenFiles> {
        self.frozen.as_ref()
    }

    /// Which of these folders are there.
    ///
    /// # Errors
    /// As the system says.
    pub fn expected(&self, dirs: &[ExpectedDir]) -> Result<Vec<ExpectedDirStatus>, ScopeError> {
        let mut tree = self.folder.tree();
        let mut status = Vec::with_capacity(dirs.len());
        for dir in dirs {
            let exists = tree.has_folder(&dir.disk_path()?)?;
            status.push(ExpectedDirStatus { relative_path: dir.clone(), exists });
        }
        Ok(status)
    }

    /// Checks a scope that a caller names.
    pub(super) fn check(&self, given: &str) -> Result<(), ScopeError> {
        check(&self.name, given)
    }

    /// What stands for the workspace in references.
    pub(super) fn workspace_hash(&self) -> &str {
        &self.workspace_hash
    }
}

fn check(name: &ArtifactScope, given: &str) -> Result<(), ScopeError> {
    if ArtifactScope::parse(given)? == *name { Ok(()) } else { Err(ScopeError::ScopeMismatch) }
}
