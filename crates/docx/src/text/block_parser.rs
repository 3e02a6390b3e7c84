//! Block Markdown, as people and models write it: lines to blocks.
//!
//! Must never lose a character that is not a marker of a block, and never refuse: what is no marker is text. Inline Markdown
//! stays as it is, for `markdown` to read.

use std::collections::BTreeSet;

use super::blocks::{Block, BlockKind, Item};
use super::constructs::{Definitions, is_address};
use super::html_blocks::html_to_markdown;
use super::letters::settle_letters;
use super::markdown::parse_inline_with;
use super::markers::{ItemMarker, item, legal_number, number_of};
use super::styled::InlineObject;
use super::tables::table;

/// How deep quotes are read; what is deeper stands at that depth.
const DEEPEST_QUOTE: u8 = 9;

/// What single line ends in a paragraph are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineEnds {
    /// Breaks, all of them.
    Breaks,
    /// Spaces where an editor has plainly filled the lines of a paragraph up to one width, breaks elsewhere.
    Filled,
}

/// Markdown as blocks.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MarkdownBlocks {
    /// The blocks, with inline Markdown in them.
    pub blocks: Vec<Block<String>>,
    /// What lines among them define for others.
    pub definitions: Definitions,
}

/// Reads blocks. Blank lines part paragraphs; headings, items and tables need none around them.
#[must_use]
pub fn parse_blocks(text: &str, ends: LineEnds) -> MarkdownBlocks {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let text = html_to_markdown(&text);
    let lines: Vec<&str> = text.split('\n').collect();
    let mut parser = Parser {
        ends,
        quote: 0,
        open: Open::Nothing,
        lines: vec![],
        list: vec![],
        numbers: vec![],
        out: MarkdownBlocks::default(),
    };
    parser.read(&lines);
    settle_letters(&mut parser.out.blocks);
    parser.out
}

/// The pictures that Markdown names, without those that it holds as `data:` URIs.
pub(crate) fn picture_sources(markdown: &str) -> BTreeSet<String> {
    if !markdown.contains("![") && !markdown.contains("<img") {
        return BTreeSet::new();
    }
    let MarkdownBlocks { blocks, definitions } = parse_blocks(markdown, LineEnds::Breaks);
    let mut found = BTreeSet::new();
    for block in blocks {
        block.map(|text| {
            for placed in parse_inline_with(&text, &definitions).objects {
                if let InlineObject::Image(image) = placed.object
                    && !image.source.starts_with("data:")
                {
                    found.insert(image.source);
                }
            }
        });
    }
    found
}

/// What further lines may go on.
enum Open {
    Nothing,
    Paragraph { within: Option<u8> },
    Item(Item<()>),
}

struct Parser {
    ends: LineEnds,
    quote: u8,
    open: Open,
    /// The lines of what is open.
    lines: Vec<String>,
    /// How far the markers of the open levels of a list are indented.
    list: Vec<usize>,
    /// The last number of each of these levels.
    numbers: Vec<u32>,
    out: MarkdownBlocks,
}

impl Parser {
    fn read(&mut self, lines: &[&str]) {
        let mut at = 0;
        while let Some(line) = lines.get(at).copied() {
            let rest = lines.get(at..).unwrap_or_default();
            at += self.block(line, rest).max(1);
        }
        self.flush();
    }

