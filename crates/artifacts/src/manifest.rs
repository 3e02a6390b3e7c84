//! Makes the manifest of a run: all its deliverables, with size and hash, and whether they meet the requirements.
//!
//! Must never list a part as if it were all, nor a file that changed while it was hashed.

use engross_store::Millis;
use engross_store::files::{DiskPath, Tree};

use super::deliverable::{Deliverable, Manifest, revision};
use super::error::ScopeError;
use super::hashing::{HashContext, HashResult, hash_all};
use super::requirements::Requirements;
use super::soundness;
use super::survey::{Survey, survey};
use super::workspace::Scope;

/// How many files are hashed and looked at before the next ones.
const AT_ONCE: usize = 8_192;

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
