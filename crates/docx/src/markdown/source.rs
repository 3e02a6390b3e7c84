//! What of a document a reading of its body needs.

use engross_xml::{Document, NodeId};

use crate::numbering::Numbering;
use crate::parts::Relationship;
use crate::styles::Styles;

/// A body, and what it refers to.
pub(crate) struct BodySource<'a> {
    pub(crate) document: &'a Document,
    pub(crate) body: NodeId,
    pub(crate) styles: &'a Styles,
    pub(crate) numbering: &'a Numbering,
    /// Of the main part.
    pub(crate) relationships: Vec<Relationship>,
    pub(crate) notes: Vec<NotePart>,
}

/// The part of footnotes, or of endnotes.
pub(crate) struct NotePart {
    pub(crate) is_end: bool,
    pub(crate) tree: Document,
    pub(crate) relationships: Vec<Relationship>,
}
