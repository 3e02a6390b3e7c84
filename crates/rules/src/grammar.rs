//! The patterns: instruction text in, operations out (`docs/guide/rules.md` has the grammar).
//!
//! Must never do a part of an instruction, and never take a reading of a clause where another one is likely: what is
//! not plainly one of the patterns is refused.

use serde_json::{Value, json};

use crate::limits::{MAXIMUM_OPERATIONS, MAXIMUM_PARAGRAPH};
use crate::operations::{Occurrence, Place, delete_paragraphs, modify_text, operation, with_plain};
use crate::refusal::{Reason, Refusal, excerpt};
use crate::tokens::{self, Clause, Token, between};

const ORDINALS: [&str; 10] =
    ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"];

/// Words that an unquoted value may not contain: they belong to the patterns, restrict what is meant, or speak about
/// the document instead of quoting it. `docs/guide/rules.md` lists the same words.
#[rustfmt::skip]
pub(crate) const WORDS_THAT_NEED_QUOTES: &[&str] = &[
    // Words of the patterns.
    "with", "to", "in", "at", "as", "after", "before", "and", "then", "please", "containing", "everywhere",
    "all", "every", "occurrence", "occurrences", "paragraph", "paragraphs", "last",
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
    "replace", "change", "rename", "delete", "remove", "insert", "add", "append", "prepend", "rewrite", "set",
    // Words that restrict or extend what is meant.
    "above", "across", "also", "below", "but", "each", "except", "globally", "if", "inside", "instead", "not", "only", "throughout", "under",
    "unless", "until", "when", "where", "wherever", "within",
    // Words that speak about the document or its looks.
    "bold", "capitals", "color", "colour", "comment", "comments", "document", "font", "footnote", "heading",
    "headings", "highlight", "highlighted", "italic", "italics", "list", "lowercase", "make", "move", "page",
    "phrase", "section", "sections", "sentence", "strikethrough", "style", "table", "text", "title", "underline",
    "underlined", "uppercase", "word", "words",
    // Words that point at something said elsewhere.
    "anything", "everything", "it", "something", "that", "them", "these", "this", "those",
];

/// The operations an instruction asks for, in its order; at least one.
pub(crate) fn operations(instruction: &str) -> Result<Vec<Value>, Refusal> {
    let mut operations = Vec::new();
    for clause in tokens::clauses(instruction)? {
        let made = Parser::new(instruction, &clause)
            .clause()
            .and_then(|made| {
                let within = operations.len() + made.len() <= MAXIMUM_OPERATIONS;
                if within { Ok(made) } else { Err(Reason::TooManyOperations) }
            })
            .map_err(|reason| Refusal::new(clause.text, reason))?;
        operations.extend(made);
    }
    if operations.is_empty() {
        return Err(Refusal::new("", Reason::Empty));
    }
    Ok(operations)
}

/// Reads one clause from left to right, never back.
struct Parser<'a> {
    instruction: &'a str,
    tokens: Vec<Token<'a>>,
    position: usize,
}

impl<'a> Parser<'a> {
    fn new(instruction: &'a str, clause: &Clause<'a>) -> Self {
        let mut tokens = clause.tokens.clone();
        trim_full_stop(&mut tokens);
        if tokens.pop_if(|token| token.is("please")).is_some() {
            tokens.pop_if(|token| token.is(","));
        }
        let mut parser = Self { instruction, tokens, position: 0 };
        if parser.keyword("please") {
            parser.keyword(",");
        }
        parser
    }

    fn clause(&mut self) -> Result<Vec<Value>, Reason> {
        let Some(verb) = self.token(0).and_then(Token::word) else {
            return Err(Reason::UnknownStart);
        };
        self.position += 1;
        match verb.to_ascii_lowercase().as_str() {
            "replace" => self.substitution("with"),
            "change" | "rename" => self.substitution("to"),
            "delete" | "remove" => self.deletion(),
            "insert" | "add" => self.insertion(),
            "append" => self.extension("append"),
            "prepend" => self.extension("prepend"),
            "rewrite" => self.rewriting("as"),
            "set" => self.rewriting("to"),
            _ => Err(Reason::UnknownStart),
        }
    }

