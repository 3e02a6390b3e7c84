//! The normal form in which two trees are compared: equal means equal to a reader of the document.
//!
//! Neighbouring runs with the same properties are one, neighbouring revisions of one author and date are one; revision
//! ids, rsids and `xml:space` do not count, nor does white space between elements. A simple field is its long form.
//! Everything else does, in order.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hasher};

use engross_xml::{Document, NodeId, NodeKind, QName};

use crate::model::{effective_text, is_revision_wrapper};
use crate::names::{
    AUTHOR, BODY, CHECKED, COMMENT, COMMENT_RANGE_END, COMMENT_RANGE_START, COMMENT_REFERENCE, DATE,
    DEL_INSTR_TEXT, DEL_TEXT, ENDNOTE, FLD_CHAR, FLD_CHAR_TYPE, FLD_DATA, FLD_SIMPLE, FOOTER_REFERENCE,
    FOOTNOTE, FULL_DATE, HEADER_REFERENCE, ID, INSTR, INSTR_TEXT, LAST_VALUE, P_PR, PARA_ID, R_ID, R_PR,
    RSID_DEL, RSID_P, RSID_R, RSID_R_DEFAULT, RSID_R_PR, RSID_SECT, RSID_TR, RUN, SDT_PR, SECT_PR,
    SHOWING_PLC_HDR, T, TC_PR, TEXT_ID, TITLE_PG, TR_PR, TYPE, VAL, W_URI, W_URIS, XML_SPACE,
};
use crate::revisions::is_property_change;

/// The normal form of `node` and all below it. Equal trees have equal bytes.
#[must_use]
pub(crate) fn normal_form(document: &Document, node: NodeId) -> Vec<u8> {
    normal_form_without(document, node, &IgnoredMarkup::default())
}

/// A number that stands for what [`normal_form_without`] gives: a long document has many paragraphs to remember.
pub(crate) fn form_key(document: &Document, node: NodeId, ignored: &IgnoredMarkup) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(&normal_form_without(document, node, ignored));
    hasher.finish()
}

/// The same as if some comments were not there.
#[must_use]
pub(crate) fn normal_form_without(document: &Document, node: NodeId, ignored: &IgnoredMarkup) -> Vec<u8> {
    let mut writer = Writer { document, ignored, out: Vec::with_capacity(512) };
    writer.element(node);
    writer.out
}

/// What a session changed that is no tracked change, and so counts on neither side of a proof: comments, and the state of controls.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct IgnoredMarkup {
    /// Comments from this id on are new.
    pub(crate) from: Option<i64>,
    /// Comments that are gone.
    pub(crate) gone: BTreeSet<i64>,
    /// Headers and footers that sections show or show no more.
    pub(crate) layout: IgnoredLayout,
    /// Content controls that are filled in, by `w:id`: their state is no tracked change.
    pub(crate) filled: BTreeSet<String>,
    /// Footnotes and endnotes that came or went. What a revision puts there is their mark; without it they show nowhere.
    pub(crate) notes: [IgnoredNotes; 2],
    /// `w14:paraId`s that paragraphs of comments got so that a thread can name them.
    pub(crate) named: BTreeSet<String>,
}

/// The notes of a part that came or went in a session.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct IgnoredNotes {
    /// Those from this id on are new.
    pub(crate) from: Option<i64>,
    /// Those that nothing leads to any more.
    pub(crate) gone: BTreeSet<i64>,
}

impl IgnoredNotes {
    fn is_empty(&self) -> bool {
        self.from.is_none() && self.gone.is_empty()
    }

    fn holds(&self, document: &Document, note: NodeId) -> bool {
        let id = document.attribute(note, ID).and_then(|id| id.trim().parse::<i64>().ok());
        id.is_some_and(|id| self.from.is_some_and(|from| id >= from) || self.gone.contains(&id))
    }
}

/// What a session changed of sections without a revision.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct IgnoredLayout {
    /// References to headers and footers, by type and relationship.
    pub(crate) references: BTreeSet<(String, String)>,
    /// Whether a section lets its first page differ that did not.
    pub(crate) has_new_switch: bool,
    /// Whether the body has section properties that it had not.
    pub(crate) is_section_new: bool,
}

