//! The hand that marks the tree: author, date, and the elements of WordprocessingML it writes.
//!
//! Must never decide what to change.

use engross_xml::{Document, NodeId, QName};

use crate::edit::content::pieces;
use crate::edit::ids::Ids;
use crate::edit::pending_parts::PendingParts;
use crate::edit::properties::set_property;
use crate::model::{PIECES_FROM, RevisionStamp, is_revision_wrapper, needs_preserve};
use crate::names::{
    ASCII, AUTHOR, B, B_CS, BR, CS, DATE, DEL, DEL_INSTR_TEXT, DEL_TEXT, H_ANSI, HIGHLIGHT, I, I_CS, ID, INS,
    INSTR_TEXT, NO_BREAK_HYPHEN, NUM_PR, NUMBERING_CHANGE, P_PR, P_PR_CHANGE, R_FONTS, R_PR, R_PR_CHANGE,
    RUN, SECT_PR, SOFT_HYPHEN, STRIKE, T, TAB, TXBX_CONTENT, TYPE, U, VAL, VERT_ALIGN, XML_SPACE,
};
use crate::styles::Styles;
use crate::text::{InlineObject, LinkDestination, Marks, StyledSpan, StyledText};

/// The font of code.
pub(crate) const CODE_FONT: &str = "Courier New";

/// Writes revisions of one author at one date.
pub(crate) struct RevisionWriter<'a> {
    pub(crate) document: &'a mut Document,
    pub(crate) ids: &'a mut Ids,
    pub(crate) author: &'a str,
    pub(crate) date: &'a str,
    /// The first id of the batch.
    pub(crate) since: i64,
    /// What goes into parts beside the story.
    pub(crate) pending: &'a mut PendingParts,
    pub(crate) styles: &'a Styles,
}

