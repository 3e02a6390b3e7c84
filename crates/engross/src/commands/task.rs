//! `engross task`: task threads, and the one who works for them.
//!
//! Must never decide what becomes of a task: that is `engross_threads`. Never takes a detached task for a finished one.

mod at_work;
mod attached;
mod bridge;
mod more;
mod questions;
mod runner;
mod runner_link;
mod runner_start;
mod shown;
mod usual;
mod verify;
mod view;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use engross_artifacts::segment;
use engross_protocol::{Clock, Exit, Failure, IdSource, RandomIds, SessionId, SystemClock};
use engross_store::files::Folder;
use engross_store::{SqliteStore, Store};
use engross_tasks::sandbox_request::SandboxRequest;
use engross_threads::{
    Ask, ExecutionBinding, ExecutionMode, LoadedThread, OwnerScope, Rules, ThreadDriver, ThreadError,
    ThreadInput, ThreadJournal, ThreadRecord, WorkspaceBinding, needs_slot,
};

use self::bridge::RunnerNeed;
use super::CommandEnd;
use crate::cli::{
    AnswerArgs, AtBridgeArgs, BridgeArgs, EndArgs, PlaceArgs, RunArgs, SandboxArgs, SyncArgs, TaskArgs,
    TaskCommand, ThreadArgs, WatchArgs,
};
use crate::output::{Output, note, print};
use engross_compose::failure::usage;
use engross_compose::files;
use engross_compose::sessions;
use engross_compose::settings::Environment;

pub(crate) fn run(args: &TaskArgs, environment: &Environment, output: Output) -> Result<CommandEnd, Failure> {
    sessions::runtime()?.block_on(async {
        match &args.command {
            TaskCommand::Run(args) => hand_in(args, environment, output).await,
            TaskCommand::Get(args) => get(args, output).await,
            TaskCommand::Watch(args) => watch(args, environment, output).await,
            TaskCommand::Cancel(args) => order(args, ThreadInput::Abort, environment, output).await,
            TaskCommand::Answer(args) => answer(args, environment, output).await,
            TaskCommand::Archive(args) => order(args, ThreadInput::Archive, environment, output).await,
            TaskCommand::Restore(args) => restore(args, output).await,
            TaskCommand::List(args) => more::list(args, environment, output).await,
            TaskCommand::Sync(args) => sync(args, environment, output).await,
            TaskCommand::Runner(args) => runner::run(args, environment).await,
            TaskCommand::Export(args) => export(args).await,
            TaskCommand::Retry(args) => retry(args, environment, output).await,
            TaskCommand::Open(args) => more::open(args, output).await,
            TaskCommand::Logs(args) => more::logs(args, environment, output).await,
            TaskCommand::Verify(args) => verify::files(args, output),
            TaskCommand::Key(args) => verify::key(args, environment, output),
            TaskCommand::Import(args) => import(&args.place, &args.file, output).await,
        }
    })
}

/// The threads of a person.
struct Place {
    data: PathBuf,
    journal: ThreadJournal,
    store: Arc<SqliteStore>,
}

impl Place {
    fn open(args: &PlaceArgs) -> Result<Self, Failure> {
        let data = engross_compose::data::data_folder(args.data.as_deref())?;
        let store = SqliteStore::open_shared(&data.join("threads.sqlite"))
            .map_err(|error| sessions::store_failure(&error))?;
        let store = Arc::new(store);
        let journal =
            ThreadJournal::new(Arc::<SqliteStore>::clone(&store), Arc::new(SystemClock), Arc::new(RandomIds));
        Ok(Self { data, journal, store })
    }

    async fn close(self) -> Result<(), Failure> {
        self.store.close().await.map_err(|error| sessions::store_failure(&error))
    }

