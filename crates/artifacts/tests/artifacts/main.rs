//! Artifact scopes: each acceptance case by its number, attacks, and large files. The disk is looked at with `std::fs` only.
#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]
#![expect(
    clippy::disallowed_methods,
    reason = "the tests look at the disk, and attack it, behind engross's back"
)]

mod at_length;
mod collect;
mod export;
mod hashing;
mod hostile;
mod large;
mod links;
mod media;
mod model;
mod prepare;
mod read;
mod require;

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime};

use engross_artifacts::{
    ArtifactQuery, ArtifactWorkspace, ExportPage, HashContext, Hashes, Keys, Manifest, MemoryHashes,
    OpenArtifact, PageRequest, Requirements, RunId, Scope, ScopeError, SessionKey, Sha256Sum, Signer,
    SigningKey, SourceKind, SourceRoot,
};
use engross_protocol::{Clock, FixedClock};
use engross_store::files::{Root, Stamp};
use tempfile::TempDir;

/// When the tests sign, in milliseconds since 1970.
pub(crate) const NOW: u64 = 1_800_000_000_000;

/// How long what they sign is good, in milliseconds.
pub(crate) const HOUR: u64 = 3_600_000;

/// A workspace, with folders beside it that nobody may touch.
pub(crate) struct TestBench {
    folder: TempDir,
    pub(crate) workspace: ArtifactWorkspace,
    pub(crate) keys: Keys,
    pub(crate) hashes: CountingHashes,
    pub(crate) clock: FixedClock,
}

/// Hashes that tell how many had to be computed anew.
pub(crate) struct CountingHashes {
    hashes: MemoryHashes,
    computed: AtomicUsize,
}

impl CountingHashes {
    /// How many since it was last asked.
    pub(crate) fn computed(&self) -> usize {
        self.computed.swap(0, Ordering::Relaxed)
    }
}

impl Hashes for CountingHashes {
    fn get(&self, stamp: &Stamp) -> Option<Sha256Sum> {
        self.hashes.get(stamp)
    }

    fn put(&self, stamp: &Stamp, sha256: Sha256Sum) {
        self.computed.fetch_add(1, Ordering::Relaxed);
        self.hashes.put(stamp, sha256);
    }
}

pub(crate) fn session(key: &str) -> SessionKey {
    SessionKey::parse(key).unwrap()
}

pub(crate) fn run(id: &str) -> RunId {
    RunId::parse(id).unwrap()
}

pub(crate) fn key(id: &str, byte: u8) -> SigningKey {
    SigningKey::new(id, vec![byte; 32], None).unwrap()
}

impl TestBench {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["outside", "media", "temporary"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        std::fs::write(folder.path().join("outside/secret.pdf"), "secret").unwrap();
        let root = Root::open(&folder.path().join("work")).unwrap();
        Self {
            workspace: ArtifactWorkspace::new(root.top(), "/w"),
            keys: Keys::new(vec![key("k1", 1)]),
            hashes: CountingHashes { hashes: MemoryHashes::new(100_000), computed: AtomicUsize::new(0) },
            // Every file is old to a clock that is ahead, so that its hash may be kept.
            clock: FixedClock("2100-01-01T00:00:00Z".parse().unwrap()),
            folder,
        }
    }

    /// A scope that is prepared.
    pub(crate) fn scope(&self, key: &str, id: &str) -> Scope {
        self.workspace.prepare(&session(key), &run(id), &[]).unwrap();
        self.workspace.open(&session(key), &run(id), None).unwrap()
    }

