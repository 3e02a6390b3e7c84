//! The content of paragraphs as a row of tokens: words, objects, fields, links, paragraph marks.
//!
//! A token knows the pieces of runs that it is made of. What holds content itself (a link, a control, a field) is one token with
//! a row of its own inside, so that no change cuts through its ends.

use std::collections::HashMap;
use std::ops::Range;

use engross_xml::{NodeId, NodeKind};

use crate::model::{OBJECT, effective_text, is_range_marker};
use crate::names::{
    DEL_TEXT, FLD_CHAR, FLD_CHAR_TYPE, INSTR_TEXT, O_MATH, O_MATH_PARA, P_PR, R_PR, RUN, SDT_CONTENT,
    SDT_END_PR, SDT_PR, SECT_PR, T,
};
use crate::signature::{Signer, holds_inline, is_silent, number_of};
use crate::text::tokens;

/// A part of a leaf of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) run: NodeId,
    pub(super) leaf: NodeId,
    /// Bytes of the leaf's text; 0..0 for a leaf that is no text.
    pub(super) range: Range<usize>,
    pub(super) is_text: bool,
    /// The number of the run's formatting.
    pub(super) format: u64,
    /// The number of what earlier revisions make of the run.
    pub(super) kept: u64,
}

/// What a token is.
#[derive(Debug)]
pub(super) enum TokenKind {
    /// A word, a space, a punctuation mark, or another leaf.
    Pieces,
    /// A field within one paragraph: its code, a number for each piece, stands before what it shows, and its end behind.
    Field { head: Vec<u64>, shown: Stream },
    /// An element that holds runs.
    Wrapper { node: NodeId, content: Stream },
    /// A formula: the same one, or one that `ops` finds to be changed.
    Formula { node: NodeId, content: Stream },
    /// An element of a paragraph that is taken as a whole.
    Node(NodeId),
    /// The end of a paragraph.
    Mark(NodeId),
    /// A block between paragraphs that has no partner.
    Block(NodeId),
}

#[derive(Debug)]
pub(super) struct Token {
    pub(super) key: u64,
    /// Bytes of the stream's text.
    pub(super) text: Range<usize>,
    /// Of the stream's pieces.
    pub(super) pieces: Range<usize>,
    pub(super) kind: TokenKind,
}

/// A row of tokens.
#[derive(Debug, Default)]
pub(super) struct Stream {
    pub(super) text: String,
    pub(super) tokens: Vec<Token>,
    pub(super) pieces: Vec<Piece>,
}

const WORD: u8 = 11;
const MARK: u8 = 12;
const SECTION_MARK: u8 = 13;
const FIELD: u8 = 14;

/// A child of a paragraph, runs taken apart.
enum Item {
    Leaf { run: NodeId, leaf: NodeId, format: u64, kept: u64 },
    Node(NodeId),
}

impl Stream {
    /// Adds what a paragraph says, and its mark.
    pub(super) fn add_paragraph(&mut self, signer: Signer<'_>, paragraph: NodeId) {
        self.add_content(signer, paragraph);
        let document = signer.document;
        let properties = document.child(paragraph, P_PR);
        let is_section = properties.is_some_and(|properties| document.child(properties, SECT_PR).is_some());
        let kind = if is_section { SECTION_MARK } else { MARK };
        self.add(number_of(kind, ""), "\n", 0, TokenKind::Mark(paragraph));
    }

    /// Adds a block that stands for itself.
    pub(super) fn add_block(&mut self, key: u64, node: NodeId) {
        self.add(key, "\u{FFFC}", 0, TokenKind::Block(node));
    }

    fn add_content(&mut self, signer: Signer<'_>, parent: NodeId) {
        let items = items_of(signer, parent);
        self.add_items(signer, &items);
    }

    fn add(&mut self, key: u64, text: &str, pieces: usize, kind: TokenKind) {
        let start = self.text.len();
        self.text.push_str(text);
        let end = self.pieces.len();
        self.tokens.push(Token { key, text: start..self.text.len(), pieces: end - pieces..end, kind });
    }