    /// Reads what the lines begin with. Says how many it took.
    fn block(&mut self, line: &str, rest: &[&str]) -> usize {
        let text = line.trim_start_matches([' ', '\t']);
        if text.trim().is_empty() {
            // A page or column break is no space.
            if text.contains(['\u{B}', '\u{C}']) {
                self.push_line(line);
            }
            self.flush();
            return 1;
        }
        if let Some((code, used)) = fence(rest) {
            self.push(self.within(line), BlockKind::Code(code));
            return used;
        }
        let quoted = rest.iter().take_while(|line| without_quote(line).is_some()).count();
        if quoted > 0 {
            self.quoted(rest.get(..quoted).unwrap_or_default());
            return quoted;
        }
        if let Some(used) = self.definition_of_note(rest).or_else(|| self.definition_of_link(text)) {
            return used;
        }
        if matches!(text.trim_end(), "\\newpage" | "\\pagebreak") {
            self.push(None, BlockKind::Paragraph("\u{C}".to_owned()));
            return 1;
        }
        if let Some((table, used)) = table(rest) {
            self.push(self.within(line), BlockKind::Table(table));
            return used;
        }
        if let Some((level, text)) = heading(text) {
            self.push(self.within(line), BlockKind::Heading(level, text.to_owned()));
            return 1;
        }
        if self.underlined_heading(text) {
            return 1;
        }
        if is_rule(text) {
            self.push(self.within(line), BlockKind::Rule);
            return 1;
        }
        if self.item(line) || self.definition(text) {
            return 1;
        }
        self.push_line(line);
        1
    }

    /// The level of the item that an indented line goes on.
    fn within(&self, line: &str) -> Option<u8> {
        let width = indentation(line);
        let level = self.list.iter().rposition(|marker| width >= marker + 2)?;
        Some(u8::try_from(level).unwrap_or(8))
    }

    fn push(&mut self, within: Option<u8>, kind: BlockKind<String>) {
        self.flush();
        if within.is_none() && !matches!(kind, BlockKind::Item(_)) {
            self.end_list();
        }
        self.out.blocks.push(Block { quote: self.quote, within, kind });
    }

    fn end_list(&mut self) {
        self.list.clear();
        self.numbers.clear();
    }

    /// Takes a line of text into what is open, or begins a paragraph with it.
    fn push_line(&mut self, line: &str) {
        let goes_on = match &self.open {
            Open::Nothing => false,
            Open::Paragraph { .. } => true,
            // Text that is not indented is no part of an item.
            Open::Item(_) => self.within(line).is_some(),
        };
        if !goes_on {
            self.flush();
            let within = self.within(line);
            if within.is_none() {
                self.end_list();
            }
            self.open = Open::Paragraph { within };
        }
        self.lines.push(line.trim_start_matches(' ').to_owned());
    }

    /// Ends what is open.
    fn flush(&mut self) {
        let text = joined(&std::mem::take(&mut self.lines), self.ends);
        let (within, kind) = match std::mem::replace(&mut self.open, Open::Nothing) {
            Open::Nothing => return,
            Open::Paragraph { within } => (within, BlockKind::Paragraph(text)),
            Open::Item(Item { level, marker, enclosure, task, .. }) => {
                (None, BlockKind::Item(Item { level, marker, enclosure, task, text }))
            }
        };
        self.out.blocks.push(Block { quote: self.quote, within, kind });
    }

    fn quoted(&mut self, lines: &[&str]) {
        self.flush();
        self.end_list();
        let inner: Vec<&str> = lines.iter().filter_map(|line| without_quote(line)).collect();
        let outer = self.quote;
        self.quote = (outer + 1).min(DEEPEST_QUOTE);
        if outer < DEEPEST_QUOTE {
            self.read(&inner);
        } else {
            inner.iter().for_each(|line| self.push_line(line));
            self.flush();
        }
        self.end_list();
        self.quote = outer;
    }

    /// `[^1]: text`, with the indented lines below it.
    fn definition_of_note(&mut self, lines: &[&str]) -> Option<usize> {
        let first = lines.first()?.trim_start_matches(' ');
        let (label, text) = first.strip_prefix("[^")?.split_once("]:")?;
        if label.is_empty() || label.contains([' ', '[', ']']) {
            return None;
        }
        let mut paragraphs = vec![text.trim().to_owned()];
        let mut used = 1;
        let mut blank = false;
        for line in lines.iter().skip(1) {
            if line.trim().is_empty() {
                blank = true;
            } else if indentation(line) >= 2 || !blank && is_text(line) {
                match paragraphs.last_mut().filter(|_| !blank) {
                    Some(last) => {
                        last.push(' ');
                        last.push_str(line.trim());
                    }
                    None => paragraphs.push(line.trim().to_owned()),
                }
                blank = false;
            } else {
                break;
            }
            used += 1;
        }
        self.flush();
        self.out.definitions.notes.insert(label.to_owned(), paragraphs);
        Some(used)
    }