    /// `[which] X [in place] with Y [everywhere] [in place]`
    fn substitution(&mut self, link: &'static str) -> Result<Vec<Value>, Reason> {
        let mut occurrence = self.occurrence()?;
        let original = filled(self.value("the text to look for", &[link, "in"])?, "The text to look for")?;
        let mut place = self.text_place(&[link])?;
        self.expect(link)?;
        let replacement = self.value("the new text", &["everywhere", "in"])?;
        self.everywhere(&mut occurrence)?;
        let second_place = self.text_place(&[])?;
        if place.is_some() && second_place.is_some() {
            return Err(Reason::Contradiction);
        }
        place = place.or(second_place);
        self.end()?;
        modify_text(&original, &replacement, occurrence, place.as_ref())
    }

    /// A range of paragraphs, one paragraph, or `[which] "X" [everywhere] [in place]`.
    fn deletion(&mut self) -> Result<Vec<Value>, Reason> {
        if let Some(start) = self.paragraph_range_start() {
            self.position = start;
            let (first, last) = self.range()?;
            self.end()?;
            return delete_paragraphs(first, last);
        }
        if self.at_place() {
            let place = self.place(&[])?;
            self.end()?;
            return Ok(vec![operation("delete_paragraph", Some(&place), [])]);
        }
        let mut occurrence = self.occurrence()?;
        let original = filled(self.quoted("the text to delete")?, "The text to delete")?;
        self.everywhere(&mut occurrence)?;
        let place = self.text_place(&[])?;
        self.end()?;
        modify_text(&original, "", occurrence, place.as_ref())
    }

    /// `[a paragraph] "T" after|before place`, or `… at the end|beginning [of the document]`.
    fn insertion(&mut self) -> Result<Vec<Value>, Reason> {
        let article = self.keyword("a");
        let adjective = self.keyword("new");
        if !self.keyword("paragraph") && (article || adjective) {
            return Err(Reason::UnknownStart);
        }
        let content = filled(self.quoted("the text to insert")?, "The text to insert")?;
        let (side, address) = if self.keyword("at") {
            self.keyword("the");
            let edge = if self.keyword("end") {
                ("after", Place::Last.address())
            } else if self.keyword("beginning") || self.keyword("start") {
                ("before", Place::First.address())
            } else {
                return Err(missing("“end” or “beginning”"));
            };
            if self.keyword("of") {
                self.keyword("the");
                self.expect("document")?;
            }
            edge
        } else if self.keyword("after") {
            ("after", self.place(&[])?.address())
        } else if self.keyword("before") {
            ("before", self.place(&[])?.address())
        } else {
            return Err(missing("where to insert: “after”, “before” or “at the end”"));
        };
        self.end()?;
        let fields = [(side, address), ("content", json!(content))];
        Ok(vec![with_plain(operation("insert_paragraph", None, fields), &content)])
    }

    /// `"T" to place`
    fn extension(&mut self, field: &'static str) -> Result<Vec<Value>, Reason> {
        let content = filled(self.quoted("the text to add")?, "The text to add")?;
        self.expect("to")?;
        let place = self.place(&[])?;
        self.end()?;
        let fields = [(field, json!(content))];
        Ok(vec![with_plain(operation("edit_paragraph", Some(&place), fields), &content)])
    }

    /// `place as "T"`
    fn rewriting(&mut self, link: &'static str) -> Result<Vec<Value>, Reason> {
        let place = self.place(&[link])?;
        self.expect(link)?;
        let content = filled(self.quoted("the new text")?, "The new text of a paragraph")?;
        self.end()?;
        let fields = [("newContent", json!(content))];
        Ok(vec![with_plain(operation("edit_paragraph", Some(&place), fields), &content)])
    }

    /// `[the] first|2nd|last|all|every [occurrence[s] [of]]`
    fn occurrence(&mut self) -> Result<Option<Occurrence>, Reason> {
        let article = usize::from(self.token(0).is_some_and(|token| token.is("the")));
        let Some(word) = self.token(article).and_then(Token::word) else {
            return Ok(None);
        };
        let word = word.to_ascii_lowercase();
        let occurrence = match word.as_str() {
            "last" => Occurrence::Last,
            "all" | "every" if article == 0 => Occurrence::All,
            _ => match ordinal(&word)? {
                Some(number) => Occurrence::Number(number),
                None => return Ok(None),
            },
        };
        self.position += article + 1;
        if self.keyword("occurrence") || self.keyword("occurrences") {
            self.expect("of")?;
        }
        Ok(Some(occurrence))
    }

