//! The line that is typed: rustyline on a thread of its own, with a status line below and output above.
//!
//! Must never decide anything: keys that mean more than editing are passed on, and the answer is waited for.

use std::borrow::Cow;
use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use engross_protocol::{Exit, Failure};
use rustyline::completion::{Completer, FilenameCompleter, Pair};
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::{Hint, Hinter};
use rustyline::history::{FileHistory, History as _};
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{
    Cmd, ColorMode, ConditionalEventHandler, Config, Context, Editor, Event, EventContext, EventHandler,
    ExternalPrinter, Helper, KeyCode, KeyEvent, Modifiers, RepeatCount,
};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::events::Choice;
use super::size::columns;
use super::styled::{Colour, Style, StyledLine, Theme};
use crate::commands::completions;

/// Lines of the history that are kept.
const HISTORY: usize = 1000;

/// How long a key waits for what it means.
const PATIENCE: Duration = Duration::from_secs(2);

/// Goes up a line and down again: the status line is shown anew, and nothing is printed.
const NOTHING: &str = "\u{1b}[A\n";

/// Something that is typed.
#[derive(Debug)]
pub(super) enum TypedInput {
    Line(String),
    /// Ctrl-C, with the line that is being typed.
    Interrupt(String),
    EndOfInput,
    Choice(Choice),
    /// The terminal cannot be read.
    Broken(String),
}

/// What is typed, and who waits to hear whether the chat goes on.
pub(super) struct EditorInput {
    pub(super) typed: TypedInput,
    pub(super) goes_on: Sender<bool>,
}

/// What the thread and the screen share.
#[derive(Debug)]
struct EditorState {
    status: StyledLine,
    /// Whether a key may answer a question.
    asks: bool,
    /// Whether the chat is over.
    is_over: bool,
}

/// The editor.
pub(super) struct LineEditor {
    state: Arc<Mutex<EditorState>>,
    pub(super) inputs: UnboundedReceiver<EditorInput>,
    printed: Option<Sender<String>>,
    /// Is closed once all is printed.
    drained: std::sync::mpsc::Receiver<()>,
}

impl LineEditor {
    /// Begins to read lines. What was typed before is in the file `history`.
    pub(super) fn start(history: PathBuf, theme: Theme) -> Result<Self, Failure> {
        let state =
            Arc::new(Mutex::new(EditorState { status: StyledLine::default(), asks: false, is_over: false }));
        let (sender, inputs) = unbounded_channel();
        let keys = Keys { state: Arc::clone(&state), inputs: sender, theme };
        let mut editor = open(&keys, &history).map_err(|error| broken(&error))?;
        let mut printer = editor.create_external_printer().map_err(|error| broken(&error))?;
        let (printed, lines) = channel::<String>();
        let (end, drained) = channel();
        std::thread::spawn(move || {
            let _end: Sender<()> = end;
            for line in lines {
                if printer.print(line).is_err() {
                    return;
                }
            }
        });
        std::thread::spawn(move || read(editor, &keys, &history));
        Ok(Self { state, inputs, printed: Some(printed), drained })
    }

    /// Prints above the line.
    pub(super) fn print(&self, text: String) {
        if let Some(printed) = &self.printed {
            let _ = printed.send(text);
        }
    }

    /// Shows another status line; keys answer a question only while somebody `asks` one.
    pub(super) fn show(&self, status: StyledLine, asks: bool) {
        let mut state = locked(&self.state);
        let is_new = state.status != status;
        (state.status, state.asks) = (status, asks);
        drop(state);
        if is_new {
            self.print(NOTHING.to_owned());
        }
    }

    /// The chat is over: the line that is typed is the last.
    pub(super) fn end(&self) {
        locked(&self.state).is_over = true;
    }

    /// Waits a moment until all is printed.
    pub(super) fn close(mut self) {
        self.printed = None;
        let _ = self.drained.recv_timeout(Duration::from_millis(300));
    }
}

fn locked(state: &Mutex<EditorState>) -> std::sync::MutexGuard<'_, EditorState> {
    // A thread that panicked has changed a flag or not.
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

fn broken(error: &ReadlineError) -> Failure {
    let message = format!("the terminal cannot be used: {error}; try another one, or send lines by a pipe");
    Failure::new(Exit::Io, "READ_FAILED", message)
}

fn open(keys: &Keys, history: &Path) -> Result<Editor<Keys, FileHistory>, ReadlineError> {
    let config = Config::builder()
        .max_history_size(HISTORY)?
        .history_ignore_dups(true)?
        .history_ignore_space(true)
        .auto_add_history(false)
        .completion_type(rustyline::CompletionType::List)
        // Colours are left out by the theme.
        .color_mode(ColorMode::Forced)
        .build();
    let mut editor = Editor::with_config(config)?;
    editor.set_helper(Some(keys.clone()));
    // The first chat has none.
    let _ = editor.load_history(history);
    let bound = |key: KeyEvent| (key, EventHandler::Conditional(Box::new(keys.clone())));
    let keyed =
        ['c', 'd'].map(|letter| KeyEvent(KeyCode::Char(letter.to_ascii_uppercase()), Modifiers::CTRL));
    let letters = ['y', 'n', 'a'].map(|letter| KeyEvent(KeyCode::Char(letter), Modifiers::NONE));
    for (key, handler) in keyed.into_iter().chain(letters).map(bound) {
        editor.bind_sequence(key, handler);
    }
    editor.bind_sequence(KeyEvent(KeyCode::Enter, Modifiers::ALT), EventHandler::Simple(Cmd::Newline));
    editor.bind_sequence(KeyEvent(KeyCode::Char('J'), Modifiers::CTRL), EventHandler::Simple(Cmd::Newline));
    Ok(editor)
}

