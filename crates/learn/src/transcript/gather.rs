//! From entries to a session: a fold over the lines, then one look at what belongs together.

use std::collections::HashMap;
use std::io::Read;

use super::entry::{Arguments, Block, Content, Entry, Kind, Message};
use super::findings::Problem;
use super::lines::LineEnd;
use super::origin::{Origin, as_typed, of_assistant, of_user};
use super::outcome::{Outcome, of_result};
use super::pairing::{Fate, Pairing};
use super::parse::Bad;
use super::reader::{Item, Reader, Reading};
use super::session::{Answered, Called, Session, Step, What};
use super::stats::sha;
use super::tree::Tree;
use crate::Text;

impl Session {
    /// Reads a whole file. A last line without an end is read only if `is_over`: the file does not grow any more.
    ///
    /// # Errors
    /// Whatever the source says.
    pub fn read(source: impl Read, is_over: bool) -> std::io::Result<Self> {
        let mut reader = Reader::new(source);
        let mut gathering = Gathering::new(is_over);
        while let Some(reading) = reader.next_reading()? {
            gathering.take(&reading);
        }
        Ok(gathering.finish())
    }
}

/// Gathers a session.
struct Gathering {
    session: Session,
    is_over: bool,
    tree: Tree,
    /// For each place in the tree the line.
    lines: Vec<u64>,
    /// For each step its place in the tree.
    places: Vec<usize>,
    pairing: Pairing,
    /// For each call its step.
    calls: Vec<usize>,
    /// Each result, with its place in the tree.
    results: Vec<(Answered, usize)>,
    headers: u32,
}

/// What all steps of an entry share.
struct At {
    line: u64,
    place: usize,
    entry: Option<String>,
    timestamp: Option<String>,
    is_meta: bool,
}

impl Gathering {
    fn new(is_over: bool) -> Self {
        Self {
            session: Session::default(),
            is_over,
            tree: Tree::default(),
            lines: Vec::new(),
            places: Vec::new(),
            pairing: Pairing::default(),
            calls: Vec::new(),
            results: Vec::new(),
            headers: 0,
        }
    }

    fn take(&mut self, reading: &Reading<'_>) {
        let line = reading.line.number;
        let is_whole = reading.line.end != LineEnd::File;
        if !is_whole && (!self.is_over || matches!(reading.item, Item::Bad(Bad::Torn))) {
            if !matches!(reading.item, Item::Blank) {
                self.find(line, Problem::TornTail, "");
            }
            return;
        }
        self.session.end.offset = reading.line.next_offset();
        self.session.end.lines = line;
        self.session.end.used_lines += u64::from(!matches!(reading.item, Item::Blank));
        if reading.oddities.lone_surrogate {
            self.find(line, Problem::LoneSurrogate, "");
        }
        if reading.oddities.duplicate_key {
            self.find(line, Problem::DuplicateKey, "");
        }
        match &reading.item {
            Item::Blank => {}
            Item::Bad(bad) => {
                self.session.end.bad_lines += 1;
                let problem = if *bad == Bad::TooLong { Problem::LineTooLong } else { Problem::BadLine };
                let why = serde_json::to_value(bad).ok();
                self.find(line, problem, why.as_ref().and_then(|why| why.as_str()).unwrap_or_default());
            }
            Item::Entry(entry) => self.entry(line, entry),
        }
    }

    fn entry(&mut self, line: u64, entry: &Entry<'_>) {
        match &entry.kind {
            Kind::Session(header) => {
                self.headers += 1;
                if self.headers > 1 {
                    self.find(line, Problem::SecondHeader, "");
                    return;
                }
                self.session.id = said(header.id);
                self.session.version = header.version;
                self.session.cwd = said(header.cwd);
                self.session.parent = said(header.parent_session);
                self.session.begun = said(entry.timestamp);
                return;
            }
            Kind::NoMessage => {
                self.find(line, Problem::MessageMissing, "");
                return;
            }
            Kind::Leaf { target: Some(target) } => {
                self.tree.move_leaf(&target.decode());
                return;
            }
            _ => {}
        }
        // A helper's conversation hangs on its own: it must not become the leaf.
        if entry.is_aside {
            return;
        }
        let id = said(entry.id);
        let place = self.tree.add(id.as_deref(), entry.parent);
        self.lines.push(line);
        let at = At { line, place, entry: id, timestamp: said(entry.timestamp), is_meta: entry.is_meta };
        match &entry.kind {
            Kind::Message(message) => self.message(&at, message),
            Kind::CustomMessage { content } => {
                for text in content.texts() {
                    let text = text.decode().into_owned();
                    self.step(&at, What::User { text, origin: Origin::Hook });
                }
            }
            Kind::Model { model: Some(model), .. } => self.model(*model),
            Kind::Compaction => self.find(line, Problem::Compaction, ""),
            Kind::Unknown => self.find(line, Problem::UnknownEntry, ""),
            _ => {}
        }
    }

