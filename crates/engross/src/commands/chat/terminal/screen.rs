//! What a chat at a terminal does next: a pure function from what happens to lines that are shown and actions.
//!
//! Must never read, write or wait: `mod.rs` carries actions out, `status.rs` says what stands below the line.

use std::collections::VecDeque;
use std::path::PathBuf;

use engross_agent::session::{AnswerFinish, Standing, ToolStep, TurnEvent, WriteReport};
use engross_llm::Usage;
use serde::Deserialize;
use serde_json::Value;

use super::changes;
use super::markdown::MarkdownStream;
use super::styled::{Colour, Style, StyledLine, Theme, wrap, wrap_hanging};
use crate::change::describe;
use crate::commands::chat::approvals::{Change, FileChange};
use crate::commands::chat::commands::{Command, Typed, understand, unknown};
use crate::commands::chat::tell::{EditDetails, PrintedEdit};

/// Lines of a change that are shown with the question.
const SHOWN: usize = 24;

/// Lines of a change that nobody is asked about.
const GLANCE: usize = 8;

/// An answer that took so long, in milliseconds, ends with a bell.
const LONG: u64 = 10_000;

/// The longest that two presses of Ctrl-C may be apart to end the chat, in milliseconds.
const TWICE: u64 = 5_000;

/// Something that happens.
#[derive(Debug)]
pub(super) enum ScreenEvent {
    /// A line was typed.
    Line(String),
    /// Ctrl-C, with the line that is being typed.
    Interrupt(String),
    /// Ctrl-D on an empty line.
    EndOfInput,
    /// A key that answers the question.
    Choice(Choice),
    /// Something in the answer that is being made.
    Answer(TurnEvent),
    /// No more of it comes.
    AnswerOver,
    /// A round of tools has its results; their particulars.
    Edited(Value),
    /// What became of a file.
    Wrote(WriteReport),
    /// A tool refused; what the model reads.
    Refused(String),
    /// The model has read the oldest message that waits.
    Steered,
    /// A change is about to be made; whether somebody waits for an answer.
    Proposed(Change, bool),
    /// What a command came to.
    Report(Vec<StyledLine>),
    /// An answer begins that no typed message asked for.
    Begun,
    /// What could not be done: message and code.
    Failed(String, String),
}

/// An answer to a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Choice {
    Yes,
    No,
    Always,
}

impl Choice {
    /// What a key or a word means.
    pub(super) fn of(text: &str) -> Option<Self> {
        match text.trim().to_lowercase().as_str() {
            "y" | "yes" => Some(Self::Yes),
            "n" | "no" => Some(Self::No),
            "a" | "always" => Some(Self::Always),
            _ => None,
        }
    }
}

/// Something to be done.
#[derive(Debug, PartialEq)]
pub(super) enum ScreenAction {
    /// Lines to be shown, each with its end.
    Print(String),
    /// A message for the model.
    Send(String),
    /// A message that the model may read before its answer is over.
    Steer(String),
    /// The answer is to stop.
    Stop,
    /// A command to be carried out.
    Run(Command),
    /// The answer to the oldest question.
    Reply(bool),
    /// From here on nothing is asked.
    AgreeToAll,
    Bell,
    /// The chat ends.
    End(ChatEnd),
}

/// How the chat ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ChatEnd {
    Quit,
    /// In the middle of an answer.
    Interrupted,
}

/// An answer that is being made.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Work {
    /// Since when, in milliseconds.
    pub(super) since: u64,
    pub(super) phase: Phase,
    pub(super) is_stopping: bool,
}

/// What the model is at.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Phase {
    Thinking,
    Answering,
    /// A tool or a file, as it says itself.
    Busy(String),
}

/// A change that can be taken back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum UndoStep {
    /// Of the document, which knows its checkpoints.
    Document,
    /// Of a text file: what it was, and the hash of what it is.
    File { path: String, before: Option<String>, sha256: String },
}

