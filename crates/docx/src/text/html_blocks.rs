//! Blocks of HTML as Markdown: paragraphs, headings, lists, tables, quotes.
//!
//! Must never touch Markdown that holds no such tag, nor what stands in code.

use std::borrow::Cow;

use super::html::{Tag, tag_at};

/// Markdown in which blocks of HTML are written as Markdown.
pub(super) fn html_to_markdown(source: &str) -> Cow<'_, str> {
    if !source.contains('<') {
        return Cow::Borrowed(source);
    }
    let mut writer = Writer::default();
    let mut fenced: Option<&str> = None;
    let (mut at, mut changed) = (0, false);
    while at < source.len() {
        let rest = source.get(at..).unwrap_or_default();
        let line_end = rest.find('\n').map_or(rest.len(), |end| end + 1);
        let line = rest.get(..line_end).unwrap_or_default();
        let is_line_start = at == 0 || source.get(..at).is_some_and(|before| before.ends_with('\n'));
        if is_line_start {
            let fence = ["```", "~~~"].into_iter().find(|fence| line.trim_start().starts_with(fence));
            match (fenced, fence) {
                (None, Some(fence)) => fenced = Some(fence),
                (Some(known), Some(fence)) if known == fence => {
                    fenced = None;
                    writer.copy(line);
                    at += line_end;
                    continue;
                }
                _ => {}
            }
        }
        if fenced.is_some() {
            writer.copy(line);
            at += line_end;
            continue;
        }
        let next = line.find(['<', '`']).unwrap_or(line.len());
        if next > 0 {
            writer.text(line.get(..next).unwrap_or_default());
            at += next;
            continue;
        }
        if line.starts_with('`') {
            let span = code_span(rest);
            writer.text(rest.get(..span).unwrap_or_default());
            at += span;
            continue;
        }
        let tag = tag_at(source, at).filter(|_| !super::escapes::is_escaped(source.as_bytes(), at));
        match tag {
            Some(tag) if tag.name == "!--" => {
                let words = tag.attribute_text().trim().to_ascii_lowercase().replace([' ', '-'], "");
                if words == "pagebreak" {
                    writer.block("\\newpage");
                }
                // A comment that is all of its line leaves no line.
                let behind = source.get(at + tag.length..).unwrap_or_default();
                let whole = is_line_start && behind.starts_with('\n');
                at += tag.length + usize::from(whole);
                changed = true;
            }
            Some(tag) if tag.name == "pre" && !tag.closes => {
                let behind = source.get(at + tag.length..).unwrap_or_default();
                let end = behind.find("</pre>");
                let code = behind.get(..end.unwrap_or(behind.len())).unwrap_or_default();
                let code = code.trim_start_matches('\n').trim_end_matches('\n');
                let code = code.strip_prefix("<code>").unwrap_or(code);
                writer.block(&format!("```\n{}\n```", code.strip_suffix("</code>").unwrap_or(code)));
                at += tag.length + end.map_or(behind.len(), |end| end + 6);
                changed = true;
            }
            Some(tag) if tag.is_block() => {
                writer.tag(&tag);
                at += tag.length;
                changed = true;
            }
            Some(tag) => {
                writer.text(source.get(at..at + tag.length).unwrap_or_default());
                at += tag.length;
            }
            None => {
                writer.text("<");
                at += 1;
            }
        }
    }
    if changed { Cow::Owned(writer.finish()) } else { Cow::Borrowed(source) }
}

/// Length of the code span that a text begins with, or of its ticks where there is no end in the paragraph.
fn code_span(text: &str) -> usize {
    let ticks = text.bytes().take_while(|byte| *byte == b'`').count();
    let paragraph = text.get(..text.find("\n\n").unwrap_or(text.len())).unwrap_or_default();
    let mut at = ticks;
    while let Some(offset) = paragraph.get(at..).and_then(|rest| rest.find('`')) {
        let start = at + offset;
        let length = paragraph.bytes().skip(start).take_while(|byte| *byte == b'`').count();
        at = start + length;
        if length == ticks {
            return at;
        }
    }
    ticks
}

#[derive(Default)]
struct Writer {
    out: String,
    /// Tags of blocks that are open.
    depth: usize,
    /// Open lists: the number of the last item, none for bullets.
    lists: Vec<Option<u32>>,
    quotes: usize,
    table: Option<HtmlTable>,
}

#[derive(Default)]
struct HtmlTable {
    rows: Vec<Vec<String>>,
    has_head: bool,
    /// Columns that the last cell spans besides its own.
    spanned: usize,
}

impl HtmlTable {
    /// Puts empty cells into the columns that the last cell spans.
    fn fill_spanned(&mut self) {
        let spanned = std::mem::take(&mut self.spanned);
        if let Some(row) = self.rows.last_mut() {
            row.extend((0..spanned).map(|_| String::new()));
        }
    }
}

