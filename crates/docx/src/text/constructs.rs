//! What a line of Markdown holds besides emphasis: code, links, pictures, notes, small and raised characters, HTML.
//!
//! Must never take a bracket for a link that leads nowhere: contracts say `[Name](the "Company")` and `[4](a)`.

use std::collections::BTreeMap;
use std::ops::Range;

use super::escapes::is_escaped;
use super::html::{Tag, entity_at, tag_at};
use super::mark::Mark;
use super::styled::{Image, InlineObject, LinkDestination, NoteKind, StyledText};

/// What other lines define for the inline Markdown of a text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Definitions {
    /// What notes say, paragraph by paragraph, by their labels: `[^1]: …`.
    pub notes: BTreeMap<String, Vec<String>>,
    /// Where links lead, by their labels in lower case: `[site]: https://…`.
    pub links: BTreeMap<String, String>,
}

/// What stands in the place of a stretch of Markdown.
#[derive(Debug, Clone)]
pub(super) enum Part {
    /// This text, whatever it holds.
    Text(String),
    /// Text of code.
    Code(String),
    /// An address that is its own text.
    Address(String),
    /// An object.
    Object(InlineObject),
    /// Something begins; the number is that of its end.
    Open(usize, Stretch),
    /// It ends.
    Close(usize),
}

/// What holds from an opening to its end.
#[derive(Debug, Clone)]
pub(super) enum Stretch {
    Link(LinkDestination),
    Mark(Mark),
    Nothing,
}

/// A stretch of Markdown and what stands there.
#[derive(Debug, Clone)]
pub(super) struct Construct {
    pub(super) range: Range<usize>,
    pub(super) part: Part,
}

/// No label of a link is longer.
const LONGEST_LABEL: usize = 200;

/// Whether a backslash before a character makes text of it. A `<` must begin a tag or address, since `C:\\<name>` is a path.
pub(super) fn is_escapable(source: &str, at: usize) -> bool {
    match source.as_bytes().get(at) {
        // The end of a comment may stand in a later paragraph.
        Some(b'<') => {
            source.get(at..).is_some_and(|rest| rest.starts_with("<!--"))
                || tag_at(source, at).is_some()
                || address_in_angles(source, at).is_some()
        }
        Some(byte) => b"*_+~`[]=^#|>-!(){}.:$&\n".contains(byte),
        None => false,
    }
}

/// How the text of a note is read, which is Markdown again.
pub(super) type InlineReader = fn(&str, &Definitions) -> StyledText;

/// The constructs of a paragraph, sorted and disjoint.
pub(super) fn constructs(source: &str, definitions: &Definitions, inline: InlineReader) -> Vec<Construct> {
    let mut scanner = Scanner { source, definitions, inline, found: Vec::new(), pairs: 0 };
    let code = scanner.code();
    let outside = |at: usize| {
        let next = code.partition_point(|zone| zone.end <= at);
        code.get(next).is_none_or(|zone| !zone.contains(&at))
    };
    let mut tags = OpenTags::default();
    let mut brackets: Vec<usize> = Vec::new();
    // The last link that ended: no link stands within another one.
    let mut last_link = None;
    let bytes = source.as_bytes();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let here = at;
        at += 1;
        if !b"[]<&~^".contains(byte) || !outside(here) || is_escaped(bytes, here) {
            continue;
        }
        match byte {
            b'[' => brackets.push(here),
            b']' => {
                let Some(open) = brackets.pop() else { continue };
                let holds_link = last_link.is_some_and(|link| link > open);
                if let Some((end, is_link)) = scanner.bracket(open..here, holds_link) {
                    last_link = if is_link { Some(open) } else { last_link };
                    at = at.max(end);
                }
            }
            b'<' => at = scanner.tag(here, &mut tags).unwrap_or(at),
            b'&' => {
                if let Some((text, length)) = entity_at(source, here) {
                    scanner.add(here..here + length, Part::Text(text));
                    at = here + length;
                }
            }
            _ => at = scanner.small(here).unwrap_or(at),
        }
    }
    scanner.finish()
}