    /// `[label]: address`
    fn definition_of_link(&mut self, text: &str) -> Option<usize> {
        let (label, destination) = text.strip_prefix('[')?.split_once("]:")?;
        let mut words = destination.split_whitespace();
        let address = words.next()?.trim_start_matches('<').trim_end_matches('>');
        let titled = words.next().is_none_or(|word| word.starts_with(['"', '\'', '(']));
        if label.is_empty() || label.contains(['[', ']']) || !is_address(address) || !titled {
            return None;
        }
        self.flush();
        self.out.definitions.links.entry(label.trim().to_lowercase()).or_insert_with(|| address.to_owned());
        Some(1)
    }

    /// A line of `=` or `-` below a line makes a heading of it; `-` only below what reads like one, since a line across the page
    /// is often typed right below a paragraph.
    fn underlined_heading(&mut self, text: &str) -> bool {
        let line = text.trim_end();
        let Open::Paragraph { within: None } = self.open else { return false };
        let [title] = self.lines.as_slice() else { return false };
        let level = match line.as_bytes() {
            [b'=', rest @ ..] if rest.len() > 1 && rest.iter().all(|byte| *byte == b'=') => 1,
            [b'-', rest @ ..] if rest.len() > 1 && rest.iter().all(|byte| *byte == b'-') => 2,
            _ => return false,
        };
        let title = title.trim().to_owned();
        let reads_like_one =
            title.chars().count() <= 80 && !title.ends_with(['.', ';', ',', ':', '!', '?', '"', '”']);
        if level == 2 && !reads_like_one {
            return false;
        }
        self.lines.clear();
        self.open = Open::Nothing;
        self.push(None, BlockKind::Heading(level, title));
        true
    }

    /// Begins an item, if the line is one. Within a paragraph only what begins a list is.
    fn item(&mut self, line: &str) -> bool {
        let in_paragraph = matches!(self.open, Open::Paragraph { .. });
        let (marker, enclosure, level, text) = match (self.legal(line), item(line)) {
            (Some((number, level, text)), _) => {
                (ItemMarker::Legal(number), super::markers::Enclosure::Legal, Some(level), text)
            }
            (None, Some((marker, enclosure, text))) => (marker, enclosure, None, text),
            (None, None) => return false,
        };
        let number = number_of(marker);
        let begins = match marker {
            ItemMarker::Bullet => !line.trim_start().starts_with('–'),
            ItemMarker::Legal(_) => true,
            ItemMarker::LowerLetter(9) | ItemMarker::UpperLetter(9) => true,
            _ => number == 1,
        };
        if in_paragraph && !begins {
            return false;
        }
        let level = self.level(line, level);
        let (task, text) = match (marker, text.split_at_checked(4)) {
            (ItemMarker::Bullet, Some(("[ ] ", text))) => (Some(false), text),
            (ItemMarker::Bullet, Some(("[x] " | "[X] ", text))) => (Some(true), text),
            _ => (None, text),
        };
        self.flush();
        self.numbers.truncate(usize::from(level));
        self.numbers.resize(usize::from(level), 0);
        self.numbers.push(number);
        self.open = Open::Item(Item { level, marker, enclosure, task, text: () });
        self.lines.push(text.trim_start().to_owned());
        true
    }

