//! Reads JSON by RFC 8259 without a copy: one pass that checks every byte and keeps spans.
//!
//! Must never allocate for what is skipped, recurse by the input's depth, or mend what is wrong. Own code on purpose: transcripts
//! need what the usual parsers do not give: lone surrogates and integers of any length survive, and a key that stands twice is noticed
//! (`docs/design/learning.md`).

mod cursor;
mod text;

#[cfg(test)]
mod cursor_tests;
#[cfg(test)]
mod text_tests;

pub(crate) use cursor::{Cursor, KeySet, ParseError, StringFindings, SyntaxErrorKind};
pub use text::Text;
