//! The `content` of a tool call whose arguments stream in as JSON, decoded as it comes.
//!
//! Must never guess content: what is not plainly there is reported as missing, with the byte at which it ends. Each byte is
//! looked at once, wherever the chunks are cut.

mod scanner;
mod string;

#[cfg(test)]
mod scanner_tests;

pub use scanner::{ArgsError, BoundedText, FieldScanner};
