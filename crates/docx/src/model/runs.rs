//! The small rules of run content: white space and on/off values.

use std::borrow::Cow;

use engross_xml::{Document, NodeId};

use crate::names::{VAL, XML_SPACE};

/// Spellings of "off" in `ST_OnOff` (ISO/IEC 29500-1 §22.9.2.7).
pub const ON_OFF_FALSE: [&str; 3] = ["0", "false", "off"];

/// Whether an on/off property element says "on".
#[must_use]
pub fn is_on(document: &Document, property: NodeId) -> bool {
    document
        .attribute(property, VAL)
        .is_none_or(|value| !ON_OFF_FALSE.contains(&value.to_ascii_lowercase().as_str()))
}

/// Whether white space at the ends of the element's text counts: `xml:space` in force (XML 1.0 §2.10).
#[must_use]
pub fn preserves_space(document: &Document, node: NodeId) -> bool {
    let own = document.attribute(node, XML_SPACE);
    let inherited = || document.ancestors(node).find_map(|above| document.attribute(above, XML_SPACE));
    own.or_else(inherited).is_some_and(|value| value == "preserve")
}

/// The text of a `w:t`, `w:delText` or `w:instrText` as Word reads it: trimmed unless space is preserved.
#[must_use]
pub fn effective_text(document: &Document, node: NodeId) -> Cow<'_, str> {
    let text = document.element_text(node);
    if !needs_preserve(&text) || preserves_space(document, node) {
        return text;
    }
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.trim_matches(is_space)),
        Cow::Owned(text) => Cow::Owned(text.trim_matches(is_space).to_owned()),
    }
}

/// Whether a text would lose white space without `xml:space="preserve"`.
#[must_use]
pub fn needs_preserve(text: &str) -> bool {
    text.starts_with(is_space) || text.ends_with(is_space)
}

fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\n')
}
