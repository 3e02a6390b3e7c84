//! The conversation: a line is typed, the answer comes as it is made, and so on.
//!
//! Must never end because an answer failed: what was said before stays, and the next line is another try.

use std::collections::BTreeSet;
use std::io::IsTerminal;

use engross_agent::session::TurnEvent;
use engross_documents::change::printable;
use engross_protocol::{Exit, Failure};
use tokio::sync::mpsc::{Receiver, UnboundedReceiver};

use super::conversation::Conversation;
use super::document::{ChatDocument, UndoOutcome, failed};
use super::lines::{Interrupts, lines};
use super::requests::refusal;
use super::tell::{AnswerPrinter, StoredOutcome, refusal_of};
use super::written::WrittenFiles;
use engross_compose::console::{note, prompt};

/// What can be typed beside messages.
const HELP: &str = "\
A line is a message to the model. Beside that there are:
  /undo   takes back the last edit of the document, and then the files that were written
  /help   shows this
  /quit   ends the chat; the session is kept
Ctrl-C stops the answer that is being made; once more, and at the prompt, it ends the chat.";

/// How a chat ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Over {
    /// The person or the end of the input ended it.
    Quit(Exit),
    /// Ctrl-C did, in the middle of an answer.
    Interrupted,
}

/// A chat under way.
pub(super) struct Talk {
    conversation: Conversation,
    outcomes: UnboundedReceiver<StoredOutcome>,
    teller: AnswerPrinter,
    files: WrittenFiles,
    lines: Receiver<Result<String, Failure>>,
    interrupts: Interrupts,
    /// Whether a person types.
    typed: bool,
    /// The worst that happened.
    exit: Exit,
}

impl Talk {
    pub(super) fn new(
        conversation: Conversation,
        outcomes: UnboundedReceiver<StoredOutcome>,
        teller: AnswerPrinter,
        files: WrittenFiles,
    ) -> Result<Self, Failure> {
        let interrupts = Interrupts::new()?;
        let typed = std::io::stdin().is_terminal();
        Ok(Self {
            conversation,
            outcomes,
            teller,
            files,
            lines: lines(),
            interrupts,
            typed,
            exit: Exit::Done,
        })
    }

    /// Talks until there is an end. Who types sees what went wrong; the one who calls from a script learns it by the exit code.
    pub(super) async fn run(mut self) -> Result<Over, Failure> {
        let over = self.talk().await;
        self.conversation.close().await;
        over
    }

    async fn talk(&mut self) -> Result<Over, Failure> {
        loop {
            if self.typed {
                prompt("> ");
            }
            let line = tokio::select! {
                line = self.lines.recv() => line,
                () = self.interrupts.next() => None,
            };
            let Some(line) = line.transpose()? else {
                return Ok(Over::Quit(if self.typed { Exit::Done } else { self.exit }));
            };
            match line.trim() {
                "" => {}
                "/quit" | "/exit" => return Ok(Over::Quit(if self.typed { Exit::Done } else { self.exit })),
                "/help" => note(HELP),
                "/undo" => self.undo().await,
                other if other.starts_with('/') => {
                    note("There is no such command; /help shows them. A message cannot begin with '/'");
                    self.worse(Exit::Usage);
                }
                _ => {
                    if let Some(over) = self.turn(line).await? {
                        return Ok(over);
                    }
                }
            }
        }
    }

    /// One message and its answer.
    async fn turn(&mut self, text: String) -> Result<Option<Over>, Failure> {
        let before = self.left_files().await;
        let mut answering = match self.conversation.send(text).await {
            Ok(answering) => answering,
            Err(error) => {
                self.fail(&refusal(&error));
                return Ok(None);
            }
        };
        let mut is_cancelled = false;
        loop {
            let placed = tokio::select! {
                placed = answering.next() => placed,
                () = self.interrupts.next() => {
                    if is_cancelled {
                        return Ok(Some(Over::Interrupted));
                    }
                    is_cancelled = true;
                    note("Stopping; Ctrl-C once more ends the chat");
                    let mut stopping = self.conversation.stop();
                    tokio::select! {
                        stopped = stopping.finish() => {
                            if let Err(error) = stopped {
                                self.fail(&refusal(&error));
                            }
                        }
                        () = self.interrupts.next() => return Ok(Some(Over::Interrupted)),
                    }
                    continue;
                }
            };
            self.tell_outcomes()?;
            match placed {
                Some(placed) => self.tell(placed.event)?,
                None => break,
            }
        }
        self.tell_outcomes()?;
        self.tell_left(&before).await;
        let made = self.teller.end(self.conversation.document.as_ref().map(ChatDocument::shown));
        if made.nothing_worked() {
            self.worse(Exit::Refused);
        }
        Ok(None)
    }

