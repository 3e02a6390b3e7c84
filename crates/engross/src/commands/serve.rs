//! `engross serve`: the composition of store, model and sessions behind the HTTP routes.
//!
//! Must never be reachable from other machines without a token.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::serve::ListenerExt;
use engross_agent::session::{
    ClientTool, Models, Rules, Sessions, SessionsConfig, Settings as SessionSettings,
};
use engross_agent::workspace::Workspaces;
use engross_docx::Tracking;
use engross_protocol::{Clock, Exit, Failure, IdSource, RandomIds, SystemClock};
use engross_store::files::{Ages, Locks, Root};
use engross_store::{MemoryStore, PostgresStore, SqliteStore, Store};
use engross_write::runner::WriteService;
use tokio::net::TcpListener;

use super::{Ended, sessions, writes};
use crate::cli::ServeArgs;
use crate::exports::Exports;
use crate::failure::usage;
use crate::output::note;
use crate::serve::{Access, Documents, Limits, Metrics, Server, Token, app, task_routes, write_routes};
use crate::settings::{Environment, Flags, Settings};
use crate::signature;
use crate::tasks::{self, TaskToolboxes};

/// How often sessions that wait are looked after.
const WATCH_EVERY: Duration = Duration::from_secs(5);

/// How often runs that wait for a place are looked after.
const TASKS_EVERY: Duration = Duration::from_secs(1);

/// How long turns may go on once the server is asked to stop.
const PATIENCE: Duration = Duration::from_secs(20);

/// What the server is made of, beside its store.
struct Parts {
    models: Models,
    settings: SessionSettings,
    client_tools: Vec<ClientTool>,
    documents: Documents,
    writes: WriteService,
    tasks: tasks::Parts,
    root: Root,
    locks: Locks,
    access: Access,
}

pub(super) fn run(args: &ServeArgs, environment: &Environment) -> Result<Ended, Failure> {
    let flags = Flags { config: args.config.clone(), model: args.model.clone(), ..Flags::default() };
    let settings = Settings::load(&flags, environment)?;
    let (root, place) = open_root(args)?;
    let locks = Locks::new();
    let parts = Parts {
        access: access(args, environment)?,
        models: sessions::models(&settings, environment)?,
        settings: sessions::session_settings(&settings)?,
        client_tools: sessions::client_tools(&settings)?,
        documents: documents(root.clone(), locks.clone(), &settings)?,
        writes: writes::open(root.clone(), locks.clone())?,
        tasks: tasks(args, root.clone(), place)?,
        root,
        locks,
    };
    sessions::runtime()?.block_on(serve(args, parts))
}

