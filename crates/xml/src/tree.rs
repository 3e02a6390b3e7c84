//! The arena: nodes are rows of a table, texts are spans of one buffer.
//!
//! The buffer holds the source first and everything made later after it, so a span is two `u32` wherever the text
//! came from.

use std::borrow::Cow;

use crate::encoding::XmlEncoding;
use crate::escape::unescape;
use crate::name::{Names, QName, ShortMap};

/// A node of a [`Document`]. Only good for the document that gave it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub(crate) u32);

/// What a node is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeKind {
    /// The document itself: parent of the root element and of what stands around it.
    Document,
    /// An element.
    Element,
    /// Character data.
    Text,
    /// A CDATA section.
    CData,
    /// A comment.
    Comment,
    /// A processing instruction, or the XML declaration.
    Instruction,
}

/// A range of the buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Span {
    pub(crate) start: u32,
    pub(crate) end: u32,
}

impl Span {
    pub(crate) fn new(start: usize, end: usize) -> Self {
        // The parser refuses texts whose offsets do not fit, and edits saturate into an empty span.
        let narrow = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        Self { start: narrow(start), end: narrow(end) }
    }

    pub(crate) fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// Adds a row to a table. The table grows by an eighth: of a long document a doubled table would be mostly empty.
pub(crate) fn push_row<T>(rows: &mut Vec<T>, row: T) {
    if rows.len() == rows.capacity() {
        rows.reserve_exact(rows.len() / 8 + 64);
    }
    rows.push(row);
}

/// "No node".
pub(crate) const NIL: u32 = u32::MAX;

/// The node is written from its parts, not from the source, and its span is its name.
pub(crate) const FLAG_NEW: u8 = 1;
/// The start tag is written from the attribute list.
pub(crate) const FLAG_TAG: u8 = 2;
/// Something below the node changed.
pub(crate) const FLAG_BELOW: u8 = 4;

/// A long document has millions of these, so what the buffer tells is not in them: names and tags are found again in the source.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Node {
    pub(crate) kind: NodeKind,
    pub(crate) flags: u8,
    pub(crate) name: QName,
    pub(crate) attribute_count: u16,
    pub(crate) parent: u32,
    pub(crate) previous: u32,
    pub(crate) next: u32,
    pub(crate) first: u32,
    pub(crate) last: u32,
    /// The whole node in the source; of a new text its escaped form, of an element with `FLAG_NEW` its name as it is written.
    pub(crate) span: Span,
    pub(crate) attributes: u32,
}

const _: () = assert!(size_of::<Node>() == 40, "a node has 40 bytes");

#[derive(Debug, Clone, Copy)]
pub(crate) struct Attribute {
    pub(crate) name: QName,
    pub(crate) qualified: Span,
    /// The value between its quotes, still escaped.
    pub(crate) value: Span,
}

/// Old rows of changed nodes, newest last, while a checkpoint is open.
#[derive(Debug, Clone, Default)]
pub(crate) struct Journal {
    pub(crate) rows: Vec<(u32, Node)>,
    /// The open checkpoints: the serial of each, and how many nodes there were.
    open: Vec<(u32, usize)>,
    /// The serial of the last checkpoint ever made.
    serial: u32,
    /// By node: the serial of the checkpoint since which it was journalled last.
    noted: Vec<u32>,
}

impl Journal {
    pub(crate) fn begin(&mut self, nodes: usize) {
        // Were the numbers ever used up, a node would be journalled twice, which does no harm.
        self.serial = self.serial.wrapping_add(1).max(1);
        if self.serial == 1 {
            self.noted.clear();
        }
        self.open.push((self.serial, nodes));
    }

    pub(crate) fn end(&mut self) {
        self.open.pop();
        if self.open.is_empty() {
            // After a batch on a long document these are large.
            self.rows = Vec::new();
            self.noted = Vec::new();
        }
    }