    /// `2.1 text` is an item only where it is next: behind item 2, or behind 2.0 and its like.
    fn legal<'b>(&self, line: &'b str) -> Option<(u32, u8, &'b str)> {
        let (steps, text) = legal_number(line)?;
        let (last, above) = steps.split_last()?;
        let next = self.numbers.get(above.len()).map_or(1, |number| number + 1);
        let fits = self.numbers.get(..above.len())? == above && *last == next;
        fits.then_some((*last, u8::try_from(above.len()).unwrap_or(8).min(8), text))
    }

    /// How deep an item stands: two columns further in than the marker above is a level deeper.
    fn level(&mut self, line: &str, level: Option<u8>) -> u8 {
        let width = indentation(line);
        if let Some(level) = level {
            self.list.resize(usize::from(level), width);
            self.list.push(width);
            return level;
        }
        if self.list.is_empty() {
            self.list.push(0);
        }
        while self.list.len() > 1 && self.list.last().is_some_and(|marker| width + 1 < *marker) {
            self.list.pop();
        }
        let above = self.list.last().copied().unwrap_or_default();
        if width >= above + 2 && self.list.len() < 9 {
            self.list.push(width);
        }
        u8::try_from(self.list.len().saturating_sub(1)).unwrap_or(8)
    }

    /// `: text` behind a term or another definition.
    fn definition(&mut self, text: &str) -> bool {
        let Some(text) = text.strip_prefix(": ").or_else(|| text.strip_prefix(":\t")) else { return false };
        self.flush();
        let quote = self.quote;
        let Some(last) =
            self.out.blocks.last_mut().filter(|last| last.quote == quote && last.within.is_none())
        else {
            return false;
        };
        match &mut last.kind {
            BlockKind::Definition(_) | BlockKind::Term(_) => {}
            BlockKind::Paragraph(term) if !term.contains('\n') && term.chars().count() <= 120 => {
                last.kind = BlockKind::Term(std::mem::take(term));
            }
            _ => return false,
        }
        self.push(None, BlockKind::Definition(text.trim_start().to_owned()));
        true
    }
}

/// Columns of white space before a line.
fn indentation(line: &str) -> usize {
    let space = line.chars().take_while(|c| matches!(c, ' ' | '\t'));
    space.map(|c| if c == '\t' { 4 } else { 1 }).sum()
}

/// Lines of one paragraph as its text. Two spaces at the end of a line say that it is a break.
fn joined(lines: &[String], ends: LineEnds) -> String {
    let filled = ends == LineEnds::Filled && is_filled(lines);
    let mut text = String::new();
    for (number, line) in lines.iter().enumerate() {
        let is_last = number + 1 == lines.len();
        let breaks = line.ends_with("  ") || line.ends_with('\\');
        let bare = if is_last || breaks || filled { line.trim_end_matches(' ') } else { line.as_str() };
        text.push_str(bare);
        if !is_last {
            text.push(if filled && !breaks { ' ' } else { '\n' });
        }
    }
    text
}

/// Whether an editor has filled the lines: none but the last has room for the first word of the next.
fn is_filled(lines: &[String]) -> bool {
    let width = |line: &String| line.trim_end().chars().count();
    let most = lines.iter().map(width).max().unwrap_or_default();
    let has_room = |pair: &[String]| {
        let word = pair.get(1).and_then(|next| next.split_whitespace().next()).unwrap_or_default();
        pair.first().map_or(0, width) + 1 + word.chars().count() <= most
    };
    lines.len() > 1 && (60..=120).contains(&most) && !lines.windows(2).any(has_room)
}

/// Whether a line is text that goes on a paragraph.
fn is_text(line: &str) -> bool {
    let text = line.trim_start();
    !text.starts_with(['#', '|', '>', '[', '`']) && item(line).is_none() && !is_rule(text)
}

fn heading(line: &str) -> Option<(u8, &str)> {
    let level = line.bytes().take_while(|byte| *byte == b'#').count();
    let text = line.get(level..)?.strip_prefix([' ', '\t'])?.trim();
    let bare = text.trim_end_matches('#');
    // A closing row of signs stands apart: `C#` is a name.
    let text = if bare.is_empty() || bare.ends_with(' ') { bare.trim_end() } else { text };
    (1..=9).contains(&level).then_some(())?;
    (!text.is_empty()).then(|| (u8::try_from(level).unwrap_or(9), text))
}

