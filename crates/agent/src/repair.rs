//! Which refused operations of a run were made good by a later one.
//!
//! Must never take an operation for repaired only because something else was applied: when in doubt, it is not.

use engross_docx::ops::Status;
use serde_json::Value;

use crate::outcome::EditRunOperation;

/// Marks each refused or failed operation that a later round's applied operation repairs. One operation repairs at most
/// one other.
pub(crate) fn mark_repaired(operations: &mut [EditRunOperation], proposed: &[Value]) {
    let mut used = vec![false; operations.len()];
    for earlier in 0..operations.len() {
        let repairing = (earlier + 1..operations.len()).find(|later| {
            !used.get(*later).copied().unwrap_or(true)
                && is_repair(operations, proposed, earlier, *later).unwrap_or(false)
        });
        if let (Some(later), Some(operation)) = (repairing, operations.get_mut(earlier)) {
            operation.repaired_by = Some(later);
            if let Some(used) = used.get_mut(later) {
                *used = true;
            }
        }
    }
}

fn is_repair(
    operations: &[EditRunOperation],
    proposed: &[Value],
    earlier: usize,
    later: usize,
) -> Option<bool> {
    let (first, second) = (operations.get(earlier)?, operations.get(later)?);
    let tried_again = matches!(first.result.status, Status::Refused | Status::Failed)
        && matches!(second.result.status, Status::Applied | Status::NoChange)
        && second.round > first.round;
    Some(tried_again && same_intent(proposed.get(earlier)?, proposed.get(later)?))
}

/// Whether two operations are of one kind and want the same words: those that go, or those that come.
fn same_intent(first: &Value, second: &Value) -> bool {
    let name = |json: &Value| json.get("op").or_else(|| json.get("operation")).cloned();
    let texts = ["originalText", "replacementText", "newContent", "append", "prepend", "content"];
    let same_text = |field: &&str| {
        let text = first.get(field).and_then(Value::as_str).filter(|text| !text.is_empty());
        text.is_some() && text == second.get(field).and_then(Value::as_str)
    };
    let deletes_paragraph = name(first).is_some_and(|name| name == "delete_paragraph");
    name(first) == name(second) && (deletes_paragraph || texts.iter().any(same_text))
}
