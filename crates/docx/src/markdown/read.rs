//! The body as blocks.
//!
//! What blocks cannot hold is told in words, and named in the warnings.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use engross_xml::{Document, NodeId};

use super::anchors::slug;
use super::inline::InlineReader;
use crate::document::WordDocument;
use crate::error::Error;
use crate::model::{FieldContext, View, fields_at_start, mark_revisions, paragraphs};
use crate::names::{
    BOOKMARK_START, BOTTOM, CUSTOM_XML, DEL, GRID_SPAN, IND, INS, JC, LEFT, MOVE_FROM, MOVE_TO, NAME, P,
    P_BDR, P_PR, SDT, SDT_CONTENT, START, TBL, TBL_HEADER, TC, TC_PR, TOP, TR, TR_PR, V_MERGE, VAL,
};
use crate::numbering::{Counter, Marker, NumberFormat, paragraph_numbering};
use crate::styles::Styles;
use crate::text::{
    Block, BlockKind, ColumnAlignment, Enclosure, Item, ItemMarker, LinkDestination, StyledText, Table,
    literal,
};

/// Styles of paragraphs that are code, by their names in small letters.
const CODE_STYLES: &[&str] = &["html preformatted", "source code", "code", "code block"];
const QUOTE_STYLES: &[&str] = &["quote", "intense quote", "block text", "quotations"];

/// What a body says.
pub(super) struct BodyReading {
    pub(super) blocks: Vec<Block<StyledText>>,
    /// What the blocks do not say.
    pub(super) warnings: Vec<String>,
    /// The names that the blocks have for pictures, and the parts with their files.
    pub(super) pictures: BTreeMap<String, String>,
}

/// The body as blocks, and what they do not say.
pub(super) struct BodyReader<'a> {
    document: &'a Document,
    styles: &'a Styles,
    view: View,
    numbering: &'a crate::numbering::Numbering,
    counter: Counter<'a>,
    fields: HashMap<NodeId, FieldContext>,
    inline: InlineReader<'a>,
    /// Headings, and the names that links have for them.
    headings: BTreeMap<NodeId, String>,
    blocks: Vec<Block<StyledText>>,
    warnings: Vec<String>,
}

impl<'a> BodyReader<'a> {
    pub(super) fn new(source: &'a WordDocument, view: View) -> Result<Self, Error> {
        let (document, body, styles, numbering) = source.for_markdown();
        let fields = fields_at_start(document, &paragraphs(document, body));
        Ok(Self {
            document,
            styles,
            view,
            numbering,
            counter: Counter::new(numbering, styles),
            fields,
            inline: InlineReader::new(source, view)?,
            headings: BTreeMap::new(),
            blocks: Vec::new(),
            warnings: Vec::new(),
        })
    }

    pub(super) fn read(mut self, body: NodeId) -> BodyReading {
        self.container(body);
        self.name_anchors(body);
        self.warnings.append(&mut self.inline.warnings);
        let mut told = Vec::new();
        self.warnings.retain(|warning| {
            let is_new = !told.contains(warning);
            told.push(warning.clone());
            is_new
        });
        BodyReading { blocks: self.blocks, warnings: self.warnings, pictures: self.inline.pictures }
    }

    /// Links to bookmarks of headings name the heading, as Markdown does. Of headings with the same words only the first is meant.
    fn name_anchors(&mut self, body: NodeId) {
        let mut names = BTreeMap::new();
        let mut taken = BTreeSet::new();
        let document = self.document;
        let mut nodes: Vec<NodeId> = document.descendants(body).collect();
        nodes.retain(|node| self.headings.contains_key(node));
        for node in nodes {
            let Some(slug) = self.headings.get(&node).filter(|slug| taken.insert(slug.as_str())) else {
                continue;
            };
            for start in document.descendants(node).filter(|node| document.name(*node) == BOOKMARK_START) {
                let name = document.attribute(start, NAME).unwrap_or_default();
                names.insert(name.into_owned(), slug.clone());
            }
        }
        if names.is_empty() {
            return;
        }
        let named = |mut text: StyledText| {
            for link in &mut text.links {
                if let LinkDestination::Anchor(anchor) = &mut link.target
                    && let Some(slug) = names.get(anchor.as_str())
                {
                    anchor.clone_from(slug);
                }
            }
            text
        };
        let blocks = std::mem::take(&mut self.blocks);
        self.blocks = blocks.into_iter().map(|block| block.map(named)).collect();
    }

