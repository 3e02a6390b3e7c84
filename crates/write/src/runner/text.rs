//! Reads the text of a finished session for reuse: an edit of a document may take its words from there.
//!
//! Must never give a text that is not whole, or not the one that was sent.

use engross_protocol::hex;
use engross_store::files::{FileError, RelPath, Root};
use sha2::{Digest, Sha256};

use super::WriteSessionId;
use super::sessions::WriteSessions;
use crate::error::Error;
use crate::validate::FileKind;

/// Why a text is not to be had.
#[derive(Debug, thiserror::Error)]
pub enum TextError {
    /// It is not there, not finished, or changed since.
    #[error(transparent)]
    Session(#[from] Error),
    /// The file cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
}

impl TextError {
    /// The stable code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Session(error) => error.code(),
            Self::File(error) => error.code(),
        }
    }
}

impl WriteSessions {
    /// The content of the session `id` so far, up to the line that its sender is asked to write again; nothing when it is over
    /// or has more than `limit` bytes. It reads a file.
    #[must_use]
    pub fn so_far(&self, id: WriteSessionId, limit: u64) -> Option<String> {
        let bytes = self.running(id).ok()?.content_so_far(limit)?;
        String::from_utf8(bytes).ok()
    }

    /// The folder beneath which files are written.
    #[must_use]
    pub fn root(&self) -> &Root {
        &self.0.environment.root
    }

    /// What the session `id` has written beneath `folder`, in at most `limit` bytes. It reads a file.
    ///
    /// # Errors
    /// `SESSION_NOT_FOUND`, also for one of another folder; `CONTENT_NOT_WRITTEN` before its end; `CONTENT_CHANGED` when the
    /// file is not what was written; `UNSUPPORTED_TARGET` when that is no text; `TOO_LARGE`, `ENCODING_INVALID`.
    pub fn text(&self, id: WriteSessionId, folder: Option<&str>, limit: u64) -> Result<String, TextError> {
        let unknown = || Error::SessionNotFound(id.to_string());
        let view = self.get(id).map_err(|_| unknown())?;
        let root = view
            .options
            .root
            .as_deref()
            .map(|root| root.trim_matches('/'))
            .filter(|root| !matches!(*root, "" | "."));
        let beneath = |file: &str| root.map_or_else(|| file.to_owned(), |root| format!("{root}/{file}"));
        let target = &beneath(&view.options.target_file);
        let is_inside = |folder: &str| target.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
        if !folder.is_none_or(is_inside) {
            return Err(unknown().into());
        }
        let receipt = view.receipt.as_ref().ok_or_else(|| Error::ContentNotWritten(id.to_string()))?;
        if FileKind::of_name(target) == FileKind::Docx {
            return Err(Error::UnsupportedTarget(target.clone()).into());
        }
        if receipt.bytes > limit {
            return Err(Error::TooLarge { limit }.into());
        }
        let changed = || Error::ContentChanged(target.clone());
        let path = RelPath::parse(&beneath(&receipt.path))?;
        let (bytes, _) = self.0.environment.root.top().read(&path, limit)?.ok_or_else(changed)?;
        if hex::encode(Sha256::digest(&bytes)) != receipt.sha256 {
            return Err(changed().into());
        }
        String::from_utf8(bytes).map_err(|_| changed().into())
    }
}
