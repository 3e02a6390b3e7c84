//! Moves forward through a JSON text, value by value.

use memchr::memchr2;

use super::Text;

/// How deep arrays and objects may stand in each other.
const DEPTH: usize = 512;

/// What is wrong with a JSON text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SyntaxErrorKind {
    /// It ends before it is whole.
    Ended,
    /// Something else stands where a value, a key or a separator must.
    Unexpected,
    /// `NaN`, `Infinity` or `-Infinity`, which JSON does not have.
    NotANumber,
    /// A control character or a bad escape in a string.
    BadString,
    /// Nested deeper than is read.
    TooDeep,
}

/// What is wrong, and at which byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ParseError {
    pub(crate) at: usize,
    pub(crate) wrong: SyntaxErrorKind,
}

/// What was noticed on the way and is no error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct StringFindings {
    /// An escape stands for half a surrogate pair.
    pub(crate) lone_surrogate: bool,
    /// An escape stands for U+2028, U+2029 or U+0085.
    pub(crate) line_separator: bool,
    /// An escape stands for NUL, VT, FF or FS.
    pub(crate) control: bool,
    /// A key that matters stands twice; the last one wins.
    pub(crate) duplicate_key: bool,
}

/// Reads forward through one JSON text.
#[derive(Debug)]
pub(crate) struct Cursor<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    /// Whether control characters stand anywhere, so that strings must be looked through for them.
    has_control: bool,
    pub(crate) notes: StringFindings,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        let bytes = text.as_bytes();
        let has_control = bytes.iter().fold(u8::MAX, |least, byte| least.min(*byte)) < 0x20;
        Self { text, bytes, at: 0, has_control, notes: StringFindings::default() }
    }

    /// The next byte behind white space, without taking it.
    pub(crate) fn peek(&mut self) -> Result<u8, ParseError> {
        loop {
            match self.bytes.get(self.at) {
                Some(b' ' | b'\t' | b'\n' | b'\r') => self.at += 1,
                Some(byte) => return Ok(*byte),
                None => return Err(self.fault(SyntaxErrorKind::Ended)),
            }
        }
    }

    /// Nothing but white space may follow.
    pub(crate) fn end(&mut self) -> Result<(), ParseError> {
        match self.peek() {
            Ok(_) => Err(self.fault(SyntaxErrorKind::Unexpected)),
            Err(_) => Ok(()),
        }
    }

    /// Enters an object; `None` when the next value is something else, which stays to be read.
    pub(crate) fn object(&mut self) -> Result<Option<Object>, ParseError> {
        Ok(self.enter(b'{')?.then_some(Object { is_first: true }))
    }

    /// Enters an array; `None` when the next value is something else, which stays to be read.
    pub(crate) fn array(&mut self) -> Result<Option<Array>, ParseError> {
        Ok(self.enter(b'[')?.then_some(Array { is_first: true }))
    }

    /// The next key of `object`, after which its value must be read; `None` at its end.
    pub(crate) fn next_key(&mut self, object: &mut Object) -> Result<Option<Text<'a>>, ParseError> {
        let is_first = std::mem::replace(&mut object.is_first, false);
        if !self.goes_on(is_first, b'}')? {
            return Ok(None);
        }
        self.key().map(Some)
    }

    /// Whether `array` has another item, which must then be read.
    pub(crate) fn next_item(&mut self, array: &mut Array) -> Result<bool, ParseError> {
        let is_first = std::mem::replace(&mut array.is_first, false);
        self.goes_on(is_first, b']')
    }

    /// Reads a value; gives it if it is a string.
    pub(crate) fn text(&mut self) -> Result<Option<Text<'a>>, ParseError> {
        if self.peek()? == b'"' {
            return self.string().map(Some);
        }
        self.skip()?;
        Ok(None)
    }

    /// Reads a value; gives it if it is `true` or `false`.
    pub(crate) fn boolean(&mut self) -> Result<Option<bool>, ParseError> {
        Ok(match self.raw()? {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        })
    }

    /// Reads a value; gives its text.
    pub(crate) fn raw(&mut self) -> Result<&'a str, ParseError> {
        self.peek()?;
        let begin = self.at;
        self.skip()?;
        Ok(self.text.get(begin..self.at).unwrap_or_default())
    }

    /// Reads past a value.
    pub(crate) fn skip(&mut self) -> Result<(), ParseError> {
        let mut open = Nesting::default();
        loop {
            match self.peek()? {
                b'{' => {
                    self.at += 1;
                    if !self.take(b'}')? {
                        open.push(true).map_err(|wrong| self.fault(wrong))?;
                        self.key()?;
                        continue;
                    }
                }
                b'[' => {
                    self.at += 1;
                    if !self.take(b']')? {
                        open.push(false).map_err(|wrong| self.fault(wrong))?;
                        continue;
                    }
                }
                byte => self.scalar(byte)?,
            }
            // A value is over: close what it closes, or go on to the next one.
            loop {
                let Some(is_object) = open.top() else { return Ok(()) };
                match (self.peek()?, is_object) {
                    (b',', _) => {
                        self.at += 1;
                        if is_object {
                            self.key()?;
                        }
                        break;
                    }
                    (b'}', true) | (b']', false) => {
                        self.at += 1;
                        open.pop();
                    }
                    _ => return Err(self.fault(SyntaxErrorKind::Unexpected)),
                }
            }
        }
    }

    fn enter(&mut self, bracket: u8) -> Result<bool, ParseError> {
        let is_it = self.peek()? == bracket;
        self.at += usize::from(is_it);
        Ok(is_it)
    }

    fn take(&mut self, wanted: u8) -> Result<bool, ParseError> {
        self.enter(wanted)
    }

    fn goes_on(&mut self, is_first: bool, close: u8) -> Result<bool, ParseError> {
        match self.peek()? {
            byte if byte == close => {
                self.at += 1;
                Ok(false)
            }
            b',' if !is_first => {
                self.at += 1;
                // What follows a comma is read as a value or key, so that `[1,]` fails there.
                Ok(true)
            }
            _ if is_first => Ok(true),
            _ => Err(self.fault(SyntaxErrorKind::Unexpected)),
        }
    }

    fn key(&mut self) -> Result<Text<'a>, ParseError> {
        if self.peek()? != b'"' {
            return Err(self.fault(SyntaxErrorKind::Unexpected));
        }
        let key = self.string()?;
        if self.peek()? != b':' {
            return Err(self.fault(SyntaxErrorKind::Unexpected));
        }
        self.at += 1;
        Ok(key)
    }

    fn scalar(&mut self, first: u8) -> Result<(), ParseError> {
        match first {
            b'"' => self.string().map(|_| ()),
            b't' => self.word("true"),
            b'f' => self.word("false"),
            b'n' => self.word("null"),
            b'-' | b'0'..=b'9' => self.number(),
            b'N' | b'I' => Err(self.fault(SyntaxErrorKind::NotANumber)),
            _ => Err(self.fault(SyntaxErrorKind::Unexpected)),
        }
    }

    fn word(&mut self, word: &str) -> Result<(), ParseError> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        if rest.starts_with(word.as_bytes()) {
            self.at += word.len();
            return Ok(());
        }
        let is_cut = word.as_bytes().starts_with(rest);
        Err(self.fault(if is_cut { SyntaxErrorKind::Ended } else { SyntaxErrorKind::Unexpected }))
    }

    fn number(&mut self) -> Result<(), ParseError> {
        self.at += usize::from(self.byte() == Some(b'-'));
        match self.byte() {
            Some(b'0') => self.at += 1,
            Some(b'1'..=b'9') => self.digits()?,
            Some(b'I') => return Err(self.fault(SyntaxErrorKind::NotANumber)),
            _ => return Err(self.unexpected()),
        }
        if self.byte() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.byte(), Some(b'e' | b'E')) {
            self.at += 1;
            self.at += usize::from(matches!(self.byte(), Some(b'+' | b'-')));
            self.digits()?;
        }
        Ok(())
    }

    fn digits(&mut self) -> Result<(), ParseError> {
        if !self.byte().is_some_and(|byte| byte.is_ascii_digit()) {
            return Err(self.unexpected());
        }
        while self.byte().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        Ok(())
    }

    /// Reads a string; its opening quote is the next byte.
    fn string(&mut self) -> Result<Text<'a>, ParseError> {
        self.at += 1;
        let begin = self.at;
        let mut escaped = false;
        loop {
            let rest = self.bytes.get(self.at..).unwrap_or_default();
            let Some(length) = memchr2(b'"', b'\\', rest) else {
                self.at = self.bytes.len();
                return Err(self.fault(SyntaxErrorKind::Ended));
            };
            if self.has_control {
                let run = rest.get(..length).unwrap_or_default();
                if let Some(control) = run.iter().position(|byte| *byte < 0x20) {
                    self.at += control;
                    return Err(self.fault(SyntaxErrorKind::BadString));
                }
            }
            self.at += length;
            if self.byte() == Some(b'"') {
                let raw = self.text.get(begin..self.at).unwrap_or_default();
                self.at += 1;
                return Ok(Text::new(raw, escaped));
            }
            escaped = true;
            self.escape()?;
        }
    }

    /// Checks an escape; its backslash is the next byte.
    fn escape(&mut self) -> Result<(), ParseError> {
        self.at += 1;
        match self.byte() {
            Some(b'"' | b'\\' | b'/' | b'b' | b'n' | b'r' | b't') => self.at += 1,
            Some(b'f') => {
                self.at += 1;
                self.notes.control = true;
            }
            Some(b'u') => {
                self.at += 1;
                let unit = self.unit()?;
                self.note(unit)?;
            }
            Some(_) => return Err(self.fault(SyntaxErrorKind::BadString)),
            None => return Err(self.fault(SyntaxErrorKind::Ended)),
        }
        Ok(())
    }

    /// Four hexadecimal digits.
    fn unit(&mut self) -> Result<u16, ParseError> {
        let mut unit = 0;
        for _ in 0..4 {
            let byte = self.byte().ok_or(ParseError { at: self.at, wrong: SyntaxErrorKind::Ended })?;
            let digit = char::from(byte).to_digit(16).ok_or(self.fault(SyntaxErrorKind::BadString))?;
            unit = unit << 4 | digit;
            self.at += 1;
        }
        Ok(u16::try_from(unit).unwrap_or_default())
    }

    fn note(&mut self, unit: u16) -> Result<(), ParseError> {
        match unit {
            0x2028 | 0x2029 | 0x85 => self.notes.line_separator = true,
            0x00 | 0x0b | 0x0c | 0x1c => self.notes.control = true,
            0xdc00..=0xdfff => self.notes.lone_surrogate = true,
            0xd800..=0xdbff => {
                let rest = self.bytes.get(self.at..).unwrap_or_default();
                if !rest.starts_with(b"\\u") {
                    self.notes.lone_surrogate = true;
                    return Ok(());
                }
                let before = self.at;
                self.at += 2;
                if !(0xdc00..=0xdfff).contains(&self.unit()?) {
                    self.notes.lone_surrogate = true;
                    // The second escape is read for itself.
                    self.at = before;
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn byte(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn unexpected(&self) -> ParseError {
        self.fault(if self.at >= self.bytes.len() {
            SyntaxErrorKind::Ended
        } else {
            SyntaxErrorKind::Unexpected
        })
    }

    fn fault(&self, wrong: SyntaxErrorKind) -> ParseError {
        ParseError { at: self.at, wrong }
    }
}

/// An object that is being read.
#[derive(Debug)]
pub(crate) struct Object {
    is_first: bool,
}

/// An array that is being read.
#[derive(Debug)]
pub(crate) struct Array {
    is_first: bool,
}

/// Which brackets are open: a bit each, set for an object.
#[derive(Debug, Default)]
struct Nesting {
    bits: [u64; DEPTH / 64],
    depth: usize,
}

impl Nesting {
    fn push(&mut self, is_object: bool) -> Result<(), SyntaxErrorKind> {
        let word = self.bits.get_mut(self.depth / 64).ok_or(SyntaxErrorKind::TooDeep)?;
        let bit = 1 << (self.depth % 64);
        *word = if is_object { *word | bit } else { *word & !bit };
        self.depth += 1;
        Ok(())
    }

    fn pop(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    fn top(&self) -> Option<bool> {
        let last = self.depth.checked_sub(1)?;
        Some(self.bits.get(last / 64)? >> (last % 64) & 1 == 1)
    }
}

/// The keys of one object that were read, by their numbers.
#[derive(Debug, Default)]
pub(crate) struct KeySet(u32);

impl KeySet {
    /// Adds the key with this number; says whether it was there before.
    pub(crate) fn again(&mut self, key: u32) -> bool {
        let bit = 1 << key;
        let was = self.0 & bit != 0;
        self.0 |= bit;
        was
    }
}
