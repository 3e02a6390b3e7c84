//! How a list is marked.

/// The marker of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListKind {
    /// A bullet.
    Bullet,
    /// A number.
    Numbered(NumberStyle),
}

/// How a list counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NumberStyle {
    /// 1, 2, 3
    Decimal,
    /// a, b, c
    LowerLetter,
    /// A, B, C
    UpperLetter,
    /// i, ii, iii
    LowerRoman,
    /// I, II, III
    UpperRoman,
}
