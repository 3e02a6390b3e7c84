//! A hash of a text without its blanks and line ends, so that a file that comes once more is known again at any length.

use serde::{Deserialize, Serialize};

const FNV_START: u64 = 0xcbf2_9ce4_8422_2325;
const FNV_PRIME: u64 = 0x0000_0100_0000_01b3;
/// By which a byte is taken back: the product with the prime is 1.
const FNV_BACK: u64 = 0xce96_5057_aff6_957b;

/// The bytes of a text that are no blanks: how many, and their hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PlainDigest {
    count: u64,
    hash: u64,
}

impl Default for PlainDigest {
    fn default() -> Self {
        Self { count: 0, hash: FNV_START }
    }
}

impl PlainDigest {
    pub(super) fn of(text: &[u8]) -> Self {
        let mut digest = Self::default();
        digest.push(text);
        digest
    }

    /// Takes more of the text.
    pub(crate) fn push(&mut self, text: &[u8]) {
        for byte in text.iter().filter(|byte| !byte.is_ascii_whitespace()) {
            self.count += 1;
            self.hash = (self.hash ^ u64::from(*byte)).wrapping_mul(FNV_PRIME);
        }
    }

    /// The digest without `text`, which came last.
    pub(crate) fn without(mut self, text: &[u8]) -> Self {
        for byte in text.iter().rev().filter(|byte| !byte.is_ascii_whitespace()) {
            self.count = self.count.saturating_sub(1);
            self.hash = self.hash.wrapping_mul(FNV_BACK) ^ u64::from(*byte);
        }
        self
    }

    /// Takes `text` as far as there are no more bytes than in `whole`; gives how much that was.
    pub(super) fn push_up_to(&mut self, text: &[u8], whole: &Self) -> usize {
        for (at, byte) in text.iter().enumerate() {
            if self.count == whole.count {
                return at;
            }
            self.push(&[*byte]);
        }
        text.len()
    }

    pub(super) fn has_all(&self, whole: &Self) -> bool {
        self.count == whole.count
    }
}

#[cfg(test)]
#[test]
fn what_came_last_can_be_taken_back() {
    let text = b"a line of text\nand another one\n";
    assert_eq!(PlainDigest::of(text).without(b"another one\n"), PlainDigest::of(b"a line of text\nand "));
}
