//! Parses the folders in which a caller expects files, beneath the run's own folder.
//!
//! Must never widen what is looked at: a hint only says whether its folder is there.

use engross_store::files::{DiskPath, RelPath};
use serde::Serialize;
use serde_json::Value;

use super::error::ScopeError;
use super::name::TASKS;

/// A folder beneath the scope: a path in normal form with a slash at its end.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct ExpectedDir(String);

/// Whether an expected folder is there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ExpectedDirStatus {
    /// The folder.
    pub relative_path: ExpectedDir,
    /// Whether it is there. A link is no folder.
    pub exists: bool,
}

impl ExpectedDir {
    /// Its path, with a slash at its end.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Checks one. Backslashes separate folders, too.
    ///
    /// # Errors
    /// [`ScopeError::ExpectedDirInvalid`] when it is absolute, has a drive, NUL, `.` or `..`, begins with `tasks/`, or cannot
    /// be a folder everywhere.
    pub fn parse(text: &str) -> Result<Self, ScopeError> {
        let path = text.trim().replace('\\', "/");
        if path.starts_with('/') {
            return Err(ScopeError::dir(text, "it is absolute"));
        }
        if path.split('/').any(|part| matches!(part, "." | "..")) {
            return Err(ScopeError::dir(text, "a part of it is . or .."));
        }
        let path = path.trim_end_matches('/');
        let path = RelPath::parse(path).map_err(|error| ScopeError::dir(text, &error.to_string()))?;
        if path.folded().split('/').next() == Some(TASKS) {
            return Err(ScopeError::dir(text, "the folders of all runs are beneath it"));
        }
        Ok(Self(format!("{path}/")))
    }

    /// Its path as the disk is asked for it.
    pub(super) fn disk_path(&self) -> Result<DiskPath, ScopeError> {
        Ok(DiskPath::parse(self.0.trim_end_matches('/'))?)
    }
}

/// The expected folders of a request: what is no text or blank is left out, and so is what is there twice.
///
/// # Errors
/// As [`ExpectedDir::parse`], for the first one that is unsafe.
pub fn expected_dirs(given: &[Value]) -> Result<Vec<ExpectedDir>, ScopeError> {
    let mut dirs = Vec::new();
    for text in given.iter().filter_map(Value::as_str).filter(|text| !text.trim().is_empty()) {
        let dir = ExpectedDir::parse(text)?;
        if !dirs.contains(&dir) {
            dirs.push(dir);
        }
    }
    Ok(dirs)
}
