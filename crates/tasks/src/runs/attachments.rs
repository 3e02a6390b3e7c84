//! Files that come inside a request: on the disk for as long as their turn takes.
//!
//! Must never end up among the files of the run, nor anywhere but in its scope.

use std::path::PathBuf;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use engross_store::files::{Precondition, RelPath};

use super::error::RunError;
use super::request::{Inline, RequestContext};
use crate::codes;
use crate::runner::Attachment;
use engross_artifacts::{ArtifactWorkspace, Scope, ScopeError, segment};

/// The folder beneath a scope. Exports leave it out.
const FOLDER: &str = ".xworkmate/attachments";

/// Writes them to `.xworkmate/attachments/TURN/NN-NAME`.
pub(super) fn put(scope: &Scope, turn: &str, inline: &[Inline]) -> Result<Vec<Attachment>, RunError> {
    let mut all = Vec::with_capacity(inline.len());
    for (number, file) in (1..).zip(inline) {
        let failed =
            |message: String| RunError::Scope { code: codes::OPENCLAW_ATTACHMENT_WRITE_FAILED, message };
        let bytes = STANDARD
            .decode(&file.content)
            .map_err(|_| failed(format!("the attachment '{}' is no base64", file.name)))?;
        let plain = file.name.rsplit(['/', '\\']).next().unwrap_or_default();
        let plain = format!("{number:02}-{plain}");
        let path = RelPath::parse(&format!("{FOLDER}/{turn}/{plain}"))
            .or_else(|_| RelPath::parse(&format!("{FOLDER}/{turn}/{}", segment(&plain))))
            .map_err(|error| failed(error.to_string()))?;
        scope
            .folder()
            .write_private(&path, bytes.as_slice(), &Precondition::Any)
            .map_err(|error| failed(format!("the attachment '{}': {error}", file.name)))?;
        all.push(Attachment {
            name: file.name.clone(),
            mime_type: file.mime_type.clone(),
            path: PathBuf::from(scope.directory()).join(path.as_str()),
        });
    }
    Ok(all)
}

/// Removes those of a turn. What cannot be removed harms nobody: exports leave it out.
pub(super) async fn remove(workspace: &ArtifactWorkspace, face: &RequestContext) {
    let (workspace, face) = (workspace.clone(), face.clone());
    let removed = tokio::task::spawn_blocking(move || {
        let scope = workspace.open(&face.session_key, &face.run, None)?;
        let path = RelPath::parse(&format!("{FOLDER}/{}", face.turn)).map_err(ScopeError::from)?;
        scope.folder().remove_folder(&path).map_err(ScopeError::from)
    });
    let _ = removed.await;
}
