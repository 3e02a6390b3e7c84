//! Blocks of Markdown as lines of a terminal, and how many of the last block's lines are certain.
//!
//! Must never cut a word where there is a blank, or show a marker of a complete pair.

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use super::styled::{Colour, Style, StyledLine, wrap};
use super::table::TableText;

/// Cells before code.
const CODE: &str = "  ";

/// The longest entity, such as `&CounterClockwiseContourIntegral;`.
const ENTITY: usize = 34;

/// A block at the top level.
#[derive(Debug)]
pub(super) struct RenderedBlock {
    /// Where it begins in the source.
    pub(super) from: usize,
    pub(super) lines: Vec<StyledLine>,
    /// How many of the lines stay as they are, whatever comes.
    pub(super) certain: usize,
}

/// The blocks of `source` in lines of `width` cells. Unless it is the end, more may come.
pub(super) fn render(source: &str, width: usize, is_end: bool) -> Vec<RenderedBlock> {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut blocks = Vec::new();
    let mut depth = 0;
    let mut block = BlockText::new(width);
    for (event, range) in Parser::new_ext(source, options).into_offset_iter() {
        let from = range.start;
        match &event {
            Event::Start(_) => depth += 1,
            Event::End(_) => depth -= 1,
            _ => {}
        }
        block.take(event);
        if depth == 0 {
            // With its indentation, which may be what makes it a block of code.
            let line = source.get(..from).and_then(|before| before.rfind('\n')).map_or(0, |end| end + 1);
            let start = blocks.last().map_or(0, |_| line);
            let is_whole = source.ends_with('\n');
            let done = std::mem::replace(&mut block, BlockText::new(width));
            blocks.push(done.finish(start, is_end || is_whole));
        }
    }
    blocks
}

/// A list, a quote, or another container, with what stands before its lines.
struct Container {
    /// Before the first line, until that is there.
    first: Option<StyledLine>,
    /// Before all others.
    rest: StyledLine,
}

/// A block that is being read.
struct BlockText {
    width: usize,
    lines: Vec<StyledLine>,
    /// How many lines stood before the last piece of text.
    before_last: usize,
    /// How many lines of the last piece are certain while more may come.
    certain: usize,
    containers: Vec<Container>,
    /// The next number of each list; `None` for bullets.
    lists: Vec<Option<u64>>,
    inline: StyledLine,
    style: Style,
    /// Styles around the present one.
    outer: Vec<Style>,
    /// The address of each open link, and where its text begins.
    links: Vec<(String, usize)>,
    code: Option<String>,
    table: Option<TableText>,
    /// Whether a blank line stands before the next piece.
    is_apart: bool,
}

impl BlockText {
    fn new(width: usize) -> Self {
        Self {
            width,
            lines: Vec::new(),
            before_last: 0,
            certain: 0,
            containers: Vec::new(),
            lists: Vec::new(),
            inline: StyledLine::default(),
            style: Style::default(),
            outer: Vec::new(),
            links: Vec::new(),
            code: None,
            table: None,
            is_apart: false,
        }
    }

