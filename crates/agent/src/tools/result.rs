//! How much text a result may be.
//!
//! Must never cut without saying so.

/// Bytes of one result, when it is alone in its round.
pub(crate) const RESULT_BYTES: usize = 24 << 10;

/// Bytes that the results of one round share.
const ROUND_BYTES: usize = 64 << 10;

/// Calls of one answer that are carried out.
pub(crate) const ROUND_CALLS: usize = 32;

/// Bytes that the result of each of `calls` calls may have.
pub(crate) fn share_of_round(calls: usize) -> usize {
    (ROUND_BYTES / calls.clamp(1, ROUND_CALLS)).min(RESULT_BYTES)
}

/// At most `bytes` bytes of `text`, with a mark where it was cut.
pub(crate) fn cut(text: &str, bytes: usize) -> String {
    const MARK: &str = " ⟦cut⟧";
    if text.len() <= bytes {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(bytes.saturating_sub(MARK.len()));
    format!("{}{MARK}", text.get(..end).unwrap_or_default())
}