impl Writer {
    /// Copies what is no HTML.
    fn copy(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn text(&mut self, text: &str) {
        if let Some(table) = &mut self.table {
            if let Some(cell) = table.rows.last_mut().and_then(|row| row.last_mut()) {
                push_collapsed(cell, &text.replace('|', "\\|"));
            }
            return;
        }
        if self.depth == 0 {
            self.out.push_str(text);
        } else {
            push_collapsed(&mut self.out, text);
        }
    }

    fn tag(&mut self, tag: &Tag) {
        if self.table.is_some() && tag.name != "table" {
            self.in_table(tag);
            return;
        }
        if !tag.is_void() {
            self.depth = if tag.closes { self.depth.saturating_sub(1) } else { self.depth + 1 };
        }
        match (tag.name.as_str(), tag.closes) {
            ("table", false) => {
                self.new_block();
                self.table = Some(HtmlTable::default());
            }
            ("table", true) => self.end_table(),
            ("ul", false) => self.begin_list(None),
            ("ol", false) => {
                self.begin_list(Some(tag.attribute("start").and_then(|n| n.parse().ok()).unwrap_or(1)));
            }
            ("ul" | "ol", true) => {
                self.lists.pop();
                if self.lists.is_empty() {
                    self.new_block();
                }
            }
            ("li", false) => self.begin_item(),
            ("li", true) => {}
            ("blockquote", closes) => {
                self.new_block();
                self.quotes = if closes { self.quotes.saturating_sub(1) } else { self.quotes + 1 };
            }
            ("hr", _) => self.block("---"),
            (name, closes) => {
                let in_item = !self.lists.is_empty();
                if !in_item {
                    self.new_block();
                }
                let level = name.strip_prefix('h').and_then(|level| level.parse().ok());
                if let (Some(level), false, false) = (level, closes, in_item) {
                    self.begin_line();
                    self.out.push_str(&"#".repeat(level));
                    self.out.push(' ');
                } else if !closes && !in_item {
                    self.begin_line();
                }
            }
        }
    }

    fn begin_list(&mut self, start: Option<u32>) {
        if self.lists.is_empty() {
            self.new_block();
        }
        self.lists.push(start);
    }

    fn begin_item(&mut self) {
        let level = self.lists.len().saturating_sub(1);
        while self.out.ends_with([' ', '\n']) {
            self.out.pop();
        }
        self.out.push('\n');
        self.begin_line();
        self.out.push_str(&"    ".repeat(level));
        match self.lists.last_mut() {
            Some(Some(number)) => {
                self.out.push_str(&format!("{number}. "));
                *number += 1;
            }
            _ => self.out.push_str("- "),
        }
    }

    fn in_table(&mut self, tag: &Tag) {
        let Some(table) = &mut self.table else { return };
        match (tag.name.as_str(), tag.closes) {
            ("tr", false) => {
                table.fill_spanned();
                table.rows.push(Vec::new());
            }
            ("td" | "th", false) => {
                if table.rows.is_empty() {
                    table.rows.push(Vec::new());
                }
                table.has_head |= tag.name == "th" && table.rows.len() == 1;
                let columns =
                    tag.attribute("colspan").and_then(|columns| columns.parse().ok()).unwrap_or(1_usize);
                table.fill_spanned();
                table.spanned = columns.clamp(1, 50) - 1;
                if let Some(row) = table.rows.last_mut() {
                    row.push(String::new());
                }
            }
            ("p" | "div" | "li", false) => {
                if let Some(cell) = table.rows.last_mut().and_then(|row| row.last_mut())
                    && !cell.trim().is_empty()
                {
                    cell.push_str("<br>");
                }
            }
            _ => {}
        }
    }

    fn end_table(&mut self) {
        let Some(mut table) = self.table.take() else { return };
        table.fill_spanned();
        let rows: Vec<&Vec<String>> = table.rows.iter().filter(|row| !row.is_empty()).collect();
        let width = rows.iter().map(|row| row.len()).max().unwrap_or_default();
        let has_head = table.has_head || rows.len() == 1;
        for (number, row) in rows.iter().enumerate() {
            self.begin_line();
            self.out.push('|');
            for column in 0..width {
                let text = row.get(column).map_or("", |cell| cell.trim());
                self.out.push_str(&format!(" {text} |"));
            }
            self.out.push('\n');
            if number == 0 && has_head {
                self.begin_line();
                self.out.push_str(&format!("|{}\n", " --- |".repeat(width)));
            }
        }
        self.out.push('\n');
    }

    /// Begins a line within the open quotes.
    fn begin_line(&mut self) {
        self.out.push_str(&"> ".repeat(self.quotes));
    }

    /// Ends what stands there with a blank line.
    fn new_block(&mut self) {
        while self.out.ends_with([' ', '\n']) {
            self.out.pop();
        }
        if !self.out.is_empty() {
            self.out.push_str("\n\n");
        }
    }

    fn block(&mut self, text: &str) {
        self.new_block();
        self.begin_line();
        self.out.push_str(text);
        self.out.push_str("\n\n");
    }

    fn finish(self) -> String {
        self.out
    }
}

/// Adds text in which white space is one space, as in HTML.
fn push_collapsed(out: &mut String, text: &str) {
    for c in text.chars() {
        if !c.is_ascii_whitespace() {
            out.push(c);
        } else if !out.is_empty() && !out.ends_with([' ', '\n']) {
            out.push(' ');
        }
    }
}
