//! A tool that the server carries out, as a session knows it.

use engross_llm::ToolSpec;

/// A tool that the server carries out.
#[derive(Debug, Clone, PartialEq)]
pub struct ServerTool {
    /// The tool as the model sees it.
    pub spec: ToolSpec,
    /// Whether it changes nothing, so that it may be begun again after a crash.
    pub read_only: bool,
}
