//! Who refers to what: bookmarks, fields and links of a story in a view, and the numbers and words that references show.
//!
//! | File | Question it answers |
//! |---|---|
//! | `instruction` | what does a field's code say? |
//! | `story` | which bookmarks and references has a story, and what stands in a bookmark? |
//! | `labels` | what number does a reference to a paragraph show? |
//! | `document` | the same over all stories: what does each reference lead to? |
//! | `contents` | which lines has a table of contents, and which should it have? |
//! | `typed` | which words refer to a provision by its number? |
//! | `words` | where in a paragraph do words stand? |
//!
//! Must never change a tree.

mod contents;
mod document;
mod instruction;
mod labels;
mod story;
mod typed;
mod words;

pub(crate) use contents::{ContentsCode, ContentsHeading, ContentsLine};
pub(crate) use document::{PlacedStory, References, StoryTrees};
pub(crate) use instruction::{Instruction, NumberContext, Shows};
pub(crate) use story::{Bookmark, Field, FieldForm, Leaf, Story};
pub(crate) use typed::{Kind as ProvisionKind, key_of, typed_number, typed_references};

pub(crate) use words::Words;

#[cfg(test)]
mod contents_tests;
#[cfg(test)]
mod instruction_tests;
#[cfg(test)]
mod typed_tests;
