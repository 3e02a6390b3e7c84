//! Finds calls that a model prints: a line `CALL NAME {…}`, or `<tool_call>` around a JSON object.
//!
//! Must never hold text back for longer than it may be a call.

use std::hash::{DefaultHasher, Hash, Hasher};

use serde_json::{Map, Value};

use super::request::CALL;
use crate::{Event, FinishReason};

const OPEN: &str = "<tool_call>";
const CLOSE: &str = "</tool_call>";
/// The longest call, in bytes: what is longer is text.
const LONGEST: usize = 64 << 10;

/// Reads an answer.
pub(super) struct CallReader {
    names: Vec<String>,
    /// Text that may be a call, from the beginning of a line.
    held: String,
    /// Whether the current line is text for certain.
    is_text: bool,
    calls: usize,
    /// Whether the provider itself has sent calls.
    has_own: bool,
}

impl CallReader {
    pub(super) fn new(names: Vec<String>) -> Self {
        Self { names, held: String::new(), is_text: false, calls: 0, has_own: false }
    }

    /// What an event of the answer is.
    pub(super) fn take(&mut self, event: Event) -> Vec<Event> {
        match event {
            Event::Text(text) if !self.has_own => self.text(&text),
            Event::ToolCallStart { .. } => {
                self.has_own = true;
                let mut events = self.flush();
                events.push(event);
                events
            }
            Event::Finish(finish) => {
                let mut events = self.end();
                events.push(Event::Finish(if self.calls > 0 && !finish.is_cut() {
                    FinishReason::ToolCalls
                } else {
                    finish
                }));
                events
            }
            other => vec![other],
        }
    }

    /// Everything that is held is text.
    pub(super) fn flush(&mut self) -> Vec<Event> {
        let held = std::mem::take(&mut self.held);
        if held.is_empty() { Vec::new() } else { vec![Event::Text(held)] }
    }

    fn text(&mut self, text: &str) -> Vec<Event> {
        let (mut events, mut plain) = (Vec::new(), String::new());
        for piece in text.split_inclusive('\n') {
            if self.is_text {
                plain.push_str(piece);
                self.is_text = !piece.ends_with('\n');
                continue;
            }
            self.held.push_str(piece);
            if self.is_open() {
                continue;
            }
            match self.call() {
                Some((name, arguments)) => {
                    push_text(&mut events, &mut plain);
                    self.push_call(&mut events, name, &arguments);
                }
                None => {
                    let held = std::mem::take(&mut self.held);
                    self.is_text = !held.ends_with('\n');
                    plain.push_str(&held);
                }
            }
        }
        push_text(&mut events, &mut plain);
        events
    }

    /// The answer is over.
    fn end(&mut self) -> Vec<Event> {
        let mut events = Vec::new();
        match self.call() {
            Some((name, arguments)) => self.push_call(&mut events, name, &arguments),
            None => events = self.flush(),
        }
        events
    }

    /// Whether what is held may become a call with more.
    fn is_open(&self) -> bool {
        let held = self.held.as_str();
        if held.len() > LONGEST {
            return false;
        }
        let begins = |mark: &str| mark.starts_with(held) || held.starts_with(mark);
        (begins(CALL) && !held.ends_with('\n') && self.may_name(held))
            || (begins(OPEN) && !held.contains(CLOSE))
    }

    /// Whether what follows the mark may be the name of a tool.
    fn may_name(&self, held: &str) -> bool {
        let Some(rest) = held.strip_prefix(CALL) else { return true };
        self.names.iter().any(|name| name.starts_with(rest) || rest.starts_with(name.as_str()))
    }

    /// The call that is held, if it is one.
    fn call(&self) -> Option<(String, String)> {
        let held = self.held.trim();
        if let Some(rest) = held.strip_prefix(CALL) {
            let (name, arguments) = rest.split_once(char::is_whitespace).unwrap_or((rest, "{}"));
            let arguments: Map<String, Value> = serde_json::from_str(arguments.trim()).ok()?;
            return self.known(name, Value::Object(arguments));
        }
        let inside = held.strip_prefix(OPEN)?.split(CLOSE).next()?;
        let mut call: Map<String, Value> = serde_json::from_str(inside.trim()).ok()?;
        let name = call.get("name")?.as_str()?.to_owned();
        let arguments = ["arguments", "parameters"].iter().find_map(|field| call.remove(*field));
        self.known(&name, arguments.unwrap_or_else(|| Value::Object(Map::new())))
    }

    fn known(&self, name: &str, arguments: Value) -> Option<(String, String)> {
        let arguments = match arguments {
            Value::String(text) => text,
            other => other.to_string(),
        };
        self.names.iter().any(|known| known == name).then(|| (name.to_owned(), arguments))
    }

    fn push_call(&mut self, events: &mut Vec<Event>, name: String, arguments: &str) {
        self.held.clear();
        self.is_text = false;
        let index = self.calls;
        self.calls += 1;
        let mut hasher = DefaultHasher::new();
        (index, &name, arguments, events.len()).hash(&mut hasher);
        let id = format!("text_{:016x}_{index}", hasher.finish());
        events.push(Event::ToolCallStart { index, id, name });
        events.push(Event::ToolCallArguments { index, delta: arguments.to_owned() });
    }
}

fn push_text(events: &mut Vec<Event>, text: &mut String) {
    if !text.is_empty() {
        events.push(Event::Text(std::mem::take(text)));
    }
}
