//! `engross serve`: the composition of store, model and sessions behind the HTTP routes.
//!
//! Must never be reachable from other machines without a token.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use axum::serve::ListenerExt;
use engross_agent::session::{Models, NoToolboxes, Rules, Sessions, SessionsConfig};
use engross_llm::Model;
use engross_protocol::{Clock, Exit, Failure, IdSource, RandomIds, SystemClock};
use engross_store::files::{Locks, RelPath, Root};
use engross_store::{MemoryStore, PostgresStore, SqliteStore, Store};
use engross_write::runner::{Config, WriteService, WriteSessions};
use tokio::net::TcpListener;

use super::{Ended, model};
use crate::cli::ServeArgs;
use crate::failure::usage;
use crate::files;
use crate::output::note;
use crate::serve::{Access, Limits, Metrics, Server, Token, app, write_routes};
use crate::settings::{Environment, Flags, Settings};
use crate::signals::survive_file_limit;

/// How often sessions that wait are looked after.
const WATCH_EVERY: Duration = Duration::from_secs(5);

/// How often write sessions are looked after.
const WATCH_WRITES_EVERY: Duration = Duration::from_millis(250);

/// How often what write sessions have left is swept away.
const SWEEP_EVERY: Duration = Duration::from_secs(3600);

/// Where unfinished content is kept beneath the root.
const SPOOL: &str = ".engross-writes";

/// How long turns may go on once the server is asked to stop.
const PATIENCE: Duration = Duration::from_secs(20);

pub(super) fn run(args: &ServeArgs, environment: &Environment) -> Result<Ended, Failure> {
    let flags = Flags { config: args.config.clone(), model: args.model.clone(), ..Flags::default() };
    let settings = Settings::load(&flags, environment)?;
    let access = access(args, environment)?;
    let model = model::open(&settings, environment)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(|error| {
        let message = format!("the machine gives no room for a server: {error}; close other programs");
        Failure::new(Exit::Io, "LISTEN_FAILED", message)
    })?;
    runtime.block_on(serve(args, model, settings.max_rounds.value, access))
}

async fn serve(
    args: &ServeArgs,
    model: Arc<dyn Model>,
    loops: u32,
    access: Access,
) -> Result<Ended, Failure> {
    let store = open_store(args).await?;
    let writes = open_writes(args)?;
    let listener =
        TcpListener::bind(args.listen).await.map_err(|error| cannot_listen(args.listen, &error))?;
    let address = listener.local_addr().map_err(|error| cannot_listen(args.listen, &error))?;
    let spec = model.info().spec;
    let sessions = Sessions::new(SessionsConfig {
        store: Arc::clone(&store),
        models: Models::one(model),
        rules: Rules { loops, ..Rules::default() },
        settings: engross_agent::session::Settings::default(),
        client_tools: Vec::new(),
        toolboxes: Arc::new(NoToolboxes),
        observers: Vec::new(),
        grace: Duration::from_secs(30),
        queue: 32,
        turns: 4096,
        working: 1024,
        node: is_shared(&args.store).then(node_name),
        clock: Arc::new(SystemClock),
        ids: Arc::new(RandomIds),
    });
    let server = Server {
        service: sessions.clone(),
        clock: Arc::new(SystemClock),
        ids: Arc::new(RandomIds),
        access,
        strict_models: args.strict_models,
        limits: Limits::default(),
        metrics: Arc::new(Metrics::default()),
    };
    note(&format!("Listening at http://{address}/v1 with the model {spec}; Ctrl-C stops"));
    // Small pieces of a stream must not wait for the next one.
    let listener = listener.tap_io(|stream| {
        let _ = stream.set_nodelay(true);
    });
    let stopping = Arc::new(tokio::sync::Notify::new());
    let stopped = Arc::clone(&stopping);
    let routes = app(Arc::new(server), write_routes(writes.clone(), Limits::default()));
    let accepting =
        axum::serve(listener, routes).with_graceful_shutdown(async move { stopped.notified().await });
    let draining = async {
        asked_to_stop().await;
        note("Stopping: running turns are finished first");
        stopping.notify_one();
        sessions.drain(PATIENCE).await;
        // Connections that nobody closes do not hold up the end.
        tokio::time::sleep(Duration::from_secs(5)).await;
    };
    let watching = async {
        sessions.watch(WATCH_EVERY).await;
        // It ends when the server drains; what ends the server is the rest.
        std::future::pending::<()>().await;
    };
    tokio::select! {
        () = watching => {}
        () = look_after(&writes) => {}
        served = accepting => served.map_err(|error| cannot_listen(address, &error))?,
        () = draining => {}
    }
    sessions.drain(Duration::ZERO).await;
    store.close().await.map_err(|error| store_failure(&error))?;
    Ok(Ended::With(Exit::Done))
}

