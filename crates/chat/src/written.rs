//! The files that a session has written, as its receipts tell, and how the last one is taken back.
//!
//! Must never overwrite what somebody else has written since.

use std::path::PathBuf;

use engross_documents::CheckpointStore;
use engross_llm::Message;
use engross_protocol::{Exit, Failure};
use engross_store::files::{Precondition, RelPath, Root};
use serde::Deserialize;

use super::document::failed;

/// Where a session writes its files, and where they are kept before.
#[derive(Debug, Clone)]
pub(super) struct WrittenFiles {
    pub(super) root: Root,
    /// The folder for data.
    pub(super) data: PathBuf,
    /// The absolute path of the root.
    pub(super) folder: PathBuf,
}

/// A file that was written, as the model reads it.
#[derive(Debug, Deserialize)]
struct WrittenFile {
    target_file: String,
    receipt: WriteDigest,
}

#[derive(Debug, Deserialize)]
struct WriteDigest {
    sha256: String,
    previous_sha256: Option<String>,
    checkpoint: Option<String>,
}

impl WrittenFiles {
    /// Takes back the last of the files in this conversation that is not taken back yet, and gives its name; `None` when there is
    /// none. Blocks.
    pub(super) fn take_back(&self, messages: &[Message]) -> Result<Option<String>, Failure> {
        let written: Vec<WrittenFile> = messages.iter().filter_map(of_result).collect();
        for (at, file) in written.iter().enumerate().rev() {
            let path = RelPath::parse(&file.target_file)?;
            let now = self.root.top().sha256(&path)?.map(|(sha256, _)| sha256);
            if now.as_deref() == Some(&file.receipt.sha256) {
                self.restore(&path, file)?;
                return Ok(Some(file.target_file.clone()));
            }
            let earlier = written.iter().take(at).filter(|earlier| earlier.target_file == file.target_file);
            let is_earlier =
                earlier.into_iter().any(|earlier| now.as_deref() == Some(&earlier.receipt.sha256));
            let is_later = written
                .iter()
                .skip(at)
                .any(|later| later.target_file == file.target_file && now == later.receipt.previous_sha256);
            if !is_earlier && !is_later {
                let message = format!("{path} was changed since it was written, so it is left as it is");
                return Err(Failure::new(Exit::Refused, "TARGET_CHANGED", message));
            }
        }
        Ok(None)
    }

    fn restore(&self, path: &RelPath, file: &WrittenFile) -> Result<(), Failure> {
        let unchanged = Precondition::Sha256(file.receipt.sha256.clone());
        if file.receipt.previous_sha256.is_none() {
            self.root.top().remove(path, &unchanged)?;
            return Ok(());
        }
        let store = CheckpointStore::in_data(&self.data)?;
        let kept = store.of_path(&self.folder.join(path.as_str())).map_err(|error| failed(&error))?;
        let before = kept.find(file.receipt.checkpoint.as_deref().unwrap_or_default());
        let before = before.and_then(|checkpoint| kept.read(&checkpoint)).map_err(|error| failed(&error))?;
        self.root.top().write(path, before.as_slice(), &unchanged)?;
        Ok(())
    }
}

/// The receipt in the result of a call.
fn of_result(message: &Message) -> Option<WrittenFile> {
    match message {
        Message::Tool { content, is_error: false, .. } if content.starts_with('{') => {
            serde_json::from_str(content).ok()
        }
        _ => None,
    }
}
