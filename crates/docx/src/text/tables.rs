//! Tables of Markdown: which lines are rows, and which text is in which cell.

/// A table as rows of texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table<T> {
    /// Its rows; all have the same number of texts once [`Table::is_even`] says so.
    pub rows: Vec<Vec<T>>,
    /// Whether the first row is a head.
    pub has_head: bool,
    /// Where the texts of each column stand.
    pub alignments: Vec<ColumnAlignment>,
}

impl<T> Table<T> {
    /// Whether all rows have as many texts as the first.
    #[must_use]
    pub fn is_even(&self) -> bool {
        let width = self.rows.first().map_or(0, Vec::len);
        width > 0 && self.rows.iter().all(|row| row.len() == width)
    }
}

/// Where the texts of a column stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnAlignment {
    /// Nothing was said.
    Unsaid,
    /// `:--`
    Left,
    /// `:-:`
    Center,
    /// `--:`
    Right,
}

/// The table that the lines begin with, and how many lines it has: two rows at least, or a row and a separator. Rows that begin
/// with no bar need a separator below the first.
pub(super) fn table(lines: &[&str]) -> Option<(Table<String>, usize)> {
    let first = lines.first()?;
    let barred = first.trim_start().starts_with('|') && first.trim().len() > 1;
    let has_bar = |line: &&&str| line.contains('|') && !line.trim().is_empty();
    let head = || {
        let rule = cells(lines.get(1).filter(|line| line.contains('|') && line.contains('-'))?);
        (separator(&rule).is_some() && cells(first).len() == rule.len()).then_some(())
    };
    let is_row = |line: &&&str| match barred {
        true => line.trim_start().starts_with('|') && line.trim().len() > 1,
        false => has_bar(line),
    };
    if !barred {
        (first.contains('|')).then_some(())?;
        head()?;
    }
    let count = lines.iter().take_while(is_row).count();
    if count < 2 {
        return None;
    }
    let mut rows: Vec<Vec<String>> = lines.iter().take(count).map(|line| cells(line)).collect();
    let mut alignments = Vec::new();
    let mut has_head = false;
    if let Some(separator) = rows.get(1).and_then(|row| separator(row)) {
        alignments = separator;
        has_head = true;
        rows.remove(1);
        // A head that says nothing is how a table without one is written.
        if rows.len() > 1 && rows.first().is_some_and(|head| head.iter().all(String::is_empty)) {
            rows.remove(0);
            has_head = false;
        }
    }
    Some((Table { rows, has_head, alignments }, count))
}

/// The texts of a row. A bar behind a backslash is a character of a text; what else is behind a backslash stays
/// for inline Markdown to read.
fn cells(line: &str) -> Vec<String> {
    let line = line.trim();
    let inner = line.strip_prefix('|').unwrap_or(line);
    let mut cells = vec![String::new()];
    let mut characters = inner.chars().peekable();
    let mut ended = false;
    while let Some(c) = characters.next() {
        ended = false;
        let Some(cell) = cells.last_mut() else { break };
        match c {
            '\\' if characters.peek() == Some(&'|') => {
                characters.next();
                cell.push('|');
            }
            '\\' => {
                cell.push('\\');
                cell.extend(characters.next_if(|next| *next == '\\'));
            }
            '|' => {
                cells.push(String::new());
                ended = true;
            }
            c => cell.push(c),
        }
    }
    // The last bar ends the row.
    if cells.len() > 1 && ended {
        cells.pop();
    }
    cells.iter().map(|cell| cell.trim().to_owned()).collect()
}

fn separator(row: &[String]) -> Option<Vec<ColumnAlignment>> {
    let column = |cell: &String| {
        let dashes = cell.trim_start_matches(':').trim_end_matches(':');
        let is_rule = !dashes.is_empty() && dashes.bytes().all(|byte| byte == b'-');
        is_rule.then_some(match (cell.starts_with(':'), cell.ends_with(':')) {
            (true, true) => ColumnAlignment::Center,
            (true, false) => ColumnAlignment::Left,
            (false, true) => ColumnAlignment::Right,
            (false, false) => ColumnAlignment::Unsaid,
        })
    };
    row.iter().map(column).collect()
}
