//! Who changed what: the attributes that every revision element carries (ISO/IEC 29500-1 §17.13.5).

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

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

/// Which revisions are one's own: those of this session, and those of earlier sessions that it has adopted.
///
/// One's own revisions are one redline, however many rounds it took: what an earlier round inserted and this one deletes was
/// never there. Revisions that were not adopted are history, no matter who wrote them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnRevisions {
    /// The first id of the session.
    first: i64,
    /// Author and id of those that were adopted.
    adopted: Arc<BTreeSet<(String, i64)>>,
    /// Ids of pieces that this session cuts off them.
    pieces: Range<i64>,
}

impl OwnRevisions {
    /// Those of a session whose first id is `first`.
    pub(crate) fn since(first: i64) -> Self {
        Self { first, adopted: Arc::default(), pieces: first..first }
    }

    /// The same with earlier ones, pieces of which get ids of `pieces`.
    pub(crate) fn adopting(self, more: impl IntoIterator<Item = (String, i64)>, pieces: Range<i64>) -> Self {
        let adopted = self.adopted.iter().cloned().chain(more).collect();
        Self { adopted: Arc::new(adopted), pieces, ..self }
    }

    /// The first id of the session.
    pub(crate) fn first(&self) -> i64 {
        self.first
    }

    /// Whether an id was given out by this session.
    pub(crate) fn is_new(&self, id: i64) -> bool {
        (self.first..PIECES_FROM).contains(&id)
    }

    /// Whether earlier revisions are among them.
    pub(crate) fn has_adopted(&self) -> bool {
        !self.adopted.is_empty()
    }

    /// Whether an earlier revision, or a piece of one, is among them.
    pub(crate) fn is_adopted(&self, author: &str, id: i64) -> bool {
        let known = || self.adopted.iter().any(|(known, _)| known == author);
        self.adopted.contains(&(author.to_owned(), id)) || self.pieces.contains(&id) && known()
    }

    /// Whether a revision is one of them.
    pub(crate) fn holds(&self, document: &Document, node: NodeId) -> bool {
        if !self.has_adopted() {
            return is_id_since(document, node, self.first);
        }
        let RevisionStamp { id, author, .. } = RevisionStamp::of(document, node);
        id.is_some_and(|id| self.is_new(id) || self.is_adopted(&author, id))
    }

    /// Whether two revisions are both among them and of one author.
    pub(crate) fn is_pair(&self, document: &Document, (one, other): (NodeId, NodeId)) -> bool {
        self.holds(document, one)
            && self.holds(document, other)
            && document.attribute(one, AUTHOR) == document.attribute(other, AUTHOR)
    }
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
