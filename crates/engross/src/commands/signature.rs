//! In whose name changes are made, and when.
//!
//! Must never let a change out that has no author: Word shows it as anybody's.

use engross_protocol::{Clock, Failure, FixedClock, SystemClock, Timestamp};

use crate::failure::usage;

/// Characters of a longest author; Word cuts what is longer.
const LONGEST_AUTHOR: usize = 255;

/// The author as it is written.
pub(super) fn author(name: &str) -> Result<&str, Failure> {
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
    Err(usage("INVALID_AUTHOR", format!("the author cannot be used: {reason}; give a name with --author")))
}

/// A date that was given.
pub(super) fn date(text: &str) -> Result<Timestamp, Failure> {
    text.parse().map_err(|error: engross_protocol::InvalidDate| usage("INVALID_DATE", error.to_string()))
}

/// The clock of a command: it stands still if a date was given.
pub(super) fn clock(date_flag: Option<&str>) -> Result<Box<dyn Clock>, Failure> {
    Ok(match date_flag {
        Some(text) => Box::new(FixedClock(date(text)?)),
        None => Box::new(SystemClock),
    })
}
