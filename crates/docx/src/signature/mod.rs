//! What an element says, as a number: equal numbers mean equal to a reader, whatever runs, ids and sessions it was written in.
//!
//! References count as what they lead to: a picture is its bytes, a link its address, a list its definition. Comments and
//! bookmarks do not count. The same numbers align two documents, prove a redline, and tell an open document from its copy.
//! Must never change a tree.

mod lists;

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hasher};

use engross_xml::{Document, NodeId, NodeKind, QName, unescape};

use crate::model::{effective_text, is_range_marker, is_revision_wrapper};
use crate::names::{
    BASED_ON, COMMENT_REFERENCE, DEL_TEXT, ENDNOTE_REFERENCE, FALLBACK, FLD_CHAR, FLD_CHAR_TYPE, FLD_SIMPLE,
    FOOTER_REFERENCE, FOOTNOTE_REFERENCE, GRID_SPAN, HEADER_REFERENCE, HYPERLINK, ID, INSTR, INSTR_TEXT,
    KEPT_REVISION, LAST_RENDERED_PAGE_BREAK, LINK, NEXT, NUM_ID, P, P_PR, P_STYLE, PARA_ID, R_EMBED, R_ID,
    R_LINK, R_PR, R_STYLE, RSID_DEL, RSID_P, RSID_R, RSID_R_DEFAULT, RSID_R_PR, RSID_SECT, RSID_TR, RUN,
    SDT_CONTENT, SDT_PR, SECT_PR, SHOWING_PLC_HDR, T, TBL, TBL_STYLE, TC, TEXT_ID, TR, TXBX_CONTENT, V_MERGE,
    VAL, VOCABULARY, W, XML_SPACE,
};
use crate::package::Package;
use crate::revisions::is_property_change;

pub(crate) use lists::{list_definitions, numbers_in, shown_levels};

/// What the references of a part lead to.
#[derive(Debug, Clone, Default)]
pub(crate) struct Targets {
    /// By relationship id.
    pub(crate) links: HashMap<String, u64>,
    /// By `w:numId`: what the list is.
    pub(crate) lists: HashMap<String, u64>,
    /// By `w:id`, footnotes apart from endnotes: what the note says.
    pub(crate) notes: HashMap<(bool, String), u64>,
    /// Ids of styles that are known by another id: the same style may be called `Heading1` here and `berschrift1` there.
    pub(crate) styles: HashMap<String, String>,
    /// Whether formatting says nothing; which cells are merged is not formatting.
    pub(crate) without_formats: bool,
}

/// Makes numbers of the elements of one part.
#[derive(Clone, Copy)]
pub(crate) struct Signer<'a> {
    pub(crate) document: &'a Document,
    pub(crate) targets: &'a Targets,
    /// Whether controls around blocks, rows and cells count.
    pub(crate) with_controls: bool,
    /// Whether tracked changes of marks and properties count, with their authors and dates but without ids.
    pub(crate) with_revisions: bool,
    /// Whether what text boxes say counts for the paragraph that they are anchored in.
    pub(crate) with_boxes: bool,
}

/// The number of a text.
pub(crate) fn number_of(kind: u8, text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write_u8(kind);
    hasher.write(text.as_bytes());
    hasher.finish()
}

/// What an element of a run is.
const OPEN: u8 = 1;
const CLOSE: u8 = 2;
const TEXT: u8 = 3;
const CODE: u8 = 4;
const LEAF: u8 = 5;
const NUMBER: u8 = 6;
const KEPT: u8 = 7;

/// What runs say, joined however they are cut.
struct JoinedText {
    hasher: DefaultHasher,
    /// The kind and format of the text that is open.
    open: Option<(u8, u64)>,
}

impl JoinedText {
    fn new() -> Self {
        Self { hasher: DefaultHasher::new(), open: None }
    }

    fn text(&mut self, kind: u8, format: u64, text: &str) {
        if text.is_empty() {
            return;
        }
        if self.open != Some((kind, format)) {
            self.hasher.write_u8(kind);
            self.hasher.write_u64(format);
            self.open = Some((kind, format));
        }
        self.hasher.write(text.as_bytes());
    }

