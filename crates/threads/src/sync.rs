//! Fetching the files of a run into the thread's folder.
//!
//! Must never write outside that folder, replace what a person changed, show a file that is not whole, or fetch what is there.
//! Blocks.

use std::collections::BTreeMap;
use std::time::Duration;

use engross_attest::{FIRST_BESIDE, LAST_BESIDE, name_beside};
use engross_protocol::hex;
use engross_store::files::{FileError, Folder, Precondition, RelPath, StagedFile, StagedName};
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::outcome::RemoteArtifact;

/// Most tries for one file: half a minute, as a server takes that long to begin again.
const TRIES: u32 = 20;

/// How often, and how long at a time, it is waited for another process that fetches the same file: two minutes.
const WAITS: u32 = 600;
const WAIT: Duration = Duration::from_millis(200);

/// The pause before the second try; it doubles, up to 2 seconds.
const PAUSE: Duration = Duration::from_millis(250);

/// Where the bytes of files come from.
pub trait FileSource {
    /// Gives the bytes of a file from `from` on. A source that cannot begin there begins at 0 and says so.
    ///
    /// # Errors
    /// [`FetchError`], also when `sink` refuses.
    fn fetch(&self, file: &RemoteArtifact, from: u64, sink: &mut dyn Sink) -> Result<(), FetchError>;
}

/// Takes the bytes of one file.
pub trait Sink {
    /// Says where the bytes that follow begin.
    ///
    /// # Errors
    /// When the file here cannot be cut to there.
    fn begin(&mut self, from: u64) -> Result<(), FileError>;

    /// Takes bytes.
    ///
    /// # Errors
    /// As the system says, and when they are more than the file has.
    fn take(&mut self, bytes: &[u8]) -> Result<(), FileError>;
}

/// Why the bytes of a file did not come.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// It is not there any more; it is not asked for again.
    #[error("the bridge does not have it any more")]
    Gone,
    /// It is not given; it is not asked for again.
    #[error("{0}")]
    Refused(String),
    /// The connection was lost; it is asked for again.
    #[error("{0}")]
    Lost(String),
    /// It could not be written here.
    #[error(transparent)]
    File(#[from] FileError),
}

/// What became of one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FileReport {
    /// Its path at the bridge.
    pub relative_path: String,
    /// Its path here; `None` when it is not here.
    pub local_path: Option<String>,
    /// What was done.
    pub outcome: FileOutcome,
    /// Why it is not here, or where it is instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Whether a file of that name, of an earlier run, was here before.
    pub replaced: bool,
    /// The length of what is here.
    pub size_bytes: u64,
    /// SHA-256 of what is here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
}

/// What was done for a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FileOutcome {
    /// It was fetched.
    Written,
    /// It was here already, byte for byte.
    Identical,
    /// It was fetched under another name, as a person has changed the one that is here.
    Beside,
    /// It is not here.
    Failed,
}

/// What became of all files of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct SyncReport {
    /// File by file, in the order of the bridge's list.
    pub files: Vec<FileReport>,
}

impl SyncReport {
    /// The files that are here, in the order of their names.
    #[must_use]
    pub fn paths(&self) -> Vec<String> {
        let mut paths: Vec<String> = self.files.iter().filter_map(|file| file.local_path.clone()).collect();
        paths.sort_unstable();
        paths.dedup();
        paths
    }

    /// How many are not here.
    #[must_use]
    pub fn failed(&self) -> usize {
        self.files.iter().filter(|file| file.outcome == FileOutcome::Failed).count()
    }
}

/// Fetches `files` into `folder`. `known` is what was written here before, path to SHA-256: such a file may be replaced, any
/// other is a person's and stays. `tell` hears of each file when it is done.
pub fn sync(
    folder: &Folder,
    source: &dyn FileSource,
    files: &[RemoteArtifact],
    known: &BTreeMap<String, String>,
    tell: &mut dyn FnMut(&FileReport),
) -> SyncReport {
    let mut report = SyncReport::default();
    for file in files {
        let failed = |message: String| FileReport {
            relative_path: file.relative_path.clone(),
            local_path: None,
            outcome: FileOutcome::Failed,
            message: Some(message),
            replaced: false,
            size_bytes: 0,
            sha256: None,
        };
        let done =
            bring_with_others(folder, source, file, known).unwrap_or_else(|error| failed(error.to_string()));
        tell(&done);
        report.files.push(done);
    }
    report
}

/// As [`bring`]; while another process fetches the same bytes this one waits for it, and then sees that they are here.
fn bring_with_others(
    folder: &Folder,
    source: &dyn FileSource,
    file: &RemoteArtifact,
    known: &BTreeMap<String, String>,
) -> Result<FileReport, FetchError> {
    let mut waits = 0;
    loop {
        match bring(folder, source, file, known) {
            Err(FetchError::File(
                FileError::NotWritten { .. }
                | FileError::TargetExists { .. }
                | FileError::TargetChanged { .. },
            )) if waits < WAITS => {
                waits += 1;
                std::thread::sleep(WAIT);
            }
            done => return done,
        }
    }
}

