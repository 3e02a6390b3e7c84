//! What a comparison could not write as tracked changes, for people and programs.

/// A difference that the redline does not hold as a tracked change.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Limitation {
    /// Where: a story, a part, or empty for the whole document.
    pub address: String,
    /// What differs, in words.
    pub difference: String,
    /// Whether the redline has it as the document after does; else as the one before.
    pub applied: bool,
}

impl Limitation {
    pub(super) fn left(address: &str, difference: impl Into<String>) -> Self {
        Self { address: address.to_owned(), difference: difference.into(), applied: false }
    }

    pub(super) fn applied(address: &str, difference: impl Into<String>) -> Self {
        Self { address: address.to_owned(), difference: difference.into(), applied: true }
    }
}