struct Scanner<'a> {
    inline: InlineReader,
    source: &'a str,
    definitions: &'a Definitions,
    found: Vec<Construct>,
    /// How many openings with an end there are.
    pairs: usize,
}

impl Scanner<'_> {
    fn add(&mut self, range: Range<usize>, part: Part) {
        self.found.push(Construct { range, part });
    }

    fn add_pair(&mut self, open: Range<usize>, close: Range<usize>, stretch: Stretch) {
        let pair = self.pairs;
        self.pairs += 1;
        self.add(open, Part::Open(pair, stretch));
        self.add(close, Part::Close(pair));
    }

    /// Adds the spans of code. Gives their ranges.
    fn code(&mut self) -> Vec<Range<usize>> {
        let bytes = self.source.as_bytes();
        let mut ticks: Vec<Range<usize>> = Vec::new();
        let mut at = 0;
        while let Some(offset) = self.source.get(at..).and_then(|rest| rest.find('`')) {
            let start = at + offset;
            let length = bytes.iter().skip(start).take_while(|byte| **byte == b'`').count();
            at = start + length;
            let start = start + usize::from(is_escaped(bytes, start));
            if start < at {
                ticks.push(start..at);
            }
        }
        // The next run of the same length, found from the end.
        let mut partners = vec![None; ticks.len()];
        let mut last_of_length = BTreeMap::new();
        for (index, run) in ticks.iter().enumerate().rev() {
            if let Some(partner) = partners.get_mut(index) {
                *partner = last_of_length.insert(run.len(), index);
            }
        }
        let mut zones = Vec::new();
        let mut index = 0;
        while let (Some(run), Some(partner)) = (ticks.get(index), partners.get(index)) {
            index += 1;
            let Some((end, partner)) = partner.and_then(|partner| Some((ticks.get(partner)?, partner)))
            else {
                continue;
            };
            let inner = self.source.get(run.end..end.start).unwrap_or_default();
            let bare = inner.strip_prefix(' ').and_then(|inner| inner.strip_suffix(' '));
            let inner = bare.filter(|bare| !bare.trim().is_empty()).unwrap_or(inner);
            let (range, text) = (run.start..end.end, inner.to_owned());
            index = partner + 1;
            zones.push(range.clone());
            self.add(range, Part::Code(text));
        }
        zones
    }

    /// Reads a pair of brackets, whose insides are already read. Says where it ends, and whether it is a link.
    fn bracket(&mut self, range: Range<usize>, holds_link: bool) -> Option<(usize, bool)> {
        let bytes = self.source.as_bytes();
        let inner = self.source.get(range.start + 1..range.end)?;
        let before = |sign: u8| {
            let at = range.start.checked_sub(1)?;
            (bytes.get(at) == Some(&sign) && !is_escaped(bytes, at)).then_some(at)
        };
        if let Some(label) = inner.strip_prefix('^') {
            let paragraphs = self.definitions.notes.get(label)?;
            let content = paragraphs.iter().map(|text| self.note_text(text)).collect();
            let is_end = label.strip_prefix("end").is_some_and(|number| number.parse::<u32>().is_ok());
            let kind = if is_end { NoteKind::Endnote } else { NoteKind::Footnote };
            self.add(range.start..range.end + 1, Part::Object(InlineObject::Note(kind, content)));
            return Some((range.end + 1, false));
        }
        let destination = self.destination(range.end + 1);
        if let Some(bang) = before(b'!')
            && let Some((destination, end)) = &destination
            && !destination.is_empty()
        {
            let alternative = inner.replace(['*', '`', '[', ']'], "");
            let image = Image { source: destination.clone(), alternative, size: (None, None), like: None };
            self.add(bang..*end, Part::Object(InlineObject::Image(image)));
            return Some((*end, false));
        }
        // A note that is written where its mark stands has words, not a number.
        if destination.is_none()
            && let Some(caret) = before(b'^')
            && inner.trim().contains(' ')
            && !inner.contains("^[")
        {
            let content = vec![self.note_text(inner)];
            self.add(caret..range.end + 1, Part::Object(InlineObject::Note(NoteKind::Footnote, content)));
            return Some((range.end + 1, false));
        }
        let (destination, end) = match destination.filter(|(destination, _)| is_address(destination)) {
            Some(found) => found,
            None => self.reference(inner, range.end + 1)?,
        };
        if holds_link {
            return None;
        }
        if inner.trim().is_empty() {
            self.add(range.start..end, Part::Address(destination));
        } else {
            let target = LinkDestination::of(&destination);
            self.add_pair(range.start..range.start + 1, range.end..end, Stretch::Link(target));
        }
        Some((end, true))
    }

    fn note_text(&self, text: &str) -> StyledText {
        // A note has no notes.
        let definitions = Definitions { links: self.definitions.links.clone(), ..Definitions::default() };
        (self.inline)(text, &definitions)
    }

    /// The destination in parentheses that begin at a byte, and where they end.
    fn destination(&self, at: usize) -> Option<(String, usize)> {
        let rest = self.source.get(at..)?.strip_prefix('(')?;
        let start = rest.len() - rest.trim_start_matches([' ', '\n']).len();
        let body = rest.get(start..)?;
        let (destination, behind) = match body.strip_prefix('<') {
            Some(inner) => {
                let end = inner.find(['>', '<', '\n']).filter(|end| inner[*end..].starts_with('>'))?;
                (inner.get(..end)?, inner.get(end + 1..)?)
            }
            None => body.split_at(bare_destination(body)),
        };
        let behind = match behind.trim_start_matches([' ', '\n']).strip_prefix(['"', '\'']) {
            // The title is shown by no document.
            Some(title) if behind.starts_with([' ', '\n']) => {
                let quote = behind.trim_start_matches([' ', '\n']).chars().next()?;
                let window = title.get(..title.floor_char_boundary(300))?;
                let end = window.find(quote)?;
                title.get(end + 1..)?
            }
            _ => behind,
        };
        let behind = behind.trim_start_matches([' ', '\n']).strip_prefix(')')?;
        Some((without_escapes(destination), self.source.len() - behind.len()))
    }

    /// The destination that a label behind the brackets names, or the words in them themselves.
    fn reference(&self, inner: &str, at: usize) -> Option<(String, usize)> {
        if self.definitions.links.is_empty() {
            return None;
        }
        let behind = self.source.get(at..)?.strip_prefix('[');
        let label = behind.and_then(|behind| behind.get(..behind.find(']')?));
        let (label, end) = match label {
            Some(label) if !label.is_empty() => (label, at + label.len() + 2),
            Some(_) => (inner, at + 2),
            None => (inner, at),
        };
        let label = Some(label.trim()).filter(|label| label.len() <= LONGEST_LABEL)?;
        let destination = self.definitions.links.get(&label.to_lowercase())?;
        Some((destination.clone(), end))
    }

    /// Reads a tag or an address in angle brackets. Says where it ends.
    fn tag(&mut self, at: usize, open: &mut OpenTags) -> Option<usize> {
        if let Some((address, end)) = address_in_angles(self.source, at) {
            let target = LinkDestination::of(&address);
            let shown = self.source.get(at + 1..end - 1).unwrap_or_default().len();
            self.add_pair(at..at + 1, at + 1 + shown..end, Stretch::Link(target));
            return Some(end);
        }
        let tag = tag_at(self.source, at)?;
        let range = at..at + tag.length;
        let end = range.end;
        match (tag.name.as_str(), tag.closes) {
            ("!--", _) => self.add(range, Part::Text(String::new())),
            ("br", _) => {
                // The line end behind it is the same break.
                let behind = self.source.get(end..).unwrap_or_default();
                let length = usize::from(behind.starts_with('\n'));
                self.add(range.start..end + length, Part::Text("\n".to_owned()));
                return Some(end + length);
            }
            ("img", false) => {
                let image = image_of(&tag)?;
                self.add(range, Part::Object(InlineObject::Image(image)));
            }
            (name, false) => {
                let stretch = stretch_of(name, &tag)?;
                open.push(name, range, stretch);
            }
            (name, true) => {
                let (opening, stretch) = open.close(name)?;
                self.add_pair(opening, range, stretch);
            }
        }
        Some(end)
    }

    /// Reads characters below or above the line: `H~2~O`, `x^2^`. Says where they end.
    fn small(&mut self, at: usize) -> Option<usize> {
        let bytes = self.source.as_bytes();
        let sign = *bytes.get(at)?;
        let twice = |at: Option<usize>| at.and_then(|at| bytes.get(at)) == Some(&sign);
        if !may_open_small(self.source, at) || twice(at.checked_sub(1)) || twice(Some(at + 1)) {
            return None;
        }
        let rest = self.source.get(at + 1..)?;
        let window = rest.get(..rest.floor_char_boundary(24))?;
        let length = window.find(char::from(sign))?;
        let inner = window.get(..length)?;
        let fits = |c: char| c.is_alphanumeric() || "+-−–,.=()′'/".contains(c);
        if inner.is_empty() || !inner.chars().all(fits) || twice(Some(at + length + 2)) {
            return None;
        }
        let mark = if sign == b'~' { Mark::Subscript } else { Mark::Superscript };
        let end = at + length + 2;
        self.add_pair(at..at + 1, end - 1..end, Stretch::Mark(mark));
        Some(end)
    }

    /// Sorts what was found, and drops what overlaps, pairs as a whole.
    fn finish(mut self) -> Vec<Construct> {
        self.found.sort_by_key(|construct| (construct.range.start, std::cmp::Reverse(construct.range.end)));
        let mut broken = vec![false; self.pairs];
        let mut end = 0;
        self.found.retain(|construct| {
            let is_apart = construct.range.start >= end;
            if is_apart {
                end = construct.range.end;
            } else if let Part::Open(pair, _) | Part::Close(pair) = construct.part
                && let Some(broken) = broken.get_mut(pair)
            {
                *broken = true;
            }
            is_apart
        });
        let is_whole = |pair: usize| broken.get(pair) == Some(&false);
        self.found.retain(|construct| match construct.part {
            Part::Open(pair, _) | Part::Close(pair) => is_whole(pair),
            _ => true,
        });
        self.found
    }
}

