//! Tools besides those on documents, which the program brings when a person has asked for them.
//!
//! Must never be there unasked: what they do is more than editing documents.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use engross_protocol::Failure;
use engross_store::files::RelPath;

use crate::arguments::CallArguments;
use crate::documents::McpDocuments;
use crate::table::{REVIEW_PLAYBOOK, TOOLS, ToolRow, tools};
use crate::watch::Watch;

/// Tools of one kind.
pub trait MoreTools: Send + Sync {
    /// The tools.
    fn rows(&self) -> &'static [ToolRow];

    /// Carries out a call of one of them, and answers with a text that begins with what happened. Blocks.
    ///
    /// # Errors
    /// Why nothing came of it.
    fn call(&self, tool: &str, call: &MoreCall<'_>) -> Result<String, Failure>;
}

/// A call of such a tool.
pub struct MoreCall<'a> {
    /// What it was given.
    pub arguments: &'a CallArguments,
    pub(crate) documents: &'a McpDocuments,
    pub(crate) watch: &'a Watch,
}

impl MoreCall<'_> {
    /// Whether the client has taken it back.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.watch.is_stopped()
    }

    /// The folder that a path is beneath, and the path beneath it.
    ///
    /// # Errors
    /// When it leads out of the folders that are served.
    pub fn locate(&self, path: &str) -> Result<(PathBuf, RelPath), Failure> {
        let place = self.documents.folders.locate(path)?;
        Ok((place.base().map(Path::to_owned).unwrap_or_default(), place.path))
    }
}

/// What a server offers besides the tools on documents.
#[derive(Clone, Default)]
pub struct McpTools {
    /// Whether positions of playbooks can be answered.
    pub playbooks: bool,
    /// Further tools.
    pub more: Vec<Arc<dyn MoreTools>>,
}

impl fmt::Debug for McpTools {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.rows(false).map(|row| row.name).collect();
        formatter.debug_tuple("McpTools").field(&names).finish()
    }
}

impl McpTools {
    /// The tools that a client is told of.
    pub(crate) fn rows(&self, shows_pages: bool) -> impl Iterator<Item = &'static ToolRow> {
        let playbooks = self.playbooks.then_some(&REVIEW_PLAYBOOK);
        tools(shows_pages).chain(playbooks).chain(self.more.iter().flat_map(|more| more.rows()))
    }

    /// The tool of that name.
    pub(crate) fn row(&self, name: &str) -> Option<&'static ToolRow> {
        self.rows(true).find(|row| row.name == name)
    }

    /// Who carries out a tool that is none on documents.
    pub(crate) fn of_program(&self, row: &ToolRow) -> Option<&dyn MoreTools> {
        let has = |more: &&Arc<dyn MoreTools>| more.rows().iter().any(|own| own.name == row.name);
        let is_own = TOOLS.iter().any(|own| own.name == row.name);
        self.more.iter().find(has).filter(|_| !is_own).map(AsRef::as_ref)
    }
}