impl RevisionWriter<'_> {
    /// A new revision element with id, author and date.
    pub(crate) fn revision(&mut self, name: QName) -> NodeId {
        let node = self.document.new_element(name);
        let id = self.ids.take().to_string();
        self.document.set_attribute(node, ID, &id);
        self.document.set_attribute(node, AUTHOR, self.author);
        self.document.set_attribute(node, DATE, self.date);
        node
    }

    /// Copies a run without its content, with its properties.
    pub(crate) fn copy_run_shell(&mut self, run: NodeId) -> NodeId {
        let shell = self.document.copy_shallow(run);
        if let Some(properties) = self.document.child(run, R_PR) {
            let copy = self.document.copy(properties);
            self.renumber(copy);
            self.document.append(shell, copy);
        }
        shell
    }

    /// Copies a run for an insertion: without records of changes of its formatting.
    pub(crate) fn copy_run(&mut self, run: NodeId) -> NodeId {
        let copy = self.document.copy(run);
        if let Some(properties) = self.document.child(copy, R_PR) {
            self.strip_tracking(properties);
        }
        copy
    }

    /// Copies a wrapper of other people's revision without its content; the copy gets an id of its own.
    pub(crate) fn copy_wrapper_shell(&mut self, wrapper: NodeId) -> NodeId {
        let shell = self.document.copy_shallow(wrapper);
        self.renumber(shell);
        shell
    }

    /// Wraps neighbouring siblings into a deletion, and turns their text into deleted text.
    pub(crate) fn wrap_deleted(&mut self, nodes: &[NodeId]) -> Option<NodeId> {
        let first = *nodes.first()?;
        let wrapper = self.revision(DEL);
        self.document.insert_before(first, wrapper);
        for node in nodes {
            self.document.append(wrapper, *node);
        }
        self.mark_text_deleted(wrapper);
        Some(wrapper)
    }

    /// Renames text and instructions below `node` to their deleted forms (§17.3.3.7, §17.16.13).
    fn mark_text_deleted(&mut self, node: NodeId) {
        let mut nodes = self.document.descendants(node);
        let mut below = Vec::new();
        while let Some(node) = nodes.next() {
            // What a text box says is a story of its own and goes with its box.
            if self.document.name(node) == TXBX_CONTENT {
                nodes.skip_below(node);
            }
            below.push(node);
        }
        for node in below {
            match self.document.name(node) {
                T => self.document.rename(node, DEL_TEXT),
                INSTR_TEXT => self.document.rename(node, DEL_INSTR_TEXT),
                _ => {}
            }
        }
    }

    /// A run with this text, with run properties copied from `like`.
    pub(crate) fn run_like(&mut self, like: Option<NodeId>, text: &str) -> NodeId {
        let properties = self.run_properties(like, Marks::default());
        new_run(self.document, properties, text)
    }

    /// A `w:t` or `w:delText` that keeps its white space.
    pub(crate) fn text_leaf(&mut self, name: QName, text: &str) -> NodeId {
        text_leaf(self.document, name, text)
    }

    /// Run properties like those of the element `like` (a `w:rPr`), with `marks` on top; `None` when there are none.
    pub(super) fn run_properties(&mut self, like: Option<NodeId>, marks: Marks) -> Option<NodeId> {
        if like.is_none() && marks == Marks::default() {
            return None;
        }
        let properties = match like {
            Some(like) => {
                let copy = self.document.copy(like);
                self.strip_tracking(copy);
                copy
            }
            None => self.document.new_element(R_PR),
        };
        set_marks(self.document, properties, marks);
        self.document.first_child(properties).map(|_| properties)
    }

    /// Removes what a copy of properties must not repeat: revision marks and change records.
    pub(crate) fn strip_tracking(&mut self, properties: NodeId) {
        let tracked: Vec<NodeId> = self
            .document
            .children(properties)
            .filter(|child| {
                let name = self.document.name(*child);
                is_revision_wrapper(name)
                    || matches!(name, R_PR_CHANGE | P_PR_CHANGE | NUMBERING_CHANGE | SECT_PR)
            })
            .collect();
        for node in tracked {
            self.document.detach(node);
        }
    }

    /// A copy of a paragraph's properties for a new paragraph beside it, without section break and tracking.
    pub(crate) fn copy_paragraph_properties(&mut self, paragraph: NodeId) -> Option<NodeId> {
        let properties = self.document.child(paragraph, P_PR)?;
        let copy = self.document.copy(properties);
        self.strip_tracking(copy);
        if let Some(numbering) = self.document.child(copy, NUM_PR) {
            self.strip_tracking(numbering);
        }
        if let Some(mark) = self.document.child(copy, R_PR) {
            self.strip_tracking(mark);
            if self.document.first_child(mark).is_none() {
                self.document.detach(mark);
            }
        }
        Some(copy)
    }

    /// Puts a revision of the paragraph mark into `w:pPr/w:rPr`, making both when missing.
    pub(crate) fn mark_paragraph(&mut self, paragraph: NodeId, name: QName) {
        let properties = self.ensure_paragraph_properties(paragraph);
        let mark = match self.document.child(properties, R_PR) {
            Some(mark) => mark,
            None => {
                let mark = self.document.new_element(R_PR);
                let after = self
                    .document
                    .children(properties)
                    .find(|child| matches!(self.document.name(*child), SECT_PR | P_PR_CHANGE));
                match after {
                    Some(sibling) => self.document.insert_before(sibling, mark),
                    None => self.document.append(properties, mark),
                }
                mark
            }
        };
        let revision = self.revision(name);
        // An insertion comes before a deletion (CT_ParaRPr, §17.3.1.29), and both before all else.
        let insertion = self.document.child(mark, INS);
        match insertion {
            Some(insertion) if name == DEL => self.document.insert_after(insertion, revision),
            _ => self.document.prepend(mark, revision),
        }
    }

    /// The paragraph's `w:pPr`, made when missing.
    pub(crate) fn ensure_paragraph_properties(&mut self, paragraph: NodeId) -> NodeId {
        if let Some(properties) = self.document.child(paragraph, P_PR) {
            return properties;
        }
        let properties = self.document.new_element(P_PR);
        self.document.prepend(paragraph, properties);
        properties
    }

    /// Gives copies of revision elements ids of their own.
    fn renumber(&mut self, node: NodeId) {
        let revisions: Vec<NodeId> = self
            .document
            .descendants(node)
            .filter(|node| {
                let name = self.document.name(*node);
                is_revision_wrapper(name) || matches!(name, R_PR_CHANGE | P_PR_CHANGE)
            })
            .collect();
        for node in revisions {
            let of = RevisionStamp::of(self.document, node);
            // A piece of what this batch wrote is the batch's, too.
            let id = match of.id.filter(|of| (self.since..PIECES_FROM).contains(of)) {
                Some(_) => self.ids.take(),
                None => self.ids.take_for_piece(&of),
            };
            let id = id.to_string();
            self.document.set_attribute(node, ID, &id);
        }
    }
}

