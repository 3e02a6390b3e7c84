//! What a chat at a terminal does next: a pure function from what happens to lines that are shown and actions.
//!
//! Must never read, write or wait: `results.rs` has what came of tools and files, `mod.rs` carries actions out, `status.rs` says what stands below the line.

use std::collections::VecDeque;
use std::path::PathBuf;

use engross_agent::session::{AnswerFinish, ToolStep, TurnEvent};
use engross_llm::Usage;

use super::events::{ChatEnd, Choice, ScreenAction, ScreenEvent, UndoStep};
use super::markdown::MarkdownStream;
use super::styled::{Colour, Style, StyledLine, Theme, wrap, wrap_hanging};
use crate::approvals::{Change, FileChange};
use crate::commands::{Command, TypedLine, understand, unknown};
use crate::tell::{EMPTY, PrintedEdit};

/// An answer that took so long, in milliseconds, ends with a bell.
const LONG: u64 = 10_000;

/// The longest that two presses of Ctrl-C may be apart to end the chat, in milliseconds.
const TWICE: u64 = 5_000;

/// Two presses of Ctrl-C that are no further apart, in milliseconds, are one gesture: they end the chat, also when the
/// answer that the first one stopped is over before the second.
const AT_ONCE: u64 = 1_000;

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
    /// It thinks aloud: so many bytes, and the last of them.
    Aloud(u64, String),
    /// Words come.
    Text,
    /// A tool or a file, as it says itself.
    Busy(String),
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
    /// The key that has answered a question, and when: the rest of its word may follow.
    rest: Option<(Choice, u64)>,
    /// Ctrl-C at the prompt, with that line, at that time.
    pub(super) leaving: Option<(String, u64)>,
    /// When Ctrl-C last stopped an answer.
    stopped: Option<u64>,
    pub(super) usage: Usage,
    /// Model and session, for the line below.
    pub(super) about: String,
    /// Where edits go.
    target: Option<PathBuf>,
    markdown: MarkdownStream,
    pub(super) made: PrintedEdit,
    /// Whether anything was shown of the answer.
    has_told: bool,
    /// Whether the edits that come were shown with their question.
    pub(super) is_shown: bool,
    /// Files that were agreed to and are not written yet, and whether they were shown.
    pub(super) agreed: Vec<(FileChange, bool)>,
    /// What the last answer changed.
    pub(super) changes: Vec<Change>,
    /// What can be taken back, oldest first.
    pub(super) undo: Vec<UndoStep>,
    pub(super) out: Vec<ScreenAction>,
}

impl Screen {
    pub(super) fn new(theme: Theme, width: usize, target: Option<PathBuf>) -> Self {
        Self {
            theme,
            width,
            work: None,
            queue: VecDeque::new(),
            questions: VecDeque::new(),
            rest: None,
            leaving: None,
            stopped: None,
            usage: Usage::default(),
            about: String::new(),
            target,
            markdown: MarkdownStream::default(),
            made: PrintedEdit::default(),
            has_told: false,
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
        if matches!(event, ScreenEvent::Line(_)) {
            self.stopped = None;
        }
        match event {
            ScreenEvent::Line(line) => self.line(line, now),
            ScreenEvent::Interrupt(line) => self.interrupt(line, now),
            ScreenEvent::EndOfInput => self.out.push(ScreenAction::End(ChatEnd::Quit)),
            ScreenEvent::Choice(choice) => {
                self.choose(choice);
                self.rest = Some((choice, now));
            }
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
        // The first letter of a word has answered already.
        let is_rest =
            |(choice, at): (Choice, u64)| choice.rest() == line.trim() && now.saturating_sub(at) <= TWICE;
        if self.rest.take().is_some_and(is_rest) {
            return;
        }
        let is_working = self.work.is_some();
        match understand(&line) {
            TypedLine::Nothing => {}
            TypedLine::Unknown(name) => {
                self.print(&[StyledLine::of(&unknown(&name), Style::coloured(Colour::Yellow))]);
            }
            TypedLine::Command(Command::Quit) => self.out.push(ScreenAction::End(ChatEnd::Quit)),
            TypedLine::Command(command) if command.is_instant() || !is_working => {
                self.out.push(ScreenAction::Run(command));
            }
            TypedLine::Message(text) if !is_working => self.send(text, now),
            TypedLine::Message(text) => {
                // What waits is read in its order: not before a command that waits.
                let is_next = self.queue.iter().all(|line| matches!(understand(line), TypedLine::Message(_)));
                let is_stopping = self.work.as_ref().is_some_and(|work| work.is_stopping);
                if is_next && !is_stopping {
                    self.out.push(ScreenAction::Steer(text));
                }
                self.queue.push_back(line);
            }
            TypedLine::Command(_) => self.queue.push_back(line),
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
        self.has_told = false;
    }

    fn interrupt(&mut self, line: String, now: u64) {
        if let Some(work) = &mut self.work {
            if work.is_stopping {
                self.out.push(ScreenAction::End(ChatEnd::Interrupted));
            } else {
                work.is_stopping = true;
                self.stopped = Some(now);
                for _ in self.questions.drain(..) {
                    self.out.push(ScreenAction::Reply(false));
                }
                self.out.push(ScreenAction::Stop);
            }
            return;
        }
        if line.is_empty() && self.stopped.is_some_and(|at| now.saturating_sub(at) <= AT_ONCE) {
            self.out.push(ScreenAction::End(ChatEnd::Interrupted));
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

    fn answer(&mut self, event: TurnEvent) {
        match event {
            TurnEvent::Text(text) => {
                self.has_told |= !text.trim().is_empty();
                self.phase(Phase::Text);
                let lines = self.markdown.push(&text, self.width);
                self.print(&lines);
            }
            TurnEvent::Status { message, step: ToolStep::Started, .. } => {
                self.flush();
                self.has_told = true;
                self.print(&[StyledLine::of(&format!("· {message}"), Style::DIM)]);
                self.phase(Phase::Busy(message));
            }
            TurnEvent::Status { message, step: ToolStep::Running, .. } => self.phase(Phase::Busy(message)),
            TurnEvent::Status { .. } => self.phase(Phase::Thinking),
            TurnEvent::Thinking { bytes, latest, .. } => self.phase(Phase::Aloud(bytes, latest)),
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
                        self.warn("The answer was cut at the model's limit; ask it to go on");
                    }
                    AnswerFinish::ContentFilter => {
                        self.warn("The provider's filter cut the answer; ask in other words");
                    }
                    AnswerFinish::Stop if !self.has_told => self.warn(EMPTY),
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
            TurnEvent::Content { .. }
            | TurnEvent::Call { .. }
            | TurnEvent::Thoughts(_)
            | TurnEvent::Likelihoods(_) => {}
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
            let is_command = matches!(understand(&line), TypedLine::Command(_));
            self.line(line, now);
            if is_command {
                // The one who carries it out asks for the next.
                return;
            }
        }
    }

    /// Shows all that has come of the answer.
    pub(super) fn flush(&mut self) {
        let has_text = self.markdown.has_text();
        let mut lines = self.markdown.end(self.width);
        if has_text {
            lines.push(StyledLine::default());
        }
        self.print(&lines);
    }

    pub(super) fn good(&mut self, text: &str) {
        self.marked("✓ ", text, Style::coloured(Colour::Green));
    }

    pub(super) fn warn(&mut self, text: &str) {
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

    pub(super) fn print(&mut self, lines: &[StyledLine]) {
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
