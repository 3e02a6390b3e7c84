//! Freezes what a run delivers: copies its files to where they never change.
//!
//! Must never list a file of which another copy is kept than was listed.

use engross_store::files::{DiskPath, FileError, FreezeResult};

use super::deliverable::{Manifest, judge_again};
use super::error::ScopeError;
use super::hashing::HashContext;
use super::requirements::Requirements;
use super::warnings::Warnings;
use super::workspace::Scope;

/// A list of more files than this is a file of its own.
const INLINE: usize = 2_000;

impl Scope {
    /// Copies the files of a manifest to where they never change. A file that changed since it was listed is left out, with a
    /// warning, and the manifest judged again. Without a place for frozen files nothing happens.
    ///
    /// # Errors
    /// As the system says; [`ScopeError::Stopped`].
    pub fn freeze(
        &self,
        manifest: &mut Manifest,
        requirements: &Requirements,
        with: HashContext<'_>,
    ) -> Result<(), ScopeError> {
        let Some(frozen) = self.frozen() else { return Ok(()) };
        // What programs have written is where another node would look for it, too, before anybody is told of it.
        let kept = self.folder().keep_what_others_changed();
        let mut tree = self.folder().tree();
        let mut warnings = Warnings::default();
        match kept {
            // What cannot be read is not delivered either.
            Err(FileError::Unreadable { path, reason }) => {
                warnings.add(&path, &format!("not kept, as it cannot be read: {reason}"));
            }
            kept => kept?,
        }
        let stop = || with.is_stopped();
        let mut gone = Vec::new();
        for (at, file) in manifest.files.iter().enumerate() {
            if stop() {
                return Err(ScopeError::Stopped);
            }
            let (folder, name) = frozen.place(file.sha256)?;
            if folder.info(&name)?.is_some_and(|there| there.size == file.size_bytes) {
                continue;
            }
            let path = DiskPath::parse(&file.relative_path)?;
            let opened = tree.open(&path)?;
            let kept = match opened {
                Some((mut reader, _)) => {
                    folder.freeze(&name, &mut reader, &file.sha256.to_string(), &stop)?
                }
                None => FreezeResult::Differs,
            };
            match kept {
                FreezeResult::Frozen => {}
                FreezeResult::Stopped => return Err(ScopeError::Stopped),
                FreezeResult::Differs => {
                    warnings.add(&file.relative_path, "left out, as it was changed while it was kept");
                    gone.push(at);
                }
            }
        }
        if !gone.is_empty() {
            let mut at = 0;
            manifest.files.retain(|_| {
                at += 1;
                gone.binary_search(&(at - 1)).is_err()
            });
            judge_again(manifest, requirements);
        }
        manifest.warnings.extend(warnings.into_list());
        frozen.sync()?;
        manifest.frozen = true;
        Ok(())
    }

    /// Puts the list of many files into a file of its own, so that what is stored of the run stays small. Only of a manifest
    /// that is frozen.
    ///
    /// # Errors
    /// As the system says.
    pub fn shorten(&self, manifest: &mut Manifest) -> Result<(), ScopeError> {
        if let Some(frozen) = self.frozen().filter(|_| manifest.frozen && manifest.files.len() > INLINE) {
            manifest.list = Some(frozen.keep_list(&manifest.files)?);
            manifest.files = Vec::new();
        }
        Ok(())
    }
}
