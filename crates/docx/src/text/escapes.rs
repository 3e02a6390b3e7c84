//! Backslashes of Markdown.

/// Whether an odd number of backslashes stands before a byte.
pub(super) fn is_escaped(bytes: &[u8], at: usize) -> bool {
    let before = bytes.get(..at).unwrap_or_default();
    before.iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 1
}
