//! What revisions a part holds, for people and programs.

use std::collections::HashMap;

use engross_xml::{Document, NodeId, QName};

use crate::model::{Control, RevisionStamp, effective_text, is_revision_wrapper};
use crate::names::{
    CELL_DEL, CELL_INS, CELL_MERGE, CUSTOM_XML_DEL_RANGE_START, CUSTOM_XML_INS_RANGE_START, DEL, DEL_TEXT,
    FALLBACK, INS, MOVE_FROM, MOVE_TO, NUM_PR, P, P_PR, P_PR_CHANGE, R_PR, R_PR_CHANGE, SECT_PR_CHANGE, T,
    TAB, TR_PR, TXBX_CONTENT,
};
use crate::revisions::controls;
use crate::revisions::properties::is_change;

/// What a revision does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RevisionKind {
    /// Text was inserted.
    Insertion,
    /// Text was deleted.
    Deletion,
    /// Text was moved away from here.
    MoveFrom,
    /// Text was moved to here.
    MoveTo,
    /// The border behind the paragraph was inserted.
    ParagraphInsertion,
    /// The border behind the paragraph was deleted.
    ParagraphDeletion,
    /// The formatting of text was changed.
    Formatting,
    /// Properties of the paragraph were changed.
    ParagraphFormatting,
    /// Properties of a section were changed.
    SectionFormatting,
    /// Properties of a table, row or cell were changed.
    TableFormatting,
    /// A row was inserted.
    RowInsertion,
    /// A row was deleted.
    RowDeletion,
    /// A cell was inserted.
    CellInsertion,
    /// A cell was deleted.
    CellDeletion,
    /// Cells were merged or split.
    CellMerge,
    /// The numbering was changed.
    Numbering,
    /// A content control was put around what it holds.
    ControlInsertion,
    /// A content control was taken from around what it holds.
    ControlDeletion,
}

/// A tracked change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revision {
    /// What it does.
    pub kind: RevisionKind,
    /// Who, when, and `w:id`.
    pub stamp: RevisionStamp,
    /// The paragraph it stands in, or the first below it.
    pub paragraph: Option<NodeId>,
    /// The text concerned; empty for a paragraph mark. Of a content control its title, else its tag.
    pub text: String,
    /// The element that records it.
    pub node: NodeId,
}

/// The revisions below `root` in file order. Of alternate content only the choice counts.
#[must_use]
pub fn list(document: &Document, root: NodeId) -> Vec<Revision> {
    let mut found = Vec::new();
    let mut nodes = document.descendants(root);
    while let Some(node) = nodes.next() {
        let name = document.name(node);
        if name == FALLBACK {
            nodes.skip_below(node);
            continue;
        }
        let Some(kind) = kind_of(document, node, name) else { continue };
        let paragraph = match controls::is_start(name) {
            true => controls::paragraph_of(document, node),
            false => document.ancestors(node).find(|above| document.name(*above) == P).or_else(|| {
                document.descendants(first_owner(document, node)).find(|below| document.name(*below) == P)
            }),
        };
        let text = match kind {
            RevisionKind::ParagraphInsertion | RevisionKind::ParagraphDeletion => String::new(),
            RevisionKind::Insertion
            | RevisionKind::Deletion
            | RevisionKind::MoveFrom
            | RevisionKind::MoveTo => text_below(document, node),
            RevisionKind::Formatting => document
                .parent(node)
                .and_then(|properties| document.parent(properties))
                .filter(|owner| document.name(*owner) != P_PR)
                .map_or_else(String::new, |run| text_below(document, run)),
            RevisionKind::ControlInsertion | RevisionKind::ControlDeletion => {
                controls::behind(document, node)
                    .map_or_else(String::new, |control| name_of(document, control))
            }
            _ => String::new(),
        };
        found.push(Revision { kind, stamp: RevisionStamp::of(document, node), paragraph, text, node });
    }
    found
}

/// Numbers paragraphs from 1 for addresses.
#[must_use]
pub(crate) fn numbers(paragraphs: &[NodeId]) -> HashMap<NodeId, usize> {
    paragraphs.iter().enumerate().map(|(at, node)| (*node, at + 1)).collect()
}

