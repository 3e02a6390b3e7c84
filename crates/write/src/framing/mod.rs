//! Finds where the file ends: bytes in any chunks go in, spans of content come out.
//!
//! Must never guess, look back at what was released, or do I/O. One pass: the cost grows with the bytes, not with the
//! chunks.
//!
//! | File | Question it answers |
//! |---|---|
//! | `terminator` | can this line still be a terminator, and is it one? |
//! | `fence` | does a line stand inside a Markdown fence? |
//! | `spots` | which of many lines may matter? |
//! | `utf8` | is it UTF-8, wherever the chunks are cut? |
//! | `framer` | what of a chunk is content, and what is held back? |
//! | `ends` | what ends a file, and what may? |
//! | `ending` | what may be the end, and what comes out when it is? |
//! | `turn` | what does the end of a turn mean, and how does the next one begin? |

mod ending;
mod ends;
mod fence;
mod framer;
mod spots;
mod terminator;
mod turn;
mod utf8;

#[cfg(test)]
mod fence_tests;
#[cfg(test)]
mod framer_tests;

pub use ends::{ContentEnd, EndKind, EndQuestion, TurnStart};
pub use fence::CodeFence;
pub(crate) use fence::FenceTracker;
pub use framer::Framer;
pub use terminator::{Framing, Terminator};
pub use turn::{TurnFinish, TurnVerdict};
pub use utf8::{InvalidUtf8, TextEncoding};