    fn message(&mut self, at: &At, message: &Message<'_>) {
        match message.role.decode().as_ref() {
            "user" => self.said_by_user(at, message),
            "assistant" => self.said_by_model(at, message),
            "toolResult" | "tool" => {
                let id = message.call_id.unwrap_or_default();
                let result = Found {
                    tool: message.tool,
                    content: &message.content,
                    is_error: message.is_error,
                    details: message.details,
                };
                self.result(at, id, &result);
            }
            "bashExecution" => {
                let what = What::Command {
                    command: said(message.command).unwrap_or_default(),
                    output: said(message.output).unwrap_or_default(),
                    exit: message.exit_code.and_then(|exit| exit.parse().ok()),
                };
                self.step(at, what);
            }
            "custom" | "hookMessage" => {
                for text in message.content.texts() {
                    let text = text.decode().into_owned();
                    self.step(at, What::User { text, origin: Origin::Hook });
                }
            }
            // Summaries are no experience: what they sum up stands in the file.
            _ => {}
        }
    }

    fn said_by_user(&mut self, at: &At, message: &Message<'_>) {
        if let Content::Text(text) = &message.content {
            self.user(at, *text);
        }
        for block in message.content.blocks() {
            match block {
                Block::Text(text) => self.user(at, *text),
                Block::Result(item) => {
                    let result = Found {
                        tool: item.tool,
                        content: &item.content,
                        is_error: item.is_error,
                        details: item.details,
                    };
                    self.result(at, item.call_id, &result);
                }
                other => self.piece(at, other),
            }
        }
    }

    fn user(&mut self, at: &At, text: Text<'_>) {
        let text = text.decode();
        let text = as_typed(&text);
        let origin = of_user(text, at.is_meta);
        self.step(at, What::User { text: text.to_owned(), origin });
    }

    fn said_by_model(&mut self, at: &At, message: &Message<'_>) {
        let origin = of_assistant(message);
        if origin == Origin::Model {
            if let Some(model) = message.model {
                self.model(model);
            }
        } else {
            self.find(at.line, Problem::NotFromModel, "");
        }
        if let Content::Text(text) = &message.content {
            self.step(at, What::Assistant { text: text.decode().into_owned(), origin });
        }
        for block in message.content.blocks() {
            match block {
                Block::Text(text) => {
                    self.step(at, What::Assistant { text: text.decode().into_owned(), origin });
                }
                Block::Thinking(text) if !text.is_empty() => {
                    self.step(at, What::Thinking(text.decode().into_owned()));
                }
                Block::Call(call) => {
                    let arguments = match call.arguments {
                        Arguments::Json(json) => json.to_owned(),
                        Arguments::Text(text) => text.decode().into_owned(),
                    };
                    let id = call.id.decode();
                    self.pairing.call(&id);
                    self.calls.push(self.session.steps.len());
                    let tool = call.tool.decode().into_owned();
                    self.step(at, What::Call(Called { id: id.into_owned(), tool, arguments, result: None }));
                }
                Block::Result(item) => {
                    let result = Found {
                        tool: item.tool,
                        content: &item.content,
                        is_error: item.is_error,
                        details: item.details,
                    };
                    self.result(at, item.call_id, &result);
                }
                other => self.piece(at, other),
            }
        }
        let reason = said(message.stop_reason).unwrap_or_default();
        if matches!(reason.as_str(), "aborted" | "error" | "length" | "max_tokens") {
            self.step(at, What::Stopped { reason, message: said(message.error).unwrap_or_default() });
        }
    }

    fn piece(&mut self, at: &At, block: &Block<'_>) {
        match block {
            Block::Image { mime, data } => {
                let data = data.map(|data| data.decode()).unwrap_or_default();
                let mime = said(*mime).unwrap_or_default();
                self.step(at, What::Image { mime, size: data.len(), sha: sha(data.as_bytes()) });
            }
            Block::HalfCall => self.find(at.line, Problem::HalfCall, ""),
            Block::Odd => self.find(at.line, Problem::OddPiece, ""),
            _ => {}
        }
    }

    fn result(&mut self, at: &At, id: Text<'_>, found: &Found<'_>) {
        let mut text = String::new();
        for piece in found.content.texts() {
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(&piece.decode());
        }
        for block in found.content.blocks() {
            if let Block::Image { .. } = block {
                self.piece(at, block);
            }
        }
        let outcome = of_result(found.is_error, found.details, &text);
        let call_id = id.decode().into_owned();
        self.pairing.result(&call_id);
        let tool = said(found.tool).unwrap_or_default();
        self.results.push((Answered { line: at.line, call_id, tool, text, outcome }, at.place));
    }