/// Tags that are open, by name.
#[derive(Default)]
struct OpenTags {
    by_name: BTreeMap<String, Vec<(Range<usize>, Stretch)>>,
}

impl OpenTags {
    fn push(&mut self, name: &str, range: Range<usize>, stretch: Stretch) {
        self.by_name.entry(name.to_owned()).or_default().push((range, stretch));
    }

    /// Takes the nearest open tag of a name; what was opened within it is never closed.
    fn close(&mut self, name: &str) -> Option<(Range<usize>, Stretch)> {
        let found = self.by_name.get_mut(name)?.pop()?;
        for open in self.by_name.values_mut() {
            while open.last().is_some_and(|(range, _)| range.start > found.0.start) {
                open.pop();
            }
        }
        Some(found)
    }
}

/// What a tag of HTML says of the text in it; nothing for those that inline content does not know.
fn stretch_of(name: &str, tag: &Tag) -> Option<Stretch> {
    Some(match name {
        "b" | "strong" => Stretch::Mark(Mark::Bold),
        "i" | "em" => Stretch::Mark(Mark::Italic),
        "u" | "ins" => Stretch::Mark(Mark::Underline),
        "s" | "strike" | "del" => Stretch::Mark(Mark::Strike),
        "mark" => Stretch::Mark(Mark::Highlight),
        "sub" => Stretch::Mark(Mark::Subscript),
        "sup" => Stretch::Mark(Mark::Superscript),
        "code" => Stretch::Mark(Mark::Code),
        "a" => match tag.attribute("href") {
            Some(address) if is_address(&address) => Stretch::Link(LinkDestination::of(&address)),
            _ => Stretch::Nothing,
        },
        "span" => Stretch::Nothing,
        _ => return None,
    })
}

