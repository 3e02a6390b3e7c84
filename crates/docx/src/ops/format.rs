//! The formatting that operations ask for, and how it is read from JSON.

use serde_json::Value;

use crate::ops::fields::{
    Object, choice, optional_extent, optional_flag, optional_points, optional_text, owned_text,
};

/// Formatting of runs. What is `None` stays as it is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RunFormat {
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
    /// Highlight colour as the format names it (`yellow`); `none` takes it away.
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

/// Formatting of a paragraph. What is `None` stays as it is. Lengths are twentieths of a point.
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

/// The highlight colours (ISO/IEC 29500-1 §17.18.40), with the names that tools use for two of them.
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

pub(super) fn parse_highlight(object: &Object, field: &str) -> Result<Option<String>, String> {
    Ok(choice(object, field, HIGHLIGHTS)?.map(str::to_owned))
}

pub(super) fn parse_run_format(object: &Object) -> Result<RunFormat, String> {
    let color = match optional_text(object, "color")? {
        None => None,
        Some(text) if text.eq_ignore_ascii_case("auto") => Some("auto".to_owned()),
        Some(text) => {
            let digits = text.strip_prefix('#').unwrap_or(text);
            let is_color = digits.len() == 6 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
            Some(is_color.then(|| digits.to_ascii_uppercase()).ok_or_else(|| {
                format!("'color' cannot be '{text}'; it takes six hexadecimal digits such as C00000, or auto")
            })?)
        }
    };
    let vertical = choice(
        object,
        "verticalAlign",
        &[
            ("baseline", Vertical::Baseline),
            ("superscript", Vertical::Superscript),
            ("subscript", Vertical::Subscript),
        ],
    )?;
    let size = optional_extent(object, "size", 2.0)?;
    if size.is_some_and(|size| !(2..=3276).contains(&size)) {
        return Err("'size' is no size of a font in points".to_owned());
    }
    let format = RunFormat {
        bold: optional_flag(object, "bold")?,
        italic: optional_flag(object, "italic")?,
        underline: optional_flag(object, "underline")?,
        strike: optional_flag(object, "strike")?,
        caps: optional_flag(object, "caps")?,
        small_caps: optional_flag(object, "smallCaps")?,
        vertical,
        highlight: parse_highlight(object, "highlight")?,
        color,
        half_points: size,
        font: owned_text(object, "font")?,
        style: owned_text(object, "style")?,
    };
    if format == RunFormat::default() {
        return Err(
            "format_text needs formatting: bold, italic, underline, highlight, color, size, font, style, …"
                .to_owned(),
        );
    }
    Ok(format)
}

pub(super) fn parse_paragraph_format(object: &Object) -> Result<ParagraphFormat, String> {
    let alignment = choice(
        object,
        "alignment",
        &[
            ("left", Alignment::Left),
            ("center", Alignment::Center),
            ("right", Alignment::Right),
            ("justify", Alignment::Justify),
        ],
    )?;
    let format = ParagraphFormat {
        style: owned_text(object, "style")?,
        alignment,
        space_before: optional_extent(object, "spaceBefore", 20.0)?,
        space_after: optional_extent(object, "spaceAfter", 20.0)?,
        line_spacing: line_spacing(object)?,
        indent_left: optional_points(object, "indentLeft", 20.0)?,
        indent_right: optional_points(object, "indentRight", 20.0)?,
        first_line: optional_points(object, "firstLine", 20.0)?,
        keep_next: optional_flag(object, "keepNext")?,
        keep_lines: optional_flag(object, "keepLines")?,
        page_break_before: optional_flag(object, "pageBreakBefore")?,
    };
    if format == ParagraphFormat::default() {
        return Err("format_paragraph needs formatting: alignment, style, spaceAfter, keepNext, …".to_owned());
    }
    Ok(format)
}

/// A multiple of a single line up to 10, or a height in points such as `"14pt"`.
fn line_spacing(object: &Object) -> Result<Option<LineSpacing>, String> {
    let wrong = || "'lineSpacing' is a multiple such as 1.5, or a height such as \"14pt\"".to_owned();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bounded where it is used")]
    let parts = |number: f64, of: f64| (number * of).round() as u32;
    match object.get("lineSpacing") {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => {
            let points = text.trim().strip_suffix("pt").and_then(|text| text.trim().parse::<f64>().ok());
            let points = points.filter(|points| (0.1..=1584.0).contains(points)).ok_or_else(wrong)?;
            Ok(Some(LineSpacing::Exactly(parts(points, 20.0))))
        }
        Some(value) => {
            let lines = value.as_f64().filter(|lines| (0.1..=10.0).contains(lines)).ok_or_else(wrong)?;
            Ok(Some(LineSpacing::Multiple(parts(lines, 240.0))))
        }
    }
}
