//! Checks UTF-8 across chunks.
//!
//! At most three bytes are carried from one chunk to the next. Own code on purpose: decoders of libraries want the whole text, or copy it.

use serde::{Deserialize, Serialize};

/// Below this length the standard library is faster than vector instructions.
const SHORT: usize = 64;

/// What to do with bytes that are not UTF-8.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum TextEncoding {
    /// Refuse them.
    #[default]
    #[serde(rename = "utf-8", alias = "utf8", alias = "strict")]
    Strict,
    /// Put U+FFFD in their place, and count.
    #[serde(rename = "replace")]
    Replace,
}

/// Bytes that are not UTF-8.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "byte {offset} of the stream is not UTF-8: send UTF-8, or begin the session with encoding \"replace\""
)]
pub struct InvalidUtf8 {
    /// Where the first of them stands, in bytes received.
    pub offset: u64,
}

/// The unfinished code point at the end of what came so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct PartialCharacter {
    bytes: [u8; 4],
    length: u8,
}

/// What the next bytes begin with.
pub(super) enum Next {
    /// So many bytes of whole code points.
    Valid(usize),
    /// So many bytes that no code point begins with.
    Invalid(usize),
    /// An unfinished code point, to the end.
    Unfinished,
}

impl PartialCharacter {
    #[inline]
    pub(super) fn is_empty(self) -> bool {
        self.length == 0
    }

    #[inline]
    pub(super) fn len(self) -> usize {
        usize::from(self.length)
    }

    #[inline]
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes[..self.len()]
    }

    /// Adds bytes; four are the longest code point, and there are never more.
    #[inline]
    pub(super) fn push(&mut self, bytes: &[u8]) {
        for (place, byte) in self.bytes.iter_mut().skip(usize::from(self.length)).zip(bytes) {
            *place = *byte;
            self.length += 1;
        }
    }
}

/// What `bytes`, which is not empty, begins with.
#[inline]
pub(super) fn next(bytes: &[u8]) -> Next {
    if bytes.len() < SHORT {
        return match std::str::from_utf8(bytes) {
            Ok(_) => Next::Valid(bytes.len()),
            Err(error) if error.valid_up_to() > 0 => Next::Valid(error.valid_up_to()),
            Err(error) => error.error_len().map_or(Next::Unfinished, Next::Invalid),
        };
    }
    match simdutf8::compat::from_utf8(bytes) {
        Ok(_) => Next::Valid(bytes.len()),
        Err(error) if error.valid_up_to() > 0 => Next::Valid(error.valid_up_to()),
        Err(error) => error.error_len().map_or(Next::Unfinished, Next::Invalid),
    }
}
