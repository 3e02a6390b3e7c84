//! Inline Markdown to plain text with marks, and back to Markdown that means exactly a given text.
//!
//! Must never lose a character that is not a marker of a complete pair: documents are full of `my_var_name`, `2 * 3`,
//! `[***]` and `____`, and a marker without a partner is text. Block syntax (headings, lists, tables), links and code
//! stay literal here; blocks are read elsewhere.
//!
//! The rules are CommonMark's for `*` and `_`, with these differences, all towards keeping text as it is:
//! runs of four and more, an opener before a closing bracket (`[*]`), a single `*` inside a word, an opener between
//! a letter and a digit (`x**2`), and `_`, `*` around nothing but ASCII punctuation (`*/*`, `__/__`) are literal; and
//! `**` never counts as two single markers (`**a*`).

use std::ops::Range;

use super::delimiters::{
    Delimiter, Kind, LONGEST_EMPHASIS, Mark, TAGS, delimiter_at, is_inert, is_marker, is_substance,
    quiet_zones, run_end,
};

/// The character formatting that inline Markdown can express.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Marks {
    /// `**x**`, `__x__`, `<b>`, `<strong>`.
    pub bold: bool,
    /// `*x*`, `_x_`, `<i>`, `<em>`.
    pub italic: bool,
    /// `++x++`, `<u>`.
    pub underline: bool,
    /// `~~x~~`, `<s>`, `<strike>`, `<del>`.
    pub strike: bool,
}

impl Marks {
    /// True when no mark is set.
    pub fn is_empty(self) -> bool {
        self == Self::default()
    }
}

/// A stretch of text that carries marks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StyledSpan {
    /// Bytes of [`StyledText::text`]; never empty.
    pub range: Range<usize>,
    /// Never empty.
    pub marks: Marks,
}

/// Plain text and the marks on it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct StyledText {
    /// The text without any markers.
    pub text: String,
    /// Sorted and disjoint; neighbours that touch differ in their marks. Text outside every span is unmarked.
    pub spans: Vec<StyledSpan>,
}

impl StyledText {
    /// The marks of the character at a byte offset; none beyond the end.
    pub fn marks_at(&self, offset: usize) -> Marks {
        let next = self.spans.partition_point(|span| span.range.end <= offset);
        match self.spans.get(next) {
            Some(span) if span.range.contains(&offset) => span.marks,
            _ => Marks::default(),
        }
    }

    /// A piece of the text with its marks. Offsets beyond the end or inside a character move to the boundary before.
    pub fn slice(&self, range: Range<usize>) -> StyledText {
        let start = self.text.floor_char_boundary(range.start);
        let end = self.text.floor_char_boundary(range.end);
        if start >= end {
            return StyledText::default();
        }
        let first = self.spans.partition_point(|span| span.range.end <= start);
        let spans = self.spans[first..]
            .iter()
            .take_while(|span| span.range.start < end)
            .map(|span| StyledSpan {
                range: span.range.start.max(start) - start..span.range.end.min(end) - start,
                marks: span.marks,
            })
            .collect();
        StyledText { text: self.text[start..end].to_owned(), spans }
    }

    /// True when any of the text carries a mark.
    pub fn has_marks(&self) -> bool {
        !self.spans.is_empty()
    }
}

/// Text taken as it is, for requests that say it is plain.
pub fn literal(text: &str) -> StyledText {
    StyledText { text: text.to_owned(), spans: Vec::new() }
}

/// Reads inline Markdown. A blank line ends every open marker; line breaks stay in the text as they are.
///
/// A backslash escapes only a marker (`*`, `_`, `+`, `~`, or `<` at the start of a known tag); backslashes directly
/// before a marker pair up, and everywhere else a backslash is text, so that `C:\new` and `\\server\share` survive.
pub fn parse_inline(markdown: &str) -> StyledText {
    let mut output = StyledText::default();
    let mut start = 0;
    let mut end = 0;
    for line in markdown.split_inclusive('\n') {
        end += line.len();
        if line.trim().is_empty() {
            Paragraph::scan(&markdown[start..end]).write(&mut output);
            start = end;
        }
    }
    Paragraph::scan(&markdown[start..]).write(&mut output);
    output
}

/// Markdown that [`parse_inline`] reads as exactly this text without marks. It may also be put between markers or
/// beside other Markdown, unless the text ends with a backslash. Markers that could never act stay unescaped.
pub fn escape(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut output = String::with_capacity(text.len() + 8);
    let mut written = 0;
    let mut at = 0;
    while at < bytes.len() {
        if !is_marker(text, at) {
            at += 1;
            continue;
        }
        let end = run_end(bytes, at);
        let backslashes = bytes[..at].iter().rev().take_while(|byte| **byte == b'\\').count();
        if backslashes > 0 || !is_inert(text, at..end) {
            output.push_str(&text[written..at]);
            output.push_str(&text[at - backslashes..at]);
            for _ in at..end {
                output.push('\\');
                output.push(char::from(bytes[at]));
            }
            written = end;
        }
        at = end;
    }
    output.push_str(&text[written..]);
    output
}

enum Piece {
    Text(Range<usize>),
    Delimiter(usize),
}

/// An opener, its closer (both by index) and what they mean.
struct Pair {
    opener: usize,
    closer: usize,
    mark: Mark,
}

struct Paragraph<'a> {
    source: &'a str,
    pieces: Vec<Piece>,
    delimiters: Vec<Delimiter>,
}

