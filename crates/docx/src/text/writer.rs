//! Blocks as Markdown that is read back as the very blocks.
//!
//! Signs are used where they are read as meant, tags of HTML elsewhere, and a backslash where text would be taken for a marker:
//! each is tried by reading it. Must never add a character to the text.

use std::collections::BTreeMap;

use super::block_parser::{LineEnds, parse_blocks};
use super::blocks::{Block, BlockKind, Item};
use super::constructs::Definitions;
use super::markdown::{escape, parse_inline_with};
use super::markers::{Enclosure, ItemMarker, number_of};
use super::styled::{InlineObject, LinkDestination, Marks, NoteKind, OBJECT, StyledText};
use super::tables::{ColumnAlignment, Table};

/// Columns of white space for each level of a list.
const INDENT: &str = "    ";

/// Blocks as Markdown; what notes say stands behind them.
pub(crate) fn write_blocks(blocks: &[Block<StyledText>]) -> String {
    let mut writer = Writer::default();
    let mut before: Option<&Block<StyledText>> = None;
    for block in blocks {
        writer.block(block, before);
        before = Some(block);
    }
    let notes = std::mem::take(&mut writer.notes);
    for (label, paragraphs) in notes {
        let paragraphs: Vec<String> =
            paragraphs.iter().map(|text| writer.inline(text).replace('\n', " ")).collect();
        writer.start(false);
        writer.out.push_str(&format!("[^{label}]: {}", paragraphs.join("\n\n    ")));
    }
    writer.out
}

#[derive(Default)]
struct Writer {
    out: String,
    /// What notes say, by their labels, in order.
    notes: Vec<(String, Vec<StyledText>)>,
    counts: [usize; 2],
    /// The numbers of the open levels of a list.
    numbers: Vec<u32>,
}

impl Writer {
    fn start(&mut self, close: bool) {
        if !self.out.is_empty() {
            self.out.push_str(if close { "\n" } else { "\n\n" });
        }
    }

    fn block(&mut self, block: &Block<StyledText>, before: Option<&Block<StyledText>>) {
        let is_item = |block: &Block<StyledText>| matches!(block.kind, BlockKind::Item(_));
        let is_definition = |block: &Block<StyledText>| matches!(block.kind, BlockKind::Definition(_));
        let close = before.is_some_and(|before| {
            let items = is_item(before) && is_item(block) && before.within.is_none();
            before.quote == block.quote && (items || is_definition(block))
        });
        let same_quote = before.is_some_and(|before| before.quote == block.quote && block.quote > 0);
        let text = self.lines_of(block);
        let prefix = "> ".repeat(usize::from(block.quote));
        if same_quote && !close {
            self.out.push_str(&format!("\n{}", prefix.trim_end()));
        }
        self.start(close || same_quote);
        let lines: Vec<String> = text.split('\n').map(|line| format!("{prefix}{line}")).collect();
        let lines = lines.iter().map(|line| if prefix.is_empty() { line.as_str() } else { line.trim_end() });
        self.out.push_str(&lines.collect::<Vec<_>>().join("\n"));
    }

    fn lines_of(&mut self, block: &Block<StyledText>) -> String {
        let text = match &block.kind {
            BlockKind::Paragraph(text) if text.text == "\u{C}" => "\\newpage".to_owned(),
            BlockKind::Paragraph(text) | BlockKind::Term(text) => self.paragraph(text),
            BlockKind::Heading(level, text) => {
                let text = self.inline(text).replace('\n', "<br>");
                // Signs at the end of a heading close it.
                let text = match text.strip_suffix('#') {
                    Some(bare) => format!("{bare}\\#"),
                    None => text,
                };
                return format!("{} {text}", "#".repeat(usize::from(*level)));
            }
            BlockKind::Item(item) => return self.item(item),
            BlockKind::Table(table) => self.table(table),
            BlockKind::Code(code) => {
                let longest = code.split(|c| c != '`').map(str::len).max().unwrap_or_default();
                let fence = "`".repeat((longest + 1).max(3));
                format!("{fence}\n{code}\n{fence}")
            }
            BlockKind::Rule => "---".to_owned(),
            BlockKind::Definition(text) => format!(": {}", self.paragraph(text).replace('\n', "<br>")),
        };
        match block.within {
            Some(level) => {
                let indent = INDENT.repeat(usize::from(level) + 1);
                text.split('\n').map(|line| format!("{indent}{line}")).collect::<Vec<_>>().join("\n")
            }
            None => text,
        }
    }

    fn paragraph(&mut self, text: &StyledText) -> String {
        let lines: Vec<String> = self.inline(text).split('\n').map(at_line_start).collect();
        lines.join("\n")
    }

