//! Block Markdown: which lines are headings, list items, rows of a table, and which are plain paragraphs.
//!
//! Must never lose a character that is not a marker of a block. Inline Markdown stays as it is, for `markdown` to read.

/// A block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Block {
    /// A paragraph; single line ends are breaks.
    Paragraph(String),
    /// A heading of level 1 to 9.
    Heading(u8, String),
    /// An item of a list.
    Item(Item),
    /// A table.
    Table(Table),
}

/// An item of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Item {
    /// How deep it stands, from 0.
    pub level: u8,
    /// How it is marked.
    pub marker: ItemMarker,
    /// Its text without the marker.
    pub text: String,
}

/// The marker of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ItemMarker {
    /// `-`, `*`, `+`, `•`
    Bullet,
    /// `1.`, `(1)`, `1)`, with its number.
    Decimal(u32),
    /// `a.`, `(a)`, with its number.
    LowerLetter(u32),
    /// `A.`
    UpperLetter(u32),
    /// `i.`
    LowerRoman(u32),
    /// `I.`
    UpperRoman(u32),
}

/// A table as rows of texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// Its rows; all have the same number of texts once [`Table::is_even`] says so.
    pub rows: Vec<Vec<String>>,
    /// Whether the first row is a head.
    pub has_head: bool,
    /// Where the texts of each column stand.
    pub alignments: Vec<ColumnAlignment>,
}

impl Table {
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

/// Reads blocks. Blank lines part paragraphs; headings, items and tables need none around them.
#[must_use]
pub fn parse_blocks(text: &str) -> Vec<Block> {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let lines: Vec<&str> = text.split('\n').collect();
    let mut blocks = Vec::new();
    let mut paragraph: Vec<&str> = Vec::new();
    let mut step = None;
    let mut at = 0;
    while let Some(line) = lines.get(at).copied() {
        let rest = lines.get(at..).unwrap_or_default();
        if let Some((table, used)) = table(rest) {
            flush(&mut paragraph, &mut blocks);
            blocks.push(Block::Table(table));
            at += used;
            continue;
        }
        at += 1;
        if line.trim().is_empty() {
            flush(&mut paragraph, &mut blocks);
        } else if let Some((level, text)) = heading(line) {
            flush(&mut paragraph, &mut blocks);
            blocks.push(Block::Heading(level, text.to_owned()));
        } else if let Some((marker, text)) = item(line).filter(|_| paragraph.is_empty()) {
            let level = item_level(line, &mut step);
            blocks.push(Block::Item(Item { level, marker, text: text.to_owned() }));
        } else {
            paragraph.push(line);
        }
    }
    flush(&mut paragraph, &mut blocks);
    settle_letters(&mut blocks);
    blocks
}

/// The marker of a line and the text behind it, if it begins with one.
#[must_use]
pub fn split_marker(line: &str) -> Option<(ItemMarker, &str)> {
    item(line)
}

/// A text without a typed number or bullet before it: `1.2.3 Term`, `Article IV. Term`, `(a) term`.
#[must_use]
pub fn without_marker(line: &str) -> &str {
    if let Some((_, text)) = item(line) {
        return text;
    }
    let trimmed = line.trim_start();
    if let Some((word, rest)) = trimmed.split_once(' ') {
        let dotted = word.trim_end_matches(['.', ')']);
        let is_dotted = dotted.contains('.')
            && dotted
                .split('.')
                .all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()));
        if is_dotted {
            return rest.trim_start();
        }
        let named = ["article", "section", "clause", "part", "chapter"];
        if named.contains(&word.to_lowercase().as_str()) {
            let number = rest.split([' ', ':']).next().unwrap_or_default();
            let bare = number.trim_end_matches(['.', ':']);
            let behind = rest.get(number.len()..).unwrap_or_default();
            let numbered = !bare.is_empty()
                && (bare.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
                    || roman(&bare.to_lowercase()).is_some());
            if numbered && (number != bare || behind.starts_with(':')) {
                return behind.trim_start_matches(':').trim_start();
            }
        }
    }
    line
}

fn flush(paragraph: &mut Vec<&str>, blocks: &mut Vec<Block>) {
    if !paragraph.is_empty() {
        blocks.push(Block::Paragraph(paragraph.join("\n")));
        paragraph.clear();
    }
}

fn heading(line: &str) -> Option<(u8, &str)> {
    let level = line.bytes().take_while(|byte| *byte == b'#').count();
    let text = line.get(level..)?.strip_prefix(' ')?.trim();
    let text = text.trim_end_matches('#').trim_end();
    (1..=9).contains(&level).then_some(())?;
    (!text.is_empty()).then(|| (u8::try_from(level).unwrap_or(9), text))
}

fn item(line: &str) -> Option<(ItemMarker, &str)> {
    let line = line.trim_start();
    for bullet in ["- ", "* ", "+ ", "• ", "•\t", "– "] {
        if let Some(text) = line.strip_prefix(bullet).filter(|text| !text.trim().is_empty()) {
            return Some((ItemMarker::Bullet, text.trim_start()));
        }
    }
    let (marker, text) = line.split_once([' ', '\t'])?;
    let text = text.trim_start();
    if text.is_empty() {
        return None;
    }
    let bare = match marker.strip_prefix('(') {
        Some(inner) => inner.strip_suffix(')')?,
        None => marker.strip_suffix(['.', ')'])?,
    };
    numbered(bare).map(|marker| (marker, text))
}

