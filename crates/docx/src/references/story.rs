//! The bookmarks and the references of one story, as one view of its revisions has them.
//!
//! Must never change the tree, and never look beyond the story.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use engross_xml::{Document, NodeId};

use super::instruction::Instruction;
use super::words::Words;
use crate::model::{
    AtomKind, FieldContext, Paragraph, View, fields_at_start, mark_revisions, next_paragraph, paragraphs,
};
use crate::names::{
    ANCHOR, BOOKMARK_END, BOOKMARK_START, CELL_DEL, CELL_INS, DEL, DEL_INSTR_TEXT, FALLBACK, FLD_CHAR,
    FLD_CHAR_TYPE, FLD_SIMPLE, HYPERLINK, ID, INS, INSTR, INSTR_TEXT, MOVE_FROM, MOVE_TO, NAME, P, R_ID, RUN,
    TC, TC_PR, TR, TR_PR, TXBX_CONTENT,
};

/// A bookmark, which may span paragraphs. A marker between paragraphs belongs to the paragraph behind it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Bookmark {
    pub(crate) name: String,
    pub(crate) start: NodeId,
    pub(crate) end: NodeId,
    /// The paragraph of its start, from 0.
    pub(crate) first: usize,
    /// The paragraph of its end.
    pub(crate) last: usize,
}

/// How a reference stands in the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FieldForm {
    /// By field characters (`w:fldChar`).
    Complex { begin: NodeId, separate: Option<NodeId>, end: Option<NodeId> },
    /// `w:fldSimple`.
    Simple(NodeId),
    /// `w:hyperlink` with an anchor, which is no field, but refers like one.
    Link(NodeId),
}

impl FieldForm {
    /// The node with which it begins.
    pub(crate) fn begin(self) -> NodeId {
        match self {
            FieldForm::Complex { begin, .. } => begin,
            FieldForm::Simple(node) | FieldForm::Link(node) => node,
        }
    }
}

/// A field, or a link to a bookmark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Field {
    pub(crate) form: FieldForm,
    pub(crate) instruction: Instruction,
    /// The paragraph in which it begins, from 0.
    pub(crate) first: usize,
    /// The paragraph in which it ends.
    pub(crate) last: usize,
    /// The field around it, by its place in the list.
    pub(crate) outer: Option<usize>,
}

/// Text that the view shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Leaf {
    pub(crate) paragraph: usize,
    pub(crate) node: NodeId,
    pub(crate) text: String,
}

/// The bookmarks and references of a story.
#[derive(Debug, Clone)]
pub(crate) struct Story {
    /// What addresses begin with: `footnote:3/`; nothing for the body.
    pub(crate) prefix: String,
    pub(crate) view: View,
    pub(crate) paragraphs: Vec<NodeId>,
    pub(crate) bookmarks: Vec<Bookmark>,
    /// In the order of their beginnings.
    pub(crate) fields: Vec<Field>,
    /// The fields open at the start of paragraphs.
    contexts: HashMap<NodeId, FieldContext>,
    /// By paragraph: the one that holds its text in the view, since borders between them are not in it.
    owners: Vec<Option<usize>>,
}

impl Story {
    pub(crate) fn read(document: &Document, root: NodeId, prefix: &str, view: View) -> Self {
        let paragraphs = paragraphs(document, root);
        let (bookmarks, fields) = Reader::new(document, view).read(root, &paragraphs);
        Self {
            prefix: prefix.to_owned(),
            view,
            bookmarks,
            fields,
            contexts: fields_at_start(document, &paragraphs),
            owners: owners(document, &paragraphs, view),
            paragraphs,
        }
    }

    /// `P12`, `footnote:3/P1`.
    pub(crate) fn address(&self, paragraph: usize) -> String {
        format!("{}P{}", self.prefix, paragraph + 1)
    }

    /// The paragraph that holds the text of a paragraph in the view; nothing when that went with its row.
    pub(crate) fn owner(&self, paragraph: usize) -> Option<usize> {
        self.owners.get(paragraph).copied().flatten()
    }

