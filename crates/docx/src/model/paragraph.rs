//! The text of a paragraph, and which run each of its characters stands in.
//!
//! A paragraph is a row of atoms: the leaves of its runs in file order. An atom is visible or not depending on the
//! [`View`]; visible atoms make the text.

use std::ops::Range;

use engross_xml::{Document, NodeId, NodeKind, QName};

use crate::model::{FieldContext, effective_text, is_id_since, is_range_marker};
use crate::names::{
    ALTERNATE_CONTENT, BDO, BR, CHECKBOX, CITATION, COMBO_BOX, CONTENT_PART, CR, CUSTOM_XML, DATA_BINDING,
    DATE, DEL, DEL_TEXT, DIR, DRAWING, DROP_DOWN_LIST, ENDNOTE_REFERENCE, EQUATION, FLD_SIMPLE,
    FOOTNOTE_REFERENCE, HYPERLINK, INS, INSTR, LOCK, MOVE_FROM, MOVE_TO, NO_BREAK_HYPHEN, O_MATH,
    O_MATH_PARA, OBJECT as OBJECT_ELEMENT, P_PR, PICT, PICTURE, PTAB, R_PR, RUBY, RUN, SDT, SDT_CONTENT,
    SDT_PR, SMART_TAG, SOFT_HYPHEN, SUB_DOC, SYM, T, TAB, TYPE, VAL, W15_DATA_BINDING,
};

pub use crate::text::OBJECT;

/// Which revisions count as done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum View {
    /// All revisions accepted: what the author of the last edit means.
    Accepted,
    /// All revisions rejected.
    Original,
    /// All text of both.
    Markup,
    /// As accepted, but with revisions whose id is at least this taken as never made: the state before a batch.
    Before(i64),
}

impl View {
    /// Whether it shows what stands in the insertion (or move target) `inserted` and in the deletion `deleted`.
    pub(crate) fn shows(
        self,
        document: &Document,
        inserted: Option<NodeId>,
        deleted: Option<NodeId>,
    ) -> bool {
        let since =
            |node: Option<NodeId>, first: i64| node.is_some_and(|node| is_id_since(document, node, first));
        match self {
            Self::Markup => true,
            Self::Accepted => deleted.is_none(),
            Self::Original => inserted.is_none(),
            Self::Before(first) => !since(inserted, first) && (deleted.is_none() || since(deleted, first)),
        }
    }
}

/// Why a locked content control takes no text.
pub(crate) const LOCKED: &str = "it is locked";

/// What an atom is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AtomKind {
    /// A `w:t` or `w:delText`.
    Text,
    /// A tab, break or hyphen: one character with an element of its own.
    Character(char),
    /// An inline object, shown as [`OBJECT`].
    Object,
    /// Something without text: field characters, instructions, rendered page breaks.
    Silent,
}

/// Why text must not be edited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Barrier {
    /// It is the result of a field of that name.
    Field(String),
    /// It lies in a content control that does not take typed text; says why.
    ContentControl(&'static str),
    /// It is being moved by a pending revision.
    Move,
}

/// A leaf of a run.
#[derive(Debug, Clone)]
pub struct Atom {
    /// What it is.
    pub kind: AtomKind,
    /// The leaf element.
    pub node: NodeId,
    /// The `w:r` it stands in; for an equation the equation itself.
    pub run: NodeId,
    /// Bytes of the paragraph's text; empty when not visible.
    pub range: Range<usize>,
    /// Whether the view shows it.
    pub visible: bool,
    /// The innermost insertion (or move target) around it.
    pub inserted: Option<NodeId>,
    /// The innermost deletion (or move source) around it.
    pub deleted: Option<NodeId>,
    /// Complex fields open behind it.
    pub fields: usize,
    /// Why it must not be edited.
    pub barrier: Option<Barrier>,
}

/// A paragraph in one view.
#[derive(Debug, Clone)]
pub struct Paragraph {
    /// The `w:p`.
    pub node: NodeId,
    /// Its text in the view.
    pub text: String,
    /// All its atoms in file order.
    pub atoms: Vec<Atom>,
    /// The fields still open at its end.
    pub fields_at_end: usize,
    /// Whether it closes a field that it did not open.
    pub closes_outer_field: bool,
}

