//! What the further tools of `mcp` work with.

use std::path::{Path, PathBuf};

use engross_mcp::AllowedFolders;

/// What the tools work with.
pub(in super::super) struct ToolParts<'a> {
    /// The folders that are served.
    pub(in super::super) folders: &'a AllowedFolders,
    pub(in super::super) data: &'a Path,
    pub(in super::super) config: Option<&'a PathBuf>,
}
