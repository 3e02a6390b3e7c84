//! How commands are carried out at a terminal.
//!
//! Must never take back more than one change at a time, or overwrite what somebody else has written since.

use std::path::Path;

use engross_agent::session::SessionLine;
use engross_documents::Error as DocumentError;
use engross_documents::change::printable;
use engross_llm::Message;
use engross_protocol::{Clock, Exit, Failure, SystemClock};
use engross_store::files::{Precondition, RelPath};

use super::events::{ScreenEvent, UndoStep};
use super::styled::{Colour, Style, StyledLine};
use super::{Terminal, changes, failed};
use crate::commands::{Command, help};
use crate::document::{UndoOutcome, failed as document_failed};
use crate::tell::earlier;
use engross_compose::failure::usage;
use engross_compose::files::by_path;
use engross_compose::{model, sessions};
use engross_http::canonical_key;

/// Characters of a message in a list.
const GLANCE: usize = 60;

type Lines = Vec<StyledLine>;

impl Terminal {
    /// Carries a command out; gives what came of it.
    pub(super) async fn run_command(&mut self, command: Command) -> Vec<ScreenEvent> {
        let done = match command {
            Command::Help => Ok(plain(&help())),
            Command::Quit => Ok(Lines::new()),
            Command::Undo => self.undo().await,
            Command::Diff => return self.diff(),
            Command::Status => self.status_report().await,
            Command::Cost => self.cost().await,
            Command::Model(spec) => self.model(spec).await,
            Command::Sessions => self.sessions().await,
            Command::Resume(which) => self.resume(which).await,
            Command::Retry => return self.retry().await,
            Command::Accept => self.accept().await,
            Command::Save(path) => self.save(path).await,
            Command::Auto => Ok(self.auto()),
        };
        vec![match done {
            Ok(lines) => ScreenEvent::Report(lines),
            Err(failure) => failed(&failure),
        }]
    }

    fn auto(&mut self) -> Lines {
        let is_auto = !self.approvals.is_auto();
        self.approvals.set_auto(is_auto);
        one(if is_auto {
            "Edits and files are made without asking from here on; /auto asks again"
        } else {
            "Edits and files are shown and asked about before they are made"
        })
    }

    fn diff(&self) -> Vec<ScreenEvent> {
        let made = self.screen.changes();
        if made.is_empty() {
            return vec![ScreenEvent::Report(one("The last answer has changed nothing"))];
        }
        let look = (self.screen.theme, self.screen.width);
        let lines = made.into_iter().flat_map(|change| {
            [changes::title(change)].into_iter().chain(changes::lines(change, look, usize::MAX))
        });
        vec![ScreenEvent::Report(lines.collect())]
    }

    async fn undo(&mut self) -> Result<Lines, Failure> {
        if let Some(UndoStep::File { path, before, sha256 }) = self.screen.undo_step() {
            let folder = self.root.top();
            let name = path.clone();
            let restored = tokio::task::spawn_blocking(move || {
                let path = RelPath::parse(&name)?;
                let unchanged = Precondition::Sha256(sha256);
                match before {
                    Some(before) => folder.write(&path, before.as_bytes(), &unchanged).map(|_| true),
                    None => folder.remove(&path, &unchanged),
                }
            });
            let restored = restored.await.map_err(|_| broken_off())?;
            restored.map_err(Failure::from)?;
            self.screen.forget_undo_step();
            return Ok(one(&format!("{path} is as it was before it was written; /undo goes on from there")));
        }
        let Some(mut document) = self.document().cloned() else {
            return self.undo_file("There is nothing to take back").await;
        };
        let undone = tokio::task::spawn_blocking(move || {
            let undone = document.undo();
            (document, undone)
        });
        let (document, undone) = undone.await.map_err(|_| broken_off())?;
        let undone = undone.map_err(|error: DocumentError| document_failed(&error))?;
        let said = document.describe(&undone);
        if matches!(undone, UndoOutcome::Nothing) {
            return self.undo_file(&said).await;
        }
        self.conversation.document = Some(document);
        self.screen.forget_undo_step();
        Ok(one(&said))
    }

    /// Takes back a file of an earlier chat of the session; `nothing` is said when there is none.
    async fn undo_file(&mut self, nothing: &str) -> Result<Lines, Failure> {
        Ok(match self.conversation.undo_file(&self.files).await? {
            Some(path) => {
                one(&format!("{path} is as it was before it was written; /undo goes on from there"))
            }
            None => one(nothing),
        })
    }