    /// Takes down a row that is about to change, unless taking back the innermost checkpoint gives it back already.
    pub(crate) fn note(&mut self, node: u32, row: &Node) {
        let Some((serial, nodes)) = self.open.last().copied() else { return };
        let index = node as usize;
        if index >= nodes {
            return;
        }
        if self.noted.len() < nodes {
            self.noted.resize(nodes, 0);
        }
        if let Some(noted) = self.noted.get_mut(index).filter(|noted| **noted != serial) {
            *noted = serial;
            push_row(&mut self.rows, (node, *row));
        }
    }
}

/// A parsed text that can be changed.
#[derive(Debug, Clone)]
pub struct Document {
    pub(crate) buffer: String,
    pub(crate) nodes: Vec<Node>,
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) names: Names,
    pub(crate) encoding: XmlEncoding,
    /// Prefixes bound on the root element: prefix and namespace number.
    pub(crate) root_prefixes: Vec<(Box<str>, u16)>,
    pub(crate) rebound: bool,
    pub(crate) journal: Journal,
    /// Length of the text that was parsed: what the buffer holds behind it was made later.
    pub(crate) parsed: usize,
    /// Where the buffer holds names of new elements and attributes, with their prefixes.
    pub(crate) written_names: ShortMap<(QName, bool), Span>,
}

impl Document {
    /// The document node: parent of everything.
    #[must_use]
    pub fn document_node(&self) -> NodeId {
        NodeId(0)
    }

    /// The root element.
    #[must_use]
    pub fn root(&self) -> NodeId {
        self.children(self.document_node())
            .find(|node| self.kind(*node) == NodeKind::Element)
            .unwrap_or(self.document_node())
    }

    /// How the text was encoded.
    #[must_use]
    pub fn encoding(&self) -> XmlEncoding {
        self.encoding
    }

    /// Whether an element below the root binds a prefix to another namespace than the root does.
    #[must_use]
    pub fn rebinds_root_prefix(&self) -> bool {
        self.rebound
    }

    /// Number of nodes ever made, for bounds and statistics.
    #[must_use]
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// What `node` is.
    #[must_use]
    pub fn kind(&self, node: NodeId) -> NodeKind {
        self.node(node).kind
    }

    /// The element's name; [`QName::NONE`] for all other kinds.
    #[must_use]
    pub fn name(&self, node: NodeId) -> QName {
        self.node(node).name
    }

    /// Local part of a name; empty for [`QName::NONE`].
    #[must_use]
    pub fn local_name(&self, name: QName) -> &str {
        self.names.get(name).map_or("", |(_, local)| local)
    }

    /// Namespace URI of a name (the first of its group); empty when it has none.
    #[must_use]
    pub fn namespace_uri(&self, name: QName) -> &str {
        self.names.get(name).map_or("", |(namespace, _)| self.names.uri(namespace))
    }

    /// The element's name as written, with its prefix.
    #[must_use]
    pub fn qualified_name(&self, node: NodeId) -> &str {
        self.slice(self.qualified_span(self.node(node)))
    }

    /// The node above; `None` for the document node and for detached nodes.
    #[must_use]
    pub fn parent(&self, node: NodeId) -> Option<NodeId> {
        link(self.node(node).parent)
    }

    /// The sibling after.
    #[must_use]
    pub fn next(&self, node: NodeId) -> Option<NodeId> {
        link(self.node(node).next)
    }

    /// The sibling before.
    #[must_use]
    pub fn previous(&self, node: NodeId) -> Option<NodeId> {
        link(self.node(node).previous)
    }

    /// The first child.
    #[must_use]
    pub fn first_child(&self, node: NodeId) -> Option<NodeId> {
        link(self.node(node).first)
    }

    /// The last child.
    #[must_use]
    pub fn last_child(&self, node: NodeId) -> Option<NodeId> {
        link(self.node(node).last)
    }

