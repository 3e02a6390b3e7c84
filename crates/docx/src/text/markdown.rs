//! Inline Markdown to plain text with marks, and back to Markdown that means exactly a given text.
//!
//! Must never lose a character that is not a marker of a complete pair: documents are full of `my_var_name`, `2 * 3`,
//! `[***]` and `____`, and a marker without a partner is text. Block syntax (headings, lists, tables), links and code
//! stay literal here; blocks are read elsewhere.
//!
//! The rules are CommonMark's for `*` and `_`, with these differences, all towards keeping text as it is:
//! runs of four and more, an opener before a closing bracket (`[*]`), a single `*` inside a word, an opener between
//! a letter and a digit (`x**2`), and `_`, `*` around nothing but ASCII punctuation (`*/*`, `__/__`) are literal.

use std::ops::Range;

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
        let end = self.text.floor_char_boundary(range.end).max(start);
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

/// What a delimiter means. Tags carry their name, because `<b>` is closed by `</b>` and not by `</strong>`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Star,
    Underscore,
    Plus,
    Tilde,
    /// Index into [`TAGS`].
    Tag(usize),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mark {
    Bold,
    Italic,
    Underline,
    Strike,
}

const TAGS: [(&str, Mark); 8] = [
    ("b", Mark::Bold),
    ("strong", Mark::Bold),
    ("i", Mark::Italic),
    ("em", Mark::Italic),
    ("u", Mark::Underline),
    ("s", Mark::Strike),
    ("strike", Mark::Strike),
    ("del", Mark::Strike),
];

/// Longer runs, as in `____` and `*****`, are blanks and rules, not emphasis.
const LONGEST_EMPHASIS: usize = 3;

