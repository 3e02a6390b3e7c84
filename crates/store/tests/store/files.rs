//! The fixture of SQLite.

use std::path::PathBuf;
use std::sync::Arc;

use engross_store::{SqliteStore, Store};
use tempfile::TempDir;
use tokio::runtime::Runtime;

use crate::fixture::{Fixture, runtime};

/// A file in a folder of its own.
pub struct OneFile {
    folder: TempDir,
    runtime: Runtime,
}

impl OneFile {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), runtime: runtime() }
    }

    pub fn path(&self) -> PathBuf {
        self.folder.path().join("sessions.sqlite")
    }
}

impl Fixture for OneFile {
    fn open(&self) -> Arc<dyn Store> {
        Arc::new(SqliteStore::open(&self.path()).unwrap())
    }

    fn keeps(&self) -> bool {
        true
    }

    fn runtime(&self) -> &Runtime {
        &self.runtime
    }
}
