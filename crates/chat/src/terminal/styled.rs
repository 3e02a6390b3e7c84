//! Text with its formatting, cut into the lines of a terminal.
//!
//! Must never hold a character that could steer a terminal: text comes in through [`StyledLine::push`], which replaces them.

use engross_documents::change::printable_lines;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// Cells between two tab stops; a tab is shown as so many blanks.
const TAB: &str = "    ";

/// A colour of the terminal's own palette.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Colour {
    Red,
    Green,
    Yellow,
    Magenta,
    Cyan,
}

/// How text is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Style {
    pub(super) bold: bool,
    pub(super) dim: bool,
    pub(super) italic: bool,
    pub(super) underline: bool,
    pub(super) strike: bool,
    pub(super) colour: Option<Colour>,
}

impl Style {
    pub(super) const DIM: Self = Self { dim: true, ..Self::NONE };
    pub(super) const BOLD: Self = Self { bold: true, ..Self::NONE };
    const NONE: Self =
        Self { bold: false, dim: false, italic: false, underline: false, strike: false, colour: None };

    /// Nothing but a colour.
    pub(super) const fn coloured(colour: Colour) -> Self {
        Self { colour: Some(colour), ..Self::NONE }
    }

    /// The style that an escape sequence with these parameters begins.
    fn of_parameters(parameters: &str) -> Self {
        let mut style = Self::NONE;
        for parameter in parameters.split(';') {
            match parameter {
                "4" => style.underline = true,
                "9" => style.strike = true,
                "31" => style.colour = Some(Colour::Red),
                "32" => style.colour = Some(Colour::Green),
                "33" => style.colour = Some(Colour::Yellow),
                _ => {}
            }
        }
        style
    }

    /// The parameters of the escape sequence that begins it.
    fn parameters(self, theme: Theme) -> String {
        let flags = [
            (self.bold, "1"),
            (self.dim, "2"),
            (self.italic, "3"),
            (self.underline, "4"),
            (self.strike, "9"),
        ];
        let mut codes: Vec<&str> =
            flags.into_iter().filter(|(is_set, _)| *is_set).map(|(_, code)| code).collect();
        if theme.colour {
            codes.extend(self.colour.map(|colour| match colour {
                Colour::Red => "31",
                Colour::Green => "32",
                Colour::Yellow => "33",
                Colour::Magenta => "35",
                Colour::Cyan => "36",
            }));
        }
        codes.join(";")
    }
}

/// What a terminal is sent beside text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Theme {
    /// Whether there are colours.
    pub(super) colour: bool,
}

/// Text of one style.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StyledSpan {
    pub(super) text: String,
    pub(super) style: Style,
}

/// One line.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct StyledLine(pub(super) Vec<StyledSpan>);

impl StyledLine {
    /// A line of one style.
    pub(super) fn of(text: &str, style: Style) -> Self {
        let mut line = Self::default();
        line.push(text, style);
        line
    }

    /// Adds text, made harmless.
    pub(super) fn push(&mut self, text: &str, style: Style) {
        let text = harmless(text);
        match self.0.last_mut() {
            Some(last) if last.style == style => last.text.push_str(&text),
            _ if text.is_empty() => {}
            _ => self.0.push(StyledSpan { text, style }),
        }
    }

    /// A line that was rendered for people elsewhere, with marks of [`Palette`](engross_documents::change::Palette).
    pub(super) fn of_rendered(text: &str) -> Self {
        let mut line = Self::default();
        let mut style = Style::default();
        for (number, part) in text.split("\u{1b}[").enumerate() {
            let text = match part.split_once('m').filter(|_| number > 0) {
                Some((parameters, text)) => {
                    style = Style::of_parameters(parameters);
                    text
                }
                None => part,
            };
            line.push(text, style);
        }
        line
    }

    fn push_cluster(&mut self, (cluster, style): (&str, Style)) {
        match self.0.last_mut() {
            Some(last) if last.style == style => last.text.push_str(cluster),
            _ => self.0.push(StyledSpan { text: cluster.to_owned(), style }),
        }
    }

    /// Cells.
    pub(super) fn width(&self) -> usize {
        self.0.iter().map(|span| span.text.width()).sum()
    }

    /// Its text alone.
    pub(super) fn text(&self) -> String {
        self.0.iter().map(|span| span.text.as_str()).collect()
    }

    /// The line as a terminal is sent it, without a line end.
    pub(super) fn render(&self, theme: Theme) -> String {
        let mut out = String::new();
        for StyledSpan { text, style } in &self.0 {
            let parameters = style.parameters(theme);
            if parameters.is_empty() {
                out.push_str(text);
            } else {
                out.push_str(&format!("\u{1b}[{parameters}m{text}\u{1b}[0m"));
            }
        }
        out
    }

