//! Calls that are printed as elements, or behind tokens of a template.
//!
//! Must never take an element for a call whose name is none of ours.

use serde_json::{Map, Value};

use super::form::{CallForms, FoundCalls, FoundResult, PrintedCall};
use super::literal::{LiteralReader, NoValue};
use super::marks::{skip_noise, skip_tokens, token};

/// Elements around calls. What a tag of another name holds is text.
const AROUND: [&str; 9] = [
    "tool_calls",
    "tool_call",
    "function_calls",
    "function_call",
    "functioncall",
    "tool_use",
    "tool_code",
    "tools",
    "tool",
];
/// Elements that name a tool in an attribute, or behind `=`.
const NAMING: [&str; 3] = ["invoke", "function", "tool"];

impl CallForms<'_> {
    /// An element, or a token of a template.
    pub(super) fn tag<'a>(&self, text: &'a str) -> FoundResult<'a> {
        if let Some(behind) = token(text) {
            let inside = text.get(..text.len() - behind.len()).unwrap_or_default();
            if !["tool", "function", "python_tag"].iter().any(|word| inside.contains(word)) {
                return Err(NoValue::Invalid);
            }
            let rest = skip_noise(behind);
            let found = self.inner(rest)?;
            return Ok(FoundCalls { rest: skip_tokens(found.rest), is_certain: true, ..found });
        }
        if text.starts_with("<|") || text.starts_with("<｜") {
            return if text.len() < 64 && !text.contains('\n') { self.more() } else { Err(NoValue::Invalid) };
        }
        let Some((head, body)) = text.get(1..).unwrap_or_default().split_once('>') else {
            return if self.may_be_tag(text) { self.more() } else { Err(NoValue::Invalid) };
        };
        let (element, name) = tag_parts(head);
        if let Some(name) = name.filter(|_| NAMING.contains(&element)) {
            let name = self.known(name).ok_or(NoValue::Invalid)?;
            return self.element(name, element, body);
        }
        if AROUND.contains(&element) {
            return self.around(element, body);
        }
        let name = self.known(element).ok_or(NoValue::Invalid)?;
        self.element(name, element, body)
    }

    /// Whether a tag that is not whole may be one of ours.
    fn may_be_tag(&self, text: &str) -> bool {
        let name = text.trim_start_matches('<');
        let name = name.strip_prefix("antml:").unwrap_or(name);
        let known = |tag: &str| tag.starts_with(name) || (name.starts_with(tag) && name.len() < 256);
        !text.contains('\n')
            && (AROUND.iter().chain(&NAMING).any(|tag| known(tag))
                || "antml:".starts_with(name)
                || self.names.iter().any(|tag| known(tag)))
    }

    /// Calls in an element around them.
    fn around<'a>(&self, element: &str, body: &'a str) -> FoundResult<'a> {
        let mut calls = Vec::new();
        let mut rest = skip_noise(body);
        loop {
            if let Some(behind) = closed(rest, element) {
                return certain(calls, behind);
            }
            if rest.is_empty() {
                return if self.is_whole { certain(calls, rest) } else { Err(NoValue::More) };
            }
            let found = match self.inner(rest) {
                Err(NoValue::Invalid) if !self.is_whole && may_close(rest, element) => {
                    return Err(NoValue::More);
                }
                found => found?,
            };
            calls.extend(found.calls);
            rest = skip_noise(found.rest);
        }
    }

    /// A call whose element holds its arguments.
    fn element<'a>(&self, name: String, element: &str, body: &'a str) -> FoundResult<'a> {
        let (arguments, rest) = self.arguments(body)?;
        let rest = rest.trim_start();
        match closed(rest, element) {
            Some(rest) => certain(vec![PrintedCall { name, arguments }], rest),
            None if rest.is_empty() && self.is_whole => certain(vec![PrintedCall { name, arguments }], rest),
            None if may_close(rest, element) => self.more(),
            None => Err(NoValue::Invalid),
        }
    }

    /// Arguments as an object, or as one element each.
    pub(super) fn arguments<'a>(&self, body: &'a str) -> Result<(Value, &'a str), NoValue> {
        let mut rest = body.trim_start();
        if rest.starts_with('{') {
            let mut reader = LiteralReader::new(rest);
            let value = reader.value().map_err(|no| self.settled(no))?;
            return Ok((value, reader.rest()));
        }
        let mut arguments = Map::new();
        while rest.starts_with('<') && !rest.starts_with("</") {
            let Some((head, behind)) = rest.get(1..).unwrap_or_default().split_once('>') else {
                return self.more();
            };
            let (element, key) = tag_parts(head);
            let (value, left) = self.text_of(element, behind)?;
            rest = left.trim_start();
            match (element, key) {
                ("arg_key", _) => {
                    let Some(behind) = rest.strip_prefix("<arg_value>") else {
                        return if "<arg_value>".starts_with(rest) {
                            self.more()
                        } else {
                            Err(NoValue::Invalid)
                        };
                    };
                    let (text, left) = self.text_of("arg_value", behind)?;
                    rest = left.trim_start();
                    arguments.insert(value.trim().to_owned(), typed(text));
                }
                (_, Some(key)) => _ = arguments.insert(key.to_owned(), typed(value)),
                (key, None) => _ = arguments.insert(key.to_owned(), typed(value)),
            }
        }
        Ok((Value::Object(arguments), rest))
    }

    /// The text of an element, and what is behind its end.
    fn text_of<'a>(&self, element: &str, body: &'a str) -> Result<(&'a str, &'a str), NoValue> {
        let end = format!("</{element}>");
        match body.split_once(&end) {
            Some(parts) => Ok(parts),
            None => self.more(),
        }
    }
}