    fn model(&mut self, model: Text<'_>) {
        let model = model.decode();
        if !self.session.models.iter().any(|known| *known == model) {
            self.session.models.push(model.into_owned());
        }
    }

    fn step(&mut self, at: &At, what: What) {
        self.places.push(at.place);
        self.session.steps.push(Step {
            line: at.line,
            entry: at.entry.clone(),
            timestamp: at.timestamp.clone(),
            is_on_path: false,
            what,
        });
    }

    fn find(&mut self, line: u64, problem: Problem, detail: &str) {
        self.session.findings.add(line, problem, detail);
    }

    fn finish(mut self) -> Session {
        let mut is_on_path = vec![false; self.lines.len()];
        for place in self.tree.path() {
            if let Some(is_on_path) = is_on_path.get_mut(place) {
                *is_on_path = true;
            }
        }
        let is_on_path = |place: usize| is_on_path.get(place).copied().unwrap_or_default();
        for (step, place) in self.session.steps.iter_mut().zip(&self.places) {
            step.is_on_path = is_on_path(*place);
        }
        self.tell_tree();
        let strays = self.pair();
        for (answered, place) in strays {
            let step = Step {
                line: answered.line,
                entry: None,
                timestamp: None,
                is_on_path: is_on_path(place),
                what: What::StrayResult(answered),
            };
            let at = self.session.steps.partition_point(|known| known.line <= step.line);
            self.session.steps.insert(at, step);
        }
        self.session.findings.sort();
        self.session
    }

    fn tell_tree(&mut self) {
        if self.headers == 0 && self.session.end.used_lines > self.session.end.bad_lines {
            self.find(1, Problem::NoHeader, "");
        }
        let line_of = |place: &usize| self.lines.get(*place).copied().unwrap_or_default();
        let dangling: Vec<u64> = self.tree.dangling().iter().map(line_of).collect();
        let twice: Vec<u64> = self.tree.twice().iter().map(line_of).collect();
        for line in dangling {
            self.find(line, Problem::DanglingParent, "");
        }
        for line in twice {
            self.find(line, Problem::DuplicateId, "");
        }
        let mut left: Vec<u64> =
            self.session.steps.iter().filter(|step| !step.is_on_path).map(|step| step.line).collect();
        left.dedup();
        for line in left {
            self.find(line, Problem::AbandonedBranch, "");
        }
    }

    /// Gives each call its result; returns the results that have none, by line.
    fn pair(&mut self) -> Vec<(Answered, usize)> {
        let pairs = self.pairing.finish();
        let mut strays = Vec::new();
        let mut results: HashMap<usize, Answered> = HashMap::new();
        for (number, (answered, place)) in std::mem::take(&mut self.results).into_iter().enumerate() {
            match answered.outcome {
                Outcome::Synthetic => self.find(answered.line, Problem::SyntheticResult, &answered.call_id),
                Outcome::Pending => self.find(answered.line, Problem::PendingResult, &answered.call_id),
                Outcome::Fine | Outcome::Failed => {}
            }
            match pairs.of_result.get(number) {
                Some(Fate::Paired { is_late, .. }) => {
                    if *is_late {
                        self.find(answered.line, Problem::LateResult, &answered.call_id);
                    }
                    results.insert(number, answered);
                }
                Some(Fate::Duplicate { .. }) => {
                    self.find(answered.line, Problem::DuplicateResult, &answered.call_id);
                }
                Some(Fate::Orphan) | None => {
                    self.find(answered.line, Problem::OrphanResult, &answered.call_id);
                    strays.push((answered, place));
                }
            }
        }
        for (number, step) in std::mem::take(&mut self.calls).into_iter().enumerate() {
            let Some(Step { what: What::Call(called), line, .. }) = self.session.steps.get_mut(step) else {
                continue;
            };
            called.result =
                pairs.of_call.get(number).copied().flatten().and_then(|result| results.remove(&result));
            if called.result.is_none() {
                let (line, id) = (*line, called.id.clone());
                self.find(line, Problem::OrphanCall, &id);
            }
        }
        strays
    }
}

/// A result as it was found, in either shape.
struct Found<'a> {
    tool: Option<Text<'a>>,
    content: &'a Content<'a>,
    is_error: bool,
    details: Option<&'a str>,
}

fn said(text: Option<Text<'_>>) -> Option<String> {
    text.map(|text| text.decode().into_owned())
}