    // Depth is bounded by the XML parser's limit.
    fn container(&mut self, parent: NodeId) {
        for child in self.document.children(parent) {
            match self.document.name(child) {
                P => self.paragraph(child),
                TBL => self.table(child),
                SDT => {
                    if let Some(content) = self.document.child(child, SDT_CONTENT) {
                        self.container(content);
                    }
                }
                CUSTOM_XML | INS | DEL | MOVE_FROM | MOVE_TO => self.container(child),
                _ => {}
            }
        }
    }

    /// The content of a paragraph, and what stands in boxes in it.
    fn content(&mut self, node: NodeId) -> StyledText {
        self.inline.paragraph(node, self.fields.get(&node))
    }

    fn paragraph(&mut self, node: NodeId) {
        let text = self.content(node);
        if text.text.is_empty() && self.is_gone(node) {
            return;
        }
        let list = paragraph_numbering(self.document, node, self.styles, self.numbering);
        let marker = list.and_then(|(id, level)| self.counter.next(id, level));
        let style = self.styles.of_paragraph(self.document, node);
        let name = style.and_then(|style| self.styles.name(style)).unwrap_or_default().to_lowercase();
        let heading =
            style.and_then(|style| self.styles.outline_level(style)).filter(|_| !text.text.is_empty());
        let block = match (heading, marker) {
            (Some(level), marker) => {
                let number = marker.map(|marker| marker.text).filter(|number| !number.is_empty());
                let mut whole =
                    number.map_or_else(StyledText::default, |number| literal(&format!("{number} ")));
                whole.append(text);
                self.headings.insert(node, slug(&whole.text));
                Block::new(BlockKind::Heading(level + 1, whole))
            }
            (None, Some(marker)) => self.item(&marker, text),
            (None, None) => self.plain(node, &name, text),
        };
        if !matches!(&block.kind, BlockKind::Paragraph(text) if text.text.is_empty()) {
            self.blocks.extend(pages_apart(block));
        }
        for box_text in std::mem::take(&mut self.inline.boxes) {
            self.blocks.push(Block { quote: 1, within: None, kind: BlockKind::Paragraph(box_text) });
        }
    }

    /// Whether the view does not show the paragraph's border.
    fn is_gone(&self, node: NodeId) -> bool {
        mark_revisions(self.document, node).any(|mark| {
            matches!(
                (self.document.name(mark), self.view),
                (DEL | MOVE_FROM, View::Accepted) | (INS | MOVE_TO, View::Original)
            )
        })
    }

    fn item(&mut self, marker: &Marker, text: StyledText) -> Block<StyledText> {
        let number = u32::try_from(marker.number).unwrap_or(1);
        let shown = marker.text.trim();
        let steps = shown.trim_end_matches('.').split('.').filter(|step| step.parse::<u32>().is_ok()).count();
        let bare = shown.trim_matches(['(', ')', '.']);
        let kind = match marker.format {
            _ if marker.bullet => Some(ItemMarker::Bullet),
            _ if steps > 1 && usize::from(marker.level) + 1 == steps => Some(ItemMarker::Legal(number)),
            NumberFormat::Decimal if bare == number.to_string() => Some(ItemMarker::Decimal(number)),
            NumberFormat::LowerLetter if bare.len() == 1 => Some(ItemMarker::LowerLetter(number)),
            NumberFormat::UpperLetter if bare.len() == 1 => Some(ItemMarker::UpperLetter(number)),
            NumberFormat::LowerRoman if !bare.contains([' ', '.']) => Some(ItemMarker::LowerRoman(number)),
            NumberFormat::UpperRoman if !bare.contains([' ', '.']) => Some(ItemMarker::UpperRoman(number)),
            _ => None,
        };
        let Some(kind) = kind else {
            self.warnings
                .push("numbers that no Markdown list has are typed before their paragraphs".to_owned());
            let mut whole =
                if shown.is_empty() { StyledText::default() } else { literal(&format!("{shown} ")) };
            whole.append(text);
            return Block::new(BlockKind::Paragraph(whole));
        };
        let enclosure = match kind {
            ItemMarker::Legal(_) => Enclosure::Legal,
            _ if shown.starts_with('(') && shown.ends_with(')') => Enclosure::Parentheses,
            _ if shown.ends_with(')') => Enclosure::Parenthesis,
            _ => Enclosure::Period,
        };
        let boxed = |sign: &str| marker.bullet && text.text.starts_with(sign);
        let (task, text) = match (boxed("☐ "), boxed("☒ ")) {
            (true, _) => (Some(false), text.slice("☐ ".len()..text.text.len())),
            (_, true) => (Some(true), text.slice("☒ ".len()..text.text.len())),
            _ => (None, text),
        };
        Block::new(BlockKind::Item(Item { level: marker.level, marker: kind, enclosure, task, text }))
    }