    /// The thread that a person means.
    async fn find(&self, named: &str) -> Result<LoadedThread, Failure> {
        if let Some(held) = self.journal.load(named).await.map_err(failed)? {
            return Ok(held);
        }
        let keys = self.journal.keys().await.map_err(failed)?;
        let mut meant = keys.iter().filter(|key| key.starts_with(named));
        match (meant.next(), meant.next()) {
            (Some(key), None) => {
                let found = self.journal.load(key).await.map_err(failed)?;
                found.ok_or_else(|| failed(ThreadError::Unknown { thread: named.to_owned() }))
            }
            (Some(one), Some(other)) => Err(usage(
                "USAGE",
                format!("'{named}' can be '{one}' or '{other}'; give more of the thread's key"),
            )),
            _ => Err(failed(ThreadError::Unknown { thread: named.to_owned() })),
        }
    }

    fn driver(&self, link: Arc<dyn engross_threads::Link>) -> ThreadDriver {
        ThreadDriver::new(
            self.journal.clone(),
            link,
            Rules::default(),
            engross_tasks::runs::Capacity::default(),
        )
    }
}

fn failed(error: impl Into<ThreadError>) -> Failure {
    let error = error.into();
    let exit = match &error {
        ThreadError::File(_) | ThreadError::Store(_) => Exit::Io,
        _ => Exit::Refused,
    };
    Failure::new(exit, error.code(), error.to_string())
}

/// The folder of a thread, made if it is missing.
fn folder(record: &ThreadRecord) -> Result<Folder, Failure> {
    let path = Path::new(&record.workspace_binding.workspace_path);
    Ok(sessions::open_root(path)?.top())
}

/// The usual folder of a thread (contracts/tasks.md §3.2); keys that would be one folder have a hash behind them.
fn usual_folder(key: &str) -> Result<PathBuf, Failure> {
    let home = directories::UserDirs::new().ok_or_else(|| {
        usage("USAGE", "this platform has no home folder; say where files go with --folder")
    })?;
    Ok(home.home_dir().join(".xworkmate/threads").join(segment(key)))
}

async fn hand_in(args: &RunArgs, environment: &Environment, output: Output) -> Result<CommandEnd, Failure> {
    if args.text.trim().is_empty() {
        return Err(usage("USAGE", "the task is empty; say what is to be done"));
    }
    let (required_extensions, required_counts) = required(&args.require)?;
    let place = Place::open(&args.place)?;
    let key = match &args.thread {
        Some(named) => match place.find(named).await {
            Ok(held) => held.into_state().record.thread_id,
            Err(failure) if failure.code == "THREAD_UNKNOWN" => named.clone(),
            Err(failure) => return Err(failure),
        },
        None => new_key(),
    };
    let known = place.journal.load(&key).await.map_err(failed)?.map(LoadedThread::into_state);
    let to = known
        .as_ref()
        .map_or_else(|| args.bridge.clone(), |known| bridge::for_thread(&args.bridge, known, environment));
    let known = known.map(|known| known.record);
    if let Some(known) = &known {
        let asked = args.agent.as_ref().or(args.gateway.as_ref());
        let differs = asked.is_some_and(|asked| *asked != known.execution_binding.provider_id)
            || args
                .folder
                .as_deref()
                .is_some_and(|folder| absolute(folder) != known.workspace_binding.workspace_path);
        if differs {
            return Err(usage(
                "USAGE",
                format!(
                    "the thread '{key}' works with {} in {}; begin another thread for another one",
                    known.execution_binding.provider_id, known.workspace_binding.workspace_path
                ),
            ));
        }
    }
    let is_new = known.is_none();
    let record = known.map_or_else(|| record(&key, args), Ok)?;
    let attachments = attached::keep(&folder(&record)?, &args.attach)?;
    // Nothing is left of a thread that could not be begun.
    if is_new {
        place.journal.open(record).await.map_err(failed)?;
    }
    let ask = Ask {
        text: args.text.clone(),
        required_extensions,
        required_counts,
        wants_files: !args.chat,
        include_hidden: args.include_hidden,
        with_text: args.with_text,
        budget: args.budget,
        sandbox: sandbox(&args.sandbox),
        attachments,
        server: server_of(&to, environment),
        ..Ask::default()
    };
    // On the disk before anything else is done.
    let held = place.driver(Arc::new(bridge::Nobody)).send(&key, ask).await.map_err(failed)?;
    let agent = held.state().record.execution_binding.provider_id.as_str();
    let config = args.common.config.as_deref();
    let wanted = (agent, RunnerNeed::For(agent));
    let link = bridge::open_for(&to, &place.data, config, environment, wanted).await?;
    let driver = place.driver(link);
    if args.detach {
        at_work::submit(&driver, &held).await?;
        note(&format!("`engross task watch {key}` goes on with it"));
        place.close().await?;
        output.answer(&shown::ShownThread::of(held.state()), || shown::line(held.state()))?;
        return Ok(CommandEnd::With(Exit::Done));
    }
    let ended = at_work::see_through(&driver, &key, wishes(&args.end, args.require_files), output).await;
    place.close().await?;
    ended
}