    fn everywhere(&mut self, occurrence: &mut Option<Occurrence>) -> Result<(), Reason> {
        if self.keyword("everywhere") {
            if occurrence.as_ref().is_some_and(|occurrence| *occurrence != Occurrence::All) {
                return Err(Reason::Contradiction);
            }
            *occurrence = Some(Occurrence::All);
        }
        Ok(())
    }

    /// `in place`, if it is there.
    fn text_place(&mut self, stops: &[&str]) -> Result<Option<Place>, Reason> {
        if self.keyword("in") { self.place(stops).map(Some) } else { Ok(None) }
    }

    /// Whether a paragraph is named here, rather than a text.
    fn at_place(&self) -> bool {
        let after_article = usize::from(self.token(0).is_some_and(|token| token.is("the")));
        let is = |ahead: usize, word: &str| self.token(ahead).is_some_and(|token| token.is(word));
        let edge = is(after_article, "first") || is(after_article, "last");
        is(after_article, "paragraph") || (edge && is(after_article + 1, "paragraph"))
    }

    /// Where the number or range stands, if paragraphs are named by number here.
    fn paragraph_range_start(&self) -> Option<usize> {
        let article = usize::from(self.token(0).is_some_and(|token| token.is("the")));
        let named = self.token(article)?;
        if named.is("paragraph") || named.is("paragraphs") {
            let containing = self.token(article + 1).is_some_and(|token| token.is("containing"));
            return (!containing).then_some(self.position + article + 1);
        }
        self.token(0).and_then(Token::word).is_some_and(begins_like_address).then_some(self.position)
    }

    /// `[the] paragraph N`, `P7`, `[the] first|last paragraph`, `[the] paragraph containing X`.
    fn place(&mut self, stops: &[&str]) -> Result<Place, Reason> {
        if self.token(0).and_then(Token::word).is_some_and(begins_like_address) {
            return self.number().map(Place::Number);
        }
        self.keyword("the");
        let edge = if self.keyword("first") {
            Some(Place::First)
        } else if self.keyword("last") {
            Some(Place::Last)
        } else {
            None
        };
        if !self.keyword("paragraph") {
            return Err(missing("which paragraph, such as “paragraph 4”"));
        }
        if let Some(edge) = edge {
            return Ok(edge);
        }
        if self.keyword("containing") {
            let text = self.value("the words the paragraph contains", stops)?;
            return filled(text, "The words the paragraph contains").map(Place::Containing);
        }
        self.number().map(Place::Number)
    }

    /// `4`, `4-7`, `4 to 7` or `4 through 7`.
    fn range(&mut self) -> Result<(u32, u32), Reason> {
        let dash = |character: char| matches!(character, '-' | '–' | '—');
        let word = self.token(0).and_then(Token::word);
        if let Some((word, (first, last))) = word.and_then(|word| Some((word, word.split_once(dash)?))) {
            self.position += 1;
            let both = number(first).and_then(|first| Ok((first, number(last)?)));
            return both.map_err(|_| Reason::Number { word: excerpt(word) });
        }
        let first = self.number()?;
        let linked = ["to", "through", "-", "–", "—"].iter().any(|link| self.keyword(link));
        let last = if linked { self.number()? } else { first };
        Ok((first, last))
    }

    /// `7`, `P7`, `[P7]` or `P 7`.
    fn number(&mut self) -> Result<u32, Reason> {
        if self.token(1).is_some() {
            self.keyword("P");
        }
        let word = self.token(0).and_then(Token::word).ok_or_else(|| missing("the paragraph's number"))?;
        self.position += 1;
        number(word)
    }

