//! `apply_redlines`: the calls of one round as one batch of the engine.
//!
//! Must never let an edit of one call shift the paragraph numbers that another call of the same round uses: the engine
//! resolves all addresses of a batch before it changes anything, so the calls are joined and their results taken apart.

use engross_docx::ops::{Batch, OperationResult, Status, Summary};
use engross_docx::{EditOptions, Error, WordDocument};
use engross_protocol::shared;
use serde_json::{Map, Value, json};

use super::moved::moved;
use super::{CallResult, Proposal, ToolError, cut};
use crate::reading;

/// Bytes of a message about one operation.
const MESSAGE_BYTES: usize = 1 << 10;

/// What became of one call.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ApplyResult {
    /// One for each proposal, in order; indices count within the call.
    pub(crate) results: Vec<OperationResult>,
    /// What the model reads.
    pub(crate) answer: CallResult,
}

/// Applies the proposals of several calls together. Each answer has at most `bytes` bytes.
pub(crate) fn apply_together(
    document: &mut WordDocument,
    calls: &[&[Proposal]],
    options: &EditOptions,
    bytes: usize,
) -> Result<Vec<ApplyResult>, Error> {
    let operations = calls.iter().copied().flatten().filter_map(|proposal| proposal.operation.clone().ok());
    let batch = Batch { operations: operations.collect(), ..Batch::default() };
    let mut done = document.apply(&batch, options)?.into_iter();
    let mut applied = Vec::with_capacity(calls.len());
    for call in calls {
        let results: Vec<OperationResult> = call
            .iter()
            .enumerate()
            .map(|(index, proposal)| match &proposal.operation {
                Ok(_) => done.next().map_or_else(
                    || {
                        let missing = ToolError::new(
                            shared::INVALID_OPERATION.name,
                            "the engine gave no result for it",
                        );
                        not_valid(index, proposal, &missing)
                    },
                    |result| OperationResult { index, ..result },
                ),
                Err(error) => not_valid(index, proposal, error),
            })
            .collect();
        applied.push(results);
    }
    let written: Vec<i64> = applied.iter().flatten().flat_map(revisions_of).collect();
    let note = if written.is_empty() { None } else { Some(moved(document, &written)?) };
    applied
        .into_iter()
        .map(|results| {
            let answer = answer(document, &results, note.as_deref(), bytes)?;
            Ok(ApplyResult { answer, results })
        })
        .collect()
}

fn revisions_of(result: &OperationResult) -> impl Iterator<Item = i64> {
    result.revision_ids.iter().copied()
}

/// The result of something that is no operation.
fn not_valid(index: usize, proposal: &Proposal, error: &ToolError) -> OperationResult {
    let name = ["op", "operation"].iter().find_map(|field| proposal.json.get(field)?.as_str());
    OperationResult {
        index,
        op: cut(name.unwrap_or_default(), 64),
        status: Status::Refused,
        code: Some(error.code.to_owned()),
        message: Some(error.message.clone()),
        address: None,
        revision_ids: Vec::new(),
        gone_revision_ids: Vec::new(),
        more_revisions: 0,
        comment_ids: Vec::new(),
        untracked: Vec::new(),
        before: None,
        after: None,
    }
}

/// The results with the fresh text around the changes. `summary` is what the rules model reads; `note` says how paragraph
/// numbers have moved.
fn answer(
    document: &WordDocument,
    results: &[OperationResult],
    note: Option<&str>,
    bytes: usize,
) -> Result<CallResult, Error> {
    let summary = Summary::of(results);
    let changed: Vec<i64> = results.iter().flat_map(revisions_of).collect();
    let mut answer = Map::new();
    answer.insert("summary".to_owned(), json!(summary));
    let (listed, left_out) = listed(results, bytes / 2);
    answer.insert("operations".to_owned(), listed);
    if left_out > 0 {
        answer.insert("operationsNotListed".to_owned(), json!(left_out));
    }
    answer.insert("paragraphs".to_owned(), json!(document.paragraph_count()));
    if let Some(note) = note {
        answer.insert("note".to_owned(), json!(note));
    }
    if !changed.is_empty() {
        let used = Value::Object(answer.clone()).to_string().len();
        // In JSON, quotes and line ends take two bytes each.
        let room = bytes.saturating_sub(used + 32) / 2;
        // The changed paragraphs and their neighbours, with their present numbers.
        answer.insert("now".to_owned(), json!(reading::around(document, &changed, room)?.text));
    }
    let is_error = summary.applied + summary.no_change == 0 && !results.is_empty();
    Ok(CallResult { content: Value::Object(answer).to_string(), is_error })
}

/// The results in at most `bytes` bytes: first what needs repair, then the rest. Also tells how many are left out.
fn listed(results: &[OperationResult], bytes: usize) -> (Value, usize) {
    let needs_repair = |result: &OperationResult| matches!(result.status, Status::Refused | Status::Failed);
    let mut order: Vec<&OperationResult> = results.iter().collect();
    order.sort_by_key(|result| !needs_repair(result));
    let mut kept: Vec<(usize, Value)> = Vec::new();
    let mut used = 0;
    for result in order {
        let short = short(result);
        used += short.to_string().len() + 1;
        if used > bytes {
            break;
        }
        kept.push((result.index, short));
    }
    kept.sort_by_key(|(index, _)| *index);
    let left_out = results.len() - kept.len();
    (kept.into_iter().map(|(_, short)| short).collect(), left_out)
}

/// A result as the model reads it: the texts before and after are in the reading.
fn short(result: &OperationResult) -> Value {
    let mut short = Map::new();
    short.insert("index".to_owned(), json!(result.index));
    short.insert("op".to_owned(), json!(result.op));
    short.insert("status".to_owned(), json!(result.status));
    let fields = [("code", &result.code), ("message", &result.message), ("address", &result.address)];
    for (name, value) in fields {
        if let Some(value) = value {
            short.insert(name.to_owned(), json!(cut(value, MESSAGE_BYTES)));
        }
    }
    Value::Object(short)
}