/// Who may call. Other machines only with a token.
fn access(args: &ServeArgs, environment: &Environment) -> Result<Access, Failure> {
    let token = args.token.as_deref().or_else(|| environment.get("ENGROSS_TOKEN"));
    if token.is_none() && !args.listen.ip().is_loopback() {
        return Err(usage(
            "USAGE",
            format!(
                "{} can be reached from other machines, so a token is needed: give --token, or set ENGROSS_TOKEN",
                args.listen
            ),
        ));
    }
    Ok(Access { token: token.map(Token::new), origins: args.cors.clone() })
}

async fn open_store(args: &ServeArgs) -> Result<Arc<dyn Store>, Failure> {
    let opened: Result<Arc<dyn Store>, engross_store::Error> = match args.store.as_str() {
        "memory" => Ok(Arc::new(MemoryStore::new())),
        "sqlite" => {
            let folder = data_folder(args.data.as_deref())?;
            SqliteStore::open(&folder.join("sessions.sqlite")).map(|store| Arc::new(store) as Arc<dyn Store>)
        }
        url if url.starts_with("postgres://") || url.starts_with("postgresql://") => {
            PostgresStore::open(url).await.map(|store| Arc::new(store) as Arc<dyn Store>)
        }
        other => {
            return Err(usage(
                "USAGE",
                format!(
                    "'{other}' is no store; give sqlite, memory, or an address such as postgres://user@host/name"
                ),
            ));
        }
    };
    opened.map_err(|error| store_failure(&error))
}

/// The write sessions beneath the root, those of an earlier server too.
fn open_writes(args: &ServeArgs) -> Result<WriteService, Failure> {
    survive_file_limit();
    let folder = match &args.root {
        Some(root) => root.clone(),
        None => data_folder(args.data.as_deref())?.join("workspace"),
    };
    let sessions = WriteSessions::new(Config {
        root: Root::open(&folder)?,
        spool: Some(RelPath::parse(SPOOL)?),
        locks: Locks::new(),
        clock: Arc::new(SystemClock),
        ids: Arc::new(RandomIds),
        limits: engross_write::runner::Limits::default(),
    })?;
    for (id, problem) in sessions.take_up()? {
        note(&format!("The write session {id} is left alone: {} [{}]", problem.message, problem.code));
    }
    Ok(WriteService::new(sessions))
}

/// Asks write sessions that are silent, lets them expire, and sweeps. Never ends.
async fn look_after(writes: &WriteService) {
    loop {
        writes.sweep().await;
        for _ in 0..SWEEP_EVERY.as_millis() / WATCH_WRITES_EVERY.as_millis() {
            tokio::time::sleep(WATCH_WRITES_EVERY).await;
            writes.watch().await;
        }
    }
}

/// Whether other servers may work on the same store.
fn is_shared(store: &str) -> bool {
    store.starts_with("postgres")
}

/// A name that no other process has.
fn node_name() -> String {
    let number = u128::from_be_bytes(RandomIds.next(SystemClock.millis()));
    format!("node_{number:032x}")
}

fn data_folder(asked: Option<&Path>) -> Result<PathBuf, Failure> {
    let usual =
        || directories::ProjectDirs::from("", "", "engross").map(|folders| folders.data_dir().to_owned());
    let folder = asked.map(Path::to_owned).or_else(usual).ok_or_else(|| {
        usage("USAGE", "this platform has no folder for data; say where sessions are kept with --data")
    })?;
    files::make_folder(&folder)?;
    Ok(folder)
}

/// Resolves when the person or the system wants an end.
async fn asked_to_stop() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = terminate.recv() => {}
            }
            return;
        }
    }
    let _ = tokio::signal::ctrl_c().await;
}

fn cannot_listen(address: SocketAddr, error: &std::io::Error) -> Failure {
    let message = format!("{address} cannot be listened at: {error}; choose another address with --listen");
    Failure::new(Exit::Io, "LISTEN_FAILED", message)
}

fn store_failure(error: &engross_store::Error) -> Failure {
    Failure::new(Exit::Io, error.code(), error.to_string())
}
