//! From a changed document to a file: prove, write, hash.
//!
//! Must never write what the engine has not proven.

use std::path::Path;

use engross_docx::ops::Proof;
use engross_docx::{Tracking, WordDocument};
use engross_protocol::{Clock as _, Failure, SystemClock, hex};
use sha2::{Digest, Sha256};

use crate::checkpoints::Checkpoints;
use crate::cli::TargetArgs;
use crate::commands::data_folder;
use crate::failure;
use crate::files::{Destination, Input, Target};

/// Whether the file is really written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Writing {
    /// Yes.
    Real,
    /// No: everything else is done.
    DryRun,
}

/// A result on its way out, or out.
#[derive(Debug)]
pub(crate) struct Delivery {
    /// The file that was written.
    pub(crate) output: Option<String>,
    /// SHA-256 of its bytes.
    pub(crate) sha256: String,
    /// What was proven.
    pub(crate) proof: Proof,
}

/// Where the result about `input` goes; `suffix` is that of the usual name.
pub(crate) fn destination(
    input: &Input,
    target: &TargetArgs,
    suffix: &'static str,
) -> Result<Destination, Failure> {
    let target = match (&target.output, target.in_place) {
        (Some(path), _) => Target::File(path),
        (None, true) => Target::InPlace,
        (None, false) => Target::Beside(suffix),
    };
    Ok(Destination::of(input, target)?)
}

/// Proves and writes the document that was read from `input`.
pub(crate) fn deliver(
    document: &WordDocument,
    tracking: Tracking,
    input: &Path,
    destination: &Destination,
    writing: Writing,
) -> Result<Delivery, Failure> {
    let saved = document.save(tracking).map_err(|error| failure::of_document(input, &error))?;
    let output = match writing {
        Writing::DryRun => None,
        Writing::Real => {
            if destination.is_in_place() && saved.bytes != document.source() {
                keep(document.source(), input)?;
            }
            destination.write(&saved.bytes)?;
            Some(destination.path().display().to_string())
        }
    };
    Ok(Delivery { output, sha256: hex::encode(Sha256::digest(&saved.bytes)), proof: saved.proof })
}

/// Keeps a document as a checkpoint before it is replaced.
fn keep(source: &[u8], path: &Path) -> Result<(), Failure> {
    let absolute = crate::files::absolute(path);
    let kept = data_folder(None)
        .and_then(|data| Checkpoints::open(&data, &absolute)?.save(source, None, SystemClock.now()));
    kept.map(drop).map_err(|failure| {
        let message = format!(
            "{}; nothing was changed, since it could not be taken back; write elsewhere with -o",
            failure.message
        );
        Failure { message, ..failure }
    })
}
