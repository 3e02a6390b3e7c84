//! New text on its way into runs: pieces of one formatting, paragraphs of pieces.

use engross_xml::is_character;

use crate::error::{Refusal, RefusalCode};
use crate::model::OBJECT;
use crate::text::{
    Definitions, InlineObject, LinkDestination, Marks, StyledText, literal, parse_inline_with, unknown_tag,
};

/// Stands for the border between two paragraphs in texts that cover several.
pub(crate) const PARAGRAPH_BREAK: char = '\u{2029}';

/// Text of one formatting within one link or none, or an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) text: String,
    pub(crate) marks: Marks,
    pub(crate) link: Option<LinkDestination>,
    pub(crate) object: Option<InlineObject>,
}

impl Piece {
    /// Text without formatting of its own.
    pub(crate) fn plain(text: &str) -> Self {
        Self { text: text.to_owned(), marks: Marks::default(), link: None, object: None }
    }
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
    check_content(text, syntax)?;
    Ok(read_checked(text, syntax, &Definitions::default()))
}

/// Refuses what no document can hold, and tags that mean something in HTML and nothing in a document.
pub(crate) fn check_content(text: &str, syntax: Syntax) -> Result<(), Refusal> {
    if let Some(bad) = text.chars().find(|c| is_forbidden(*c)) {
        return Err(Refusal::unwritable("the text", bad));
    }
    if syntax == Syntax::Markdown
        && let Some(tag) = unknown_tag(text)
    {
        let shown = tag.chars().take(40).collect::<String>();
        return Err(Refusal::new(
            RefusalCode::InvalidContent,
            format!(
                "the content holds the HTML tag {shown}, which no document has; leave it out, write a backslash before it, \
                 or say \"plain\": true if it is text"
            ),
        ));
    }
    Ok(())
}

/// Reads text that is checked, with the notes and links that other lines define.
pub(crate) fn read_checked(text: &str, syntax: Syntax, definitions: &Definitions) -> StyledText {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let mut all = StyledText::default();
    for (number, paragraph) in split_paragraphs(&text).into_iter().enumerate() {
        if number > 0 {
            all.text.push(PARAGRAPH_BREAK);
        }
        all.append(match syntax {
            Syntax::Markdown => parse_inline_with(paragraph, definitions),
            Syntax::Plain => literal(paragraph),
        });
    }
    all
}

/// Cuts styled text into pieces of one formatting.
pub(crate) fn pieces(text: &StyledText) -> Vec<Piece> {
    let objects = text.objects.iter().flat_map(|placed| [placed.at, placed.at + OBJECT.len_utf8()]);
    let spans = text.spans.iter().map(|span| &span.range);
    let ranges = spans.chain(text.links.iter().map(|link| &link.range));
    let mut cuts: Vec<usize> = ranges.flat_map(|range| [range.start, range.end]).chain(objects).collect();
    cuts.extend([0, text.text.len()]);
    cuts.sort_unstable();
    cuts.dedup();
    let piece = |pair: &[usize]| {
        let (from, to) = (*pair.first()?, *pair.get(1)?);
        let words = text.text.get(from..to).filter(|words| !words.is_empty())?;
        Some(Piece {
            text: words.to_owned(),
            marks: text.marks_at(from),
            link: text.links.iter().find(|link| link.range.contains(&from)).map(|link| link.target.clone()),
            object: text.objects.iter().find(|placed| placed.at == from).map(|placed| placed.object.clone()),
        })
    };
    cuts.windows(2).filter_map(piece).collect()
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
    let is_break = matches!(c, '\u{B}' | '\u{C}');
    !is_break && !is_character(c) || c == OBJECT || c == PARAGRAPH_BREAK
}
