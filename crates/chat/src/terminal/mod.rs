//! A chat at a terminal: a line editor with a live status, output above it, changes that are agreed to.
//!
//! Must never leave the terminal other than it was, or wait for one thing while another happens.
//!
//! | File | Question it answers |
//! |---|---|
//! | `events` | what can happen, and what can follow? |
//! | `screen`, `results` | what is shown and done when something happens? Pure |
//! | `status` | what stands below the line? Pure |
//! | `markdown`, `blocks`, `table` | how is an answer shown as it streams? Pure |
//! | `changes` | how is a change shown? Pure |
//! | `styled` | how is text cut into lines and coloured? Pure |
//! | `editor` | what is typed? |
//! | `carry` | how are commands carried out? |
//! | `restore` | how is the terminal left as it was? |
//! | `size` | how wide is it? |

mod blocks;
mod carry;
mod changes;
mod editor;
mod events;
mod markdown;
mod restore;
mod results;
mod screen;
mod size;
mod status;
mod styled;
mod table;

#[cfg(test)]
mod markdown_tests;
#[cfg(test)]
mod screen_tests;

use std::collections::VecDeque;
use std::path::PathBuf;
use std::time::Duration;

use engross_agent::session::{AnswerStream, LogEvent, Observer, RequestError, SessionLine, StoredEntries};
use engross_protocol::{Clock, Exit, Failure, SystemClock};
use engross_store::files::Root;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};
use tokio::sync::oneshot;

use super::approvals::{Approvals, Proposal};
use super::attachments::{AttachedFiles, attach};
use super::conversation::{Conversation, Stopping};
use super::document::ChatDocument;
use super::lines::Interrupts;
use super::requests::refusal;
use super::talk::Over;
use super::written::WrittenFiles;
use editor::{EditorInput, LineEditor, TypedInput};
use engross_compose::settings::{Environment, ProgramSettings};
use events::{ChatEnd, ScreenAction, ScreenEvent};
use restore::{EndSignals, TerminalGuard};
use screen::Screen;
use size::text_width;
use status::status;
use styled::Theme;

/// How often the status line is shown anew while something goes on.
const TICK: Duration = Duration::from_millis(120);

/// Hears what was stored, and passes on what a terminal shows.
pub(super) struct StoredResults(pub(super) UnboundedSender<LogEvent>);

impl Observer for StoredResults {
    fn stored(&self, stored: StoredEntries<'_>) {
        for event in stored.events {
            if matches!(event, LogEvent::Resulted { .. } | LogEvent::Wrote(_) | LogEvent::Steered { .. }) {
                let _ = self.0.send(event.clone());
            }
        }
    }
}

/// What a chat at a terminal needs.
pub(super) struct TerminalParts {
    pub(super) conversation: Conversation,
    pub(super) approvals: Approvals,
    pub(super) proposals: UnboundedReceiver<Proposal>,
    pub(super) results: UnboundedReceiver<LogEvent>,
    /// Where the model writes files.
    pub(super) root: Root,
    pub(super) files: WrittenFiles,
    /// The file with what was typed in earlier chats.
    pub(super) history: PathBuf,
    pub(super) settings: ProgramSettings,
    pub(super) environment: Environment,
}

/// A chat at a terminal.
pub(super) struct Terminal {
    conversation: Conversation,
    screen: Screen,
    editor: LineEditor,
    approvals: Approvals,
    proposals: UnboundedReceiver<Proposal>,
    /// Those who wait for a word, oldest first.
    replies: VecDeque<oneshot::Sender<bool>>,
    results: UnboundedReceiver<LogEvent>,
    answer: Option<AnswerStream>,
    stopping: Option<Stopping>,
    root: Root,
    files: WrittenFiles,
    settings: ProgramSettings,
    environment: Environment,
    /// The sessions that were listed last.
    listed: Vec<SessionLine>,
    interrupts: Interrupts,
    end_signals: EndSignals,
    _guard: TerminalGuard,
}

/// Whether a person sits at a terminal that can be drawn on.
pub(super) fn is_there(environment: &Environment) -> bool {
    use std::io::IsTerminal;
    let is_plain = environment.get("TERM").is_none_or(|term| matches!(term, "dumb" | "cons25" | "emacs"));
    let all =
        [std::io::stdin().is_terminal(), std::io::stdout().is_terminal(), std::io::stderr().is_terminal()];
    all == [true; 3] && !(is_plain && cfg!(unix))
}

