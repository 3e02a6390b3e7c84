//! Decodes the inside of a JSON string piece by piece.

use memchr::memchr2;

/// Where in an escape the stream stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum EscapeState {
    #[default]
    None,
    Backslash,
    /// Digits so far, their value, and the high half before.
    Hex(u8, u16, Option<u16>),
    /// A high half, then its low half's backslash.
    High(u16, bool),
}

/// Decodes one string, after its opening quote.
#[derive(Debug, Clone, Default)]
pub(super) struct StringDecoder {
    escape: EscapeState,
}

/// What a piece of a string came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Piece {
    /// All of it belongs to the string.
    All,
    /// The string is closed; so many bytes were taken, the quote included.
    Closed(usize),
    /// No string goes on like this; so many bytes were good.
    BadEscape(usize),
}

impl StringDecoder {
    /// Takes a piece, and gives `out` what it stands for. Raw control characters are taken as they are.
    pub(super) fn push(&mut self, piece: &[u8], out: &mut impl FnMut(&[u8])) -> Piece {
        let mut at = 0;
        while let Some(&byte) = piece.get(at) {
            if self.escape == EscapeState::None {
                let plain = memchr2(b'"', b'\\', &piece[at..]).unwrap_or(piece.len() - at);
                if plain > 0 {
                    out(&piece[at..at + plain]);
                    at += plain;
                    continue;
                }
                if byte == b'"' {
                    return Piece::Closed(at + 1);
                }
                self.escape = EscapeState::Backslash;
            } else if !self.escaped(byte, out) {
                return Piece::BadEscape(at);
            }
            at += 1;
        }
        Piece::All
    }

    fn escaped(&mut self, byte: u8, out: &mut impl FnMut(&[u8])) -> bool {
        let next = match (self.escape, byte) {
            (EscapeState::Backslash, b'u') => EscapeState::Hex(0, 0, None),
            (EscapeState::Backslash, _) => {
                let Some(plain) = short(byte) else { return false };
                out(&[plain]);
                EscapeState::None
            }
            (EscapeState::High(high, false), b'\\') => EscapeState::High(high, true),
            (EscapeState::High(high, true), b'u') => EscapeState::Hex(0, 0, Some(high)),
            (EscapeState::Hex(digits, value, high), _) => {
                let Some(digit) = char::from(byte).to_digit(16).and_then(|digit| u16::try_from(digit).ok())
                else {
                    return false;
                };
                let value = value << 4 | digit;
                if digits < 3 {
                    EscapeState::Hex(digits + 1, value, high)
                } else {
                    return self.unit(value, high, out);
                }
            }
            _ => return false,
        };
        self.escape = next;
        true
    }

    /// A whole UTF-16 unit has come.
    fn unit(&mut self, value: u16, high: Option<u16>, out: &mut impl FnMut(&[u8])) -> bool {
        self.escape = EscapeState::None;
        if high.is_none() && (0xD800..0xDC00).contains(&value) {
            self.escape = EscapeState::High(value, false);
            return true;
        }
        let units = high.into_iter().chain([value]);
        let decoded: Result<String, _> = char::decode_utf16(units).collect();
        decoded.is_ok_and(|text| {
            out(text.as_bytes());
            true
        })
    }
}

fn short(byte: u8) -> Option<u8> {
    Some(match byte {
        b'"' | b'\\' | b'/' => byte,
        b'b' => 8,
        b'f' => 12,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        _ => return None,
    })
}
