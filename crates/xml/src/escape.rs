//! Character data in and out of its escaped form (XML 1.0 §2.4, §4.6).

use std::borrow::Cow;

/// `text` as character data.
#[must_use]
pub fn escape_text(text: &str) -> Cow<'_, str> {
    escape(text, |c| match c {
        '&' => Some("&amp;"),
        '<' => Some("&lt;"),
        '>' => Some("&gt;"),
        // A bare carriage return would be read back as a line feed (§2.11).
        '\r' => Some("&#13;"),
        c => replacement(c),
    })
}

/// `text` as an attribute value to stand between double quotes.
#[must_use]
pub fn escape_attribute(text: &str) -> Cow<'_, str> {
    escape(text, |c| match c {
        '&' => Some("&amp;"),
        '<' => Some("&lt;"),
        '"' => Some("&quot;"),
        '\t' => Some("&#9;"),
        '\n' => Some("&#10;"),
        '\r' => Some("&#13;"),
        c => replacement(c),
    })
}

/// What stands for a character that XML cannot hold (§2.2): a file with it in could not be read again.
fn replacement(c: char) -> Option<&'static str> {
    (!is_character(c)).then_some("\u{FFFD}")
}

fn escape(text: &str, entity: fn(char) -> Option<&'static str>) -> Cow<'_, str> {
    let Some(first) = text.find(|c| entity(c).is_some()) else { return Cow::Borrowed(text) };
    let (clean, rest) = text.split_at(first);
    let mut out = String::with_capacity(text.len() + 16);
    out.push_str(clean);
    for c in rest.chars() {
        match entity(c) {
            Some(entity) => out.push_str(entity),
            None => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// Decodes references, and line ends as §2.11 wants. The references were checked when the text was parsed.
pub fn unescape(raw: &str) -> Cow<'_, str> {
    if memchr::memchr2(b'&', b'\r', raw.as_bytes()).is_none() {
        return Cow::Borrowed(raw);
    }
    let mut out = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = memchr::memchr2(b'&', b'\r', rest.as_bytes()) {
        let (clean, special) = rest.split_at(at);
        out.push_str(clean);
        if let Some(after) = special.strip_prefix('\r') {
            out.push('\n');
            rest = after.strip_prefix('\n').unwrap_or(after);
        } else if let Some((c, length)) = reference(special.as_bytes()) {
            out.push(c);
            rest = special.get(length..).unwrap_or_default();
        } else {
            out.push('&');
            rest = special.get(1..).unwrap_or_default();
        }
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// Reads the reference at the start of `text`: its character and its length in bytes.
pub(crate) fn reference(text: &[u8]) -> Option<(char, usize)> {
    // The longest sensible reference is &#1114111; with a few leading zeros.
    let window = text.get(..text.len().min(24))?;
    let end = memchr::memchr(b';', window)?;
    let body = std::str::from_utf8(window.get(1..end)?).ok()?;
    let c = match body {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        _ => {
            let digits = body.strip_prefix('#')?;
            let code = match digits.strip_prefix('x') {
                Some(hex) => parse_digits(hex, 16)?,
                None => parse_digits(digits, 10)?,
            };
            let c = char::from_u32(code)?;
            if !is_character(c) {
                return None;
            }
            c
        }
    };
    Some((c, end + 1))
}

/// `Char` of XML 1.0 §2.2.
#[must_use]
pub fn is_character(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | '\u{20}'..='\u{D7FF}' | '\u{E000}'..='\u{FFFD}' | '\u{10000}'..)
}

fn parse_digits(digits: &str, radix: u32) -> Option<u32> {
    // `from_str_radix` alone would accept a sign.
    if digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) {
        return None;
    }
    u32::from_str_radix(digits, radix).ok()
}