impl Terminal {
    pub(super) fn new(parts: TerminalParts) -> Result<Self, Failure> {
        let TerminalParts {
            conversation,
            approvals,
            proposals,
            results,
            root,
            files,
            history,
            settings,
            environment,
        } = parts;
        let theme = Theme { colour: environment.allows_colour() };
        let target = conversation.document.as_ref().map(|document| document.shown().to_owned());
        let guard = TerminalGuard::new();
        let mut terminal = Self {
            screen: Screen::new(theme, text_width(), target),
            editor: LineEditor::start(history, theme)?,
            conversation,
            approvals,
            proposals,
            replies: VecDeque::new(),
            results,
            answer: None,
            stopping: None,
            root,
            files,
            settings,
            environment,
            listed: Vec::new(),
            interrupts: Interrupts::new()?,
            end_signals: EndSignals::new(),
            _guard: guard,
        };
        terminal.describe();
        Ok(terminal)
    }

    /// Talks until there is an end.
    pub(super) async fn run(mut self) -> Result<Over, Failure> {
        let ended = self.talk().await;
        self.editor.end();
        // Whoever waits for a word gets none.
        self.replies.clear();
        self.proposals.close();
        self.conversation.close().await;
        self.editor.close();
        Ok(match ended? {
            ChatEnd::Quit => Over::Quit(Exit::Done),
            ChatEnd::Interrupted => Over::Interrupted,
        })
    }

    async fn talk(&mut self) -> Result<ChatEnd, Failure> {
        loop {
            let now = SystemClock.millis();
            self.screen.width = text_width();
            self.editor.show(status(&self.screen, now), !self.screen.questions.is_empty());
            let happened = tokio::select! {
                biased;
                Some(stored) = self.results.recv() => of_result(stored),
                Some(proposal) = self.proposals.recv() => {
                    let asks = proposal.reply.is_some();
                    self.replies.extend(proposal.reply);
                    vec![ScreenEvent::Proposed(proposal.change, asks)]
                }
                input = self.editor.inputs.recv() => match input {
                    Some(input) => match self.typed(input)? {
                        Ok(actions) => {
                            if let Some(end) = self.carry_out(actions).await? {
                                return Ok(end);
                            }
                            continue;
                        }
                        Err(end) => return Ok(end),
                    },
                    None => return Ok(ChatEnd::Quit),
                },
                event = next(&mut self.answer), if self.answer.is_some() => {
                    match event {
                        Some(placed) => vec![ScreenEvent::Answer(placed.event)],
                        None => {
                            self.answer = None;
                            vec![ScreenEvent::AnswerOver]
                        }
                    }
                }
                stopped = stopped(&mut self.stopping), if self.stopping.is_some() => {
                    self.stopping = None;
                    match stopped {
                        Ok(()) => Vec::new(),
                        Err(error) => vec![failed(&refusal(&error))],
                    }
                }
                () = self.interrupts.next() => vec![ScreenEvent::Interrupt(String::new())],
                () = self.end_signals.next() => return Ok(ChatEnd::Interrupted),
                () = tokio::time::sleep(TICK), if self.screen.work.is_some() => continue,
            };
            for event in happened {
                let edits = matches!(event, ScreenEvent::Edited(_));
                let actions = self.screen.step(event, SystemClock.millis());
                if edits && let Some(document) = &mut self.conversation.document {
                    document.edited();
                }
                if let Some(end) = self.carry_out(actions).await? {
                    return Ok(end);
                }
            }
        }
    }

    /// Takes what was typed, and tells the editor whether the chat goes on; gives what is to be done, or how the chat ends.
    fn typed(&mut self, input: EditorInput) -> Result<Result<Vec<ScreenAction>, ChatEnd>, Failure> {
        let event = match input.typed {
            TypedInput::Line(line) => ScreenEvent::Line(line),
            TypedInput::Interrupt(line) => ScreenEvent::Interrupt(line),
            TypedInput::EndOfInput => ScreenEvent::EndOfInput,
            TypedInput::Choice(choice) => ScreenEvent::Choice(choice),
            TypedInput::Broken(problem) => {
                let message = format!("the terminal cannot be read: {problem}");
                return Err(Failure::new(Exit::Io, "READ_FAILED", message));
            }
        };
        let actions = self.screen.step(event, SystemClock.millis());
        let end = actions.iter().find_map(|action| match action {
            ScreenAction::End(end) => Some(*end),
            _ => None,
        });
        if end.is_some() {
            self.editor.end();
        }
        let _ = input.goes_on.send(end.is_none());
        Ok(end.map_or(Ok(actions), Err))
    }

