//! Patches a file by a body of text: its place is named at the beginning, the body comes as content.
//!
//! Must never guess a place: what is not found once is refused. The body takes the line ends of the file.

mod apply;
mod spec;

#[cfg(test)]
mod apply_tests;

pub use apply::apply;
pub use spec::{PatchError, PatchSpec};
