//! Housekeeping: frozen files that nobody needs any more are removed.
//!
//! Must never decide which those are: the caller names what stays.

use std::collections::HashSet;

use engross_store::Millis;
use engross_store::files::{Precondition, RelPath};

use super::deliverable::Manifest;
use super::error::ScopeError;
use super::frozen::FrozenFiles;
use super::hashes::Sha256Sum;

/// Files of one folder that are looked at at once.
const PAGE: usize = 10_000;

/// What was removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CollectedFiles {
    /// Files.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
}

impl FrozenFiles {
    /// Removes what is not in `kept` and was frozen before the moment `before`, in milliseconds since 1970. Nothing may be frozen
    /// meanwhile: what is there already is not frozen again.
    ///
    /// # Errors
    /// As the system says.
    pub fn collect(&self, kept: &HashSet<Sha256Sum>, before: Millis) -> Result<CollectedFiles, ScopeError> {
        let mut collected = CollectedFiles::default();
        for group in self.folder().folders()? {
            let start = group.path.as_str();
            let Some(folder) = self.folder().folder(&group.path)? else { continue };
            let mut after: Option<RelPath> = None;
            loop {
                let page = folder.list("", after.as_ref(), PAGE)?;
                for file in &page.files {
                    let sha256 = Sha256Sum::parse(&format!("{start}{}", file.path.as_str()));
                    let is_ours = sha256.is_some_and(|sha256| !kept.contains(&sha256));
                    if is_ours
                        && file.info.modified < before
                        && folder.remove(&file.path, &Precondition::Any)?
                    {
                        collected.files += 1;
                        collected.bytes += file.info.size;
                    }
                }
                match page.files.last() {
                    Some(last) if page.more => after = Some(last.path.clone()),
                    _ => break,
                }
            }
        }
        Ok(collected)
    }

    /// The hashes of the files that a manifest names, its list among them.
    ///
    /// # Errors
    /// As the system says, when the list cannot be read.
    pub fn hashes_of(&self, manifest: &Manifest, kept: &mut HashSet<Sha256Sum>) -> Result<(), ScopeError> {
        kept.extend(manifest.files.iter().map(|file| file.sha256));
        if let Some(list) = &manifest.list {
            kept.insert(list.sha256);
            for file in self.list(list, 0)? {
                kept.insert(file?.0.sha256);
            }
        }
        Ok(())
    }
}