    /// Does what is to be done; gives how the chat ends, if it does.
    async fn carry_out(&mut self, actions: Vec<ScreenAction>) -> Result<Option<ChatEnd>, Failure> {
        let mut left: VecDeque<ScreenAction> = actions.into();
        while let Some(action) = left.pop_front() {
            match action {
                ScreenAction::Print(text) => self.editor.print(text),
                ScreenAction::Bell => self.editor.print("\u{7}\u{1b}[A\n".to_owned()),
                ScreenAction::Send(text) => {
                    self.finish_stopping().await;
                    left.extend(self.send(text).await);
                }
                ScreenAction::Steer(text) => self.steer(text).await,
                ScreenAction::Stop => {
                    self.stopping = Some(self.conversation.stop());
                }
                ScreenAction::Reply(agrees) => {
                    if let Some(reply) = self.replies.pop_front() {
                        let _ = reply.send(agrees);
                    }
                }
                ScreenAction::AgreeToAll => {
                    self.approvals.set_auto(true);
                    self.describe();
                }
                ScreenAction::Run(command) => {
                    if !command.is_instant() {
                        self.finish_stopping().await;
                    }
                    let events = self.run_command(command).await;
                    let now = SystemClock.millis();
                    for event in events {
                        left.extend(self.screen.step(event, now));
                    }
                    left.extend(self.screen.resume(now));
                    self.describe();
                }
                ScreenAction::End(end) => return Ok(Some(end)),
            }
        }
        Ok(None)
    }

    /// The answer that was stopped is over, and so is the stopping in a moment: it holds the session until then.
    async fn finish_stopping(&mut self) {
        if let Some(mut stopping) = self.stopping.take() {
            // A log that cannot be written says so to what follows.
            let _ = stopping.finish().await;
        }
    }

    /// Has the model read a message with its next question. If there is none, the message goes out behind the answer.
    async fn steer(&mut self, text: String) {
        let whole = tokio::task::spawn_blocking(move || attach(&text).text).await;
        if let Ok(text) = whole {
            // The message still waits, whatever becomes of this.
            let _ = self.conversation.steer(text).await;
        }
    }

    /// Sends a message with the files that it names.
    async fn send(&mut self, text: String) -> Vec<ScreenAction> {
        let whole = text.clone();
        let attached = tokio::task::spawn_blocking(move || attach(&whole)).await;
        let attached =
            attached.unwrap_or_else(|_| AttachedFiles { text, files: Vec::new(), problems: Vec::new() });
        let mut lines = Vec::new();
        for (path, bytes) in &attached.files {
            let text = format!("· {path} goes with it: {bytes} bytes");
            lines.push(styled::StyledLine::of(&text, styled::Style::DIM));
        }
        for problem in &attached.problems {
            let style = styled::Style::coloured(styled::Colour::Yellow);
            lines.push(styled::StyledLine::of(&format!("! {problem}"), style));
        }
        let now = SystemClock.millis();
        let mut actions = self.screen.step(ScreenEvent::Report(lines), now);
        match self.conversation.send(attached.text).await {
            Ok(answer) => self.answer = Some(answer),
            Err(error) => {
                actions.extend(self.screen.step(failed(&refusal(&error)), now));
                actions.extend(self.screen.step(ScreenEvent::AnswerOver, now));
            }
        }
        actions
    }

    /// Has the status line say what the chat is about.
    fn describe(&mut self) {
        let auto = if self.approvals.is_auto() { " · agrees to all" } else { "" };
        self.screen.about = format!("{} · {}{auto}", self.conversation.spec, self.conversation.short_key());
    }

    fn document(&mut self) -> Option<&mut ChatDocument> {
        self.conversation.document.as_mut()
    }
}

async fn next(answer: &mut Option<AnswerStream>) -> Option<engross_agent::session::PositionedEvent> {
    match answer {
        Some(answer) => answer.next().await,
        None => std::future::pending().await,
    }
}

async fn stopped(stopping: &mut Option<Stopping>) -> Result<(), RequestError> {
    match stopping {
        Some(stopping) => stopping.finish().await,
        None => std::future::pending().await,
    }
}

fn failed(failure: &Failure) -> ScreenEvent {
    ScreenEvent::Failed(failure.message.clone(), failure.code.to_string())
}

/// What an entry of the log means for the screen.
fn of_result(stored: LogEvent) -> Vec<ScreenEvent> {
    match stored {
        LogEvent::Wrote(report) => vec![ScreenEvent::Wrote(report)],
        LogEvent::Steered { .. } => vec![ScreenEvent::Steered],
        LogEvent::Resulted { content, is_error, details, .. } => {
            let refused = is_error.then_some(ScreenEvent::Refused(content));
            details.map(ScreenEvent::Edited).into_iter().chain(refused).collect()
        }
        _ => Vec::new(),
    }
}
