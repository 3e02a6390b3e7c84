//! What the files of an owner are kept with.
//!
//! Must never do anything.

use std::sync::Arc;

use engross_protocol::{Clock, hex};
use sha2::{Digest, Sha256};

use super::table::FileTable;
use crate::WriteFence;
use crate::blobs::Blobs;
use crate::files::Folder;

/// A root whose files are kept.
#[derive(Debug, Clone)]
pub struct MirrorRoot {
    /// What it is called in the table: plain letters.
    pub name: String,
    /// The folder, without a fence.
    pub folder: Folder,
    /// Whether all that is in it is kept, also what nobody tells of: then what nobody keeps does not stay there. Else what is told.
    pub is_whole: bool,
    /// The names at its top that are not its own.
    pub leave_out: Vec<&'static str>,
}

/// What the files of an owner are kept with.
pub struct MirrorParts {
    /// The owner.
    pub owner: String,
    /// The node, as it holds the owner's home.
    pub holder: String,
    /// The table.
    pub table: Arc<dyn FileTable>,
    /// The object storage, of no holder.
    pub blobs: Arc<dyn Blobs>,
    /// The folders.
    pub roots: Vec<MirrorRoot>,
    /// Where a note of this node is kept, and what is set aside; not beneath a root that is whole.
    pub place: Folder,
    /// Whether the home is still the holder's: it hears when something was refused because storage was away.
    pub fence: WriteFence,
    /// The clock of this machine.
    pub clock: Arc<dyn Clock>,
}

/// What the object storage calls the files of an owner that were sent in a term. `id` is that of the owner's rows, so that databases which
/// share a bucket share no object.
pub(super) fn holder(owner: &str, id: &str, term: u64) -> String {
    format!("files{}i{id}t{term}", hex::encode_prefix(Sha256::digest(owner), 6))
}
