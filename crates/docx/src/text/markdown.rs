//! Inline Markdown to text with marks, links and objects, and back to Markdown that means exactly a given text.
//!
//! Must never lose a character that is not a marker of a complete pair: documents are full of `my_var_name`, `2 * 3`,
//! `[***]` and `____`, and a marker without a partner is text. Blocks are read elsewhere.
//!
//! The rules are CommonMark's for `*` and `_`, with these differences, all towards keeping text as it is:
//! runs of four and more, an opener before a closing bracket (`[*]`), a single `*` inside a word, an opener between
//! a letter and a digit (`x**2`), and `_`, `*` around nothing but ASCII punctuation (`*/*`, `__/__`) are literal; and
//! `**` never counts as two single markers (`**a*`). What is in brackets is a link only when it leads to an address.

use super::constructs::{Construct, Definitions, Part, Stretch, constructs, is_escapable};
use super::delimiters::{
    Delimiter, Kind, LONGEST_EMPHASIS, MARKS, delimiter_at, is_inert, is_marker, is_special, is_substance,
    run_end,
};
use super::mark::Mark;
use super::styled::{LinkDestination, LinkSpan, Marks, StyledText, push_span};
use std::ops::Range;

/// Inline Markdown by itself.
#[cfg(test)]
pub(super) fn parse_inline(markdown: &str) -> StyledText {
    parse_inline_with(markdown, &Definitions::default())
}

