//! What a thread's folder holds beside its files: those that are sent along, and which were fetched.
//!
//! Must never be taken for a result. Blocks where it does not say otherwise.

use std::collections::BTreeMap;

use engross_store::files::{FileError, Folder, Precondition, RelPath};

use super::error::ThreadError;
use super::prompt::SentFiles;
use super::state::Ask;
use super::sync::SyncReport;

/// The most bytes of a file that is sent along.
const LARGEST_SENT: u64 = 10 << 20;

/// The files that go along with a request, out of the thread's own folder.
pub(super) async fn sent(folder: &Folder, ask: &Ask) -> Result<Vec<SentFiles>, FileError> {
    if ask.attachments.is_empty() {
        return Ok(Vec::new());
    }
    let (folder, paths) = (folder.clone(), ask.attachments.clone());
    let read = tokio::task::spawn_blocking(move || {
        paths
            .iter()
            .map(|path| {
                let path = RelPath::parse(path)?;
                let found = folder.read(&path, LARGEST_SENT)?;
                let (bytes, _) =
                    found.ok_or_else(|| FileError::TargetMissing { path: path.as_str().to_owned() })?;
                Ok(SentFiles { name: path.name().to_owned(), bytes })
            })
            .collect()
    });
    match read.await {
        Ok(read) => read,
        Err(error) => {
            Err(FileError::Unreadable { path: "attachments".to_owned(), reason: error.to_string() })
        }
    }
}

/// Where a thread's folder says which of its files were fetched, and with which bytes.
const SYNCED: &str = ".xworkmate/synced.json";

pub(super) fn synced(folder: &Folder) -> Result<BTreeMap<String, String>, ThreadError> {
    let path = RelPath::parse(SYNCED)?;
    let found = folder.read(&path, 64 << 20)?;
    // A list that cannot be read makes no file ours: then none is replaced.
    Ok(found.and_then(|(bytes, _)| serde_json::from_slice(&bytes).ok()).unwrap_or_default())
}

pub(super) fn keep_synced(
    folder: &Folder,
    mut known: BTreeMap<String, String>,
    report: &SyncReport,
) -> Result<(), ThreadError> {
    let before = known.clone();
    for file in &report.files {
        if let (Some(path), Some(sha256)) = (&file.local_path, &file.sha256) {
            known.insert(path.clone(), sha256.clone());
        }
    }
    if known != before {
        let path = RelPath::parse(SYNCED)?;
        let bytes = serde_json::to_vec(&known).unwrap_or_default();
        folder.write(&path, bytes.as_slice(), &Precondition::Any)?;
    }
    Ok(())
}
