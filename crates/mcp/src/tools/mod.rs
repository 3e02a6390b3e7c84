//! What each tool does. Everything here blocks.
//!
//! Must never let a wrong call end the server: what is wrong with it is the answer.

mod check;
mod compare;
mod describe;
mod edit;
mod read;
mod resolve;

use engross_protocol::Failure;
use serde_json::Value;

use crate::answer::Answer;
use crate::arguments::Arguments;
use crate::documents::McpDocuments;
use crate::table::ToolRow;
use crate::watch::Watch;

pub(crate) use describe::{operation_names, operation_schema};
pub(crate) use read::reading;

/// Carries out a call.
pub(crate) fn call(documents: &McpDocuments, tool: &ToolRow, sent: Value, watch: &Watch) -> Answer {
    let answered = Arguments::read(sent, tool).and_then(|arguments| {
        let mut answer = carry_out(documents, tool, &arguments, watch)?;
        if !arguments.remarks.is_empty() {
            answer.text.push_str(&format!("\nRead with repairs: {}.\n", arguments.remarks.join("; ")));
        }
        Ok(answer)
    });
    answered.unwrap_or_else(|failure| Answer::failed(&failure))
}

fn carry_out(
    documents: &McpDocuments,
    tool: &ToolRow,
    arguments: &Arguments,
    watch: &Watch,
) -> Result<Answer, Failure> {
    match tool.name {
        "read_document" => read::run(documents, arguments),
        "edit_document" => edit::run(documents, arguments, watch),
        "describe_operations" => describe::run(arguments),
        "resolve_changes" => resolve::run(documents, arguments, watch),
        "compare_documents" => compare::run(documents, arguments, watch),
        _ => check::run(documents, arguments),
    }
}