    fn finish(self, from: usize, is_whole: bool) -> RenderedBlock {
        let last = self.lines.len().saturating_sub(usize::from(!is_whole));
        RenderedBlock { from, certain: (self.before_last + self.certain).min(last), lines: self.lines }
    }

    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => self.text(&text),
            Event::Code(text) => self.push(&text, Style { colour: Some(Colour::Cyan), ..self.style }),
            Event::SoftBreak | Event::HardBreak => self.push("\n", self.style),
            Event::Rule => {
                let rule = "─".repeat(self.width.min(40));
                self.lines.push(StyledLine::of(&rule, Style::DIM));
            }
            Event::TaskListMarker(is_done) => self.push(if is_done { "☑ " } else { "☐ " }, self.style),
            Event::FootnoteReference(text) | Event::InlineMath(text) | Event::DisplayMath(text) => {
                self.text(&text);
            }
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Heading { level, .. } => {
                let underline = level == HeadingLevel::H1;
                let colour = matches!(level, HeadingLevel::H1 | HeadingLevel::H2).then_some(Colour::Magenta);
                self.begin(Style { bold: true, underline, colour, ..self.style });
            }
            Tag::Paragraph | Tag::HtmlBlock => self.begin(self.style),
            Tag::BlockQuote(_) => {
                self.is_apart |= !self.lines.is_empty() && self.lists.is_empty();
                let bar = StyledLine::of("│ ", Style::DIM);
                self.containers.push(Container { first: Some(bar.clone()), rest: bar });
            }
            Tag::CodeBlock(kind) => {
                self.flush();
                self.is_apart |= matches!(kind, CodeBlockKind::Indented) && !self.lines.is_empty();
                self.code = Some(String::new());
            }
            Tag::List(first) => {
                self.flush();
                self.lists.push(first);
            }
            Tag::Item => {
                self.is_apart = false;
                let marker = match self.lists.last_mut() {
                    Some(Some(number)) => {
                        *number += 1;
                        format!("{}. ", *number - 1)
                    }
                    _ => "• ".to_owned(),
                };
                let rest = " ".repeat(marker.chars().count());
                let first = Some(StyledLine::of(&marker, Style::DIM));
                self.containers.push(Container { first, rest: StyledLine::of(&rest, Style::default()) });
            }
            Tag::Table(alignments) => {
                self.flush();
                self.table = Some(TableText::new(alignments));
            }
            Tag::TableHead | Tag::TableRow => {
                if let Some(table) = &mut self.table {
                    table.begin_row();
                }
            }
            Tag::Emphasis => self.enter(Style { italic: true, ..self.style }),
            Tag::Strong => self.enter(Style { bold: true, ..self.style }),
            Tag::Strikethrough => self.enter(Style { strike: true, ..self.style }),
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                self.links.push((dest_url.into_string(), self.inline.text().len()));
                self.enter(Style { underline: true, ..self.style });
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(_) | TagEnd::Paragraph | TagEnd::HtmlBlock => {
                if matches!(tag, TagEnd::Heading(_)) {
                    self.leave();
                }
                self.flush();
                self.is_apart = true;
            }
            TagEnd::BlockQuote(_) | TagEnd::Item => {
                self.flush();
                if self.containers.last().is_some_and(|container| container.first.is_some()) {
                    self.put(&StyledLine::default());
                }
                self.containers.pop();
            }
            TagEnd::List(_) => {
                self.lists.pop();
            }
            TagEnd::CodeBlock => self.end_code(),
            TagEnd::TableCell => {
                let cell = std::mem::take(&mut self.inline);
                if let Some(table) = &mut self.table {
                    table.end_cell(cell);
                }
            }
            TagEnd::Table => {
                if let Some(table) = self.table.take() {
                    self.gap();
                    let (before, width) = (self.rest(), self.room());
                    self.before_last = self.lines.len();
                    self.certain = 0;
                    let lines = table.lines(width).into_iter();
                    self.lines.extend(lines.map(|line| joined(&before, &line)));
                    self.is_apart = true;
                }
            }
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough => self.leave(),
            TagEnd::Link | TagEnd::Image => {
                self.leave();
                if let Some((address, start)) = self.links.pop() {
                    let text = self.inline.text();
                    let shown = text.get(start..).unwrap_or_default();
                    if !address.is_empty() && address.trim_start_matches("mailto:") != shown {
                        self.push(&format!(" ({address})"), Style::DIM);
                    }
                }
            }
            _ => {}
        }
    }

    /// A piece of text begins.
    fn begin(&mut self, style: Style) {
        self.flush();
        if style != self.style {
            self.enter(style);
        }
    }

    fn enter(&mut self, style: Style) {
        self.outer.push(std::mem::replace(&mut self.style, style));
    }

    fn leave(&mut self) {
        self.style = self.outer.pop().unwrap_or_default();
    }

    fn text(&mut self, text: &str) {
        match &mut self.code {
            Some(code) => code.push_str(text),
            None => self.push(text, self.style),
        }
    }

    fn push(&mut self, text: &str, style: Style) {
        self.inline.push(text, style);
    }

    fn end_code(&mut self) {
        let code = self.code.take().unwrap_or_default();
        self.gap();
        self.before_last = self.lines.len();
        for line in code.strip_suffix('\n').unwrap_or(&code).split('\n') {
            let mut shown = StyledLine::of(CODE, Style::default());
            shown.push(line, Style::coloured(Colour::Cyan));
            self.put(&shown);
        }
        // The line behind the last line end is not whole.
        self.certain = code.matches('\n').count();
        self.is_apart = true;
    }

    /// Ends the piece of text that was read, if there is one.
    fn flush(&mut self) {
        let inline = std::mem::take(&mut self.inline);
        let text = inline.text();
        if text.trim().is_empty() || self.table.is_some() {
            return;
        }
        self.gap();
        let (first, rest) = (self.first(), self.rest());
        self.before_last = self.lines.len();
        let lines = wrap(&inline, self.width, &first, &rest);
        let settled = settled(&inline);
        self.certain = if settled == text.len() {
            lines.len().saturating_sub(1)
        } else {
            wrap(&start_of(&inline, settled), self.width, &first, &rest).len().saturating_sub(1)
        };
        self.lines.extend(lines);
    }

    fn gap(&mut self) {
        if std::mem::take(&mut self.is_apart) && !self.lines.is_empty() {
            let rest = self.rest();
            self.lines.push(rest);
        }
    }

    fn put(&mut self, line: &StyledLine) {
        let first = self.first();
        self.lines.push(joined(&first, line));
    }

    /// What stands before the next line, once.
    fn first(&mut self) -> StyledLine {
        let mut before = StyledLine::default();
        for container in &mut self.containers {
            let part = container.first.take();
            before = joined(&before, part.as_ref().unwrap_or(&container.rest));
        }
        before
    }

    /// What stands before all other lines.
    fn rest(&self) -> StyledLine {
        self.containers
            .iter()
            .fold(StyledLine::default(), |before, container| joined(&before, &container.rest))
    }

    fn room(&self) -> usize {
        self.width.saturating_sub(self.rest().width())
    }
}

