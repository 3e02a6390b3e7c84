//! The fixture of SQLite.

use std::path::PathBuf;
use std::sync::Arc;

use engross_store::{SqliteStore, Store};
use tempfile::TempDir;
use tokio::runtime::Runtime;

use crate::fixture::{Fixture, runtime};

/// Who has the file open.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Owners {
    /// This store alone.
    One,
    /// Stores that would let others in.
    Joint,
    /// This store and another one.
    Two,
}

/// A file in a folder of its own.
pub struct OneFile {
    folder: TempDir,
    runtime: Runtime,
    owners: Owners,
    _other: Option<SqliteStore>,
}

impl OneFile {
    pub fn of(owners: Owners) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sessions.sqlite");
        let _other = (owners == Owners::Two).then(|| SqliteStore::open_shared(&path).unwrap());
        Self { folder, runtime: runtime(), owners, _other }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("sessions.sqlite")
    }
}

impl Fixture for OneFile {
    fn open(&self) -> Arc<dyn Store> {
        let store = match self.owners {
            Owners::One => SqliteStore::open(&self.path()),
            Owners::Joint | Owners::Two => SqliteStore::open_shared(&self.path()),
        };
        let store = store.unwrap();
        assert_eq!(store.sole_since().is_some(), self.owners != Owners::Two);
        Arc::new(store)
    }

    fn keeps(&self) -> bool {
        true
    }

    fn runtime(&self) -> &Runtime {
        &self.runtime
    }
}
