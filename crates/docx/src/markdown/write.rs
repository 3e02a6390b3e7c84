//! The body as Markdown.

use engross_xml::{Document, NodeId};

use crate::document::WordDocument;
use crate::error::Error;
use crate::model::{Atom, AtomKind, Paragraph, Placement, View, fields_at_start, is_on, placements};
use crate::names::{B, I, R_PR, STRIKE, U, VAL};
use crate::numbering::{Counter, paragraph_numbering};
use crate::read::shown;
use crate::text::{Marks, markdown::escape};

/// The format of a stretch of text, and whether a pending revision put or took it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct SpanFormat {
    marks: Marks,
    inserted: bool,
    deleted: bool,
}

impl WordDocument {
    /// The body as Markdown, in one of the views; [`View::Markup`] tells revisions as CriticMarkup does.
    ///
    /// # Errors
    /// None at present; other parts may be read one day.
    pub fn to_markdown(&self, view: View) -> Result<String, Error> {
        let (document, body, styles, numbering) = self.for_markdown();
        let placed = placements(document, body);
        let nodes: Vec<NodeId> = placed.iter().map(|(node, _)| *node).collect();
        let fields = fields_at_start(document, &nodes);
        let mut counter = Counter::new(numbering, styles);
        let mut out = String::new();
        let mut table: Vec<(Placement, String)> = Vec::new();
        let mut in_list = false;
        for (node, place) in placed {
            let paragraph = Paragraph::read(document, node, view, fields.get(&node));
            let text = inline(document, &paragraph, view);
            if table.first().is_some_and(|(first, _)| place.map(|place| place.table) != Some(first.table)) {
                write_table(&mut out, &std::mem::take(&mut table));
            }
            if let Some(place) = place {
                table.push((place, text));
                in_list = false;
                continue;
            }
            let list = paragraph_numbering(document, node, styles, numbering);
            let marker = list.and_then(|(id, level)| counter.next(id, level));
            let level = styles.of_paragraph(document, node).and_then(|style| styles.outline_level(style));
            match (level, marker) {
                (Some(level), marker) => {
                    let number = marker.map(|marker| marker.text).filter(|text| !text.is_empty());
                    let number = number.map_or_else(String::new, |number| format!("{} ", escape(&number)));
                    let hashes = "#".repeat(usize::from(level) + 1);
                    block(&mut out, &format!("{hashes} {number}{text}"), false);
                    in_list = false;
                }
                (None, Some(marker)) => {
                    let indent = "    ".repeat(usize::from(marker.level));
                    let sign = if marker.bullet { "-".to_owned() } else { format!("{}.", marker.number) };
                    block(&mut out, &format!("{indent}{sign} {text}"), in_list);
                    in_list = true;
                }
                (None, None) if text.is_empty() => {}
                (None, None) => {
                    block(&mut out, &at_line_start(&text), false);
                    in_list = false;
                }
            }
        }
        write_table(&mut out, &table);
        Ok(out)
    }
}

/// Puts a block behind those before it; items of one list stand together.
fn block(out: &mut String, text: &str, close: bool) {
    if !out.is_empty() {
        out.push_str(if close { "\n" } else { "\n\n" });
    }
    while out.ends_with("\n\n\n") {
        out.pop();
    }
    out.push_str(text);
    if out.ends_with('\n') {
        out.pop();
    }
}

/// A paragraph that begins like a heading, an item or a row of a table is told apart from one.
fn at_line_start(text: &str) -> String {
    let risky = text.starts_with('#') || text.starts_with('|') || crate::text::split_marker(text).is_some();
    if !risky {
        return text.to_owned();
    }
    // A word joiner is not seen, and keeps the sign from beginning the line.
    format!("\u{2060}{text}")
}

fn write_table(out: &mut String, cells: &[(Placement, String)]) {
    let Some(rows) = cells.iter().map(|(place, _)| place.row + 1).max() else { return };
    let columns = cells.iter().map(|(place, _)| place.column + 1).max().unwrap_or(1);
    let mut lines = Vec::new();
    for row in 0..rows {
        let mut line = String::from("|");
        for column in 0..columns {
            let own = cells.iter().filter(|(place, _)| (place.row, place.column) == (row, column));
            let texts: Vec<String> =
                own.map(|(_, text)| text.replace('|', "\\|").replace('\n', " ")).collect();
            line.push_str(&format!(" {} |", texts.join(" ").trim()));
        }
        lines.push(line);
        if row == 0 {
            lines.push(format!("|{}", " --- |".repeat(columns)));
        }
    }
    block(out, &lines.join("\n"), false);
}

fn inline(document: &Document, paragraph: &Paragraph, view: View) -> String {
    let mut out = String::new();
    let mut current = SpanFormat::default();
    let mut pending = String::new();
    for atom in paragraph.visible() {
        let format = format_of(document, atom, view);
        if format != current {
            flush(&mut out, &mut pending, current);
            current = format;
        }
        let text = paragraph.text.get(atom.range.clone()).unwrap_or_default();
        match atom.kind {
            AtomKind::Character('\n') => pending.push('\n'),
            _ => pending.push_str(&shown(document, atom, text)),
        }
    }
    flush(&mut out, &mut pending, current);
    out
}

fn flush(out: &mut String, pending: &mut String, format: SpanFormat) {
    let text = std::mem::take(pending);
    if text.is_empty() {
        return;
    }
    // Markers stand beside words, never beside spaces.
    let inner = text.trim();
    let start = text.len() - text.trim_start().len();
    let end = start + inner.len();
    let (before, after) = (text.get(..start).unwrap_or_default(), text.get(end..).unwrap_or_default());
    let mut marked = escape(inner);
    if !inner.is_empty() {
        for (on, sign) in [
            (format.marks.strike, "~~"),
            (format.marks.underline, "++"),
            (format.marks.italic, "*"),
            (format.marks.bold, "**"),
        ] {
            if on {
                marked = format!("{sign}{marked}{sign}");
            }
        }
    }
    let whole = format!("{before}{marked}{after}");
    match (format.deleted, format.inserted) {
        (true, _) => out.push_str(&format!("{{--{whole}--}}")),
        (false, true) => out.push_str(&format!("{{++{whole}++}}")),
        (false, false) => out.push_str(&whole),
    }
}

fn format_of(document: &Document, atom: &Atom, view: View) -> SpanFormat {
    let properties = document.child(atom.run, R_PR);
    let on = |name| {
        let property = properties.and_then(|properties| document.child(properties, name));
        property.is_some_and(|property| is_on(document, property))
    };
    let line = properties.and_then(|properties| document.child(properties, U));
    let underline = line.and_then(|line| document.attribute(line, VAL)).is_some_and(|kind| kind != "none");
    let marks = Marks { bold: on(B), italic: on(I), strike: on(STRIKE), underline };
    let tells = view == View::Markup;
    SpanFormat {
        marks,
        deleted: tells && atom.deleted.is_some(),
        inserted: tells && atom.deleted.is_none() && atom.inserted.is_some(),
    }
}
