//! The folder of a session: what the editor's paths are beneath it, and back.
//!
//! Must never let a path out of the folder: it is compared by its text, and opened beneath the folder step by step elsewhere.

use std::path::{Component, Path, PathBuf};

use engross_documents::Workspace;
use engross_protocol::Failure;
use engross_store::files::{RelPath, by_path};
use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};

use super::codes;

/// What stands for itself in the path of a `file:` address is all but this.
const ESCAPED: &AsciiSet =
    &CONTROLS.add(b' ').add(b'"').add(b'#').add(b'%').add(b'<').add(b'>').add(b'?').add(b'`');

/// The folder of a session.
#[derive(Debug, Clone)]
pub(super) struct SessionFolder {
    /// As the editor named it, absolute.
    named: PathBuf,
    /// Without links.
    real: PathBuf,
}

impl SessionFolder {
    /// The folder at `path`.
    ///
    /// # Errors
    /// `EDITOR_FOLDER_INVALID` when the path is not absolute, or leads to no folder. Blocks.
    pub(super) fn open(path: &Path) -> Result<Self, Failure> {
        let shown = path.display();
        let refused = |problem: String| Failure::of(codes::EDITOR_FOLDER_INVALID, problem);
        if !path.is_absolute() {
            return Err(refused(format!("cwd '{shown}' is not absolute; send the folder's absolute path")));
        }
        if !path.is_dir() {
            return Err(refused(format!("cwd '{shown}' is no folder; send one that is there")));
        }
        Ok(Self { named: path.to_owned(), real: by_path::absolute(path) })
    }

    /// As the editor named it.
    pub(super) fn path(&self) -> &Path {
        &self.named
    }

    /// The file that the editor or the person names: by a path, or by a `file:` address.
    ///
    /// # Errors
    /// `EDITOR_FILE_OUTSIDE`, and when the path cannot be one of a document.
    pub(super) fn file(&self, text: &str) -> Result<RelPath, Failure> {
        let text = text.trim();
        let decoded = match text.strip_prefix("file://") {
            Some(rest) => {
                percent_decode_str(rest).decode_utf8().map_err(|_| self.outside(text))?.into_owned()
            }
            None if text.contains("://") => return Err(self.outside(text)),
            None => text.to_owned(),
        };
        let path = Path::new(&decoded);
        if !path.is_absolute() {
            return Ok(Workspace::path(&decoded)?);
        }
        if path.components().any(|part| matches!(part, Component::ParentDir)) {
            return Err(self.outside(text));
        }
        let rest = [&self.named, &self.real].into_iter().find_map(|base| path.strip_prefix(base).ok());
        let rest = rest.and_then(Path::to_str).ok_or_else(|| self.outside(text))?;
        Ok(Workspace::path(&rest.replace('\\', "/"))?)
    }

    /// The absolute path of a file beneath the folder.
    pub(super) fn absolute(&self, file: &str) -> PathBuf {
        self.named.join(file)
    }

    /// The `file:` address of a file beneath the folder.
    pub(super) fn address(&self, file: &str) -> String {
        let path = self.absolute(file).display().to_string().replace('\\', "/");
        let slash = if path.starts_with('/') { "" } else { "/" };
        format!("file://{slash}{}", utf8_percent_encode(&path, ESCAPED))
    }

    fn outside(&self, text: &str) -> Failure {
        let shown: String = text.chars().take(200).flat_map(char::escape_debug).collect();
        let message = format!(
            "'{shown}' is not in {}, the folder of this session; open that file's folder in the editor",
            self.named.display()
        );
        Failure::of(codes::EDITOR_FILE_OUTSIDE, message)
    }
}