    /// The paragraphs whose text one paragraph holds in the view.
    pub(crate) fn members(&self, owner: usize) -> std::ops::RangeInclusive<usize> {
        let first = (0..owner).rev().take_while(|before| self.owner(*before) == Some(owner)).last();
        first.unwrap_or(owner)..=owner
    }

    /// The bookmark of that name: the first, as Word takes it. Case does not count.
    pub(crate) fn bookmark(&self, name: &str) -> Option<&Bookmark> {
        self.bookmarks.iter().find(|bookmark| bookmark.name.eq_ignore_ascii_case(name))
    }

    /// Whether a field is a table of contents, or stands in one.
    pub(crate) fn is_in_contents(&self, field: &Field) -> bool {
        let mut at = Some(field);
        while let Some(field) = at {
            if matches!(field.instruction.name().as_str(), "TOC" | "INDEX" | "TOA") {
                return true;
            }
            at = field.outer.and_then(|outer| self.fields.get(outer));
        }
        false
    }

    /// The paragraphs that are lines of a table of contents: their numbers are those of other paragraphs.
    pub(crate) fn contents_lines(&self, document: &Document) -> HashSet<usize> {
        let tables = self.fields.iter().filter(|field| field.outer.is_none() && self.is_in_contents(field));
        tables.flat_map(|table| self.result(document, table)).map(|leaf| leaf.paragraph).collect()
    }

    /// Words of a paragraph, to be edited.
    pub(crate) fn words(&self, paragraph: usize, range: Range<usize>) -> Option<Words> {
        let node = self.paragraphs.get(paragraph).copied()?;
        let fields = self.contexts.get(&node).cloned();
        Some(Words { paragraph: node, fields, view: self.view, range })
    }

    /// A paragraph in the view, with what is joined to it left out.
    pub(crate) fn model(&self, document: &Document, paragraph: usize) -> Option<Paragraph> {
        let node = self.paragraphs.get(paragraph).copied()?;
        Some(Paragraph::read(document, node, self.view, self.contexts.get(&node)))
    }

    /// The text that a paragraph has in the view, with that of paragraphs which run into it.
    pub(crate) fn text(&self, document: &Document, owner: usize) -> String {
        self.members(owner).filter_map(|at| Some(self.model(document, at)?.text)).collect()
    }

    /// The leaves of a paragraph that the view shows.
    pub(crate) fn leaves(&self, document: &Document, paragraph: usize) -> Vec<Leaf> {
        let Some(model) = self.model(document, paragraph) else { return Vec::new() };
        let leaf = |atom: &crate::model::Atom| Leaf {
            paragraph,
            node: atom.node,
            text: model.text.get(atom.range.clone()).unwrap_or_default().to_owned(),
        };
        model
            .visible()
            .filter(|atom| atom.kind != AtomKind::Silent && !atom.range.is_empty())
            .map(leaf)
            .collect()
    }

    /// What the view shows between the markers of a bookmark.
    pub(crate) fn content(&self, document: &Document, bookmark: &Bookmark) -> Vec<Leaf> {
        let Bookmark { start, end, first, last, .. } = bookmark;
        self.between(document, (*start, *end), (*first, *last))
    }

    /// What a field shows.
    pub(crate) fn result(&self, document: &Document, field: &Field) -> Vec<Leaf> {
        match field.form {
            FieldForm::Complex { separate: Some(separate), end: Some(end), .. } => {
                self.between(document, (separate, end), (field.first, field.last))
            }
            FieldForm::Complex { .. } => Vec::new(),
            FieldForm::Simple(node) | FieldForm::Link(node) => {
                let mut leaves = self.leaves(document, field.first);
                leaves.retain(|leaf| document.ancestors(leaf.node).any(|above| above == node));
                leaves
            }
        }
    }

