//! The author and the date of changes.
//!
//! Must never let a change out that has no author: Word shows it as anybody's.

use engross_docx::ops::Batch;
use engross_protocol::{Exit, Failure, Timestamp};

/// Characters of a longest author; Word cuts what is longer.
const LONGEST_AUTHOR: usize = 255;

/// The author as it is written.
///
/// # Errors
/// `INVALID_AUTHOR`.
pub fn author(name: &str) -> Result<&str, Failure> {
    let name = name.trim();
    let reason = if name.is_empty() {
        "it is empty"
    } else if name.chars().any(char::is_control) {
        "it has control characters"
    } else if name.chars().count() > LONGEST_AUTHOR {
        "it has more than 255 characters"
    } else {
        return Ok(name);
    };
    Err(usage("INVALID_AUTHOR", format!("the author cannot be used: {reason}; give another name")))
}

/// Checks the authors and the date that a batch names itself, and brings them into the form in which they are written.
///
/// # Errors
/// `INVALID_AUTHOR`, `INVALID_DATE`.
pub fn check(batch: &mut Batch) -> Result<(), Failure> {
    let authors = batch.operations.iter_mut().map(|operation| &mut operation.author);
    for name in authors.chain([&mut batch.author]).flatten() {
        *name = author(name)?.to_owned();
    }
    if let Some(text) = &mut batch.date {
        *text = date(text)?.to_string();
    }
    Ok(())
}

/// A date that was given.
///
/// # Errors
/// `INVALID_DATE`.
pub fn date(text: &str) -> Result<Timestamp, Failure> {
    text.parse().map_err(|error: engross_protocol::InvalidDate| usage("INVALID_DATE", error.to_string()))
}

fn usage(code: &'static str, message: String) -> Failure {
    Failure::new(Exit::Usage, code, message)
}
