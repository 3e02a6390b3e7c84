//! Pure text functions: inline Markdown, the word diff, tolerant matching. They make an edit touch only what it means.
//!
//! Must never know XML, runs or paragraphs, and never fail: every function takes any text and answers in time close to
//! linear. All offsets are bytes of UTF-8 and lie on character boundaries.
//!
//! | File | Question it answers |
//! |---|---|
//! | `styled` | what is inline content: a text with its formatting, links and objects? |
//! | `markdown` | which inline content does this Markdown mean? |
//! | `constructs`, `html` | what stands in it besides emphasis: code, links, pictures, notes, tags? |
//! | `blocks`, `tables`, `markers` | what are blocks, tables and markers of items? |
//! | `writer` | which Markdown means these blocks? |
//! | `block_parser`, `html_blocks` | which lines of Markdown and HTML are which block? |
//! | `typed_numbers` | does the text begin with a number, or is it the title of a schedule? |
//! | `delimiters` | is this asterisk a marker? |
//! | `words` | what is the smallest set of changed words between two texts? |
//! | `shortest` | the edit script beneath `words` |
//! | `pairing` | which blocks of two texts belong together? |
//! | `matching` | where does this phrase occur? |
//! | `finder` | where do these words, or this pattern, occur, and what takes their place? |
//! | `index` | which of many texts can hold a phrase? |
//! | `nearest` | which of many texts comes nearest to a phrase that is in none? |
//! | `dates` | what day is meant, and how is it written? |
//! | `folding` | which spellings count as the same when matching? |
//! | `typography` | how is new text written so that it keeps the document's quotes, dashes and spaces? |

mod block_parser;
mod blocks;
mod constructs;
mod dates;
mod delimiters;
mod escapes;
mod finder;
mod folding;
pub(crate) mod html;
mod html_blocks;
mod index;
mod letters;
mod mark;
pub mod markdown;
mod markers;
pub mod matching;
mod nearest;
pub(crate) mod pairing;
mod shortest;
mod styled;
mod tables;
pub(crate) mod typed_numbers;
mod typography;
pub mod words;
mod writer;

pub use block_parser::{LineEnds, MarkdownBlocks, parse_blocks};
pub(crate) use block_parser::{picture_sources, undefined_notes, unmarked_notes};
pub use blocks::{Block, BlockKind, Item};
pub use constructs::Definitions;
pub(crate) use dates::Date;
pub(crate) use finder::{Finder, Template};
pub(crate) use folding::{LetterCase, folded, straightened};
pub(crate) use html::unknown_tag;
pub(crate) use index::TextIndex;
pub use markdown::parse_inline_with;
pub(crate) use markers::number_of;
pub use markers::{Enclosure, ItemMarker, split_marker, without_marker};
pub(crate) use matching::MatchRules;
pub use matching::find;
pub(crate) use nearest::NearestIndex;
pub use styled::{
    Image, InlineObject, LinkDestination, LinkSpan, Marks, NoteKind, OBJECT, PlacedObject, StyledSpan,
    StyledText, literal,
};
pub use tables::{ColumnAlignment, Table};
pub use typography::adapt;
pub(crate) use words::tokens;
pub use words::{Hunk, diff};
pub(crate) use writer::write_blocks;

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
