//! Scans the object around the content: its keys, its small values, and whether it is whole.

use engross_protocol::Code;
use serde_json::{Map, Value};

use super::string::{Piece, StringDecoder};
use crate::codes;

/// The longest key, in bytes.
const KEY: usize = 256;
/// What the small fields may have together, in bytes.
const SMALL: usize = 64 << 10;

/// The fields beside the content.
pub type BoundedText = Map<String, Value>;

/// Arguments that are not a whole call.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ArgsError {
    /// They end before the content has begun.
    #[error(
        "the arguments end at byte {at}, before any content: begin a write session and send the content as text"
    )]
    ContentMissing {
        /// Bytes received.
        at: u64,
    },
    /// They end inside the content, or before the object is closed.
    #[error(
        "the arguments break off at byte {at}, after {content} bytes of content: go on with the content as text from there"
    )]
    Incomplete {
        /// Bytes received.
        at: u64,
        /// Bytes of content so far.
        content: u64,
    },
    /// They are not the JSON object of this call.
    #[error(
        "the arguments are wrong at byte {at}, after {content} bytes of content: {problem}; nothing is guessed: send them again"
    )]
    Invalid {
        /// Where.
        at: u64,
        /// Bytes of content before it. What was taken for content may be wrong at its end.
        content: u64,
        /// What is wrong.
        problem: String,
    },
}

impl ArgsError {
    /// The row of its code.
    #[must_use]
    pub fn row(&self) -> &'static Code {
        match self {
            Self::ContentMissing { .. } => codes::CONTENT_MISSING_TRUNCATED,
            Self::Incomplete { .. } => codes::INCOMPLETE,
            Self::Invalid { .. } => codes::ARGS_INVALID,
        }
    }
}

/// Where in the object the stream stands.
#[derive(Debug, Clone)]
enum ScanPosition {
    /// Before the object.
    Start,
    /// Before a key; whether one must come.
    Key(bool),
    InKey(StringDecoder),
    Colon,
    Value,
    Content(StringDecoder),
    Other(RawSpan),
    /// Behind a value.
    Comma,
    End,
}

/// A value that is kept as it is written.
#[derive(Debug, Clone, Copy, Default)]
struct RawSpan {
    depth: u32,
    string: bool,
    escaped: bool,
}

/// Reads one call's arguments.
#[derive(Debug, Clone)]
pub struct FieldScanner {
    content: &'static str,
    others: &'static [&'static str],
    at: ScanPosition,
    key: Vec<u8>,
    raw: Vec<u8>,
    small: BoundedText,
    seen_content: bool,
    received: u64,
    decoded: u64,
    failed: Option<ArgsError>,
}

impl FieldScanner {
    /// A scanner for an object that has a string `content`, and none but `others` beside it.
    #[must_use]
    pub fn new(content: &'static str, others: &'static [&'static str]) -> Self {
        Self {
            content,
            others,
            at: ScanPosition::Start,
            key: Vec::new(),
            raw: Vec::new(),
            small: BoundedText::new(),
            seen_content: false,
            received: 0,
            decoded: 0,
            failed: None,
        }
    }

    /// Takes a chunk, and gives `out` the content in it, decoded.
    ///
    /// # Errors
    /// [`ArgsError::Invalid`] at the first byte that is wrong, and from then on.
    pub fn push(&mut self, chunk: &[u8], out: &mut impl FnMut(&[u8])) -> Result<(), ArgsError> {
        let mut rest = chunk;
        while let (None, Some(&byte)) = (&self.failed, rest.first()) {
            let taken = self.take(byte, rest, out);
            self.received += taken as u64;
            rest = &rest[taken..];
        }
        self.failed.clone().map_or(Ok(()), Err)
    }

    /// The small fields so far.
    #[must_use]
    pub fn small(&self) -> &BoundedText {
        &self.small
    }

    /// Bytes of content so far.
    #[must_use]
    pub fn decoded(&self) -> u64 {
        self.decoded
    }

    /// Whether the object is closed.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        matches!(self.at, ScanPosition::End)
    }

    /// The arguments are over.
    ///
    /// # Errors
    /// When they are not a whole object with a content.
    pub fn finish(self) -> Result<BoundedText, ArgsError> {
        let (at, content) = (self.received, self.decoded);
        match (self.failed, self.at, self.seen_content) {
            (Some(error), ..) => Err(error),
            (None, ScanPosition::End, true) => Ok(self.small),
            (None, ScanPosition::End, false) => {
                Err(ArgsError::Invalid { at, content, problem: format!("there is no '{}'", self.content) })
            }
            (None, _, true) => Err(ArgsError::Incomplete { at, content }),
            (None, _, false) => Err(ArgsError::ContentMissing { at }),
        }
    }

    fn fail(&mut self, offset: usize, problem: impl Into<String>) -> usize {
        let at = self.received + offset as u64;
        self.failed = Some(ArgsError::Invalid { at, content: self.decoded, problem: problem.into() });
        offset
    }

