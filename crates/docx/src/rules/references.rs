//! Findings about ids that lead nowhere or stand for two things: styles, numbering, comment threads, ranges, controls
//! and drawings (ISO/IEC 29500-1 §17.3.1.27, §17.9, §17.13.4, §17.13.7, §17.5.2.18, §20.4.2.5).

use engross_xml::{NodeId, QName};

use crate::names::{
    BOOKMARK_START, COMMENT_RANGE_END, COMMENT_RANGE_START, DOC_PR, ID, N_LOWER_ID, NUM_ID, NUM_PR, P_STYLE,
    PERM_END, PERM_START, R_STYLE, SDT_PR, TBL_STYLE, VAL,
};
use crate::styles::value_of;

use super::ledger::unpaired;
use super::rule::Rule;
use super::walk::Walk;

impl Walk<'_> {
    pub(crate) fn references(&mut self, node: NodeId, name: QName) {
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
    pub(crate) fn end_references(&mut self) {
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