    async fn accept(&mut self) -> Result<Lines, Failure> {
        let Some(document) = self.document().cloned() else {
            return Err(usage(
                "USAGE",
                "there is no document here; name one when you begin: engross chat FILE",
            ));
        };
        let accepted = tokio::task::spawn_blocking(move || document.accept_all()).await;
        let accepted = accepted.map_err(|_| broken_off())?.map_err(|error| document_failed(&error))?;
        let Some(document) = self.document() else { return Ok(Lines::new()) };
        let shown = document.shown().display().to_string();
        if accepted == 0 {
            return Ok(one(&format!("There is no tracked change in {shown}")));
        }
        document.edited();
        let (what, are) =
            (counted(accepted as u64, "tracked change"), if accepted == 1 { "is" } else { "are" });
        Ok(one(&format!("{what} of {shown} {are} accepted; /undo takes it back")))
    }

    async fn retry(&mut self) -> Vec<ScreenEvent> {
        match self.conversation.retry().await {
            Ok(Some(answer)) => {
                self.answer = Some(answer);
                vec![
                    ScreenEvent::Report(one("Asking again; what was changed stands, /undo takes it back")),
                    ScreenEvent::Begun,
                ]
            }
            Ok(None) => vec![ScreenEvent::Report(one("There is no message to ask about again"))],
            Err(failure) => vec![failed(&failure)],
        }
    }

    async fn model(&mut self, spec: Option<String>) -> Result<Lines, Failure> {
        let Some(spec) = spec else {
            let mut lines = one(&format!("The model is {}", self.conversation.spec));
            if let Some(slow) = &self.settings.slow_model.value {
                lines.extend(one(&format!("  {slow} is set as the slow one")));
            }
            lines
                .extend(one("  /model SPEC goes on with another one, such as anthropic/NAME or ollama/NAME"));
            return Ok(lines);
        };
        let opened = model::open_spec(&spec.parse()?, &self.settings, &self.environment)?;
        self.conversation.set_model(sessions::recalling(opened, &self.settings)).await;
        Ok(one(&format!("The model is {} from here on", self.conversation.spec)))
    }

    async fn cost(&self) -> Result<Lines, Failure> {
        let here = self.screen.usage;
        let all = self.conversation.usage().await?;
        let line = |what: &str, usage: engross_llm::Usage| {
            format!("{what:<14}{:>10} read {:>10} written", usage.input_tokens, usage.output_tokens)
        };
        let mut lines = one(&line("This chat", here));
        lines.extend(one(&line("This session", all)));
        if all == engross_llm::Usage::default() {
            lines.extend(one("The model does not tell its tokens, or has not answered"));
        }
        Ok(lines)
    }

    async fn status_report(&mut self) -> Result<Lines, Failure> {
        let view = self.conversation.view().await?;
        let turns = view.as_ref().map_or(0, |view| view.session.turns);
        let mut rows = vec![
            ("Model", self.conversation.spec.clone()),
            ("Session", format!("{} · {}", self.conversation.short_key(), counted(turns, "message"))),
        ];
        if let Some(document) = self.document().cloned() {
            let shown = document.shown().display().to_string();
            let found = tokio::task::spawn_blocking(move || document.tracked_changes()).await;
            let state = match found.map_err(|_| broken_off())? {
                Ok(Some(count)) => format!("{shown} · {}", counted(count as u64, "tracked change")),
                Ok(None) => format!("{shown} · nothing is edited yet"),
                Err(error) => format!("{shown} · {error}"),
            };
            rows.push(("Edits go to", state));
        }
        let asks = if self.approvals.is_auto() { "are made without asking" } else { "are asked about" };
        rows.push(("Changes", asks.to_owned()));
        let left = view.iter().flat_map(|view| view.session.left.keys());
        rows.extend(left.map(|file| ("Incomplete", format!("{file}: say \"go on\" to have the rest"))));
        rows.push(("Waiting", counted(self.screen.queue.len() as u64, "message")));
        let row = |(name, value): (&str, String)| {
            let mut line = StyledLine::of(&format!("{name:<13}"), Style::DIM);
            line.push(&value, Style::default());
            line
        };
        Ok(rows.into_iter().map(row).collect())
    }

    async fn sessions(&mut self) -> Result<Lines, Failure> {
        self.listed = self.conversation.list().await?;
        if self.listed.is_empty() {
            return Ok(one("There is no session yet; this one begins with your first message"));
        }
        let now = SystemClock.millis();
        let mut lines: Lines = Lines::new();
        for (number, session) in (1..).zip(&self.listed) {
            lines.push(session_line(number, session, now));
        }
        lines.extend(one("/resume NUMBER goes on with one"));
        Ok(lines)
    }

