//! Builds a session from its entries: a fold over the lines, then one pass that pairs calls and results.
//!
//! A source that can give its lines again spares the memory for long texts: the same walk over a line finds them a second time.

use std::borrow::Cow;
use std::hash::Hasher;
use std::io::Read;
use std::sync::Arc;

use super::entry::{Arguments, Content, ContentBlock, EntryKind, TranscriptEntry, TranscriptMessage};
use super::findings::FindingKind;
use super::lines::LineEnd;
use super::outcome::{CallOutcome, of_result};
use super::pairing::{Pairing, ResultFate, ResultMatch};
use super::parse::{LineError, parse};
use super::reader::{BOM, LineContent, LineReading, TranscriptReader};
use super::session::{CallStep, StepKind, StepResult, StrayResult, Transcript, TranscriptStep};
use super::session_text::{SessionText, SharedSource, TextPlace, TextSource};
use super::short_text::{SharedNames, ShortText, StepTime};
use super::speaker::{Speaker, as_typed, of_assistant, of_user};
use super::stats::sha;
use super::tree::EntryTree;
use crate::Text;

impl Transcript {
    /// Reads a whole file. A last line without an end is read only if `is_over`: the file does not grow any more.
    ///
    /// # Errors
    /// Whatever the source says.
    pub fn read(source: impl Read, is_over: bool) -> std::io::Result<Self> {
        Self::gather(source, TranscriptBuilder::new(is_over))
    }

    /// The same; long texts are not held, `texts` gives them again.
    ///
    /// # Errors
    /// Whatever the source says.
    pub fn read_sparing(
        source: impl Read,
        is_over: bool,
        texts: Arc<dyn TextSource>,
    ) -> std::io::Result<Self> {
        Self::gather(
            source,
            TranscriptBuilder { texts: Some(texts.into()), ..TranscriptBuilder::new(is_over) },
        )
    }

    fn gather(source: impl Read, mut gathering: TranscriptBuilder) -> std::io::Result<Self> {
        let mut reader = TranscriptReader::new(source);
        while let Some(reading) = reader.next_reading()? {
            gathering.take(&reading);
        }
        Ok(gathering.finish())
    }
}

/// Bytes from which on a text is long.
const LONG: usize = 4 << 10;

/// Bytes of texts that are held before shorter ones are long, too.
const HELD: usize = 8 << 20;

/// Bytes from which on a text is long then.
const SHORT: usize = 256;

/// The text of a line that stood at a place before.
pub fn text_in(line: &[u8], place: &TextPlace) -> Option<String> {
    let entry = parse(line.strip_prefix(BOM).unwrap_or(line)).ok()?.entry;
    let mut gathering = TranscriptBuilder { wanted: Some(place.nth), ..TranscriptBuilder::new(true) };
    gathering.entry(1, &entry);
    let is_it = |text: &String| u32::try_from(text.len()) == Ok(place.bytes) && hash_of(text) == place.hash;
    gathering.found.filter(is_it)
}

fn hash_of(text: &str) -> u64 {
    let mut hasher = std::collections::hash_map::DefaultHasher::new();
    hasher.write(text.as_bytes());
    hasher.finish()
}

/// Gathers a session.
struct TranscriptBuilder {
    session: Transcript,
    is_over: bool,
    tree: EntryTree,
    /// For each step its place in the tree.
    places: Vec<u32>,
    pairing: Pairing,
    /// For each call its step.
    calls: Vec<u32>,
    /// How many results there were.
    results: usize,
    /// The results whose call is not known before the end.
    early: Vec<EarlyResult>,
    tools: SharedNames,
    headers: u32,
    /// Whether the first message is of a helper, so that the whole file is.
    is_helper: Option<bool>,
    /// Gives long texts again.
    texts: Option<SharedSource>,
    /// Bytes of texts that are held.
    held: usize,
    /// Where the line stands that is taken, and how many texts it has so far.
    at: (u64, u64, u32),
    /// The one text that is looked for, and it.
    wanted: Option<u32>,
    found: Option<String>,
}

