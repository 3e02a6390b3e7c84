//! The tools of a session without documents: it can only write files.

use engross_llm::ToolCall;

use super::writer::Writer;
use crate::session::{
    Briefing, BriefingFuture, ServerTool, ToolResult, ToolResultsFuture, ToolRound, Toolbox,
};

/// A toolbox in which nothing but a writer is.
pub struct WritingTools(Writer);

impl WritingTools {
    /// The tools of `writer`.
    #[must_use]
    pub fn new(writer: Writer) -> Self {
        Self(writer)
    }
}

impl Toolbox for WritingTools {
    fn tools(&self) -> Vec<ServerTool> {
        Vec::new()
    }

    fn briefing(&self) -> BriefingFuture<'_> {
        Box::pin(async { Briefing::default() })
    }

    fn status(&self, _: &ToolCall) -> String {
        String::new()
    }

    fn run(&self, round: ToolRound) -> ToolResultsFuture<'_> {
        let nothing = || ToolResult::error("There is no such tool.");
        Box::pin(async move { round.calls.iter().map(|_| nothing()).collect() })
    }

    fn writer(&self) -> Option<Writer> {
        Some(self.0.clone())
    }
}