    /// A quoted value, or the words up to a stop word, a quoted value or the end.
    fn value(&mut self, what: &str, stops: &[&str]) -> Result<String, Reason> {
        if let Some(value) = self.token(0).and_then(|token| token.quoted.clone()) {
            self.position += 1;
            return Ok(value);
        }
        let mut bounds = None;
        while let Some(token) = self.token(0) {
            let Some(word) = token.word().filter(|_| !stops.iter().any(|stop| token.is(stop))) else {
                break;
            };
            if needs_quotes(word) {
                return Err(Reason::NeedsQuotes { word: excerpt(word) });
            }
            let (start, end) = (token.start, token.end());
            bounds = Some((bounds.map_or(start, |(first, _)| first), end));
            self.position += 1;
        }
        let (start, end) = bounds.ok_or_else(|| missing(what))?;
        Ok(between(self.instruction, start, end).to_owned())
    }

    /// A value that must be quoted: without quotes, “add a table” would write the words “a table”.
    fn quoted(&mut self, what: &str) -> Result<String, Reason> {
        let value = self.token(0).and_then(|token| token.quoted.clone());
        let value = value.ok_or_else(|| missing(&format!("{what}, in quotes")))?;
        self.position += 1;
        Ok(value)
    }

    fn expect(&mut self, keyword: &'static str) -> Result<(), Reason> {
        if self.keyword(keyword) { Ok(()) } else { Err(missing(&format!("“{keyword}”"))) }
    }

    fn keyword(&mut self, keyword: &str) -> bool {
        let found = self.token(0).is_some_and(|token| token.is(keyword));
        self.position += usize::from(found);
        found
    }

    fn end(&self) -> Result<(), Reason> {
        match self.token(0) {
            Some(token) => Err(Reason::Leftover { word: excerpt(token.source) }),
            None => Ok(()),
        }
    }

    fn token(&self, ahead: usize) -> Option<&Token<'a>> {
        self.tokens.get(self.position + ahead)
    }
}

/// Takes one full stop off the end of a clause, where it ends a sentence; inside quotes it belongs to the value.
fn trim_full_stop(tokens: &mut Vec<Token<'_>>) {
    let Some(last) = tokens.last_mut() else { return };
    if let Some(shorter) = last.word().and_then(|word| word.strip_suffix('.')) {
        last.source = shorter;
        tokens.pop_if(|last| last.source.is_empty());
    }
}

fn needs_quotes(word: &str) -> bool {
    let reserved = WORDS_THAT_NEED_QUOTES.iter().any(|reserved| word.eq_ignore_ascii_case(reserved));
    reserved || word.ends_with(['.', ',', ':', '!', '?']) || begins_like_address(word)
}

/// Whether a word looks like `P7`, `[P7]` or `P7-P9`, or is the `P` of `P 7`.
fn begins_like_address(word: &str) -> bool {
    let inner = word.strip_prefix('[').unwrap_or(word);
    let Some(digits) = inner.strip_prefix(['P', 'p']) else { return false };
    digits.is_empty() || digits.starts_with(|character: char| character.is_ascii_digit())
}

fn number(word: &str) -> Result<u32, Reason> {
    let inner = word.strip_prefix('[').and_then(|inner| inner.strip_suffix(']')).unwrap_or(word);
    let digits = inner.strip_prefix(['P', 'p']).unwrap_or(inner);
    counting_number(digits).ok_or_else(|| Reason::Number { word: excerpt(word) })
}

/// `second` or `2nd` as 2; `None` for a word that is no ordinal.
fn ordinal(word: &str) -> Result<Option<u32>, Reason> {
    if let Some(number) = (1..).zip(ORDINALS).find_map(|(number, name)| (name == word).then_some(number)) {
        return Ok(Some(number));
    }
    let digits = ["st", "nd", "rd", "th"].iter().find_map(|suffix| word.strip_suffix(suffix));
    match digits.filter(|digits| is_digits(digits)) {
        Some(digits) => {
            let number = counting_number(digits);
            number.map(Some).ok_or_else(|| Reason::Number { word: excerpt(word) })
        }
        None => Ok(None),
    }
}

fn counting_number(digits: &str) -> Option<u32> {
    let number = Some(digits).filter(|digits| is_digits(digits))?.parse().ok()?;
    (1..=MAXIMUM_PARAGRAPH).contains(&number).then_some(number)
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn filled(value: String, what: &'static str) -> Result<String, Reason> {
    if value.is_empty() { Err(Reason::EmptyValue { what }) } else { Ok(value) }
}

fn missing(what: &str) -> Reason {
    Reason::Missing { what: what.to_owned() }
}
