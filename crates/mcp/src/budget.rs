//! How much an answer may hold.
//!
//! Must never let a document fill a model's window: what does not fit has a cursor.

/// Tokens of an answer when the caller does not say.
pub(crate) const USUAL: usize = 8_000;

/// Tokens of a largest answer. Clients cut what is longer.
pub(crate) const MOST: usize = 20_000;

/// Room in an answer, in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Budget(usize);

impl Budget {
    /// Room for so many tokens.
    pub(crate) fn of_tokens(tokens: Option<usize>) -> Self {
        Self(tokens.unwrap_or(USUAL).clamp(200, MOST))
    }

    /// A part of it.
    pub(crate) fn part(self, of: usize) -> Self {
        Self(self.0 / of.max(1))
    }

    /// What is left of it.
    pub(crate) fn without(self, text: &str) -> Self {
        Self(self.0.saturating_sub(tokens(text)))
    }

    /// Whether a text fits.
    pub(crate) fn holds(self, text: &str) -> bool {
        tokens(text) <= self.0
    }

    /// The bytes of a text's beginning that fits.
    pub(crate) fn fitting_bytes(self, text: &str) -> usize {
        let (mut fits, mut does_not) = (0, text.len() + 1);
        while fits + 1 < does_not {
            let middle = fits.midpoint(does_not);
            let part = text.get(..text.floor_char_boundary(middle)).unwrap_or_default();
            if self.holds(part) { fits = middle } else { does_not = middle }
        }
        text.floor_char_boundary(fits)
    }

    /// The text, with a remark in the place of the lines that do not fit.
    pub(crate) fn cut(self, text: &str, how_to_get_more: &str) -> String {
        let (mut out, mut used) = (String::new(), 0);
        let mut lines = text.lines();
        for line in lines.by_ref() {
            used += tokens(line) + 1;
            if used > self.0 {
                return format!("{out}… {} more lines; {how_to_get_more}\n", lines.count() + 1);
            }
            out.push_str(line);
            out.push('\n');
        }
        out
    }
}

/// How many tokens a text surely has no more than, but for a few in a hundred: a word has one for six letters, a number one for three
/// digits, signs one for two, wider gaps one, all else one each, and a twentieth comes on top. Tokenizers differ by less.
pub(crate) fn tokens(text: &str) -> usize {
    #[derive(PartialEq, Clone, Copy)]
    enum Kind {
        Letters,
        Digits,
        Signs,
        Space,
    }
    let of_run = |kind, length: usize| match kind {
        Kind::Letters => length.div_ceil(6),
        Kind::Digits => length.div_ceil(3),
        Kind::Signs => length.div_ceil(2),
        Kind::Space => usize::from(length > 1),
    };
    let (mut total, mut kind, mut length) = (0, Kind::Space, 0);
    for character in text.chars() {
        let next = match character {
            '\n' => {
                total += 1;
                Kind::Space
            }
            character if character.is_ascii_whitespace() => Kind::Space,
            character if character.is_ascii_alphabetic() => Kind::Letters,
            character if character.is_ascii_digit() => Kind::Digits,
            character if character.is_ascii() => Kind::Signs,
            _ => {
                total += 1;
                Kind::Space
            }
        };
        if next != kind {
            total += of_run(kind, length);
            (kind, length) = (next, 0);
        }
        length += 1;
    }
    total += of_run(kind, length);
    total + total / 20
}