    fn plain(&mut self, node: NodeId, style: &str, text: StyledText) -> Block<StyledText> {
        let properties = self.document.child(node, P_PR);
        let indent = properties.and_then(|properties| self.document.child(properties, IND));
        let left = indent.and_then(|indent| {
            let left =
                self.document.attribute(indent, LEFT).or_else(|| self.document.attribute(indent, START))?;
            left.trim().parse::<u32>().ok()
        });
        let quote = match (QUOTE_STYLES.contains(&style), left) {
            (false, _) => 0,
            (true, Some(left)) => u8::try_from(left / 720).unwrap_or(1).clamp(1, 9),
            (true, None) => 1,
        };
        let ruled =
            properties.and_then(|properties| self.document.child(properties, P_BDR)).is_some_and(|borders| {
                self.document.child(borders, BOTTOM).is_some() || self.document.child(borders, TOP).is_some()
            });
        let kind = match style {
            _ if ruled && text.text.is_empty() => BlockKind::Rule,
            _ if text.text.is_empty() => BlockKind::Paragraph(text),
            style if CODE_STYLES.contains(&style) => return self.code(text, quote),
            "definition term" => BlockKind::Term(text),
            "definition" => BlockKind::Definition(text),
            _ => BlockKind::Paragraph(text),
        };
        let after_item = self.blocks.last().and_then(|last| match &last.kind {
            BlockKind::Item(item) => Some(item.level),
            _ => last.within,
        });
        // A paragraph that is as far in as the text of the item before it goes on that item.
        let within = left.zip(after_item).and_then(|(left, level)| {
            let own = left.checked_sub(720).map(|rest| rest / 360)?;
            (quote == 0 && matches!(kind, BlockKind::Paragraph(_))).then_some(())?;
            Some(u8::try_from(own).unwrap_or(8).min(level))
        });
        Block { quote, within, kind }
    }

    /// Code; paragraphs of code that follow each other are one.
    fn code(&mut self, text: StyledText, quote: u8) -> Block<StyledText> {
        let code = match self.blocks.last() {
            Some(Block { quote: known, kind: BlockKind::Code(_), .. }) if *known == quote => {
                match self.blocks.pop().map(|block| block.kind) {
                    Some(BlockKind::Code(before)) => format!("{before}\n{}", text.text),
                    _ => text.text,
                }
            }
            _ => text.text,
        };
        Block { quote, within: None, kind: BlockKind::Code(code) }
    }

    fn table(&mut self, node: NodeId) {
        let mut rows: Vec<(Vec<StyledText>, bool)> = Vec::new();
        let mut columns: Vec<Vec<ColumnAlignment>> = Vec::new();
        for row in below(self.document, node, TR) {
            let properties = self.document.child(row, TR_PR);
            let has =
                |name| properties.is_some_and(|properties| self.document.child(properties, name).is_some());
            let hidden = self.view == View::Accepted && has(DEL) || self.view == View::Original && has(INS);
            if hidden {
                continue;
            }
            let is_head = has(TBL_HEADER);
            let mut cells = Vec::new();
            for cell in below(self.document, row, TC) {
                let column = cells.len();
                cells.push(self.cell(cell));
                if columns.len() <= column {
                    columns.push(Vec::new());
                }
                if let Some(column) = columns.get_mut(column) {
                    column.push(alignment(self.document, cell));
                }
                let properties = self.document.child(cell, TC_PR);
                let span = properties.and_then(|properties| self.document.child(properties, GRID_SPAN));
                let span =
                    span.and_then(|span| self.document.attribute(span, VAL)?.trim().parse::<usize>().ok());
                for _ in 1..span.unwrap_or(1).min(100) {
                    cells.push(StyledText::default());
                    self.warnings.push("cells that span others are told as cells of their own".to_owned());
                }
                let merged = properties.and_then(|properties| self.document.child(properties, V_MERGE));
                if merged.is_some() {
                    self.warnings.push("cells that span others are told as cells of their own".to_owned());
                }
            }
            rows.push((cells, is_head));
        }
        let width = rows.iter().map(|(row, _)| row.len()).max().unwrap_or_default();
        let Some((first, marked)) = rows.first() else { return };
        if width == 0 {
            return;
        }
        let is_bold = |text: &StyledText| {
            text.text.trim().is_empty() || text.marks_at(text.text.len() - text.text.trim_start().len()).bold
        };
        let has_head = *marked || rows.len() > 1 && first.iter().all(is_bold);
        let alignments: Vec<ColumnAlignment> = columns
            .iter()
            .map(|column| {
                let first = column.first().copied().unwrap_or(ColumnAlignment::Unsaid);
                if column.iter().all(|own| *own == first) { first } else { ColumnAlignment::Unsaid }
            })
            .collect();
        let rows = rows.into_iter().enumerate().map(|(number, (mut row, _))| {
            row.resize(width, StyledText::default());
            if number == 0 && has_head {
                // A head is bold without saying so.
                row.iter_mut().for_each(|cell| {
                    cell.spans.iter_mut().for_each(|span| span.marks.bold = false);
                    cell.spans.retain(|span| !span.marks.is_empty());
                });
            }
            row
        });
        let table = Table { rows: rows.collect(), has_head, alignments };
        self.blocks.push(Block::new(BlockKind::Table(table)));
        for box_text in std::mem::take(&mut self.inline.boxes) {
            self.blocks.push(Block { quote: 1, within: None, kind: BlockKind::Paragraph(box_text) });
        }
    }

