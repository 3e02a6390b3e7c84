//! The blocks of a document, as far as Markdown and Word have them in common.
//!
//! A block is flat: it says how many quotes it stands in and which item it goes on, as a paragraph of Word does. Must never
//! know how blocks are written on either side.

use super::markers::{Enclosure, ItemMarker};
use super::tables::Table;

/// A block. `T` is inline content: Markdown as it was written, or what it means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block<T> {
    /// How many quotes it stands in.
    pub quote: u8,
    /// The level of the item that it goes on, from 0; an item itself goes on none.
    pub within: Option<u8>,
    /// What it is.
    pub kind: BlockKind<T>,
}

/// What a block is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BlockKind<T> {
    /// A paragraph; line ends in it are breaks.
    Paragraph(T),
    /// A heading of level 1 to 9.
    Heading(u8, T),
    /// An item of a list.
    Item(Item<T>),
    /// A table.
    Table(Table<T>),
    /// Lines of code.
    Code(String),
    /// A line across the page.
    Rule,
    /// A term that definitions follow.
    Term(T),
    /// What a term means.
    Definition(T),
}

/// An item of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item<T> {
    /// How deep it stands, from 0.
    pub level: u8,
    /// How it is marked.
    pub marker: ItemMarker,
    /// What stands around its number.
    pub enclosure: Enclosure,
    /// Whether it is done, if it is a task.
    pub task: Option<bool>,
    /// Its text without the marker.
    pub text: T,
}

impl<T> Block<T> {
    /// A block of its own.
    #[must_use]
    pub fn new(kind: BlockKind<T>) -> Self {
        Self { quote: 0, within: None, kind }
    }

    /// The same with other inline content.
    pub fn map<U>(self, mut read: impl FnMut(T) -> U) -> Block<U> {
        let kind = match self.kind {
            BlockKind::Paragraph(text) => BlockKind::Paragraph(read(text)),
            BlockKind::Heading(level, text) => BlockKind::Heading(level, read(text)),
            BlockKind::Item(Item { level, marker, enclosure, task, text }) => {
                BlockKind::Item(Item { level, marker, enclosure, task, text: read(text) })
            }
            BlockKind::Table(Table { rows, has_head, alignments }) => {
                let rows = rows.into_iter().map(|row| row.into_iter().map(&mut read).collect()).collect();
                BlockKind::Table(Table { rows, has_head, alignments })
            }
            BlockKind::Code(code) => BlockKind::Code(code),
            BlockKind::Rule => BlockKind::Rule,
            BlockKind::Term(text) => BlockKind::Term(read(text)),
            BlockKind::Definition(text) => BlockKind::Definition(read(text)),
        };
        Block { quote: self.quote, within: self.within, kind }
    }

    /// Whether it is nothing but a paragraph.
    #[must_use]
    pub fn is_plain_paragraph(&self) -> bool {
        self.quote == 0 && self.within.is_none() && matches!(self.kind, BlockKind::Paragraph(_))
    }
}
