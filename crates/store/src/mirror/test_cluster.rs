//! Nodes with folders of their own, a table and object storage in memory, for tests.
//!
//! Must never be part of the program.

#![expect(clippy::disallowed_methods, reason = "a test looks at what is on the disk")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use engross_protocol::SystemClock;
use object_store::memory::InMemory;

use super::memory::MemoryFileTable;
use super::table::{FileTable, FileTerm};
use super::{FileRow, MirrorError, MirrorParts, MirrorRoot, OwnerMirror, StandbyFiles};
use crate::blobs::{Blobs, ObjectBlobs};
use crate::files::{FileError, FileMirror, Precondition, RelPath, Root};
use crate::{Error, Pending, WriteFence};

/// A table that now and then does not answer.
#[derive(Default)]
pub(super) struct FlakyTable {
    pub(super) rows: MemoryFileTable,
    /// So many changes are done before those that fail.
    pub(super) passing: AtomicU32,
    pub(super) failing: AtomicU32,
    /// How often rows were read.
    pub(super) read: AtomicU32,
    /// What was put and removed by each change.
    pub(super) done: Mutex<Vec<(Vec<String>, Vec<String>)>>,
}

impl FileTable for FlakyTable {
    fn begin(&self, owner: &str, holder: &str) -> Pending<'_, Option<FileTerm>> {
        self.rows.begin(owner, holder)
    }

    fn term(&self, owner: &str) -> Pending<'_, Option<FileTerm>> {
        self.rows.term(owner)
    }

    fn note_whole(&self, owner: &str, term: u64, is_whole: bool) -> Pending<'_, bool> {
        self.rows.note_whole(owner, term, is_whole)
    }

    fn rows(&self, owner: &str, since: u64) -> Pending<'_, (Vec<FileRow>, u64)> {
        self.read.fetch_add(1, Ordering::AcqRel);
        self.rows.rows(owner, since)
    }

    fn change(
        &self,
        owner: &str,
        term: u64,
        put: Vec<FileRow>,
        remove: Vec<String>,
    ) -> Pending<'_, Option<u64>> {
        let one_less = |left: u32| left.checked_sub(1);
        let passes = self.passing.fetch_update(Ordering::AcqRel, Ordering::Acquire, one_less).is_ok();
        if !passes && self.failing.fetch_update(Ordering::AcqRel, Ordering::Acquire, one_less).is_ok() {
            let (place, message) = ("a test".to_owned(), "it does not answer".to_owned());
            return Box::pin(async move { Err(Error::Unavailable { place, message }) });
        }
        let paths = put.iter().map(|row| row.path.clone()).collect();
        self.done.lock().unwrap().push((paths, remove.clone()));
        self.rows.change(owner, term, put, remove)
    }

    fn terms(&self, owner: &str) -> Pending<'_, Vec<u64>> {
        self.rows.terms(owner)
    }

    fn forget_term(&self, owner: &str, term: u64) -> Pending<'_, ()> {
        self.rows.forget_term(owner, term)
    }
}

/// What nodes have together, and a runtime that goes on while a test waits.
pub(super) struct Cluster {
    pub(super) table: Arc<FlakyTable>,
    pub(super) blobs: Arc<dyn Blobs>,
    pub(super) handle: tokio::runtime::Handle,
    pub(super) folder: Arc<tempfile::TempDir>,
}

pub(super) struct Node {
    pub(super) mirror: Arc<OwnerMirror>,
    pub(super) root: Root,
    pub(super) place: PathBuf,
}

impl Cluster {
    pub(super) fn new() -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let handle = runtime.handle().clone();
        std::thread::spawn(move || runtime.block_on(std::future::pending::<()>()));
        let blobs = Arc::new(ObjectBlobs::over(Arc::new(InMemory::new()), 1 << 20));
        Self { table: Arc::default(), blobs, handle, folder: Arc::new(tempfile::tempdir().unwrap()) }
    }

    /// The same nodes and object storage with another table.
    pub(super) fn with_table(&self, rows: MemoryFileTable) -> Self {
        let table = Arc::new(FlakyTable { rows, ..FlakyTable::default() });
        let (blobs, handle, folder) =
            (Arc::clone(&self.blobs), self.handle.clone(), Arc::clone(&self.folder));
        Self { table, blobs, handle, folder }
    }

    pub(super) fn try_open(&self, name: &str) -> Result<Node, MirrorError> {
        self.try_open_with(name, StandbyFiles::default())
    }

    /// What node `name` keeps the files with.
    pub(super) fn parts(&self, name: &str) -> (MirrorParts, Root, PathBuf) {
        let place = self.folder.path().join(name).join("root");
        let data = Root::open(&self.folder.path().join(name).join("data")).unwrap().top();
        let root = Root::open(&place).unwrap();
        let roots = vec![MirrorRoot {
            name: "f".to_owned(),
            folder: root.top(),
            is_whole: true,
            leave_out: vec![".owners"],
        }];
        let parts = MirrorParts {
            owner: "ada".to_owned(),
            holder: name.to_owned(),
            table: Arc::clone(&self.table) as Arc<dyn FileTable>,
            blobs: Arc::clone(&self.blobs),
            roots,
            place: data,
            fence: WriteFence::closed(),
            clock: Arc::new(SystemClock),
        };
        (parts, root, place)
    }

    pub(super) fn try_open_with(&self, name: &str, standby: StandbyFiles) -> Result<Node, MirrorError> {
        let (parts, root, place) = self.parts(name);
        self.try_open_parts(parts, &root, place, standby)
    }

    pub(super) fn try_open_parts(
        &self,
        parts: MirrorParts,
        root: &Root,
        place: PathBuf,
        standby: StandbyFiles,
    ) -> Result<Node, MirrorError> {
        let mirror = Arc::new(self.handle.block_on(OwnerMirror::open(parts, standby))?);
        let root = root.clone().mirrored(Arc::clone(&mirror) as Arc<dyn FileMirror>, "f");
        Ok(Node { mirror, root, place })
    }

    pub(super) fn open(&self, name: &str) -> Node {
        self.try_open(name).unwrap()
    }

    /// What tells the rows from those of another table.
    pub(super) fn id(&self) -> String {
        self.handle.block_on(self.table.term("ada")).unwrap().unwrap().id
    }

    pub(super) fn aside(&self, name: &str) -> BTreeMap<String, Vec<u8>> {
        files(&self.folder.path().join(name).join("data/set-aside"))
    }
}

impl Node {
    pub(super) fn write(&self, path: &str, bytes: &[u8]) -> Result<(), FileError> {
        self.root.top().write(&rel(path), bytes, &Precondition::Any).map(drop)
    }

    pub(super) fn files(&self) -> BTreeMap<String, Vec<u8>> {
        files(&self.place)
    }
}

pub(super) fn rel(path: &str) -> RelPath {
    RelPath::parse(path).unwrap()
}

/// All files beneath a folder.
pub(super) fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(&next).into_iter().flatten().flatten() {
            if entry.path().is_dir() {
                folders.push(entry.path());
            } else {
                let path = entry.path().strip_prefix(folder).unwrap().to_str().unwrap().to_owned();
                found.insert(path, std::fs::read(entry.path()).unwrap());
            }
        }
    }
    found
}

pub(super) fn bytes(seed: u64, length: usize) -> Vec<u8> {
    let mut state = seed | 1;
    let next = |state: &mut u64| {
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        *state
    };
    (0..length).map(|_| next(&mut state).to_le_bytes()[2]).collect()
}
