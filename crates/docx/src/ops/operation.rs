//! Operations as types.

/// What to do to which place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operation {
    /// The edit.
    pub edit: Edit,
    /// Text the paragraph must have, or nothing is done.
    pub expected_text: Option<String>,
    /// Whether new text is taken as it stands, without Markdown.
    pub plain: bool,
    /// Author of this operation's revisions instead of the batch's.
    pub author: Option<String>,
}

/// The edits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Edit {
    /// Replaces a phrase.
    ModifyText {
        /// Where to look; the whole body without.
        place: Option<Place>,
        /// The phrase.
        original: String,
        /// What takes its place.
        replacement: String,
        /// Which of several.
        occurrence: Option<Occurrence>,
    },
    /// Gives a paragraph new text; what stays the same stays untouched.
    EditParagraph {
        /// Which paragraph.
        place: Place,
        /// The text it shall have.
        content: String,
    },
    /// Adds text at the end of a paragraph.
    Append {
        /// Which paragraph.
        place: Place,
        /// What to add.
        content: String,
    },
    /// Adds text at the start of a paragraph.
    Prepend {
        /// Which paragraph.
        place: Place,
        /// What to add.
        content: String,
    },
    /// Puts new paragraphs beside one.
    InsertParagraph {
        /// Beside which paragraph.
        place: Place,
        /// On which side.
        side: Where,
        /// Their text; a blank line begins another paragraph.
        content: String,
        /// Id or name of their style; like the paragraph beside without.
        style: Option<String>,
    },
    /// Removes a paragraph.
    DeleteParagraph {
        /// Which paragraph.
        place: Place,
    },
}

/// A side of a paragraph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Where {
    /// Before it.
    Before,
    /// After it.
    After,
}

/// A paragraph, or several that fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// How it is named.
    pub address: Address,
    /// Which of several paragraphs that fit a text; not used for other addresses.
    pub occurrence: Option<Occurrence>,
}

/// Ways to name a paragraph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    /// Its number in the body, from 1.
    Number(usize),
    /// Its `w14:paraId`, eight hexadecimal digits.
    ParagraphId(String),
    /// The fingerprint of its text that `read --json` shows.
    Fingerprint(String),
    /// The first of the body.
    First,
    /// The last of the body.
    Last,
    /// The one that contains this text.
    Text(String),
    /// A place in a story other than the body, as `footnote:3/P1`.
    OtherStory(String),
}

/// Which of several hits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Occurrence {
    /// The n-th, from 1.
    Nth(usize),
    /// The last.
    Last,
    /// Every one.
    All,
}

impl std::fmt::Display for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Number(number) => write!(f, "P{number}"),
            Self::ParagraphId(id) => write!(f, "paraId:{id}"),
            Self::Fingerprint(fingerprint) => write!(f, "fp:{fingerprint}"),
            Self::First => f.write_str("first"),
            Self::Last => f.write_str("last"),
            Self::Text(text) => write!(f, "the paragraph containing '{text}'"),
            Self::OtherStory(address) => f.write_str(address),
        }
    }
}
