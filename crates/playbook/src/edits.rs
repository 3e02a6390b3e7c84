//! Which operations follow from a judgement: the change, and a comment with the reason.
//!
//! Must never put a text of a model where it would be read as something else than words.

use serde_json::{Value, json};

use crate::answer::Change;
use crate::report::{Citation, ClauseVerdict};

/// What a position asks the engine for.
pub(crate) fn operations(
    name: &str,
    verdict: ClauseVerdict,
    citation: Option<&Citation>,
    reason: &str,
    change: Option<&Change>,
) -> Vec<Value> {
    if verdict.is_acceptable() || verdict == ClauseVerdict::Unanswered {
        return Vec::new();
    }
    let mut operations = Vec::new();
    let comment = format!("Playbook, {name}: {reason}");
    match change {
        Some(Change::Replace { address, original, replacement }) => {
            operations.push(json!({
                "op": "modify_text", "target": address, "originalText": original,
                "replacementText": replacement, "occurrence": "first", "plain": true,
            }));
            // Words that change hold no comment; the paragraph does.
            operations.push(
                json!({"op": "insert_comment", "target": address, "commentContent": comment, "plain": true}),
            );
        }
        Some(Change::Insert { after, content }) => {
            operations.push(json!({"op": "insert_paragraph", "after": after, "content": content}));
            operations.push(
                json!({"op": "insert_comment", "target": after, "commentContent": comment, "plain": true}),
            );
        }
        None => {
            if let Some(Citation { address, quote }) = citation {
                operations.push(json!({
                    "op": "insert_comment", "target": address, "textToFind": quote, "occurrence": "first",
                    "commentContent": comment, "plain": true,
                }));
            }
        }
    }
    operations
}
