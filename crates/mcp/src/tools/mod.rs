//! What each tool does. Everything here blocks.
//!
//! Must never let a wrong call end the server: what is wrong with it is the answer.

mod check;
mod compare;
mod describe;
mod edit;
pub(crate) mod playbook;
mod read;
mod resolve;

use engross_docx::WordDocument;
use engross_protocol::Failure;
use serde_json::Value;

use crate::answer::Answer;
use crate::app;
use crate::arguments::CallArguments;
use crate::client::ClientAbilities;
use crate::documents::McpDocuments;
use crate::folders::Place;
use crate::more::{McpTools, MoreCall};
use crate::question::{Consent, Question};
use crate::table::ToolRow;
use crate::watch::Watch;

pub(crate) use describe::{operation_names, operation_schema};
pub(crate) use read::reading;

/// Who calls, and what they can do.
pub(crate) struct Caller<'a> {
    pub(crate) watch: &'a Watch,
    pub(crate) abilities: ClientAbilities,
    pub(crate) consent: &'a Consent,
    pub(crate) tools: &'a McpTools,
}

/// What a call comes to.
#[derive(Debug)]
pub(crate) enum CallEnd {
    Answer(Answer),
    /// Nothing was done; a person is to be asked first.
    Question(Question),
}

impl From<Answer> for CallEnd {
    fn from(answer: Answer) -> Self {
        Self::Answer(answer)
    }
}

/// Carries out a call.
pub(crate) fn call(documents: &McpDocuments, tool: &ToolRow, sent: Value, caller: &Caller<'_>) -> CallEnd {
    let answered = CallArguments::read(sent, tool).and_then(|arguments| {
        let mut end = carry_out(documents, tool, &arguments, caller)?;
        if let CallEnd::Answer(answer) = &mut end
            && !arguments.remarks.is_empty()
        {
            answer.text.push_str(&format!("\nRead with repairs: {}.\n", arguments.remarks.join("; ")));
        }
        Ok(end)
    });
    answered.unwrap_or_else(|failure| Answer::failed(&failure).into())
}

fn carry_out(
    documents: &McpDocuments,
    tool: &ToolRow,
    arguments: &CallArguments,
    caller: &Caller<'_>,
) -> Result<CallEnd, Failure> {
    if let Some(more) = caller.tools.of_program(tool) {
        let call = MoreCall { arguments, documents, watch: caller.watch };
        return more.call(tool.name, &call).map(|text| Answer::of(text).into());
    }
    let answer = match tool.name {
        "read_document" => read::run(documents, arguments, caller)?,
        "review_changes" => read::changes(documents, arguments, caller)?,
        "edit_document" => return edit::run(documents, arguments, caller),
        "describe_operations" => describe::run(arguments)?,
        "review_playbook" => playbook::run(documents, arguments, caller)?,
        "resolve_changes" => resolve::run(documents, arguments, caller)?,
        "compare_documents" => compare::run(documents, arguments, caller)?,
        _ => check::run(documents, arguments)?,
    };
    Ok(answer.into())
}

/// What the page shows of a document, if the caller can show pages. What cannot be told there is in the text all the same.
fn review(
    documents: &McpDocuments,
    document: &WordDocument,
    place: &Place,
    caller: &Caller<'_>,
) -> Option<Value> {
    if !caller.abilities.may_show_pages() {
        return None;
    }
    app::changes(document, &place.shown(), documents.is_ours(place).ok()?).ok()
}
