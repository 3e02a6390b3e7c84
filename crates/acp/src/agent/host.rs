//! What the program hands in: models, stored sessions, and the documents of a folder.

use std::path::Path;
use std::sync::Arc;

use engross_agent::session::{Observer, Sessions};
use engross_agent::workspace::Approver;
use engross_documents::Workspace;
use engross_protocol::Failure;

/// To whom the sessions of editors belong in the store: no owner of a server can be called so.
pub const PRINCIPAL: &str = "acp:editor";

/// A folder with documents that a session works on.
pub struct OpenedFolder {
    /// Answers; its sessions have the tools of the folder, whatever their workspace is called.
    pub sessions: Sessions,
    /// The documents.
    pub workspace: Workspace,
    /// In whose name they are changed.
    pub author: String,
}

/// What an agent in an editor is made of.
pub trait EditorHost: Send + Sync {
    /// Whether the model that is set can be asked; nothing is sent.
    ///
    /// # Errors
    /// What is missing.
    fn check_model(&self) -> Result<(), Failure>;

    /// Opens the documents of a folder. `approver` agrees to edits, `observer` hears of what is stored. Blocks.
    ///
    /// # Errors
    /// When the folder is too wide or cannot be opened, or the model cannot be asked.
    fn open(
        &self,
        folder: &Path,
        approver: Arc<dyn Approver>,
        observer: Arc<dyn Observer>,
    ) -> Result<OpenedFolder, Failure>;

    /// The stored sessions, to be listed and deleted.
    fn stored(&self) -> &Sessions;

    /// A name that no session has: 32 hexadecimal digits.
    fn new_name(&self) -> String;
}
