//! Resolves a request for an artifact.
//!
//! Must never hand out what the run's manifest would not list.

use engross_store::Millis;
use engross_store::files::{DiskPath, FileError};

use super::error::ScopeError;
use super::hashing::{HashContext, HashResult, hash_one};
use super::ignore::{is_excluded, is_hidden};
use super::keys::Keys;
use super::open_artifact::OpenArtifact;
use super::survey::{is_own, rules};
use super::warnings::Warnings;
use super::workspace::Scope;

/// Which artifact a caller means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ArtifactQuery<'a> {
    /// Its reference.
    pub artifact_ref: Option<&'a str>,
    /// The scope it is in.
    pub artifact_scope: Option<&'a str>,
    /// Its path beneath the scope.
    pub relative_path: Option<&'a str>,
}

impl Scope {
    /// Opens the artifact that is meant: by its reference, or by its scope and path, or by all of them when they agree.
    ///
    /// A file whose hash is not known is read once. `now` is in milliseconds since 1970.
    ///
    /// # Errors
    /// * [`ScopeError::ScopeRequired`]: a path alone. [`ScopeError::ScopeMismatch`]: the scope is another run's.
    /// * As [`Keys::verify`]. [`ScopeError::RefMismatch`]: reference and path or scope differ.
    /// * [`ScopeError::Changed`]: size or hash are not those of the reference.
    /// * As [`Scope::open`].
    pub fn open_wanted(
        &self,
        wanted: ArtifactQuery<'_>,
        keys: &Keys,
        now: Millis,
        with: HashContext<'_>,
    ) -> Result<OpenArtifact, ScopeError> {
        if let Some(scope) = wanted.artifact_scope {
            self.check(scope)?;
        }
        let Some(artifact_ref) = wanted.artifact_ref else {
            return match (wanted.artifact_scope, wanted.relative_path) {
                (Some(_), Some(path)) => self.open(&artifact_path(path)?, with),
                _ => Err(ScopeError::ScopeRequired),
            };
        };
        let claim = keys.verify(self, artifact_ref, now)?;
        if wanted.relative_path.is_some_and(|path| path != claim.relative_path) {
            return Err(ScopeError::RefMismatch { what: "path" });
        }
        let path = artifact_path(&claim.relative_path)?;
        let frozen = match self.frozen() {
            Some(frozen) => frozen.open(claim.sha256, &path, with)?,
            None => None,
        };
        let opened = match frozen {
            Some(frozen) => frozen,
            None => self.open(&path, with)?,
        };
        if (opened.size(), opened.sha256()) == (claim.size_bytes, claim.sha256) {
            Ok(opened)
        } else {
            Err(ScopeError::changed(&claim.relative_path))
        }
    }

    /// Opens the artifact at `path`.
    ///
    /// # Errors
    /// * [`ScopeError::NotFound`].
    /// * [`ScopeError::Refused`]: a link, on the way too; a folder; no ordinary file; in a folder of a tool; left out by
    ///   `artifact-ignore.md`; or it has another name outside the scope.
    /// * [`ScopeError::Changed`]: it changes while it is read.
    /// * [`ScopeError::File`]: it cannot be read.
    pub fn open(&self, path: &DiskPath, with: HashContext<'_>) -> Result<OpenArtifact, ScopeError> {
        let text = path.as_str();
        if path.parent().is_some_and(|parent| parent.components().any(is_excluded)) {
            return Err(ScopeError::refused(text, "it is in a folder that a tool keeps for itself"));
        }
        if let Some(why) = path.components().find_map(is_hidden) {
            return Err(ScopeError::refused(text, why));
        }
        let mut tree = self.folder().tree();
        let ignore = rules(&mut tree, &mut Warnings::default())?;
        if ignore.hides(text) {
            return Err(ScopeError::refused(text, "artifact-ignore.md leaves it out of what is delivered"));
        }
        let opened = hash_one(&mut tree, path, with).map_err(|error| match error {
            FileError::PathOutsideRoot { .. } => ScopeError::refused(text, "links are not followed"),
            FileError::TargetIsDir { .. } => ScopeError::refused(text, "it is a folder"),
            FileError::PathInvalid { .. } => ScopeError::refused(text, "it is no ordinary file"),
            error => error.into(),
        })?;
        let Some((reader, stamp, hashed)) = opened else { return Err(ScopeError::not_found(text)) };
        if !is_own(self.folder(), &stamp)? {
            return Err(ScopeError::refused(text, "it has another name outside this scope"));
        }
        match hashed {
            HashResult::As(_, sha256) => Ok(OpenArtifact::new(path.clone(), reader, stamp, sha256)),
            HashResult::Failed(error) => Err(error.into()),
            HashResult::Stopped => Err(ScopeError::Stopped),
            HashResult::Gone | HashResult::Restless | HashResult::Exchanged => Err(ScopeError::changed(text)),
        }
    }
}

/// The path of an artifact as a caller names it.
pub(super) fn artifact_path(text: &str) -> Result<DiskPath, ScopeError> {
    DiskPath::parse(text).map_err(|error| {
        let problem = match error {
            FileError::TargetRequired => "it is empty".to_owned(),
            FileError::PathOutsideRoot { problem, .. }
            | FileError::PathInvalid { problem, .. }
            | FileError::ProtectedPath { problem, .. } => problem,
            error => error.to_string(),
        };
        ScopeError::path(text, &problem)
    })
}
