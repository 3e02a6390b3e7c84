//! The looks that operations ask for. Lengths are points.

/// How text shall look. What is `None` stays as it is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TextFormat {
    /// Bold.
    pub bold: Option<bool>,
    /// Italic.
    pub italic: Option<bool>,
    /// A single line below.
    pub underline: Option<bool>,
    /// A line through.
    pub strike: Option<bool>,
    /// Capitals.
    pub caps: Option<bool>,
    /// Small capitals.
    pub small_caps: Option<bool>,
    /// Raised, lowered, or neither.
    pub vertical: Option<Vertical>,
    /// Colour of the marker pen as the format names it (`yellow`); `none` takes it away.
    pub highlight: Option<String>,
    /// Colour as six hexadecimal digits, or `auto`.
    pub color: Option<String>,
    /// Size in half-points.
    pub half_points: Option<u32>,
    /// Name of the font.
    pub font: Option<String>,
    /// Id or name of a character style.
    pub style: Option<String>,
}

/// Where text stands on its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Vertical {
    /// On the line.
    Baseline,
    /// Above it, smaller.
    Superscript,
    /// Below it, smaller.
    Subscript,
}

/// How a paragraph shall look. What is `None` stays as it is. Lengths are twentieths of a point.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ParagraphFormat {
    /// Id or name of a paragraph style.
    pub style: Option<String>,
    /// Where its lines stand.
    pub alignment: Option<Alignment>,
    /// Space before it.
    pub space_before: Option<u32>,
    /// Space after it.
    pub space_after: Option<u32>,
    /// Height of its lines.
    pub line_spacing: Option<LineSpacing>,
    /// Distance from the left margin.
    pub indent_left: Option<i32>,
    /// Distance from the right margin.
    pub indent_right: Option<i32>,
    /// How much further in the first line begins; negative: the others do.
    pub first_line: Option<i32>,
    /// It stays on one page with the next.
    pub keep_next: Option<bool>,
    /// Its lines stay on one page.
    pub keep_lines: Option<bool>,
    /// It begins a page.
    pub page_break_before: Option<bool>,
}

/// Where lines stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Alignment {
    /// At the left.
    Left,
    /// In the middle.
    Center,
    /// At the right.
    Right,
    /// From edge to edge.
    Justify,
}

/// Height of lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineSpacing {
    /// In 240ths of a single line.
    Multiple(u32),
    /// Exactly so many twentieths of a point.
    Exactly(u32),
}

/// The colours of the marker pen (ISO/IEC 29500-1 §17.18.40), with the names that tools use for two of them.
pub(crate) const HIGHLIGHTS: &[(&str, &str)] = &[
    ("yellow", "yellow"),
    ("green", "green"),
    ("cyan", "cyan"),
    ("magenta", "magenta"),
    ("blue", "blue"),
    ("red", "red"),
    ("darkBlue", "darkBlue"),
    ("darkCyan", "darkCyan"),
    ("darkGreen", "darkGreen"),
    ("darkMagenta", "darkMagenta"),
    ("darkRed", "darkRed"),
    ("darkYellow", "darkYellow"),
    ("gray25", "lightGray"),
    ("gray50", "darkGray"),
    ("lightGray", "lightGray"),
    ("darkGray", "darkGray"),
    ("black", "black"),
    ("white", "white"),
    ("none", "none"),
];