/// A run of marker characters, or a tag, that may open or close something.
#[derive(Clone, Debug)]
struct Delimiter {
    kind: Kind,
    source: Range<usize>,
    /// Units not yet paired: characters for `*` and `_`, one for everything else. What remains at the end is text.
    left: usize,
    opens: bool,
    closes: bool,
    /// How many characters of substance stand before it; equal counts mean nothing but punctuation lies between.
    substance: usize,
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

impl Delimiter {
    fn rest<'a>(&self, source: &'a str) -> &'a str {
        match self.kind {
            Kind::Star | Kind::Underscore => &source[self.source.start..self.source.start + self.left],
            _ if self.left > 0 => &source[self.source.clone()],
            _ => "",
        }
    }

    /// True when nothing but ASCII punctuation and spaces between two single markers would be emphasised.
    fn encloses_nothing(&self, closer: &Delimiter) -> bool {
        let wants_substance =
            self.kind == Kind::Underscore || self.kind == Kind::Star && self.source.len() == 1;
        wants_substance && self.substance == closer.substance
    }

    /// CommonMark's rule of three, which keeps `*a**b*` one emphasis.
    fn lengths_clash(&self, closer: &Delimiter) -> bool {
        let (first, second) = (self.source.len(), closer.source.len());
        matches!(self.kind, Kind::Star | Kind::Underscore)
            && (self.closes || closer.opens)
            && (first + second).is_multiple_of(3)
            && !(first.is_multiple_of(3) && second.is_multiple_of(3))
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
            let found = openers.iter().rposition(|opener| {
                *opener < searched[key] || {
                    let (opener, closer) = (&delimiters[*opener], &delimiters[closer]);
                    opener.kind == closer.kind && !opener.lengths_clash(closer)
                }
            });
            let Some(position) = found.filter(|position| openers[*position] >= searched[key]) else {
                searched[key] = closer;
                break;
            };
            let opener = openers[position];
            if delimiters[opener].encloses_nothing(&delimiters[closer]) {
                openers.truncate(position);
                delimiters[closer].opens = false;
                break;
            }
            let (units, mark) = match delimiters[closer].kind {
                Kind::Star | Kind::Underscore
                    if delimiters[opener].left.min(delimiters[closer].left) >= 2 =>
                {
                    (2, Mark::Bold)
                }
                Kind::Star | Kind::Underscore => (1, Mark::Italic),
                Kind::Plus => (1, Mark::Underline),
                Kind::Tilde => (1, Mark::Strike),
                Kind::Tag(name) => (1, TAGS[name].1),
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

/// Kinds, times whether the closer also opens, times its length modulo three.
const SEARCH_KEYS: usize = (4 + TAGS.len()) * 2 * 3;

fn search_key(closer: &Delimiter) -> usize {
    let kind = match closer.kind {
        Kind::Star => 0,
        Kind::Underscore => 1,
        Kind::Plus => 2,
        Kind::Tilde => 3,
        Kind::Tag(name) => 4 + name,
    };
    (kind * 2 + usize::from(closer.opens)) * 3 + closer.source.len() % 3
}

/// The delimiter that starts at a marker, or none when it can neither open nor close.
fn delimiter_at(source: &str, at: usize) -> Option<Delimiter> {
    let bytes = source.as_bytes();
    if bytes[at] == b'<' {
        let (name, closes, length) = tag_at(source, at)?;
        return Some(Delimiter {
            kind: Kind::Tag(name),
            source: at..at + length,
            left: 1,
            opens: !closes,
            closes,
            substance: 0,
        });
    }
    let end = run_end(bytes, at);
    let length = end - at;
    let kind = match bytes[at] {
        b'*' if length <= LONGEST_EMPHASIS => Kind::Star,
        b'_' if length <= LONGEST_EMPHASIS => Kind::Underscore,
        b'+' if length == 2 => Kind::Plus,
        b'~' if length == 2 => Kind::Tilde,
        _ => return None,
    };
    let before = source[..at].chars().next_back().unwrap_or(' ');
    let after = source[end..].chars().next().unwrap_or(' ');
    let left_flanking = !after.is_whitespace()
        && (!is_punctuation(after) || before.is_whitespace() || is_punctuation(before));
    let right_flanking = !before.is_whitespace()
        && (!is_punctuation(before) || after.is_whitespace() || is_punctuation(after));
    let inside_word = left_flanking && right_flanking && !is_punctuation(before) && !is_punctuation(after);
    let quoted = before == after && matches!(before, '"' | '\'');
    let mut opens = left_flanking && !quoted && !matches!(after, ')' | ']' | '}');
    let mut closes = right_flanking && !quoted && !matches!(before, '(' | '[' | '{');
    if inside_word {
        match kind {
            Kind::Underscore => (opens, closes) = (false, false),
            Kind::Star if length == 1 => (opens, closes) = (false, false),
            _ => opens = before.is_alphabetic() && after.is_alphabetic(),
        }
    } else if kind == Kind::Underscore && left_flanking && right_flanking {
        opens = opens && is_punctuation(before);
        closes = closes && is_punctuation(after);
    }
    let left = if matches!(kind, Kind::Star | Kind::Underscore) { length } else { 1 };
    (opens || closes).then_some(Delimiter { kind, source: at..end, left, opens, closes, substance: 0 })
}

/// A marker that could never act, whatever is put around the text.
fn is_inert(text: &str, run: Range<usize>) -> bool {
    let (Some(before), Some(after)) = (text[..run.start].chars().next_back(), text[run.end..].chars().next())
    else {
        return false;
    };
    let is_spaced = before.is_whitespace() && after.is_whitespace();
    let inside_word = before.is_alphanumeric() && after.is_alphanumeric();
    match text.as_bytes()[run.start] {
        b'*' => is_spaced || inside_word && run.len() == 1,
        b'_' => is_spaced || inside_word,
        b'+' | b'~' => is_spaced || run.len() == 1,
        _ => false,
    }
}

/// Where markers are text: code spans and the destinations of links. Sorted and disjoint.
fn quiet_zones(source: &str) -> Vec<Range<usize>> {
    let bytes = source.as_bytes();
    let mut ticks = Vec::new();
    let mut at = 0;
    while let Some(offset) = source[at..].find('`') {
        let start = at + offset;
        at = run_end(bytes, start);
        ticks.push(start..at);
    }
    // The next run of the same length, found from the end.
    let mut partners = vec![None; ticks.len()];
    let mut last_of_length = std::collections::BTreeMap::new();
    for (index, run) in ticks.iter().enumerate().rev() {
        partners[index] = last_of_length.insert(run.len(), index);
    }
    let mut zones = Vec::new();
    let mut index = 0;
    while index < ticks.len() {
        match partners[index] {
            Some(partner) => {
                zones.push(ticks[index].start..ticks[partner].end);
                index = partner + 1;
            }
            None => index += 1,
        }
    }
    zones.extend(link_destinations(source));
    zones.sort_by_key(|zone| zone.start);
    let mut end = 0;
    zones.retain(|zone| {
        let is_new = zone.start >= end;
        end = end.max(zone.end);
        is_new
    });
    zones
}

/// `](…)` without white space inside and with balanced parentheses.
fn link_destinations(source: &str) -> Vec<Range<usize>> {
    let mut zones = Vec::new();
    let mut at = 0;
    while let Some(offset) = source[at..].find("](") {
        let start = at + offset + 1;
        at = start + 1;
        let mut depth = 0_usize;
        for (index, byte) in source.bytes().enumerate().skip(start) {
            match byte {
                b'(' => depth += 1,
                b')' => depth -= 1,
                // The next "](" starts a search of its own, so that no byte is visited twice.
                b']' => break,
                byte if byte.is_ascii_whitespace() => break,
                _ => {}
            }
            at = index + 1;
            if depth == 0 {
                zones.push(start..at);
                break;
            }
        }
    }
    zones
}

/// A known tag without attributes: its index in [`TAGS`], whether it closes, and its length in bytes.
fn tag_at(source: &str, at: usize) -> Option<(usize, bool, usize)> {
    let rest = source.as_bytes().get(at..)?.strip_prefix(b"<")?;
    let (name, closes) = match rest.strip_prefix(b"/") {
        Some(name) => (name, true),
        None => (rest, false),
    };
    let index = TAGS.iter().position(|(tag, _)| {
        name.get(tag.len()) == Some(&b'>') && name[..tag.len()].eq_ignore_ascii_case(tag.as_bytes())
    })?;
    Some((index, closes, TAGS[index].0.len() + 2 + usize::from(closes)))
}

fn is_marker(source: &str, at: usize) -> bool {
    match source.as_bytes().get(at) {
        Some(b'*' | b'_' | b'+' | b'~') => true,
        Some(b'<') => tag_at(source, at).is_some(),
        _ => false,
    }
}

/// The end of the run of one byte that starts here; a `<` stands alone.
fn run_end(bytes: &[u8], at: usize) -> usize {
    let first = bytes[at];
    let longest = if first == b'<' { 1 } else { usize::MAX };
    at + bytes[at..].iter().take(longest).take_while(|byte| **byte == first).count()
}

fn is_substance(character: char) -> bool {
    character.is_alphanumeric() || !character.is_ascii() && !character.is_whitespace()
}

/// Punctuation and symbols in CommonMark's sense, by block, because the standard library has no general categories.
fn is_punctuation(character: char) -> bool {
    if character.is_ascii() {
        return character.is_ascii_punctuation();
    }
    !character.is_alphanumeric()
        && matches!(character,
            '\u{a1}'..='\u{bf}' | '\u{d7}' | '\u{f7}' | '\u{55a}'..='\u{55f}' | '\u{58a}'
            | '\u{5be}' | '\u{5f3}'..='\u{5f4}' | '\u{60c}'..='\u{60d}' | '\u{61b}'..='\u{61f}' | '\u{66a}'..='\u{66d}'
            | '\u{6d4}' | '\u{964}'..='\u{965}' | '\u{2010}'..='\u{2027}' | '\u{2030}'..='\u{205e}'
            | '\u{2070}'..='\u{2bff}' | '\u{3001}'..='\u{3030}' | '\u{fe10}'..='\u{fe1f}' | '\u{fe30}'..='\u{fe6f}'
            | '\u{ff01}'..='\u{ff65}' | '\u{1f000}'..='\u{1faff}')
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