    fn item(&mut self, item: &Item<StyledText>) -> String {
        let indent = INDENT.repeat(usize::from(item.level));
        let level = usize::from(item.level);
        self.numbers.truncate(level);
        self.numbers.resize(level, 1);
        self.numbers.push(number_of(item.marker));
        let marker = match item.enclosure {
            Enclosure::Legal => {
                let steps: Vec<String> = self.numbers.iter().map(u32::to_string).collect();
                steps.join(".")
            }
            _ => marker(item.marker, item.enclosure),
        };
        let task = match item.task {
            Some(true) => "[x] ",
            Some(false) => "[ ] ",
            None => "",
        };
        let text = self.inline(&item.text);
        // A break in an item is told as one, so that nothing begins behind it.
        let text = text.replace('\n', "<br>");
        format!("{indent}{marker} {task}{text}")
    }

    fn table(&mut self, table: &Table<StyledText>) -> String {
        let columns = table.rows.first().map_or(0, Vec::len).max(1);
        let rule = |column: usize| match table.alignments.get(column) {
            Some(ColumnAlignment::Left) => " :-- |",
            Some(ColumnAlignment::Center) => " :-: |",
            Some(ColumnAlignment::Right) => " --: |",
            _ => " --- |",
        };
        let rule = format!("|{}", (0..columns).map(rule).collect::<String>());
        let mut lines = Vec::new();
        if !table.has_head {
            lines.push(format!("|{}", "  |".repeat(columns)));
            lines.push(rule.clone());
        }
        for (number, row) in table.rows.iter().enumerate() {
            let cell = |text: &StyledText| {
                let text = self.inline(text).replace('\n', "<br>");
                format!(" {} |", with_bars_escaped(text.trim()))
            };
            lines.push(format!("|{}", row.iter().map(cell).collect::<String>()));
            if number == 0 && table.has_head {
                lines.push(rule.clone());
            }
        }
        lines.join("\n")
    }

    /// A text as inline Markdown: with signs where they mean it, else with tags.
    fn inline(&mut self, text: &StyledText) -> String {
        let text = &trimmed(text);
        let first_note = self.counts;
        let signs = self.rendered(text, false);
        if text.spans.is_empty() && text.links.is_empty() && text.objects.is_empty() {
            return signs;
        }
        let definitions = Definitions {
            notes: self.notes.iter().map(|(label, _)| (label.clone(), Vec::new())).collect(),
            links: BTreeMap::new(),
        };
        let read = parse_inline_with(&signs, &definitions);
        if read.text == text.text && read.spans == text.spans && read.links == text.links {
            return signs;
        }
        let known: usize = first_note.iter().sum();
        self.notes.truncate(known);
        self.counts = first_note;
        self.rendered(text, true)
    }

    fn rendered(&mut self, text: &StyledText, with_tags: bool) -> String {
        let mut cuts: Vec<usize> = vec![0, text.text.len()];
        cuts.extend(text.spans.iter().flat_map(|span| [span.range.start, span.range.end]));
        cuts.extend(text.links.iter().flat_map(|link| [link.range.start, link.range.end]));
        cuts.extend(text.objects.iter().flat_map(|placed| [placed.at, placed.at + OBJECT.len_utf8()]));
        cuts.sort_unstable();
        cuts.dedup();
        let mut out = String::new();
        for pair in cuts.windows(2) {
            let [from, to] = pair else { continue };
            let words = text.text.get(*from..*to).unwrap_or_default();
            let link = text.links.iter().find(|link| link.range.contains(from));
            if link.is_some_and(|link| link.range.start == *from) {
                out.push('[');
            }
            match text.objects.iter().find(|placed| placed.at == *from).map(|placed| &placed.object) {
                Some(object) => out.push_str(&self.object(object)),
                None => out.push_str(&marked(words, text.marks_at(*from), with_tags)),
            }
            if let Some(link) = link.filter(|link| link.range.end == *to) {
                out.push_str(&format!("]({})", destination(&link.target)));
            }
        }
        out
    }

    fn object(&mut self, object: &InlineObject) -> String {
        match object {
            InlineObject::Image(image) => {
                let alternative = image.alternative.replace(['[', ']', '\n', '*', '`'], " ");
                format!(
                    "![{}]({})",
                    alternative.trim(),
                    destination(&LinkDestination::Url(image.source.clone()))
                )
            }
            InlineObject::Note(kind, content) => {
                let [footnotes, endnotes] = &mut self.counts;
                let label = match kind {
                    NoteKind::Footnote => {
                        *footnotes += 1;
                        footnotes.to_string()
                    }
                    NoteKind::Endnote => {
                        *endnotes += 1;
                        format!("end{endnotes}")
                    }
                };
                self.notes.push((label.clone(), content.clone()));
                format!("[^{label}]")
            }
        }
    }
}

