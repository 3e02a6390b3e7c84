//! Preferences: what a person makes of the tracked changes that an agent delivered becomes lessons for documents of one kind.
//!
//! Must never read a document: texts of paragraphs are handed in. Nothing of one kind of document (a folder, a client) may
//! reach another: each has a skillbook of its own.

mod change;
mod fate;
mod lesson;
mod observe;

#[cfg(test)]
mod preferences_tests;

pub use change::{DeliveredChange, DeliveredDocument, DocumentEditor, changes_of};
pub use fate::{ChangeFate, ParagraphViews, fate_of};
pub use lesson::{PreferenceLesson, lesson_of};
pub use observe::{ObservedDocument, observe};
