//! Tracked changes as they stand in a document: list them, accept them, reject them.

mod choice;
mod comments;
mod controls;
mod list;
mod properties;
mod resolve;
mod rows;

pub use choice::{Choice, Range};
pub(crate) use choice::{complete, moves};
pub use comments::Comment;
pub(crate) use comments::comments;
pub use list::{PlacedRevision, Revision, RevisionKind};
pub(crate) use list::{list, name_revisions, numbers};
pub(crate) use properties::is_change as is_property_change;
pub(crate) use properties::restore as restore_properties;
pub use resolve::Side;
pub(crate) use resolve::{
    Selection, is_move_or_custom_range, keeps_struck_words, resolve, resolve_paragraphs,
};
pub use rows::{CommentRow, RevisionRow};

pub use crate::model::RevisionStamp;

#[cfg(any(test, feature = "fuzzing"))]
#[doc(hidden)]
pub mod fuzzing {
    pub use super::list::list;
    pub use super::resolve::{Selection, resolve};
}

#[cfg(test)]
mod resolve_tests;
