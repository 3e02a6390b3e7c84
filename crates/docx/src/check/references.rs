//! Findings about ids that lead nowhere or stand for two things: styles, numbering, comment threads, ranges, controls
//! and drawings (ISO/IEC 29500-1 §17.3.1.27, §17.9, §17.13.4, §17.13.7, §17.5.2.18, §20.4.2.5).

use std::collections::HashSet;

use engross_xml::{NodeId, QName};

use crate::document::WordDocument;
use crate::error::Error;
use crate::model::{View, paragraphs};
use crate::names::{
    BOOKMARK_START, CID_COMMENT_ID, CID_PARA_ID, COMMENT, COMMENT_RANGE_END, COMMENT_RANGE_START, DOC_PR, ID,
    N_LOWER_ID, NUM_ID, NUM_PR, P_STYLE, PARA_ID, PERM_END, PERM_START, R_STYLE, SDT_PR, TBL_STYLE, VAL,
    W15_COMMENT_EX, W15_PARA_ID, W15_PARA_ID_PARENT,
};
use crate::references::Shows;
use crate::styles::value_of;

use super::findings::Findings;
use super::known::related;
use super::ledger::unpaired;
use super::part::CheckedPart;
use super::rules::Rule;
use super::walk::Walk;

impl Walk<'_> {
    pub(super) fn references(&mut self, node: NodeId, name: QName) {
        match name {
            P_STYLE | R_STYLE | TBL_STYLE => self.style(node),
            NUM_PR => self.number(node),
            COMMENT_RANGE_START | COMMENT_RANGE_END => {
                let id = self.attribute(node, ID);
                let by = if name == COMMENT_RANGE_START { 1 } else { -1 };
                self.ids.comments.entry(id).or_insert((0, node)).0 += by;
            }
            PERM_START | PERM_END => {
                let id = self.attribute(node, ID);
                let by = if name == PERM_START { 1 } else { -1 };
                self.ids.permissions.entry(id).or_insert((0, node)).0 += by;
            }
            BOOKMARK_START => {
                let id = self.attribute(node, ID);
                if !id.is_empty() && !self.ids.bookmarks.insert(id.clone()) {
                    self.find(Rule::BookmarkIdDuplicate, node, || {
                        format!("the id {id} is given to two bookmarks")
                    });
                }
            }
            SDT_PR => {
                let id = value_of(self.document, node, ID).unwrap_or_default();
                if !id.is_empty() && !self.ids.controls.insert(id.clone()) {
                    self.find(Rule::ControlIdDuplicate, node, || {
                        format!("the id {id} is given to two content controls")
                    });
                }
            }
            DOC_PR => {
                let id = self.attribute(node, N_LOWER_ID);
                if !id.is_empty() && !self.ids.drawings.insert(id.clone()) {
                    self.find(Rule::DrawingIdDuplicate, node, || {
                        format!("the id {id} is given to two drawings")
                    });
                }
            }
            _ => {}
        }
    }

    /// What can be reported only when the whole part was seen.
    pub(super) fn end_references(&mut self) {
        for (id, node) in unpaired(&self.ids.comments) {
            self.find(Rule::CommentRangeUnpaired, node, || {
                format!("the range of comment {id} lacks its start or its end")
            });
        }
        for (id, node) in unpaired(&self.ids.permissions) {
            self.find(Rule::PermissionUnpaired, node, || {
                format!("the range {id} that may be edited lacks its start or its end")
            });
        }
    }

    fn style(&mut self, node: NodeId) {
        let id = self.attribute(node, VAL);
        if self.known.styles.as_ref().is_some_and(|styles| !styles.contains(&id)) {
            self.find(Rule::StyleMissing, node, || format!("the style '{id}' is not there"));
        }
    }

    fn number(&mut self, node: NodeId) {
        let id = value_of(self.document, node, NUM_ID).unwrap_or_default();
        // Zero says: no number.
        let is_some = !id.is_empty() && id != "0";
        if is_some && self.known.numbers.as_ref().is_some_and(|numbers| !numbers.contains(&id)) {
            self.find(Rule::NumberingMissing, node, || format!("the numbering {id} is not there"));
        }
    }
}

/// Whether fields and links lead to bookmarks that are there, and that still hold what they marked. Pending changes count as
/// accepted.
pub(super) fn check_targets(document: &WordDocument, findings: &mut Findings) {
    let trees = document.story_trees();
    let references = document.references(&trees, View::Accepted);
    for (_, placed, field) in references.fields() {
        let Some(name) = field.instruction.bookmark() else { continue };
        // Word knows the top of every document.
        if name.eq_ignore_ascii_case("_top") {
            continue;
        }
        let address = || placed.story.address(field.first);
        let is_entry = placed.story.is_in_contents(field);
        match references.target(name) {
            None if is_entry => findings.add(Rule::ContentsDangling, address, || {
                format!("an entry of a table of contents leads to the bookmark '{name}', which is not there")
            }),
            None => findings.add(Rule::ReferenceDangling, address, || {
                format!("a reference leads to the bookmark '{name}', which is not there")
            }),
            Some(target) => {
                // Links and page numbers may name a mere place; what shows words or a number marks them.
                let is_gone = match field.instruction.shows() {
                    Shows::Text | Shows::Note => references.content(&trees, &target).is_empty(),
                    // A paragraph shows its number whether the bookmark holds words or only stands in it.
                    Shows::Number(_) => {
                        !references.has_number(&target) && references.content(&trees, &target).is_empty()
                    }
                    _ => false,
                };
                if is_gone {
                    findings.add(Rule::ReferenceDisplaced, address, || {
                        format!("a reference leads to the bookmark '{name}', from which the text is gone")
                    });
                }
            }
        }
    }
}

/// Whether what the newer parts say of comments is about comments that are there.
pub(super) fn check_threads(
    document: &WordDocument,
    parts: &[CheckedPart<'_>],
    findings: &mut Findings,
) -> Result<(), Error> {
    let mut keys = HashSet::new();
    for part in parts {
        let tree = part.document;
        for comment in tree.children(tree.root()).filter(|node| tree.name(*node) == COMMENT) {
            let ids = paragraphs(tree, comment).into_iter();
            keys.extend(
                ids.filter_map(|paragraph| Some(tree.attribute(paragraph, PARA_ID)?.to_ascii_uppercase())),
            );
        }
    }
    for (kind, entry, ids) in [
        ("commentsExtended", W15_COMMENT_EX, &[W15_PARA_ID, W15_PARA_ID_PARENT][..]),
        ("commentsIds", CID_COMMENT_ID, &[CID_PARA_ID][..]),
    ] {
        let Some((name, tree)) = related(document, kind)? else { continue };
        for node in tree.children(tree.root()).filter(|node| tree.name(*node) == entry) {
            let named = ids.iter().filter_map(|id| tree.attribute(node, *id));
            for id in named.filter(|id| !keys.contains(&id.to_ascii_uppercase())) {
                let message = || format!("it names a comment whose paragraph is {id}, which is not there");
                findings.add(Rule::CommentThreadUnresolved, || name.clone(), message);
            }
        }
    }
    Ok(())
}