    /// Where `name` is beside the workspace.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Where `name` is beneath the workspace.
    pub(crate) fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join("work").join(name)
    }

    /// Where `name` is in a scope.
    pub(crate) fn within(&self, scope: &Scope, name: &str) -> PathBuf {
        self.at(scope.name().as_str()).join(name)
    }

    pub(crate) fn put(&self, scope: &Scope, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.within(scope, name);
        write(&path, content);
        path
    }

    pub(crate) fn hashing(&self) -> HashContext<'_> {
        HashContext {
            hashes: &self.hashes,
            clock: &self.clock,
            threads: NonZeroUsize::new(2).unwrap(),
            stop: None,
        }
    }

    pub(crate) fn signer(&self) -> Signer<'_> {
        Signer { keys: &self.keys, now: NOW, lifetime: HOUR }
    }

    pub(crate) fn manifest(&self, scope: &Scope) -> Manifest {
        self.manifest_of(scope, &Requirements::default())
    }

    pub(crate) fn manifest_of(&self, scope: &Scope, requirements: &Requirements) -> Manifest {
        scope.manifest(requirements, None, self.hashing()).unwrap()
    }

    pub(crate) fn page(&self, scope: &Scope, of: PageRequest<'_>) -> ExportPage {
        scope.page(&self.manifest(scope), of, self.signer(), self.hashing()).unwrap()
    }

    pub(crate) fn open(&self, scope: &Scope, wanted: ArtifactQuery<'_>) -> Result<OpenArtifact, ScopeError> {
        scope.open_wanted(wanted, &self.keys, NOW, self.hashing())
    }

    /// The code with which reading is refused.
    pub(crate) fn refusal(&self, scope: &Scope, wanted: ArtifactQuery<'_>) -> &'static str {
        self.open(scope, wanted).map_or_else(|error| error.code(), |_| "opened")
    }

    /// The folders that files may be collected from.
    pub(crate) fn roots(&self) -> Vec<SourceRoot> {
        let root = |kind, name| {
            let place = self.beside(name);
            let folder = Root::open(&place).unwrap().top();
            SourceRoot { kind, places: vec![place.to_str().unwrap().to_owned()], folder }
        };
        vec![root(SourceKind::Media, "media"), root(SourceKind::Temporary, "temporary")]
    }

    /// Everything on the disk, but what is in this scope.
    pub(crate) fn all_but(&self, scope: &Scope) -> BTreeMap<String, Vec<u8>> {
        let within = format!("work/{}/", scope.name());
        let mut all = tree(self.folder.path());
        all.retain(|name, _| !name.starts_with(&within));
        all
    }
}

/// The paths of the files, in the order of the list.
pub(crate) fn paths(manifest: &Manifest) -> Vec<&str> {
    manifest.files.iter().map(|file| file.relative_path.as_str()).collect()
}

pub(crate) fn write(path: &Path, content: impl AsRef<[u8]>) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, content).unwrap();
}

/// Sets when a file was last written to, in seconds before or after now.
pub(crate) fn set_age(path: &Path, seconds: i64) {
    let ago = Duration::from_secs(seconds.unsigned_abs());
    let at = if seconds < 0 { SystemTime::now() + ago } else { SystemTime::now() - ago };
    std::fs::File::options().append(true).open(path).unwrap().set_modified(at).unwrap();
}

/// All names beneath `folder` and the bytes of the files.
pub(crate) fn tree(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut waiting = vec![(folder.to_owned(), String::new())];
    while let Some((folder, base)) = waiting.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let name = format!("{base}{}", entry.file_name().to_string_lossy());
            let kind = entry.file_type().unwrap();
            if kind.is_dir() {
                found.insert(format!("{name}/"), Vec::new());
                waiting.push((entry.path(), format!("{name}/")));
            } else if kind.is_symlink() {
                let target = std::fs::read_link(entry.path()).unwrap();
                found.insert(name, target.to_string_lossy().into_owned().into_bytes());
            } else if kind.is_file() {
                found.insert(name, std::fs::read(entry.path()).unwrap());
            }
        }
    }
    found
}

/// The machine's time, in milliseconds since 1970.
pub(crate) fn machine_time() -> u64 {
    engross_protocol::SystemClock.millis()
}

/// How many of something a test tries; the variable `name` says so where it is set.
fn count(name: &str, usual: usize) -> usize {
    std::env::var(name).ok().and_then(|count| count.parse().ok()).unwrap_or(usual)
}
