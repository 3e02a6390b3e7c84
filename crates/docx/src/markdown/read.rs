//! The body as blocks.
//!
//! What blocks cannot hold is told in words, and named in the warnings.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use engross_xml::{Document, NodeId};

use super::inline::{InlineReader, slug};
use super::source::BodySource;
use crate::model::{FieldContext, View, fields_at_start, mark_revisions, paragraphs};
use crate::names::{
    BOOKMARK_START, BOTTOM, CUSTOM_XML, DEL, GRID_SPAN, IND, INS, JC, LEFT, MOVE_FROM, MOVE_TO, NAME, P,
    P_BDR, P_PR, SDT, SDT_CONTENT, START, TBL, TBL_HEADER, TC, TC_PR, TOP, TR, TR_PR, V_MERGE, VAL,
};
use crate::numbering::{Counter, Marker, NumberFormat, paragraph_numbering};
use crate::styles::Styles;
use crate::text::{
    Block, BlockKind, ColumnAlignment, Enclosure, Item, ItemMarker, LinkDestination, StyledText, Table,
    literal, number_of,
};

/// Styles of paragraphs that are code, by their names in small letters.
const CODE_STYLES: &[&str] = &["html preformatted", "source code", "code", "code block"];
const QUOTE_STYLES: &[&str] = &["quote", "intense quote", "block text", "quotations"];

/// Where in the body a block stands.
#[derive(Debug, Clone, Default)]
pub(super) struct BlockSource {
    /// Its paragraphs; of a table those of all cells.
    pub(super) paragraphs: Vec<NodeId>,
    /// Of a table: the paragraphs of each cell that the block has, row by row.
    pub(super) cells: Vec<Vec<Vec<NodeId>>>,
    /// The number before its text that Word makes and the block has as text.
    pub(super) number: String,
    /// Whether it is less than its paragraph, or stands in a box of it.
    pub(super) is_part: bool,
}

/// What a body says.
pub(super) struct BodyReading {
    pub(super) blocks: Vec<Block<StyledText>>,
    /// Where each of them stands.
    pub(super) sources: Vec<BlockSource>,
    /// Paragraphs of the body that say nothing and are no block.
    pub(super) blanks: Vec<NodeId>,
    /// The bookmarks of headings, by the names that links have for them.
    pub(super) anchors: BTreeMap<String, String>,
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
    sources: Vec<BlockSource>,
    blanks: Vec<NodeId>,
    /// The numbers of the items that are open, one for each level.
    open: Vec<u32>,
    warnings: Vec<String>,
}

impl<'a> BodyReader<'a> {
    pub(super) fn new(source: &'a BodySource<'a>, view: View) -> Self {
        let BodySource { document, body, styles, numbering, .. } = *source;
        let fields = fields_at_start(document, &paragraphs(document, body));
        Self {
            document,
            styles,
            view,
            numbering,
            counter: Counter::new(numbering, styles),
            fields,
            inline: InlineReader::new(source, view),
            headings: BTreeMap::new(),
            blocks: Vec::new(),
            sources: Vec::new(),
            blanks: Vec::new(),
            open: Vec::new(),
            warnings: Vec::new(),
        }
    }

    pub(super) fn read(mut self, body: NodeId) -> BodyReading {
        self.container(body);
        let anchors = self.name_anchors(body);
        self.warnings.append(&mut self.inline.warnings);
        let mut told = Vec::new();
        self.warnings.retain(|warning| {
            let is_new = !told.contains(warning);
            told.push(warning.clone());
            is_new
        });
        BodyReading {
            blocks: self.blocks,
            sources: self.sources,
            blanks: self.blanks,
            anchors,
            warnings: self.warnings,
            pictures: self.inline.pictures,
        }
    }

    fn push(&mut self, block: Block<StyledText>, source: BlockSource) {
        match &block.kind {
            BlockKind::Item(item) => {
                self.open.truncate(usize::from(item.level));
                self.open.resize(usize::from(item.level), 0);
                self.open.push(number_of(item.marker));
            }
            _ if block.within.is_none() => self.open.clear(),
            _ => {}
        }
        self.blocks.push(block);
        self.sources.push(source);
    }

    /// What boxes say that stand in the paragraphs of a block.
    fn push_boxes(&mut self, paragraphs: &[NodeId]) {
        for text in std::mem::take(&mut self.inline.boxes) {
            let source =
                BlockSource { paragraphs: paragraphs.to_vec(), is_part: true, ..BlockSource::default() };
            self.push(Block { quote: 1, within: None, kind: BlockKind::Paragraph(text) }, source);
        }
    }