    /// The children, in order.
    #[must_use]
    pub fn children(&self, node: NodeId) -> Children<'_> {
        Children { document: self, next: self.first_child(node) }
    }

    /// The first child element of that name.
    #[must_use]
    pub fn child(&self, node: NodeId, name: QName) -> Option<NodeId> {
        self.children(node).find(|child| self.name(*child) == name)
    }

    /// `node` and everything below it, in document order.
    #[must_use]
    pub fn descendants(&self, node: NodeId) -> Descendants<'_> {
        Descendants { document: self, top: node, next: Some(node) }
    }

    /// The nodes above, nearest first, without the document node.
    #[must_use]
    pub fn ancestors(&self, node: NodeId) -> Ancestors<'_> {
        Ancestors { document: self, next: self.parent(node) }
    }

    /// The decoded value of an attribute.
    #[must_use]
    pub fn attribute(&self, node: NodeId, name: QName) -> Option<Cow<'_, str>> {
        self.attribute_rows(node)
            .iter()
            .find(|attribute| attribute.name == name)
            .map(|attribute| unescape(self.slice(attribute.value)))
    }

    /// All attributes with their qualified names and values as written (still escaped).
    pub fn raw_attributes(&self, node: NodeId) -> impl Iterator<Item = (QName, &str, &str)> {
        self.attribute_rows(node)
            .iter()
            .map(|attribute| (attribute.name, self.slice(attribute.qualified), self.slice(attribute.value)))
    }

    /// Decoded character data of a text or CDATA node; empty for other kinds.
    #[must_use]
    pub fn text(&self, node: NodeId) -> Cow<'_, str> {
        let row = self.node(node);
        let raw = self.slice(row.span);
        match row.kind {
            NodeKind::Text => unescape(raw),
            NodeKind::CData => Cow::Borrowed(
                raw.strip_prefix("<![CDATA[").and_then(|s| s.strip_suffix("]]>")).unwrap_or(raw),
            ),
            _ => Cow::Borrowed(""),
        }
    }

    /// Decoded character data of all text directly below an element.
    #[must_use]
    pub fn element_text(&self, node: NodeId) -> Cow<'_, str> {
        let mut parts =
            self.children(node).filter(|child| matches!(self.kind(*child), NodeKind::Text | NodeKind::CData));
        let Some(first) = parts.next() else { return Cow::Borrowed("") };
        let Some(second) = parts.next() else { return self.text(first) };
        let mut all = self.text(first).into_owned();
        all.push_str(&self.text(second));
        for part in parts {
            all.push_str(&self.text(part));
        }
        Cow::Owned(all)
    }

    /// Whether `node` and everything below it still is what was parsed.
    #[must_use]
    pub fn is_clean(&self, node: NodeId) -> bool {
        self.node(node).flags == 0
    }

    /// The source bytes of a clean node.
    #[must_use]
    pub fn source(&self, node: NodeId) -> Option<&str> {
        self.is_clean(node).then(|| self.slice(self.node(node).span))
    }

    pub(crate) fn node(&self, node: NodeId) -> &Node {
        // An id from another document must not bring the program down.
        self.nodes.get(node.0 as usize).unwrap_or(&DETACHED)
    }

    pub(crate) fn attribute_rows(&self, node: NodeId) -> &[Attribute] {
        let row = self.node(node);
        let start = row.attributes as usize;
        self.attributes.get(start..start + usize::from(row.attribute_count)).unwrap_or_default()
    }

    /// Where the name of an element stands as it is written.
    pub(crate) fn qualified_span(&self, row: &Node) -> Span {
        match row.kind {
            NodeKind::Element if row.flags & FLAG_NEW != 0 => row.span,
            NodeKind::Element => {
                let start = row.span.start + 1;
                let rest = self.buffer.as_bytes().get(start as usize..).unwrap_or_default();
                let is_end = |byte: &u8| matches!(byte, b'>' | b'/' | b' ' | b'\t' | b'\n' | b'\r');
                let length = rest.iter().position(is_end).unwrap_or(rest.len());
                Span::new(start as usize, start as usize + length)
            }
            _ => Span::default(),
        }
    }

    /// The start tag of an element whose tag is the source's.
    pub(crate) fn start_tag_span(&self, node: NodeId) -> Span {
        let row = self.node(node);
        // Behind the last attribute, or the name, there is no `>` but the tag's own.
        let behind = match self.attribute_rows(node).last() {
            Some(last) => last.value.end + 1,
            None => self.qualified_span(row).end,
        };
        let rest = self.buffer.as_bytes().get(behind as usize..row.span.end as usize).unwrap_or_default();
        let end = memchr::memchr(b'>', rest).map_or(row.span.end as usize, |at| behind as usize + at + 1);
        Span::new(row.span.start as usize, end)
    }

    /// The end tag of an element whose start tag is the source's and ends at `tag_end`; nothing where there is none.
    pub(crate) fn end_tag_span(&self, node: NodeId, tag_end: u32) -> Span {
        let row = self.node(node);
        let inner = self.buffer.as_bytes().get(tag_end as usize..row.span.end as usize).unwrap_or_default();
        let start = memchr::memrchr(b'<', inner).map_or(row.span.end as usize, |at| tag_end as usize + at);
        Span::new(start, row.span.end as usize)
    }

    pub(crate) fn slice(&self, span: Span) -> &str {
        self.buffer.get(span.range()).unwrap_or_default()
    }
}