impl<'a> Paragraph<'a> {
    fn scan(source: &'a str) -> Self {
        let bytes = source.as_bytes();
        let mut paragraph = Paragraph { source, pieces: Vec::new(), delimiters: Vec::new() };
        let mut quiet = quiet_zones(source).into_iter().peekable();
        let (mut text_start, mut counted, mut substance, mut at) = (0, 0, 0, 0);
        while at < bytes.len() {
            if bytes[at] == b'\\' {
                let end = run_end(bytes, at);
                let count = end - at;
                if is_marker(source, end) {
                    paragraph.pieces.push(Piece::Text(text_start..at + count / 2));
                    text_start = end;
                }
                if text_start == end && count % 2 == 1 {
                    // An escaped marker was written on purpose: it is worth emphasising.
                    substance += 1;
                    at = end + 1;
                } else {
                    at = end;
                }
                continue;
            }
            if !is_marker(source, at) {
                at += 1;
                continue;
            }
            while quiet.next_if(|zone| zone.end <= at).is_some() {}
            let is_quiet = quiet.peek().is_some_and(|zone| zone.contains(&at));
            let Some(mut delimiter) = delimiter_at(source, at).filter(|_| !is_quiet) else {
                at = run_end(bytes, at);
                continue;
            };
            substance += source[counted..at].chars().filter(|c| is_substance(*c)).count();
            delimiter.substance = substance;
            paragraph.pieces.push(Piece::Text(text_start..at));
            paragraph.pieces.push(Piece::Delimiter(paragraph.delimiters.len()));
            at = delimiter.source.end;
            (text_start, counted) = (at, at);
            paragraph.delimiters.push(delimiter);
        }
        paragraph.pieces.push(Piece::Text(text_start..bytes.len()));
        paragraph
    }

    fn write(mut self, output: &mut StyledText) {
        let pairs = pair(&mut self.delimiters);
        // Where the unpaired rest of each delimiter begins and ends in the output.
        let mut places = vec![0..0; self.delimiters.len()];
        for piece in &self.pieces {
            match piece {
                Piece::Text(range) => output.text.push_str(&self.source[range.clone()]),
                Piece::Delimiter(index) => {
                    let delimiter = &self.delimiters[*index];
                    let start = output.text.len();
                    output.text.push_str(delimiter.rest(self.source));
                    places[*index] = start..output.text.len();
                }
            }
        }
        let mut changes = Vec::with_capacity(pairs.len() * 2);
        for pair in pairs {
            changes.push((places[pair.opener].end, 1, pair.mark));
            changes.push((places[pair.closer].start, -1, pair.mark));
        }
        changes.sort_by_key(|(offset, _, _)| *offset);
        let mut depths = [0_i32; 4];
        let mut start = 0;
        for (offset, step, mark) in changes {
            push_span(&mut output.spans, start..offset, marks_of(depths));
            start = offset;
            depths[mark as usize] += step;
        }
    }
}

/// Pairs openers with closers, innermost first, as CommonMark does it: every closer looks back for the nearest opener
/// of its kind, and remembers per kind how far back a search has failed, so that no stretch is searched twice.
fn pair(delimiters: &mut [Delimiter]) -> Vec<Pair> {
    let mut pairs = Vec::new();
    // Possible openers in order, a stack; what a pair encloses is dropped from it.
    let mut openers: Vec<usize> = Vec::new();
    let mut searched = [0_usize; SEARCH_KEYS];
    for closer in 0..delimiters.len() {
        while delimiters[closer].closes && delimiters[closer].left > 0 {
            let key = search_key(&delimiters[closer]);
            let found = openers
                .iter()
                .enumerate()
                .rev()
                .take_while(|(_, opener)| **opener >= searched[key])
                .find_map(|(position, opener)| {
                    Some((position, delimiters[*opener].units_shared(&delimiters[closer])?))
                });
            let Some((position, units)) = found else {
                searched[key] = closer;
                break;
            };
            let opener = openers[position];
            if delimiters[opener].encloses_nothing(&delimiters[closer]) {
                openers.truncate(position);
                delimiters[closer].opens = false;
                break;
            }
            let mark = match delimiters[closer].kind {
                Kind::Star | Kind::Underscore if units == 2 => Mark::Bold,
                Kind::Star | Kind::Underscore => Mark::Italic,
                Kind::Plus => Mark::Underline,
                Kind::Tilde => Mark::Strike,
                Kind::Tag(name) => TAGS[name].1,
            };
            delimiters[opener].left -= units;
            delimiters[closer].left -= units;
            openers.truncate(position + usize::from(delimiters[opener].left > 0));
            pairs.push(Pair { opener, closer, mark });
        }
        if delimiters[closer].opens && delimiters[closer].left > 0 {
            openers.push(closer);
        }
    }
    pairs
}

/// Kinds, times what decides which openers a closer takes: its length and how much of it is left, both up to three.
const SEARCH_KEYS: usize = (4 + TAGS.len()) * 16;

fn search_key(closer: &Delimiter) -> usize {
    let kind = match closer.kind {
        Kind::Star => 0,
        Kind::Underscore => 1,
        Kind::Plus => 2,
        Kind::Tilde => 3,
        Kind::Tag(name) => 4 + name,
    };
    let length = closer.source.len().min(LONGEST_EMPHASIS);
    kind * 16 + length * 4 + closer.left
}

fn marks_of(depths: [i32; 4]) -> Marks {
    let [bold, italic, underline, strike] = depths.map(|depth| depth > 0);
    Marks { bold, italic, underline, strike }
}

fn push_span(spans: &mut Vec<StyledSpan>, range: Range<usize>, marks: Marks) {
    if range.is_empty() || marks.is_empty() {
        return;
    }
    match spans.last_mut() {
        Some(last) if last.range.end == range.start && last.marks == marks => last.range.end = range.end,
        _ => spans.push(StyledSpan { range, marks }),
    }
}
