//! The target of a session: its path, and what must hold there.

use std::io::Read;

use engross_store::files::{FileError, Folder, Precondition, RelPath, Root};

use crate::error::{Error, WriteFailure};
use crate::session::{BeginOptions, WriteOperation};

/// Where workspaces keep what files were before; nobody writes there from outside.
const OWN: &str = ".engross";

/// Old files up to so many bytes are searched for the end line that was drawn.
const SEARCHED: u64 = 16 << 20;

/// A place for a file beneath the root, and what was there when the session began.
#[derive(Debug)]
pub(super) struct Target {
    /// The root: every folder on the way is looked up again when the file takes its place.
    pub(super) folder: Folder,
    pub(super) path: RelPath,
    /// The path as the receipt has it: beneath the folder that the sender named as root.
    pub(super) shown: String,
    /// The hash of what was there.
    pub(super) base: Option<String>,
}

impl Target {
    /// Finds the place that `options` name. A folder that they name as root is made if it is missing.
    pub(super) fn find(root: &Root, options: &BeginOptions) -> Result<Self, WriteFailure> {
        let file = RelPath::parse(&options.target_file)?;
        let shown = file.to_string();
        let path = match options.root.as_deref().filter(|root| !matches!(root.trim(), "" | "." | "./")) {
            None => file,
            Some(root_folder) => {
                let root_folder = RelPath::parse(match root_folder.trim_end_matches('/') {
                    "" => root_folder,
                    folder => folder,
                })?;
                root.make_folder(&root_folder)?;
                root_folder.join(&file)?
            }
        };
        if path.components().any(|part| part.eq_ignore_ascii_case(OWN)) {
            let problem = "workspaces keep their checkpoints there".to_owned();
            return Err(FileError::ProtectedPath { path: path.to_string(), problem }.into());
        }
        Ok(Self { folder: root.top(), path, shown, base: None })
    }

    /// The place that a journal names.
    pub(super) fn reopen(
        root: &Root,
        path: &str,
        shown: &str,
        base: Option<String>,
    ) -> Result<Self, FileError> {
        Ok(Self { folder: root.top(), path: RelPath::parse(path)?, shown: shown.to_owned(), base })
    }

    /// Looks at what is there, and whether the operation may be done with it.
    pub(super) fn check(&mut self, options: &BeginOptions) -> Result<(), WriteFailure> {
        let path = self.path.as_str();
        let missing = || FileError::TargetMissing { path: path.to_owned() };
        let there = self.folder.info(&self.path)?.is_some();
        match (options.operation, there) {
            (WriteOperation::Create, true) => {
                return Err(FileError::TargetExists { path: path.to_owned() }.into());
            }
            (WriteOperation::Append | WriteOperation::Patch, false) => return Err(missing().into()),
            (WriteOperation::Overwrite, false) if options.must_exist || options.expect_sha256.is_some() => {
                return Err(missing().into());
            }
            _ => {}
        }
        let found = if there { self.folder.sha256(&self.path)?.map(|(sha256, _)| sha256) } else { None };
        if let Some(expected) = &options.expect_sha256
            && !found.as_ref().is_some_and(|found| found.eq_ignore_ascii_case(expected))
        {
            let found = found.unwrap_or_default();
            let expected = expected.clone();
            return Err(FileError::TargetChanged { path: path.to_owned(), expected, found }.into());
        }
        self.base = found;
        Ok(())
    }

    /// Whether the old file has the end line `marker`; large ones are not asked.
    pub(super) fn has(&self, marker: &str) -> Result<bool, WriteFailure> {
        if self.base.is_none() || self.folder.info(&self.path)?.is_none_or(|info| info.size > SEARCHED) {
            return Ok(false);
        }
        let old = self.folder.read(&self.path, SEARCHED)?;
        Ok(old.is_some_and(|(old, _)| memchr::memmem::find(&old, marker.as_bytes()).is_some()))
    }

    /// What must hold when the file takes its place: what was there is there.
    pub(super) fn precondition(&self) -> Precondition {
        self.base.clone().map_or(Precondition::Absent, Precondition::Sha256)
    }

    /// What it means that the condition does not hold.
    pub(super) fn problem(&self, operation: WriteOperation, error: FileError) -> WriteFailure {
        match error {
            // It was to be replaced, but not unseen.
            FileError::TargetExists { path } if operation != WriteOperation::Create => {
                FileError::TargetChanged { path, expected: String::new(), found: String::new() }.into()
            }
            FileError::TargetMissing { path } if self.base.is_some() => {
                let expected = self.base.clone().unwrap_or_default();
                FileError::TargetChanged { path, expected, found: String::new() }.into()
            }
            error => error.into(),
        }
    }

    /// The bytes of the old file, if there are at most `limit`; `None` when it is missing.
    pub(super) fn old(&self, limit: u64) -> Result<Option<Vec<u8>>, FileError> {
        if self.base.is_none() {
            return Ok(None);
        }
        Ok(self.folder.read(&self.path, limit)?.map(|(bytes, _)| bytes))
    }

    /// The old file, to be copied.
    pub(super) fn old_reader(&self) -> Result<Option<impl Read>, FileError> {
        if self.base.is_none() { Ok(None) } else { self.folder.open(&self.path) }
    }

    /// Who writes it already.
    pub(super) fn conflict(&self) -> WriteFailure {
        Error::SessionConflict(self.path.to_string()).into()
    }
}