    fn add_items(&mut self, signer: Signer<'_>, items: &[Item]) {
        let document = signer.document;
        let ends = field_ends(signer, items);
        let mut words: Vec<(Piece, String)> = Vec::new();
        let mut at = 0;
        while let Some(item) = items.get(at) {
            match item {
                Item::Leaf { run, leaf, format, kept } => {
                    let name = document.name(*leaf);
                    if matches!(name, T | DEL_TEXT) {
                        let text = effective_text(document, *leaf).into_owned();
                        let piece = Piece {
                            run: *run,
                            leaf: *leaf,
                            range: 0..text.len(),
                            is_text: true,
                            format: *format,
                            kept: *kept,
                        };
                        // What somebody inserted, or deleted, is no part of a word beside it.
                        if words.last().is_some_and(|(last, _)| last.kept != *kept) {
                            self.add_words(&mut words);
                        }
                        if !text.is_empty() {
                            words.push((piece, text));
                        }
                        at += 1;
                        continue;
                    }
                    self.add_words(&mut words);
                    if let Some((separator, end)) = ends.get(&at).copied() {
                        self.add_field(signer, items, (at, separator, end));
                        at = end + 1;
                        continue;
                    }
                    let (run, leaf, format, kept) = (*run, *leaf, *format, *kept);
                    self.pieces.push(Piece { run, leaf, range: 0..0, is_text: false, format, kept });
                    self.add(leaf_key(signer, leaf), &OBJECT.to_string(), 1, TokenKind::Pieces);
                }
                Item::Node(node) => {
                    self.add_words(&mut words);
                    let node = *node;
                    if holds_inline(document.name(node)) {
                        let mut content = Self::default();
                        let inside = document.child(node, SDT_CONTENT).unwrap_or(node);
                        content.add_content(signer, inside);
                        let kind = TokenKind::Wrapper { node, content };
                        self.add(signer.shell(node), &OBJECT.to_string(), 0, kind);
                    } else if matches!(document.name(node), O_MATH | O_MATH_PARA) {
                        let mut content = Self::default();
                        content.add_content(signer, node);
                        let kind = TokenKind::Formula { node, content };
                        self.add(signer.whole(node), &OBJECT.to_string(), 0, kind);
                    } else {
                        self.add(signer.whole(node), &OBJECT.to_string(), 0, TokenKind::Node(node));
                    }
                }
            }
            at += 1;
        }
        self.add_words(&mut words);
    }

    /// The numbers of what a formula is made of.
    pub(super) fn parts(&self) -> Vec<u64> {
        let parts = self.tokens.iter().flat_map(|token| match &token.kind {
            TokenKind::Formula { content, .. } => content.parts(),
            _ => vec![token.key],
        });
        parts.collect()
    }

    fn add_field(
        &mut self,
        signer: Signer<'_>,
        items: &[Item],
        (start, separator, end): (usize, usize, usize),
    ) {
        let mut shown = Self::default();
        shown.add_items(signer, items.get(separator + 1..end).unwrap_or_default());
        let first = self.pieces.len();
        let mut head = Vec::new();
        let mut code = String::new();
        for item in items.get(start..=separator).unwrap_or_default() {
            let Item::Leaf { leaf, format, .. } = item else { continue };
            self.add_piece(signer, item);
            head.push(number_of(FIELD, &format!("{:x} {format:x}", leaf_key(signer, *leaf))));
            if signer.document.name(*leaf) == INSTR_TEXT {
                code.push_str(&signer.document.element_text(*leaf));
            }
        }
        if separator < end {
            items.get(end..=end).unwrap_or_default().iter().for_each(|item| self.add_piece(signer, item));
        }
        // A field of the same kind is the same one, whatever it leads to.
        let kind = code.split_whitespace().next().unwrap_or_default().to_uppercase();
        let start = match items.get(start) {
            Some(Item::Leaf { leaf, .. }) => leaf_key(signer, *leaf),
            _ => 0,
        };
        let key = number_of(FIELD, &format!("{kind} {start:x} {}", separator < end));
        let count = self.pieces.len() - first;
        self.add(key, &OBJECT.to_string(), count, TokenKind::Field { head, shown });
    }

    fn add_piece(&mut self, signer: Signer<'_>, item: &Item) {
        let Item::Leaf { run, leaf, format, kept } = item else { return };
        let is_text = matches!(signer.document.name(*leaf), T | DEL_TEXT);
        let range = if is_text { 0..effective_text(signer.document, *leaf).len() } else { 0..0 };
        self.pieces.push(Piece { run: *run, leaf: *leaf, range, is_text, format: *format, kept: *kept });
    }

