//! What a document says, and where words are in it.
//!
//! Must never take words for found that are not there: quotes, dashes, spaces and capitals of other kinds count as equal, nothing
//! else does.

use std::ops::Range;

use engross_docx::read::ReadOptions;
use engross_docx::{Error, OutlineEntry, WordDocument};

/// The body of a document as its changes accepted make it.
#[derive(Debug, Clone, Default)]
pub(crate) struct DocumentText {
    pub(crate) paragraphs: Vec<TextParagraph>,
    pub(crate) headings: Vec<TextHeading>,
}

/// A paragraph.
#[derive(Debug, Clone)]
pub(crate) struct TextParagraph {
    /// `P12`
    pub(crate) address: String,
    /// 12
    pub(crate) index: usize,
    pub(crate) text: String,
}

/// A paragraph that heads others, by their numbers.
#[derive(Debug, Clone)]
pub(crate) struct TextHeading {
    pub(crate) text: String,
    pub(crate) from: usize,
    pub(crate) to: usize,
}

impl DocumentText {
    /// Reads the body of a document.
    pub(crate) fn of(document: &WordDocument) -> Result<Self, Error> {
        let options = ReadOptions { labels: false, fingerprints: false, ..ReadOptions::default() };
        let reading = document.read(&options)?;
        let paragraphs = reading.paragraphs.into_iter().map(|paragraph| TextParagraph {
            address: paragraph.address,
            index: paragraph.index,
            text: paragraph.text,
        });
        let heading = |entry: OutlineEntry| {
            let is_heading = matches!(entry.kind, "heading" | "schedule");
            let (from, to) = (number_of(&entry.address)?, number_of(&entry.end)?);
            is_heading.then_some(TextHeading { text: entry.text, from, to })
        };
        let headings = document.outline()?.into_iter().filter_map(heading);
        Ok(Self { paragraphs: paragraphs.collect(), headings: headings.collect() })
    }

    /// The paragraph at an address such as `P12`, however it is written.
    pub(crate) fn at(&self, address: &str) -> Option<&TextParagraph> {
        let index = number_of(address.trim().trim_matches(['[', ']']))?;
        self.paragraphs.iter().find(|paragraph| paragraph.index == index)
    }

    /// The first paragraph that holds the words.
    pub(crate) fn find(&self, words: &str) -> Option<&TextParagraph> {
        self.paragraphs.iter().find(|paragraph| find(&paragraph.text, words, false).is_some())
    }
}

/// The number in an address such as `P12`.
fn number_of(address: &str) -> Option<usize> {
    address.strip_prefix(['P', 'p']).unwrap_or(address).parse().ok()
}

/// Where words are in a text; with `whole`, not within longer words.
pub(crate) fn find(text: &str, words: &str, whole: bool) -> Option<Range<usize>> {
    let (text_letters, wanted) = (letters(text), letters(words.trim()));
    if wanted.is_empty() {
        return None;
    }
    let is_end = |at: Option<&Letter>| at.is_none_or(|letter| !letter.value.is_alphanumeric());
    let starts = 0..=text_letters.len().checked_sub(wanted.len())?;
    for start in starts {
        let end = start + wanted.len();
        let Some(piece) = text_letters.get(start..end) else { continue };
        let is_equal = piece.iter().zip(&wanted).all(|(one, other)| one.value == other.value);
        let before = start.checked_sub(1).and_then(|before| text_letters.get(before));
        if is_equal && (!whole || (is_end(before) && is_end(text_letters.get(end)))) {
            return Some(piece.first()?.range.start..piece.last()?.range.end);
        }
    }
    None
}

/// A letter as it is compared, and where it is.
struct Letter {
    value: char,
    range: Range<usize>,
}

fn letters(text: &str) -> Vec<Letter> {
    let mut letters: Vec<Letter> = Vec::new();
    for (at, letter) in text.char_indices() {
        let range = at..at + letter.len_utf8();
        let value = match letter {
            '“' | '”' | '„' | '«' | '»' => '"',
            '‘' | '’' | '‚' | '`' => '\'',
            '‐' | '‑' | '‒' | '–' | '—' | '―' => '-',
            // What no reader sees.
            '\u{ad}' | '\u{200b}' | '\u{feff}' => continue,
            letter if letter.is_whitespace() => ' ',
            letter => letter,
        };
        match letters.last_mut() {
            Some(last) if value == ' ' && last.value == ' ' => last.range.end = range.end,
            _ => letters.extend(value.to_lowercase().map(|value| Letter { value, range: range.clone() })),
        }
    }
    letters
}