/// A chat at a terminal.
#[derive(Debug)]
pub(super) struct Screen {
    pub(super) theme: Theme,
    pub(super) width: usize,
    pub(super) work: Option<Work>,
    /// What was typed while an answer is made, oldest first.
    pub(super) queue: VecDeque<String>,
    /// Changes that wait for a word, oldest first.
    pub(super) questions: VecDeque<Change>,
    /// Ctrl-C at the prompt, with that line, at that time.
    pub(super) leaving: Option<(String, u64)>,
    pub(super) usage: Usage,
    /// Model and session, for the line below.
    pub(super) about: String,
    /// Where edits go.
    target: Option<PathBuf>,
    markdown: MarkdownStream,
    made: PrintedEdit,
    /// Whether the edits that come were shown with their question.
    is_shown: bool,
    /// Files that were agreed to and are not written yet, and whether they were shown.
    agreed: Vec<(FileChange, bool)>,
    /// What the last answer changed.
    changes: Vec<Change>,
    /// What can be taken back, oldest first.
    undo: Vec<UndoStep>,
    out: Vec<ScreenAction>,
}

impl Screen {
    pub(super) fn new(theme: Theme, width: usize, target: Option<PathBuf>) -> Self {
        Self {
            theme,
            width,
            work: None,
            queue: VecDeque::new(),
            questions: VecDeque::new(),
            leaving: None,
            usage: Usage::default(),
            about: String::new(),
            target,
            markdown: MarkdownStream::default(),
            made: PrintedEdit::default(),
            is_shown: false,
            agreed: Vec::new(),
            changes: Vec::new(),
            undo: Vec::new(),
            out: Vec::new(),
        }
    }

    /// Takes what happens `now`, in milliseconds; gives what is to be done, in order.
    pub(super) fn step(&mut self, event: ScreenEvent, now: u64) -> Vec<ScreenAction> {
        if !matches!(event, ScreenEvent::Interrupt(_)) {
            self.leaving = None;
        }
        match event {
            ScreenEvent::Line(line) => self.line(line, now),
            ScreenEvent::Interrupt(line) => self.interrupt(line, now),
            ScreenEvent::EndOfInput => self.out.push(ScreenAction::End(ChatEnd::Quit)),
            ScreenEvent::Choice(choice) => self.choose(choice),
            ScreenEvent::Answer(event) => self.answer(event),
            ScreenEvent::AnswerOver => self.over(now),
            ScreenEvent::Edited(details) => self.edited(details),
            ScreenEvent::Wrote(report) => self.wrote(&report),
            ScreenEvent::Refused(content) => self.refused(&content),
            ScreenEvent::Steered => self.steered(),
            ScreenEvent::Proposed(change, asks) => self.proposed(change, asks),
            ScreenEvent::Report(lines) => self.report(&lines),
            ScreenEvent::Begun => self.begin(now),
            ScreenEvent::Failed(message, code) => self.error(&message, &code),
        }
        std::mem::take(&mut self.out)
    }

    /// What the last answer changed, or what is asked about now.
    pub(super) fn changes(&self) -> Vec<&Change> {
        if self.questions.is_empty() {
            self.changes.iter().collect()
        } else {
            self.questions.iter().collect()
        }
    }

    /// The change that is taken back next.
    pub(super) fn undo_step(&self) -> Option<UndoStep> {
        self.undo.last().cloned()
    }

    /// It is taken back.
    pub(super) fn forget_undo_step(&mut self) {
        self.undo.pop();
    }

    /// A command was carried out: what waits behind it goes on.
    pub(super) fn resume(&mut self, now: u64) -> Vec<ScreenAction> {
        self.next(now);
        std::mem::take(&mut self.out)
    }

