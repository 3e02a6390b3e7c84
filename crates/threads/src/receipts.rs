//! The receipt of a run, beside the files that it speaks of.
//!
//! Must never be written over by that of another run, nor hold words that nobody asked to keep. Blocks.

use engross_artifacts::segment;
use engross_attest::{Envelope, FileEntry, ReceiptTexts, SignedReceipt};
use engross_store::files::{Folder, Precondition, RelPath};
use serde::Deserialize;

use super::error::ThreadError;
use super::outcome::TaskEnd;
use super::sync::SyncReport;

/// Where receipts are in the folder of a thread.
pub const RECEIPTS: &str = ".xworkmate/receipts";

/// What a bridge sends of a receipt: all but the list of files.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SentReceipt {
    public_key: String,
    envelope: Envelope,
}

/// Keeps the receipt of a run, if the bridge has given one. One that is none is passed over: it proves nothing.
pub(super) fn keep_receipt(
    folder: &Folder,
    end: &TaskEnd,
    report: &SyncReport,
    texts: Option<ReceiptTexts>,
) -> Result<(), ThreadError> {
    let sent = end.receipt.clone().map(serde_json::from_value::<SentReceipt>);
    let Some(Ok(SentReceipt { public_key, envelope })) = sent else { return Ok(()) };
    let here = |path: &str| {
        let brought = report.files.iter().find(|file| file.relative_path == path);
        brought.and_then(|file| file.local_path.clone()).filter(|here| here != path)
    };
    let files = end.artifacts.iter().map(|file| FileEntry {
        path: file.relative_path.clone(),
        size: file.size_bytes.unwrap_or_default(),
        sha256: file.sha256.clone(),
        here: here(&file.relative_path),
    });
    let mut receipt = SignedReceipt::of(public_key, envelope, files.collect());
    receipt.texts = texts;
    // Words that the bridge has not signed are not those of this run.
    if !receipt.check(None).1.is_intact() && receipt.texts.take().is_some() {
        tracing::warn!(run = %end.run_id, "the words are not kept with the receipt, as they are not what was signed");
    }
    let path = RelPath::parse(&format!("{RECEIPTS}/{}.json", segment(&end.run_id)))?;
    folder.write(&path, receipt.to_bytes().as_slice(), &Precondition::Any)?;
    Ok(())
}
