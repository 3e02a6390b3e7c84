//! How wide the terminal is.
//!
//! Must never be remembered: a person may change it at any moment.

/// The widest line that is written, however wide the terminal is.
const WIDEST: usize = 100;

/// The narrowest terminal that is thought of.
const NARROWEST: usize = 20;

/// Cells in a line.
pub(super) fn columns() -> usize {
    let size = terminal_size::terminal_size();
    size.map_or(80, |(width, _)| usize::from(width.0)).max(NARROWEST)
}

/// Cells that text is written in.
pub(super) fn text_width() -> usize {
    columns().min(WIDEST)
}
