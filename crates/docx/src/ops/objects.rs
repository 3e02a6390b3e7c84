//! What operations on links, notes and pictures ask for.

use crate::ops::place::{Place, Where};
use crate::ops::search::Search;
use crate::text::{Image, LinkDestination, NoteKind};

/// An operation on links, notes and pictures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectEdit {
    /// Where: the paragraph, or where to look for the words; the whole body without.
    pub place: Option<Place>,
    /// The words that it is about.
    pub search: Option<Search>,
    /// What is done.
    pub action: ObjectAction,
}

/// What is done with a link, a note or a picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ObjectAction {
    /// The words become a link.
    InsertLink(LinkDestination),
    /// The link with the words gets other words or leads elsewhere.
    EditLink {
        /// Its words; as they are without.
        text: Option<String>,
        /// Where it leads; where it did without.
        target: Option<LinkDestination>,
    },
    /// The link with the words goes, and they stay.
    RemoveLink,
    /// A note behind the words.
    InsertNote {
        /// Which kind of note.
        kind: NoteKind,
        /// What it says.
        content: String,
    },
    /// The note whose story the place names says this.
    EditNote(String),
    /// A picture behind the words, or in a paragraph of its own beside the place.
    InsertImage {
        /// On which side it gets a paragraph of its own; within the paragraph without.
        side: Option<Where>,
        /// The picture.
        image: Image,
    },
    /// A picture that is there becomes another.
    EditImage {
        /// Its number among the pictures of the story, from 1; the only one of the place without.
        number: Option<usize>,
        /// What is said of it. What is not given stays.
        change: ImageChange,
    },
    /// A picture goes.
    DeleteImage {
        /// Its number among the pictures of the story, from 1; the only one of the place without.
        number: Option<usize>,
    },
}

/// What of a picture changes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ImageChange {
    /// Another file, by its name or as a `data:` URI.
    pub source: Option<String>,
    /// What it says to those who do not see it.
    pub alternative: Option<String>,
    /// Width and height in EMU; one of them alone keeps the proportion.
    pub size: (Option<u64>, Option<u64>),
}

impl ObjectEdit {
    /// The name of the operation.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self.action {
            ObjectAction::InsertLink(_) => "insert_link",
            ObjectAction::EditLink { .. } => "edit_link",
            ObjectAction::RemoveLink => "remove_link",
            ObjectAction::InsertNote { .. } => "insert_note",
            ObjectAction::EditNote(_) => "edit_note",
            ObjectAction::InsertImage { .. } => "insert_image",
            ObjectAction::EditImage { .. } => "edit_image",
            ObjectAction::DeleteImage { .. } => "delete_image",
        }
    }

    /// Whether text goes by it.
    pub(crate) fn takes_text(&self) -> bool {
        matches!(
            self.action,
            ObjectAction::EditLink { text: Some(_), .. }
                | ObjectAction::EditNote(_)
                | ObjectAction::DeleteImage { .. }
        )
    }

    /// The file of the picture that it brings, if it does.
    #[must_use]
    pub fn source(&self) -> Option<&str> {
        match &self.action {
            ObjectAction::InsertImage { image, .. } => Some(&image.source),
            ObjectAction::EditImage { change, .. } => change.source.as_deref(),
            _ => None,
        }
    }
}