    /// Links to bookmarks of headings name the heading, as Markdown does. Of headings with the same words only the first is meant.
    fn name_anchors(&mut self, body: NodeId) -> BTreeMap<String, String> {
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
            return BTreeMap::new();
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
        // Of several bookmarks of a heading the first in the alphabet.
        names.into_iter().rev().map(|(name, slug)| (slug, name)).collect()
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
        let mut source = BlockSource { paragraphs: vec![node], ..BlockSource::default() };
        let block = match (heading, marker) {
            (Some(level), marker) => {
                let number = marker.map(|marker| marker.text).filter(|number| !number.is_empty());
                source.number = number.map(|number| format!("{number} ")).unwrap_or_default();
                let mut whole = literal(&source.number);
                whole.append(text);
                self.headings.insert(node, slug(&whole.text));
                Block::new(BlockKind::Heading(level + 1, whole))
            }
            (None, Some(marker)) => self.item(&marker, text, &mut source),
            (None, None) => self.plain(node, &name, text, &mut source),
        };
        let is_blank = |text: &str| text.chars().all(|c| matches!(c, ' ' | '\t' | '\n' | '\u{A0}'));
        if matches!(&block.kind, BlockKind::Paragraph(text) if is_blank(&text.text)) {
            self.blanks.push(node);
        } else {
            let blocks = pages_apart(block);
            source.is_part = blocks.len() > 1;
            for block in blocks {
                self.push(block, source.clone());
            }
        }
        self.push_boxes(&[node]);
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

    fn item(&mut self, marker: &Marker, text: StyledText, source: &mut BlockSource) -> Block<StyledText> {
        let number = u32::try_from(marker.number).unwrap_or(1);
        let shown = marker.text.trim();
        let steps: Vec<u32> =
            shown.trim_end_matches('.').split('.').filter_map(|step| step.parse().ok()).collect();
        let is_below = |above: &[u32]| self.open.get(..above.len()) == Some(above);
        let bare = shown.trim_matches(['(', ')', '.']);
        let kind = match marker.format {
            _ if marker.bullet => Some(ItemMarker::Bullet),
            // `2.1` counts on only below an item 2, not below a heading.
            _ if steps.len() > 1 => steps
                .split_last()
                .filter(|(_, above)| above.len() == usize::from(marker.level) && is_below(above))
                .map(|(number, _)| ItemMarker::Legal(*number)),
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
            source.number = if shown.is_empty() { String::new() } else { format!("{shown} ") };
            let mut whole = literal(&source.number);
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

    fn plain(
        &mut self,
        node: NodeId,
        style: &str,
        text: StyledText,
        source: &mut BlockSource,
    ) -> Block<StyledText> {
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
            style if CODE_STYLES.contains(&style) => return self.code(text, quote, source),
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
    fn code(&mut self, text: StyledText, quote: u8, source: &mut BlockSource) -> Block<StyledText> {
        let goes_on = matches!(
            self.blocks.last(), Some(Block { quote: known, kind: BlockKind::Code(_), .. }) if *known == quote
        );
        let before = if goes_on { self.blocks.pop().zip(self.sources.pop()) } else { None };
        let code = match before {
            Some((Block { kind: BlockKind::Code(code), .. }, known)) => {
                source.paragraphs.splice(0..0, known.paragraphs);
                format!("{code}\n{}", text.text)
            }
            _ => text.text,
        };
        Block { quote, within: None, kind: BlockKind::Code(code) }
    }

    fn table(&mut self, node: NodeId) {
        let mut rows: Vec<(Vec<StyledText>, bool)> = Vec::new();
        let mut source =
            BlockSource { paragraphs: paragraphs(self.document, node), ..BlockSource::default() };
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
            let (mut cells, mut places) = (Vec::new(), Vec::new());
            for cell in below(self.document, row, TC) {
                let column = cells.len();
                cells.push(self.cell(cell));
                places.push(paragraphs(self.document, cell));
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
                    places.push(Vec::new());
                    self.warnings.push("cells that span others are told as cells of their own".to_owned());
                }
                let merged = properties.and_then(|properties| self.document.child(properties, V_MERGE));
                if merged.is_some() {
                    self.warnings.push("cells that span others are told as cells of their own".to_owned());
                }
            }
            rows.push((cells, is_head));
            source.cells.push(places);
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
        let paragraphs = source.paragraphs.clone();
        self.push(Block::new(BlockKind::Table(table)), source);
        self.push_boxes(&paragraphs);
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