impl Paragraph {
    /// Reads `node`, a `w:p`, which starts inside `fields`.
    #[must_use]
    pub fn read(document: &Document, node: NodeId, view: View, fields: Option<&FieldContext>) -> Self {
        Self::read_chain(document, &[node], view, fields)
    }

    /// Reads paragraphs that are one in the view, because the marks between them are not in it.
    #[must_use]
    pub fn read_chain(
        document: &Document,
        nodes: &[NodeId],
        view: View,
        fields: Option<&FieldContext>,
    ) -> Self {
        let Some(node) = nodes.last().copied() else { return Self::empty(document.root()) };
        let fields = fields.cloned().unwrap_or_default();
        let mut reader = Reader {
            document,
            view,
            outer: fields.depth(),
            lowest: fields.depth(),
            fields,
            paragraph: Self::empty(node),
        };
        for node in nodes {
            let barrier = document.parent(*node).and_then(|parent| barrier_inside(document, parent));
            reader.inline(*node, &Context { barrier, ..Context::default() });
        }
        let Reader { mut paragraph, fields, lowest, outer, .. } = reader;
        paragraph.fields_at_end = fields.depth().saturating_sub(lowest);
        paragraph.closes_outer_field = lowest < outer;
        paragraph
    }

    fn empty(node: NodeId) -> Self {
        Self { node, text: String::new(), atoms: Vec::new(), fields_at_end: 0, closes_outer_field: false }
    }

    /// The visible atoms.
    pub fn visible(&self) -> impl Iterator<Item = &Atom> {
        self.atoms.iter().filter(|atom| atom.visible)
    }

    /// Visible atoms that share a character with `range`.
    pub fn overlapping(&self, range: Range<usize>) -> impl Iterator<Item = &Atom> {
        self.visible().filter(move |atom| atom.range.start < range.end && atom.range.end > range.start)
    }
}

#[derive(Debug, Clone, Default)]
struct Context {
    inserted: Option<NodeId>,
    deleted: Option<NodeId>,
    barrier: Option<Barrier>,
}

struct Reader<'a> {
    document: &'a Document,
    view: View,
    fields: FieldContext,
    outer: usize,
    lowest: usize,
    paragraph: Paragraph,
}