/// The server that is to carry a task out, as it is kept with it.
fn server_of(bridge: &BridgeArgs, environment: &Environment) -> Option<String> {
    bridge::named_server(bridge, environment).map(|server| server.trim().trim_end_matches('/').to_owned())
}

fn sandbox(args: &SandboxArgs) -> SandboxRequest {
    SandboxRequest {
        enabled: args.sandbox.as_deref().map(|when| when == "on"),
        network: args.no_network.then_some(false),
        max_files: args.max_files,
        max_bytes: args.max_bytes,
        max_processes: args.max_processes,
    }
}

fn wishes(args: &EndArgs, requires_files: bool) -> at_work::EndWishes<'_> {
    at_work::EndWishes {
        requires_files,
        lines: args.json_lines,
        bell: args.bell,
        hook: args.on_end.as_deref(),
    }
}

fn new_key() -> String {
    // Sortable by time, as other programs' keys are, and unlike theirs never given twice.
    let now = SystemClock.millis();
    let id = SessionId::new(&RandomIds as &dyn IdSource, now).to_string();
    let tail: String = id.chars().rev().take(8).collect();
    format!("draft:{now}-{tail}")
}

fn absolute(path: &Path) -> String {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned()).to_string_lossy().into_owned()
}

fn record(key: &str, args: &RunArgs) -> Result<ThreadRecord, Failure> {
    let folder = match &args.folder {
        Some(folder) => folder.clone(),
        None => usual_folder(key)?,
    };
    let provider = args.gateway.as_deref().or(args.agent.as_deref()).unwrap_or(usual::USUAL).to_owned();
    let path = absolute(&folder);
    Ok(ThreadRecord {
        schema_version: engross_threads::SCHEMA_VERSION,
        thread_id: key.to_owned(),
        title: String::new(),
        owner_scope: OwnerScope::default(),
        workspace_binding: WorkspaceBinding {
            workspace_id: key.to_owned(),
            workspace_kind: "localFs".to_owned(),
            display_path: path.clone(),
            workspace_path: path,
            writable: true,
            others: serde_json::Map::new(),
        },
        execution_binding: ExecutionBinding {
            execution_mode: if args.gateway.is_some() {
                ExecutionMode::Gateway
            } else {
                ExecutionMode::Agent
            },
            executor_id: provider.clone(),
            provider_id: provider,
            others: serde_json::Map::new(),
        },
        context_state: engross_threads::ContextState::default(),
        lifecycle_state: engross_threads::LifecycleState::default(),
        created_at_ms: SystemClock.millis(),
        updated_at_ms: SystemClock.millis(),
        others: serde_json::Map::new(),
    })
}

type RequiredFiles = (Vec<String>, std::collections::BTreeMap<String, u64>);