impl IgnoredLayout {
    fn holds(&self, document: &Document, node: NodeId) -> bool {
        match document.name(node) {
            HEADER_REFERENCE | FOOTER_REFERENCE => {
                let value = |name| document.attribute(node, name).unwrap_or_default().into_owned();
                self.references.contains(&(value(TYPE), value(R_ID)))
            }
            TITLE_PG => self.has_new_switch,
            SECT_PR => {
                self.is_section_new && document.parent(node).is_some_and(|body| document.name(body) == BODY)
            }
            _ => false,
        }
    }
}

impl IgnoredMarkup {
    /// Whether `id` is one of them.
    pub(crate) fn is_aside(&self, id: i64) -> bool {
        self.from.is_some_and(|from| id >= from) || self.gone.contains(&id)
    }

    /// Whether these are properties of a control that is filled in.
    fn is_filled(&self, document: &Document, properties: NodeId) -> bool {
        if self.filled.is_empty() || document.name(properties) != SDT_PR {
            return false;
        }
        let id = document.child(properties, ID).and_then(|id| document.attribute(id, VAL));
        self.filled.contains(id.as_deref().unwrap_or_default())
    }

    /// Whether an attribute of `node` is the state of a control that is filled in, or a name that a thread needed.
    fn is_attribute(&self, document: &Document, node: NodeId, attribute: QName, value: &str) -> bool {
        match attribute {
            FULL_DATE | LAST_VALUE => {
                document.parent(node).is_some_and(|properties| self.is_filled(document, properties))
            }
            PARA_ID => self.named.contains(value),
            _ => false,
        }
    }

    /// Whether an element is one of them or an end of its range, or a run with nothing but its mark.
    pub(crate) fn holds(&self, document: &Document, node: NodeId) -> bool {
        match document.name(node) {
            HEADER_REFERENCE | FOOTER_REFERENCE | TITLE_PG | SECT_PR => {
                return self.layout.holds(document, node);
            }
            // Whether a control waits for its text says nothing of the text.
            SHOWING_PLC_HDR => return true,
            CHECKED => {
                let properties = document.parent(node).and_then(|check_box| document.parent(check_box));
                return properties.is_some_and(|properties| self.is_filled(document, properties));
            }
            _ => {}
        }
        if self.from.is_none() && self.gone.is_empty() && self.notes.iter().all(IgnoredNotes::is_empty) {
            return false;
        }
        let [footnotes, endnotes] = &self.notes;
        match document.name(node) {
            FOOTNOTE => footnotes.holds(document, node),
            ENDNOTE => endnotes.holds(document, node),
            COMMENT | COMMENT_RANGE_START | COMMENT_RANGE_END | COMMENT_REFERENCE => {
                let id = document.attribute(node, ID).and_then(|id| id.trim().parse().ok());
                id.is_some_and(|id| self.is_aside(id))
            }
            RUN => {
                let mut content = document.children(node).filter(|child| {
                    document.kind(*child) == NodeKind::Element && document.name(*child) != R_PR
                });
                match (content.next(), content.next()) {
                    (Some(only), None) => {
                        document.name(only) == COMMENT_REFERENCE && self.holds(document, only)
                    }
                    _ => false,
                }
            }
            _ => false,
        }
    }
}

/// A sequence of siblings that read as one element.
enum OpenSequence {
    Nothing,
    /// Runs of one normal form of properties.
    Run(Vec<u8>),
    /// Revisions of one kind, author and date, and what is open inside of them.
    Revision(RevisionKey, Box<OpenSequence>),
}

type RevisionKey = (QName, String, String);

struct Writer<'a> {
    document: &'a Document,
    ignored: &'a IgnoredMarkup,
    out: Vec<u8>,
}

