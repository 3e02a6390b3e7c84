//! What was written: by the hash of a file's bytes, from which document it was made, and which revisions in it are one's own.
//!
//! So a later round of edits goes on with the earlier ones, in any command or session, and a result is only put in the
//! place of an earlier result of the same document. A file that somebody changed has another hash, and is nobody's own. Must
//! never be needed to get at a document: what cannot be recorded or read here is told to the log, and is history.

use engross_docx::{OwnRecord, Tracking, WordDocument};
use engross_store::Millis;
use engross_store::files::{FileError, Folder, Precondition, RelPath};
use serde::{Deserialize, Serialize};

/// How many files whose hashes begin with the same two digits are known after they were counted.
const KNOWN: usize = 100;

/// They are counted when one of about so many files is written: the hash says which, so that a bound holds without a walk at each write.
const COUNTED: u8 = 16;

/// Records that are looked at at once.
const PAGE: usize = 1000;

/// Bytes of a largest record.
const RECORD_BYTES: u64 = 4 << 20;

/// A folder of records. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct WrittenFiles {
    folder: Folder,
    place: RelPath,
}

#[derive(Serialize, Deserialize)]
struct Record {
    /// The document that it was made from, as an absolute path or a path in its workspace.
    source: String,
    /// One's own revisions in it.
    own: OwnRecord,
}

impl WrittenFiles {
    /// The records beneath `place` of `folder`.
    pub(crate) fn new(folder: Folder, place: RelPath) -> Self {
        Self { folder, place }
    }

    /// Tells a document which revisions in the file with this hash are one's own.
    pub(crate) fn recall(&self, document: &mut WordDocument, sha256: &str) {
        if let Some(record) = self.read(sha256) {
            document.recall(record.own);
        }
    }

    /// One's own revisions in the file with this hash.
    pub(crate) fn own_of(&self, sha256: &str) -> Option<OwnRecord> {
        self.read(sha256).map(|record| record.own)
    }

    /// The document that the file with this hash was made from, if it was written here.
    pub(crate) fn source_of(&self, sha256: &str) -> Option<String> {
        self.read(sha256).map(|record| record.source)
    }

    /// Whether the file with this hash was made from the document `source`.
    pub(crate) fn is_made_from(&self, sha256: &str, source: &str) -> bool {
        self.source_of(sha256).is_some_and(|made_from| made_from == source)
    }

    /// Takes note of a file that is about to be written from `source`.
    pub(crate) fn remember(
        &self,
        document: &WordDocument,
        tracking: Tracking,
        (sha256, source): (&str, &str),
    ) {
        if let Err(problem) = self.write(document, tracking, (sha256, source)) {
            tracing::warn!(%problem, "what was written is not recorded, so later edits cannot go on with these changes");
        }
    }

    /// Forgets the files that were written before the moment `before`; gives how many.
    ///
    /// # Errors
    /// As the system says.
    pub(crate) fn forget_before(&self, before: Millis) -> Result<usize, FileError> {
        let Some(folder) = self.folder.folder(&self.place)? else { return Ok(0) };
        let (mut gone, mut after) = (0, None);
        loop {
            let page = folder.list("", after.as_ref(), PAGE)?;
            for listed in &page.files {
                if listed.info.modified < before {
                    gone += usize::from(folder.remove(&listed.path, &Precondition::Any)?);
                }
            }
            match page.files.last() {
                Some(last) if page.more => after = Some(last.path.clone()),
                _ => return Ok(gone),
            }
        }
    }

    fn write(
        &self,
        document: &WordDocument,
        tracking: Tracking,
        (sha256, source): (&str, &str),
    ) -> Result<(), String> {
        let own = document.own_record(tracking).map_err(|error| error.to_string())?;
        let record = Record { source: source.to_owned(), own };
        let text = serde_json::to_vec(&record).map_err(|error| error.to_string())?;
        let folder = self.folder.make_folder(&self.place).map_err(|error| error.to_string())?;
        let write = || -> Result<(), FileError> {
            folder.write(&record_path(sha256)?, text.as_slice(), &Precondition::Any)?;
            if is_counted(sha256) { forget_oldest(&folder, sha256) } else { Ok(()) }
        };
        write().map_err(|error| error.to_string())
    }

    fn read(&self, sha256: &str) -> Option<Record> {
        let read = || -> Result<Option<Vec<u8>>, FileError> {
            let Some(folder) = self.folder.folder(&self.place)? else { return Ok(None) };
            Ok(folder.read(&record_path(sha256)?, RECORD_BYTES)?.map(|(bytes, _)| bytes))
        };
        let parsed = match read() {
            Ok(bytes) => serde_json::from_slice(&bytes?).map_err(|error| error.to_string()),
            Err(error) => Err(error.to_string()),
        };
        parsed
            .inspect_err(
                |problem| tracing::warn!(%problem, "the record of a file that was written cannot be read"),
            )
            .ok()
    }
}

/// Forgets the oldest of the files whose hashes begin like this one, beyond the bound.
fn forget_oldest(folder: &Folder, sha256: &str) -> Result<(), FileError> {
    let page = folder.list(&format!("{}/", shard(sha256)), None, 10 * KNOWN)?;
    let mut known: Vec<_> =
        page.files.into_iter().map(|listed| (listed.info.modified, listed.path)).collect();
    known.sort();
    let excess = known.len().saturating_sub(KNOWN);
    known
        .into_iter()
        .take(excess)
        .try_for_each(|(_, path)| folder.remove(&path, &Precondition::Any).map(drop))
}

/// Whether the files are counted when this one is written. Its last digits decide, since the first ones name the folder.
fn is_counted(sha256: &str) -> bool {
    let last =
        sha256.get(sha256.len().saturating_sub(2)..).and_then(|digits| u8::from_str_radix(digits, 16).ok());
    last.is_none_or(|byte| byte.is_multiple_of(COUNTED))
}

fn record_path(sha256: &str) -> Result<RelPath, FileError> {
    RelPath::parse(&format!("{}/{sha256}.json", shard(sha256)))
}

fn shard(sha256: &str) -> &str {
    sha256.get(..2).unwrap_or(sha256)
}