/// What all steps of an entry share.
struct EntryContext {
    line: u64,
    place: usize,
    entry: Option<ShortText>,
    timestamp: Option<StepTime>,
    is_meta: bool,
}

/// A result that stands before its call, or has none.
struct EarlyResult {
    /// Which of all results it is, from 0.
    number: usize,
    place: usize,
    call_id: String,
    result: StepResult,
}

impl TranscriptBuilder {
    fn new(is_over: bool) -> Self {
        Self {
            session: Transcript::default(),
            is_over,
            tree: EntryTree::default(),
            places: Vec::new(),
            pairing: Pairing::default(),
            calls: Vec::new(),
            results: 0,
            early: Vec::new(),
            tools: SharedNames::default(),
            headers: 0,
            is_helper: None,
            texts: None,
            held: 0,
            at: (0, 0, 0),
            wanted: None,
            found: None,
        }
    }

    fn take(&mut self, reading: &LineReading<'_>) {
        let line = reading.line.number;
        self.at = (reading.line.offset, reading.line.length, 0);
        let is_whole = reading.line.end != LineEnd::File;
        if !is_whole && (!self.is_over || matches!(reading.item, LineContent::Bad(LineError::Torn))) {
            if !matches!(reading.item, LineContent::Blank) {
                self.find(line, FindingKind::TornTail, "");
            }
            return;
        }
        self.session.end.offset = reading.line.next_offset();
        self.session.end.lines = line;
        self.session.end.used_lines += u64::from(!matches!(reading.item, LineContent::Blank));
        if reading.oddities.lone_surrogate {
            self.find(line, FindingKind::LoneSurrogate, "");
        }
        if reading.oddities.duplicate_key {
            self.find(line, FindingKind::DuplicateKey, "");
        }
        match &reading.item {
            LineContent::Blank => {}
            LineContent::Bad(bad) => {
                self.session.end.bad_lines += 1;
                let problem =
                    if *bad == LineError::TooLong { FindingKind::LineTooLong } else { FindingKind::BadLine };
                let why = serde_json::to_value(bad).ok();
                self.find(line, problem, why.as_ref().and_then(|why| why.as_str()).unwrap_or_default());
            }
            LineContent::Entry(entry) => self.entry(line, entry),
        }
    }

    fn entry(&mut self, line: u64, entry: &TranscriptEntry<'_>) {
        match &entry.kind {
            EntryKind::Session(header) => {
                self.headers += 1;
                if self.headers > 1 {
                    self.find(line, FindingKind::SecondHeader, "");
                    return;
                }
                self.session.id = decoded(header.id);
                self.session.version = header.version;
                self.session.cwd = decoded(header.cwd);
                self.session.parent = decoded(header.parent_session);
                self.session.begun = decoded(entry.timestamp);
                return;
            }
            EntryKind::NoMessage => {
                self.find(line, FindingKind::MessageMissing, "");
                return;
            }
            EntryKind::Leaf { target: Some(target) } => {
                self.tree.move_leaf(&target.decode());
                return;
            }
            _ => {}
        }
        // A helper's conversation hangs on its own: it must not become the leaf. In a file of its own it is the conversation.
        if matches!(entry.kind, EntryKind::Message(_)) && self.is_helper.is_none() {
            self.is_helper = Some(entry.is_aside);
            if entry.is_aside {
                self.session.is_helper = true;
                self.session.parent = self.session.parent.take().or_else(|| decoded(entry.session));
            }
        }
        if entry.is_aside && self.is_helper != Some(true) {
            return;
        }
        let id = entry.id.map(|id| id.decode());
        let odd = (self.tree.dangling().len(), self.tree.twice().len());
        let place = self.tree.add(id.as_deref(), entry.parent);
        if self.tree.dangling().len() > odd.0 {
            self.find(line, FindingKind::DanglingParent, "");
        }
        if self.tree.twice().len() > odd.1 {
            self.find(line, FindingKind::DuplicateId, "");
        }
        let at = EntryContext {
            line,
            place,
            entry: id.map(|id| ShortText::from(id.as_ref())),
            timestamp: entry.timestamp.map(|time| StepTime::from(time.decode().as_ref())),
            is_meta: entry.is_meta,
        };
        match &entry.kind {
            EntryKind::Message(message) => self.message(&at, message),
            EntryKind::CustomMessage { content } => {
                for text in content.texts() {
                    let text = self.hold(text.decode());
                    self.step(&at, StepKind::User { text, origin: Speaker::Hook });
                }
            }
            EntryKind::Model { model: Some(model), .. } => self.model(*model),
            EntryKind::Compaction => self.find(line, FindingKind::Compaction, ""),
            EntryKind::Unknown => self.find(line, FindingKind::UnknownEntry, ""),
            _ => {}
        }
    }

