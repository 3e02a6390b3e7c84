//! Keeps what agents delivered, so that what a person makes of it can be observed: a file for each document, for its owner alone.
//!
//! Must never keep more than its quota, nor anything unasked: the caller has been told to.

use std::path::{Path, PathBuf};

use engross_store::files::by_path;

use super::journal::BookPaths;
use super::whole::{read_text, write_private};
use crate::Error;
use crate::preferences::DeliveredDocument;
use engross_transcript::stats::sha;

/// So many documents are kept; the oldest are forgotten first.
const DOCUMENTS: usize = 300;

/// So many changes of a document.
const CHANGES: usize = 200;

/// The folder beneath the one for data.
const FOLDER: &str = "document-lessons";

/// The records of deliveries, and the books that are made of them.
#[derive(Debug, Clone)]
pub struct DeliveredDocuments {
    folder: PathBuf,
}

impl DeliveredDocuments {
    /// Those in a folder for data. Nothing is made yet.
    #[must_use]
    pub fn in_data(data: &Path) -> Self {
        Self { folder: data.join(FOLDER) }
    }

    /// The book of a kind of documents.
    #[must_use]
    pub fn book(&self, kind: &str) -> BookPaths {
        BookPaths { json: self.folder.join("books").join(kind).join("skillbook.json") }
    }

    /// The kind of a client's documents.
    #[must_use]
    pub fn kind_of_client(name: &str) -> String {
        kind("client", name.trim(), &name.trim().to_lowercase())
    }

    /// The kind of the documents in a folder, which is given by its absolute path.
    #[must_use]
    pub fn kind_of_folder(folder: &Path) -> String {
        let name = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        kind("folder", &name, &folder.display().to_string())
    }

    /// Keeps what was delivered in the place of what was delivered there before.
    ///
    /// # Errors
    /// [`Error::WriteFailed`].
    pub fn keep(&self, document: &DeliveredDocument) -> Result<(), Error> {
        let mut document = document.clone();
        document.changes.truncate(CHANGES);
        let text = serde_json::to_string(&document).unwrap_or_default();
        write_private(&self.record(&document.path), text.as_bytes())?;
        let mut known: Vec<_> = self
            .files()
            .map(|path| (std::fs::metadata(&path).and_then(|metadata| metadata.modified()).ok(), path))
            .collect();
        known.sort();
        let excess = known.len().saturating_sub(DOCUMENTS);
        for (_, path) in known.into_iter().take(excess) {
            // One that cannot be removed now is removed the next time.
            let _ = by_path::remove(&path);
        }
        Ok(())
    }

    /// What was delivered at this absolute path.
    #[must_use]
    pub fn of_path(&self, path: &str) -> Option<DeliveredDocument> {
        read_record(&self.record(path))
    }

    /// Everything that was delivered.
    #[must_use]
    pub fn all(&self) -> Vec<DeliveredDocument> {
        self.files().filter_map(|path| read_record(&path)).collect()
    }

    fn record(&self, path: &str) -> PathBuf {
        self.folder.join("delivered").join(format!("{}.json", sha(path.as_bytes())))
    }

    fn files(&self) -> impl Iterator<Item = PathBuf> {
        let entries = std::fs::read_dir(self.folder.join("delivered")).into_iter().flatten().flatten();
        let paths = entries.map(|entry| entry.path());
        let mut paths: Vec<PathBuf> =
            paths.filter(|path| path.extension().is_some_and(|ending| ending == "json")).collect();
        paths.sort();
        paths.into_iter()
    }
}

/// A record that cannot be read is as good as none.
fn read_record(path: &Path) -> Option<DeliveredDocument> {
    let text = read_text(path).ok().flatten()?;
    serde_json::from_str(&text).ok()
}

/// A name for a folder that tells kinds apart, whatever characters they are called with.
fn kind(what: &str, name: &str, key: &str) -> String {
    let plain: String = name
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' })
        .take(40)
        .collect();
    format!("{what}-{plain}-{}", sha(key.as_bytes()))
}
