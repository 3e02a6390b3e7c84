//! States of documents that a person can go back to, kept in the folder for data and never beside the document.
//!
//! A checkpoint is a list of pieces, each kept once under its hash: what an edit leaves alone costs nothing. Must never
//! give an id twice, nor remove a piece that a checkpoint needs.

use std::collections::BTreeSet;
use std::path::Path;

use engross_docx::package::{Limits, Package};
use engross_protocol::{Exit, Failure, Timestamp, hex};
use engross_store::files::{Folder, Precondition, RelPath, Root};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::files::{FolderLock, lock_folder, make_folder};
use crate::signals::HeldBack;

/// How many are kept of each document.
const KEPT: usize = 100;

/// How many bytes of pieces are kept of each document; the newest checkpoint is kept whatever its size.
const KEPT_BYTES: u64 = 256 << 20;

/// Bytes of a largest list of pieces.
const LIST_BYTES: u64 = 16 << 20;

/// A document as it once was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Checkpoint {
    /// Counted from 1; greater is later. No number is given twice.
    pub(crate) id: u64,
    /// What a person called it; nothing for one that was made before a change.
    pub(crate) name: Option<String>,
    /// When it was made, as RFC 3339.
    pub(crate) at: String,
    /// Bytes of the document.
    pub(crate) size: u64,
    /// SHA-256 of the document.
    pub(crate) sha256: String,
    /// Its pieces in order: hash and size of each.
    pieces: Vec<(String, u64)>,
}

/// The checkpoints of one document.
pub(crate) struct Checkpoints {
    folder: Folder,
    _lock: FolderLock,
}

impl Checkpoints {
    /// Those of the document at the absolute path `document`, in the folder `data`.
    pub(crate) fn open(data: &Path, document: &Path) -> Result<Self, Failure> {
        let key = hex::encode(Sha256::digest(document.as_os_str().as_encoded_bytes()));
        let place = data.join("documents").join(key.get(..32).unwrap_or(&key));
        make_folder(&place)?;
        let lock = lock_folder(&place)?.ok_or_else(|| {
            let message =
                format!("{}: its checkpoints are in use by another engross; try again", document.display());
            Failure::new(Exit::Io, "DOCUMENT_BUSY", message)
        })?;
        Ok(Self { folder: Root::open(&place)?.top(), _lock: lock })
    }

    /// All of them, oldest first.
    pub(crate) fn list(&self) -> Result<Vec<Checkpoint>, Failure> {
        let mut found: Vec<Checkpoint> = Vec::new();
        for path in self.files("lists/")? {
            let Some((bytes, _)) = self.folder.read(&path, LIST_BYTES)? else { continue };
            found.push(
                serde_json::from_slice(&bytes).map_err(|error| damaged(path.as_str(), &error.to_string()))?,
            );
        }
        found.sort_by_key(|checkpoint| checkpoint.id);
        Ok(found)
    }

    /// Keeps `bytes`, and lets nothing tear it in two. Without a name, what is the same as the newest is not kept again.
    pub(crate) fn save(
        &self,
        bytes: &[u8],
        name: Option<&str>,
        at: Timestamp,
    ) -> Result<Checkpoint, Failure> {
        let _held_back = HeldBack::new();
        let known = self.list()?;
        let sha256 = hex::encode(Sha256::digest(bytes));
        if let Some(newest) = known.last().filter(|newest| name.is_none() && newest.sha256 == sha256) {
            return Ok(newest.clone());
        }
        let cut = Package::open(bytes.to_vec(), &Limits::default()).map(|package| package.pieces());
        let mut pieces = Vec::new();
        // What is no package is one piece.
        for range in cut.unwrap_or_else(|_| std::iter::once(0..bytes.len()).collect()) {
            let piece = bytes.get(range).unwrap_or_default();
            let hash = hex::encode(Sha256::digest(piece));
            let path = object(&hash)?;
            if self.folder.info(&path)?.is_none_or(|info| info.size != piece.len() as u64) {
                self.folder.write(&path, piece, &Precondition::Any)?;
            }
            pieces.push((hash, piece.len() as u64));
        }
        let id = known.last().map_or(1, |newest| newest.id + 1);
        let made = Checkpoint {
            id,
            name: name.map(str::to_owned),
            at: at.to_string(),
            size: bytes.len() as u64,
            sha256,
            pieces,
        };
        let text = serde_json::to_vec(&made).map_err(|error| damaged("lists", &error.to_string()))?;
        self.folder.write(&list(id)?, text.as_slice(), &Precondition::Absent)?;
        self.prune(known.into_iter().chain([made.clone()]).collect())?;
        Ok(made)
    }

    /// The bytes of a checkpoint, checked against their hash.
    pub(crate) fn read(&self, checkpoint: &Checkpoint) -> Result<Vec<u8>, Failure> {
        let mut bytes = Vec::new();
        for (hash, size) in &checkpoint.pieces {
            let (piece, _) = self
                .folder
                .read(&object(hash)?, *size)?
                .ok_or_else(|| damaged(&checkpoint.id.to_string(), "a piece of it is missing"))?;
            bytes.extend_from_slice(&piece);
        }
        if hex::encode(Sha256::digest(&bytes)) != checkpoint.sha256 {
            return Err(damaged(&checkpoint.id.to_string(), "its bytes are not those that were kept"));
        }
        Ok(bytes)
    }

    /// Removes the oldest until the rest is within bounds, then pieces that none of the rest needs.
    fn prune(&self, mut known: Vec<Checkpoint>) -> Result<(), Failure> {
        let sizes = |known: &[Checkpoint]| -> BTreeSet<(String, u64)> {
            known.iter().flat_map(|checkpoint| checkpoint.pieces.iter().cloned()).collect()
        };
        let is_too_much = |known: &[Checkpoint]| {
            known.len() > KEPT || sizes(known).iter().map(|(_, size)| size).sum::<u64>() > KEPT_BYTES
        };
        let mut pruned = false;
        while known.len() > 1 && is_too_much(&known) {
            let oldest = known.remove(0);
            self.folder.remove(&list(oldest.id)?, &Precondition::Any)?;
            pruned = true;
        }
        if pruned {
            let needed: BTreeSet<String> = sizes(&known).into_iter().map(|(hash, _)| hash).collect();
            for path in self.files("pieces/")? {
                if !needed.contains(path.name()) {
                    self.folder.remove(&path, &Precondition::Any)?;
                }
            }
        }
        Ok(())
    }

    fn files(&self, place: &str) -> Result<Vec<RelPath>, Failure> {
        let mut found: Vec<RelPath> = Vec::new();
        loop {
            let page = self.folder.list(place, found.last(), 1000)?;
            found.extend(page.files.into_iter().map(|listed| listed.path));
            if !page.more {
                return Ok(found);
            }
        }
    }
}

fn list(id: u64) -> Result<RelPath, Failure> {
    Ok(RelPath::parse(&format!("lists/{id:010}.json"))?)
}

fn object(hash: &str) -> Result<RelPath, Failure> {
    Ok(RelPath::parse(&format!("pieces/{hash}"))?)
}

fn damaged(what: &str, reason: &str) -> Failure {
    let message = format!("checkpoint {what} cannot be read: {reason}; the document itself was not touched");
    Failure::new(Exit::Io, "CHECKPOINT_DAMAGED", message)
}
