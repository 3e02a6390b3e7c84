//! Tracked changes as they stand in a document: list them, accept them, reject them.

mod choice;
mod comments;
mod list;
mod placed;
mod properties;
mod resolve;

pub(crate) use choice::complete;
pub use choice::{Choice, Range};
pub use comments::{Comment, comments};
pub(crate) use list::numbers;
pub use list::{Revision, RevisionKind, list};
pub use placed::PlacedRevision;
pub(crate) use placed::name_revisions;
pub(crate) use properties::is_change as is_property_change;
pub(crate) use properties::restore as restore_properties;
pub use resolve::{Selection, Side, resolve, resolve_paragraphs};

#[cfg(test)]
mod resolve_tests;