    fn line(&mut self, line: String, now: u64) {
        if !self.questions.is_empty()
            && let Some(choice) = Choice::of(&line)
        {
            return self.choose(choice);
        }
        let is_working = self.work.is_some();
        match understand(&line) {
            Typed::Nothing => {}
            Typed::Unknown(name) => {
                self.print(&[StyledLine::of(&unknown(&name), Style::coloured(Colour::Yellow))])
            }
            Typed::Command(Command::Quit) => self.out.push(ScreenAction::End(ChatEnd::Quit)),
            Typed::Command(command) if command.is_instant() || !is_working => {
                self.out.push(ScreenAction::Run(command));
            }
            Typed::Message(text) if !is_working => self.send(text, now),
            Typed::Message(text) => {
                // What waits is read in its order: not before a command that waits.
                let is_next = self.queue.iter().all(|line| matches!(understand(line), Typed::Message(_)));
                let is_stopping = self.work.as_ref().is_some_and(|work| work.is_stopping);
                if is_next && !is_stopping {
                    self.out.push(ScreenAction::Steer(text));
                }
                self.queue.push_back(line);
            }
            Typed::Command(_) => self.queue.push_back(line),
        }
    }

    fn steered(&mut self) {
        if let Some(line) = self.queue.pop_front() {
            self.flush();
            let line = line.lines().next().unwrap_or_default().to_owned();
            self.print(&[StyledLine::of(&format!("· the model has read: {line}"), Style::DIM)]);
        }
    }

    /// A message goes to the model.
    fn send(&mut self, text: String, now: u64) {
        self.begin(now);
        self.out.push(ScreenAction::Send(text));
    }

    fn begin(&mut self, now: u64) {
        self.work = Some(Work { since: now, phase: Phase::Thinking, is_stopping: false });
        self.changes.clear();
        self.agreed.clear();
    }

    fn interrupt(&mut self, line: String, now: u64) {
        if let Some(work) = &mut self.work {
            if work.is_stopping {
                self.out.push(ScreenAction::End(ChatEnd::Interrupted));
            } else {
                work.is_stopping = true;
                for _ in self.questions.drain(..) {
                    self.out.push(ScreenAction::Reply(false));
                }
                self.out.push(ScreenAction::Stop);
            }
            return;
        }
        let again = |(before, at): &(String, u64)| *before == line && now.saturating_sub(*at) <= TWICE;
        if self.leaving.as_ref().is_some_and(again) {
            self.out.push(ScreenAction::End(ChatEnd::Quit));
        } else {
            self.leaving = Some((line, now));
        }
    }

    fn choose(&mut self, choice: Choice) {
        let Some(change) = self.questions.pop_front() else { return };
        let word = match choice {
            Choice::Yes => "yes",
            Choice::No => "no",
            Choice::Always => "always: nothing is asked any more; /auto asks again",
        };
        self.print(&[StyledLine::of(&format!("  {word}"), Style::DIM)]);
        if choice == Choice::Always {
            self.out.push(ScreenAction::AgreeToAll);
        }
        self.out.push(ScreenAction::Reply(choice != Choice::No));
        if choice != Choice::No {
            self.agree(change, true);
        }
        if choice == Choice::Always {
            for change in std::mem::take(&mut self.questions) {
                self.out.push(ScreenAction::Reply(true));
                self.agree(change, true);
            }
        }
    }

    fn agree(&mut self, change: Change, is_shown: bool) {
        match change {
            Change::Edits(edits) => {
                self.is_shown = is_shown;
                self.changes.push(Change::Edits(edits));
            }
            Change::File(file) => self.agreed.push((file, is_shown)),
        }
    }

    fn proposed(&mut self, change: Change, asks: bool) {
        let is_stopping = self.work.as_ref().is_none_or(|work| work.is_stopping);
        if asks && is_stopping {
            return self.out.push(ScreenAction::Reply(false));
        }
        if !asks {
            return self.agree(change, false);
        }
        self.flush();
        let mut shown = vec![changes::title(&change)];
        shown.extend(changes::lines(&change, (self.theme, self.width), SHOWN));
        self.print(&shown);
        self.questions.push_back(change);
        self.out.push(ScreenAction::Bell);
    }

