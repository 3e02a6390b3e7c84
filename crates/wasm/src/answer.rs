//! What JavaScript gets, as JSON: the names of the command line's answers.

use engross_docx::ops::Proof;
use engross_docx::{DocumentChange, Error, Limitation};
use serde::Serialize;
use serde_json::{Value, json};

use crate::failure::Failure;

/// An error of the engine.
pub(crate) fn failure(error: &Error) -> Failure {
    json!({"code": error.code(), "message": error.to_string()}).to_string()
}

/// A value as a JSON text.
pub(crate) fn text<T: Serialize>(value: &T) -> Result<String, Failure> {
    serde_json::to_string(value)
        .map_err(|error| json!({"code": "INTERNAL", "message": error.to_string()}).to_string())
}

/// What is in a redline.
pub(crate) fn comparison(
    proof: Proof,
    summary: &Value,
    changes: &[DocumentChange],
    limitations: &[Limitation],
) -> Value {
    json!({"proof": proof, "summary": summary, "changes": changes, "limitations": limitations})
}
