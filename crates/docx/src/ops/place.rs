//! Ways to name a paragraph, and which of several is meant.

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
    /// Name of the story, as `footnote:3`; the body without.
    pub story: Option<String>,
    /// How it is named.
    pub address: Address,
    /// Which of several paragraphs that fit a text; not used for other addresses.
    pub occurrence: Option<Occurrence>,
}

impl Place {
    /// A place of the body.
    #[must_use]
    pub fn in_body(address: Address) -> Self {
        Self { story: None, address, occurrence: None }
    }
}

/// Ways to name a paragraph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    /// Its number in the story, from 1.
    Number(usize),
    /// Its `w14:paraId`, eight hexadecimal digits.
    ParagraphId(String),
    /// The fingerprint of its text that `read --json` shows.
    Fingerprint(String),
    /// The first of the story.
    First,
    /// The last of the story.
    Last,
    /// The one that contains this text.
    Text(String),
    /// The one with this number as shown: `4.2(b)`.
    Provision(String),
    /// Any of the story; as a paragraph the only one.
    Any,
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
            Self::Provision(number) => write!(f, "§{number}"),
            Self::Any => f.write_str("the only paragraph"),
        }
    }
}
