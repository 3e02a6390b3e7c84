//! Findings about tracked changes: who, where, and what is in them (ISO/IEC 29500-1 §17.13.5).

use engross_xml::{Document, NodeId, NodeKind, QName};

use crate::model::{is_range_marker, is_revision_wrapper};
use crate::names::{
    ALTERNATE_CONTENT, AUTHOR, BDO, BODY, CELL_DEL, CELL_INS, CELL_MERGE, COMMENT, CONTENT_PART, CUSTOM_XML,
    DEL, DEL_INSTR_TEXT, DEL_TEXT, DIR, ENDNOTE, FLD_SIMPLE, FOOTNOTE, FTR, HDR, HYPERLINK, ID, INS,
    INSTR_TEXT, MOVE_FROM, MOVE_TO, NUM_PR, P, R_PR, RT, RUBY_BASE, RUN, SDT, SDT_CONTENT, SMART_TAG,
    SUB_DOC, T, TBL, TBL_GRID_CHANGE, TC, TC_PR, TR, TR_PR, TXBX_CONTENT,
};
use crate::revisions::is_property_change;

use super::rule::Rule;
use super::walk::{Surroundings, Walk};

/// Whether an element is a tracked change of any kind.
pub(crate) fn is_revision(name: QName) -> bool {
    is_revision_wrapper(name) || is_property_change(name) || matches!(name, CELL_INS | CELL_DEL | CELL_MERGE)
}

impl Walk<'_> {
    pub(crate) fn revision(&mut self, node: NodeId, name: QName, around: Surroundings) {
        if is_revision(name) {
            self.stamp(node, name, around);
        }
        let wrappers = around.wrappers;
        match name {
            _ if is_revision_wrapper(name) => self.wrapper(node, name, around),
            T if wrappers.holds(DEL) => {
                self.find(Rule::TextInDeletion, node, || {
                    "a deletion holds <t> instead of <delText>".to_owned()
                });
            }
            INSTR_TEXT if wrappers.holds(DEL) => {
                let message = || "a deletion holds <instrText> instead of <delInstrText>".to_owned();
                self.find(Rule::InstructionInDeletion, node, message);
            }
            DEL_TEXT | DEL_INSTR_TEXT if !around.deleted => {
                self.find(Rule::DeletedTextOutside, node, || {
                    "deleted text stands outside of any deletion".to_owned()
                });
            }
            _ => {}
        }
    }

    fn stamp(&mut self, node: NodeId, name: QName, around: Surroundings) {
        let element = self.document.local_name(name);
        // Records of an old grid have no author (§17.13.5.33); in numbering properties Word leaves it out.
        let needs_author = name != TBL_GRID_CHANGE && around.parent != NUM_PR;
        if needs_author && self.document.attribute(node, AUTHOR).is_none() {
            self.find(Rule::RevisionAuthorMissing, node, || {
                format!("the revision <{element}> has no author")
            });
        }
        let id = self.attribute(node, ID);
        if !id.is_empty() {
            let count = self.ledger.revision_ids.entry(id.clone()).or_default();
            *count += 1;
            if *count > 1 {
                self.find(Rule::RevisionIdDuplicate, node, || format!("the revision id {id} is given again"));
            }
        }
    }

    fn wrapper(&mut self, node: NodeId, name: QName, around: Surroundings) {
        let document = self.document;
        let element = document.local_name(name);
        let parent = document.local_name(around.parent);
        if !is_place(document, around.parent) {
            self.find(Rule::RevisionMisplaced, node, || {
                format!("<{element}> stands in <{parent}>, where no revision may be")
            });
        }
        let mut children = document.children(node).filter(|child| document.kind(*child) == NodeKind::Element);
        if matches!(around.parent, R_PR | TR_PR | NUM_PR | TC_PR) {
            if children.next().is_some() {
                let message = || format!("<{element}> in <{parent}> only marks, but holds something");
                self.find(Rule::RevisionMarkNotEmpty, node, message);
            }
            return;
        }
        if is_mathematics(document, around.parent) {
            return;
        }
        if around.wrappers.holds(name) {
            self.find(Rule::RevisionNested, node, || {
                format!("<{element}> stands inside another <{element}>")
            });
        }
        if name == INS && around.wrappers.holds(DEL) {
            self.find(Rule::InsertionInDeletion, node, || "an insertion stands inside a deletion".to_owned());
        }
        if let Some(child) = children.find(|child| !is_content(document, document.name(*child))) {
            let child = document.local_name(document.name(child));
            self.find(Rule::RevisionContent, node, || {
                format!("<{element}> holds <{child}>, which may not be in a revision")
            });
        }
    }
}

/// Whether a revision may stand in an element of that name.
fn is_place(document: &Document, parent: QName) -> bool {
    let is_ours = matches!(
        parent,
        P | HYPERLINK
            | FLD_SIMPLE
            | SDT_CONTENT
            | SMART_TAG
            | CUSTOM_XML
            | INS
            | DEL
            | MOVE_FROM
            | MOVE_TO
            | DIR
            | BDO
            | BODY
            | TC
            | TBL
            | TR
            | HDR
            | FTR
            | FOOTNOTE
            | ENDNOTE
            | TXBX_CONTENT
            | COMMENT
            | RT
            | RUBY_BASE
            | R_PR
            | TR_PR
            | NUM_PR
            | TC_PR
    );
    is_ours || is_mathematics(document, parent)
}

/// Whether an element of that name may stand in a revision of content.
fn is_content(document: &Document, name: QName) -> bool {
    is_revision_wrapper(name)
        || is_range_marker(name)
        || matches!(
            name,
            RUN | SDT | SMART_TAG | CUSTOM_XML | DIR | BDO | CONTENT_PART | SUB_DOC | ALTERNATE_CONTENT
        )
        || is_mathematics(document, name)
}

fn is_mathematics(document: &Document, name: QName) -> bool {
    document.namespace_uri(name).ends_with("/math")
}
