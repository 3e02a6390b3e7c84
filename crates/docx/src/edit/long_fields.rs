//! Simple fields in their long form: `w:fldSimple` says the same as `w:fldChar` and `w:instrText` (ECMA-376, 17.16.19), but no
//! revision can hold it (`CT_RunTrackChange`), so one that goes is written as the long one first.
//!
//! Must never change what a field shows, nor what its code is.

use engross_xml::{Document, NodeId, NodeKind};

use super::revision_writer::text_leaf;
use crate::names::{DIRTY, FLD_CHAR, FLD_CHAR_TYPE, FLD_DATA, FLD_LOCK, FLD_SIMPLE, INSTR, INSTR_TEXT, RUN};

/// A field that was simple.
#[derive(Debug, Clone)]
pub(crate) struct LongField {
    /// All of it in order: runs, and what else the simple field held.
    pub(crate) content: Vec<NodeId>,
    /// Its `w:fldChar` elements.
    pub(crate) begin: NodeId,
    pub(crate) separate: NodeId,
    pub(crate) end: NodeId,
}

/// Writes a simple field in its long form, with those inside of it. If it stands in a tree, its content takes its place.
pub(crate) fn write_long(document: &mut Document, field: NodeId) -> LongField {
    let code = document.attribute(field, INSTR).unwrap_or_default().into_owned();
    let (begin_run, begin) = character(document, "begin");
    for name in [FLD_LOCK, DIRTY] {
        if let Some(value) = document.attribute(field, name).map(std::borrow::Cow::into_owned) {
            document.set_attribute(begin, name, &value);
        }
    }
    let instruction = text_leaf(document, INSTR_TEXT, &code);
    let code_run = document.new_element(RUN);
    document.append(code_run, instruction);
    let (separate_run, separate) = character(document, "separate");
    let mut content = vec![begin_run, code_run, separate_run];

    let shown: Vec<NodeId> =
        document.children(field).filter(|child| document.kind(*child) == NodeKind::Element).collect();
    for child in shown {
        document.detach(child);
        match document.name(child) {
            FLD_DATA => document.append(begin, child),
            FLD_SIMPLE => content.extend(write_long(document, child).content),
            name if document.local_name(name).ends_with("Pr") => {}
            _ => content.push(child),
        }
    }
    let (end_run, end) = character(document, "end");
    content.push(end_run);
    if document.parent(field).is_some() {
        for node in &content {
            document.insert_before(field, *node);
        }
        document.detach(field);
    }
    LongField { content, begin, separate, end }
}

/// Writes all simple fields below a node in their long form.
pub(crate) fn write_all_long(document: &mut Document, below: NodeId) {
    while let Some(field) = document.descendants(below).find(|node| document.name(*node) == FLD_SIMPLE) {
        write_long(document, field);
    }
}

fn character(document: &mut Document, kind: &str) -> (NodeId, NodeId) {
    let run = document.new_element(RUN);
    let character = document.new_element(FLD_CHAR);
    document.set_attribute(character, FLD_CHAR_TYPE, kind);
    document.append(run, character);
    (run, character)
}