fn kind_of(document: &Document, node: NodeId, name: QName) -> Option<RevisionKind> {
    let parent = document.parent(node).map_or(QName::NONE, |parent| document.name(parent));
    if is_revision_wrapper(name) {
        return match (parent, name) {
            (TR_PR, INS) => Some(RevisionKind::RowInsertion),
            (TR_PR, DEL) => Some(RevisionKind::RowDeletion),
            (R_PR, INS | MOVE_TO) => Some(RevisionKind::ParagraphInsertion),
            (R_PR, _) => Some(RevisionKind::ParagraphDeletion),
            (NUM_PR, _) => Some(RevisionKind::Numbering),
            (_, INS) => Some(RevisionKind::Insertion),
            (_, DEL) => Some(RevisionKind::Deletion),
            (_, MOVE_FROM) => Some(RevisionKind::MoveFrom),
            _ => Some(RevisionKind::MoveTo),
        };
    }
    match name {
        name if controls::is_start(name) && controls::is_of_end(document, node) => None,
        CUSTOM_XML_INS_RANGE_START => Some(RevisionKind::ControlInsertion),
        CUSTOM_XML_DEL_RANGE_START => Some(RevisionKind::ControlDeletion),
        CELL_INS => Some(RevisionKind::CellInsertion),
        CELL_DEL => Some(RevisionKind::CellDeletion),
        CELL_MERGE => Some(RevisionKind::CellMerge),
        R_PR_CHANGE => Some(RevisionKind::Formatting),
        P_PR_CHANGE => Some(RevisionKind::ParagraphFormatting),
        SECT_PR_CHANGE => Some(RevisionKind::SectionFormatting),
        name if is_change(name) => Some(RevisionKind::TableFormatting),
        _ => None,
    }
}

fn first_owner(document: &Document, node: NodeId) -> NodeId {
    let mut owners = document.ancestors(node);
    owners.nth(1).or_else(|| document.parent(node)).unwrap_or(node)
}

/// What people call a control.
fn name_of(document: &Document, control: NodeId) -> String {
    let control = Control::of(document, control);
    control.title().or_else(|| control.tag()).unwrap_or_default()
}

fn text_below(document: &Document, node: NodeId) -> String {
    let mut text = String::new();
    let mut below = document.descendants(node);
    while let Some(node) = below.next() {
        match document.name(node) {
            T | DEL_TEXT => text.push_str(&effective_text(document, node)),
            TAB => text.push('\t'),
            TXBX_CONTENT | FALLBACK | P_PR => below.skip_below(node),
            _ => {}
        }
    }
    text
}

/// A revision with its place, as `revisions` lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlacedRevision {
    /// `w:id` when unique in the package, else `PART#ID~K`.
    pub id: String,
    /// `P12`, or with the story as `footnote:3/P1`; empty when it is in no paragraph.
    pub address: String,
    /// Name of the part it stands in.
    pub part: String,
    /// The revision.
    pub revision: Revision,
}

/// Names revisions by `w:id` where that is unique in the package, else by part, id and count.
pub(crate) fn name_revisions(found: Vec<(String, String, Revision)>) -> Vec<PlacedRevision> {
    let mut counts = HashMap::new();
    for (_, _, revision) in &found {
        *counts.entry(revision.stamp.id).or_insert(0usize) += 1;
    }
    let mut seen = HashMap::new();
    found
        .into_iter()
        .map(|(part, address, revision)| {
            let number = revision.stamp.id.map_or_else(|| "?".to_owned(), |id| id.to_string());
            let unique = counts.get(&revision.stamp.id) == Some(&1) && revision.stamp.id.is_some();
            let id = if unique {
                number
            } else {
                let count = seen.entry((part.clone(), revision.stamp.id)).or_insert(0usize);
                *count += 1;
                format!("{part}#{number}~{count}")
            };
            PlacedRevision { id, address, part, revision }
        })
        .collect()
}
