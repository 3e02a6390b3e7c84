//! What can be typed beside messages.
//!
//! Must never take a message for a command: a path at its beginning is a message.

use std::fmt::Write as _;

/// One thing that can be typed beside messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Command {
    Help,
    Quit,
    Undo,
    Diff,
    Status,
    Cost,
    /// Shows the model, or goes on with another one.
    Model(Option<String>),
    Sessions,
    /// Goes on with another session: a number of the list, or a key.
    Resume(Option<String>),
    /// Asks the model for another answer to the last message.
    Retry,
    /// Accepts the tracked changes of the document.
    Accept,
    /// Saves the conversation.
    Save(Option<String>),
    /// Whether edits and files are made without asking.
    Auto,
}

/// What a typed line is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TypedLine {
    Nothing,
    Message(String),
    Command(Command),
    /// It begins like a command, and there is none of that name.
    Unknown(String),
}

/// Name, argument and purpose of each.
const COMMANDS: &[(&str, &str, &str)] = &[
    ("/undo", "", "takes back the last change of the document or of a file"),
    ("/diff", "", "shows what the last answer changed"),
    ("/accept", "", "accepts the tracked changes in the file that edits go to; /undo takes it back"),
    ("/retry", "", "asks for another answer to your last message"),
    ("/model", "[SPEC]", "shows the model, or goes on with another one"),
    ("/status", "", "says where things stand: model, session, files"),
    ("/cost", "", "says how many tokens were used"),
    ("/sessions", "", "lists the sessions that can be gone on with"),
    ("/resume", "[NUMBER|KEY]", "goes on with one of them"),
    ("/save", "[FILE]", "saves the conversation as Markdown"),
    ("/auto", "", "makes edits and files without asking, or asks again"),
    ("/help", "", "shows this"),
    ("/quit", "", "ends the chat; the session is kept"),
];

impl Command {
    /// Whether it can be carried out while an answer is being made.
    pub(super) fn is_instant(&self) -> bool {
        matches!(
            self,
            Self::Help | Self::Quit | Self::Diff | Self::Status | Self::Cost | Self::Sessions | Self::Auto
        )
    }
}

/// Understands a line.
pub(super) fn understand(line: &str) -> TypedLine {
    let text = line.trim();
    if text.is_empty() {
        return TypedLine::Nothing;
    }
    // What was pasted is a message, whatever it begins with.
    if text.contains('\n') {
        return TypedLine::Message(line.to_owned());
    }
    let (name, argument) = match text.split_once(char::is_whitespace) {
        Some((name, argument)) => (name, Some(argument.trim().to_owned())),
        None => (text, None),
    };
    let command = match name {
        "/help" => Command::Help,
        "/quit" | "/exit" => Command::Quit,
        "/undo" => Command::Undo,
        "/diff" => Command::Diff,
        "/status" => Command::Status,
        "/cost" => Command::Cost,
        "/model" => Command::Model(argument.clone()),
        "/sessions" => Command::Sessions,
        "/resume" => Command::Resume(argument.clone()),
        "/retry" => Command::Retry,
        "/accept" => Command::Accept,
        "/save" => Command::Save(argument.clone()),
        "/auto" => Command::Auto,
        _ if looks_like_command(name) => return TypedLine::Unknown(name.to_owned()),
        _ => return TypedLine::Message(line.to_owned()),
    };
    let takes_argument = matches!(command, Command::Model(_) | Command::Resume(_) | Command::Save(_));
    // "/undo the last change, please" is meant for the model.
    if argument.is_some() && !takes_argument {
        TypedLine::Message(line.to_owned())
    } else {
        TypedLine::Command(command)
    }
}

/// `/etc/hosts` and `//` are no commands; `/statsu` was meant to be one.
fn looks_like_command(name: &str) -> bool {
    let letters = name.strip_prefix('/').unwrap_or_default();
    !letters.is_empty() && letters.chars().all(|letter| letter.is_ascii_lowercase())
}

/// The names that a beginning may become.
pub(super) fn completions(beginning: &str) -> Vec<&'static str> {
    COMMANDS.iter().map(|(name, _, _)| *name).filter(|name| name.starts_with(beginning)).collect()
}

/// What is said about a name that is no command.
pub(super) fn unknown(name: &str) -> String {
    let names = COMMANDS.iter().map(|(name, _, _)| *name);
    let near = names.map(|known| (strsim::damerau_levenshtein(known, name), known)).min();
    match near {
        Some((distance, known)) if distance <= 2 => {
            format!("There is no such command as {name}; {known} is near. /help shows all")
        }
        _ => format!("There is no such command as {name}; /help shows all"),
    }
}

/// The help at a terminal.
pub(super) fn help() -> String {
    let mut text = "A line is a message to the model. Beside that there are:\n".to_owned();
    for (name, argument, purpose) in COMMANDS {
        let _ = writeln!(text, "  {:<22} {purpose}", format!("{name} {argument}").trim_end());
    }
    text.push_str(
        "@FILE in a message gives the model that file. Tab completes commands and files.\n\
         Alt-Enter, Ctrl-J or a \\ at the end begins another line; what is pasted is one message.\n\
         Up and Down go through what you typed, Ctrl-R searches it.\n\
         What you send while an answer is made is read between its steps, or waits; Ctrl-C stops the answer and sends it at once.\n\
         Ctrl-C at the prompt keeps your line; once more ends the chat.",
    );
    text
}
