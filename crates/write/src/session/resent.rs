//! Compares bytes that are sent again with those that were received.

use std::collections::VecDeque;

/// Bytes that are kept to be compared.
const KEPT: usize = 1 << 20;

/// The last bytes received, as they came.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct ResentBytes {
    bytes: VecDeque<u8>,
}

/// Why bytes that come again are not taken for the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mismatch {
    /// They are different.
    Differs,
    /// They came too long ago to be compared.
    Forgotten,
}

impl ResentBytes {
    pub(super) fn push(&mut self, bytes: &[u8]) {
        let bytes = &bytes[bytes.len().saturating_sub(KEPT)..];
        let over = (self.bytes.len() + bytes.len()).saturating_sub(KEPT);
        self.bytes.drain(..over);
        self.bytes.extend(bytes);
    }

    /// Whether `again`, which ended `back` bytes or less ago when its first byte came, is what came then.
    pub(super) fn check(&self, again: &[u8], back: u64) -> Result<(), Mismatch> {
        let back = usize::try_from(back).map_err(|_| Mismatch::Forgotten)?;
        let start = self.bytes.len().checked_sub(back).ok_or(Mismatch::Forgotten)?;
        let same = self.bytes.iter().skip(start).zip(again).all(|(kept, again)| kept == again);
        if same { Ok(()) } else { Err(Mismatch::Differs) }
    }
}
