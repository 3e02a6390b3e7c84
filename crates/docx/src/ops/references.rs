//! What operations on bookmarks, fields and references ask for.

use crate::ops::place::{Occurrence, Place, Where};

/// An operation on references. It is carried out when all others of its batch are written, so that numbers are those of then.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReferenceEdit {
    /// Marks a paragraph, or words of it, by a name.
    InsertBookmark {
        /// Which paragraph.
        place: Place,
        /// The words; all of the paragraph without.
        text: Option<String>,
        /// The name.
        name: String,
    },
    /// Puts a reference into a paragraph.
    InsertCrossReference {
        /// Where.
        spot: Spot,
        /// What it leads to.
        to: ReferenceTarget,
        /// What of it is shown.
        show: ShownPart,
    },
    /// Puts a field into a paragraph.
    InsertField {
        /// Where.
        spot: Spot,
        /// Its code.
        instruction: String,
        /// What it shows until it is updated.
        result: Option<String>,
    },
    /// Puts a table of contents beside a paragraph.
    InsertContents {
        /// Beside which paragraph.
        place: Place,
        /// On which side of it.
        side: Where,
        /// The first and the last level of headings that it lists.
        levels: (u8, u8),
        /// What stands above it.
        title: Option<String>,
    },
    /// Lets fields show what they should, and with `typed` references that people typed, too.
    Update {
        /// Whether typed references are meant.
        typed: bool,
    },
}

/// A place in a paragraph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spot {
    /// Which paragraph.
    pub place: Place,
    /// The words before it; the end of the paragraph without.
    pub after: Option<String>,
    /// The words that it takes the place of.
    pub instead_of: Option<String>,
    /// Which of several.
    pub occurrence: Option<Occurrence>,
}

/// What a reference leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReferenceTarget {
    /// A paragraph.
    Place(Place),
    /// A bookmark that is there.
    Bookmark(String),
}

/// What of its target a reference shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShownPart {
    /// Its number as seen from the reference: `\r`.
    Number,
    /// Its number with all levels: `\w`.
    NumberFull,
    /// Its words.
    Text,
    /// Its page.
    Page,
    /// `above` or `below`.
    AboveBelow,
}

impl ReferenceEdit {
    /// The name of the operation.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::InsertBookmark { .. } => "insert_bookmark",
            Self::InsertCrossReference { .. } => "insert_cross_reference",
            Self::InsertField { .. } => "insert_field",
            Self::InsertContents { .. } => "insert_table_of_contents",
            Self::Update { typed: true } => "update_references",
            Self::Update { typed: false } => "update_fields",
        }
    }

    /// The paragraph that it refers to, if it names one.
    #[must_use]
    pub fn target(&self) -> Option<&Place> {
        match self {
            Self::InsertCrossReference { to: ReferenceTarget::Place(place), .. } => Some(place),
            _ => None,
        }
    }

    /// The paragraph that it changes, if it names one.
    #[must_use]
    pub fn place(&self) -> Option<&Place> {
        match self {
            Self::InsertBookmark { place, .. } | Self::InsertContents { place, .. } => Some(place),
            Self::InsertCrossReference { spot, .. } | Self::InsertField { spot, .. } => Some(&spot.place),
            Self::Update { .. } => None,
        }
    }
}
