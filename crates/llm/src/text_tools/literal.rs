//! Reads values as models print them: JSON, and what resembles it. Single quotes, words of Python, a comma too many.
//!
//! Must never make up what is not there: a value that is not whole is no value. A pure function of its text.

use serde_json::{Map, Number, Value};

/// The deepest nesting that is read.
const DEEPEST: usize = 64;

/// Why there is no value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoValue {
    /// The text ends before it does.
    More,
    /// It is something else.
    Invalid,
}

/// Reads values from the beginning of a text on.
pub(super) struct LiteralReader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> LiteralReader<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// What is not read yet.
    pub(super) fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    pub(super) fn skip_blanks(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    /// Goes over `mark`, if it comes next.
    pub(super) fn skip(&mut self, mark: char) -> Result<bool, NoValue> {
        self.skip_blanks();
        match self.rest().chars().next() {
            None => Err(NoValue::More),
            Some(next) if next == mark => {
                self.at += mark.len_utf8();
                Ok(true)
            }
            Some(_) => Ok(false),
        }
    }

    /// A name, such as that of an argument.
    pub(super) fn name(&mut self) -> Result<&'a str, NoValue> {
        self.skip_blanks();
        let rest = self.rest();
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        match (rest.get(..end), rest.len()) {
            (_, 0) => Err(NoValue::More),
            (Some(name), _) if !name.is_empty() => {
                self.at += end;
                Ok(name)
            }
            _ => Err(NoValue::Invalid),
        }
    }

    /// The next value.
    pub(super) fn value(&mut self) -> Result<Value, NoValue> {
        self.nested(DEEPEST)
    }

    fn nested(&mut self, depth: usize) -> Result<Value, NoValue> {
        let deeper = depth.checked_sub(1).ok_or(NoValue::Invalid)?;
        self.skip_blanks();
        match self.rest().chars().next().ok_or(NoValue::More)? {
            '{' => self.object(deeper),
            '[' => self.list(deeper),
            '"' | '\'' => self.string().map(Value::String),
            _ => self.word(),
        }
    }

    fn object(&mut self, depth: usize) -> Result<Value, NoValue> {
        self.at += 1;
        let mut object = Map::new();
        loop {
            if self.skip('}')? {
                return Ok(Value::Object(object));
            }
            let key = match self.rest().chars().next() {
                Some('"' | '\'') => self.string()?,
                _ => return Err(NoValue::Invalid),
            };
            if !self.skip(':')? {
                return Err(NoValue::Invalid);
            }
            let value = self.nested(depth)?;
            object.insert(key, value);
            if !self.skip(',')? && !self.rest().starts_with('}') {
                return Err(NoValue::Invalid);
            }
        }
    }

    fn list(&mut self, depth: usize) -> Result<Value, NoValue> {
        self.at += 1;
        let mut list = Vec::new();
        loop {
            if self.skip(']')? {
                return Ok(Value::Array(list));
            }
            list.push(self.nested(depth)?);
            if !self.skip(',')? && !self.rest().starts_with(']') {
                return Err(NoValue::Invalid);
            }
        }
    }

    /// A string in single, double or triple quotes. Its line ends may stand in it as they are.
    fn string(&mut self) -> Result<String, NoValue> {
        let rest = self.rest();
        let quote = rest.chars().next().ok_or(NoValue::More)?;
        let triple: String = [quote; 3].iter().collect();
        let mark = if rest.starts_with(&triple) { triple } else { quote.to_string() };
        self.at += mark.len();
        let mut string = String::new();
        loop {
            let rest = self.rest();
            if rest.starts_with(&mark) {
                self.at += mark.len();
                return Ok(string);
            }
            let next = rest.chars().next().ok_or(NoValue::More)?;
            self.at += next.len_utf8();
            if next == '\\' { self.escape(&mut string)? } else { string.push(next) }
        }
    }

    fn escape(&mut self, string: &mut String) -> Result<(), NoValue> {
        let next = self.rest().chars().next().ok_or(NoValue::More)?;
        self.at += next.len_utf8();
        match next {
            'n' => string.push('\n'),
            't' => string.push('\t'),
            'r' => string.push('\r'),
            'b' => string.push('\u{8}'),
            'f' => string.push('\u{c}'),
            // A line that goes on in the next one.
            '\n' => {}
            'u' => string.push(self.unicode()?),
            '"' | '\'' | '\\' | '/' => string.push(next),
            other => string.extend(['\\', other]),
        }
        Ok(())
    }

    fn unicode(&mut self) -> Result<char, NoValue> {
        let first = self.hex()?;
        if !(0xd800..0xdc00).contains(&first) {
            return char::from_u32(first).ok_or(NoValue::Invalid);
        }
        let rest = self.rest();
        if !rest.starts_with("\\u") {
            return Err(if "\\u".starts_with(rest) { NoValue::More } else { NoValue::Invalid });
        }
        self.at += 2;
        let second = self.hex()?.checked_sub(0xdc00).filter(|second| *second < 0x400);
        let second = second.ok_or(NoValue::Invalid)?;
        char::from_u32(0x10000 + ((first - 0xd800) << 10) + second).ok_or(NoValue::Invalid)
    }

    fn hex(&mut self) -> Result<u32, NoValue> {
        let digits = self.rest().get(..4).ok_or(NoValue::More)?;
        let number = u32::from_str_radix(digits, 16).map_err(|_| NoValue::Invalid)?;
        self.at += 4;
        Ok(number)
    }

    /// A number, or a word that stands for a value. At the very end of the text nobody knows whether it is whole.
    fn word(&mut self) -> Result<Value, NoValue> {
        let rest = self.rest();
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
        let end = rest.find(|c: char| !is_part(c)).ok_or(NoValue::More)?;
        let word = rest.get(..end).unwrap_or_default();
        let value = match word {
            "true" | "True" => Value::Bool(true),
            "false" | "False" => Value::Bool(false),
            "null" | "None" => Value::Null,
            _ => word.parse::<Number>().map(Value::Number).map_err(|_| NoValue::Invalid)?,
        };
        self.at += end;
        Ok(value)
    }
}
