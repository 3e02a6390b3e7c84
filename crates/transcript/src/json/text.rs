//! A string as it stands in a JSON text.

use std::borrow::Cow;

use memchr::memchr;

/// A checked JSON string, without its quotes and with its escapes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Text<'a> {
    raw: &'a str,
    escaped: bool,
}

impl<'a> Text<'a> {
    pub(crate) fn new(raw: &'a str, escaped: bool) -> Self {
        Self { raw, escaped }
    }

    /// A string that has no escapes.
    pub(crate) fn plain(raw: &'a str) -> Self {
        Self { raw, escaped: false }
    }

    /// As it stands between the quotes.
    #[must_use]
    pub fn raw(&self) -> &'a str {
        self.raw
    }

    /// Whether it has no characters.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.raw.is_empty()
    }

    /// What it says. Half a surrogate pair becomes U+FFFD.
    #[must_use]
    pub fn decode(&self) -> Cow<'a, str> {
        if !self.escaped {
            return Cow::Borrowed(self.raw);
        }
        let mut out = String::with_capacity(self.raw.len());
        self.pieces(|piece| match piece {
            Piece::Plain(text) => out.push_str(text),
            Piece::Code(code) => out.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)),
        });
        Cow::Owned(out)
    }

    /// What it says, half a surrogate pair as the three bytes that UTF-8 would have for it.
    #[must_use]
    pub fn bytes(&self) -> Cow<'a, [u8]> {
        if !self.escaped {
            return Cow::Borrowed(self.raw.as_bytes());
        }
        let mut out = Vec::with_capacity(self.raw.len());
        self.pieces(|piece| match piece {
            Piece::Plain(text) => out.extend_from_slice(text.as_bytes()),
            Piece::Code(code) => match char::from_u32(code) {
                Some(char) => out.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes()),
                None => {
                    out.extend([code >> 12 | 0xe0, code >> 6 & 0x3f | 0x80, code & 0x3f | 0x80].map(byte));
                }
            },
        });
        Cow::Owned(out)
    }

    /// How many code points it has, half a surrogate pair counting as one.
    #[must_use]
    pub fn chars(&self) -> usize {
        let all = self.raw.chars().count();
        if !self.escaped {
            return all;
        }
        let mut surplus = 0;
        let mut rest = self.raw.as_bytes();
        while let Some(at) = memchr(b'\\', rest) {
            rest = rest.get(at..).unwrap_or_default();
            let length = if rest.get(1) == Some(&b'u') { code_point(rest).1 } else { 2 };
            surplus += length - 1;
            rest = rest.get(length..).unwrap_or_default();
        }
        all - surplus
    }

    /// Gives its pieces in order.
    fn pieces(&self, mut give: impl FnMut(Piece<'a>)) {
        let mut rest = self.raw;
        while let Some(at) = memchr(b'\\', rest.as_bytes()) {
            let (plain, escape) = rest.split_at(at);
            if !plain.is_empty() {
                give(Piece::Plain(plain));
            }
            let (code, length) = match escape.as_bytes().get(1) {
                Some(b'u') => code_point(escape.as_bytes()),
                Some(b'b') => (8, 2),
                Some(b'f') => (12, 2),
                Some(b'n') => (10, 2),
                Some(b'r') => (13, 2),
                Some(b't') => (9, 2),
                Some(other) => (u32::from(*other), 2),
                None => (u32::from(b'\\'), 1),
            };
            give(Piece::Code(code));
            rest = escape.get(length..).unwrap_or_default();
        }
        if !rest.is_empty() {
            give(Piece::Plain(rest));
        }
    }
}

/// Part of a string.
enum Piece<'a> {
    Plain(&'a str),
    /// A code point, perhaps half a surrogate pair.
    Code(u32),
}

/// The code point that the `\u` escape at the beginning of `bytes` stands for, and how many bytes say so.
fn code_point(bytes: &[u8]) -> (u32, usize) {
    let high = unit(bytes);
    if (0xd800..0xdc00).contains(&high) {
        let rest = bytes.get(6..).unwrap_or_default();
        if rest.starts_with(b"\\u") {
            let low = unit(rest);
            if (0xdc00..0xe000).contains(&low) {
                return (0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00), 12);
            }
        }
    }
    (high, 6)
}

fn unit(escape: &[u8]) -> u32 {
    let digits = escape.get(2..6).unwrap_or_default();
    digits.iter().fold(0, |unit, digit| unit << 4 | char::from(*digit).to_digit(16).unwrap_or_default())
}

fn byte(value: u32) -> u8 {
    u8::try_from(value).unwrap_or_default()
}