fn joined(left: &StyledLine, right: &StyledLine) -> StyledLine {
    let mut line = left.clone();
    for span in &right.0 {
        line.push(&span.text, span.style);
    }
    line
}

/// The first `bytes` of a line.
fn start_of(line: &StyledLine, bytes: usize) -> StyledLine {
    let mut start = StyledLine::default();
    let mut left = bytes;
    for span in &line.0 {
        let part = span.text.get(..left.min(span.text.len())).unwrap_or(&span.text);
        start.push(part, span.style);
        left -= part.len();
        if left == 0 {
            break;
        }
    }
    start
}

/// How many bytes of a paragraph mean the same whatever comes behind it: up to a marker that could still have a partner.
fn settled(inline: &StyledLine) -> usize {
    let text = inline.text();
    // It may become the head of a table.
    let first = text.lines().next().unwrap_or_default();
    if first.starts_with('|') || first.contains(" | ") {
        return 0;
    }
    let bytes = text.as_bytes();
    let mut at = 0;
    for span in &inline.0 {
        let is_code = span.style.colour == Some(Colour::Cyan);
        for (offset, character) in span.text.char_indices() {
            let place = at + offset;
            if !is_code && is_open(character, place, &text, bytes) {
                return place;
            }
        }
        at += span.text.len();
    }
    text.len()
}

fn is_open(character: char, place: usize, text: &str, bytes: &[u8]) -> bool {
    let behind = text.get(place + character.len_utf8()..).unwrap_or_default();
    let next = behind.chars().next();
    let before = place.checked_sub(1).and_then(|place| bytes.get(place)).copied();
    match character {
        '*' | '~' => next.is_none_or(|next| !next.is_whitespace()),
        '_' => {
            next.is_none_or(|next| !next.is_whitespace())
                && !before.is_some_and(|before| before.is_ascii_alphanumeric())
        }
        '`' => true,
        '[' => behind.find(']').is_none_or(|end| {
            behind.get(end + 1..).is_none_or(|after| after.is_empty() || after.starts_with('('))
        }),
        '<' => {
            next.is_none_or(|next| next.is_ascii_alphabetic() || matches!(next, '/' | '!' | '?'))
                && !behind.contains('>')
        }
        '&' => behind.len() < ENTITY && !behind.contains([';', ' ', '\n']),
        '\\' => next.is_none(),
        _ => false,
    }
}
