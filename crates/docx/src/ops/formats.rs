//! Looks as JSON.

use serde_json::Value;

use crate::ops::fields::{
    Object, choice, optional_extent, optional_flag, optional_points, optional_text, owned_text,
};
use crate::ops::format::{Alignment, HIGHLIGHTS, LineSpacing, ParagraphFormat, TextFormat, Vertical};

pub(super) fn parse_highlight(object: &Object, field: &str) -> Result<Option<String>, String> {
    Ok(choice(object, field, HIGHLIGHTS)?.map(str::to_owned))
}

pub(super) fn parse_text_format(object: &Object) -> Result<TextFormat, String> {
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
    let format = TextFormat {
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
    if format == TextFormat::default() {
        return Err(
            "format_text needs a look: bold, italic, underline, highlight, color, size, font, style, …"
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
        return Err("format_paragraph needs a look: alignment, style, spaceAfter, keepNext, …".to_owned());
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