/// Keeps a line for later chats. What cannot be kept is typed again.
fn keep(editor: &mut Editor<Keys, FileHistory>, history: &Path, line: &str) {
    // One chat at a time: a history of new lines alone takes the place of the file, which another chat may just have begun.
    let alone = OpenOptions::new().create(true).append(true).open(history.with_extension("lock"));
    let _ = alone.as_ref().map(File::lock);
    if editor.history().is_empty() {
        let _ = editor.load_history(history);
    }
    let _ = editor.add_history_entry(line);
    let _ = editor.append_history(history);
}

/// Reads lines until the chat is over.
fn read(mut editor: Editor<Keys, FileHistory>, keys: &Keys, history: &Path) {
    let style = Style { bold: true, ..Style::coloured(Colour::Cyan) };
    let prompt = ("> ".to_owned(), StyledLine::of("> ", style).render(keys.theme));
    loop {
        let read = editor.readline(&prompt);
        if let Ok(line) = &read {
            keep(&mut editor, history, line);
        }
        let typed = match read {
            Ok(_) if locked(&keys.state).is_over => return,
            Ok(line) => TypedInput::Line(line.replace("\\\n", "\n")),
            Err(ReadlineError::Signal(_)) => continue,
            Err(ReadlineError::Interrupted) => TypedInput::Interrupt(String::new()),
            Err(ReadlineError::Eof) => TypedInput::EndOfInput,
            Err(error) => TypedInput::Broken(error.to_string()),
        };
        if !keys.pass_on(typed) {
            return;
        }
    }
}

/// What keys mean beside editing.
#[derive(Clone)]
struct Keys {
    state: Arc<Mutex<EditorState>>,
    inputs: UnboundedSender<EditorInput>,
    theme: Theme,
}

impl Keys {
    /// Passes on what was typed; gives whether the chat goes on.
    fn pass_on(&self, typed: TypedInput) -> bool {
        let (goes_on, answer) = channel();
        self.inputs.send(EditorInput { typed, goes_on }).is_ok()
            && answer.recv_timeout(PATIENCE).unwrap_or(true)
    }
}

impl ConditionalEventHandler for Keys {
    fn handle(&self, event: &Event, _: RepeatCount, _: bool, context: &EventContext<'_>) -> Option<Cmd> {
        let Some(KeyEvent(KeyCode::Char(letter), modifiers)) = event.get(0) else { return None };
        let line = context.line();
        let typed = match (letter, *modifiers) {
            ('C', Modifiers::CTRL) => TypedInput::Interrupt(line.to_owned()),
            ('D', Modifiers::CTRL) if line.is_empty() => TypedInput::EndOfInput,
            (letter, Modifiers::NONE) if line.is_empty() && locked(&self.state).asks => {
                TypedInput::Choice(Choice::of(&letter.to_string())?)
            }
            _ => return None,
        };
        // An accepted line leaves nothing behind it on the screen.
        Some(if self.pass_on(typed) { Cmd::Noop } else { Cmd::AcceptLine })
    }
}

impl Helper for Keys {}

impl Highlighter for Keys {
    fn highlight_hint<'h>(&self, hint: &'h str) -> Cow<'h, str> {
        let width = hint.len().saturating_sub(1);
        let state = locked(&self.state);
        Cow::Owned(format!("\n{}", state.status.cut(width).padded(width).render(self.theme)))
    }
}

/// The room of the status line, below the line that is typed.
struct StatusRoom(String);

impl Hint for StatusRoom {
    fn display(&self) -> &str {
        &self.0
    }

    fn completion(&self) -> Option<&str> {
        None
    }
}

impl Hinter for Keys {
    type Hint = StatusRoom;

    fn hint(&self, _: &str, _: usize, _: &Context<'_>) -> Option<StatusRoom> {
        // The line itself is filled in when it is shown, so that it can change while nothing is typed.
        Some(StatusRoom(format!("\n{}", " ".repeat(columns().saturating_sub(1)))))
    }
}

impl Validator for Keys {
    fn validate(&self, context: &mut ValidationContext<'_>) -> rustyline::Result<ValidationResult> {
        let goes_on = context.input().ends_with('\\') && !locked(&self.state).is_over;
        Ok(if goes_on { ValidationResult::Incomplete } else { ValidationResult::Valid(None) })
    }
}

impl Completer for Keys {
    type Candidate = Pair;

    fn complete(&self, line: &str, at: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<Pair>)> {
        let typed = line.get(..at).unwrap_or_default();
        if typed.starts_with('/') && !typed.contains(char::is_whitespace) {
            let pair = |name: &str| Pair { display: name.to_owned(), replacement: format!("{name} ") };
            return Ok((0, completions(typed).into_iter().map(pair).collect()));
        }
        let start = typed.rfind(char::is_whitespace).map_or(0, |blank| blank + 1);
        let Some(path) = typed.get(start..).and_then(|word| word.strip_prefix('@')) else {
            return Ok((at, Vec::new()));
        };
        let (from, found) = FilenameCompleter::new().complete_path(path, path.len())?;
        Ok((start + 1 + from, found))
    }
}
