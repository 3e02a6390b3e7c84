//! The tools that `engross mcp --with …` brings besides those on documents.
//!
//! Must never bring one that was not asked for.

mod parts;
mod program;
mod write_files;

use std::sync::Arc;

use engross_mcp::MoreTools;
use engross_protocol::Failure;

use crate::cli::McpToolsArg;
pub(super) use parts::ToolParts;
use program::{ProgramTools, SESSIONS, TASKS};
use write_files::WriteFiles;

/// The tools that were asked for, but for those on playbooks.
pub(super) fn tools(
    asked: &[McpToolsArg],
    parts: &ToolParts<'_>,
) -> Result<Vec<Arc<dyn MoreTools>>, Failure> {
    let mut out: Vec<Arc<dyn MoreTools>> = Vec::new();
    let program = |rows| ProgramTools::new(rows, parts);
    if asked.contains(&McpToolsArg::Writes) {
        out.push(Arc::new(WriteFiles::open(&parts.folders.places(), parts.data)?));
    }
    if asked.contains(&McpToolsArg::Tasks) {
        out.push(Arc::new(program(TASKS)?));
    }
    if asked.contains(&McpToolsArg::Sessions) {
        out.push(Arc::new(program(SESSIONS)?));
    }
    Ok(out)
}
