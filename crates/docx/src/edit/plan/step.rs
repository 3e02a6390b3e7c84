//! What an operation comes down to: steps, each of which is written by itself.
//!
//! Must never look at a document.

use std::ops::{Range, RangeInclusive};

use engross_xml::NodeId;

use crate::edit::content::PARAGRAPH_BREAK;
use crate::edit::control_values::FilledControl;
use crate::edit::hunks::Hunk;
use crate::edit::properties::Setting;
use crate::edit::touched::TouchedRange;
use crate::ops::Where;
use crate::text::{ColumnAlignment, StyledText};

/// Text changes of paragraphs that stand together.
#[derive(Debug, Clone)]
pub(crate) struct TextChange {
    /// First paragraph, from 0.
    pub(crate) first: usize,
    /// Last paragraph; more than one when the change crosses borders.
    pub(crate) last: usize,
    /// In bytes of their texts joined by [`PARAGRAPH_BREAK`], in order.
    pub(crate) hunks: Vec<Hunk>,
    pub(crate) range: TouchedRange,
}

/// Formatting for a part of a paragraph's text.
#[derive(Debug, Clone)]
pub(crate) struct RunFormatChange {
    pub(crate) index: usize,
    /// In bytes of its text.
    pub(crate) range: Range<usize>,
    pub(crate) settings: Vec<Setting>,
}

/// New paragraphs beside one.
#[derive(Debug, Clone)]
pub(crate) struct NewParagraphs {
    pub(crate) index: usize,
    pub(crate) side: Where,
    /// Parted by [`PARAGRAPH_BREAK`](crate::edit::content::PARAGRAPH_BREAK).
    pub(crate) content: StyledText,
    /// Id of their style; like the paragraph beside without.
    pub(crate) style: Option<String>,
    pub(crate) list: ListWish,
    /// What else they look like.
    pub(crate) settings: Vec<Setting>,
    /// Whether they are more of the same as the paragraph beside, even behind a heading.
    pub(crate) goes_on: bool,
}

impl NewParagraphs {
    /// One without text, behind a paragraph.
    pub(crate) fn empty_behind(index: usize) -> Self {
        let content = StyledText::default();
        let settings = Vec::new();
        Self {
            index,
            side: Where::After,
            content,
            style: None,
            list: ListWish::Outside,
            settings,
            goes_on: false,
        }
    }
}

/// Which list a new paragraph is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum ListWish {
    /// That of the paragraph beside.
    #[default]
    Like,
    /// None.
    Outside,
    /// This one, at this level.
    In(i64, u8),
}

/// A table to be made.
#[derive(Debug, Clone)]
pub(crate) struct NewTable {
    pub(crate) rows: Vec<Vec<StyledText>>,
    pub(crate) has_head: bool,
    pub(crate) alignments: Vec<ColumnAlignment>,
}

/// What becomes of the columns of a table, in those of before the batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ColumnChange {
    /// One more, before this one.
    Insert(usize),
    /// This one goes.
    Delete(usize),
    /// They stay; cells of the table become one or several, or columns get other widths.
    Stay,
}

/// A value for a content control.
#[derive(Debug, Clone)]
pub(crate) struct ControlFill {
    /// The paragraph of the text that goes.
    pub(crate) index: usize,
    /// In bytes of its text.
    pub(crate) range: Range<usize>,
    pub(crate) control: NodeId,
    /// The content of a control within the paragraph; the paragraph itself without.
    pub(crate) container: Option<NodeId>,
    pub(crate) filled: FilledControl,
    /// What people are told of its state, which no revision holds.
    pub(crate) told: String,
}

