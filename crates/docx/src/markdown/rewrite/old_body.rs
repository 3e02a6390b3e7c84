//! The body as it stands: its blocks as they come out of Markdown, and where each has its paragraphs.
//!
//! Must never decide what changes.

use std::collections::{BTreeMap, HashSet};

use engross_xml::{Document, NodeId};

use super::super::read::{BlockSource, BodyReader, BodyReading};
use super::super::source::BodySource;
use super::keys::{KeyNumbers, key, text_of};
use crate::edit::content::{Syntax, read_checked};
use crate::model::{View, fields_at_start, paragraphs};
use crate::styles::Styles;
use crate::text::pairing::{equal_pairs, gaps};
use crate::text::{Block, BlockKind, LineEnds, LinkDestination, StyledText, parse_blocks, write_blocks};

/// A body, block by block.
pub(super) struct OldBody<'a> {
    pub(super) document: &'a Document,
    pub(super) body: NodeId,
    styles: &'a Styles,
    pub(super) blocks: Vec<OldBlock>,
    /// Numbers of paragraphs that say nothing, from 0.
    blanks: HashSet<usize>,
    /// The bookmarks of headings, by the words that links have for them.
    anchors: BTreeMap<String, String>,
    /// Where each paragraph of the body stands, from 0.
    pub(super) numbers: BTreeMap<NodeId, usize>,
}

pub(super) struct OldBlock {
    /// As Markdown tells it.
    pub(super) block: Block<StyledText>,
    /// As it was read: with white space that Markdown leaves out.
    pub(super) read: Block<StyledText>,
    pub(super) source: BlockSource,
    /// Its first and last paragraph, from 0.
    pub(super) range: (usize, usize),
    /// Whether what it says is made by a field, as the lines of a table of contents are.
    pub(super) is_result: bool,
}

impl OldBlock {
    pub(super) fn is_table(&self) -> bool {
        matches!(self.block.kind, BlockKind::Table(_))
    }

    /// Whether it is a paragraph that no list counts.
    pub(super) fn is_text(&self) -> bool {
        self.block.is_plain_paragraph() && self.source.number.is_empty()
    }

    /// Whether it may be taken away, or text put beside it.
    pub(super) fn is_free(&self) -> bool {
        !self.is_result && !self.source.is_part
    }
}

impl<'a> OldBody<'a> {
    pub(super) fn read(source: &'a BodySource<'a>) -> Self {
        let BodySource { document, body, styles, .. } = *source;
        let BodyReading { blocks, sources, blanks, anchors, .. } =
            BodyReader::new(source, View::Accepted).read(body);
        let all = paragraphs(document, body);
        let fields = fields_at_start(document, &all);
        let numbers: BTreeMap<NodeId, usize> = all.iter().copied().zip(0..).collect();
        let number = |node: &NodeId| numbers.get(node).copied();
        let in_field = |at: usize| all.get(at).is_some_and(|node| fields.contains_key(node));
        let old = told(blocks, sources).into_iter().filter_map(|(block, read, source)| {
            let first = source.paragraphs.first().and_then(number)?;
            let last = source.paragraphs.last().and_then(number)?;
            let is_table = matches!(block.kind, BlockKind::Table(_));
            let is_result = !is_table && (in_field(first) || in_field(last + 1));
            // Markdown has no item without text.
            let is_empty = text_of(&read).is_some_and(|text| text.text.trim().is_empty());
            let source = BlockSource { is_part: source.is_part || is_empty, ..source };
            Some(OldBlock { block, read, source, range: (first, last), is_result })
        });
        let old: Vec<OldBlock> = old.collect();
        let old = old.into_iter();
        let blanks = blanks.iter().filter_map(number).collect();
        let mut read = Self { document, styles, body, blocks: Vec::new(), blanks, anchors, numbers };
        read.blocks = old.map(|old| OldBlock { block: read.with_bookmarks(old.block), ..old }).collect();
        read
    }

    pub(super) fn get(&self, at: usize) -> Option<&OldBlock> {
        self.blocks.get(at)
    }

    pub(super) fn is_blank(&self, at: usize) -> bool {
        self.blanks.contains(&at)
    }

    /// Whether a paragraph stands in a table.
    pub(super) fn is_in_table(&self, at: usize) -> bool {
        self.blocks.iter().any(|old| old.is_table() && (old.range.0..=old.range.1).contains(&at))
    }

