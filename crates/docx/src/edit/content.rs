//! New text on its way into runs: pieces of one formatting, paragraphs of pieces.

use crate::error::{Refusal, RefusalCode};
use crate::model::OBJECT;
use crate::text::{Marks, StyledText, literal, parse_inline};

/// Stands for the border between two paragraphs in texts that cover several.
pub(crate) const PARAGRAPH_BREAK: char = '\u{2029}';

/// Text of one formatting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) text: String,
    pub(crate) marks: Marks,
}

/// How the caller's text is to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Syntax {
    Markdown,
    Plain,
}

/// Reads the caller's text as it stands, or as Markdown.
pub(crate) fn read_plain_or_markdown(text: &str, plain: bool) -> Result<StyledText, Refusal> {
    read_content(text, if plain { Syntax::Plain } else { Syntax::Markdown })
}

/// Reads the caller's text. A blank line becomes [`PARAGRAPH_BREAK`]; a single line end stays a line break.
pub(crate) fn read_content(text: &str, syntax: Syntax) -> Result<StyledText, Refusal> {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    if let Some(bad) = text.chars().find(|c| is_forbidden(*c)) {
        return Err(Refusal::new(
            RefusalCode::InvalidContent,
            format!(
                "the text holds the character U+{:04X}, which a document cannot; leave it out",
                u32::from(bad)
            ),
        ));
    }
    let mut all = StyledText::default();
    for (number, paragraph) in split_paragraphs(&text).into_iter().enumerate() {
        if number > 0 {
            all.text.push(PARAGRAPH_BREAK);
        }
        let styled = match syntax {
            Syntax::Markdown => parse_inline(paragraph),
            Syntax::Plain => literal(paragraph),
        };
        let offset = all.text.len();
        all.text.push_str(&styled.text);
        all.spans.extend(styled.spans.into_iter().map(|mut span| {
            span.range = span.range.start + offset..span.range.end + offset;
            span
        }));
    }
    Ok(all)
}

/// Cuts styled text into pieces of one formatting.
pub(crate) fn pieces(text: &StyledText) -> Vec<Piece> {
    let mut pieces = Vec::with_capacity(text.spans.len() * 2 + 1);
    let mut push = |range: std::ops::Range<usize>, marks| {
        if let Some(text) = text.text.get(range).filter(|text| !text.is_empty()) {
            pieces.push(Piece { text: text.to_owned(), marks });
        }
    };
    let mut at = 0;
    for span in &text.spans {
        push(at..span.range.start, Marks::default());
        push(span.range.clone(), span.marks);
        at = span.range.end;
    }
    push(at..text.text.len(), Marks::default());
    pieces
}

/// Cuts styled text at its paragraph borders.
pub(crate) fn split_at_breaks(text: &StyledText) -> Vec<StyledText> {
    let mut parts = Vec::new();
    let mut start = 0;
    for (at, c) in text.text.char_indices() {
        if c == PARAGRAPH_BREAK {
            parts.push(text.slice(start..at));
            start = at + c.len_utf8();
        }
    }
    parts.push(text.slice(start..text.text.len()));
    parts
}

/// Paragraphs are parted by one or more blank lines.
fn split_paragraphs(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find("\n\n") {
        let (part, after) = rest.split_at(at);
        parts.push(part);
        rest = after.trim_start_matches('\n');
    }
    parts.push(rest);
    parts
}

/// What XML 1.0 §2.2 cannot hold, and what stands for something else in our texts.
fn is_forbidden(c: char) -> bool {
    let in_xml = matches!(c, '\t' | '\n' | '\u{B}' | '\u{C}' | '\u{20}'..='\u{FFFD}' | '\u{10000}'..);
    !in_xml || c == OBJECT || c == PARAGRAPH_BREAK
}