    /// What the view shows between two nodes that stand in, or before, the paragraphs `first` and `last`.
    fn between(
        &self,
        document: &Document,
        (start, end): (NodeId, NodeId),
        (first, last): (usize, usize),
    ) -> Vec<Leaf> {
        let mut found = Vec::new();
        let mut is_inside = false;
        for paragraph in first..=last {
            let Some(node) = self.paragraphs.get(paragraph).copied() else { break };
            let holds = |marker: NodeId| document.ancestors(marker).any(|above| above == node);
            is_inside |= paragraph == first && !holds(start);
            if paragraph == last && !holds(end) {
                break;
            }
            let mut shown = self.leaves(document, paragraph).into_iter().peekable();
            for below in document.descendants(node) {
                is_inside |= below == start;
                if below == end {
                    return found;
                }
                if let Some(leaf) = shown.next_if(|leaf| leaf.node == below)
                    && is_inside
                {
                    found.push(leaf);
                }
            }
        }
        found
    }
}

/// Whether the view shows what stands at `node`, by the revisions around it.
pub(crate) fn is_shown(document: &Document, node: NodeId, view: View) -> bool {
    let around = || document.ancestors(node).take_while(|above| document.name(*above) != P);
    let inserted = around().find(|above| matches!(document.name(*above), INS | MOVE_TO));
    let deleted = around().find(|above| matches!(document.name(*above), DEL | MOVE_FROM));
    view.shows(document, inserted, deleted)
}

fn is_mark_shown(document: &Document, mark: NodeId, view: View) -> bool {
    match document.name(mark) {
        INS | MOVE_TO | CELL_INS => view.shows(document, Some(mark), None),
        _ => view.shows(document, None, Some(mark)),
    }
}

/// Whether the view shows the border behind a paragraph.
fn has_border(document: &Document, paragraph: NodeId, view: View) -> bool {
    mark_revisions(document, paragraph).all(|mark| is_mark_shown(document, mark, view))
}

/// Whether a paragraph stands in a row or cell that the view does not have.
fn is_in_hidden_row(document: &Document, paragraph: NodeId, view: View) -> bool {
    document.ancestors(paragraph).any(|above| {
        let properties = match document.name(above) {
            TR => TR_PR,
            TC => TC_PR,
            _ => return false,
        };
        document.child(above, properties).is_some_and(|properties| {
            document.children(properties).any(|mark| {
                matches!(document.name(mark), INS | DEL | CELL_INS | CELL_DEL)
                    && !is_mark_shown(document, mark, view)
            })
        })
    })
}

fn owners(document: &Document, paragraphs: &[NodeId], view: View) -> Vec<Option<usize>> {
    let mut owners = vec![None; paragraphs.len()];
    let mut next: Option<(NodeId, Option<usize>)> = None;
    for (at, node) in paragraphs.iter().enumerate().rev() {
        let joined = (!has_border(document, *node, view))
            .then(|| next.filter(|(below, _)| next_paragraph(document, *node) == Some(*below)))
            .flatten();
        let owner = match joined {
            Some((_, owner)) => owner,
            None => Some(at).filter(|_| !is_in_hidden_row(document, *node, view)),
        };
        if let Some(known) = owners.get_mut(at) {
            *known = owner;
        }
        next = Some((*node, owner));
    }
    owners
}

/// Reads a story from its start to its end.
struct Reader<'a> {
    document: &'a Document,
    view: View,
    /// The paragraph that was begun last, and how many were.
    paragraph: usize,
    begun: usize,
    bookmarks: Vec<Bookmark>,
    /// Starts without an end, by id.
    open_bookmarks: Vec<(String, Bookmark)>,
    fields: Vec<Field>,
    /// Fields without an end: their place in the list, their code, and whether that has ended.
    open: Vec<(usize, String, bool)>,
}

impl<'a> Reader<'a> {
    fn new(document: &'a Document, view: View) -> Self {
        Self {
            document,
            view,
            paragraph: 0,
            begun: 0,
            bookmarks: Vec::new(),
            open_bookmarks: Vec::new(),
            fields: Vec::new(),
            open: Vec::new(),
        }
    }

