//! Inline content: a text, how stretches of it look, where they lead, and what stands in it that is no text.
//!
//! It is what a paragraph of Markdown and a paragraph of Word have in common. Must never know how either is written.

use std::ops::Range;

/// Stands in a text for an inline object: a note, a picture.
pub const OBJECT: char = '\u{FFFC}';

/// The character formatting that Markdown can express.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Marks {
    /// `**x**`, `__x__`, `<b>`, `<strong>`.
    pub bold: bool,
    /// `*x*`, `_x_`, `<i>`, `<em>`.
    pub italic: bool,
    /// `++x++`, `<u>`, `<ins>`.
    pub underline: bool,
    /// `~~x~~`, `<s>`, `<strike>`, `<del>`.
    pub strike: bool,
    /// `==x==`, `<mark>`.
    pub highlight: bool,
    /// `x~2~`, `<sub>`.
    pub subscript: bool,
    /// `x^2^`, `<sup>`.
    pub superscript: bool,
    /// `` `x` ``, `<code>`.
    pub code: bool,
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

/// Where a link leads.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LinkDestination {
    /// An address outside of the document.
    Url(String),
    /// A bookmark of the document, or a heading by its words: `governing-law`.
    Anchor(String),
    /// Nowhere: the words stand outside of the link that was around their place.
    Nowhere,
}

impl LinkDestination {
    /// The target that a destination of Markdown or HTML names.
    #[must_use]
    pub fn of(destination: &str) -> Self {
        match destination.strip_prefix('#') {
            Some(anchor) => Self::Anchor(anchor.to_owned()),
            None => Self::Url(destination.to_owned()),
        }
    }
}

/// A stretch of text that is a link.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LinkSpan {
    /// Bytes of [`StyledText::text`]; never empty.
    pub range: Range<usize>,
    /// Where it leads.
    pub target: LinkDestination,
}

/// Whether a note stands below its page or behind the text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum NoteKind {
    /// Below the page.
    Footnote,
    /// Behind the text.
    Endnote,
}

/// A picture: what it is called where it comes from, and how it is shown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Image {
    /// Its file, address or `data:` URI.
    pub source: String,
    /// What it says to those who do not see it.
    pub alternative: String,
    /// Its width and height in EMU (914,400 to the inch); of its file without.
    pub size: (Option<u64>, Option<u64>),
    /// The picture of the document that it is a changed copy of, by its place among those that are copied.
    pub like: Option<usize>,
}

/// What stands in a text that is no text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum InlineObject {
    /// The mark of a note, with what the note says, paragraph by paragraph.
    Note(NoteKind, Vec<StyledText>),
    /// A picture.
    Image(Image),
}

/// An object and its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlacedObject {
    /// The byte of [`StyledText::text`] at which its [`OBJECT`] stands.
    pub at: usize,
    /// What it is.
    pub object: InlineObject,
}

/// A text with its formatting, links and objects.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct StyledText {
    /// The text without any markers.
    pub text: String,
    /// Sorted and disjoint; neighbours that touch differ in their marks. Text outside every span is unmarked.
    pub spans: Vec<StyledSpan>,
    /// Sorted and disjoint.
    pub links: Vec<LinkSpan>,
    /// Sorted.
    pub objects: Vec<PlacedObject>,
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

    /// A piece of the text with all that is on it. Offsets beyond the end or inside a character move to the boundary before.
    pub fn slice(&self, range: Range<usize>) -> StyledText {
        let start = self.text.floor_char_boundary(range.start);
        let end = self.text.floor_char_boundary(range.end);
        if start >= end {
            return StyledText::default();
        }
        let cut = |range: &Range<usize>| range.start.max(start) - start..range.end.min(end) - start;
        let overlaps = |range: &Range<usize>| range.start < end && range.end > start;
        let first = self.spans.partition_point(|span| span.range.end <= start);
        let spans = self.spans.get(first..).unwrap_or_default();
        StyledText {
            text: self.text.get(start..end).unwrap_or_default().to_owned(),
            spans: spans
                .iter()
                .take_while(|span| span.range.start < end)
                .map(|span| StyledSpan { range: cut(&span.range), marks: span.marks })
                .collect(),
            links: self
                .links
                .iter()
                .filter(|link| overlaps(&link.range))
                .map(|link| LinkSpan { range: cut(&link.range), target: link.target.clone() })
                .collect(),
            objects: self
                .objects
                .iter()
                .filter(|placed| (start..end).contains(&placed.at))
                .map(|placed| PlacedObject { at: placed.at - start, object: placed.object.clone() })
                .collect(),
        }
    }

    /// Adds another text behind this one.
    pub fn append(&mut self, other: StyledText) {
        let offset = self.text.len();
        let moved = |range: Range<usize>| range.start + offset..range.end + offset;
        self.text.push_str(&other.text);
        for span in other.spans {
            push_span(&mut self.spans, moved(span.range), span.marks);
        }
        self.links.extend(
            other.links.into_iter().map(|link| LinkSpan { range: moved(link.range), target: link.target }),
        );
        self.objects.extend(
            other
                .objects
                .into_iter()
                .map(|placed| PlacedObject { at: placed.at + offset, object: placed.object }),
        );
    }

    /// Adds an object behind this text.
    pub fn push_object(&mut self, object: InlineObject) {
        self.objects.push(PlacedObject { at: self.text.len(), object });
        self.text.push(OBJECT);
    }

    /// True when any of the text carries a mark.
    pub fn has_marks(&self) -> bool {
        !self.spans.is_empty()
    }
}

/// Text taken as it is, for requests that say it is plain.
pub fn literal(text: &str) -> StyledText {
    StyledText { text: text.to_owned(), ..StyledText::default() }
}

/// Adds a span behind the others; one that goes on as the last did lengthens it.
pub(super) fn push_span(spans: &mut Vec<StyledSpan>, range: Range<usize>, marks: Marks) {
    if range.is_empty() || marks.is_empty() {
        return;
    }
    match spans.last_mut() {
        Some(last) if last.range.end == range.start && last.marks == marks => last.range.end = range.end,
        _ => spans.push(StyledSpan { range, marks }),
    }
}