    fn leaf(&mut self, format: u64, number: u64) {
        self.open = None;
        self.hasher.write_u8(LEAF);
        self.hasher.write_u64(format);
        self.hasher.write_u64(number);
    }

    fn open(&mut self, number: u64) {
        self.open = None;
        self.hasher.write_u8(OPEN);
        self.hasher.write_u64(number);
    }

    fn close(&mut self) {
        self.open = None;
        self.hasher.write_u8(CLOSE);
    }
}

impl<'a> Signer<'a> {
    pub(crate) fn new(document: &'a Document, targets: &'a Targets) -> Self {
        Self { document, targets, with_controls: true, with_revisions: false, with_boxes: true }
    }

    /// The number of a block: a paragraph, a table, a content control.
    pub(crate) fn block(self, node: NodeId) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.write_block(node, &mut hasher);
        hasher.finish()
    }

    /// The numbers of the blocks of a container, in order.
    pub(crate) fn blocks(self, container: NodeId) -> Vec<u64> {
        let counts = |child: &NodeId| {
            let name = self.document.name(*child);
            let is_hollow = || {
                name == crate::names::SDT
                    && self.document.descendants(*child).all(|node| self.document.name(node) != P)
            };
            self.document.kind(*child) == NodeKind::Element
                && !is_range_marker(name)
                && !is_nothing(name)
                && !is_hollow()
        };
        let mut numbers = Vec::new();
        for child in self.document.children(container).filter(counts) {
            if !self.with_controls && is_control(self.document.name(child)) {
                numbers.extend(self.blocks(child));
            } else if self.with_controls
                || !self.document.local_name(self.document.name(child)).starts_with("sdt")
            {
                numbers.push(self.block(child));
            }
        }
        numbers
    }

    /// The number of property elements, without what stands outside of them; 0 for none that say anything.
    pub(crate) fn properties(self, properties: Option<NodeId>) -> u64 {
        let Some(properties) = properties else { return 0 };
        let mut hasher = DefaultHasher::new();
        let mut is_empty = true;
        for child in self.document.children(properties) {
            let name = self.document.name(child);
            let is_outside = matches!(name, R_PR | SECT_PR | HEADER_REFERENCE | FOOTER_REFERENCE)
                || !self.with_revisions && is_revision(name);
            let is_left_out = self.targets.without_formats && !matches!(name, GRID_SPAN | V_MERGE);
            if self.document.kind(child) == NodeKind::Element && !is_outside && !is_left_out {
                self.write(child, &mut hasher);
                is_empty = false;
            }
        }
        if is_empty { 0 } else { hasher.finish() }
    }

    /// The number of the formatting of a run or of a paragraph mark.
    pub(crate) fn format(self, owner: NodeId) -> u64 {
        self.properties(self.document.child(owner, R_PR))
    }

    /// The number of what an earlier author's revision makes of a run, a paragraph, a row or a cell, while two documents are
    /// compared with their revisions; 0 for nothing.
    pub(crate) fn kept(self, node: NodeId) -> u64 {
        self.document.attribute(node, KEPT_REVISION).map_or(0, |kept| number_of(KEPT, &kept))
    }

    /// The number of a leaf of a run; text boxes within it do not count.
    pub(crate) fn leaf(self, leaf: NodeId) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.write_shell(leaf, &mut hasher, true);
        hasher.finish()
    }

    /// The number of what stands around content: a link, a field, a control.
    pub(crate) fn shell(self, node: NodeId) -> u64 {
        let mut hasher = DefaultHasher::new();
        let document = self.document;
        self.write_tag(node, &mut hasher);
        for child in document.children(node) {
            let name = document.name(child);
            let is_property = document.local_name(name).ends_with("Pr") && name != P_PR && name != R_PR;
            let says_something = || {
                !self.with_revisions
                    || document.first_child(child).is_some()
                    || document.raw_attributes(child).next().is_some()
            };
            if is_property && document.kind(child) == NodeKind::Element && says_something() {
                self.write(child, &mut hasher);
            }
        }
        hasher.finish()
    }

    /// The number of a paragraph, and whether it says nothing.
    pub(crate) fn paragraph(self, node: NodeId) -> (u64, bool) {
        let mut hasher = DefaultHasher::new();
        let content = self.content(node);
        self.write_name(P, node, &mut hasher);
        self.write_paragraph(node, content, &mut hasher);
        (hasher.finish(), content == JoinedText::new().hasher.finish())
    }

    /// The number of what a paragraph says, without its own properties.
    fn content(self, paragraph: NodeId) -> u64 {
        let mut joined = JoinedText::new();
        self.inline(paragraph, &mut joined);
        joined.hasher.finish()
    }

    fn write_block(self, node: NodeId, hasher: &mut DefaultHasher) {
        let document = self.document;
        let name = document.name(node);
        if self.with_controls || !is_control(name) {
            self.write_name(name, node, hasher);
        }
        match name {
            P => self.write_paragraph(node, self.content(node), hasher),
            SECT_PR => hasher.write_u64(self.properties(Some(node))),
            _ => {
                let counts = self.with_controls || !is_control(name);
                if counts {
                    self.write_tag(node, hasher);
                }
                for child in document.children(node) {
                    let name = document.name(child);
                    match name {
                        QName::NONE if document.kind(child) != NodeKind::Element => {}
                        name if is_range_marker(name) || is_nothing(name) => {}
                        P | TBL | TR | TC | SDT_CONTENT | crate::names::SDT | crate::names::CUSTOM_XML => {
                            self.write_block(child, hasher);
                        }
                        crate::names::TR_PR | crate::names::TC_PR | crate::names::TBL_PR => {
                            let number = self.properties(Some(child));
                            if number != 0 {
                                hasher.write_u64(number);
                            }
                        }
                        _ if !counts => {}
                        _ => self.write(child, hasher),
                    }
                }
                if counts {
                    hasher.write_u8(CLOSE);
                }
            }
        }
    }

    fn write_paragraph(self, node: NodeId, content: u64, hasher: &mut DefaultHasher) {
        let properties = self.document.child(node, P_PR);
        hasher.write_u64(self.properties(properties));
        hasher.write_u64(properties.map_or(0, |properties| self.format(properties)) ^ self.kept(node));
        let section = properties.and_then(|properties| self.document.child(properties, SECT_PR));
        hasher.write_u8(u8::from(section.is_some()));
        hasher.write_u64(self.properties(section));
        hasher.write_u64(content);
    }

    // Depth is bounded by the XML parser's limit.
    fn inline(self, parent: NodeId, joined: &mut JoinedText) {
        let document = self.document;
        for child in document.children(parent) {
            let name = document.name(child);
            match name {
                RUN => self.run(child, joined),
                P_PR | R_PR | SDT_PR => {}
                _ if document.kind(child) != NodeKind::Element || is_range_marker(name) => {}
                FLD_SIMPLE => {
                    // The long form of the same field says the same.
                    joined.leaf(0, whole_field_character("begin"));
                    let code = document.attribute(child, INSTR).unwrap_or_default();
                    joined.leaf(0, number_of(CODE, code.trim()));
                    joined.leaf(0, whole_field_character("separate"));
                    self.inline(child, joined);
                    joined.leaf(0, whole_field_character("end"));
                }
                name if holds_inline(name) => {
                    joined.open(self.shell(child));
                    let content = document.child(child, SDT_CONTENT).unwrap_or(child);
                    self.inline(content, joined);
                    joined.close();
                }
                _ => joined.leaf(0, self.whole(child)),
            }
        }
    }

    fn run(self, run: NodeId, joined: &mut JoinedText) {
        let document = self.document;
        let format = self.format(run) ^ self.kept(run);
        for leaf in document.children(run) {
            let name = document.name(leaf);
            match name {
                T | DEL_TEXT => joined.text(TEXT, format, &effective_text(document, leaf)),
                INSTR_TEXT => joined.leaf(format, number_of(CODE, document.element_text(leaf).trim())),
                name if document.kind(leaf) != NodeKind::Element || is_silent(name) => {}
                _ => joined.leaf(format, self.whole(leaf)),
            }
        }
    }

    /// The number of an element with all that is in it.
    pub(crate) fn whole(self, node: NodeId) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.write(node, &mut hasher);
        hasher.finish()
    }

    fn write(self, node: NodeId, hasher: &mut DefaultHasher) {
        self.write_shell(node, hasher, false);
    }

    fn write_shell(self, node: NodeId, hasher: &mut DefaultHasher, without_boxes: bool) {
        let document = self.document;
        match document.name(node) {
            FLD_CHAR if document.first_child(node).is_none() => {
                let kind = document.attribute(node, FLD_CHAR_TYPE).unwrap_or_default();
                hasher.write_u64(field_character(&kind));
                return;
            }
            FOOTNOTE_REFERENCE | ENDNOTE_REFERENCE => {
                let name = document.name(node);
                self.write_name(name, node, hasher);
                if !without_boxes {
                    let id = document.attribute(node, ID).unwrap_or_default().into_owned();
                    let note = self.targets.notes.get(&(name == FOOTNOTE_REFERENCE, id));
                    hasher.write_u64(note.copied().unwrap_or_default());
                }
                return;
            }
            TXBX_CONTENT if without_boxes || !self.with_boxes => return,
            TXBX_CONTENT => {
                for number in self.blocks(node) {
                    hasher.write_u64(number);
                }
                return;
            }
            name if is_silent(name) => return,
            // A control that is copied has another id, or none.
            ID if document.parent(node).is_some_and(|above| document.name(above) == SDT_PR) => return,
            _ => {}
        }
        self.write_tag(node, hasher);
        for child in document.children(node) {
            match document.kind(child) {
                NodeKind::Element => self.write_shell(child, hasher, without_boxes),
                NodeKind::Text | NodeKind::CData => {
                    let text = document.text(child);
                    if !text.trim().is_empty() {
                        hasher.write_u8(TEXT);
                        hasher.write(text.as_bytes());
                    }
                }
                _ => {}
            }
        }
        hasher.write_u8(CLOSE);
    }

    fn write_name(self, name: QName, node: NodeId, hasher: &mut DefaultHasher) {
        if usize::from(name.index()) < VOCABULARY.names().len() {
            hasher.write_u16(name.index());
        } else if name == QName::NONE {
            hasher.write(self.document.qualified_name(node).as_bytes());
        } else {
            hasher.write(self.document.namespace_uri(name).as_bytes());
            hasher.write(self.document.local_name(name).as_bytes());
        }
    }

    fn write_tag(self, node: NodeId, hasher: &mut DefaultHasher) {
        let document = self.document;
        let element = document.name(node);
        hasher.write_u8(OPEN);
        self.write_name(element, node, hasher);
        if element == NUM_ID {
            let number = document.attribute(node, VAL).unwrap_or_default();
            hasher.write_u8(NUMBER);
            // A list that nobody defined is none, and no list is said by 0.
            let undefined = u64::from(number == "0");
            hasher.write_u64(self.targets.lists.get(&*number).copied().unwrap_or(undefined));
            return;
        }
        if !self.targets.styles.is_empty() && is_style_reference(element) {
            let style = document.attribute(node, VAL).unwrap_or_default();
            hasher.write_u8(LEAF);
            hasher.write(b"val");
            hasher.write(self.targets.styles.get(&*style).map_or(&*style, String::as_str).as_bytes());
            return;
        }
        let (local, is_revision) = (document.local_name(element), is_revision(element));
        let is_picture_name = matches!(local, "docPr" | "cNvPr");
        let counts = |name: QName, written: &str| {
            !(is_session_mark(name)
                || is_revision && name == ID
                || written.starts_with("xmlns")
                || matches!(written, "id" | "o:spid" | "ObjectID" | "ShapeID" | "w:history")
                || written.ends_with(":anchorId")
                || written.ends_with(":editId")
                || written.ends_with(":tplc")
                || is_picture_name && written == "name")
        };
        let mut rows: Vec<(&str, &str, QName)> = document
            .raw_attributes(node)
            .filter(|(name, written, _)| counts(*name, written))
            .map(|(name, written, value)| (written, value, name))
            .collect();
        rows.sort_unstable_by(|left, right| left.0.cmp(right.0));
        for (written, value, name) in rows {
            hasher.write_u8(LEAF);
            let local = written.rsplit(':').next().unwrap_or(written);
            hasher.write(local.as_bytes());
            if is_relation(document, name) {
                hasher.write_u64(self.targets.links.get(value).copied().unwrap_or_default());
            } else {
                // Programs write the same character as itself, by name, or by one of two numbers.
                hasher.write(unescape(value).as_bytes());
            }
        }
    }
}