/// One thing to do. An operation is a row of them, all in the coordinates of the batch's start.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    Text(TextChange),
    Insert(NewParagraphs),
    Delete {
        index: usize,
    },
    /// The same, with comments on it that stay beside where it stood, or go.
    DeleteCommented {
        index: usize,
        keep: bool,
    },
    /// A section ends before a paragraph, with the layout of `section`.
    SectionBreak {
        index: usize,
        section: NodeId,
    },
    /// Widths of the columns of a table.
    Widths {
        index: usize,
        table: NodeId,
        widths: Vec<u32>,
    },
    /// A content control says something.
    Fill(ControlFill),
    RunFormat(RunFormatChange),
    ParagraphFormat {
        index: usize,
        settings: Vec<Setting>,
    },
    /// A row more, beside the row `like`.
    InsertRow {
        index: usize,
        like: NodeId,
        /// The row whose formatting it takes.
        pattern: NodeId,
        side: Where,
        cells: Vec<StyledText>,
        /// Whether its text takes none of the formatting of that row.
        plain: bool,
        /// For each cell, whether it lies within a vertical merge.
        merged: Vec<bool>,
    },
    /// A row goes, with the paragraphs in it.
    DeleteRow {
        row: NodeId,
        paragraphs: Vec<usize>,
    },
    /// A cell more, beside the cell `like`.
    InsertCell {
        index: usize,
        like: NodeId,
        side: Where,
        content: StyledText,
        /// What is otherwise in its properties than in those of `like`.
        settings: Vec<Setting>,
    },
    /// A cell goes, with the paragraphs in it.
    DeleteCell {
        cell: NodeId,
        paragraphs: Vec<usize>,
    },
    /// Properties of a table, row or cell.
    TableFormat {
        index: usize,
        owner: NodeId,
        settings: Vec<Setting>,
    },
    /// A cell covers columns more, or less.
    Span {
        index: usize,
        cell: NodeId,
        by: i32,
    },
    /// A row leaves out columns more, or less, before or behind its cells.
    RowOffset {
        index: usize,
        row: NodeId,
        side: Where,
        by: i32,
    },
    /// The columns of a table are others, and its cells have their widths.
    Columns {
        index: usize,
        table: NodeId,
        /// How many columns its rows took before the operation.
        columns: usize,
        change: ColumnChange,
    },
    /// A new table beside a paragraph.
    Table {
        index: usize,
        side: Where,
        table: NewTable,
        /// The paragraph behind the table, where it stands behind all others; an empty one without.
        behind: Option<Box<NewParagraphs>>,
    },
    /// Paragraphs stand elsewhere.
    Move {
        first: usize,
        last: usize,
        index: usize,
        side: Where,
    },
    /// A comment on parts of paragraphs that follow each other.
    Comment {
        places: Vec<(usize, Range<usize>)>,
        content: StyledText,
    },
}

impl Step {
    /// The paragraphs that it concerns.
    pub(crate) fn paragraphs(&self) -> RangeInclusive<usize> {
        match self {
            Self::Text(change) => change.first..=change.last,
            Self::Insert(new) => new.index..=new.index,
            Self::RunFormat(format) => format.index..=format.index,
            Self::Fill(fill) => fill.index..=fill.index,
            Self::InsertRow { index, .. } | Self::InsertCell { index, .. } | Self::Table { index, .. } => {
                *index..=*index
            }
            Self::DeleteRow { paragraphs, .. } | Self::DeleteCell { paragraphs, .. } => {
                let index = |index: Option<&usize>| index.copied().unwrap_or_default();
                index(paragraphs.first())..=index(paragraphs.last())
            }
            Self::Move { first, last, .. } => *first..=*last,
            Self::Comment { places, .. } => {
                let index = |place: Option<&(usize, Range<usize>)>| place.map_or(0, |(index, _)| *index);
                index(places.first())..=index(places.last())
            }
            Self::Delete { index }
            | Self::DeleteCommented { index, .. }
            | Self::SectionBreak { index, .. }
            | Self::Widths { index, .. }
            | Self::ParagraphFormat { index, .. }
            | Self::TableFormat { index, .. }
            | Self::Span { index, .. }
            | Self::RowOffset { index, .. }
            | Self::Columns { index, .. } => *index..=*index,
        }
    }

