//! The hashes of files that were computed before, kept over restarts.
//!
//! Must never be needed: whatever is missing is computed again.

use std::path::Path;

use engross_artifacts::{Hashes, MemoryHashes, Sha256Sum};
use engross_protocol::Failure;
use engross_store::files::{FileError, Folder, RelPath, Root, Stamp};

/// Where they are kept, in the folder for data.
const FILE: &str = "tasks.hashes";

/// How many are remembered.
const MOST: usize = 200_000;

/// Hashes in memory, and where they are saved.
pub struct KnownHashes {
    known: MemoryHashes,
    place: Option<(Folder, RelPath)>,
}

impl Default for KnownHashes {
    /// None, and saved nowhere.
    fn default() -> Self {
        Self { known: MemoryHashes::new(MOST), place: None }
    }
}

impl KnownHashes {
    /// Those that the last process has saved in the folder for data.
    pub fn open(data: &Path) -> Result<Self, Failure> {
        let (folder, path) = (Root::open(data)?.top(), RelPath::parse(FILE)?);
        let known = match MemoryHashes::load(&folder, &path, MOST) {
            Ok(known) => known,
            Err(error) => {
                tracing::warn!(%error, "the hashes of files are computed again");
                MemoryHashes::new(MOST)
            }
        };
        Ok(Self { known, place: Some((folder, path)) })
    }

    /// Saves them. What fails costs time, and nothing else.
    pub fn save(&self) {
        let saved: Result<(), FileError> = match &self.place {
            Some((folder, path)) => self.known.save(folder, path),
            None => Ok(()),
        };
        if let Err(error) = saved {
            tracing::warn!(%error, "the hashes of files cannot be saved");
        }
    }
}

impl Hashes for KnownHashes {
    fn get(&self, stamp: &Stamp) -> Option<Sha256Sum> {
        self.known.get(stamp)
    }

    fn put(&self, stamp: &Stamp, sha256: Sha256Sum) {
        self.known.put(stamp, sha256);
    }
}