/// `pdf` or `pdf=3`.
fn required(asked: &[String]) -> Result<RequiredFiles, Failure> {
    let mut required = RequiredFiles::default();
    for one in asked {
        let wrong = || usage("USAGE", format!("--require '{one}' is not understood; write pdf, or pdf=3"));
        let (extension, count) = match one.split_once('=') {
            Some((extension, count)) => (extension, Some(count.parse::<u64>().map_err(|_| wrong())?)),
            None => (one.as_str(), None),
        };
        let extension = extension.trim().trim_start_matches('.').to_lowercase();
        if extension.is_empty() || extension.contains(['/', '\\', ' ']) || count == Some(0) {
            return Err(wrong());
        }
        match count {
            Some(count) => {
                required.1.insert(extension, count);
            }
            None => required.0.push(extension),
        }
    }
    Ok(required)
}

async fn get(args: &ThreadArgs, output: Output) -> Result<CommandEnd, Failure> {
    let place = Place::open(&args.place)?;
    let held = place.find(&args.thread).await?;
    place.close().await?;
    output.answer(&shown::ShownThread::of(held.state()), || shown::whole(held.state()))?;
    Ok(CommandEnd::With(Exit::Done))
}

async fn watch(args: &WatchArgs, environment: &Environment, output: Output) -> Result<CommandEnd, Failure> {
    let at = &args.at;
    let place = Place::open(&at.thread.place)?;
    let thread = place.find(&at.thread.thread).await?.into_state();
    let key = thread.record.thread_id.clone();
    let agent = thread.record.execution_binding.provider_id.as_str();
    // What a runner has begun is looked on at whatever it was made for; what is still to begin is not begun by any.
    let is_begun = thread.waiting.is_empty()
        && (thread.running().is_none() || thread.record.context_state.open_claw_task_association.is_some());
    let wanted = (agent, if is_begun { RunnerNeed::Any } else { RunnerNeed::For(agent) });
    let config = at.thread.common.config.as_deref();
    let to = bridge::for_thread(&at.bridge, &thread, environment);
    let link = bridge::open_for(&to, &place.data, config, environment, wanted).await?;
    let ended = at_work::see_through(&place.driver(link), &key, wishes(&args.end, false), output).await;
    place.close().await?;
    ended
}

/// Asks once more what was asked last.
async fn retry(args: &WatchArgs, environment: &Environment, output: Output) -> Result<CommandEnd, Failure> {
    let at = &args.at;
    let place = Place::open(&at.thread.place)?;
    let thread = place.find(&at.thread.thread).await?.into_state();
    let key = thread.record.thread_id.clone();
    let to = bridge::for_thread(&at.bridge, &thread, environment);
    let last = thread.last.ok_or_else(|| {
        usage("USAGE", format!("nothing was asked in '{key}' yet; say what with `engross task run`"))
    })?;
    let again = Ask { id: String::new(), server: server_of(&to, environment), ..*last };
    place.driver(Arc::new(bridge::Nobody)).send(&key, again).await.map_err(failed)?;
    watch(args, environment, output).await
}

async fn order(
    args: &AtBridgeArgs,
    order: ThreadInput,
    environment: &Environment,
    output: Output,
) -> Result<CommandEnd, Failure> {
    let place = Place::open(&args.thread.place)?;
    let thread = place.find(&args.thread.thread).await?.into_state();
    let config = args.thread.common.config.as_deref();
    let to = bridge::for_thread(&args.bridge, &thread, environment);
    let key = thread.record.thread_id;
    let link = bridge::open(&to, &place.data, config, environment, RunnerNeed::Any).await?;
    let held = place.driver(link).order(&key, order).await.map_err(failed);
    place.close().await?;
    let held = held?;
    output.answer(&shown::ShownThread::of(held.state()), || shown::line(held.state()))?;
    Ok(CommandEnd::With(Exit::Done))
}

