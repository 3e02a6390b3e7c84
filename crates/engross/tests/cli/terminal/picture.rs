//! A screen as a picture: SVG, whose text stays text.

use std::fmt::Write;

/// The size of a cell, in pixels.
const WIDTH: f32 = 8.4;
const HEIGHT: u16 = 18;

/// What is left free around the screen.
const MARGIN: u16 = 14;

/// The palette: the eight colours, and the same in bright.
const PALETTE: [&str; 16] = [
    "#3b4252", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#dcdfe4", "#5c6370",
    "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#ffffff",
];

pub fn svg(screen: &vt100::Screen) -> String {
    let contents = screen.contents();
    let (_, columns) = size(screen);
    let rows = u16::try_from(contents.trim_end().lines().count()).unwrap().max(4);
    let (width, height) =
        (f32::from(columns).mul_add(WIDTH, f32::from(2 * MARGIN)), rows * HEIGHT + 2 * MARGIN);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height}\" viewBox=\"0 0 {width:.0} {height}\">\n\
         <rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"#1e222a\"/>\n\
         <g font-family=\"DejaVu Sans Mono, Menlo, Consolas, monospace\" font-size=\"14\" fill=\"#dcdfe4\">\n"
    );
    for row in 0..rows {
        let mut column = 0;
        while column < columns {
            let Some(cell) = screen.cell(row, column) else { break };
            let style = style(cell);
            let start = column;
            let mut text = String::new();
            while let Some(next) = screen.cell(row, column).filter(|next| self::style(next) == style) {
                if !next.is_wide_continuation() {
                    text.push_str(if next.has_contents() { next.contents() } else { " " });
                }
                column += 1;
                if column == columns {
                    break;
                }
            }
            if !text.trim().is_empty() || style.contains("underline") {
                let x = f32::from(start).mul_add(WIDTH, f32::from(MARGIN));
                let (y, length) = (MARGIN + row * HEIGHT + 14, f32::from(column - start) * WIDTH);
                let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
                // Browsers take blanks at the ends of a text away, and stretch what is left.
                let text = text.replace(' ', "\u{a0}");
                writeln!(out, "<text x=\"{x:.1}\" y=\"{y}\" textLength=\"{length:.1}\"{style}>{text}</text>")
                    .unwrap();
            }
        }
    }
    let (row, column) = screen.cursor_position();
    if row < rows {
        let x = f32::from(column).mul_add(WIDTH, f32::from(MARGIN));
        let y = MARGIN + row * HEIGHT + 1;
        writeln!(
            out,
            "<rect x=\"{x:.1}\" y=\"{y}\" width=\"{WIDTH}\" height=\"16\" fill=\"#dcdfe4\" opacity=\"0.6\"/>"
        )
        .unwrap();
    }
    out.push_str("</g>\n</svg>\n");
    out
}

fn size(screen: &vt100::Screen) -> (u16, u16) {
    let (rows, columns) = screen.size();
    (rows.into(), columns.into())
}

fn style(cell: &vt100::Cell) -> String {
    let mut style = String::new();
    if let vt100::Color::Idx(index) = cell.fgcolor() {
        write!(style, " fill=\"{}\"", PALETTE[usize::from(index) % PALETTE.len()]).unwrap();
    }
    for (is_set, attribute) in [
        (cell.bold(), " font-weight=\"bold\""),
        (cell.dim(), " opacity=\"0.6\""),
        (cell.italic(), " font-style=\"italic\""),
        (cell.underline(), " text-decoration=\"underline\""),
    ] {
        if is_set {
            style.push_str(attribute);
        }
    }
    style
}
