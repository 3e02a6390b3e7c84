//! Operations as a model gave them, read one by one.
//!
//! Must never refuse a list for one operation of it.

use engross_docx::ops::{Operation, parse_operations, repair_operations};
use engross_protocol::shared;
use serde_json::Value;

use super::{Proposal, ToolError};
use crate::writing::{Texts, check_inline};

/// Reads operations one by one. `json` is the list, or an object that holds it as `operations`.
pub(crate) fn proposals(json: &Value, texts: &Texts) -> Result<Vec<Proposal>, ToolError> {
    let list = json.get("operations").unwrap_or(json);
    let list = repair_operations(list.clone()).operations;
    let list = list.as_array().ok_or_else(|| {
        invalid("'operations' is no list; give {\"operations\": [{\"op\": …}, …]}".to_owned())
    })?;
    let proposal = |json: &Value| {
        let mut filled = json.clone();
        let operation = operation(&mut filled, texts);
        Proposal { json: json.clone(), filled: (filled != *json).then_some(filled), operation }
    };
    Ok(list.iter().map(proposal).collect())
}

fn operation(json: &mut Value, texts: &Texts) -> Result<Operation, ToolError> {
    let wrong = |message: &str| ToolError::new(shared::INVALID_OPERATION.name, message);
    if json.get("author").is_some() {
        // Only the person says in whose name the changes are made.
        return Err(wrong("'author' cannot be set here; leave it out"));
    }
    check_inline(json)?;
    texts.fill(json)?;
    match parse_operations(&Value::Array(vec![json.clone()])) {
        Ok(mut operations) => operations.pop().ok_or_else(|| wrong("there is no operation")),
        Err(error) => {
            let message = error.to_string();
            // The engine counts within the list that it was given, which here is of one.
            Err(wrong(message.strip_prefix("operation 0: ").unwrap_or(&message)))
        }
    }
}

pub(super) fn invalid(message: String) -> ToolError {
    ToolError::new(shared::INVALID_ARGUMENTS.name, message)
}