fn image_of(tag: &Tag) -> Option<Image> {
    // A pixel of the web is a 96th of an inch.
    let length = |name: &str| {
        let pixels: u64 = tag.attribute(name)?.trim_end_matches("px").parse().ok()?;
        (1..=20_000).contains(&pixels).then_some(pixels * 9_525)
    };
    Some(Image {
        source: tag.attribute("src")?,
        alternative: tag.attribute("alt").unwrap_or_default(),
        size: (length("width"), length("height")),
        like: None,
    })
}

/// Whether a `~` or `^` stands where small characters can begin: directly behind a word.
pub(super) fn may_open_small(source: &str, at: usize) -> bool {
    let before = source.get(..at).and_then(|before| before.chars().next_back());
    let after = source.get(at + 1..).and_then(|after| after.chars().next());
    before.is_some_and(|c| c.is_alphanumeric() || matches!(c, ')' | ']'))
        && after.is_some_and(|c| !c.is_whitespace())
}

/// Whether a destination looks like an address, and not like words in parentheses.
pub(super) fn is_address(destination: &str) -> bool {
    if destination.len() < 2 || destination.chars().any(char::is_whitespace) {
        return false;
    }
    if destination.starts_with(['#', '/']) || destination.starts_with("./") || destination.starts_with("../")
    {
        return true;
    }
    let scheme = destination.split_once(':').is_some_and(|(scheme, rest)| {
        scheme.len() > 1
            && !rest.is_empty()
            && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
            && scheme.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic())
    });
    if scheme {
        return true;
    }
    // A name of a host or file: its last label is a word.
    let host = destination.split(['/', '?', '#']).next().unwrap_or_default();
    let last = host.rsplit('.').next().unwrap_or_default();
    let file = destination.rsplit('/').next().unwrap_or_default();
    let is_word = |label: &str| label.len() > 1 && label.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let dotted = |name: &str, label: &str| {
        name.contains('.') && is_word(label) && label.bytes().any(|byte| byte.is_ascii_alphabetic())
    };
    dotted(host, last) || dotted(file, file.rsplit('.').next().unwrap_or_default())
}