    fn message(&mut self, at: &EntryContext, message: &TranscriptMessage<'_>) {
        match message.role.decode().as_ref() {
            "user" => self.user_message(at, message),
            "assistant" => self.model_message(at, message),
            "toolResult" | "tool" => {
                let id = message.call_id.unwrap_or_default();
                let result = ResultFields {
                    tool: message.tool,
                    content: &message.content,
                    is_error: message.is_error,
                    details: message.details,
                };
                self.result(at, id, &result);
            }
            "bashExecution" => {
                let what = StepKind::Command {
                    command: decoded(message.command).unwrap_or_default(),
                    output: self.hold(message.output.map(|output| output.decode()).unwrap_or_default()),
                    exit: message.exit_code.and_then(|exit| exit.parse().ok()),
                };
                self.step(at, what);
            }
            "custom" | "hookMessage" => {
                for text in message.content.texts() {
                    let text = self.hold(text.decode());
                    self.step(at, StepKind::User { text, origin: Speaker::Hook });
                }
            }
            // Summaries are no experience: what they sum up stands in the file.
            _ => {}
        }
    }

    fn user_message(&mut self, at: &EntryContext, message: &TranscriptMessage<'_>) {
        if let Content::Text(text) = &message.content {
            self.user(at, *text);
        }
        for block in message.content.blocks() {
            match block {
                ContentBlock::Text(text) => self.user(at, *text),
                ContentBlock::Result(item) => {
                    let result = ResultFields {
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

    fn user(&mut self, at: &EntryContext, text: Text<'_>) {
        let text = text.decode();
        let text = as_typed(&text);
        let origin = of_user(text, at.is_meta || self.session.is_helper);
        let text = self.hold(Cow::Borrowed(text));
        self.step(at, StepKind::User { text, origin });
    }

    fn model_message(&mut self, at: &EntryContext, message: &TranscriptMessage<'_>) {
        let origin = of_assistant(message);
        if origin == Speaker::Model {
            if let Some(model) = message.model {
                self.model(model);
            }
        } else {
            self.find(at.line, FindingKind::NotFromModel, "");
        }
        if let Content::Text(text) = &message.content {
            let text = self.hold(text.decode());
            self.step(at, StepKind::Assistant { text, origin });
        }
        for block in message.content.blocks() {
            match block {
                ContentBlock::Text(text) => {
                    let text = self.hold(text.decode());
                    self.step(at, StepKind::Assistant { text, origin });
                }
                ContentBlock::Thinking(text) if !text.is_empty() => {
                    let text = self.hold(text.decode());
                    self.step(at, StepKind::Thinking(text));
                }
                ContentBlock::Call(call) => {
                    let arguments = match call.arguments {
                        Arguments::Json(json) => self.hold(Cow::Borrowed(json)),
                        Arguments::Text(text) => self.hold(text.decode()),
                    };
                    let id = call.id.decode();
                    self.pairing.call(&id);
                    self.calls.push(small(self.session.steps.len()));
                    let tool = self.tools.name(&call.tool.decode());
                    let id = ShortText::from(id.as_ref());
                    self.step(at, StepKind::Call(CallStep { id, tool, arguments, result: None }));
                }
                ContentBlock::Result(item) => {
                    let result = ResultFields {
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
        let reason = decoded(message.stop_reason).unwrap_or_default();
        if matches!(reason.as_str(), "aborted" | "error" | "length" | "max_tokens") {
            self.step(at, StepKind::Stopped { reason, message: decoded(message.error).unwrap_or_default() });
        }
    }

    fn piece(&mut self, at: &EntryContext, block: &ContentBlock<'_>) {
        match block {
            ContentBlock::Image { mime, data } => {
                let data = data.map(|data| data.decode()).unwrap_or_default();
                let mime = decoded(*mime).unwrap_or_default();
                self.step(at, StepKind::Image { mime, size: data.len(), sha: sha(data.as_bytes()) });
            }
            ContentBlock::HalfCall => self.find(at.line, FindingKind::HalfCall, ""),
            ContentBlock::Odd => self.find(at.line, FindingKind::OddPiece, ""),
            _ => {}
        }
    }

    fn result(&mut self, at: &EntryContext, id: Text<'_>, found: &ResultFields<'_>) {
        let mut text = String::new();
        for piece in found.content.texts() {
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(&piece.decode());
        }
        for block in found.content.blocks() {
            if let ContentBlock::Image { .. } = block {
                self.piece(at, block);
            }
        }
        let outcome = of_result(found.is_error, found.details, &text);
        let call_id = id.decode();
        let fate = self.pairing.result(&call_id);
        let number = self.results;
        self.results += 1;
        let tool = self.tools.name(&found.tool.map(|tool| tool.decode()).unwrap_or_default());
        let text = self.hold(Cow::Owned(text));
        match outcome {
            CallOutcome::Synthetic => self.find(at.line, FindingKind::SyntheticResult, &call_id),
            CallOutcome::Pending => self.find(at.line, FindingKind::PendingResult, &call_id),
            CallOutcome::Fine | CallOutcome::Failed => {}
        }
        let result = StepResult { line: at.line, tool, text, outcome };
        match fate {
            ResultFate::Answers(call) => self.answer(call as usize, result),
            ResultFate::Repeats(_) => self.find(at.line, FindingKind::DuplicateResult, &call_id),
            ResultFate::Early => {
                let call_id = call_id.into_owned();
                self.early.push(EarlyResult { number, place: at.place, call_id, result });
            }
        }
    }

    /// Gives a call its result.
    fn answer(&mut self, call: usize, result: StepResult) {
        let step = self.calls.get(call).and_then(|step| self.session.steps.get_mut(*step as usize));
        if let Some(TranscriptStep { what: StepKind::Call(called), .. }) = step {
            called.result = Some(result);
        }
    }

    /// Keeps a text, or the place where it stands. Every text that may be long comes through here, in the order of its line.
    fn hold(&mut self, text: Cow<'_, str>) -> SessionText {
        let (offset, length, nth) = self.at;
        self.at.2 += 1;
        if let Some(wanted) = self.wanted {
            if wanted == nth {
                self.found = Some(text.into_owned());
            }
            return SessionText::default();
        }
        let long = if self.held > HELD { SHORT } else { LONG };
        let texts = self.texts.as_ref().filter(|_| text.len() >= long);
        let sizes = u32::try_from(length).ok().zip(u32::try_from(text.len()).ok());
        match texts.zip(sizes) {
            Some((texts, (length, bytes))) => {
                let place = TextPlace { offset, length, nth, bytes, hash: hash_of(&text) };
                SessionText::there(texts.clone(), place)
            }
            None => {
                self.held += text.len();
                SessionText::from(text.into_owned())
            }
        }
    }

    fn model(&mut self, model: Text<'_>) {
        let model = model.decode();
        if !self.session.models.iter().any(|known| *known == model) {
            self.session.models.push(model.into_owned());
        }
    }

    fn step(&mut self, at: &EntryContext, what: StepKind) {
        self.places.push(small(at.place));
        self.session.steps.push(TranscriptStep {
            line: at.line,
            entry: at.entry.clone(),
            timestamp: at.timestamp.clone(),
            is_on_path: false,
            what,
        });
    }

    fn find(&mut self, line: u64, problem: FindingKind, detail: &str) {
        self.session.findings.add(line, problem, detail);
    }

    fn finish(mut self) -> Transcript {
        let mut is_on_path = Vec::new();
        for place in std::mem::take(&mut self.tree).path() {
            if is_on_path.len() <= place {
                is_on_path.resize(place + 1, false);
            }
            if let Some(is_on_path) = is_on_path.get_mut(place) {
                *is_on_path = true;
            }
        }
        let is_on_path = |place: usize| is_on_path.get(place).copied().unwrap_or_default();
        for (step, place) in self.session.steps.iter_mut().zip(std::mem::take(&mut self.places)) {
            step.is_on_path = is_on_path(place as usize);
        }
        if self.headers == 0 && self.session.end.used_lines > self.session.end.bad_lines {
            self.find(1, FindingKind::NoHeader, "");
        }
        self.report_branches();
        for EarlyResult { place, call_id, result, .. } in self.pair() {
            let step = TranscriptStep {
                line: result.line,
                entry: None,
                timestamp: None,
                is_on_path: is_on_path(place),
                what: StepKind::StrayResult(StrayResult { call_id, result }),
            };
            let at = self.session.steps.partition_point(|known| known.line <= step.line);
            self.session.steps.insert(at, step);
        }
        self.session.findings.sort();
        self.session
    }

    fn report_branches(&mut self) {
        let mut last = 0;
        let steps = std::mem::take(&mut self.session.steps);
        for step in steps.iter().filter(|step| !step.is_on_path) {
            if step.line != last {
                self.find(step.line, FindingKind::AbandonedBranch, "");
            }
            last = step.line;
        }
        self.session.steps = steps;
    }

    /// Gives results that stand before their calls to these; returns the results that have none, by line.
    fn pair(&mut self) -> Vec<EarlyResult> {
        let early = std::mem::take(&mut self.early);
        let pairing = std::mem::take(&mut self.pairing);
        let mut strays = Vec::new();
        if !early.is_empty() {
            let pairs = pairing.finish();
            for found in early {
                let (line, id) = (found.result.line, found.call_id.as_str());
                match pairs.of_result.get(found.number) {
                    Some(ResultMatch::Paired { call, is_late }) => {
                        if *is_late {
                            self.find(line, FindingKind::LateResult, id);
                        }
                        self.answer(*call, found.result);
                    }
                    Some(ResultMatch::Duplicate { .. }) => {
                        self.find(line, FindingKind::DuplicateResult, id);
                    }
                    Some(ResultMatch::Orphan) | None => {
                        self.find(line, FindingKind::OrphanResult, id);
                        strays.push(found);
                    }
                }
            }
        }
        for step in std::mem::take(&mut self.calls) {
            let Some(TranscriptStep { what: StepKind::Call(called), line, .. }) =
                self.session.steps.get(step as usize)
            else {
                continue;
            };
            if called.result.is_none() {
                self.session.findings.add(*line, FindingKind::OrphanCall, &*called.id);
            }
        }
        strays
    }
}

/// A place in a list that memory bounds.
fn small(place: usize) -> u32 {
    u32::try_from(place).unwrap_or(u32::MAX)
}

/// A result as it was found, in either shape.
struct ResultFields<'a> {
    tool: Option<Text<'a>>,
    content: &'a Content<'a>,
    is_error: bool,
    details: Option<&'a str>,
}

fn decoded(text: Option<Text<'_>>) -> Option<String> {
    text.map(|text| text.decode().into_owned())
}
