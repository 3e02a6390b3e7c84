//! Reads an answer as it streams: which of its text is calls.
//!
//! Must never hold text back for longer than it may be a call, nor change what is none; and never take a call out of content of a
//! file.

use std::hash::{DefaultHasher, Hash, Hasher};

use super::form::{CallForms, FoundCalls, PrintedCall};
use super::literal::NoValue;
use super::marks::closing_token;
use crate::{AnswerText, Event, FinishReason};

/// The longest call, in bytes: what is longer is text.
const LONGEST: usize = 64 << 10;
/// Beyond so many bytes what is held is looked at again only when an eighth more has come, so that reading takes time that grows with
/// the text and no faster.
const SHORT: usize = 256;
/// Words before a call that stands in the place of content, in bytes.
const OPENING: usize = 512;
/// The longest line that may end content, in bytes.
const LONGEST_END: usize = 128;

/// Reads an answer.
pub(super) struct CallReader {
    /// The tools that may be called at this place.
    names: Vec<String>,
    /// All of them.
    offered: Vec<String>,
    messages: usize,
    place: Place,
    /// The lines that end content.
    ends: Vec<String>,
    /// Text of which it is not known yet what it is.
    pending: String,
    /// How long that is when it is looked at again.
    looks_at: usize,
    is_line_start: bool,
    /// What closes the block of code that the text is in.
    fence: Option<String>,
    /// Calls that are none if more text follows, as they were printed.
    uncertain: Vec<PrintedCall>,
    printed: String,
    calls: usize,
    /// Whether the provider itself has sent calls.
    has_own: bool,
}

/// What the text is at this place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Words for a person, with calls.
    Words,
    /// Perhaps a call in the place of content.
    BeforeContent,
    /// Content of a file.
    Content,
    /// Behind the line that ends the content.
    BehindContent,
}

