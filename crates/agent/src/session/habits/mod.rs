//! Models that deviate: a simulator of what they do to a file that is cut, and the judge of what came of it.
//!
//! | File | Question it answers |
//! |---|---|
//! | `files` | what do models write? |
//! | `habit` | what do they do instead of what they are asked? |
//! | `partner` | what does one with a habit answer? |
//! | `author` | what does one write that knows only what it is shown? |
//! | `bench` | what became of its file? |

mod author;
mod bench;
mod files;
mod habit;
mod partner;
mod tests;