impl Reader<'_> {
    // Depth is bounded by the XML parser's limit.
    fn inline(&mut self, parent: NodeId, context: &Context) {
        let document = self.document;
        for child in document.children(parent) {
            match document.name(child) {
                RUN => self.run(child, context),
                P_PR | R_PR | SDT_PR | QName::NONE => {}
                INS => self.inline(child, &Context { inserted: Some(child), ..context.clone() }),
                DEL => self.inline(child, &Context { deleted: Some(child), ..context.clone() }),
                MOVE_FROM => {
                    let barrier = Some(Barrier::Move);
                    self.inline(child, &Context { deleted: Some(child), barrier, ..context.clone() });
                }
                MOVE_TO => {
                    let barrier = Some(Barrier::Move);
                    self.inline(child, &Context { inserted: Some(child), barrier, ..context.clone() });
                }
                HYPERLINK => self.inline(child, context),
                SMART_TAG | CUSTOM_XML | DIR | BDO => self.inline(child, context),
                SDT => {
                    let barrier = control_barrier(document, child).or_else(|| context.barrier.clone());
                    let inner = Context { barrier, ..context.clone() };
                    if let Some(content) = document.child(child, SDT_CONTENT) {
                        self.inline(content, &inner);
                    }
                }
                FLD_SIMPLE => {
                    let barrier = simple_field_barrier(document, child).or_else(|| context.barrier.clone());
                    self.inline(child, &Context { barrier, ..context.clone() });
                }
                O_MATH | O_MATH_PARA | SUB_DOC | ALTERNATE_CONTENT => {
                    self.atom(AtomKind::Object, child, child, context);
                }
                name if is_range_marker(name) => {}
                _ => {}
            }
        }
    }

    fn run(&mut self, run: NodeId, context: &Context) {
        let document = self.document;
        for leaf in document.children(run) {
            if document.kind(leaf) != NodeKind::Element {
                continue;
            }
            let kind = match document.name(leaf) {
                R_PR => continue,
                T | DEL_TEXT => AtomKind::Text,
                TAB | PTAB => AtomKind::Character('\t'),
                CR => AtomKind::Character('\n'),
                BR => AtomKind::Character(match document.attribute(leaf, TYPE).as_deref() {
                    Some("page") => '\u{C}',
                    Some("column") => '\u{B}',
                    _ => '\n',
                }),
                NO_BREAK_HYPHEN => AtomKind::Character('\u{2011}'),
                SOFT_HYPHEN => AtomKind::Character('\u{AD}'),
                FOOTNOTE_REFERENCE | ENDNOTE_REFERENCE | DRAWING | PICT | OBJECT_ELEMENT | SYM
                | ALTERNATE_CONTENT | RUBY | CONTENT_PART => AtomKind::Object,
                // Field characters, instructions, rendered page breaks, comment marks, and what we do not know.
                _ => AtomKind::Silent,
            };
            self.fields.take(document, leaf);
            self.lowest = self.lowest.min(self.fields.depth());
            self.atom(kind, leaf, run, context);
        }
    }

    fn atom(&mut self, kind: AtomKind, node: NodeId, run: NodeId, context: &Context) {
        let visible = kind != AtomKind::Silent && !self.fields.in_code() && self.shows(context);
        let text = &mut self.paragraph.text;
        let start = text.len();
        if visible {
            match kind {
                AtomKind::Text => text.push_str(&effective_text(self.document, node)),
                AtomKind::Character(c) => text.push(c),
                AtomKind::Object => text.push(OBJECT),
                AtomKind::Silent => {}
            }
        }
        let range = start..text.len();
        let guarded = self.fields.guarded().map(|name| Barrier::Field(name.to_owned()));
        self.paragraph.atoms.push(Atom {
            kind,
            node,
            run,
            range,
            visible,
            inserted: context.inserted,
            deleted: context.deleted,
            fields: self.fields.depth(),
            barrier: guarded.or_else(|| context.barrier.clone()),
        });
    }

    fn shows(&self, context: &Context) -> bool {
        self.view.shows(self.document, context.inserted, context.deleted)
    }
}

/// Why text beside `node`'s children must not be edited: the nearest locked control or simple field around.
pub(crate) fn barrier_inside(document: &Document, node: NodeId) -> Option<Barrier> {
    std::iter::once(node).chain(document.ancestors(node)).find_map(|above| match document.name(above) {
        FLD_SIMPLE => simple_field_barrier(document, above),
        _ => barrier_of(document, above),
    })
}

/// The same, simple fields aside.
pub(crate) fn barrier_around_fields(document: &Document, node: NodeId) -> Option<Barrier> {
    std::iter::once(node).chain(document.ancestors(node)).find_map(|above| barrier_of(document, above))
}

fn barrier_of(document: &Document, node: NodeId) -> Option<Barrier> {
    match document.name(node) {
        SDT => control_barrier(document, node),
        MOVE_FROM | MOVE_TO => Some(Barrier::Move),
        _ => None,
    }
}

fn simple_field_barrier(document: &Document, field: NodeId) -> Option<Barrier> {
    let code = document.attribute(field, INSTR).unwrap_or_default();
    let name = code.split_whitespace().next().unwrap_or("field");
    (!name.eq_ignore_ascii_case("HYPERLINK")).then(|| Barrier::Field(name.to_owned()))
}

/// Why the text of a content control is not free text (ISO/IEC 29500-1 §17.5.2).
fn control_barrier(document: &Document, control: NodeId) -> Option<Barrier> {
    let properties = document.child(control, SDT_PR)?;
    document.children(properties).find_map(|property| {
        let why = match document.name(property) {
            LOCK => match document.attribute(property, VAL).as_deref() {
                Some("contentLocked" | "sdtContentLocked") => LOCKED,
                _ => return None,
            },
            DATA_BINDING | W15_DATA_BINDING => "it is bound to data of the document",
            DROP_DOWN_LIST | COMBO_BOX => "it offers a choice from a list",
            DATE => "it holds a date that is picked",
            CHECKBOX => "it is a check box",
            PICTURE | CITATION | EQUATION => "it does not hold typed text",
            _ => return None,
        };
        Some(Barrier::ContentControl(why))
    })
}