/// Length of a destination without angle brackets: no white space, parentheses in pairs.
fn bare_destination(text: &str) -> usize {
    let mut depth = 0_usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' if depth == 0 => return at,
            b')' => depth -= 1,
            b'<' | b']' => return at,
            byte if byte.is_ascii_whitespace() => return at,
            _ => {}
        }
    }
    text.len()
}

fn without_escapes(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        let escapes = c == '\\' && characters.peek().is_some_and(|next| "*_~()[]<>#&".contains(*next));
        if !escapes {
            out.push(c);
        }
    }
    out
}

/// An address in angle brackets, and where they end: `<https://a.b>`, `<mailto:c@d.e>`, `<c@d.e>`.
fn address_in_angles(source: &str, at: usize) -> Option<(String, usize)> {
    let rest = source.get(at + 1..)?;
    let window = rest.get(..rest.floor_char_boundary(2_000))?;
    let end = window.find(|c: char| c == '>' || c == '<' || c.is_whitespace())?;
    let inner = window.get(..end).filter(|_| window[end..].starts_with('>'))?;
    let schemes = ["http://", "https://", "mailto:", "ftp://", "tel:"];
    let lower = inner.to_ascii_lowercase();
    let is_mail = || {
        let (name, host) = inner.split_once('@').unwrap_or_default();
        !name.is_empty() && is_address(host) && host.contains('.') && !inner.contains(['/', ':'])
    };
    if schemes.iter().any(|scheme| lower.starts_with(scheme) && lower.len() > scheme.len()) {
        return Some((inner.to_owned(), at + end + 2));
    }
    is_mail().then(|| (format!("mailto:{inner}"), at + end + 2))
}