fn bring(
    folder: &Folder,
    source: &dyn FileSource,
    file: &RemoteArtifact,
    known: &BTreeMap<String, String>,
) -> Result<FileReport, FetchError> {
    // A path that leads elsewhere is refused, not mended: the bridge must not decide where else it goes.
    let path = RelPath::parse(&file.relative_path)?;
    let here = folder.sha256(&path)?.map(|(sha256, info)| (sha256, info.size));
    let (here, there_before) = (here.clone().map(|(sha256, _)| sha256), here.is_some());
    let done = |local: &RelPath, outcome, sha256: String| FileReport {
        replaced: there_before && outcome == FileOutcome::Written,
        size_bytes: file.size_bytes.unwrap_or_default(),
        relative_path: file.relative_path.clone(),
        local_path: Some(local.as_str().to_owned()),
        outcome,
        message: (outcome == FileOutcome::Beside)
            .then(|| format!("`{path}` here was changed by somebody else; this is the run's")),
        sha256: Some(sha256),
    };
    if let Some(sha256) = here.clone().filter(|sha256| *sha256 == file.sha256) {
        return Ok(done(&path, FileOutcome::Identical, sha256));
    }
    let staged = fetch(folder, source, file)?;
    let sha256 = staged.sha256()?;
    let is_ours = here.as_ref().is_none_or(|here| known.get(path.as_str()) == Some(here) || *here == sha256);
    if is_ours {
        let precondition = here.clone().map_or(Precondition::Absent, Precondition::Sha256);
        return match staged.commit(folder, &path, &precondition) {
            Ok(written) => Ok(done(&path, FileOutcome::Written, written.sha256)),
            Err(refused) => Err(refused.error.into()),
        };
    }
    let mut staged = staged;
    for version in FIRST_BESIDE..=LAST_BESIDE {
        let beside = RelPath::parse(&name_beside(path.as_str(), version))?;
        match folder.sha256(&beside)? {
            Some((there, _)) if there == sha256 => {
                staged.discard()?;
                return Ok(done(&beside, FileOutcome::Identical, sha256));
            }
            Some(_) => continue,
            None => {}
        }
        match staged.commit(folder, &beside, &Precondition::Absent) {
            Ok(written) => return Ok(done(&beside, FileOutcome::Beside, written.sha256)),
            Err(refused) => match *refused {
                engross_store::files::CommitFailure {
                    error: FileError::TargetExists { .. },
                    staged: again,
                } => {
                    staged = again;
                }
                other => return Err(other.error.into()),
            },
        }
    }
    Err(FetchError::Refused(format!("`{path}` has {LAST_BESIDE} versions here; remove some")))
}

/// Fetches a file under a name of its own; what came before the connection was lost stays and is gone on with.
fn fetch(folder: &Folder, source: &dyn FileSource, file: &RemoteArtifact) -> Result<StagedFile, FetchError> {
    let name = StagedName::new(format!("sync-{}", identity(file)))?;
    let mut pause = PAUSE;
    let mut tries = 0;
    let mut was_wrong = false;
    loop {
        tries += 1;
        let staged = match folder.staged(&name)? {
            Some(staged) => staged,
            None => folder.stage(&name)?,
        };
        let from = staged.len();
        let mut arriving = Arriving { staged, limit: file.size_bytes };
        let fetched = source.fetch(file, from, &mut arriving);
        let staged = arriving.staged;
        let problem = match fetched {
            Ok(()) => match verify(&staged, file)? {
                None => return Ok(staged),
                Some(problem) => {
                    // What is here is not what was promised: nothing of it is of use.
                    staged.discard()?;
                    // Pieces of two states can meet when a file changes between two tries: once more, from the start.
                    if was_wrong {
                        return Err(FetchError::Refused(problem));
                    }
                    was_wrong = true;
                    FetchError::Refused(problem)
                }
            },
            Err(FetchError::Lost(problem)) => {
                staged.sync()?;
                FetchError::Lost(problem)
            }
            Err(final_) => {
                staged.discard()?;
                return Err(final_);
            }
        };
        if tries >= TRIES {
            return Err(problem);
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_secs(2));
    }
}

/// What names these very bytes of this very file.
fn identity(file: &RemoteArtifact) -> String {
    let mut digest = Sha256::new();
    for part in [&file.artifact_scope, &file.relative_path, &file.sha256] {
        digest.update((part.len() as u64).to_le_bytes());
        digest.update(part);
    }
    hex::encode_prefix(digest.finalize(), 16)
}

fn verify(staged: &StagedFile, file: &RemoteArtifact) -> Result<Option<String>, FileError> {
    if let Some(size) = file.size_bytes.filter(|size| *size != staged.len()) {
        return Ok(Some(format!("it has {} bytes, promised were {size}", staged.len())));
    }
    let is_wrong = !file.sha256.is_empty() && staged.sha256()? != file.sha256;
    Ok(is_wrong.then(|| "its bytes are not those that were promised".to_owned()))
}

struct Arriving {
    staged: StagedFile,
    limit: Option<u64>,
}

impl Sink for Arriving {
    fn begin(&mut self, from: u64) -> Result<(), FileError> {
        if from < self.staged.len() { self.staged.truncate(from) } else { Ok(()) }
    }

    fn take(&mut self, bytes: &[u8]) -> Result<(), FileError> {
        let length = self.staged.len() + bytes.len() as u64;
        match self.limit {
            Some(limit) if length > limit => {
                Err(FileError::TooLarge { path: self.staged.name().as_str().to_owned(), limit })
            }
            _ => self.staged.append(bytes),
        }
    }
}