/// Whether an element names a style.
pub(crate) fn is_style_reference(name: QName) -> bool {
    matches!(name, P_STYLE | R_STYLE | TBL_STYLE | BASED_ON | LINK | NEXT)
}

fn is_revision(name: QName) -> bool {
    is_revision_wrapper(name) || is_property_change(name)
}

/// Whether an attribute names a relationship: `r:id`, `r:embed`, and the four of a diagram.
fn is_relation(document: &Document, name: QName) -> bool {
    matches!(name, R_ID | R_EMBED | R_LINK)
        || name != QName::NONE && document.namespace_uri(name).ends_with("/relationships")
}

/// What a relationship leads to: an address, or the bytes of a part.
pub(crate) fn relation_number(package: &Package, kind: &str, (target, is_external): (&str, bool)) -> u64 {
    if is_external {
        return number_of(32, &format!("{kind} {target}"));
    }
    let (size, checksum) = package.fingerprint(target).unwrap_or_default();
    number_of(33, &format!("{kind} {size} {checksum}"))
}

/// Elements that are in a document for programs only.
pub(crate) fn is_silent(name: QName) -> bool {
    matches!(name, R_PR | LAST_RENDERED_PAGE_BREAK | COMMENT_REFERENCE | SHOWING_PLC_HDR)
        || name == crate::names::ANNOTATION_REF
        || is_range_marker(name)
}

