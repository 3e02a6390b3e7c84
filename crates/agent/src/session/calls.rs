//! Calls of a conversation: when two are the same, which one a result means, and what stands for a result that never came.
//!
//! Must never know the session or its log: the one who folds, mends or takes in messages asks here.

use engross_llm::ToolCall;
use serde_json::Value;

/// What the model reads for a call whose result never came.
pub(crate) const NO_RESULT: &str = "No result came for this call. It may or may not have been carried out.";

/// Whether two calls ask for the same, whatever the form of their JSON.
pub(crate) fn same_call(left: &ToolCall, right: &ToolCall) -> bool {
    let json = |call: &ToolCall| serde_json::from_str::<Value>(&call.arguments).ok();
    left.name == right.name
        && (left.arguments == right.arguments || (json(left).is_some() && json(left) == json(right)))
}

/// The call that a result means: the one with its id, else the only one of its tool, else the only one.
pub(crate) fn which<'a>(calls: impl Iterator<Item = &'a ToolCall>, id: &str, name: &str) -> Option<usize> {
    let calls: Vec<&ToolCall> = calls.collect();
    if let Some(at) = calls.iter().position(|call| call.id == id) {
        return Some(at);
    }
    let of_name = |call: &&ToolCall| name.is_empty() || call.name == name;
    match calls.iter().filter(|call| of_name(call)).count() {
        1 => calls.iter().position(of_name),
        _ => None,
    }
}