    fn read(mut self, root: NodeId, paragraphs: &[NodeId]) -> (Vec<Bookmark>, Vec<Field>) {
        let document = self.document;
        let mut nodes = document.descendants(root);
        while let Some(node) = nodes.next() {
            match document.name(node) {
                // Stories of their own, and what older programs read instead of the choice.
                TXBX_CONTENT if node != root => nodes.skip_below(node),
                FALLBACK => nodes.skip_below(node),
                P if paragraphs.get(self.begun) == Some(&node) => {
                    self.paragraph = self.begun;
                    self.begun += 1;
                }
                BOOKMARK_START | BOOKMARK_END => self.marker(node),
                FLD_CHAR | INSTR_TEXT | DEL_INSTR_TEXT if is_shown(document, node, self.view) => {
                    self.field_part(node);
                }
                FLD_SIMPLE if self.is_some_shown(node) => {
                    let code = document.attribute(node, INSTR).unwrap_or_default();
                    self.push(FieldForm::Simple(node), &code);
                }
                HYPERLINK if document.attribute(node, R_ID).is_none() && self.is_some_shown(node) => {
                    if let Some(anchor) = document.attribute(node, ANCHOR) {
                        self.push(FieldForm::Link(node), &format!("HYPERLINK \\l \"{anchor}\""));
                    }
                }
                _ => {}
            }
        }
        while let Some((field, code, _)) = self.open.pop() {
            self.finish(field, &code, None);
        }
        self.bookmarks.sort_by_key(|bookmark| bookmark.first);
        (self.bookmarks, self.fields)
    }

    /// Whether the view shows anything in an element.
    fn is_some_shown(&self, node: NodeId) -> bool {
        let mut runs =
            self.document.descendants(node).filter(|below| self.document.name(*below) == RUN).peekable();
        runs.peek().is_none() || runs.any(|run| is_shown(self.document, run, self.view))
    }

    fn marker(&mut self, node: NodeId) {
        if !is_shown(self.document, node, self.view) {
            return;
        }
        let id = self.document.attribute(node, ID).unwrap_or_default().into_owned();
        // A marker between paragraphs belongs to the paragraph behind it.
        let is_inside = self.document.ancestors(node).any(|above| self.document.name(above) == P);
        let paragraph = if is_inside { self.paragraph } else { self.begun };
        if self.document.name(node) == BOOKMARK_START {
            let name = self.document.attribute(node, NAME).unwrap_or_default().into_owned();
            let bookmark = Bookmark { name, start: node, end: node, first: paragraph, last: paragraph };
            self.open_bookmarks.push((id, bookmark));
        } else if let Some(at) = self.open_bookmarks.iter().position(|(open, _)| *open == id) {
            let (_, bookmark) = self.open_bookmarks.remove(at);
            self.bookmarks.push(Bookmark { end: node, last: paragraph, ..bookmark });
        }
    }

    fn field_part(&mut self, node: NodeId) {
        if self.document.name(node) != FLD_CHAR {
            if let Some((_, code, false)) = self.open.last_mut() {
                code.push_str(&self.document.element_text(node));
            }
            return;
        }
        match self.document.attribute(node, FLD_CHAR_TYPE).as_deref() {
            Some("begin") => {
                let form = FieldForm::Complex { begin: node, separate: None, end: None };
                let field = self.push(form, "");
                self.open.push((field, String::new(), false));
            }
            Some("separate") => {
                if let Some((field, _, has_code)) = self.open.last_mut() {
                    *has_code = true;
                    if let Some(FieldForm::Complex { separate, .. }) =
                        self.fields.get_mut(*field).map(|field| &mut field.form)
                    {
                        *separate = Some(node);
                    }
                }
            }
            Some("end") => {
                if let Some((field, code, _)) = self.open.pop() {
                    self.finish(field, &code, Some(node));
                }
            }
            _ => {}
        }
    }

    fn push(&mut self, form: FieldForm, code: &str) -> usize {
        let outer = self.open.last().map(|(field, ..)| *field);
        self.fields.push(Field {
            form,
            instruction: Instruction::parse(code),
            first: self.paragraph,
            last: self.paragraph,
            outer,
        });
        self.fields.len() - 1
    }

    fn finish(&mut self, field: usize, code: &str, node: Option<NodeId>) {
        if let Some(field) = self.fields.get_mut(field) {
            field.instruction = Instruction::parse(code);
            field.last = self.paragraph;
            if let FieldForm::Complex { end, .. } = &mut field.form {
                *end = node;
            }
        }
    }
}
