//! A file that a run delivers, and the list of all of them.
//!
//! Must never hold a handle: it can be stored as it is.

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::file_list::FileList;
use super::hashes::Sha256Sum;
use super::requirements::{RequirementOutcome, Requirements};

/// A file that a run delivers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Deliverable {
    /// Its path beneath the scope, as [`engross_store::files::DiskPath`] writes it.
    pub relative_path: String,
    /// Its length in bytes.
    pub size_bytes: u64,
    /// The hash of its bytes.
    pub sha256: Sha256Sum,
    /// When it was last written to, in nanoseconds since 1970, UTC.
    pub modified: i64,
    /// Whether it has an extension that was asked for.
    pub required: bool,
}

impl Deliverable {
    /// Its name without folders.
    #[must_use]
    pub fn label(&self) -> &str {
        self.relative_path.rsplit('/').next().unwrap_or_default()
    }

    /// Where it stands in the list: what was asked for first, then the newest first, then by path.
    pub(super) fn order(&self) -> (Reverse<bool>, Reverse<i64>, &str) {
        (Reverse(self.required), Reverse(self.modified), &self.relative_path)
    }
}

/// The deliverables of a run at one moment. It holds no handle and can be stored as it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Manifest {
    /// All files: those with an extension that was asked for first, then the newest first, then by path.
    pub files: Vec<Deliverable>,
    /// What was left out, and why, for people.
    pub warnings: Vec<String>,
    /// Whether they are what was asked for.
    pub outcome: RequirementOutcome,
    /// The same for two manifests with the same files in the same order: 64 hexadecimal digits.
    pub revision: Sha256Sum,
    /// Whether the bytes of all files are kept where nobody writes to them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub frozen: bool,
    /// Where the files are named when they are too many for `files`, which is empty then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub list: Option<FileList>,
}

impl Manifest {
    /// How many files there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.list.as_ref().map_or(self.files.len(), |list| list.count)
    }
}

/// Judges a manifest from which files were taken.
pub(super) fn judge_again(manifest: &mut Manifest, requirements: &Requirements) {
    manifest.outcome = requirements.judge(manifest.files.iter().map(Deliverable::label));
    manifest.revision = revision(&manifest.files);
}

pub(super) fn revision(files: &[Deliverable]) -> Sha256Sum {
    let mut digest = Sha256::new();
    for file in files {
        digest.update((file.relative_path.len() as u64).to_le_bytes());
        digest.update(&file.relative_path);
        digest.update(file.modified.to_le_bytes());
        digest.update(file.sha256.as_bytes());
    }
    Sha256Sum::from_bytes(digest.finalize().into())
}