fn numbered(bare: &str) -> Option<ItemMarker> {
    if bare.is_empty() || bare.len() > 6 {
        return None;
    }
    if bare.bytes().all(|byte| byte.is_ascii_digit()) {
        return (bare.len() <= 3).then(|| bare.parse().ok().map(ItemMarker::Decimal)).flatten();
    }
    let letter = |first: u8| bare.bytes().next().map_or(0, |byte| u32::from(byte - first) + 1);
    let is_lower = bare.bytes().all(|byte| byte.is_ascii_lowercase());
    let is_upper = bare.bytes().all(|byte| byte.is_ascii_uppercase());
    match (is_lower, is_upper, bare.len()) {
        // A lone letter may be a roman number, too: its neighbours tell, see `settle_letters`.
        (true, _, 1) => Some(ItemMarker::LowerLetter(letter(b'a'))),
        (_, true, 1) => Some(ItemMarker::UpperLetter(letter(b'A'))),
        (true, ..) => roman(bare).map(ItemMarker::LowerRoman),
        (_, true, _) => roman(&bare.to_lowercase()).map(ItemMarker::UpperRoman),
        _ => None,
    }
}

/// The value of a roman number in small letters, written as the Romans' heirs do.
pub(super) fn roman(text: &str) -> Option<u32> {
    let mut value = 0;
    let mut rest = text;
    for (digits, worth) in [
        ("m", 1000),
        ("cm", 900),
        ("d", 500),
        ("cd", 400),
        ("c", 100),
        ("xc", 90),
        ("l", 50),
        ("xl", 40),
        ("x", 10),
        ("ix", 9),
        ("v", 5),
        ("iv", 4),
        ("i", 1),
    ] {
        let most = if digits.len() == 1 && "mcxi".contains(digits) { 3 } else { 1 };
        for _ in 0..most {
            if let Some(after) = rest.strip_prefix(digits) {
                value += worth;
                rest = after;
            }
        }
    }
    (rest.is_empty() && value > 0).then_some(value)
}

/// A lone `i.` begins roman numbers unless `h.` stands before it; `v.` and `x.` follow what the list began with.
fn settle_letters(blocks: &mut [Block]) {
    let mut last: Option<(u8, ItemMarker)> = None;
    for block in blocks {
        let Block::Item(item) = block else {
            last = None;
            continue;
        };
        let before = last.filter(|(level, _)| *level == item.level).map(|(_, marker)| marker);
        item.marker = match (item.marker, before) {
            (ItemMarker::LowerLetter(9), before) if before != Some(ItemMarker::LowerLetter(8)) => {
                ItemMarker::LowerRoman(1)
            }
            (ItemMarker::UpperLetter(9), before) if before != Some(ItemMarker::UpperLetter(8)) => {
                ItemMarker::UpperRoman(1)
            }
            (ItemMarker::LowerLetter(n), Some(ItemMarker::LowerRoman(_))) => {
                lone_roman(n).map_or(item.marker, ItemMarker::LowerRoman)
            }
            (ItemMarker::UpperLetter(n), Some(ItemMarker::UpperRoman(_))) => {
                lone_roman(n).map_or(item.marker, ItemMarker::UpperRoman)
            }
            (marker, _) => marker,
        };
        last = Some((item.level, item.marker));
    }
}

/// What the letter with this number is worth as a roman digit.
fn lone_roman(letter: u32) -> Option<u32> {
    match letter {
        9 => Some(1),
        22 => Some(5),
        24 => Some(10),
        12 => Some(50),
        3 => Some(100),
        4 => Some(500),
        13 => Some(1000),
        _ => None,
    }
}

/// How deep an item stands: its indentation in steps of what the first deeper item has.
fn item_level(line: &str, step: &mut Option<usize>) -> u8 {
    let width: usize =
        line.chars().take_while(|c| c.is_whitespace()).map(|c| if c == '\t' { 4 } else { 1 }).sum();
    if width == 0 {
        return 0;
    }
    let step = *step.get_or_insert(width.clamp(2, 4));
    u8::try_from((width / step).min(8)).unwrap_or(8)
}

/// The table that the lines begin with, and how many lines it has: two rows at least, or a row and a separator.
fn table(lines: &[&str]) -> Option<(Table, usize)> {
    let is_row = |line: &&&str| line.trim_start().starts_with('|') && line.trim().len() > 1;
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
    }
    Some((Table { rows, has_head, alignments }, count))
}

/// The texts of a row; `\|` is a character of a text.
fn cells(line: &str) -> Vec<String> {
    let line = line.trim();
    let inner = line.strip_prefix('|').unwrap_or(line);
    let mut cells = vec![String::new()];
    let mut characters = inner.chars().peekable();
    while let Some(c) = characters.next() {
        match (c, cells.last_mut()) {
            ('\\', Some(cell)) if characters.peek() == Some(&'|') => {
                characters.next();
                cell.push('|');
            }
            ('|', _) => cells.push(String::new()),
            (c, Some(cell)) => cell.push(c),
            _ => {}
        }
    }
    // The last bar ends the row.
    if cells.len() > 1 && cells.last().is_some_and(|cell| cell.trim().is_empty()) && inner.ends_with('|') {
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
