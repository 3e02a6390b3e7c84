//! The forms in which models print calls, and where each of them ends.
//!
//! Must never take text for a call that is not one: a form counts only with the name of a tool on offer, and with all of its
//! arguments. Pure functions of the text.

use serde_json::{Map, Value};

use super::form::{CallForms, FoundCalls, FoundResult, PrintedCall, SPACES};
use super::literal::{LiteralReader, NoValue};
use super::marks::{MARKS, may_be_gap, skip_gap, skip_noise, token};
use super::request::CALL;

/// What stands before a call in the form of ReAct.
const ACTION: &str = "Action:";

impl CallForms<'_> {
    /// The calls that `text` begins with, from the beginning of a line.
    pub(super) fn at_line_start<'a>(&self, text: &'a str) -> FoundResult<'a> {
        let bare = text.trim_start_matches([' ', '\t']);
        if bare.starts_with("```") {
            return self.fenced(bare);
        }
        let inner = bare.trim_start_matches(['*', '_', '`', '>', ' ']);
        let is_decorated = inner.len() < bare.len();
        let first = inner.chars().next();
        match first {
            None if text.len() <= 8 => self.more(),
            Some('<') => self.tag(inner),
            _ if self.begins(inner, CALL.trim_end()) => self.call_line(inner),
            _ if is_decorated => Err(NoValue::Invalid),
            _ if self.begins(inner, ACTION) => self.action(inner),
            _ if MARKS.iter().any(|mark| self.begins(inner, mark)) => self.marked(inner),
            Some('{' | '[') => self.values(inner),
            Some(_) => self.python(inner),
            None => Err(NoValue::Invalid),
        }
    }

    /// The calls that `text` begins with in the middle of a line: an element or a mark that means nothing else.
    pub(super) fn within_line<'a>(&self, text: &'a str) -> FoundResult<'a> {
        if text.starts_with('<') {
            self.tag(text)
        } else if MARKS.iter().any(|mark| self.begins(text, mark)) {
            self.marked(text)
        } else {
            Err(NoValue::Invalid)
        }
    }

    /// `CALL NAME {…}`.
    fn call_line<'a>(&self, text: &'a str) -> FoundResult<'a> {
        let Some(rest) = text.strip_prefix(CALL.trim_end()) else { return self.more() };
        let bare = rest.trim_start_matches([':', '*', ' ', '\t', '`']);
        if bare.len() == rest.len() && !rest.is_empty() {
            return Err(NoValue::Invalid);
        }
        let (call, rest) = self.named(bare)?;
        Ok(FoundCalls { calls: vec![call], rest, is_certain: true })
    }

    /// `Action: NAME`, and `Action Input: {…}` on the next line.
    fn action<'a>(&self, text: &'a str) -> FoundResult<'a> {
        let Some(rest) = text.strip_prefix(ACTION) else { return self.more() };
        let (call, rest) = self.named(rest.trim_start_matches([' ', '`', '*']))?;
        Ok(FoundCalls { calls: vec![call], rest, is_certain: true })
    }

    /// Calls behind the mark of a template.
    fn marked<'a>(&self, text: &'a str) -> FoundResult<'a> {
        let Some(mark) = MARKS.iter().find(|mark| text.starts_with(**mark)) else { return self.more() };
        let rest = skip_noise(text.strip_prefix(mark).unwrap_or(text));
        Ok(FoundCalls { is_certain: true, ..self.inner(rest)? })
    }

    /// A block of code that holds calls and nothing else.
    fn fenced<'a>(&self, text: &'a str) -> FoundResult<'a> {
        let ticks = text.len() - text.trim_start_matches('`').len();
        let (mark, behind) = text.split_at(ticks);
        let Some((info, body)) = behind.split_once('\n') else { return self.more() };
        let mut calls = Vec::new();
        let mut rest = body.trim_start();
        loop {
            if rest.is_empty() {
                // A block that ends with the answer is closed.
                return if self.is_whole { self.of_fence(calls, rest, info) } else { Err(NoValue::More) };
            }
            if let Some(behind) = rest.strip_prefix(mark) {
                return self.of_fence(calls, behind, info);
            }
            if mark.starts_with(rest) {
                return self.more();
            }
            let found = self.inner(rest)?;
            // The name of a tool alone is an example of it.
            let printed = rest.get(..rest.len() - found.rest.len()).unwrap_or_default();
            if !printed.contains(['{', '(', '<']) {
                return Err(NoValue::Invalid);
            }
            calls.extend(found.calls);
            rest = found.rest.trim_start_matches([',', ';']).trim_start();
        }
    }

    fn of_fence<'a>(&self, calls: Vec<PrintedCall>, rest: &'a str, info: &str) -> FoundResult<'a> {
        if calls.is_empty() {
            return Err(NoValue::Invalid);
        }
        Ok(FoundCalls { calls, rest, is_certain: info.trim().starts_with("tool") })
    }

    /// The next call within a form that says that there are some.
    pub(super) fn inner<'a>(&self, text: &'a str) -> FoundResult<'a> {
        let text = text.trim_start();
        let found = match text.chars().next() {
            None => return self.more(),
            Some('`') if "```".starts_with(text) => return self.more(),
            Some('<') => return self.tag(text),
            Some('{' | '[') => return self.values(text),
            _ if text.starts_with("```") => return self.fenced(text),
            _ if self.begins(text, CALL) => self.call_line(text),
            _ => Err(NoValue::Invalid),
        };
        if found.is_ok() {
            return found;
        }
        if let Some(print) = text.strip_prefix("print(") {
            let found = self.python(print)?;
            let Some(rest) = found.rest.trim_start().strip_prefix(')') else {
                return if found.rest.trim().is_empty() { self.more() } else { Err(NoValue::Invalid) };
            };
            return Ok(FoundCalls { rest, ..found });
        }
        // The kind of a call, which some templates have before a token and the name.
        let text = match text.strip_prefix("function") {
            Some(behind) if !self.is_whole && "<｜".starts_with(behind) => return Err(NoValue::More),
            Some(behind) if behind.starts_with("<｜") => match token(behind) {
                Some(behind) => behind,
                None => return self.more(),
            },
            None if "function".starts_with(text) => return self.more(),
            _ => text,
        };
        match self.named(text) {
            Ok((call, rest)) => Ok(FoundCalls { calls: vec![call], rest, is_certain: false }),
            Err(NoValue::Invalid) if "print(".starts_with(text) => self.more(),
            Err(no) => match found {
                Err(NoValue::More) => Err(NoValue::More),
                _ => Err(no),
            },
        }
    }

    /// `NAME(…)` on a line of its own.
    fn python<'a>(&self, text: &'a str) -> FoundResult<'a> {
        let name = self.name(text)?;
        if !name.1.starts_with('(') {
            return if name.1.is_empty() { self.more() } else { Err(NoValue::Invalid) };
        }
        let (call, rest) = self.named(text)?;
        Ok(FoundCalls { calls: vec![call], rest, is_certain: false })
    }

    /// The tool that `text` names first, and what is behind its name.
    fn name<'a>(&self, text: &'a str) -> Result<(String, &'a str), NoValue> {
        let bare = SPACES.iter().find_map(|space| text.strip_prefix(space)).unwrap_or(text);
        let named = self.names.iter().filter(|name| {
            let behind = bare.strip_prefix(name.as_str()).map(|behind| behind.chars().next());
            behind.is_some_and(|next| next.is_none_or(|next| !next.is_alphanumeric() && next != '_'))
        });
        match named.max_by_key(|name| name.len()) {
            Some(name) => Ok((name.clone(), bare.get(name.len()..).unwrap_or_default())),
            None if self.names.iter().any(|name| name.starts_with(bare))
                || SPACES.iter().any(|space| space.starts_with(text)) =>
            {
                self.more()
            }
            None => Err(NoValue::Invalid),
        }
    }

    /// A name and its arguments: an object, or pairs in brackets, or elements, or none at all.
    fn named<'a>(&self, text: &'a str) -> Result<(PrintedCall, &'a str), NoValue> {
        let (name, behind) = self.name(text)?;
        if behind.is_empty() && !self.is_whole {
            return Err(NoValue::More);
        }
        if let Some(inside) = behind.strip_prefix('(') {
            let (arguments, rest) = self.pairs(inside)?;
            return Ok((PrintedCall { name, arguments }, rest));
        }
        let rest = skip_gap(behind);
        match rest.chars().next() {
            Some('{') => {
                let mut reader = LiteralReader::new(rest);
                let value = reader.value().map_err(|no| self.settled(no))?;
                let is_fenced =
                    behind.get(..behind.len() - rest.len()).is_some_and(|gap| gap.contains("```"));
                let rest = if is_fenced { reader.rest().trim_start() } else { reader.rest() };
                match rest.strip_prefix("```").filter(|_| is_fenced) {
                    Some(rest) => Ok((PrintedCall { name, arguments: value }, rest)),
                    None if is_fenced && !self.is_whole && "```".starts_with(rest) => Err(NoValue::More),
                    None => Ok((PrintedCall { name, arguments: value }, rest)),
                }
            }
            Some('<') if rest.starts_with("<arg_key") || rest.starts_with("<param") => {
                let (arguments, rest) = self.arguments(rest)?;
                Ok((PrintedCall { name, arguments }, rest))
            }
            None if !self.is_whole => Err(NoValue::More),
            Some(_) if !self.is_whole && may_be_gap(rest) => Err(NoValue::More),
            // A tool that needs no arguments.
            _ if behind.trim_start_matches([' ', '\t', '*', '`', '\r']).starts_with('\n')
                || behind.trim_start().starts_with("</")
                || rest.is_empty() =>
            {
                Ok((PrintedCall { name, arguments: Value::Object(Map::new()) }, behind))
            }
            Some(_) => Err(NoValue::Invalid),
            None => Ok((PrintedCall { name, arguments: Value::Object(Map::new()) }, behind)),
        }
    }

    /// `key=value, …)`, or an object in the brackets.
    fn pairs<'a>(&self, inside: &'a str) -> Result<(Value, &'a str), NoValue> {
        let more = |no| self.settled(no);
        let mut reader = LiteralReader::new(inside);
        reader.skip_blanks();
        if reader.rest().starts_with('{') {
            let object = reader.value().map_err(more)?;
            return if reader.skip(')').map_err(more)? {
                Ok((object, reader.rest()))
            } else {
                Err(NoValue::Invalid)
            };
        }
        let mut arguments = Map::new();
        loop {
            if reader.skip(')').map_err(more)? {
                return Ok((Value::Object(arguments), reader.rest()));
            }
            let key = reader.name().map_err(more)?;
            if !reader.skip('=').map_err(more)? && !reader.skip(':').map_err(more)? {
                return Err(NoValue::Invalid);
            }
            let value = reader.value().map_err(more)?;
            arguments.insert(key.to_owned(), value);
            if !reader.skip(',').map_err(more)? && !reader.rest().starts_with(')') {
                return Err(NoValue::Invalid);
            }
        }
    }
}
