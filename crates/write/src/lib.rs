//! Write sessions: a file streamed as text, delivered whole or loudly incomplete.
//!
//! Must never do I/O, know the time, or guess content. Start at [`session::Session`]; `framing` says where a file ends,
//! `continuation` how pieces join, `validate` what is wrong with it.

pub mod continuation;
mod error;
pub mod framing;
pub mod json_field;
pub mod patch;
pub mod session;
pub mod validate;

#[cfg(test)]
mod error_tests;

pub use error::{CODES, Error, Problem};
