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
use crate::desk::McpDesk;
use crate::table::ToolRow;
use crate::watch::Watch;

pub(crate) use describe::{operation_names, operation_schema};
pub(crate) use read::reading;

/// Carries out a call.
pub(crate) fn call(desk: &McpDesk, tool: &ToolRow, sent: Value, watch: &Watch) -> Answer {
    let answered = Arguments::read(sent, tool).and_then(|arguments| {
        let mut answer = carry_out(desk, tool, &arguments, watch)?;
        if !arguments.remarks.is_empty() {
            answer.text.push_str(&format!("\nRead with repairs: {}.\n", arguments.remarks.join("; ")));
        }
        Ok(answer)
    });
    answered.unwrap_or_else(|failure| Answer::failed(&failure))
}

fn carry_out(
    desk: &McpDesk,
    tool: &ToolRow,
    arguments: &Arguments,
    watch: &Watch,
) -> Result<Answer, Failure> {
    match tool.name {
        "read_document" => read::run(desk, arguments),
        "edit_document" => edit::run(desk, arguments, watch),
        "describe_operations" => describe::run(arguments),
        "resolve_changes" => resolve::run(desk, arguments, watch),
        "compare_documents" => compare::run(desk, arguments, watch),
        _ => check::run(desk, arguments),
    }
}
