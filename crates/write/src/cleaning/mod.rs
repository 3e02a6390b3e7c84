//! Tells the text of a file from what a model says around it: reasoning, a code fence, words to the reader.
//!
//! Must never take away what may be of the file: only what wraps all of it goes, and that is reported. What else looks like
//! words to the reader is found by `validate`, and asked about. Whole files and the texts of patches are cleaned alike.
//!
//! | File | Question it answers |
//! |---|---|
//! | `notice` | does a line say that the text stops, or goes on? |
//! | `speech` | is a line said to the reader? |
//! | `wrapping` | what wraps the text, and what is left without it? |

mod notice;
mod speech;
mod wrapping;

#[cfg(test)]
mod notice_tests;
#[cfg(test)]
mod wrapping_tests;

pub(crate) use notice::{is_notice, is_part_mark, said_at_end};
pub(crate) use speech::{is_closing, is_end_word, is_opening, is_sentence};
pub(crate) use wrapping::invisible;
pub use wrapping::{CleanedText, clean};
