//! A table of Markdown as lines of a terminal.
//!
//! Must never be wider than the terminal: cells wrap, and the widest columns give way first.

use pulldown_cmark::Alignment;

use super::styled::{Style, StyledLine, wrap};

/// Cells between two columns.
const BETWEEN: &str = "  ";

/// The narrowest column that is made narrower.
const NARROWEST: usize = 6;

/// A table that is being read. The first row is its head.
#[derive(Debug)]
pub(super) struct TableText {
    alignments: Vec<Alignment>,
    rows: Vec<Vec<StyledLine>>,
}

impl TableText {
    pub(super) fn new(alignments: Vec<Alignment>) -> Self {
        Self { alignments, rows: Vec::new() }
    }

    pub(super) fn begin_row(&mut self) {
        self.rows.push(Vec::new());
    }

    pub(super) fn end_cell(&mut self, cell: StyledLine) {
        if let Some(row) = self.rows.last_mut() {
            row.push(cell);
        }
    }

    /// The table in at most `width` cells.
    pub(super) fn lines(&self, width: usize) -> Vec<StyledLine> {
        let widths = self.widths(width);
        let mut lines = Vec::new();
        for (number, row) in self.rows.iter().enumerate() {
            lines.extend(self.row(row, &widths, number == 0));
            if number == 0 {
                let rule: Vec<String> = widths.iter().map(|width| "─".repeat(*width)).collect();
                lines.push(StyledLine::of(&rule.join(BETWEEN), Style::DIM));
            }
        }
        lines
    }

    fn widths(&self, width: usize) -> Vec<usize> {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or_default();
        let widest =
            |column: usize| self.rows.iter().filter_map(|row| row.get(column)).map(StyledLine::width).max();
        let mut widths: Vec<usize> =
            (0..columns).map(|column| widest(column).unwrap_or_default().max(1)).collect();
        let room = width.saturating_sub(BETWEEN.len() * columns.saturating_sub(1)).max(columns);
        while widths.iter().sum::<usize>() > room {
            let Some(most) = widths.iter_mut().max() else { break };
            if *most <= NARROWEST {
                break;
            }
            *most -= 1;
        }
        widths
    }

    fn row(&self, row: &[StyledLine], widths: &[usize], is_head: bool) -> Vec<StyledLine> {
        let none = StyledLine::default();
        let cells: Vec<Vec<StyledLine>> = widths
            .iter()
            .enumerate()
            .map(|(column, width)| wrap(row.get(column).unwrap_or(&none), *width, &none, &none))
            .collect();
        let height = cells.iter().map(Vec::len).max().unwrap_or_default();
        (0..height)
            .map(|line| {
                let mut shown = StyledLine::default();
                for (column, (cell, width)) in cells.iter().zip(widths).enumerate() {
                    if column > 0 {
                        shown.push(BETWEEN, Style::default());
                    }
                    let text = cell.get(line).unwrap_or(&none);
                    let free = width.saturating_sub(text.width());
                    let before = match self.alignments.get(column) {
                        Some(Alignment::Right) => free,
                        Some(Alignment::Center) => free / 2,
                        _ => 0,
                    };
                    let is_last = column + 1 == widths.len();
                    shown.push(&" ".repeat(before), Style::default());
                    for span in &text.0 {
                        let style = Style { bold: span.style.bold || is_head, ..span.style };
                        shown.push(&span.text, style);
                    }
                    shown.push(&" ".repeat(if is_last { 0 } else { free - before }), Style::default());
                }
                shown
            })
            .collect()
    }
}
