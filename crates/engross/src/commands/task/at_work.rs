//! A thread at work, seen from the terminal.
//!
//! Must never stop a task because nobody looks on any more.

use std::io::IsTerminal;
use std::time::Duration;

use engross_protocol::{Clock as _, Exit, Failure, SystemClock};
use engross_threads::{LoadedThread, Progress, ThreadDriver};

use super::view::{Telling, View};
use super::{CommandEnd, failed, folder, questions, shown};
use crate::output::{Output, note, prompt};

/// How long a server has to say that it has a task.
const SHORT: Duration = Duration::from_secs(5);

/// How far somebody looked on.
pub(super) enum WatchEnd {
    /// Nothing is left to do.
    Home(Box<(LoadedThread, View)>),
    /// The person let go.
    Interrupted,
}

/// Goes on with a thread until nothing is left to do, and shows what came of it. The exit code tells whether its newest task
/// is a success.
pub(super) async fn see_through(
    driver: &ThreadDriver,
    key: &str,
    wishes: EndWishes<'_>,
    output: Output,
) -> Result<CommandEnd, Failure> {
    let telling = match (wishes.lines, output.json) {
        (true, _) => Telling::Lines,
        (false, true) => Telling::Nobody,
        (false, false) => Telling::Person,
    };
    match drive(driver, key, telling).await? {
        WatchEnd::Interrupted => {
            note(&format!(
                "The task goes on. `engross task watch {key}` looks on again, `engross task cancel {key}` stops it"
            ));
            Ok(CommandEnd::Interrupted("interrupted; the task was not stopped"))
        }
        WatchEnd::Home(home) => {
            let (held, view) = *home;
            let thread = held.state();
            if telling == Telling::Lines {
                let end = shown::end_line(&shown::ShownThread::of(thread));
                crate::output::print(&end)?;
            } else {
                let took = view.elapsed();
                let is_shown = view.has_shown_answer && std::io::stdout().is_terminal();
                let result = || shown::result(thread, &view.files, took, !is_shown);
                output.answer(&shown::ShownThread::of(thread), result)?;
            }
            let code = thread.record.lifecycle_state.last_result_code.as_deref();
            let sync = thread.record.context_state.last_artifact_sync_status.as_deref();
            let context = &thread.record.context_state;
            let has_files = context.last_task_named_only.is_empty()
                && !context.last_task_artifact_relative_paths.is_empty();
            if wishes.requires_files && !has_files {
                note("There are not all the files that the answer names, and --require-files asks for them");
            }
            let is_done = matches!(code, None | Some("success"))
                && !matches!(sync, Some("partial" | "failed"))
                && (has_files || !wishes.requires_files);
            wishes.tell(key, code.unwrap_or_default());
            Ok(CommandEnd::With(if is_done { Exit::Done } else { Exit::Refused }))
        }
    }
}

/// What a person wants of the end of a task.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct EndWishes<'a> {
    /// All files that the answer names.
    pub(super) requires_files: bool,
    /// Events as lines of JSON.
    pub(super) lines: bool,
    /// A sound of the terminal.
    pub(super) bell: bool,
    /// A command.
    pub(super) hook: Option<&'a str>,
}

impl EndWishes<'_> {
    /// Tells the person that a task has ended, in the ways that they asked for.
    fn tell(&self, thread: &str, code: &str) {
        if self.bell {
            prompt("\x07");
        }
        let Some(hook) = self.hook else { return };
        let shell = if cfg!(windows) { ["cmd", "/C"] } else { ["sh", "-c"] };
        let [program, flag] = shell;
        let run = std::process::Command::new(program)
            .args([flag, hook])
            .env("ENGROSS_THREAD", thread)
            .env("ENGROSS_RESULT", code)
            .stdin(std::process::Stdio::null())
            .status();
        if let Err(error) = run {
            note(&format!("the command of --on-end did not start: {error}"));
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
pub(super) async fn drive(driver: &ThreadDriver, key: &str, telling: Telling) -> Result<WatchEnd, Failure> {
    let held = driver.journal().load(key).await.map_err(failed)?;
    let held =
        held.ok_or_else(|| failed(engross_threads::ThreadError::Unknown { thread: key.to_owned() }))?;
    let place = folder(&held.state().record)?;
    let record = &held.state().record;
    let asked_for = held
        .state()
        .running()
        .map(|running| running.ask.budget)
        .or_else(|| held.state().last.as_ref().map(|last| last.budget));
    let began = held.state().running().map(|running| running.began);
    let gone = began.map_or(0, |began| SystemClock.millis().saturating_sub(began));
    let mut view = View::new(
        telling,
        &record.thread_id,
        &record.execution_binding.provider_id,
        (gone, asked_for.unwrap_or_default()),
    );
    let (ask, asked) = tokio::sync::mpsc::unbounded_channel();
    let mut tell = |progress: Progress| {
        if let Progress::Permission(question) = &progress {
            view.ask(question);
            // Nobody hears it only when this is over.
            let _ = ask.send(question.clone());
        } else {
            view.tell(&progress);
        }
    };
    let lines = if telling == Telling::Person { questions::lines() } else { None };
    let home = tokio::select! {
        driven = driver.drive(key, &place, &mut tell) => Some(driven.map_err(failed)?),
        () = questions::put(driver, key, asked, lines) => None,
        () = interrupted() => None,
    };
    view.end();
    Ok(home.map_or(WatchEnd::Interrupted, |held| WatchEnd::Home(Box::new((held, view)))))
}

async fn interrupted() {
    if tokio::signal::ctrl_c().await.is_err() {
        // Without a way to hear of it, it acts as usual.
        std::future::pending::<()>().await;
    }
}
