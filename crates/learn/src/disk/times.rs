//! When files were changed.

use std::path::Path;
use std::time::UNIX_EPOCH;

/// When a file was last changed, in milliseconds since 1970; 0 when that is not known.
pub(super) fn modified(path: &Path) -> u64 {
    let modified = std::fs::metadata(path).and_then(|metadata| metadata.modified()).ok();
    let since = modified.and_then(|modified| modified.duration_since(UNIX_EPOCH).ok());
    since.and_then(|since| u64::try_from(since.as_millis()).ok()).unwrap_or_default()
}
