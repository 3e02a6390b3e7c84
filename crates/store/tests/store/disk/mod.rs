//! Files beneath a root: each rule, attacks from outside, full disks, and what is left after a kill.
#![expect(
    clippy::disallowed_methods,
    reason = "the tests look at the disk, and attack it, behind engross's back"
)]

mod appending;
mod full;
mod killed;
mod links;
mod listing;
mod model;
mod reading;
mod staging;
mod writing;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use engross_protocol::hex;
use engross_store::files::{FileError, Folder, RelPath, Root, StagedName};
use sha2::{Digest, Sha256};
use tempfile::TempDir;

/// A root, and a folder beside it that nobody may touch.
pub struct TestBench {
    folder: TempDir,
    pub root: Root,
    pub top: Folder,
}

impl TestBench {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("outside")).unwrap();
        std::fs::write(folder.path().join("outside/secret"), "secret").unwrap();
        let root = Root::open(&folder.path().join("deep/root")).unwrap();
        Self { folder, top: root.top(), root }
    }

    /// Where `name` is beneath the root.
    pub fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join("deep/root").join(name)
    }

    pub fn outside(&self, name: &str) -> PathBuf {
        self.folder.path().join("outside").join(name)
    }

    pub fn put(&self, name: &str, text: &str) {
        std::fs::create_dir_all(self.at(name).parent().unwrap()).unwrap();
        std::fs::write(self.at(name), text).unwrap();
    }

    pub fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.at(name)).unwrap()
    }

    /// Everything beneath the root, hidden files too: folders end in a slash.
    pub fn names(&self) -> Vec<String> {
        tree(&self.at("")).into_keys().collect()
    }

    /// Fails if anything outside the root was changed.
    pub fn outside_is_untouched(&self) {
        let expected = BTreeMap::from([("secret".to_owned(), b"secret".to_vec())]);
        assert_eq!(tree(&self.outside("")), expected);
    }
}

/// All names beneath `folder` and the bytes of the files.
pub fn tree(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    fn walk(folder: &Path, base: &str, found: &mut BTreeMap<String, Vec<u8>>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let name = format!("{base}{}", entry.file_name().to_str().unwrap());
            let kind = entry.file_type().unwrap();
            if kind.is_dir() {
                found.insert(format!("{name}/"), Vec::new());
                walk(&entry.path(), &format!("{name}/"), found);
            } else {
                let bytes = if kind.is_file() { std::fs::read(entry.path()).unwrap() } else { Vec::new() };
                found.insert(name, bytes);
            }
        }
    }
    let mut found = BTreeMap::new();
    walk(folder, "", &mut found);
    found
}

pub fn path(text: &str) -> RelPath {
    RelPath::parse(text).unwrap()
}

pub fn staged(text: &str) -> StagedName {
    StagedName::new(text).unwrap()
}

pub fn code<T: std::fmt::Debug>(result: Result<T, FileError>) -> &'static str {
    result.unwrap_err().code()
}

pub fn sha256(bytes: impl AsRef<[u8]>) -> String {
    hex::encode(Sha256::digest(bytes))
}

/// A module that is not declared above would never run.
#[test]
fn every_file_is_a_module() {
    let this = include_str!("mod.rs");
    for entry in std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/store/disk")).unwrap() {
        let file = entry.unwrap().file_name().into_string().unwrap();
        let name = file.trim_end_matches(".rs");
        assert!(name == "mod" || this.contains(&format!("\nmod {name};")), "{name}");
    }
}
