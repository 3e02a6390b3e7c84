//! Patches a file by a body of text: its place is named at the beginning, the body comes as content.
//!
//! Must never guess a place: what is not found once is refused. The body takes the line ends of the file.
//!
//! | File | Question it answers |
//! |---|---|
//! | `spec` | where does the body go, and why does it not fit? |
//! | `text` | what are the lines of the file, whatever ends them? |
//! | `apply` | what is the file then? |
//! | `diff` | what has changed, and in which lines? |

mod apply;
mod diff;
mod spec;
mod text;

#[cfg(test)]
mod apply_tests;
#[cfg(test)]
mod model_tests;

pub use apply::apply;
pub use diff::unified_diff;
pub use spec::{PatchError, PatchSpec};
pub use text::{LineEndStyle, with_line_end};
