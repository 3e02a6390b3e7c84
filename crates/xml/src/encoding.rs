//! UTF-16 in and out; everything between is UTF-8.

use crate::error::ErrorKind;

/// How the text was encoded, and will be written again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum XmlEncoding {
    /// UTF-8; a byte order mark is kept as part of the text.
    Utf8,
    /// UTF-16, little endian.
    Utf16Le {
        /// Whether it began with a byte order mark.
        mark: bool,
    },
    /// UTF-16, big endian.
    Utf16Be {
        /// Whether it began with a byte order mark.
        mark: bool,
    },
}

/// Decodes to UTF-8. Lossless: [`encode`] gives back the same bytes.
pub(crate) fn decode(bytes: Vec<u8>) -> Result<(String, XmlEncoding), ErrorKind> {
    let encoding = match bytes.as_slice() {
        [0xFF, 0xFE, ..] => XmlEncoding::Utf16Le { mark: true },
        [0xFE, 0xFF, ..] => XmlEncoding::Utf16Be { mark: true },
        [b'<', 0, ..] => XmlEncoding::Utf16Le { mark: false },
        [0, b'<', ..] => XmlEncoding::Utf16Be { mark: false },
        _ => XmlEncoding::Utf8,
    };
    let (to_unit, mark): (fn([u8; 2]) -> u16, bool) = match encoding {
        XmlEncoding::Utf8 => {
            let text = String::from_utf8(bytes).map_err(|_| ErrorKind::XmlEncoding)?;
            refuse_foreign_declaration(&text)?;
            return Ok((text, XmlEncoding::Utf8));
        }
        XmlEncoding::Utf16Le { mark } => (u16::from_le_bytes, mark),
        XmlEncoding::Utf16Be { mark } => (u16::from_be_bytes, mark),
    };
    let body = bytes.get(if mark { 2 } else { 0 }..).unwrap_or_default();
    let (pairs, rest) = body.as_chunks::<2>();
    if !rest.is_empty() {
        return Err(ErrorKind::XmlEncoding);
    }
    let text = char::decode_utf16(pairs.iter().map(|pair| to_unit(*pair)))
        .collect::<Result<String, _>>()
        .map_err(|_| ErrorKind::XmlEncoding)?;
    Ok((text, encoding))
}

/// The inverse of [`decode`].
pub(crate) fn encode(text: Vec<u8>, encoding: XmlEncoding) -> Vec<u8> {
    let (from_unit, mark): (fn(u16) -> [u8; 2], bool) = match encoding {
        XmlEncoding::Utf8 => return text,
        XmlEncoding::Utf16Le { mark } => (u16::to_le_bytes, mark),
        XmlEncoding::Utf16Be { mark } => (u16::to_be_bytes, mark),
    };
    let text = String::from_utf8_lossy(&text);
    let mut out = Vec::with_capacity(text.len() * 2 + 2);
    if mark {
        out.extend_from_slice(&from_unit(0xFEFF));
    }
    out.extend(text.encode_utf16().flat_map(from_unit));
    out
}

/// A declaration such as `encoding="windows-1252"` over bytes beyond ASCII would be read wrongly: refuse it.
fn refuse_foreign_declaration(text: &str) -> Result<(), ErrorKind> {
    let start = text.trim_start_matches('\u{FEFF}');
    let Some(declaration) = start.strip_prefix("<?xml").and_then(|rest| rest.split("?>").next()) else {
        return Ok(());
    };
    let Some(value) = declaration.split("encoding").nth(1) else { return Ok(()) };
    let name: String = value
        .trim_start_matches(|c: char| c == '=' || c == '"' || c == '\'' || c.is_ascii_whitespace())
        .chars()
        .take_while(|c| c.is_ascii_alphanumeric() || *c == '-' || *c == '_')
        .map(|c| c.to_ascii_lowercase())
        .collect();
    let known = matches!(name.as_str(), "utf-8" | "utf8" | "us-ascii" | "ascii" | "utf-16" | "");
    if known || text.is_ascii() { Ok(()) } else { Err(ErrorKind::XmlEncoding) }
}