    /// The block with links that lead to bookmarks instead of the words of headings.
    pub(super) fn with_bookmarks(&self, block: Block<StyledText>) -> Block<StyledText> {
        block.map(|mut text| {
            for link in &mut text.links {
                if let LinkDestination::Anchor(anchor) = &mut link.target
                    && let Some(bookmark) = self.anchors.get(anchor.as_str())
                {
                    anchor.clone_from(bookmark);
                }
            }
            text
        })
    }

    /// An empty paragraph between two blocks.
    pub(super) fn blank_between(&self, before: Option<&OldBlock>, after: Option<&OldBlock>) -> Option<usize> {
        let first = before.map_or(0, |old| old.range.1 + 1);
        let last = after.map_or(self.numbers.len(), |old| old.range.0);
        (first..last).find(|at| self.blanks.contains(at))
    }

    /// Where a run of paragraphs ends with the empty ones behind it, when there are empty ones before it, too: one distance stays.
    pub(super) fn with_distance(&self, first: usize, last: usize) -> usize {
        let is_parted = first == 0 || self.blanks.contains(&(first - 1));
        if !is_parted {
            return last;
        }
        let mut end = last;
        while self.blanks.contains(&(end + 1)) {
            end += 1;
        }
        end
    }

    /// The style of the text that is nearest to a block, or the document's own for text.
    pub(super) fn text_style(&self, at: usize) -> Option<String> {
        let text = |(_, old): &(usize, &OldBlock)| old.is_text() && old.is_free();
        let nearest = self.blocks.iter().enumerate().filter(text).min_by_key(|(place, _)| place.abs_diff(at));
        let node = nearest.and_then(|(_, old)| old.source.paragraphs.first());
        let own = node.and_then(|node| self.styles.of_paragraph(self.document, *node));
        own.or_else(|| self.styles.default_paragraph()).map(str::to_owned)
    }
}

/// Markdown as blocks with what their inline Markdown means.
pub(super) fn parsed(markdown: &str) -> Vec<Block<StyledText>> {
    let read = parse_blocks(markdown, LineEnds::Filled);
    let inline = |text: String| read_checked(&text, Syntax::Markdown, &read.definitions);
    read.blocks.into_iter().map(|block| block.map(inline)).collect()
}

/// Blocks as they come out of the Markdown that tells them, since the new text comes out of Markdown, too; each with the block that
/// was read and its place. Where Markdown makes fewer or more of them, they are parts of what stands there.
fn told(
    blocks: Vec<Block<StyledText>>,
    sources: Vec<BlockSource>,
) -> Vec<(Block<StyledText>, Block<StyledText>, BlockSource)> {
    let told = parsed(&write_blocks(&blocks));
    if told.len() == blocks.len() {
        return told
            .into_iter()
            .zip(blocks)
            .zip(sources)
            .map(|((told, read), at)| (told, read, at))
            .collect();
    }
    let mut numbers = KeyNumbers::default();
    let read_keys: Vec<u64> = blocks.iter().map(|block| numbers.of(&key(block, ""))).collect();
    let told_keys: Vec<u64> = told.iter().map(|block| numbers.of(&key(block, ""))).collect();
    let pairs = equal_pairs(&read_keys, &told_keys);
    let mut all = Vec::with_capacity(told.len());
    for (read, out) in gaps(&pairs, (blocks.len(), told.len())) {
        let own = sources.get(read.clone()).unwrap_or_default();
        let known = blocks.get(read.clone()).unwrap_or_default();
        let come = told.get(out.clone()).unwrap_or_default();
        if read.len() == out.len() {
            let whole = come.iter().zip(known).zip(own);
            all.extend(whole.map(|((told, read), source)| (told.clone(), read.clone(), source.clone())));
        } else {
            let paragraphs: Vec<NodeId> = own.iter().flat_map(|source| source.paragraphs.clone()).collect();
            let part = BlockSource { paragraphs, is_part: true, ..BlockSource::default() };
            all.extend(come.iter().map(|block| (block.clone(), block.clone(), part.clone())));
        }
        let pair = told.get(out.end).zip(blocks.get(read.end)).zip(sources.get(read.end));
        all.extend(pair.map(|((told, read), source)| (told.clone(), read.clone(), source.clone())));
    }
    all
}
