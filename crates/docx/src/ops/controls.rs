//! Which content control an operation means, and what it is to say.

/// Which content control is meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ControlName {
    /// Its number in the document, from 1, as readings list it.
    Number(usize),
    /// Its `w:tag`.
    Tag(String),
    /// Its title, `w:alias`.
    Title(String),
    /// Places in a story: what the engine makes of the others.
    InStory(Vec<ControlPlace>),
}

/// Where a content control stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ControlPlace {
    /// Among the controls of its story, from 0.
    pub place: usize,
    /// Its number in the document, from 1.
    pub number: usize,
}

impl std::fmt::Display for ControlName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Number(number) => write!(f, "control:{number}"),
            Self::Tag(tag) => write!(f, "the control with the tag '{tag}'"),
            Self::Title(title) => write!(f, "the control with the title '{title}'"),
            Self::InStory(_) => f.write_str("the control"),
        }
    }
}

/// What a content control is to say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ControlValue {
    /// Text, an item of a list, or a date.
    Text(String),
    /// The state of a check box.
    Checked(bool),
}