    /// Cuts text that stands together into words.
    fn add_words(&mut self, leaves: &mut Vec<(Piece, String)>) {
        if leaves.is_empty() {
            return;
        }
        let all: String = leaves.iter().map(|(_, text)| text.as_str()).collect();
        let mut waiting = leaves.drain(..).map(|(piece, _)| piece).peekable();
        // Where in `all` the first waiting leaf begins, and how much of it is taken.
        let mut taken = 0;
        let words = tokens(&all).into_iter().flat_map(|range| parts_of_number(&all, range));
        for range in words {
            let first = self.pieces.len();
            let mut missing = range.len();
            while missing > 0
                && let Some(piece) = waiting.peek()
            {
                let length = (piece.range.len() - taken).min(missing);
                self.pieces.push(Piece { range: taken..taken + length, ..piece.clone() });
                missing -= length;
                taken += length;
                if taken == piece.range.len() {
                    waiting.next();
                    taken = 0;
                }
            }
            let count = self.pieces.len() - first;
            let word = all.get(range).unwrap_or_default();
            self.add(number_of(WORD, word), word, count, TokenKind::Pieces);
        }
    }
}

/// The parts of a number between its points, commas and colons: of `12,340.50` only what differs changes. `ops` joins the parts
/// again where more than one of them does.
fn parts_of_number(text: &str, range: Range<usize>) -> Vec<Range<usize>> {
    let word = text.get(range.clone()).unwrap_or_default();
    let bytes = word.as_bytes();
    if !bytes.iter().all(|byte| byte.is_ascii_digit() || is_in_number(*byte)) || bytes.len() < 2 {
        return vec![range];
    }
    let mut parts: Vec<Range<usize>> = Vec::new();
    for (at, byte) in bytes.iter().enumerate() {
        let at = range.start + at;
        match parts.last_mut() {
            Some(last)
                if byte.is_ascii_digit()
                    && text.as_bytes().get(last.start).is_some_and(u8::is_ascii_digit) =>
            {
                last.end = at + 1;
            }
            _ => parts.push(at..at + 1),
        }
    }
    parts
}

/// Whether a character joins the parts of a number.
pub(super) fn is_in_number(byte: u8) -> bool {
    matches!(byte, b'.' | b',' | b':' | b'\'')
}

/// What a paragraph, or an element in it, holds.
fn items_of(signer: Signer<'_>, parent: NodeId) -> Vec<Item> {
    let document = signer.document;
    let mut items = Vec::new();
    for child in document.children(parent) {
        let name = document.name(child);
        match name {
            RUN => {
                let (format, kept) = (signer.format(child), signer.kept(child));
                let leaves = document.children(child).filter(|leaf| {
                    document.kind(*leaf) == NodeKind::Element && !is_silent(document.name(*leaf))
                });
                items.extend(leaves.map(|leaf| Item::Leaf { run: child, leaf, format, kept }));
            }
            P_PR | R_PR | SDT_PR | SDT_END_PR => {}
            name if document.kind(child) != NodeKind::Element || is_range_marker(name) => {}
            name if document.local_name(name).ends_with("Pr") => {}
            _ => items.push(Item::Node(child)),
        }
    }
    items
}

/// By the place where a field begins: where what it shows begins, and where it ends. A field without a result has its end twice.
fn field_ends(signer: Signer<'_>, items: &[Item]) -> HashMap<usize, (usize, usize)> {
    let document = signer.document;
    let mut open: Vec<(usize, Option<usize>)> = Vec::new();
    let mut found = HashMap::new();
    for (at, item) in items.iter().enumerate() {
        let Item::Leaf { leaf, .. } = item else { continue };
        if document.name(*leaf) != FLD_CHAR {
            continue;
        }
        match document.attribute(*leaf, FLD_CHAR_TYPE).as_deref() {
            Some("begin") => open.push((at, None)),
            Some("separate") => {
                if let Some((_, separator)) = open.last_mut() {
                    separator.get_or_insert(at);
                }
            }
            Some("end") => {
                let Some((begin, separator)) = open.pop() else { continue };
                let separator = separator.unwrap_or(at);
                // What holds elements in its code is taken apart.
                let is_plain = items
                    .get(begin..separator)
                    .is_some_and(|code| code.iter().all(|item| matches!(item, Item::Leaf { .. })));
                if is_plain {
                    found.insert(begin, (separator, at));
                }
            }
            _ => {}
        }
    }
    found
}

fn leaf_key(signer: Signer<'_>, leaf: NodeId) -> u64 {
    let document = signer.document;
    match document.name(leaf) {
        INSTR_TEXT => number_of(FIELD, document.element_text(leaf).trim()),
        _ => signer.leaf(leaf),
    }
}