    /// The text of a cell, its paragraphs as lines. A table in it is told as lines, too.
    fn cell(&mut self, cell: NodeId) -> StyledText {
        let mut all = StyledText::default();
        for node in paragraphs(self.document, cell) {
            let inner = self.document.ancestors(node).take_while(|above| *above != cell);
            if inner.into_iter().any(|above| self.document.name(above) == TBL) {
                self.warnings.push("a table in a cell of another is told as lines of that cell".to_owned());
            }
            let list = paragraph_numbering(self.document, node, self.styles, self.numbering);
            let marker = list.and_then(|(id, level)| self.counter.next(id, level));
            let text = self.content(node);
            if text.text.is_empty() {
                continue;
            }
            if !all.text.is_empty() {
                all.append(literal("\n"));
            }
            if let Some(marker) = marker.filter(|marker| !marker.text.is_empty()) {
                let sign = if marker.bullet { "•" } else { marker.text.as_str() };
                all.append(literal(&format!("{sign} ")));
                self.warnings.push("lists in cells are told with typed markers".to_owned());
            }
            all.append(text);
        }
        all
    }
}

/// Children of a name, controls around them looked through.
fn below(document: &Document, parent: NodeId, name: engross_xml::QName) -> Vec<NodeId> {
    let mut found = Vec::new();
    for child in document.children(parent) {
        match document.name(child) {
            own if own == name => found.push(child),
            SDT | SDT_CONTENT | CUSTOM_XML => found.extend(below(document, child, name)),
            _ => {}
        }
    }
    found
}

fn alignment(document: &Document, cell: NodeId) -> ColumnAlignment {
    let paragraph = paragraphs(document, cell).first().copied();
    let properties = paragraph.and_then(|paragraph| document.child(paragraph, P_PR));
    let value = properties.and_then(|properties| document.attribute(document.child(properties, JC)?, VAL));
    match value.as_deref() {
        Some("left" | "start") => ColumnAlignment::Left,
        Some("center") => ColumnAlignment::Center,
        Some("right" | "end") => ColumnAlignment::Right,
        _ => ColumnAlignment::Unsaid,
    }
}

/// A paragraph with page breaks at its ends as blocks of which each break is one.
fn pages_apart(block: Block<StyledText>) -> Vec<Block<StyledText>> {
    const BREAK: char = '\u{C}';
    let BlockKind::Paragraph(text) = &block.kind else { return vec![block] };
    let before = text.text.len() - text.text.trim_start_matches(BREAK).len();
    let inner = text.text.trim_matches(BREAK).len();
    let behind = text.text.len() - before - inner;
    let page = || Block::new(BlockKind::Paragraph(literal(&BREAK.to_string())));
    let mut blocks: Vec<Block<StyledText>> = (0..before).map(|_| page()).collect();
    if inner > 0 {
        let own = text.slice(before..before + inner);
        blocks.push(Block { kind: BlockKind::Paragraph(own), ..block });
        blocks.extend((0..behind).map(|_| page()));
    }
    blocks
}
