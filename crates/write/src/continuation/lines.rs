//! Lines as they are compared when a model repeats them: without blanks, quotes and ellipses around them.
//!
//! Must never be used to make content: only to find a place.

/// The line without blanks, and without the marks that models put around what they quote.
pub(super) fn plain(line: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(line);
    let text =
        text.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '>' | '.' | '…') || is_quote(c));
    let text = text.trim_end_matches(|c: char| c.is_whitespace() || is_quote(c));
    let mut plain = Vec::with_capacity(text.len());
    for character in text.chars().filter(|c| !c.is_whitespace() && *c != '\u{feff}') {
        match character {
            '“' | '”' | '„' | '«' | '»' => plain.push(b'"'),
            '‘' | '’' => plain.push(b'\''),
            other => plain.extend_from_slice(other.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    plain
}

fn is_quote(character: char) -> bool {
    matches!(character, '"' | '\'' | '`' | '“' | '”' | '„' | '«' | '»' | '‘' | '’')
}

/// The line without its LF and CR.
pub(super) fn without_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// Whether two lines are the same but for blanks at their end.
pub(super) fn is_same(one: &[u8], other: &[u8]) -> bool {
    one.trim_ascii_end() == other.trim_ascii_end()
}

/// Whether the line opens or closes a fence.
pub(super) fn is_fence(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    line.starts_with(b"```") || line.starts_with(b"~~~")
}

/// How many bytes of a line are no blanks.
pub(super) fn weight(line: &[u8]) -> usize {
    line.iter().filter(|byte| !byte.is_ascii_whitespace()).count()
}
