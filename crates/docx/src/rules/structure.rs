//! Findings about how a part is built: nesting, ids, and marks without what they mark (ISO/IEC 29500-1 §17).

use std::collections::HashSet;

use engross_xml::{Document, NodeId, NodeKind, QName};

use crate::names::{
    BOOKMARK_END, BOOKMARK_START, COMMENT, COMMENT_REFERENCE, ENDNOTE, ENDNOTE_REFERENCE, FOOTNOTE,
    FOOTNOTE_REFERENCE, ID, MOVE_FROM_RANGE_END, MOVE_FROM_RANGE_START, MOVE_TO_RANGE_END,
    MOVE_TO_RANGE_START, NAME, P, P_PR, PARA_ID, R_PR, RUN, SDT, TBL, TC,
};

use super::ledger::unpaired;
use super::rule::Rule;
use super::walk::{Surroundings, Walk};

impl Walk<'_> {
    pub(crate) fn structure(&mut self, node: NodeId, name: QName, around: Surroundings) {
        match name {
            P => self.paragraph(node, around),
            RUN if around.parent == RUN => {
                self.find(Rule::RunNested, node, || "a run stands directly inside a run".to_owned());
            }
            P_PR => self.paragraph_properties(node, around),
            R_PR => self.run_properties(node, around),
            TC => self.cell(node),
            BOOKMARK_START | BOOKMARK_END => self.bookmark(node, name),
            MOVE_FROM_RANGE_START | MOVE_TO_RANGE_START => {
                let by = if name == MOVE_FROM_RANGE_START { 1 } else { -1 };
                let name = self.attribute(node, NAME);
                self.ledger.moves.entry(name).or_insert((0, node)).0 += by;
                let id = self.attribute(node, ID);
                self.ledger.move_ranges.entry(id).or_insert((0, node)).0 += 1;
            }
            MOVE_FROM_RANGE_END | MOVE_TO_RANGE_END => {
                let id = self.attribute(node, ID);
                self.ledger.move_ranges.entry(id).or_insert((0, node)).0 -= 1;
            }
            FOOTNOTE_REFERENCE | ENDNOTE_REFERENCE => {
                let id = self.attribute(node, ID);
                let (kind, notes) = match name {
                    FOOTNOTE_REFERENCE => ("footnote", &self.known.footnotes),
                    _ => ("endnote", &self.known.endnotes),
                };
                if !notes.contains(&id) {
                    self.find(Rule::NoteMissing, node, || {
                        format!("{kind} {id} is referred to, but is not there")
                    });
                }
            }
            COMMENT_REFERENCE => {
                let id = self.attribute(node, ID);
                if !self.known.comments.contains(&id) {
                    self.find(Rule::CommentMissing, node, || {
                        format!("comment {id} is referred to, but is not there")
                    });
                }
            }
            _ => {}
        }
    }

    /// What can be reported only when the whole part was seen.
    pub(crate) fn end_part(&mut self) {
        for (id, node) in unpaired(&self.ledger.bookmarks) {
            self.find(Rule::BookmarkUnpaired, node, || format!("bookmark {id} lacks its start or its end"));
        }
        for (id, node) in std::mem::take(&mut self.ledger.early_ends) {
            if self.ledger.bookmarks.get(&id).is_some_and(|(balance, _)| *balance == 0) {
                self.find(Rule::BookmarkUnpaired, node, || format!("bookmark {id} ends before it starts"));
            }
        }
        for (name, node) in unpaired(&self.ledger.moves) {
            self.find(Rule::MoveUnpaired, node, || {
                format!("the move '{name}' lacks its source or its target")
            });
        }
        for (id, node) in unpaired(&self.ledger.move_ranges) {
            self.find(Rule::MoveUnpaired, node, || {
                format!("the range {id} of a move lacks its start or its end")
            });
        }
        let document = self.document;
        let root = document.root();
        let mut ids = HashSet::new();
        for node in document.children(root) {
            let rule = match document.name(node) {
                FOOTNOTE | ENDNOTE => Rule::NoteIdDuplicate,
                COMMENT => Rule::CommentIdDuplicate,
                _ => continue,
            };
            let id = self.attribute(node, ID);
            if !ids.insert(id.clone()) {
                self.find(rule, node, || format!("the id {id} is given twice"));
            }
        }
    }

    pub(crate) fn attribute(&self, node: NodeId, name: QName) -> String {
        self.document.attribute(node, name).unwrap_or_default().into_owned()
    }

    fn paragraph(&mut self, node: NodeId, around: Surroundings) {
        if matches!(around.parent, P | RUN) {
            let inside = if around.parent == P { "paragraph" } else { "run" };
            self.find(Rule::ParagraphNested, node, || {
                format!("a paragraph stands directly inside a {inside}")
            });
        }
        let id = self.attribute(node, PARA_ID);
        if !id.is_empty() && !self.ledger.paragraph_ids.insert(id.to_ascii_uppercase()) {
            self.find(Rule::ParagraphIdDuplicate, node, || format!("the paragraph id {id} is given twice"));
        }
    }

    fn cell(&mut self, node: NodeId) {
        let document = self.document;
        let last =
            document.children(node).filter(|child| matches!(document.name(*child), P | TBL | SDT)).last();
        if last.is_none_or(|last| document.name(last) == TBL) {
            self.find(Rule::CellWithoutParagraph, node, || {
                "a table cell does not end with a paragraph".to_owned()
            });
        }
    }

    fn bookmark(&mut self, node: NodeId, name: QName) {
        let id = self.attribute(node, ID);
        let by = if name == BOOKMARK_START { 1 } else { -1 };
        let (balance, _) = self.ledger.bookmarks.entry(id.clone()).or_insert((0, node));
        *balance += by;
        if *balance < 0 {
            self.ledger.early_ends.push((id, node));
        }
        let name = self.attribute(node, NAME);
        if by == 1 && !name.is_empty() {
            let count = self.ledger.bookmark_names.entry(name.clone()).or_default();
            *count += 1;
            if *count == 2 {
                self.find(Rule::BookmarkNameDuplicate, node, || {
                    format!("the bookmark name '{name}' is given twice")
                });
            }
        }
    }
}

/// The element before `node`, if any.
pub(crate) fn element_before(document: &Document, node: NodeId) -> Option<NodeId> {
    std::iter::successors(document.previous(node), |node| document.previous(*node))
        .find(|node| document.kind(*node) == NodeKind::Element)
}