impl CallReader {
    /// For an answer to a conversation of `messages`, so that no two of its calls have one id.
    pub(super) fn new(offered: Vec<String>, text: &AnswerText, messages: usize) -> Self {
        let (place, names, ends) = match text {
            AnswerText::Words => (Place::Words, offered.clone(), Vec::new()),
            AnswerText::Content { ends, calls } if calls.is_empty() => {
                (Place::Content, offered.clone(), ends.clone())
            }
            AnswerText::Content { ends, calls } => (Place::BeforeContent, calls.clone(), ends.clone()),
        };
        Self {
            names,
            offered,
            messages,
            place,
            ends,
            pending: String::new(),
            looks_at: 0,
            is_line_start: true,
            fence: None,
            uncertain: Vec::new(),
            printed: String::new(),
            calls: 0,
            has_own: false,
        }
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
                let mut events = self.end(finish);
                let finish =
                    if self.calls > 0 && !finish.is_cut() { FinishReason::ToolCalls } else { finish };
                events.push(Event::Finish(finish));
                events
            }
            other => vec![other],
        }
    }

    /// Everything that is held is text.
    pub(super) fn flush(&mut self) -> Vec<Event> {
        self.uncertain.clear();
        let held = std::mem::take(&mut self.printed) + &std::mem::take(&mut self.pending);
        if held.is_empty() { Vec::new() } else { vec![Event::Text(held)] }
    }

    fn text(&mut self, text: &str) -> Vec<Event> {
        let mut out = Output::default();
        match self.place {
            Place::Content => self.content(text, &mut out),
            _ => {
                self.pending.push_str(text);
                if self.pending.len() >= self.looks_at {
                    self.read(false, &mut out);
                    let held = self.pending.len();
                    self.looks_at = if held > SHORT { held + held / 8 } else { 0 };
                }
            }
        }
        out.events()
    }

    /// Passes content on as it is, and notes where it ends.
    fn content(&mut self, text: &str, out: &mut Output) {
        for (number, piece) in text.split_inclusive('\n').enumerate() {
            if self.place != Place::Content {
                // The line before was the end.
                let passed: usize = text.split_inclusive('\n').take(number).map(str::len).sum();
                self.pending.push_str(text.get(passed..).unwrap_or_default());
                return self.read(false, out);
            }
            out.text.push_str(piece);
            // The line so far is known, if it may be one that ends content.
            if self.pending.len() + piece.len() <= LONGEST_END {
                self.pending.push_str(piece);
            } else {
                "\u{0}".repeat(LONGEST_END).clone_into(&mut self.pending);
            }
            if piece.ends_with('\n') {
                let line = std::mem::take(&mut self.pending);
                if self.ends.iter().any(|end| line.trim_end() == end) {
                    (self.place, self.is_line_start, self.fence) = (Place::BehindContent, true, None);
                }
            }
        }
    }

    /// The answer is over.
    fn end(&mut self, finish: FinishReason) -> Vec<Event> {
        let mut out = Output::default();
        if self.place == Place::Content {
            self.pending.clear();
            return Vec::new();
        }
        if finish.is_cut()
            && let Some((name, arguments)) = self.cut_call()
        {
            self.pending.clear();
            self.accept(&mut out);
            self.push_call(&mut out, name, &arguments);
            return out.events();
        }
        self.read(true, &mut out);
        self.accept(&mut out);
        out.events()
    }

    /// Reads what is pending, as far as it is known what it is.
    fn read(&mut self, is_whole: bool, out: &mut Output) {
        while !self.pending.is_empty() && self.place != Place::Content {
            // What closes calls that were read is a part of them.
            if self.calls > 0
                && let Some(behind) = closing_token(&self.pending)
            {
                let length = self.pending.len() - behind.len();
                self.pending.drain(..length);
                continue;
            }
            let goes_on = match (&self.fence, self.is_line_start) {
                (Some(_), _) => self.code(is_whole, out),
                (None, true) => self.line_start(is_whole, out),
                (None, false) => self.within_line(is_whole, out),
            };
            if !goes_on {
                return;
            }
        }
    }

    /// Reads at the beginning of a line; whether there is more to read.
    fn line_start(&mut self, is_whole: bool, out: &mut Output) -> bool {
        let forms = CallForms { names: &self.names, is_whole };
        match forms.at_line_start(&self.pending) {
            Ok(found) => {
                let line = found.rest.split_inclusive('\n').next().unwrap_or_default();
                let bare = self.pending.trim_start_matches([' ', '\t', '*', '_', '`', '>']);
                let has_end = bare.starts_with(['<', '[']) && found.is_certain;
                let is_alone =
                    line.trim_matches(|c: char| c.is_whitespace() || "*_`.;>".contains(c)).is_empty();
                if !has_end && is_alone && !line.ends_with('\n') && !is_whole {
                    return self.waits();
                }
                if has_end || is_alone {
                    let length =
                        self.pending.len() - found.rest.len() + if is_alone { line.len() } else { 0 };
                    let FoundCalls { calls, is_certain, .. } = found;
                    return self.found(calls, is_certain, length, out);
                }
            }
            Err(NoValue::More) if !is_whole => return self.waits(),
            Err(_) => {}
        }
        if self.place == Place::BeforeContent {
            return self.opening(is_whole, out);
        }
        let line = self.pending.split('\n').next().unwrap_or_default().trim();
        let ticks = line.len() - line.trim_start_matches('`').len();
        if ticks >= 3 && !line.trim_start_matches('`').contains('`') {
            self.fence = Some("`".repeat(ticks));
            let length = self.pending.find('\n').map_or(self.pending.len(), |end| end + 1);
            self.put(length, out);
        }
        self.is_line_start = false;
        true
    }

    /// Whether what is held is still short enough to be a call; else it is text.
    fn waits(&mut self) -> bool {
        let is_too_long = self.pending.len() > LONGEST;
        if is_too_long {
            self.is_line_start = false;
        }
        is_too_long
    }

    /// A line in the place of content that is no call: one may follow behind a few words.
    fn opening(&mut self, is_whole: bool, out: &mut Output) -> bool {
        let (mut at, forms) = (0, CallForms { names: &self.names, is_whole });
        for line in self.pending.split_inclusive('\n') {
            if at >= OPENING {
                break;
            }
            match forms.at_line_start(self.pending.get(at..).unwrap_or_default()) {
                Ok(found) => {
                    let (calls, length) = (found.calls, self.pending.len() - found.rest.len());
                    return self.found(calls, true, length, out);
                }
                Err(NoValue::More) if !is_whole && self.pending.len() <= LONGEST => return false,
                Err(_) => at += line.len(),
            }
        }
        if self.pending.len() < OPENING && !is_whole {
            return false;
        }
        self.enter(Place::Content);
        self.uncertain.clear();
        let text = std::mem::take(&mut self.printed) + &std::mem::take(&mut self.pending);
        self.content(&text, out);
        false
    }

    fn enter(&mut self, place: Place) {
        self.place = place;
        self.names.clone_from(&self.offered);
    }

    /// Reads on in a line that has begun as text.
    fn within_line(&mut self, is_whole: bool, out: &mut Output) -> bool {
        let end = self.pending.find('\n').map_or(self.pending.len(), |end| end + 1);
        let line = self.pending.get(..end).unwrap_or_default();
        match line.find(['<', '[']) {
            None => {
                self.is_line_start = line.ends_with('\n');
                self.put(end, out);
            }
            Some(0) => match (CallForms { names: &self.names, is_whole }).within_line(&self.pending) {
                Ok(found) => {
                    let length = self.pending.len() - found.rest.len();
                    let calls = found.calls;
                    return self.found(calls, true, length, out);
                }
                Err(NoValue::More) if !is_whole && self.pending.len() <= LONGEST => return false,
                Err(_) => self.put(1, out),
            },
            Some(at) => self.put(at, out),
        }
        true
    }

    /// Reads a line of a block of code.
    fn code(&mut self, is_whole: bool, out: &mut Output) -> bool {
        let end = self.pending.find('\n').map_or(self.pending.len(), |end| end + 1);
        let line = self.pending.get(..end).unwrap_or_default();
        let is_line = line.ends_with('\n');
        let (bare, fence) = (line.trim(), self.fence.as_deref().unwrap_or_default());
        let may_close = self.is_line_start && bare.trim_start_matches('`').is_empty();
        if may_close && !is_line && !is_whole {
            return false;
        }
        if may_close && bare.len() >= fence.len() {
            self.fence = None;
        }
        self.is_line_start = is_line;
        self.put(end, out);
        true
    }

    /// The first `length` bytes of what is pending are calls.
    fn found(&mut self, calls: Vec<PrintedCall>, is_certain: bool, length: usize, out: &mut Output) -> bool {
        let printed: String = self.pending.drain(..length).collect();
        self.is_line_start =
            printed.ends_with('\n') || self.pending.starts_with('\n') || self.pending.is_empty();
        // Behind content a call is one only if nothing follows: else all of it may be content.
        if is_certain && self.place != Place::BehindContent {
            self.accept(out);
            for call in calls {
                self.push_call(out, call.name, &call.arguments.to_string());
            }
            if self.place == Place::BeforeContent {
                self.enter(Place::BehindContent);
            }
        } else {
            self.uncertain.extend(calls);
            self.printed.push_str(&printed);
        }
        true
    }

    /// Calls behind which nothing followed are calls.
    fn accept(&mut self, out: &mut Output) {
        self.printed.clear();
        for call in std::mem::take(&mut self.uncertain) {
            self.push_call(out, call.name, &call.arguments.to_string());
        }
    }

    /// The first `length` bytes of what is pending are text.
    fn put(&mut self, length: usize, out: &mut Output) {
        let text: String = self.pending.drain(..length).collect();
        if !self.printed.is_empty() && text.trim().is_empty() {
            self.printed.push_str(&text);
            return;
        }
        out.text.push_str(&std::mem::take(&mut self.printed));
        self.uncertain.clear();
        out.text.push_str(&text);
        if self.place == Place::BehindContent && !text.trim().is_empty() && self.calls == 0 {
            // What looked like the end was none: all of it is content.
            self.place = Place::Content;
            let rest = std::mem::take(&mut self.pending);
            self.content(&rest, out);
        }
    }

    /// A call that the end of the answer has cut: its tool, and its arguments as far as they came.
    fn cut_call(&self) -> Option<(String, String)> {
        let bare = self.pending.trim_start_matches([' ', '\t', '*', '_', '`', '>']);
        if !bare.starts_with(super::request::CALL) && !bare.starts_with("<tool_call>") {
            return None;
        }
        let named = self.names.iter().filter_map(|name| Some((bare.find(name.as_str())?, name)));
        let (at, name) = named.min_by_key(|(at, name)| (*at, usize::MAX - name.len()))?;
        let behind = bare.get(at + name.len()..)?;
        let arguments = behind.get(behind.find('{')?..)?;
        Some((name.clone(), arguments.to_owned()))
    }

    fn push_call(&mut self, out: &mut Output, name: String, arguments: &str) {
        out.push_text();
        let index = self.calls;
        self.calls += 1;
        let mut hasher = DefaultHasher::new();
        (self.messages, index, &name, arguments).hash(&mut hasher);
        let id = format!("text_{:016x}_{index}", hasher.finish());
        out.events.push(Event::ToolCallStart { index, id, name });
        out.events.push(Event::ToolCallArguments { index, delta: arguments.to_owned() });
    }
}

/// Events of an answer, and text that comes next.
#[derive(Default)]
struct Output {
    events: Vec<Event>,
    text: String,
}

impl Output {
    fn push_text(&mut self) {
        if !self.text.is_empty() {
            self.events.push(Event::Text(std::mem::take(&mut self.text)));
        }
    }

    fn events(mut self) -> Vec<Event> {
        self.push_text();
        self.events
    }
}