    /// The line in at most `width` cells, with an ellipsis where it is longer.
    pub(super) fn cut(&self, width: usize) -> Self {
        if self.width() <= width {
            return self.clone();
        }
        let mut cut = Self::default();
        let mut room = width.saturating_sub(1);
        for (cluster, style) in self.clusters() {
            let cells = cluster.width();
            if cells > room {
                break;
            }
            room -= cells;
            cut.push_cluster((cluster, style));
        }
        cut.push("…", Style::DIM);
        cut
    }

    /// The line with blanks behind it, up to `width` cells.
    pub(super) fn padded(mut self, width: usize) -> Self {
        let missing = width.saturating_sub(self.width());
        self.push(&" ".repeat(missing), Style::default());
        self
    }

    /// What a person sees as one character, which may be several: an emoji of a family, a letter with its accents.
    fn clusters(&self) -> impl Iterator<Item = (&str, Style)> {
        self.0.iter().flat_map(|span| span.text.graphemes(true).map(|cluster| (cluster, span.style)))
    }
}

/// Text without what could steer a terminal or turn the direction of text around.
pub(super) fn harmless(text: &str) -> String {
    let text = printable_lines(&text.replace('\t', TAB));
    let is_mark = |character: char| {
        matches!(character, '\u{200e}' | '\u{200f}' | '\u{61c}' | '\u{e0000}'..='\u{e007f}')
    };
    if text.contains(is_mark) { text.replace(is_mark, "\u{fffd}") } else { text }
}

/// Cuts text into lines of at most `width` cells, at blanks where that is possible. The first begins with `first`, the others
/// with `rest`. Text that is added later changes none but the last line.
pub(super) fn wrap(
    text: &StyledLine,
    width: usize,
    first: &StyledLine,
    rest: &StyledLine,
) -> Vec<StyledLine> {
    let mut wrapping = Wrapping {
        lines: Vec::new(),
        line: first.clone(),
        column: first.width(),
        start: first.width(),
        rest,
        width: width.max(rest.width() + 2),
        blanks: Vec::new(),
        word: Vec::new(),
    };
    for (cluster, style) in text.clusters() {
        match cluster {
            "\n" => {
                wrapping.end_word();
                wrapping.blanks.clear();
                wrapping.end_line();
            }
            " " => {
                wrapping.end_word();
                wrapping.blanks.push((cluster, style));
            }
            // Between wide characters a line may end anywhere.
            wide if wide.width() > 1 => {
                wrapping.end_word();
                wrapping.word.push((wide, style));
                wrapping.end_word();
            }
            other => wrapping.word.push((other, style)),
        }
    }
    wrapping.end_word();
    wrapping.end_line();
    wrapping.lines
}

/// Cuts a line whose further lines are indented as far as its own text is.
pub(super) fn wrap_hanging(line: &StyledLine, width: usize) -> Vec<StyledLine> {
    let text = line.text();
    let indent = text.len() - text.trim_start().len();
    let blank = StyledLine::of(&" ".repeat(indent), Style::default());
    if text.trim().is_empty() {
        return vec![line.clone()];
    }
    wrap(line, width, &StyledLine::default(), &blank)
}

struct Wrapping<'a> {
    lines: Vec<StyledLine>,
    line: StyledLine,
    column: usize,
    /// Where the text of the line begins.
    start: usize,
    rest: &'a StyledLine,
    width: usize,
    blanks: Vec<(&'a str, Style)>,
    word: Vec<(&'a str, Style)>,
}

impl Wrapping<'_> {
    fn end_line(&mut self) {
        self.lines.push(std::mem::replace(&mut self.line, self.rest.clone()));
        self.start = self.rest.width();
        self.column = self.start;
    }

    fn end_word(&mut self) {
        let cells: usize = self.word.iter().map(|(cluster, _)| cluster.width()).sum();
        if self.word.is_empty() {
            return;
        }
        if self.column + self.blanks.len() + cells > self.width && self.column > self.start {
            self.blanks.clear();
            self.end_line();
        }
        let clusters: Vec<(&str, Style)> = self.blanks.drain(..).chain(self.word.drain(..)).collect();
        for (cluster, style) in clusters {
            let cells = cluster.width();
            if self.column + cells > self.width && self.column > self.start {
                self.end_line();
            }
            self.column += cells;
            self.line.push_cluster((cluster, style));
        }
    }
}