static DETACHED: Node = Node {
    kind: NodeKind::Comment,
    flags: 0,
    name: QName::NONE,
    parent: NIL,
    previous: NIL,
    next: NIL,
    first: NIL,
    last: NIL,
    span: Span { start: 0, end: 0 },
    attributes: 0,
    attribute_count: 0,
};

impl Node {
    pub(crate) fn blank(kind: NodeKind) -> Self {
        Self { kind, ..DETACHED }
    }
}

pub(crate) fn link(at: u32) -> Option<NodeId> {
    (at != NIL).then_some(NodeId(at))
}

/// See [`Document::children`].
#[derive(Debug, Clone)]
pub struct Children<'a> {
    document: &'a Document,
    next: Option<NodeId>,
}

impl Iterator for Children<'_> {
    type Item = NodeId;

    fn next(&mut self) -> Option<NodeId> {
        let current = self.next?;
        self.next = self.document.next(current);
        Some(current)
    }
}

/// See [`Document::descendants`].
#[derive(Debug, Clone)]
pub struct Descendants<'a> {
    document: &'a Document,
    top: NodeId,
    next: Option<NodeId>,
}

impl Descendants<'_> {
    /// Leaves out what is below the node returned last.
    pub fn skip_below(&mut self, node: NodeId) {
        self.next = self.after(node);
    }

    fn after(&self, mut node: NodeId) -> Option<NodeId> {
        loop {
            if node == self.top {
                return None;
            }
            if let Some(next) = self.document.next(node) {
                return Some(next);
            }
            node = self.document.parent(node)?;
        }
    }
}

impl Iterator for Descendants<'_> {
    type Item = NodeId;

    fn next(&mut self) -> Option<NodeId> {
        let current = self.next?;
        self.next = self.document.first_child(current).or_else(|| self.after(current));
        Some(current)
    }
}

/// See [`Document::ancestors`].
#[derive(Debug, Clone)]
pub struct Ancestors<'a> {
    document: &'a Document,
    next: Option<NodeId>,
}

impl Iterator for Ancestors<'_> {
    type Item = NodeId;

    fn next(&mut self) -> Option<NodeId> {
        let current = self.next.filter(|node| self.document.kind(*node) != NodeKind::Document)?;
        self.next = self.document.parent(current);
        Some(current)
    }
}
