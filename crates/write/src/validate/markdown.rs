//! Finds Markdown files that look unfinished, and tables whose rows do not fit their head.
//!
//! Must never say more than that a file looks wrong: any text is Markdown.

use super::{ContentFinding, FindingSeverity, Subject, Validator};
use crate::codes;
use crate::framing::FenceTracker;

/// Uneven rows that are reported.
const UNEVEN: usize = 5;

pub(super) struct Markdown;

impl Validator for Markdown {
    fn name(&self) -> &'static str {
        "markdown"
    }

    fn check(&self, subject: &Subject<'_>) -> Vec<ContentFinding> {
        let bytes = subject.bytes;
        let mut fences = FenceTracker::default();
        let mut last = (0, &bytes[..0]);
        let mut tables = Tables::default();
        for (number, line) in (1usize..).zip(bytes.split(|byte| *byte == b'\n')) {
            fences.begin_line();
            fences.feed(line);
            fences.end_line(number as u64);
            tables.take(number, if fences.open().is_some() { b"" } else { line });
            if !line.trim_ascii().is_empty() {
                last = (number, line);
            }
        }
        let mut findings = tables.findings(bytes);
        let (number, line) = last;
        let text = String::from_utf8_lossy(line);
        let hint = |message: &str, line: usize| {
            ContentFinding::new(codes::LOOKS_UNFINISHED.name, FindingSeverity::Hint, message)
                .at(bytes, line, 0)
        };
        if let Some(fence) = fences.open() {
            findings.push(hint("this fence is not closed", usize::try_from(fence.line).unwrap_or(1)));
        } else if is_heading(&text) {
            findings.push(hint("the file ends with a heading that nothing follows", number));
        } else if ends_in_a_sentence(&text) {
            findings.push(hint("the file ends within a sentence", number));
        }
        findings
    }
}

/// Tables of a file, line by line.
#[derive(Default)]
struct Tables {
    /// Cells of the line before, and of the table that it is in.
    before: usize,
    columns: Option<usize>,
    /// Rows with another number of cells: line, cells, and those of the head.
    uneven: Vec<(usize, usize, usize)>,
}

impl Tables {
    fn take(&mut self, number: usize, line: &[u8]) {
        let cells = cells(line);
        match self.columns {
            _ if cells == 0 => self.columns = None,
            None if cells == self.before && is_ruler(line) => self.columns = Some(cells),
            Some(columns) if cells != columns && self.uneven.len() < UNEVEN => {
                self.uneven.push((number, cells, columns));
            }
            _ => {}
        }
        self.before = cells;
    }

    fn findings(self, bytes: &[u8]) -> Vec<ContentFinding> {
        let finding = |(line, cells, columns): (usize, usize, usize)| {
            let message = format!("the row has {cells} cells, the table's head has {columns}");
            ContentFinding::new(codes::UNEVEN_COLUMNS.name, FindingSeverity::Error, message)
                .at(bytes, line, 0)
        };
        self.uneven.into_iter().map(finding).collect()
    }
}

/// Cells of a row that begins and ends with a bar; 0 for any other line.
fn cells(line: &[u8]) -> usize {
    let line = line.trim_ascii();
    let mut bars = 0;
    let mut is_escaped = false;
    for byte in line {
        bars += usize::from(*byte == b'|' && !is_escaped);
        is_escaped = *byte == b'\\' && !is_escaped;
    }
    if line.starts_with(b"|") && line.ends_with(b"|") { bars.saturating_sub(1) } else { 0 }
}

/// Whether a row is the one of dashes below a head.
fn is_ruler(line: &[u8]) -> bool {
    line.iter().all(|byte| b"|-: \t\r".contains(byte)) && line.contains(&b'-')
}

fn is_heading(line: &str) -> bool {
    let text = line.trim_start_matches('#');
    let level = line.len() - text.len();
    (1..=6).contains(&level) && (text.is_empty() || text.starts_with([' ', '\t']))
}

/// Whether the line is a longer sentence that ends in a small word or a comma.
fn ends_in_a_sentence(line: &str) -> bool {
    let line = line.trim();
    let is_prose = line.split_whitespace().count() >= 6 && line.starts_with(|c: char| c.is_alphanumeric());
    let word = line.rsplit(char::is_whitespace).next().unwrap_or_default();
    let small =
        ["a", "an", "and", "as", "but", "by", "for", "in", "is", "of", "or", "that", "the", "to", "with"];
    is_prose && (line.ends_with([',', '(', '–', '-']) || small.contains(&word))
}
