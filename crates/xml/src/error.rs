//! Why a text was refused, and where.

use std::fmt;

/// A place in the text, counted in Unicode characters from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// Byte offset in the text (after transcoding to UTF-8), from 0.
    pub offset: usize,
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1.
    pub column: usize,
}

/// A refused text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{kind} at line {}, column {}", .at.line, .at.column)]
pub struct Error {
    /// What is wrong.
    pub kind: ErrorKind,
    /// Where.
    pub at: Position,
}

/// What is wrong with a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ErrorKind {
    /// Not well-formed (XML 1.0 §2.1, Namespaces in XML 1.0 §6); the text says how.
    Malformed(&'static str),
    /// An end tag that does not match; holds the open element's name.
    Mismatch(String),
    /// A DOCTYPE, which Office documents never need and attackers do.
    Doctype,
    /// An entity other than the five predefined ones.
    UnknownEntity,
    /// Neither UTF-8 nor UTF-16, or broken.
    XmlEncoding,
    /// Elements nested deeper than [`crate::Limits::depth`].
    TooDeep,
    /// More bytes or nodes than [`crate::Limits`] allows.
    TooLarge,
    /// More attributes on one element than [`crate::Limits::attributes`].
    TooManyAttributes,
}

impl Error {
    /// The stable code: see `docs/errors/`.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self.kind {
            ErrorKind::Malformed(_) | ErrorKind::Mismatch(_) | ErrorKind::UnknownEntity => "XML_MALFORMED",
            ErrorKind::Doctype => "XML_DOCTYPE",
            ErrorKind::XmlEncoding => "XML_ENCODING",
            ErrorKind::TooDeep | ErrorKind::TooLarge | ErrorKind::TooManyAttributes => "XML_LIMIT",
        }
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed(how) => f.write_str(how),
            Self::Mismatch(name) => write!(f, "the element <{name}> is not closed by its own end tag"),
            Self::Doctype => f.write_str("a DOCTYPE is not allowed"),
            Self::UnknownEntity => f.write_str("an entity that XML does not define"),
            Self::XmlEncoding => f.write_str("the text is neither valid UTF-8 nor valid UTF-16"),
            Self::TooDeep => f.write_str("elements are nested too deeply"),
            Self::TooLarge => f.write_str("the text is too large"),
            Self::TooManyAttributes => f.write_str("an element has too many attributes"),
        }
    }
}

/// Finds line and column of `offset` in `text`.
pub(crate) fn position(text: &[u8], offset: usize) -> Position {
    let before = text.get(..offset).unwrap_or(text);
    let line_start = memchr::memrchr(b'\n', before).map_or(0, |at| at + 1);
    let line = memchr::memchr_iter(b'\n', before).count() + 1;
    let characters = before.iter().skip(line_start).filter(|byte| (**byte & 0xC0) != 0x80).count();
    Position { offset, line, column: characters + 1 }
}
