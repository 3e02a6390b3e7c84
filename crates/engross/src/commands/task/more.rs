//! The threads at a glance, what an agent did, and where the files are.
//!
//! Must never start an agent because somebody looks; what one did is read by the runner, which `logs` starts.

use std::collections::BTreeSet;
use std::io::IsTerminal;
use std::process::{Command, Stdio};
use std::time::Duration;

use engross_documents::change::printable;
use engross_protocol::{Clock as _, Exit, Failure, SystemClock};
use engross_threads::{Lifecycle, LogLine, Thread, ThreadError};
use serde_json::json;

use super::{CommandEnd, Place, bridge, failed, folder, shown};
use crate::cli::{AtBridgeArgs, BridgeArgs, ListThreadsArgs, OpenArgs};
use crate::output::{Output, note, print};
use engross_compose::settings::Environment;

/// How often a board is drawn anew.
const EVERY: Duration = Duration::from_secs(1);

/// How long a server has to say that it is there.
const PATIENCE: Duration = Duration::from_secs(5);

/// Clears a terminal.
const CLEAR: &str = "\x1b[2J\x1b[H";

/// `engross task list`.
pub(super) async fn list(
    args: &ListThreadsArgs,
    environment: &Environment,
    output: Output,
) -> Result<CommandEnd, Failure> {
    let place = Place::open(&args.place)?;
    let is_board = args.watch && !output.json && std::io::stdout().is_terminal();
    loop {
        let threads = threads(&place, args.all).await?;
        let problem = unreached(&place, &args.bridge, environment).await?;
        let asked = waiting(&place, &threads, &args.bridge, environment).await;
        let rows: Vec<_> = threads.iter().map(|thread| shown::Row::of(thread).asked(&asked)).collect();
        let table = shown::table(&threads, &asked, SystemClock.millis());
        if !is_board {
            place.close().await?;
            let Some(problem) = problem else {
                output.answer(&json!({ "threads": rows }), || table)?;
                return Ok(CommandEnd::With(Exit::Done));
            };
            output.answer(&json!({ "threads": rows, "serverProblem": problem }), || table)?;
            note(&problem);
            return Ok(CommandEnd::With(Exit::Refused));
        }
        print(&format!("{CLEAR}{table}"))?;
        if let Some(problem) = problem {
            note(&problem);
        }
        tokio::select! {
            () = tokio::time::sleep(EVERY) => {}
            _ = tokio::signal::ctrl_c() => {
                place.close().await?;
                return Ok(CommandEnd::With(Exit::Done));
            }
        }
    }
}

/// Why a server that was named says nothing of its tasks: who names one expects to hear of it.
async fn unreached(
    place: &Place,
    bridge: &BridgeArgs,
    environment: &Environment,
) -> Result<Option<String>, Failure> {
    let Some(server) = bridge::named_server(bridge, environment) else { return Ok(None) };
    let Some(link) = bridge::find_open(bridge, &place.data, environment)? else { return Ok(None) };
    let driver = place.driver(link);
    let (what, why) = match tokio::time::timeout(PATIENCE, driver.reach()).await {
        Ok(Ok(())) => return Ok(None),
        Ok(Err(ThreadError::Bridge { code, message })) if code.starts_with("ACP_HTTP_4") => {
            ("does not answer you", message)
        }
        Ok(Err(ThreadError::Bridge { message, .. })) => ("was not reached", message),
        Ok(Err(error)) => ("was not reached", error.to_string()),
        Err(_) => ("was not reached", format!("no answer within {} s", PATIENCE.as_secs())),
    };
    let server = printable(server);
    Ok(Some(format!(
        "the server {server} {what} ({why}), so what waits for you there is not known; the list is what is known here"
    )))
}