fn certain(calls: Vec<PrintedCall>, rest: &str) -> FoundResult<'_> {
    if calls.is_empty() { Err(NoValue::Invalid) } else { Ok(FoundCalls { calls, rest, is_certain: true }) }
}

/// Element and name of the inside of a tag: `function=NAME`, `invoke name="NAME"`, `NAME`.
fn tag_parts(head: &str) -> (&str, Option<&str>) {
    let head = head.trim();
    let head = head.strip_prefix("antml:").unwrap_or(head);
    if let Some((element, name)) = head.split_once('=').filter(|(element, _)| !element.contains(' ')) {
        return (element, Some(name.trim_matches(['"', '\'', ' '])));
    }
    let Some((element, attributes)) = head.split_once(char::is_whitespace) else { return (head, None) };
    let named = attributes.trim().strip_prefix("name=").unwrap_or_default();
    let name = named.trim_start_matches(['"', '\'']).split(['"', '\'']).next();
    (element, name.filter(|name| !name.is_empty()))
}

/// What is behind the end of an element, if that comes next.
fn closed<'a>(rest: &'a str, element: &str) -> Option<&'a str> {
    ["", "antml:"].iter().find_map(|space| rest.strip_prefix(&format!("</{space}{element}>")))
}

/// Whether the end of an element may come next.
fn may_close(rest: &str, element: &str) -> bool {
    ["", "antml:"].iter().any(|space| format!("</{space}{element}>").starts_with(rest))
}

/// The value that the text of an element stands for.
fn typed(text: &str) -> Value {
    let inner = text.strip_prefix('\n').unwrap_or(text);
    let inner = inner.strip_suffix('\n').unwrap_or(inner);
    let is_structure = inner.trim_start().starts_with(['{', '[']);
    let is_word = matches!(inner.trim(), "true" | "false" | "null" | "True" | "False" | "None");
    let value = (is_structure || is_word).then(|| format!("{inner} "));
    let read = value.and_then(|text| {
        let mut reader = LiteralReader::new(&text);
        reader.value().ok().filter(|_| reader.rest().trim().is_empty())
    });
    read.unwrap_or_else(|| Value::from(inner))
}
