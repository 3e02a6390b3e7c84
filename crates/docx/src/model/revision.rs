//! Who changed what: the attributes that every revision element carries (ISO/IEC 29500-1 §17.13.5).

use engross_xml::{Document, NodeId, QName};

use crate::names::{AUTHOR, DATE, DEL, ID, INS, MOVE_FROM, MOVE_TO, P_PR, R_PR};

/// Author, date and id of a revision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RevisionStamp {
    /// `w:id`, if it is a number.
    pub id: Option<i64>,
    /// `w:author`; empty when missing.
    pub author: String,
    /// `w:date`, as written.
    pub date: Option<String>,
}

impl RevisionStamp {
    /// Reads the stamp of a revision element.
    #[must_use]
    pub fn of(document: &Document, node: NodeId) -> Self {
        Self {
            id: document.attribute(node, ID).and_then(|id| id.trim().parse().ok()),
            author: document.attribute(node, AUTHOR).unwrap_or_default().into_owned(),
            date: document.attribute(node, DATE).map(std::borrow::Cow::into_owned),
        }
    }
}

/// Ids from here up belong to pieces cut off other people's revisions, or to programs that number wildly. Ids are 32-bit
/// (ISO/IEC 29500-1 §22.9.2.1), and this leaves a million.
pub(crate) const PIECES_FROM: i64 = i32::MAX as i64 - 1_000_000;

/// Whether a revision was written by a session whose first id was `first`.
pub(crate) fn is_id_since(document: &Document, node: NodeId, first: i64) -> bool {
    RevisionStamp::of(document, node).id.is_some_and(|id| (first..PIECES_FROM).contains(&id))
}

/// Whether a name is one of the four wrappers of inserted, deleted and moved content.
#[must_use]
pub fn is_revision_wrapper(name: QName) -> bool {
    matches!(name, INS | DEL | MOVE_FROM | MOVE_TO)
}

/// The revisions of a paragraph's mark: the empty wrappers in `w:pPr/w:rPr` (§17.13.5.15, §17.13.5.20).
pub fn mark_revisions(document: &Document, paragraph: NodeId) -> impl Iterator<Item = NodeId> {
    let properties = document.child(paragraph, P_PR).and_then(|properties| document.child(properties, R_PR));
    properties
        .into_iter()
        .flat_map(|properties| document.children(properties))
        .filter(|node| is_revision_wrapper(document.name(*node)))
}
