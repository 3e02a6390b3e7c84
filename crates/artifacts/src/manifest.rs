//! The manifest: all deliverables of one run, with size and hash, and whether they meet the requirements.
//!
//! Must never list a part as if it were all, nor a file that changed while it was hashed.

use std::cmp::Reverse;

use engross_store::Millis;
use engross_store::files::{DiskPath, Tree};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::error::ScopeError;
use super::file_list::FileList;
use super::hashes::Sha256Sum;
use super::hashing::{HashContext, HashResult, hash_all};
use super::requirements::{RequirementOutcome, Requirements};
use super::soundness;
use super::survey::{Survey, survey};
use super::workspace::Scope;

/// How many files are hashed and looked at before the next ones.
const AT_ONCE: usize = 8_192;

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

impl Scope {
    /// Lists all deliverables of the run.
    ///
    /// Files whose hash is known are not read. Left out with a warning are links, special files, files that have another name
    /// outside the scope, and files that change while they are hashed, twice; without a warning what `artifact-ignore.md`
    /// names and what is in folders of tools. If `since` (milliseconds since 1970) is given, so is what was last changed
    /// before it; as the scope belongs to the run, nothing that was changed after the scope was made counts as older.
    ///
    /// # Errors
    /// As the system says of the scope's own folder. What cannot be read beneath it is a warning.
    pub fn manifest(
        &self,
        requirements: &Requirements,
        since: Option<Millis>,
        with: HashContext<'_>,
    ) -> Result<Manifest, ScopeError> {
        let Survey { mut files, mut warnings } = survey(self.folder(), requirements.has_hidden(), with)?;
        if let Some(since) = since {
            let since = self.folder().created().map_or(since, |created| created.min(since));
            let since = i64::try_from(since).unwrap_or(i64::MAX).saturating_mul(1_000_000);
            files.retain(|(_, stamp)| stamp.modified.max(stamp.changed) >= since);
        }
        let mut deliverables = Vec::with_capacity(files.len());
        let mut tree = self.folder().tree();
        let mut files = files.into_iter();
        // So many at once, that what is known of them meanwhile takes little room.
        while let Some(first) = files.next() {
            let some: Vec<_> = std::iter::once(first).chain(files.by_ref().take(AT_ONCE - 1)).collect();
            let hashed = hash_all(self.folder(), &some, with);
            for ((path, _), hashed) in some.into_iter().zip(hashed) {
                let left_out = match hashed {
                    HashResult::As(stamp, sha256) => {
                        let is_required = requirements.matches(path.name());
                        let problem = problem_of(&mut tree, &path, stamp.size);
                        if let Some(problem) = &problem {
                            if is_required {
                                let told = format!(
                                    "held back, as {problem}: a file that was asked for must be whole"
                                );
                                warnings.add(path.as_str(), &told);
                                continue;
                            }
                            warnings.add(path.as_str(), &format!("delivered, although {problem}"));
                        }
                        deliverables.push(Deliverable {
                            required: is_required,
                            relative_path: path.into_text(),
                            size_bytes: stamp.size,
                            sha256,
                            modified: stamp.modified,
                        });
                        continue;
                    }
                    HashResult::Gone => "left out, as it was removed meanwhile".to_owned(),
                    HashResult::Restless => "left out, as it changes while it is read".to_owned(),
                    HashResult::Exchanged => "left out, as it was exchanged meanwhile".to_owned(),
                    HashResult::Failed(error) => format!("left out: {error}"),
                    HashResult::Stopped => return Err(ScopeError::Stopped),
                };
                warnings.add(path.as_str(), &left_out);
            }
        }
        deliverables.sort_unstable_by(|a, b| a.order().cmp(&b.order()));
        Ok(Manifest {
            outcome: requirements.judge(deliverables.iter().map(Deliverable::label)),
            revision: revision(&deliverables),
            files: deliverables,
            warnings: warnings.into_list(),
            frozen: false,
            list: None,
        })
    }
}

/// What is wrong with the bytes of a file, if that can be told.
fn problem_of(tree: &mut Tree, path: &DiskPath, size: u64) -> Option<String> {
    if !soundness::is_to_be_read(path.name(), size) {
        return None;
    }
    let (mut reader, _) = tree.open(path).ok().flatten()?;
    soundness::problem(&mut reader, path.name(), size).ok().flatten()
}

/// Judges a manifest from which files were taken.
pub(super) fn judge_again(manifest: &mut Manifest, requirements: &Requirements) {
    manifest.outcome = requirements.judge(manifest.files.iter().map(Deliverable::label));
    manifest.revision = revision(&manifest.files);
}

fn revision(files: &[Deliverable]) -> Sha256Sum {
    let mut digest = Sha256::new();
    for file in files {
        digest.update((file.relative_path.len() as u64).to_le_bytes());
        digest.update(&file.relative_path);
        digest.update(file.modified.to_le_bytes());
        digest.update(file.sha256.as_bytes());
    }
    Sha256Sum::from_bytes(digest.finalize().into())
}