    fn tell(&mut self, event: TurnEvent) -> Result<(), Failure> {
        match event {
            TurnEvent::Failed { code, message, .. } => {
                self.teller.break_line()?;
                note(&format!("error: {message} [{code}]"));
                self.worse(match code.as_str() {
                    "TURN_CANCELLED" => Exit::Done,
                    _ if code.starts_with("MODEL_") => Exit::Model,
                    _ if code.starts_with("STORE_") => Exit::Io,
                    _ => Exit::Refused,
                });
                Ok(())
            }
            event => self.teller.event(event),
        }
    }

    /// Tells what was done to the document and to files since the last time.
    fn tell_outcomes(&mut self) -> Result<(), Failure> {
        while let Ok(outcome) = self.outcomes.try_recv() {
            match outcome {
                StoredOutcome::Round(details) => {
                    let is_edited = self.teller.edit(details);
                    if is_edited && let Some(document) = &mut self.conversation.document {
                        document.edited();
                    }
                }
                StoredOutcome::Refused(content) => {
                    if let Some(refusal) = refusal_of(&content) {
                        self.teller.break_line()?;
                        note(&format!("· {}", printable(&refusal)));
                    }
                }
                StoredOutcome::File(report) => {
                    if !self.teller.file(&report)? {
                        self.worse(Exit::Refused);
                    }
                }
            }
        }
        Ok(())
    }

    /// Files that wait to be gone on with.
    async fn left_files(&self) -> BTreeSet<String> {
        let view = self.conversation.view().await;
        // What cannot be read was told by what failed before.
        view.ok().flatten().map(|view| view.session.left.into_keys().collect()).unwrap_or_default()
    }

    /// Tells of files that the turn has left incomplete.
    async fn tell_left(&mut self, before: &BTreeSet<String>) {
        for file in self.left_files().await.difference(before) {
            note(&format!("{} is incomplete; say \"go on\" to have the rest of it", printable(file)));
            self.exit = self.exit.max(Exit::Refused);
        }
    }

    async fn undo(&mut self) {
        let Some(mut document) = self.conversation.document.clone() else {
            if !self.undo_file().await {
                note("There is no document here; name one when you begin: engross chat FILE");
                self.worse(Exit::Usage);
            }
            return;
        };
        let undone = tokio::task::spawn_blocking(move || {
            let undone = document.undo();
            (document, undone)
        });
        match undone.await {
            Ok((document, Ok(UndoOutcome::Nothing))) if self.undo_file().await => {
                self.conversation.document = Some(document);
            }
            Ok((document, Ok(undone))) => {
                note(&document.describe(&undone));
                self.conversation.document = Some(document);
            }
            Ok((_, Err(error))) => self.fail(&failed(&error)),
            Err(_) => note("The undoing was broken off; try again"),
        }
    }

    /// Takes back the last file that was written; `false` when there is none.
    async fn undo_file(&mut self) -> bool {
        match self.conversation.undo_file(&self.files).await {
            Ok(Some(path)) => {
                note(&format!("{path} is as it was before it was written; /undo goes on from there"));
                true
            }
            Ok(None) => false,
            Err(failure) => {
                self.fail(&failure);
                true
            }
        }
    }

    fn fail(&mut self, failure: &Failure) {
        note(&format!("error: {} [{}]", failure.message, failure.code));
        self.worse(failure.exit);
    }

    fn worse(&mut self, exit: Exit) {
        self.exit = self.exit.max(exit);
    }
}
