//! Write sessions: a file streamed as text, delivered whole or loudly incomplete.
//!
//! Must never know the time by itself, or guess content. Start at [`session`], which does no I/O: `framing` says
//! where a file ends, `continuation` how pieces join, `cleaning` what around it is not of the file, `validate` what is wrong with it. [`runner`] does what a session says,
//! on disk, for many of them.

pub mod cleaning;
pub mod codes;
pub mod continuation;
mod error;
pub mod framing;
mod joint;
pub mod json_field;
pub mod patch;
pub mod runner;
pub mod session;
pub mod validate;

#[cfg(test)]
mod error_tests;

pub use error::{Error, WriteFailure};
pub use joint::Joint;