    async fn resume(&mut self, which: Option<String>) -> Result<Lines, Failure> {
        let Some(which) = which else { return self.sessions().await };
        if self.listed.is_empty() {
            self.listed = self.conversation.list().await?;
        }
        let number = which.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        let key = match number {
            Some(place) => match self.listed.get(place) {
                Some(session) => session.key.clone(),
                None => {
                    return Err(usage(
                        "USAGE",
                        format!("there is no session {which} in the list; /sessions shows it"),
                    ));
                }
            },
            None => canonical_key(&which).map_err(|error| usage("SESSION_KEY_INVALID", error.to_string()))?,
        };
        if number.is_none() && !self.conversation.list().await?.iter().any(|session| session.key == key) {
            let message = format!("there is no session {which} to go on with here; /sessions lists them");
            return Err(Failure::new(Exit::Refused, "SESSION_UNKNOWN", message));
        }
        self.conversation.resume(key);
        let mut lines = one(&format!("This is session {}", self.conversation.short_key()));
        if let Some(view) = self.conversation.view().await? {
            lines.extend(earlier(&view.session.messages).iter().map(|line| StyledLine::of(line, Style::DIM)));
        }
        Ok(lines)
    }

    async fn save(&mut self, path: Option<String>) -> Result<Lines, Failure> {
        let Some(view) = self.conversation.view().await? else {
            return Ok(one("Nothing was said yet"));
        };
        let name: String = self
            .conversation
            .short_key()
            .chars()
            .map(|c| if c.is_alphanumeric() { c } else { '-' })
            .collect();
        let path = path.unwrap_or_else(|| format!("{name}.md"));
        let (text, shown) = (as_markdown(&view.session.messages), path.clone());
        let saved = tokio::task::spawn_blocking(move || -> Result<(), Failure> {
            let (folder, file) = by_path::folder_and_name(Path::new(&path))?;
            let folder = sessions::open_root(&folder)?.top();
            folder.write(&RelPath::parse(&file)?, text.as_bytes(), &Precondition::Absent)?;
            Ok(())
        });
        saved.await.map_err(|_| broken_off())??;
        Ok(one(&format!("The conversation is in {shown}")))
    }
}

fn broken_off() -> Failure {
    Failure::new(Exit::Io, "INTERRUPTED", "it was broken off; try again")
}

fn one(text: &str) -> Lines {
    vec![StyledLine::of(text, Style::default())]
}

fn plain(text: &str) -> Lines {
    text.lines().map(|line| StyledLine::of(line, Style::default())).collect()
}

fn session_line(number: usize, session: &SessionLine, now: u64) -> StyledLine {
    let short = session.key.strip_prefix(super::super::requests::AGENT).unwrap_or(&session.key);
    let mut line = StyledLine::of(&format!("{number:>3}  "), Style::coloured(Colour::Cyan));
    line.push(short, Style::BOLD);
    let ago = ago(now.saturating_sub(session.changed));
    line.push(&format!("  {ago}, {}  ", counted(session.turns, "message")), Style::DIM);
    let message = printable(session.message.trim());
    let shown: String = message.chars().take(GLANCE).collect();
    let more = if message.chars().nth(GLANCE).is_some() { " …" } else { "" };
    line.push(&format!("{shown}{more}"), Style::default());
    line
}

/// A number of things: `1 message`, `2 messages`.
fn counted(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// How long ago something was, roughly.
fn ago(millis: u64) -> String {
    const MINUTE: u64 = 60_000;
    const HOUR: u64 = 60 * MINUTE;
    const DAY: u64 = 24 * HOUR;
    match millis {
        0..MINUTE => "just now".to_owned(),
        MINUTE..HOUR => format!("{} min ago", millis / MINUTE),
        HOUR..DAY => format!("{} h ago", millis / HOUR),
        DAY.. => format!("{} days ago", millis / DAY),
    }
}

/// A conversation as people read it.
fn as_markdown(messages: &[Message]) -> String {
    let mut text = String::new();
    for message in messages {
        let (who, words) = match message {
            Message::User { content, .. } => ("You", content),
            Message::Assistant { content, .. } => ("engross", content),
            Message::Tool { .. } => continue,
        };
        if !words.trim().is_empty() {
            text.push_str(&format!("**{who}:**\n\n{}\n\n", words.trim()));
        }
    }
    text
}
