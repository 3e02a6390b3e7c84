//! Reading a document for people, programs and models: numbered paragraphs with what surrounds them.

mod inline_labels;
mod labels;
mod listing;
mod notation;
mod stories;

pub use crate::model::View;
pub(crate) use inline_labels::LabelSources;
pub(crate) use labels::{
    OBJECT_BREAK, excerpt, fingerprint, hexadecimal, kind_label, label_of_kind, shown, with_breaks_apart,
    without_object_labels,
};
pub use listing::{ParagraphReading, ReadOptions, Reading, StorySize, TablePlace};
pub(crate) use listing::{ReadDetail, Sources, has_end, read_story};
pub use notation::notation;
pub(crate) use stories::{
    StoryPart, find_stories, is_section, sections_of, shown_headers, story_root, text_boxes,
};

#[cfg(test)]
mod labels_tests;
