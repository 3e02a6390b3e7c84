//! The tools of a session without documents: it can only write files.

use engross_llm::ToolCall;

use super::writer::Writer;
use crate::session::{
    Briefing, BriefingFuture, ServerTool, ToolResult, ToolResultsFuture, ToolRound, Toolbox,
};

/// What a model is told of text files.
pub(crate) const TEXT_FILES: &str = "Text files: list_files, search_files, stat and read_file show what is there; read a file before \
    you change it. WritePlanTool_begin writes: it takes no content, you write that as plain text in your next answer, and end it as the \
    result of the call says. Change a file that is there by operation patch, and overwrite it only where most of it changes. The receipt \
    says what was written; pass on its warnings.";

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
        let text = format!("You help a person with the files of a folder. {TEXT_FILES}");
        Box::pin(async { Briefing { text, seen: Vec::new() } })
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
