//! Dates of skillbook files: ISO 8601 with an offset.

use jiff::Timestamp;

/// Milliseconds since 1970 as `2026-02-27T15:30:05+00:00`; empty when unknown.
#[must_use]
pub fn to_iso(millis: u64) -> String {
    let at = i64::try_from(millis / 1000).ok().and_then(|seconds| Timestamp::from_second(seconds).ok());
    match at {
        Some(at) if millis > 0 => format!("{}+00:00", at.to_string().trim_end_matches('Z')),
        _ => String::new(),
    }
}

/// An ISO date in milliseconds since 1970; 0 when it is none. A date without an offset is UTC.
#[must_use]
pub fn from_iso(text: &str) -> u64 {
    let at: Option<Timestamp> = text.parse().ok().or_else(|| format!("{text}Z").parse().ok());
    at.and_then(|at| u64::try_from(at.as_millisecond()).ok()).unwrap_or_default()
}