    fn answer(&mut self, event: TurnEvent) {
        match event {
            TurnEvent::Text(text) => {
                self.phase(Phase::Answering);
                let lines = self.markdown.push(&text, self.width);
                self.print(&lines);
            }
            TurnEvent::Status { message, step: ToolStep::Started, .. } => {
                self.flush();
                self.phase(Phase::Busy(message));
            }
            TurnEvent::Status { message, step: ToolStep::Running, .. } => self.phase(Phase::Busy(message)),
            TurnEvent::Status { .. } => self.phase(Phase::Thinking),
            TurnEvent::Warning { code, message } => {
                self.flush();
                self.warn(&format!("{message} [{code}]"));
            }
            TurnEvent::Done { finish, usage } => {
                self.flush();
                let usage = usage.unwrap_or_default();
                self.usage.input_tokens += usage.input_tokens;
                self.usage.output_tokens += usage.output_tokens;
                match finish {
                    AnswerFinish::Length => {
                        self.warn("The answer was cut at the model's limit; ask it to go on")
                    }
                    AnswerFinish::ContentFilter => {
                        self.warn("The provider's filter cut the answer; ask in other words");
                    }
                    AnswerFinish::Stop | AnswerFinish::ToolCalls => {}
                }
            }
            TurnEvent::Failed { code, message, .. } => {
                self.flush();
                if code == "TURN_CANCELLED" && self.work.as_ref().is_some_and(|work| work.is_stopping) {
                    self.print(&[StyledLine::of("Stopped", Style::DIM)]);
                } else {
                    self.error(&message, &code);
                    self.print(&[StyledLine::of("/retry asks again", Style::DIM)]);
                }
            }
            TurnEvent::Content { .. } | TurnEvent::Call { .. } => {}
        }
    }

    fn phase(&mut self, phase: Phase) {
        if let Some(work) = &mut self.work {
            work.phase = phase;
        }
    }

    fn over(&mut self, now: u64) {
        self.flush();
        let made = std::mem::take(&mut self.made);
        if let Some(sentence) = self.target.as_ref().and_then(|target| made.sentence(target)) {
            self.good(&sentence);
        }
        self.is_shown = false;
        self.questions.clear();
        let work = self.work.take();
        if work.as_ref().is_some_and(|work| now.saturating_sub(work.since) >= LONG) {
            self.out.push(ScreenAction::Bell);
        }
        self.next(now);
    }

    /// Takes what waits, up to the next message.
    fn next(&mut self, now: u64) {
        while self.work.is_none()
            && let Some(line) = self.queue.pop_front()
        {
            let is_command = matches!(understand(&line), Typed::Command(_));
            self.line(line, now);
            if is_command {
                // The one who carries it out asks for the next.
                return;
            }
        }
    }

    fn edited(&mut self, details: Value) {
        let Ok(edit) = serde_json::from_value::<EditDetails>(details) else { return };
        if edit.operations.is_empty() {
            return;
        }
        if !std::mem::take(&mut self.is_shown) {
            self.flush();
            let lines = changes::edit_lines(&edit.operations, (self.theme, self.width), describe);
            self.print(&lines);
        }
        if self.made.add(&edit) {
            self.undo.push(UndoStep::Document);
        }
    }