async fn serve(args: &ServeArgs, parts: Parts) -> Result<Ended, Failure> {
    let Parts { models, settings, client_tools, documents, writes, tasks, root, locks, access } = parts;
    let store = open_store(args).await?;
    let listener =
        TcpListener::bind(args.listen).await.map_err(|error| cannot_listen(args.listen, &error))?;
    let address = listener.local_addr().map_err(|error| cannot_listen(args.listen, &error))?;
    let spec = models.get(None).info().spec;
    let exports = Exports::start(&store, args.transcripts.as_deref(), args.traces.as_deref()).await?;
    let service = Sessions::new(SessionsConfig {
        store: Arc::clone(&store),
        models,
        rules: Rules::default(),
        settings,
        client_tools,
        toolboxes: Arc::new(TaskToolboxes {
            usual: documents.workspaces.clone(),
            root,
            locks,
            clock: Arc::new(SystemClock),
        }),
        observers: exports.observers(),
        grace: Duration::from_secs(30),
        queue: 32,
        turns: 4096,
        working: 1024,
        node: is_shared(&args.store).then(node_name),
        clock: Arc::new(SystemClock),
        ids: Arc::new(RandomIds),
    });
    let threads = Arc::clone(&tasks.store);
    let bridge = tasks::bridge(tasks, service.clone())?;
    let runs = bridge.runs().clone();
    runs.recover().await.map_err(|error| Failure::new(Exit::Io, error.code(), error.to_string()))?;
    let server = Server {
        service: service.clone(),
        documents,
        clock: Arc::new(SystemClock),
        ids: Arc::new(RandomIds),
        access,
        strict_models: args.strict_models,
        limits: Limits::default(),
        metrics: Arc::new(Metrics::with(exports.arrears())),
    };
    note(&format!("Listening at http://{address}/v1 with the model {spec}; Ctrl-C stops"));
    // Small pieces of a stream must not wait for the next one.
    let listener = listener.tap_io(|stream| {
        let _ = stream.set_nodelay(true);
    });
    let stopping = Arc::new(tokio::sync::Notify::new());
    let stopped = Arc::clone(&stopping);
    let further = write_routes(writes.clone(), Limits::default());
    let routes = app(Arc::new(server), further.merge(task_routes(bridge, Limits::default())));
    let accepting =
        axum::serve(listener, routes).with_graceful_shutdown(async move { stopped.notified().await });
    let draining = async {
        asked_to_stop().await;
        note("Stopping: running turns are finished first");
        stopping.notify_one();
        tokio::join!(service.drain(PATIENCE), runs.drain(PATIENCE));
        // Connections that nobody closes do not hold up the end.
        tokio::time::sleep(Duration::from_secs(5)).await;
    };
    let watching = async {
        service.watch(WATCH_EVERY).await;
        // It ends when the server drains; what ends the server is the rest.
        std::future::pending::<()>().await;
    };
    let looking_after = async {
        runs.watch(TASKS_EVERY).await;
        std::future::pending::<()>().await;
    };
    tokio::select! {
        () = watching => {}
        () = writes::look_after(&writes) => {}
        () = looking_after => {}
        served = accepting => served.map_err(|error| cannot_listen(address, &error))?,
        () = draining => {}
    }
    service.drain(Duration::ZERO).await;
    runs.drain(Duration::ZERO).await;
    threads.close().await.map_err(|error| sessions::store_failure(&error))?;
    exports.finish().await;
    store.close().await.map_err(|error| sessions::store_failure(&error))?;
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

/// The one folder that sessions and write sessions may touch. What killed processes have left there is removed.
fn open_root(args: &ServeArgs) -> Result<(Root, String), Failure> {
    let path = match &args.root {
        Some(root) => root.clone(),
        None => sessions::data_folder(args.data.as_deref())?.join("workspace"),
    };
    let root = sessions::open_root(&path)?;
    let swept = root.top().sweep(SystemClock.millis(), Ages::default()).map_err(Failure::from)?;
    if swept > 0 {
        note(&format!("Removed {swept} unfinished files beneath {}", path.display()));
    }
    let place = path.canonicalize().unwrap_or(path);
    Ok((root, place.to_string_lossy().into_owned()))
}

/// What tasks are kept in. Their files are on this machine's disk, and so is their journal, wherever sessions are.
fn tasks(args: &ServeArgs, root: Root, place: String) -> Result<tasks::Parts, Failure> {
    if args.store == "memory" {
        return Ok(tasks::Parts {
            root,
            place,
            store: Arc::new(MemoryStore::new()),
            keys: tasks::keys(None)?,
        });
    }
    let data = sessions::data_folder(args.data.as_deref())?;
    let store =
        SqliteStore::open(&data.join("tasks.sqlite")).map_err(|error| sessions::store_failure(&error))?;
    Ok(tasks::Parts { root, place, store: Arc::new(store), keys: tasks::keys(Some(&data))? })
}

/// The documents beneath the root.
fn documents(root: Root, locks: Locks, settings: &Settings) -> Result<Documents, Failure> {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    Ok(Documents {
        workspaces: Workspaces::new(root, locks, Arc::clone(&clock)),
        author: signature::author(&settings.author.value)?.to_owned(),
        tracking: if settings.untracked.value { Tracking::Untracked } else { Tracking::Tracked },
        clock,
    })
}

async fn open_store(args: &ServeArgs) -> Result<Arc<dyn Store>, Failure> {
    let opened: Result<Arc<dyn Store>, engross_store::Error> = match args.store.as_str() {
        "memory" => Ok(Arc::new(MemoryStore::new())),
        "sqlite" => {
            let store = sessions::open_file(&sessions::data_folder(args.data.as_deref())?)?;
            Ok(Arc::new(store) as Arc<dyn Store>)
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
    opened.map_err(|error| sessions::store_failure(&error))
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