/// Reads inline Markdown. A blank line ends every open marker; line breaks stay in the text as they are.
///
/// A backslash escapes only what Markdown has a meaning for; backslashes directly before such a sign pair up, and
/// everywhere else a backslash is text, so that `C:\new` and `\\server\share` survive. At the end of a line it is a break,
/// which the line end is anyway. `definitions` are the notes and links that other lines define.
pub fn parse_inline_with(markdown: &str, definitions: &Definitions) -> StyledText {
    let mut output = StyledText::default();
    let mut start = 0;
    let mut end = 0;
    for line in markdown.split_inclusive('\n') {
        end += line.len();
        if line.trim().is_empty() {
            Paragraph::scan(&markdown[start..end], definitions).write(&mut output);
            start = end;
        }
    }
    Paragraph::scan(&markdown[start..], definitions).write(&mut output);
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
        let backslashes = bytes[..at].iter().rev().take_while(|byte| **byte == b'\\').count();
        let escaped = backslashes > 0 && is_escapable(text, at);
        if !escaped && !is_special(text, at) {
            at += if bytes[at] == b'\\' { run_end(bytes, at) - at } else { 1 };
            continue;
        }
        let end = if is_special(text, at) { run_end(bytes, at) } else { at + 1 };
        if escaped || !is_inert(text, at..end) {
            output.push_str(&text[written..at]);
            output.push_str(&text[at - backslashes..at]);
            for _ in at..end {
                if bytes[at] != b'\n' {
                    output.push('\\');
                }
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
    Construct(usize),
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
    constructs: Vec<Construct>,
}

impl<'a> Paragraph<'a> {
    fn scan(source: &'a str, definitions: &Definitions) -> Self {
        let bytes = source.as_bytes();
        let constructs = constructs(source, definitions, parse_inline_with);
        let mut paragraph = Paragraph { source, pieces: Vec::new(), delimiters: Vec::new(), constructs };
        let (mut text_start, mut counted, mut substance, mut at) = (0, 0, 0, 0);
        let mut next = 0;
        while at < bytes.len() {
            if let Some(construct) =
                paragraph.constructs.get(next).filter(|construct| construct.range.start == at)
            {
                let end = construct.range.end;
                // What a construct says is worth emphasising.
                substance += usize::from(!matches!(construct.part, Part::Open(..) | Part::Close(_)));
                substance += source[counted..at].chars().filter(|c| is_substance(*c)).count();
                paragraph.pieces.push(Piece::Text(text_start..at));
                paragraph.pieces.push(Piece::Construct(next));
                (text_start, counted, at) = (end, end, end);
                next += 1;
                continue;
            }
            if bytes[at] == b'\\' {
                let end = run_end(bytes, at);
                let count = end - at;
                if is_escapable(source, end) {
                    paragraph.pieces.push(Piece::Text(text_start..at + count / 2));
                    text_start = end;
                }
                if text_start == end && count % 2 == 1 {
                    // An escaped marker was written on purpose: it is worth emphasising.
                    substance += usize::from(bytes.get(end) != Some(&b'\n'));
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
            let Some(mut delimiter) = delimiter_at(source, at) else {
                at = run_end(bytes, at).min(paragraph.start_of(next));
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

    fn start_of(&self, construct: usize) -> usize {
        self.constructs.get(construct).map_or(usize::MAX, |construct| construct.range.start)
    }

    fn write(mut self, output: &mut StyledText) {
        let pairs = pair(&mut self.delimiters);
        // Where the unpaired rest of each delimiter begins and ends in the output.
        let mut places = vec![0..0; self.delimiters.len()];
        let mut stretches = Stretches::default();
        for piece in &self.pieces {
            match piece {
                Piece::Text(range) => output.text.push_str(&self.source[range.clone()]),
                Piece::Delimiter(index) => {
                    let delimiter = &self.delimiters[*index];
                    let start = output.text.len();
                    output.text.push_str(delimiter.rest(self.source));
                    places[*index] = start..output.text.len();
                }
                Piece::Construct(index) => stretches.write(&self.constructs[*index].part, output),
            }
        }
        let mut changes = stretches.changes;
        for pair in pairs {
            changes.push((places[pair.opener].end, 1, pair.mark));
            changes.push((places[pair.closer].start, -1, pair.mark));
        }
        changes.sort_by_key(|(offset, _, _)| *offset);
        let mut depths = [0_i32; MARKS];
        let mut start = 0;
        for (offset, step, mark) in changes {
            push_span(&mut output.spans, start..offset, marks_of(depths));
            start = offset;
            depths[mark as usize] += step;
        }
    }
}

/// What constructs come to in the output.
#[derive(Default)]
struct Stretches {
    open: Vec<(usize, usize, Stretch)>,
    /// Where a mark begins (1) and ends (-1).
    changes: Vec<(usize, i32, Mark)>,
}

impl Stretches {
    fn write(&mut self, part: &Part, output: &mut StyledText) {
        let start = output.text.len();
        match part {
            Part::Text(text) => output.text.push_str(text),
            Part::Code(text) => {
                output.text.push_str(text);
                self.changes.extend([(start, 1, Mark::Code), (output.text.len(), -1, Mark::Code)]);
            }
            Part::Address(address) => {
                output.text.push_str(address);
                let range = start..output.text.len();
                output.links.push(LinkSpan { range, target: LinkDestination::of(address) });
            }
            Part::Object(object) => output.push_object(object.clone()),
            Part::Open(pair, stretch) => self.open.push((*pair, start, stretch.clone())),
            Part::Close(pair) => {
                let Some(at) = self.open.iter().rposition(|(open, ..)| open == pair) else { return };
                let (_, from, stretch) = self.open.remove(at);
                match stretch {
                    Stretch::Link(target) if from < start => {
                        output.links.push(LinkSpan { range: from..start, target });
                    }
                    Stretch::Mark(mark) => self.changes.extend([(from, 1, mark), (start, -1, mark)]),
                    _ => {}
                }
            }
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
                Kind::Equals => Mark::Highlight,
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
const SEARCH_KEYS: usize = 5 * 16;

fn search_key(closer: &Delimiter) -> usize {
    let kind = match closer.kind {
        Kind::Star => 0,
        Kind::Underscore => 1,
        Kind::Plus => 2,
        Kind::Tilde => 3,
        Kind::Equals => 4,
    };
    let length = closer.source.len().min(LONGEST_EMPHASIS);
    kind * 16 + length * 4 + closer.left
}

fn marks_of(depths: [i32; MARKS]) -> Marks {
    let [bold, italic, underline, strike, highlight, subscript, superscript, code] =
        depths.map(|depth| depth > 0);
    Marks { bold, italic, underline, strike, highlight, subscript, superscript, code }
}
