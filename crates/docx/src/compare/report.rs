//! What a comparison could not write as tracked changes, for people and programs.

/// A difference that the redline does not hold as a tracked change.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Limitation {
    /// Where: a story, a part, or empty for the whole document.
    pub address: String,
    /// What differs, in words.
    pub difference: String,
    /// Whether the redline has it as the document after does; else as the one before.
    pub applied: bool,
}

impl Limitation {
    /// The address of what is said of comments.
    pub(super) const COMMENTS: &str = "comments";

    /// Whether it only says that comments came over. They are no tracked changes and stay when these are rejected.
    #[must_use]
    pub fn only_brings_comments(&self) -> bool {
        self.applied && self.address == Self::COMMENTS
    }

    pub(super) fn left(address: &str, difference: impl Into<String>) -> Self {
        Self { address: address.to_owned(), difference: difference.into(), applied: false }
    }

    pub(super) fn applied(address: &str, difference: impl Into<String>) -> Self {
        Self { address: address.to_owned(), difference: difference.into(), applied: true }
    }
}
