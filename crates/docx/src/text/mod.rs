//! Pure text functions: inline Markdown, the word diff, tolerant matching. They make an edit touch only what it means.
//!
//! Must never know XML, runs or paragraphs, and never fail: every function takes any text and answers in time close to
//! linear. All offsets are bytes of UTF-8 and lie on character boundaries.
//!
//! | File | Question it answers |
//! |---|---|
//! | `markdown` | which text does this Markdown mean, and which of it is bold? |
//! | `blocks` | which lines are headings, items of a list, rows of a table? |
//! | `typed_numbers` | does the text begin with a number, or is it the title of a schedule? |
//! | `delimiters` | is this asterisk a marker? |
//! | `words` | what is the smallest set of changed words between two texts? |
//! | `shortest` | the edit script beneath `words` |
//! | `matching` | where does this phrase occur? |
//! | `finder` | where do these words, or this pattern, occur, and what takes their place? |
//! | `index` | which of many texts can hold a phrase? |
//! | `nearest` | which of many texts comes nearest to a phrase that is in none? |
//! | `dates` | what day is meant, and how is it written? |
//! | `folding` | which spellings count as the same when matching? |
//! | `typography` | how is new text written so that it keeps the document's quotes, dashes and spaces? |

mod blocks;
mod dates;
mod delimiters;
mod finder;
mod folding;
mod index;
pub mod markdown;
pub mod matching;
mod nearest;
mod shortest;
pub(crate) mod typed_numbers;
mod typography;
pub mod words;

pub(crate) use blocks::Block;
pub use blocks::{ColumnAlignment, ItemMarker, Table, parse_blocks, split_marker, without_marker};
pub(crate) use dates::Date;
pub(crate) use finder::{Finder, Template};
pub(crate) use folding::LetterCase;
pub(crate) use index::TextIndex;
pub use markdown::{Marks, StyledText, literal, parse_inline};
pub(crate) use matching::MatchRules;
pub use matching::find;
pub(crate) use nearest::NearestIndex;
pub(crate) use shortest::{Script, shortest};
pub use typography::adapt;
pub(crate) use words::tokens;
pub use words::{Hunk, diff};

#[cfg(test)]
mod blocks_tests;
#[cfg(test)]
mod finder_tests;
#[cfg(test)]
mod markdown_tests;
#[cfg(test)]
mod matching_tests;
#[cfg(test)]
mod typed_numbers_tests;
#[cfg(test)]
mod typography_tests;
#[cfg(test)]
mod words_tests;
