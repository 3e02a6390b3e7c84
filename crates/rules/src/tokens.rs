//! Cuts an instruction into clauses, and each clause into words and quoted values.
//!
//! Must never look for a separator inside quotes, and never guess where an unclosed quote ends. Runs in time linear in
//! the instruction.

use crate::refusal::{Reason, Refusal, excerpt};

/// One clause: a single instruction of a list of them. Never empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Clause<'a> {
    /// The clause as it was written.
    pub(crate) text: &'a str,
    /// Its words and quoted values, in order.
    pub(crate) tokens: Vec<Token<'a>>,
}

/// A word, a comma, or a quoted value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Token<'a> {
    /// Byte offset in the instruction.
    pub(crate) start: usize,
    /// As it was written, with its quote marks.
    pub(crate) source: &'a str,
    /// The value, if it is quoted.
    pub(crate) quoted: Option<String>,
}

impl<'a> Token<'a> {
    /// Byte offset of what follows.
    pub(crate) fn end(&self) -> usize {
        self.start + self.source.len()
    }

    /// The word; `None` for a quoted value.
    pub(crate) fn word(&self) -> Option<&'a str> {
        if self.quoted.is_some() { None } else { Some(self.source) }
    }

    /// Whether it is this word, in any case.
    pub(crate) fn is(&self, keyword: &str) -> bool {
        self.word().is_some_and(|word| word.eq_ignore_ascii_case(keyword))
    }
}

/// Cuts an instruction at line ends, `;`, `and then` and `, then` outside quotes.
pub(crate) fn clauses(instruction: &str) -> Result<Vec<Clause<'_>>, Refusal> {
    let mut splitter = Splitter { instruction, clauses: Vec::new(), current: Vec::new() };
    let mut position = 0;
    while let Some(character) = from(instruction, position).chars().next() {
        if matches!(character, '\n' | '\r' | ';') {
            splitter.end_clause();
            position += 1;
        } else if character.is_whitespace() {
            position += character.len_utf8();
        } else {
            let token = match closing_mark(character) {
                Some(closing) => quoted(instruction, position, closing),
                None => word(instruction, position),
            };
            let token = token.map_err(|reason| {
                let start = splitter.current.first().map_or(position, |first| first.start);
                let line = from(instruction, start).lines().next().unwrap_or_default();
                Refusal::new(line, reason)
            })?;
            position = token.end();
            splitter.push(token);
        }
    }
    splitter.end_clause();
    Ok(splitter.clauses)
}

/// The text from one byte offset to another, both on character boundaries.
pub(crate) fn between(text: &str, start: usize, end: usize) -> &str {
    text.get(start..end).unwrap_or_default()
}

struct Splitter<'a> {
    instruction: &'a str,
    clauses: Vec<Clause<'a>>,
    current: Vec<Token<'a>>,
}

impl<'a> Splitter<'a> {
    fn push(&mut self, token: Token<'a>) {
        if token.is("then") {
            let after_and = self.drop_last("and");
            let after_comma = self.drop_last(",");
            let after_separator = self.current.is_empty() && !self.clauses.is_empty();
            if after_and || after_comma || after_separator {
                self.end_clause();
                return;
            }
        }
        self.current.push(token);
    }

    fn drop_last(&mut self, keyword: &str) -> bool {
        self.current.pop_if(|token| token.is(keyword)).is_some()
    }

    fn end_clause(&mut self) {
        let tokens = std::mem::take(&mut self.current);
        if let (Some(first), Some(last)) = (tokens.first(), tokens.last()) {
            let text = between(self.instruction, first.start, last.end());
            self.clauses.push(Clause { text, tokens });
        }
    }
}

fn word(instruction: &str, start: usize) -> Result<Token<'_>, Reason> {
    let rest = from(instruction, start);
    let source = if rest.starts_with(',') {
        between(rest, 0, 1)
    } else {
        let end = rest.find(|character: char| character.is_whitespace() || character == ';');
        between(rest, 0, end.unwrap_or(rest.len())).trim_end_matches(',')
    };
    let mut before = None;
    let mut characters = source.chars().peekable();
    while let Some(character) = characters.next() {
        let apostrophe =
            is_apostrophe(character) && is_letter(before) && is_letter(characters.peek().copied());
        if is_quote_mark(character) && !apostrophe {
            return Err(Reason::StrayQuote { word: excerpt(source) });
        }
        before = Some(character);
    }
    Ok(Token { start, source, quoted: None })
}

/// A value in quotes. A backslash makes a quote mark or a backslash part of the value; before anything else it is
/// itself. In single quotes, an apostrophe between two letters closes nothing.
fn quoted(instruction: &str, start: usize, closing: char) -> Result<Token<'_>, Reason> {
    let rest = from(instruction, start);
    let mut value = String::new();
    let mut characters = rest.char_indices().peekable();
    let opening = characters.next().map_or(closing, |(_, mark)| mark);
    while let Some((offset, character)) = characters.next() {
        let next = characters.peek().map(|&(_, next)| next);
        if character == '\\' {
            if let Some(escaped) = next.filter(|&next| next == '\\' || is_quote_mark(next)) {
                value.push(escaped);
                characters.next();
                continue;
            }
        } else if character == closing {
            let apostrophe = is_apostrophe(character) && is_letter(value.chars().last()) && is_letter(next);
            if !apostrophe {
                let source = between(rest, 0, offset + character.len_utf8());
                let separated = |next: char| next.is_whitespace() || matches!(next, ';' | ',' | '.');
                return if next.is_none_or(separated) {
                    Ok(Token { start, source, quoted: Some(value) })
                } else {
                    Err(Reason::StrayQuote { word: excerpt(source) })
                };
            }
        }
        value.push(character);
    }
    Err(Reason::UnclosedQuote { opening })
}

fn closing_mark(opening: char) -> Option<char> {
    match opening {
        '"' | '\'' | '`' => Some(opening),
        '“' => Some('”'),
        '‘' => Some('’'),
        _ => None,
    }
}

fn is_quote_mark(character: char) -> bool {
    matches!(character, '"' | '\'' | '`' | '“' | '”' | '‘' | '’')
}

fn is_apostrophe(character: char) -> bool {
    matches!(character, '\'' | '’')
}

fn is_letter(character: Option<char>) -> bool {
    character.is_some_and(char::is_alphanumeric)
}

fn from(text: &str, start: usize) -> &str {
    text.get(start..).unwrap_or_default()
}
