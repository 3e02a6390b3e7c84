//! Reading the tree as WordprocessingML: stories, paragraphs, and the text of a paragraph over its runs.
//!
//! Views only: must never change the tree.

mod controls;
mod fields;
mod flow;
mod pages;
mod paragraph;
mod pictures;
mod revision;
mod runs;
mod table;

pub(crate) use controls::{Binding, Control};
pub use controls::{ControlKind, controls};
pub use fields::{FieldContext, fields_at_start};
pub use flow::{Placement, is_range_marker, next_paragraph, paragraphs, placements};
pub(crate) use pages::{section_properties, text_width};
pub use paragraph::{Atom, AtomKind, Barrier, OBJECT, Paragraph, View};
pub(crate) use paragraph::{LOCKED, barrier_around_fields, barrier_inside};
pub(crate) use pictures::{alternative_text, pictures};
pub(crate) use revision::{OwnRevisions, PIECES_FROM, is_id_since};
pub use revision::{RevisionStamp, is_revision_wrapper, mark_revisions};
pub use runs::{effective_text, is_on, needs_preserve};
pub(crate) use table::{
    GridCell, GridRow, TableGrid, VerticalMerge, children_through_controls, number, present_span, whole_width,
};

#[cfg(test)]
mod paragraph_tests;
