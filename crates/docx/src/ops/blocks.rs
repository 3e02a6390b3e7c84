//! What operations on tables, breaks and pages ask for.

/// Which lines a table shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Borders {
    /// All of them.
    All,
    /// None.
    None,
    /// Those around it.
    Outer,
}

/// Cells of a table from one corner to the other, by row and column from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CellRange {
    /// The first row.
    pub from_row: usize,
    /// The first column.
    pub from_column: usize,
    /// The last row.
    pub to_row: usize,
    /// The last column.
    pub to_column: usize,
}

/// What a table shall be like. What is not given stays.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TableFormat {
    /// Its lines.
    pub borders: Option<Borders>,
    /// Widths of its columns, in twentieths of a point.
    pub widths: Option<Vec<u32>>,
    /// Whether its first row stands on each page again.
    pub header_row: Option<bool>,
    /// Cells that become one.
    pub merge: Option<CellRange>,
    /// A merged cell, by row and column, that becomes several.
    pub split: Option<(usize, usize)>,
}

/// What begins behind a break.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BreakKind {
    /// A page.
    Page,
    /// A column.
    Column,
    /// A section with a page layout of its own.
    Section,
}

/// How pages are laid out; lengths in twentieths of a point. What is not given stays.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PageSetup {
    /// Whether pages are wider than high.
    pub landscape: Option<bool>,
    /// Their width.
    pub width: Option<u32>,
    /// Their height.
    pub height: Option<u32>,
    /// Margins by name: top, right, bottom, left, header, footer, gutter.
    pub margins: Vec<(&'static str, i32)>,
}

/// What becomes of a table. Rows and columns are counted from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TableAction {
    /// Its texts become these, row by row; rows are added and deleted where the texts say so.
    ReplaceContent(Vec<Vec<String>>),
    /// A row more, before the row that has this number; the last without.
    AddRow {
        /// Its number then.
        at: Option<usize>,
        /// Its texts.
        content: Vec<String>,
    },
    /// A row goes.
    DeleteRow(usize),
    /// A cell's text becomes this.
    UpdateCell {
        /// Its row.
        row: usize,
        /// Its place in the row.
        column: usize,
        /// Its text.
        content: String,
    },
    /// A column more.
    AddColumn {
        /// Its number then.
        at: Option<usize>,
        /// Its texts.
        content: Vec<String>,
    },
    /// A column goes.
    DeleteColumn(usize),
}