    /// Takes some bytes of `rest`, which begins with `byte`.
    fn take(&mut self, byte: u8, rest: &[u8], out: &mut impl FnMut(&[u8])) -> usize {
        let blank = matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
        match &mut self.at {
            ScanPosition::Start
            | ScanPosition::Key(_)
            | ScanPosition::Colon
            | ScanPosition::Value
            | ScanPosition::Comma
            | ScanPosition::End
                if blank =>
            {
                1
            }
            ScanPosition::Content(decoder) => {
                let decoded = &mut self.decoded;
                let piece = decoder.push(rest, &mut |span| {
                    *decoded += span.len() as u64;
                    out(span);
                });
                match piece {
                    Piece::All => rest.len(),
                    Piece::Closed(taken) => {
                        self.at = ScanPosition::Comma;
                        taken
                    }
                    Piece::BadEscape(good) => {
                        self.fail(good, "the content holds an escape that JSON does not know")
                    }
                }
            }
            ScanPosition::InKey(decoder) => {
                let key = &mut self.key;
                match decoder.push(rest, &mut |span| key.extend_from_slice(span)) {
                    Piece::BadEscape(good) => {
                        self.fail(good, "a key holds an escape that JSON does not know")
                    }
                    Piece::All if self.key.len() > KEY => self.fail(0, "a key is too long"),
                    Piece::All => rest.len(),
                    Piece::Closed(taken) => self.end_key(taken),
                }
            }
            ScanPosition::Other(_) => self.take_raw(rest),
            ScanPosition::Start if byte == b'{' => self.go(ScanPosition::Key(false)),
            ScanPosition::Key(_) if byte == b'"' => {
                self.key.clear();
                self.go(ScanPosition::InKey(StringDecoder::default()))
            }
            ScanPosition::Key(false) if byte == b'}' => self.go(ScanPosition::End),
            ScanPosition::Colon if byte == b':' => self.go(ScanPosition::Value),
            ScanPosition::Value if self.key == self.content.as_bytes() => {
                if byte != b'"' {
                    return self.fail(0, format!("'{}' is no string", self.content));
                }
                self.seen_content = true;
                self.go(ScanPosition::Content(StringDecoder::default()))
            }
            ScanPosition::Value => {
                self.raw.clear();
                self.at = ScanPosition::Other(RawSpan::default());
                0
            }
            ScanPosition::Comma if byte == b',' => self.go(ScanPosition::Key(true)),
            ScanPosition::Comma if byte == b'}' => self.go(ScanPosition::End),
            ScanPosition::End => self.fail(0, "something follows the object"),
            ScanPosition::Comma => {
                self.fail(0, "a value is followed by neither a comma nor the end of the object")
            }
            ScanPosition::Start | ScanPosition::Key(_) | ScanPosition::Colon => {
                self.fail(0, "this is not a JSON object")
            }
        }
    }

    fn go(&mut self, at: ScanPosition) -> usize {
        self.at = at;
        1
    }

    fn end_key(&mut self, taken: usize) -> usize {
        let key = String::from_utf8_lossy(&self.key).into_owned();
        let known = key == self.content || self.others.contains(&key.as_str());
        let twice = if key == self.content { self.seen_content } else { self.small.contains_key(&key) };
        self.at = ScanPosition::Colon;
        match (known, twice) {
            (true, false) => taken,
            (true, true) => self.fail(0, format!("'{key}' comes twice")),
            (false, _) => {
                let key: String = key.chars().take(40).collect();
                self.fail(0, format!("'{key}' is no field of this call"))
            }
        }
    }

    fn take_raw(&mut self, rest: &[u8]) -> usize {
        let ScanPosition::Other(raw) = &mut self.at else { return 0 };
        for (index, &byte) in rest.iter().enumerate() {
            let closes = matches!(byte, b'}' | b']' | b',') && !raw.string && raw.depth == 0;
            if closes {
                return self.end_raw(index);
            }
            match byte {
                _ if raw.escaped => raw.escaped = false,
                b'\\' if raw.string => raw.escaped = true,
                b'"' => raw.string = !raw.string,
                _ if raw.string => {}
                b'{' | b'[' => raw.depth += 1,
                b'}' | b']' => raw.depth -= 1,
                _ => {}
            }
            self.raw.push(byte);
            if self.raw.len() > SMALL {
                return self.fail(index, "a field beside the content is too long");
            }
        }
        rest.len()
    }

    fn end_raw(&mut self, taken: usize) -> usize {
        match serde_json::from_slice(&self.raw) {
            Ok(value) => {
                let key = String::from_utf8_lossy(&self.key).into_owned();
                self.small.insert(key, value);
                self.at = ScanPosition::Comma;
                taken
            }
            Err(_) => {
                let key = String::from_utf8_lossy(&self.key).into_owned();
                self.fail(taken, format!("the value of '{key}' is no JSON"))
            }
        }
    }
}