async fn answer(args: &AnswerArgs, environment: &Environment, output: Output) -> Result<CommandEnd, Failure> {
    let thread = &args.at.thread;
    let place = Place::open(&thread.place)?;
    let held = place.find(&thread.thread).await?.into_state();
    let to = bridge::for_thread(&args.at.bridge, &held, environment);
    let key = held.record.thread_id;
    // Where nobody works, nobody asks.
    let link = bridge::find_open(&to, &place.data, environment)?;
    let driver = link.map(|link| place.driver(link));
    let done = questions::answer(driver.as_ref(), &key, args, output).await;
    place.close().await?;
    done
}

async fn restore(args: &ThreadArgs, output: Output) -> Result<CommandEnd, Failure> {
    let place = Place::open(&args.place)?;
    let key = place.find(&args.thread).await?.into_state().record.thread_id;
    let driver = place.driver(Arc::new(bridge::Nobody));
    let held = driver.order(&key, ThreadInput::Restore).await.map_err(failed)?;
    place.close().await?;
    output.answer(&shown::ShownThread::of(held.state()), || shown::line(held.state()))?;
    Ok(CommandEnd::With(Exit::Done))
}

async fn sync(args: &SyncArgs, environment: &Environment, output: Output) -> Result<CommandEnd, Failure> {
    let place = Place::open(&args.place)?;
    let config = args.common.config.as_deref();
    let left = place.driver(Arc::new(bridge::Nobody)).unfinished().await.map_err(failed)?;
    let driven = left.into_iter().map(|thread| {
        let has_turns = needs_slot(thread.state());
        let (place, state) = (&place, thread.into_state());
        let to = bridge::for_thread(&args.bridge, &state, environment);
        let record = state.record;
        let driven = async move {
            let agent = record.execution_binding.provider_id.as_str();
            let wanted = (agent, RunnerNeed::For(agent));
            let link = bridge::open_for(&to, &place.data, config, environment, wanted).await?;
            at_work::drive(&place.driver(link), &record.thread_id, view::Telling::Nobody).await
        };
        (has_turns, driven)
    });
    let ends = runner::carry_on(driven).await;
    let mut done = Vec::new();
    for end in ends {
        match end? {
            at_work::WatchEnd::Home(home) => done.push(home.0.into_state()),
            at_work::WatchEnd::Interrupted => {
                place.close().await?;
                return Ok(CommandEnd::Interrupted(
                    "interrupted; nothing is lost, `engross task sync` goes on",
                ));
            }
        }
    }
    place.close().await?;
    let rows: Vec<shown::Row> = done.iter().map(shown::Row::of).collect();
    let now = SystemClock.millis();
    output
        .answer(&serde_json::json!({ "threads": rows }), || shown::table(&done, &Default::default(), now))?;
    Ok(CommandEnd::With(Exit::Done))
}

async fn export(args: &ThreadArgs) -> Result<CommandEnd, Failure> {
    let place = Place::open(&args.place)?;
    let held = place.find(&args.thread).await?;
    place.close().await?;
    let mut text = held.state().record.to_json().map_err(failed)?;
    text.push('\n');
    print(&text)?;
    Ok(CommandEnd::With(Exit::Done))
}

async fn import(args: &PlaceArgs, file: &Path, output: Output) -> Result<CommandEnd, Failure> {
    let record = ThreadRecord::parse(&files::read_text(file)?).map_err(failed)?;
    let place = Place::open(args)?;
    let key = record.thread_id.clone();
    let (held, is_new) = place.journal.open(record).await.map_err(failed)?;
    place.close().await?;
    if !is_new {
        return Err(Failure::new(
            Exit::Refused,
            "TARGET_EXISTS",
            format!("there is a task thread '{key}' already; what it says stays"),
        ));
    }
    output.answer(&shown::ShownThread::of(held.state()), || shown::line(held.state()))?;
    Ok(CommandEnd::With(Exit::Done))
}
