//! Bytes as lower-case hexadecimal digits, and back.
//!
//! Must never accept a sign, a blank or half a byte.

use std::fmt::Write as _;

/// Two lower-case digits for each byte.
#[must_use]
pub fn encode(bytes: impl AsRef<[u8]>) -> String {
    let bytes = bytes.as_ref();
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// The digits of the first `count` bytes, for a short name of a hash.
#[must_use]
pub fn encode_prefix(bytes: impl AsRef<[u8]>, count: usize) -> String {
    let bytes = bytes.as_ref();
    encode(bytes.get(..count).unwrap_or(bytes))
}

/// `N` bytes from exactly `2 * N` digits, upper or lower case; `None` for anything else.
#[must_use]
pub fn decode<const N: usize>(text: &str) -> Option<[u8; N]> {
    if text.len() != 2 * N || !text.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    let mut bytes = [0; N];
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(text.get(at * 2..at * 2 + 2)?, 16).ok()?;
    }
    Some(bytes)
}