impl Writer<'_> {
    // Depth is bounded by the XML parser's limit.
    fn element(&mut self, node: NodeId) {
        self.tag(node);
        self.children(node);
        self.out.push(b'>');
    }

    fn children(&mut self, node: NodeId) {
        let mut open = OpenSequence::Nothing;
        self.siblings(node, &mut open);
        self.close(&open);
    }

    /// Writes the children of `node`, going on in what `open` has left open.
    fn siblings(&mut self, node: NodeId, open: &mut OpenSequence) {
        let document = self.document;
        for child in document.children(node) {
            match document.kind(child) {
                NodeKind::Element => self.sibling(child, open),
                NodeKind::Text | NodeKind::CData => {
                    let text = document.text(child);
                    if !text.trim().is_empty() || may_be_blank(document, node) {
                        self.switch(open, OpenSequence::Nothing);
                        self.text(&text);
                    }
                }
                // Comments and instructions say nothing to a reader.
                _ => {}
            }
        }
    }

    fn sibling(&mut self, node: NodeId, open: &mut OpenSequence) {
        let document = self.document;
        if self.ignored.holds(document, node) {
            return;
        }
        match document.name(node) {
            RUN => {
                let properties = document.child(node, R_PR).filter(|node| !is_empty(document, *node));
                let form = properties.map(|node| normal_form(document, node)).unwrap_or_default();
                let same = matches!(open, OpenSequence::Run(known) if *known == form);
                if !same {
                    self.switch(open, OpenSequence::Run(form.clone()));
                    self.out.extend_from_slice(b"<r");
                    self.out.extend_from_slice(&form);
                }
                self.run_content(node);
            }
            name if is_revision_wrapper(name) && document.first_child(node).is_some() => {
                let attribute = |name| document.attribute(node, name).unwrap_or_default().into_owned();
                let key = (name, attribute(AUTHOR), attribute(DATE));
                if !matches!(open, OpenSequence::Revision(known, _) if *known == key) {
                    self.switch(open, OpenSequence::Revision(key, Box::new(OpenSequence::Nothing)));
                    self.tag(node);
                }
                if let OpenSequence::Revision(_, inner) = open {
                    self.siblings(node, inner);
                }
            }
            P_PR | R_PR | TR_PR | TC_PR if is_empty(document, node) => {}
            FLD_SIMPLE => self.simple_field(node, open),
            _ => {
                self.switch(open, OpenSequence::Nothing);
                self.element(node);
            }
        }
    }

    /// A simple field reads as what `edit/long_fields.rs` writes for it.
    fn simple_field(&mut self, field: NodeId, open: &mut OpenSequence) {
        let document = self.document;
        self.plain_run(open);
        self.field_character("begin", field, INSTR);
        for data in document.children(field).filter(|child| document.name(*child) == FLD_DATA) {
            self.element(data);
        }
        self.out.push(b'>');
        self.leaf_text(3, &document.attribute(field, INSTR).unwrap_or_default());
        self.out.extend_from_slice(b"<fldChar separate\n>");
        for child in document.children(field) {
            if document.kind(child) == NodeKind::Element && document.name(child) != FLD_DATA {
                self.sibling(child, open);
            }
        }
        self.plain_run(open);
        self.out.extend_from_slice(b"<fldChar end\n>");
    }

    /// Goes on in runs without properties.
    fn plain_run(&mut self, open: &mut OpenSequence) {
        if !matches!(open, OpenSequence::Run(known) if known.is_empty()) {
            self.switch(open, OpenSequence::Run(Vec::new()));
            self.out.extend_from_slice(b"<r");
        }
    }

    /// The head of a field character, with the attributes of `node` but for one.
    fn field_character(&mut self, kind: &str, node: NodeId, without: QName) {
        self.out.extend_from_slice(b"<fldChar ");
        self.out.extend_from_slice(kind.as_bytes());
        self.attributes(node, |name| name != without);
    }

    fn run_content(&mut self, run: NodeId) {
        let document = self.document;
        for leaf in document.children(run) {
            let name = document.name(leaf);
            match name {
                R_PR | QName::NONE => {}
                T => self.leaf_text(1, &effective_text(document, leaf)),
                DEL_TEXT => self.leaf_text(2, &effective_text(document, leaf)),
                INSTR_TEXT => self.leaf_text(3, &effective_text(document, leaf)),
                DEL_INSTR_TEXT => self.leaf_text(4, &effective_text(document, leaf)),
                FLD_CHAR => {
                    let kind = document.attribute(leaf, FLD_CHAR_TYPE).unwrap_or_default();
                    self.field_character(&kind, leaf, FLD_CHAR_TYPE);
                    self.children(leaf);
                    self.out.push(b'>');
                }
                _ if self.ignored.holds(document, leaf) => {}
                _ => self.element(leaf),
            }
        }
    }

    /// The text of a leaf. XML text cannot hold a marker's byte, so markers can part one kind of text from another.
    fn leaf_text(&mut self, marker: u8, text: &str) {
        if text.is_empty() {
            return;
        }
        // Two leaves of one kind read as one text.
        if self.out.last() == Some(&marker) {
            self.out.pop();
        } else {
            self.out.push(marker);
        }
        self.text(text);
        self.out.push(marker);
    }

    fn switch(&mut self, open: &mut OpenSequence, to: OpenSequence) {
        self.close(open);
        *open = to;
    }

    fn close(&mut self, open: &OpenSequence) {
        match open {
            OpenSequence::Nothing => {}
            OpenSequence::Run(_) => self.out.push(b'>'),
            OpenSequence::Revision(_, inner) => {
                self.close(inner);
                self.out.push(b'>');
            }
        }
    }

    fn tag(&mut self, node: NodeId) {
        let document = self.document;
        let name = document.name(node);
        let uri = document.namespace_uri(name);
        self.out.push(b'<');
        if name == QName::NONE {
            self.out.extend_from_slice(document.qualified_name(node).as_bytes());
        } else {
            if uri != W_URI {
                self.out.push(b'{');
                self.out.extend_from_slice(uri.as_bytes());
                self.out.push(b'}');
            }
            self.out.extend_from_slice(document.local_name(name).as_bytes());
        }
        let revision = is_revision_wrapper(name) || is_property_change(name);
        self.attributes(node, |attribute| !(revision && attribute == ID));
    }

    fn attributes(&mut self, node: NodeId, counts: impl Fn(QName) -> bool) {
        let document = self.document;
        let counts = |attribute: QName, value: &str| {
            counts(attribute)
                && !is_session_mark(attribute)
                && !self.ignored.is_attribute(document, node, attribute, value)
        };
        let mut rows: Vec<(QName, &str, &str)> =
            document.raw_attributes(node).filter(|(name, _, value)| counts(*name, value)).collect();
        rows.sort_by(|left, right| left.1.cmp(right.1));
        for (_, qualified, value) in rows {
            self.out.push(b' ');
            self.out.extend_from_slice(qualified.as_bytes());
            self.out.push(b'=');
            self.out.extend_from_slice(value.as_bytes());
        }
        self.out.push(b'\n');
    }

    fn text(&mut self, text: &str) {
        self.out.extend_from_slice(text.as_bytes());
    }
}

/// Attributes that only tell in which editing session something was typed (§17.15.1.70), or how text is stored.
fn is_session_mark(name: QName) -> bool {
    matches!(
        name,
        RSID_R | RSID_R_PR | RSID_DEL | RSID_P | RSID_R_DEFAULT | RSID_SECT | RSID_TR | XML_SPACE | TEXT_ID
    )
}

fn is_empty(document: &Document, node: NodeId) -> bool {
    document.raw_attributes(node).next().is_none()
        && document.children(node).all(|child| match document.name(child) {
            R_PR => is_empty(document, child),
            QName::NONE => document.text(child).trim().is_empty(),
            _ => false,
        })
}

/// Whether white space may be all that an element says, as in mathematics. In the main namespace only the leaves of runs have
/// text, and those are not asked about here.
fn may_be_blank(document: &Document, node: NodeId) -> bool {
    let is_main = || W_URIS.contains(&document.namespace_uri(document.name(node)));
    !document.children(node).any(|child| document.kind(child) == NodeKind::Element) && !is_main()
}
