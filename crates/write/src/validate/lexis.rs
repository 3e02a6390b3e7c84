//! Brackets and the beginnings of lines of source code, without a grammar: what is text and comment is left out.
//!
//! Must never be believed for itself: a language may have more to it. Who asks compares what was read of a text with what
//! was read of its beginning.

/// How a language writes what is no code, and what its brackets are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Lexis {
    /// What begins a comment that ends with the line.
    line: &'static [&'static str],
    /// What begins and ends a comment of any length.
    block: Option<(&'static str, &'static str)>,
    /// What begins and ends a text; the longest first. Whether it may have more than one line.
    texts: &'static [(&'static str, bool)],
    /// Whether `'` stands around one character, and besides that means nothing.
    characters: bool,
    /// Whether `/` may begin a pattern.
    patterns: bool,
    brackets: &'static [u8],
}

const ALL: &[u8] = b"(){}[]";
const C: Lexis = Lexis {
    line: &["//"],
    block: Some(("/*", "*/")),
    texts: &[("\"\"\"", true), ("\"", false)],
    characters: true,
    patterns: false,
    brackets: ALL,
};
const SCRIPT: Lexis = Lexis {
    texts: &[("\"\"\"", true), ("'''", true), ("\"", false), ("'", false), ("`", true)],
    characters: false,
    patterns: true,
    ..C
};
const GO: Lexis = Lexis { texts: &[("\"", false), ("`", true)], ..C };
const PYTHON: Lexis = Lexis {
    line: &["#"],
    block: None,
    texts: &[("\"\"\"", true), ("'''", true), ("\"", false), ("'", false)],
    characters: false,
    patterns: false,
    brackets: ALL,
};
const SHEET: Lexis =
    Lexis { line: &[], texts: &[("\"", false), ("'", false)], characters: false, brackets: b"{}", ..C };
const SQL: Lexis =
    Lexis { line: &["--"], texts: &[("'", true), ("\"", false)], characters: false, brackets: b"()", ..C };
const TEX: Lexis =
    Lexis { line: &["%"], block: None, texts: &[], characters: false, patterns: false, brackets: b"{}" };
const SHELL: Lexis = Lexis { line: &["#"], texts: &[("\"", true), ("'", true)], brackets: b"{}", ..TEX };
const LUA: Lexis = Lexis { line: &["--"], texts: &[("\"", false), ("'", false)], brackets: ALL, ..TEX };

impl Lexis {
    /// That of files with this extension; nothing where brackets tell little.
    pub(super) fn of_extension(extension: &str) -> Option<Self> {
        match extension {
            "c" | "h" | "cc" | "cpp" | "cxx" | "hh" | "hpp" | "hxx" | "m" | "mm" | "cs" | "java" | "rs"
            | "zig" | "proto" | "glsl" | "wgsl" | "v" | "sv" | "thrift" => Some(C),
            "js" | "mjs" | "cjs" | "jsx" | "ts" | "mts" | "cts" | "tsx" | "dart" | "kt" | "kts" | "scala"
            | "swift" | "groovy" | "gradle" | "php" | "vue" | "svelte" => Some(SCRIPT),
            "go" => Some(GO),
            "py" | "pyi" | "pyw" | "gd" | "nim" => Some(PYTHON),
            "css" | "scss" | "less" => Some(SHEET),
            "sql" | "ddl" => Some(SQL),
            "tex" | "sty" | "cls" | "bib" => Some(TEX),
            "sh" | "bash" | "zsh" | "ksh" => Some(SHELL),
            "lua" => Some(LUA),
            _ => None,
        }
    }
}

/// A line of source code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CodeLine<'a> {
    /// The byte that it begins with.
    pub(super) start: usize,
    pub(super) text: &'a [u8],
    /// Brackets that are open where it begins.
    pub(super) depth: usize,
    /// Whether it begins within a text or a comment.
    pub(super) is_inside: bool,
    /// The last byte of code.
    pub(super) last: Option<u8>,
}

/// What was read of a text.
#[derive(Debug, Default)]
pub(super) struct CodeReading<'a> {
    pub(super) lines: Vec<CodeLine<'a>>,
    /// The first bracket that closes nothing which is open.
    pub(super) stray: Option<usize>,
    /// Brackets that are open at the end.
    pub(super) open: Vec<usize>,
}

/// What a byte stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Code,
    LineComment,
    BlockComment,
    Text(&'static str, bool),
}

