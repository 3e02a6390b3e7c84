//! The rows of the language, by groups: each operation with its fields and the function that reads it.
//!
//! | File | Holds |
//! |---|---|
//! | `row` | what a row is, and the fields that several operations share |
//! | `reader` | reads the fields of one operation |
//! | `text`, `lists`, `review` | rows on text, lists and tables, comments and changes; `edits` reads them |
//! | `blocks`, `controls`, `objects`, `parts`, `references` | rows, with the functions that read them |

pub(crate) mod blocks;
pub(crate) mod controls;
mod edits;
pub(crate) mod lists;
pub(crate) mod objects;
pub(crate) mod parts;
pub(crate) mod reader;
pub(crate) mod references;
pub(crate) mod review;
pub(crate) mod row;
pub(crate) mod text;
