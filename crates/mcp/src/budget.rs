//! How much an answer may hold.
//!
//! Must never let a document fill a model's window: what does not fit has a cursor.

/// Tokens of an answer when the caller does not say.
pub(crate) const USUAL: usize = 8_000;

/// Tokens of a largest answer. Clients cut what is longer.
pub(crate) const MOST: usize = 20_000;

/// Bytes that a token surely stands for: contracts with their tags have more.
const BYTES: usize = 3;

/// Room in an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Budget(usize);

impl Budget {
    /// Room for so many tokens.
    pub(crate) fn of_tokens(tokens: Option<usize>) -> Self {
        Self(tokens.unwrap_or(USUAL).clamp(200, MOST) * BYTES)
    }

    /// The room in bytes.
    pub(crate) fn bytes(self) -> usize {
        self.0
    }

    /// A part of it.
    pub(crate) fn part(self, of: usize) -> Self {
        Self(self.0 / of.max(1))
    }

    /// What is left of it.
    pub(crate) fn without(self, text: &str) -> Self {
        Self(self.0.saturating_sub(text.len()))
    }

    /// Whole lines that fit, and how many did not.
    pub(crate) fn lines(self, text: &str) -> (String, usize) {
        let mut out = String::new();
        let mut lines = text.lines();
        for line in lines.by_ref() {
            if out.len() + line.len() + 1 > self.0 {
                return (out, lines.count() + 1);
            }
            out.push_str(line);
            out.push('\n');
        }
        (out, 0)
    }

    /// The text, with a remark in the place of what does not fit.
    pub(crate) fn cut(self, text: &str, how_to_get_more: &str) -> String {
        match self.lines(text) {
            (all, 0) => all,
            (part, left) => format!("{part}… {left} more lines; {how_to_get_more}\n"),
        }
    }
}