/// A text whose bold and italic stretches neither begin nor end with white space, where nobody sees them.
fn trimmed(text: &StyledText) -> StyledText {
    let mut out = text.clone();
    for span in &mut out.spans {
        let own = text.text.get(span.range.clone()).unwrap_or_default();
        let seen = span.marks.underline || span.marks.strike || span.marks.highlight || span.marks.code;
        if !seen {
            let start = span.range.start + own.len() - own.trim_start().len();
            span.range = start..start + own.trim().len();
        }
    }
    out.spans.retain(|span| !span.range.is_empty());
    out
}

fn marked(text: &str, marks: Marks, with_tags: bool) -> String {
    if marks.code && !with_tags && !text.contains(['`', '\n']) && !text.trim().is_empty() {
        let pad = if text.starts_with(' ') || text.ends_with(' ') { " " } else { "" };
        return wrapped(format!("`{pad}{text}{pad}`"), Marks { code: false, ..marks }, false);
    }
    wrapped(escape(text), marks, with_tags)
}

fn wrapped(text: String, marks: Marks, with_tags: bool) -> String {
    let marks = [
        (marks.code, "", "code"),
        (marks.subscript, "~", "sub"),
        (marks.superscript, "^", "sup"),
        (marks.highlight, "==", "mark"),
        (marks.strike, "~~", "s"),
        (marks.underline, "++", "u"),
        (marks.italic, "*", "i"),
        (marks.bold, "**", "b"),
    ];
    marks.into_iter().filter(|(on, ..)| *on).fold(text, |text, (_, sign, tag)| {
        if with_tags || sign.is_empty() {
            format!("<{tag}>{text}</{tag}>")
        } else {
            format!("{sign}{text}{sign}")
        }
    })
}

fn destination(target: &LinkDestination) -> String {
    let text = match target {
        LinkDestination::Url(address) => address.clone(),
        LinkDestination::Anchor(name) => format!("#{name}"),
        LinkDestination::Nowhere => String::new(),
    };
    let encoded = text.replace(' ', "%20").replace('<', "%3C").replace('>', "%3E").replace(']', "%5D");
    let balanced = encoded.matches('(').count() == encoded.matches(')').count();
    if balanced { encoded } else { encoded.replace('(', "%28").replace(')', "%29") }
}

fn marker(marker: ItemMarker, enclosure: Enclosure) -> String {
    let letter = |first: u8, number: u32| {
        let number = u8::try_from((number.max(1) - 1) % 26).unwrap_or_default();
        char::from(first + number).to_string()
    };
    let number = match marker {
        ItemMarker::Bullet => return "-".to_owned(),
        ItemMarker::Decimal(number) | ItemMarker::Legal(number) => number.to_string(),
        ItemMarker::LowerLetter(number) => letter(b'a', number),
        ItemMarker::UpperLetter(number) => letter(b'A', number),
        ItemMarker::LowerRoman(number) => roman(number),
        ItemMarker::UpperRoman(number) => roman(number).to_uppercase(),
    };
    match enclosure {
        Enclosure::Period | Enclosure::Legal => format!("{number}."),
        Enclosure::Parenthesis => format!("{number})"),
        Enclosure::Parentheses => format!("({number})"),
    }
}

fn roman(number: u32) -> String {
    let steps = [
        (1000, "m"),
        (900, "cm"),
        (500, "d"),
        (400, "cd"),
        (100, "c"),
        (90, "xc"),
        (50, "l"),
        (40, "xl"),
        (10, "x"),
        (9, "ix"),
        (5, "v"),
        (4, "iv"),
        (1, "i"),
    ];
    let mut rest = number.clamp(1, 3999);
    let mut out = String::new();
    for (worth, digits) in steps {
        while rest >= worth {
            out.push_str(digits);
            rest -= worth;
        }
    }
    out
}

fn with_bars_escaped(text: &str) -> String {
    text.replace('|', "\\|")
}

/// A line that would begin a block is told apart from one.
fn at_line_start(line: &str) -> String {
    let read = parse_blocks(line, LineEnds::Breaks);
    let is_paragraph = matches!(
        read.blocks.as_slice(),
        [Block { quote: 0, within: None, kind: BlockKind::Paragraph(text) }] if text == line
    );
    let only_signs = line.len() > 1 && line.chars().all(|c| "=-|: ".contains(c));
    if (is_paragraph || line.is_empty()) && !only_signs && !line.starts_with(['|', ':', '>']) {
        return line.to_owned();
    }
    let first = line.chars().next().unwrap_or_default();
    match first {
        '•' => format!("&bull;{}", line.get(first.len_utf8()..).unwrap_or_default()),
        '–' => format!("&ndash;{}", line.get(first.len_utf8()..).unwrap_or_default()),
        // A number or letter: what stands behind it makes a marker of it.
        c if c.is_alphanumeric() => match line.find(['.', ')']) {
            Some(at) => {
                format!("{}\\{}", line.get(..at).unwrap_or_default(), line.get(at..).unwrap_or_default())
            }
            None => line.to_owned(),
        },
        c if c.is_whitespace() => line.to_owned(),
        _ => format!("\\{line}"),
    }
}