async fn threads(place: &Place, all: bool) -> Result<Vec<Thread>, Failure> {
    let mut threads = Vec::new();
    for key in place.journal.keys().await.map_err(failed)? {
        // One that cannot be read does not hide the others.
        match place.journal.load(&key).await {
            Ok(Some(held)) if all || held.state().lifecycle() != Lifecycle::Archived => {
                threads.push(held.into_state());
            }
            Ok(_) => {}
            Err(error) => note(&format!("{key}: {error}")),
        }
    }
    Ok(threads)
}

/// The threads whose agent waits for an answer of the person, as far as those who carry them out say so at once.
pub(super) async fn waiting(
    place: &Place,
    threads: &[Thread],
    bridge: &BridgeArgs,
    environment: &Environment,
) -> BTreeSet<String> {
    let mut asked = BTreeSet::new();
    for thread in threads.iter().filter(|thread| thread.running().is_some()) {
        let to = bridge::for_thread(bridge, thread, environment);
        let Ok(Some(link)) = bridge::find_open(&to, &place.data, environment) else { continue };
        let (driver, key) = (place.driver(link), &thread.record.thread_id);
        let questions = tokio::time::timeout(EVERY, driver.questions(key)).await;
        if questions.is_ok_and(|questions| questions.is_ok_and(|questions| !questions.is_empty())) {
            asked.insert(key.clone());
        }
    }
    asked
}

/// `engross task open`.
pub(super) async fn open(args: &OpenArgs, output: Output) -> Result<CommandEnd, Failure> {
    let place = Place::open(&args.thread.place)?;
    let record = place.find(&args.thread.thread).await?.into_state().record;
    place.close().await?;
    folder(&record)?;
    let path = &record.workspace_binding.workspace_path;
    output.answer(&json!({ "folder": path }), || format!("{}\n", printable(path)))?;
    if args.print || output.json || !std::io::stdout().is_terminal() {
        return Ok(CommandEnd::With(Exit::Done));
    }
    let program = match std::env::consts::OS {
        "macos" => "open",
        "windows" => "explorer",
        _ => "xdg-open",
    };
    let opened = Command::new(program)
        .arg(path)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    if !opened.is_ok_and(|status| status.success()) {
        note(&format!("{program} did not open it; the folder is above"));
    }
    Ok(CommandEnd::With(Exit::Done))
}

/// `engross task logs`: what the journal has of a thread, and what its bridge still knows of the newest run.
pub(super) async fn logs(
    args: &AtBridgeArgs,
    environment: &Environment,
    output: Output,
) -> Result<CommandEnd, Failure> {
    let place = Place::open(&args.thread.place)?;
    let held = place.find(&args.thread.thread).await?;
    let key = held.state().record.thread_id.clone();
    let to = bridge::for_thread(&args.bridge, held.state(), environment);
    let mut lines = place.journal.log(&key).await.map_err(failed)?;
    let config = args.thread.common.config.as_deref();
    let has_run =
        held.state().record.context_state.open_claw_task_association.is_some() || held.state().last.is_some();
    let link = match bridge::find_open(&to, &place.data, environment)? {
        // What the agent did is in the runner's journal, which a runner reads.
        None if has_run => {
            bridge::open(&to, &place.data, config, environment, bridge::RunnerNeed::Any).await.ok()
        }
        link => link.map(|link| link as std::sync::Arc<dyn engross_threads::Link>),
    };
    if let Some(link) = link {
        lines.extend(place.driver(link).updates(&key).await.unwrap_or_default());
        lines.sort_by_key(|line| line.at);
    }
    place.close().await?;
    let told: Vec<_> =
        lines.iter().map(|line| json!({ "at": line.at, "event": line.event, "text": line.text })).collect();
    output.answer(&json!({ "thread": key, "lines": told }), || lines.iter().map(shown_line).collect())?;
    Ok(CommandEnd::With(Exit::Done))
}

fn shown_line(line: &LogLine) -> String {
    let at = shown::moment(line.at);
    let text: String = printable(&line.text).chars().take(200).collect();
    format!("{at}  {:10}  {text}\n", line.event)
}
