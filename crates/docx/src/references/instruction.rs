//! Field instructions: the name of a field, its arguments and its switches (ISO/IEC 29500-1 §17.16.1 – .5).
//!
//! Must never look at a document.

use std::ops::Range;

/// A word of an instruction, without its quotes, and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Word {
    text: String,
    /// In bytes, with its quotes.
    range: Range<usize>,
    is_quoted: bool,
}

/// An instruction as it stands, and its words.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Instruction {
    source: String,
    words: Vec<Word>,
}

/// What of its target a reference shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shows {
    /// The words in the bookmark.
    Text,
    /// The number of the bookmarked paragraph.
    Number(NumberContext),
    /// Only where it is: its page, `above` or `below`, or nothing at all (a link).
    Place,
    /// The mark of a note.
    Note,
}

/// How much of a number a reference shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NumberContext {
    /// `\n`: the paragraph's own level.
    Own,
    /// `\r`: the levels in which it differs from the place of the reference.
    Relative,
    /// `\w`: all levels.
    Full,
}

/// Switches of `REF`, `PAGEREF`, `NOTEREF` and `HYPERLINK` that take a word: `\d` a separator, `\l` a bookmark, and so on.
const WITH_ARGUMENT: &[char] = &['*', '#', '@', 'd', 'l', 'o', 't', 's', 'b'];

impl Instruction {
    pub(crate) fn parse(source: &str) -> Self {
        let mut words = Vec::new();
        let mut rest = source.char_indices().peekable();
        while let Some((start, first)) = rest.next() {
            if first.is_whitespace() {
                continue;
            }
            let is_quoted = matches!(first, '"' | '\u{201C}');
            let mut text = String::new();
            if !is_quoted {
                text.push(first);
            }
            let mut end = start + first.len_utf8();
            while let Some((at, c)) = rest.next_if(|(_, c)| is_quoted || !(c.is_whitespace() || *c == '\\')) {
                end = at + c.len_utf8();
                if is_quoted && matches!(c, '"' | '\u{201D}') {
                    break;
                }
                text.push(c);
            }
            words.push(Word { text, range: start..end, is_quoted });
        }
        Self { source: source.to_owned(), words }
    }

    /// The name in capitals: `REF`, `TOC`, `=`.
    pub(crate) fn name(&self) -> String {
        let name = self.words.first().map_or("", |word| word.text.as_str());
        if name.starts_with('=') { "=".to_owned() } else { name.to_ascii_uppercase() }
    }

    /// Whether a switch such as `\h` is given.
    pub(crate) fn has_switch(&self, letter: char) -> bool {
        self.switch(letter).is_some()
    }

    /// The word behind a switch.
    pub(crate) fn switch_argument(&self, letter: char) -> Option<&str> {
        let at = self.switch(letter)?;
        self.words.get(at + 1).map(|word| word.text.as_str())
    }

    /// The n-th word, from 0, that is neither the name nor a switch or its argument.
    pub(crate) fn argument(&self, number: usize) -> Option<&str> {
        self.argument_word(number).map(|word| word.text.as_str())
    }

    /// The bookmark that the field refers to, if its kind refers to one.
    pub(crate) fn bookmark(&self) -> Option<&str> {
        self.bookmark_word().map(|word| word.text.as_str()).filter(|name| !name.is_empty())
    }

    /// The same instruction with another bookmark.
    pub(crate) fn with_bookmark(&self, name: &str) -> String {
        let Some(word) = self.bookmark_word() else { return self.source.clone() };
        let quoted = if word.is_quoted { format!("\"{name}\"") } else { name.to_owned() };
        let mut source = self.source.clone();
        source.replace_range(word.range.clone(), &quoted);
        source
    }

    /// What of the bookmark it shows.
    pub(crate) fn shows(&self) -> Shows {
        match self.name().as_str() {
            "NOTEREF" | "FTNREF" => Shows::Note,
            // Where there are several, the narrowest counts, in whatever order they stand: so Word shows them.
            "REF" if self.has_switch('n') => Shows::Number(NumberContext::Own),
            "REF" if self.has_switch('r') => Shows::Number(NumberContext::Relative),
            "REF" if self.has_switch('w') => Shows::Number(NumberContext::Full),
            "REF" if self.has_switch('p') => Shows::Place,
            "REF" => Shows::Text,
            _ => Shows::Place,
        }
    }

    fn switch(&self, letter: char) -> Option<usize> {
        let is_it = |word: &Word| {
            let mut characters = word.text.chars();
            !word.is_quoted
                && characters.next() == Some('\\')
                && characters.next().is_some_and(|c| c.eq_ignore_ascii_case(&letter))
                && characters.next().is_none()
        };
        self.words.iter().position(is_it)
    }

    fn argument_word(&self, number: usize) -> Option<&Word> {
        let mut found = 0;
        let mut takes_next = false;
        for word in self.words.iter().skip(1) {
            let letter = word.text.strip_prefix('\\').filter(|_| !word.is_quoted);
            if let Some(letter) = letter {
                let letter = letter.chars().next().unwrap_or(' ').to_ascii_lowercase();
                takes_next = WITH_ARGUMENT.contains(&letter) && !self.is_flag(letter);
            } else if takes_next {
                takes_next = false;
            } else if found == number {
                return Some(word);
            } else {
                found += 1;
            }
        }
        None
    }

    /// Switches of one letter that take a word in some fields, and none in this one.
    fn is_flag(&self, letter: char) -> bool {
        match self.name().as_str() {
            "REF" | "PAGEREF" | "NOTEREF" => matches!(letter, 'l' | 'o' | 't' | 's' | 'b'),
            _ => false,
        }
    }

    fn bookmark_word(&self) -> Option<&Word> {
        match self.name().as_str() {
            "REF" | "PAGEREF" | "NOTEREF" | "FTNREF" | "GOTOBUTTON" => self.argument_word(0),
            "HYPERLINK" => self.words.get(self.switch('l')? + 1).filter(|_| self.argument_word(0).is_none()),
            "TOC" | "INDEX" | "RD" => self.words.get(self.switch('b')? + 1),
            _ => None,
        }
    }
}
