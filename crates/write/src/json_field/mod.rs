//! Decodes the `content` of a tool call whose arguments stream in as JSON, as it comes.
//!
//! Must never guess content: what is not plainly there is reported as missing, with the byte at which it ends. Each byte is
//! read once, wherever the chunks are cut. Own code on purpose: parsers of libraries give a string only when it has ended.

mod scanner;
mod string;

#[cfg(test)]
mod scanner_tests;

pub use scanner::{ArgsError, BoundedText, FieldScanner};