fn set_marks(document: &mut Document, properties: NodeId, marks: Marks) {
    let wanted = [
        (marks.bold, B, None),
        (marks.bold, B_CS, None),
        (marks.italic, I, None),
        (marks.italic, I_CS, None),
        (marks.strike, STRIKE, None),
        (marks.underline, U, Some("single")),
        (marks.highlight, HIGHLIGHT, Some("yellow")),
        (marks.subscript, VERT_ALIGN, Some("subscript")),
        (marks.superscript, VERT_ALIGN, Some("superscript")),
    ];
    for (_, name, value) in wanted.iter().filter(|(on, ..)| *on) {
        let attributes: Vec<(QName, &str)> = value.iter().map(|value| (VAL, *value)).collect();
        set_property(document, properties, *name, &attributes);
    }
    if marks.code {
        set_property(document, properties, R_FONTS, &[ASCII, H_ANSI, CS].map(|name| (name, CODE_FONT)));
    }
}

/// A run with properties and a text.
pub(super) fn new_run(document: &mut Document, properties: Option<NodeId>, text: &str) -> NodeId {
    let run = document.new_element(RUN);
    if let Some(properties) = properties {
        document.append(run, properties);
    }
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.find(is_element_character).unwrap_or(rest.len());
        let (text, after) = rest.split_at(end);
        if !text.is_empty() {
            let leaf = text_leaf(document, T, text);
            document.append(run, leaf);
        }
        let mut characters = after.chars();
        if let Some(c) = characters.next() {
            let leaf = character_leaf(document, c);
            document.append(run, leaf);
        }
        rest = characters.as_str();
    }
    run
}

pub(crate) fn text_leaf(document: &mut Document, name: QName, text: &str) -> NodeId {
    let leaf = document.new_element(name);
    if needs_preserve(text) {
        document.set_attribute(leaf, XML_SPACE, "preserve");
    }
    let characters = document.new_text(text);
    document.append(leaf, characters);
    leaf
}

fn character_leaf(document: &mut Document, c: char) -> NodeId {
    let (name, kind) = match c {
        '\t' => (TAB, None),
        '\u{C}' => (BR, Some("page")),
        '\u{B}' => (BR, Some("column")),
        '\u{2011}' => (NO_BREAK_HYPHEN, None),
        '\u{AD}' => (SOFT_HYPHEN, None),
        _ => (BR, None),
    };
    let leaf = document.new_element(name);
    if let Some(kind) = kind {
        document.set_attribute(leaf, TYPE, kind);
    }
    leaf
}

/// Puts text at the end of a paragraph that no revision speaks of. What a link leads to is told behind its words, and so is
/// what objects say.
pub(crate) fn write_pieces(document: &mut Document, paragraph: NodeId, text: &StyledText) {
    for piece in pieces(&told_in_words(text)) {
        let properties = (!piece.marks.is_empty()).then(|| {
            let properties = document.new_element(R_PR);
            set_marks(document, properties, piece.marks);
            properties
        });
        let run = new_run(document, properties, &piece.text);
        document.append(paragraph, run);
    }
}

/// A text whose links and objects are told in words.
fn told_in_words(text: &StyledText) -> StyledText {
    if text.links.is_empty() && text.objects.is_empty() {
        return text.clone();
    }
    let mut told = StyledText::default();
    for piece in pieces(text) {
        let from = told.text.len();
        match &piece.object {
            Some(InlineObject::Image(image)) => told.text.push_str(&image.alternative),
            Some(InlineObject::Note(_, paragraphs)) => {
                let words: Vec<&str> = paragraphs.iter().map(|paragraph| paragraph.text.as_str()).collect();
                told.text.push_str(&format!(" ({})", words.join(" ")));
            }
            None => told.text.push_str(&piece.text),
        }
        if !piece.marks.is_empty() && told.text.len() > from {
            told.spans.push(StyledSpan { range: from..told.text.len(), marks: piece.marks });
        }
        if let Some(LinkDestination::Url(address)) = &piece.link
            && *address != piece.text
        {
            told.text.push_str(&format!(" ({address})"));
        }
    }
    told
}

/// Characters of a text that are elements of their own in a run.
fn is_element_character(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\u{B}' | '\u{C}' | '\u{2011}' | '\u{AD}')
}