    /// The paragraphs whose proof it concerns.
    pub(crate) fn scope(&self) -> Vec<RangeInclusive<usize>> {
        match self {
            Self::Move { index, .. } => vec![self.paragraphs(), *index..=*index],
            _ => vec![self.paragraphs()],
        }
    }

    /// Whether it leaves paragraphs and the borders between them as they are.
    pub(crate) fn keeps_borders(&self) -> bool {
        match self {
            Self::Text(change) => {
                let parts = |hunk: &Hunk| hunk.new.text.contains(PARAGRAPH_BREAK);
                change.first == change.last && !change.hunks.iter().any(parts)
            }
            Self::RunFormat(_) | Self::Comment { .. } => true,
            _ => false,
        }
    }

    /// What of it no revision tells.
    pub(crate) fn untracked(&self) -> Option<String> {
        match self {
            Self::Fill(fill) => Some(fill.told.clone()),
            _ => None,
        }
    }

    /// Whether no text that is there changes.
    pub(crate) fn only_adds(&self) -> bool {
        let adds = matches!(
            self,
            Self::Insert(_)
                | Self::InsertRow { .. }
                | Self::InsertCell { .. }
                | Self::Table { .. }
                | Self::SectionBreak { .. }
        );
        adds || self.is_format_of_table()
    }

    /// Whether it changes properties of a table, row or cell only.
    pub(crate) fn is_format_of_table(&self) -> bool {
        matches!(
            self,
            Self::TableFormat { .. }
                | Self::Span { .. }
                | Self::RowOffset { .. }
                | Self::Columns { .. }
                | Self::Widths { .. }
        )
    }

    /// The table, row or cell whose columns or properties change.
    pub(crate) fn table_part(&self) -> Option<NodeId> {
        match self {
            Self::TableFormat { owner: node, .. }
            | Self::Span { cell: node, .. }
            | Self::RowOffset { row: node, .. }
            | Self::Columns { table: node, .. }
            | Self::Widths { table: node, .. } => Some(*node),
            _ => None,
        }
    }

    /// Whether rows, cells or columns of a table that is there change.
    pub(crate) fn changes_table(&self) -> bool {
        let rows = matches!(
            self,
            Self::InsertRow { .. }
                | Self::InsertCell { .. }
                | Self::DeleteRow { .. }
                | Self::DeleteCell { .. }
        );
        rows || self.is_format_of_table()
    }

    /// The new content in it, to be changed.
    pub(crate) fn contents(&mut self) -> Vec<&mut StyledText> {
        match self {
            Self::Text(change) => change.hunks.iter_mut().map(|hunk| &mut hunk.new).collect(),
            Self::Insert(new) => vec![&mut new.content],
            Self::InsertRow { cells, .. } => cells.iter_mut().collect(),
            Self::InsertCell { content, .. } => vec![content],
            Self::Table { table, behind, .. } => {
                let behind = behind.as_mut().map(|behind| &mut behind.content);
                table.rows.iter_mut().flatten().chain(behind).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Whether there is nothing in it to do.
    pub(crate) fn is_idle(&self) -> bool {
        match self {
            Self::Text(change) => change.hunks.is_empty(),
            Self::RunFormat(format) => format.range.is_empty(),
            _ => false,
        }
    }
}

/// What an operation comes down to, and what people should know about how it was found.
#[derive(Debug, Clone, Default)]
pub(crate) struct Plan {
    pub(crate) steps: Vec<Step>,
    pub(crate) remark: Option<String>,
    /// The paragraph that was looked for, where nothing is done.
    pub(crate) found: Option<usize>,
}

impl From<Vec<Step>> for Plan {
    fn from(steps: Vec<Step>) -> Self {
        Self { steps, ..Self::default() }
    }
}
