//! What a document was before each change: whole files, newest last.
//!
//! Must never mix the checkpoints of two documents, or remove one that is newer than those it keeps.

use engross_store::files::{FileError, Folder, Precondition, RelPath};

/// A document as it once was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkpoint {
    /// Names it among those of its document; greater is later.
    pub id: String,
    /// When it was made, in milliseconds since 1970.
    pub at: u64,
    /// Its size in bytes.
    pub size: u64,
}

/// How many are kept for each document.
const KEPT: usize = 50;

/// How many bytes are kept for each document, its newest checkpoint aside.
const KEPT_BYTES: u64 = 256 << 20;

/// The checkpoints of the document `file`, oldest first.
pub(super) fn list(folder: &Folder, file: &RelPath) -> Result<Vec<Checkpoint>, FileError> {
    let place = format!("{file}/");
    let mut found = Vec::new();
    let mut after: Option<RelPath> = None;
    loop {
        let page = folder.list(&place, after.as_ref(), 1000)?;
        for listed in &page.files {
            let id = listed.path.as_str().strip_prefix(&place).filter(|id| !id.contains('/'));
            if let Some(id) = id
                && let Some(at) = moment(id)
            {
                found.push(Checkpoint { id: id.to_owned(), at, size: listed.info.size });
            }
        }
        match page.files.last() {
            Some(last) if page.more => after = Some(last.path.clone()),
            _ => return Ok(found),
        }
    }
}

/// Keeps `bytes` as they were at `at`; gives the checkpoint's id. The same bytes as those of the newest are not kept twice.
pub(super) fn save(
    folder: &Folder,
    file: &RelPath,
    bytes: &[u8],
    sha256: &str,
    at: u64,
) -> Result<String, FileError> {
    let known = list(folder, file)?;
    let short = sha256.get(..12).unwrap_or(sha256);
    if let Some(newest) = known.last().filter(|newest| newest.id.ends_with(short)) {
        return Ok(newest.id.clone());
    }
    // Two in one millisecond, or a clock that was set back, must not shuffle their order.
    let at = known.last().map_or(at, |newest| at.max(newest.at + 1));
    let id = format!("{at:015}-{short}");
    folder.write(&place(file, &id)?, bytes, &Precondition::Any)?;
    let mut bytes_kept = 0;
    for (older, checkpoint) in known.iter().rev().enumerate() {
        bytes_kept += checkpoint.size;
        if older + 1 >= KEPT || bytes_kept > KEPT_BYTES {
            folder.remove(&place(file, &checkpoint.id)?, &Precondition::Any)?;
        }
    }
    Ok(id)
}

/// The bytes of a checkpoint.
pub(super) fn read(
    folder: &Folder,
    file: &RelPath,
    id: &str,
    limit: u64,
) -> Result<Option<Vec<u8>>, FileError> {
    if moment(id).is_none() || id.contains('/') {
        return Ok(None);
    }
    Ok(folder.read(&place(file, id)?, limit)?.map(|(bytes, _)| bytes))
}

fn place(file: &RelPath, id: &str) -> Result<RelPath, FileError> {
    file.join(&RelPath::parse(id)?)
}

fn moment(id: &str) -> Option<u64> {
    id.split_once('-')?.0.parse().ok()
}
