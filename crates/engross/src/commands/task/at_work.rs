//! A thread at work, seen from the terminal.
//!
//! Must never stop a task because nobody looks on any more.

use std::io::{IsTerminal, Write};
use std::time::Duration;

use engross_protocol::{Exit, Failure};
use engross_threads::{FileOutcome, Lifecycle, LoadedThread, Progress, ThreadDriver};

use super::{CommandEnd, failed, folder, questions, shown};
use crate::output::{Output, note};

/// How long a server has to say that it has a task.
const SHORT: Duration = Duration::from_secs(5);

/// How far somebody looked on.
pub(super) enum WatchEnd {
    /// Nothing is left to do.
    Home(Box<LoadedThread>),
    /// The person let go.
    Interrupted,
}

/// Goes on with a thread until nothing is left to do, and shows what came of it. The exit code tells whether its newest task
/// is a success.
pub(super) async fn see_through(
    driver: &ThreadDriver,
    key: &str,
    output: Output,
) -> Result<CommandEnd, Failure> {
    match drive(driver, key, output.json).await? {
        WatchEnd::Interrupted => {
            note(&format!(
                "The task goes on where a server carries it out. `engross task watch {key}` looks on again, `engross task cancel {key}` stops it"
            ));
            Ok(CommandEnd::Interrupted("interrupted; the task was not stopped"))
        }
        WatchEnd::Home(held) => {
            let thread = held.state();
            output.answer(&shown::ShownThread::of(thread), || shown::result(thread))?;
            let code = thread.record.lifecycle_state.last_result_code.as_deref();
            let sync = thread.record.context_state.last_artifact_sync_status.as_deref();
            let is_done =
                matches!(code, None | Some("success")) && !matches!(sync, Some("partial" | "failed"));
            Ok(CommandEnd::With(if is_done { Exit::Done } else { Exit::Refused }))
        }
    }
}

/// Sends what a thread is to do, and does not wait for its end.
pub(super) async fn submit(driver: &ThreadDriver, held: &LoadedThread) -> Result<(), Failure> {
    let key = held.state().record.thread_id.clone();
    let place = folder(&held.state().record)?;
    let (sender, mut known) = tokio::sync::mpsc::unbounded_channel();
    let mut tell = move |_: Progress| {
        let _ = sender.send(());
    };
    // The first word of the server says that it has the task.
    tokio::select! {
        driven = driver.drive(&key, &place, &mut tell) => { driven.map_err(failed)?; }
        _ = known.recv() => {}
        () = tokio::time::sleep(SHORT) => note("The server has not answered yet; the task is kept all the same"),
    }
    Ok(())
}

/// Goes on with a thread until nothing is left to do, or the person lets go.
pub(super) async fn drive(driver: &ThreadDriver, key: &str, quiet: bool) -> Result<WatchEnd, Failure> {
    let held = driver.journal().load(key).await.map_err(failed)?;
    let held =
        held.ok_or_else(|| failed(engross_threads::ThreadError::Unknown { thread: key.to_owned() }))?;
    let place = folder(&held.state().record)?;
    let mut teller = AnswerPrinter { quiet, in_text: false };
    let (ask, asked) = tokio::sync::mpsc::unbounded_channel();
    let mut tell = |progress: Progress| {
        if let Progress::Permission(question) = &progress {
            teller.end();
            // Nobody hears it only when this is over.
            let _ = ask.send(question.clone());
        } else {
            teller.tell(&progress);
        }
    };
    let lines = if quiet { None } else { questions::lines() };
    let home = tokio::select! {
        driven = driver.drive(key, &place, &mut tell) => Some(driven.map_err(failed)?),
        () = questions::put(driver, key, asked, lines) => None,
        () = interrupted() => None,
    };
    teller.end();
    Ok(home.map_or(WatchEnd::Interrupted, |held| WatchEnd::Home(Box::new(held))))
}

async fn interrupted() {
    if tokio::signal::ctrl_c().await.is_err() {
        // Without a way to hear of it, it acts as usual.
        std::future::pending::<()>().await;
    }
}

/// What is told while a thread is at work: on standard error, for people.
struct AnswerPrinter {
    quiet: bool,
    in_text: bool,
}

impl AnswerPrinter {
    fn tell(&mut self, progress: &Progress) {
        match progress {
            Progress::Text(text) if !self.quiet && std::io::stderr().is_terminal() => {
                self.in_text = true;
                let mut stderr = std::io::stderr().lock();
                let _ = stderr.write_all(text.as_bytes()).and_then(|()| stderr.flush());
            }
            Progress::Text(_) => {}
            Progress::Status(status) => self.line(status),
            Progress::State(state) => match state {
                Lifecycle::Queued => self.line("Waiting for a place"),
                Lifecycle::Running => self.line("Begun"),
                Lifecycle::Ready | Lifecycle::Archived => {}
            },
            // It is put to the person by who can hear the answer.
            Progress::Permission(_) => {}
            Progress::File(file) => {
                let path = file.local_path.as_deref().unwrap_or(&file.relative_path);
                let done = match file.outcome {
                    FileOutcome::Written => "fetched",
                    FileOutcome::Identical => "is here already",
                    FileOutcome::Beside => "fetched beside yours",
                    FileOutcome::Failed => "was not fetched",
                };
                let why = file.message.as_ref().map(|why| format!(": {why}")).unwrap_or_default();
                self.line(&format!("{path} {done}{why}"));
            }
        }
    }

    fn line(&mut self, line: &str) {
        self.end();
        if !self.quiet {
            note(line);
        }
    }

    /// Ends a line of the answer that is open.
    fn end(&mut self) {
        if std::mem::take(&mut self.in_text) {
            note("");
        }
    }
}
