//! How what is not text appears in text: `⟦footnote 3⟧`, `⟦image:2 "alt"⟧`, `⟦br⟧`, `⟦ref _Ref12 → P85 "clause 9"⟧`.
//!
//! A reader may quote such a label back; then it means what is there: the text that a field, link or control shows, or an object,
//! which no text edit moves or removes.

use std::borrow::Cow;

use engross_xml::{Document, NodeId};
use sha2::{Digest, Sha256};

use crate::model::{Atom, AtomKind};
use crate::names::{
    DRAWING, ENDNOTE_REFERENCE, FOOTNOTE_REFERENCE, ID, O_MATH, O_MATH_PARA, OBJECT, PICT, SYM,
};

const OPEN: char = '⟦';
const CLOSE: char = '⟧';
/// Characters of a longest label.
const LONGEST: usize = 4_000;

/// The label of an inline object.
pub(crate) fn object_label(document: &Document, atom: &Atom) -> String {
    label_of(document, atom.node)
}

fn label_of(document: &Document, node: NodeId) -> String {
    let id = || document.attribute(node, ID).unwrap_or_default().into_owned();
    let name = match document.name(node) {
        FOOTNOTE_REFERENCE => format!("footnote {}", id()),
        ENDNOTE_REFERENCE => format!("endnote {}", id()),
        DRAWING | PICT => "image".to_owned(),
        OBJECT => "embedded object".to_owned(),
        SYM => "symbol".to_owned(),
        O_MATH | O_MATH_PARA => "equation".to_owned(),
        _ => "object".to_owned(),
    };
    format!("{OPEN}{name}{CLOSE}")
}

/// The label of an inline object that says of which kind it is, and not which.
pub(crate) fn kind_label(document: &Document, atom: &Atom) -> String {
    label_of_kind(document, atom.node)
}

/// The same of an element.
pub(crate) fn label_of_kind(document: &Document, node: NodeId) -> String {
    match document.name(node) {
        FOOTNOTE_REFERENCE => format!("{OPEN}footnote{CLOSE}"),
        ENDNOTE_REFERENCE => format!("{OPEN}endnote{CLOSE}"),
        _ => label_of(document, node),
    }
}

/// What an atom's text looks like to a reader.
pub(crate) fn shown(document: &Document, atom: &Atom, text: &str) -> String {
    match atom.kind {
        AtomKind::Object => object_label(document, atom),
        AtomKind::Character(c) => match c {
            '\n' => "⟦br⟧".to_owned(),
            '\u{C}' => "⟦page break⟧".to_owned(),
            '\u{B}' => "⟦column break⟧".to_owned(),
            // A soft hyphen is only seen where a line ends.
            '\u{AD}' => String::new(),
            c => c.to_string(),
        },
        // A line end inside w:t is a space to Word.
        AtomKind::Text if memchr::memchr2(b'\n', b'\r', text.as_bytes()).is_none() => text.to_owned(),
        AtomKind::Text => text.replace(['\n', '\r'], " "),
        AtomKind::Silent => String::new(),
    }
}

/// Stands for a break that was quoted as a label, so that no line begins there.
pub(crate) const OBJECT_BREAK: char = '\u{2028}';

/// Turns labels back as [`without_object_labels`] does, breaks into [`OBJECT_BREAK`].
pub(crate) fn with_breaks_apart(text: &str) -> String {
    without_object_labels(&text.replace("⟦br⟧", &OBJECT_BREAK.to_string()))
}

/// Turns labels back: breaks into their characters, objects into nothing, since they stay where they are.
pub(crate) fn without_object_labels(text: &str) -> String {
    if !text.contains(OPEN) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(OPEN) {
        out.push_str(before);
        let end = after.char_indices().take(LONGEST).find(|(_, c)| *c == CLOSE).map(|(at, _)| at);
        let meaning = end.and_then(|end| after.get(..end)).and_then(meaning);
        match (meaning, end.and_then(|end| after.get(end + CLOSE.len_utf8()..))) {
            (Some(meaning), Some(behind)) => {
                out.push_str(&meaning);
                rest = behind;
            }
            _ => {
                out.push(OPEN);
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}

/// What a label says; nothing for what is no label.
fn meaning(label: &str) -> Option<Cow<'_, str>> {
    let numbered = |prefix: &str| label.strip_prefix(prefix).is_some_and(|id| id.parse::<i64>().is_ok());
    let (name, said) = match label.split_once('"') {
        Some((name, rest)) => (name.trim_end(), rest.strip_suffix('"')?),
        None => (label, ""),
    };
    let kind = name.split([' ', ':']).next().unwrap_or_default();
    match kind {
        "br" if kind == label => Some("\n".into()),
        "page" if label == "page break" => Some("\u{C}".into()),
        "column" if label == "column break" => Some("\u{B}".into()),
        "image" | "symbol" | "equation" | "ruby" => Some("".into()),
        "embedded" if label == "embedded object" => Some("".into()),
        "object" | "footnote" | "endnote" if kind == label => Some("".into()),
        "footnote" | "endnote" if numbered("footnote ") || numbered("endnote ") => Some("".into()),
        "ref" | "pageref" | "noteref" | "field" | "link" | "control" if label.contains('"') => {
            Some(Cow::Borrowed(said))
        }
        _ => None,
    }
}

/// A label that shows a text.
pub(crate) fn with_quotes(name: &str, text: &str) -> String {
    format!("{OPEN}{name} \"{text}\"{CLOSE}")
}

/// The start of a text, for messages.
pub(crate) fn excerpt(text: &str) -> String {
    const LENGTH: usize = 60;
    let clean: String = text
        .chars()
        .filter(|c| *c != crate::model::OBJECT)
        .map(|c| if c.is_control() || c == '\u{2029}' { ' ' } else { c })
        .take(LENGTH + 1)
        .collect();
    match clean.char_indices().nth(LENGTH) {
        Some((end, _)) => format!("{}…", clean.get(..end).unwrap_or_default()),
        None => clean,
    }
}

/// Twelve hexadecimal digits that tell one text from another.
pub(crate) fn fingerprint(text: &str) -> String {
    hexadecimal(Sha256::digest(text.as_bytes()).get(..6).unwrap_or_default())
}

/// Bytes as hexadecimal digits.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from_digit(u32::from(value), 16).unwrap_or_default();
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}