/// Reads a text as code.
pub(super) fn read(text: &[u8], lexis: Lexis) -> CodeReading<'_> {
    let mut reading = CodeReading::default();
    let mut place = Place::Code;
    let mut start = 0;
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        let is_inside = matches!(place, Place::BlockComment | Place::Text(..));
        let depth = reading.open.len();
        let last = read_line(line, start, lexis, &mut place, &mut reading, text);
        reading.lines.push(CodeLine { start, text: line, depth, is_inside, last });
        start += line.len();
    }
    reading
}

fn read_line(
    line: &[u8],
    start: usize,
    lexis: Lexis,
    place: &mut Place,
    reading: &mut CodeReading<'_>,
    text: &[u8],
) -> Option<u8> {
    let mut last = None;
    let mut at = 0;
    while let Some(rest) = line.get(at..).filter(|rest| !rest.is_empty()) {
        let byte = rest.first().copied().unwrap_or_default();
        let begins = |what: &str| rest.starts_with(what.as_bytes());
        at += match *place {
            Place::LineComment => rest.len(),
            Place::BlockComment => match lexis.block.filter(|(_, end)| begins(end)) {
                Some((_, end)) => {
                    *place = Place::Code;
                    end.len()
                }
                None => 1,
            },
            Place::Text(..) if byte == b'\\' => 2,
            Place::Text(quote, _) if begins(quote) => {
                *place = Place::Code;
                quote.len()
            }
            Place::Text(..) => 1,
            Place::Code if byte == b'\\' => {
                last = Some(byte);
                2
            }
            Place::Code if lexis.line.iter().any(|mark| begins(mark)) => {
                *place = Place::LineComment;
                rest.len()
            }
            Place::Code if let Some((begin, _)) = lexis.block.filter(|(begin, _)| begins(begin)) => {
                *place = Place::BlockComment;
                begin.len()
            }
            Place::Code
                if let Some((quote, is_long)) = lexis.texts.iter().find(|(quote, _)| begins(quote)) =>
            {
                last = Some(byte);
                *place = Place::Text(quote, *is_long);
                quote.len()
            }
            Place::Code if lexis.characters && byte == b'\'' => character(rest),
            Place::Code if lexis.patterns && byte == b'/' && may_begin_pattern(last) => {
                last = Some(byte);
                pattern(rest)
            }
            Place::Code => {
                if !byte.is_ascii_whitespace() {
                    last = Some(byte);
                }
                if lexis.brackets.contains(&byte) {
                    bracket(byte, start + at, reading, text);
                }
                1
            }
        };
    }
    // A text of one line that is not ended there is none, unless its line end is escaped.
    let goes_on = line.trim_ascii_end().ends_with(b"\\");
    match *place {
        Place::LineComment => *place = Place::Code,
        Place::Text(_, false) if !goes_on => *place = Place::Code,
        _ => {}
    }
    last
}

fn bracket(byte: u8, at: usize, reading: &mut CodeReading<'_>, text: &[u8]) {
    let opening = match byte {
        b')' => b'(',
        b']' => b'[',
        b'}' => b'{',
        _ => return reading.open.push(at),
    };
    match reading.open.last().and_then(|open| text.get(*open)) {
        Some(open) if *open == opening => {
            reading.open.pop();
        }
        _ => {
            reading.stray.get_or_insert(at);
        }
    }
}

/// The length of the character literal that `rest` begins with; of the quote alone if it is none.
fn character(rest: &[u8]) -> usize {
    if rest.get(1) == Some(&b'\\') {
        let end = rest.iter().skip(3).take(8).position(|byte| *byte == b'\'');
        return end.map_or(1, |end| end + 4);
    }
    let end = rest.iter().skip(2).take(4).position(|byte| *byte == b'\'');
    match end {
        Some(0) => 3,
        // One character of more bytes.
        Some(end) if rest.get(1).is_some_and(|first| !first.is_ascii()) => end + 3,
        _ => 1,
    }
}

/// Whether a `/` behind this byte of code may begin a pattern: it divides nothing there.
fn may_begin_pattern(last: Option<u8>) -> bool {
    last.is_none_or(|last| b"(,=:[!&|?{};+".contains(&last))
}

/// The length of the pattern that `rest` begins with; of the slash alone if it is none.
fn pattern(rest: &[u8]) -> usize {
    let mut is_class = false;
    let mut at = 1;
    while let Some(byte) = rest.get(at) {
        match byte {
            b'\n' => return 1,
            b'\\' => at += 1,
            b'[' => is_class = true,
            b']' => is_class = false,
            b'/' if !is_class => return at + 1,
            _ => {}
        }
        at += 1;
    }
    1
}