    fn wrote(&mut self, report: &WriteReport) {
        let receipt: WrittenReceipt = serde_json::from_str(&report.say).unwrap_or_default();
        let file = if receipt.target_file.is_empty() { "The file" } else { receipt.target_file.as_str() };
        let place = self.agreed.iter().position(|(change, _)| change.path == file);
        let agreed = place.map(|place| self.agreed.swap_remove(place));
        let (bytes, lines) = (report.bytes, report.lines);
        match report.standing {
            Standing::GoesOn => {}
            Standing::Written => {
                self.flush();
                self.good(&format!("{file} is written: {bytes} bytes, {lines} lines"));
                for WriteWarning { code, message } in &receipt.receipt.warnings {
                    self.warn(&format!("{message} [{code}]"));
                }
                if let Some((change, is_shown)) = agreed {
                    let ReceiptDetails { sha256, previous_sha256, .. } = receipt.receipt;
                    // What was there and could not be shown cannot be put back either.
                    if change.before.is_some() || previous_sha256.is_none() {
                        let (path, before) = (change.path.clone(), change.before.clone());
                        self.undo.push(UndoStep::File { path, before, sha256 });
                    }
                    let change = Change::File(change);
                    if !is_shown && matches!(&change, Change::File(FileChange { before: Some(_), .. })) {
                        let lines = changes::lines(&change, (self.theme, self.width), GLANCE);
                        self.print(&lines);
                    }
                    self.changes.push(change);
                }
            }
            Standing::Left => {
                self.flush();
                self.warn(&format!(
                    "{file} is incomplete: {bytes} bytes are kept. Say \"go on\" to have the rest"
                ));
            }
            Standing::Failed => {
                self.flush();
                let declined = report.code == "WRITE_DECLINED";
                let text = if declined { "was not written" } else { "could not be written" };
                self.warn(&format!("{file} {text} [{}]", report.code));
            }
        }
    }

    fn refused(&mut self, content: &str) {
        let refusal: ToolRefusal = serde_json::from_str(content).unwrap_or_default();
        if !refusal.error.code.is_empty() && refusal.error.code != "EDITS_DECLINED" {
            self.flush();
            let ToolProblem { code, message } = refusal.error;
            self.print(&[StyledLine::of(&format!("· {message} [{code}]"), Style::DIM)]);
        }
    }

    /// Shows all that has come of the answer.
    fn flush(&mut self) {
        let has_text = self.markdown.has_text();
        let mut lines = self.markdown.end(self.width);
        if has_text {
            lines.push(StyledLine::default());
        }
        self.print(&lines);
    }

    fn good(&mut self, text: &str) {
        self.marked("✓ ", text, Style::coloured(Colour::Green));
    }

    fn warn(&mut self, text: &str) {
        self.marked("! ", text, Style::coloured(Colour::Yellow));
    }

    fn error(&mut self, message: &str, code: &str) {
        self.marked("✗ ", &format!("{message} [{code}]"), Style::coloured(Colour::Red));
    }

    fn marked(&mut self, mark: &str, text: &str, style: Style) {
        let line = StyledLine::of(text, Style::default());
        let blank = StyledLine::of("  ", Style::default());
        let lines = wrap(&line, self.width, &StyledLine::of(mark, style), &blank);
        self.print(&lines);
    }

    fn report(&mut self, lines: &[StyledLine]) {
        let lines: Vec<StyledLine> = lines.iter().flat_map(|line| wrap_hanging(line, self.width)).collect();
        self.print(&lines);
    }

    fn print(&mut self, lines: &[StyledLine]) {
        if lines.is_empty() {
            return;
        }
        let lines: Vec<String> = lines.iter().map(|line| line.render(self.theme)).collect();
        let mut text = lines.join("\n");
        text.push('\n');
        match self.out.last_mut() {
            Some(ScreenAction::Print(before)) => before.push_str(&text),
            _ => self.out.push(ScreenAction::Print(text)),
        }
    }
}

/// What the model reads of a file, as far as people need it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct WrittenReceipt {
    target_file: String,
    receipt: ReceiptDetails,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ReceiptDetails {
    sha256: String,
    previous_sha256: Option<String>,
    warnings: Vec<WriteWarning>,
}

#[derive(Debug, Deserialize)]
struct WriteWarning {
    code: String,
    #[serde(default)]
    message: String,
}

/// What the model reads of a call that was refused.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ToolRefusal {
    error: ToolProblem,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ToolProblem {
    code: String,
    message: String,
}