fn is_control(name: QName) -> bool {
    matches!(name, crate::names::SDT | SDT_CONTENT | crate::names::CUSTOM_XML)
}

fn is_nothing(name: QName) -> bool {
    matches!(name, SHOWING_PLC_HDR | FALLBACK)
}

/// Whether an element of a paragraph holds runs.
pub(crate) fn holds_inline(name: QName) -> bool {
    use crate::names::{BDO, CUSTOM_XML, DIR, SDT, SMART_TAG};
    matches!(name, HYPERLINK | SDT | SMART_TAG | CUSTOM_XML | BDO | DIR | FLD_SIMPLE)
        || is_revision_wrapper(name)
}

/// What [`Signer::whole`] gives of a field character.
fn whole_field_character(kind: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write_u64(field_character(kind));
    hasher.finish()
}

fn field_character(kind: &str) -> u64 {
    number_of(LEAF, kind)
}

fn is_session_mark(name: QName) -> bool {
    matches!(
        name,
        RSID_R
            | RSID_R_PR
            | RSID_DEL
            | RSID_P
            | RSID_R_DEFAULT
            | RSID_SECT
            | RSID_TR
            | XML_SPACE
            | TEXT_ID
            | PARA_ID
    )
}

/// Whether a name stands in the main namespace.
pub(crate) fn is_main(document: &Document, name: QName) -> bool {
    VOCABULARY.names().get(usize::from(name.index())).is_some_and(|(group, _)| *group == W)
        || document.namespace_uri(name) == crate::names::W_URI
}