/// Three or more `-` or `*`, spaces between them or not. A row of `_` is a blank to fill in.
fn is_rule(text: &str) -> bool {
    let signs: Vec<char> = text.chars().filter(|c| !c.is_whitespace()).collect();
    let first = signs.first().copied();
    signs.len() >= 3 && matches!(first, Some('-' | '*')) && signs.iter().all(|c| Some(*c) == first)
}

/// A line without the marker of a quote: `> text`, `>`, `>> text`.
fn without_quote(line: &str) -> Option<&str> {
    let text = line.trim_start_matches(' ');
    let inner = text.strip_prefix('>')?;
    let is_quote = inner.is_empty() || inner.starts_with([' ', '>', '\t']);
    is_quote.then(|| inner.strip_prefix(' ').unwrap_or(inner))
}

/// The code between fences that the lines begin with, and how many lines it takes. Without a closing fence all that follows is
/// code.
fn fence(lines: &[&str]) -> Option<(String, usize)> {
    let first = lines.first()?;
    let indent = first.len() - first.trim_start_matches(' ').len();
    let opening = first.trim_start_matches(' ');
    let sign = opening.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let length = opening.chars().take_while(|c| *c == sign).count();
    let info = opening.get(length..)?;
    if length < 3 || sign == '`' && info.contains('`') {
        return None;
    }
    let closes = |line: &str| {
        let line = line.trim();
        line.chars().count() >= length && line.chars().all(|c| c == sign)
    };
    let body = lines.get(1..).unwrap_or_default();
    let end = body.iter().position(|line| closes(line));
    let dedented = |line: &&str| {
        let spaces = line.bytes().take(indent).take_while(|byte| *byte == b' ').count();
        line.get(spaces..).unwrap_or_default().to_owned()
    };
    let inner = body.get(..end.unwrap_or(body.len())).unwrap_or_default();
    let mut code: Vec<String> = inner.iter().map(dedented).collect();
    if end.is_none() {
        while code.last().is_some_and(|line| line.trim().is_empty()) {
            code.pop();
        }
    }
    Some((code.join("\n"), end.map_or(lines.len(), |end| end + 2)))
}

/// All inline Markdown of blocks.
fn texts(read: &MarkdownBlocks) -> Vec<&str> {
    let mut texts = Vec::new();
    for block in &read.blocks {
        match &block.kind {
            BlockKind::Paragraph(text) | BlockKind::Heading(_, text) => texts.push(text.as_str()),
            BlockKind::Term(text) | BlockKind::Definition(text) => texts.push(text.as_str()),
            BlockKind::Item(item) => texts.push(item.text.as_str()),
            BlockKind::Table(table) => texts.extend(table.rows.iter().flatten().map(String::as_str)),
            BlockKind::Code(_) | BlockKind::Rule => {}
        }
    }
    texts
}

/// The labels of marks of notes that no line defines.
pub(crate) fn undefined_notes(read: &MarkdownBlocks) -> Vec<String> {
    let mut labels: Vec<String> = Vec::new();
    for text in texts(read).into_iter().filter(|text| text.contains("[^")) {
        let literal = parse_inline_with(text, &read.definitions).text;
        for (at, _) in literal.match_indices("[^") {
            let rest = literal.get(at + 2..).unwrap_or_default();
            let label = rest.split(']').next().filter(|label| label.len() < rest.len() && label.len() <= 40);
            let is_label = |label: &&str| !label.is_empty() && !label.contains([' ', '[', '^']);
            if let Some(label) =
                label.filter(is_label).filter(|label| !labels.iter().any(|known| known == label))
            {
                labels.push(label.to_owned());
            }
        }
    }
    labels
}

/// The labels of notes that no text marks.
pub(crate) fn unmarked_notes(read: &MarkdownBlocks) -> Vec<String> {
    let texts = texts(read);
    let is_marked = |label: &&String| {
        let mark = format!("[^{label}]");
        texts.iter().any(|text| text.contains(&mark))
    };
    read.definitions.notes.keys().filter(|label| !is_marked(label)).cloned().collect()
}
