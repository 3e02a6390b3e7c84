//! `engross serve`: the composition of store, model and sessions behind the HTTP routes, for all owners.
//!
//! Must never stop while somebody could be told that it does.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use engross_agent::session::{
    ClientTool, Models, Sessions, SessionsConfig, Settings as SessionSettings, TurnRules,
};
use engross_http::Access;
use engross_http::exports::Exports;
use engross_http::{
    AccessLog, AllSessions, BodyBudget, Brake, DEFAULT_OWNER, HomeDoor, HomeFinder, Limits, Listener,
    Metrics, OwnerQuota, Owners, Server, app_of_homes, app_of_owners,
};
use engross_llm::RetryCount;
use engross_protocol::{Code, Exit, Failure, RandomIds, SystemClock};
use engross_store::blobs::Blobs;
use engross_store::files::by_path;
use engross_store::{MemoryStore, Store};
use engross_tasks::rpc::Bridge;
use tokio::net::{TcpListener, TcpSocket};
use tokio::task::JoinSet;

use super::access_log::{self, RequestLog};
use super::homes::{HomeKeeper, HomeOwners, SharedPlace};
use super::isolation::{self, WorkerPool};
use super::keys::KeyStore;
use super::own_model::OwnModelTable;
use super::owner::{OwnerParts, OwnerPlaces, owner_of};
use super::owners::OwnerRegistry;
use super::tasks::OwnerToolboxes;
use super::{front, sessions, tasks};
use crate::console::note;
use crate::data::data_folder;
use crate::failure::usage;
use crate::settings::{Environment, ProgramSettings, ServeSettings};
use crate::signals;

/// How long a server that is to stop still says so at /readyz before it closes its door, when it has something to do.
const LAME_DUCK: Duration = Duration::from_secs(2);

/// Connections that the system keeps until they are accepted. Where it has no place, a client is not told, and tries again after a second.
const BACKLOG: u32 = 4096;

/// How often sessions that wait are looked after.
const WATCH_EVERY: Duration = Duration::from_secs(5);

/// How often sessions that are not to be kept are looked for.
const FORGET_EVERY: Duration = Duration::from_secs(300);

/// The codes that only the binary knows all of.
const CODES: &[&[&Code]] = &[
    crate::codes::ALL,
    engross_acp::agent::codes::ALL,
    engross_acp::codes::ALL,
    engross_learn::codes::ALL,
    engross_openclaw::codes::ALL,
    engross_playbook::codes::ALL,
    engross_threads::codes::ALL,
];

/// What the server is made of, beside its store.
pub(super) struct Parts {
    options: ServeSettings,
    data: PathBuf,
    models: Models,
    settings: SessionSettings,
    client_tools: Vec<ClientTool>,
    access: Access,
    certificate: Option<front::Certificate>,
    access_log: Option<Arc<RequestLog>>,
    session_by_user: bool,
    places: OwnerPlaces,
    /// What the default owner has; nothing where this is one of several nodes that share it.
    first: Option<OwnerParts>,
    /// Where other nodes reach this one, if they share what owners have.
    address: Option<String>,
    keys: KeyStore,
    retries: RetryCount,
    /// The processes that work on documents, if the server does not.
    workers: Option<Arc<WorkerPool>>,
}

/// How long a node waits at its start for storage that it has files of owners in.
const STORAGE_PATIENCE: Duration = Duration::from_secs(3);

/// Serves until the person or the system wants an end.
pub fn run(settings: &ProgramSettings, environment: &Environment) -> Result<(), Failure> {
    let address = settings.serve.listen();
    let patience = Duration::from_secs(settings.serve.number("drain_seconds"));
    let scheme = if settings.serve.text("tls_cert").is_some() { "https" } else { "http" };
    let parts = parts(settings, environment, None)?;
    sessions::runtime()?.block_on(async {
        let listener = listen(address)?;
        let address = listener.local_addr().map_err(|error| cannot_listen(address, &error))?;
        let stop = || {
            let asked = signals::asked_to_stop();
            async move {
                asked.await;
                note("Stopping: running turns are finished first");
                patience
            }
        };
        serve(parts, listener, stop, |spec, _| {
            note(&format!("Listening at {scheme}://{address}/v1 with the model {spec}; Ctrl-C stops"));
        })
        .await
    })
}

/// What is another matter for the runner of a person's tasks.
pub(super) struct RunnerParts {
    /// How long the files of tasks that have ended are kept; nothing is for ever.
    pub(super) keep_files: Option<Duration>,
}

/// Opens what does not need a runtime.
pub(super) fn parts(
    settings: &ProgramSettings,
    environment: &Environment,
    runner: Option<RunnerParts>,
) -> Result<Parts, Failure> {
    let options = settings.serve.clone();
    let data = data_folder(options.path("data").as_deref())?;
    front::warn_of_openness(&data, "700");
    let keys = KeyStore::of(&data);
    let access = front::access(&options, keys.access_keys()?.as_deref())?;
    let certificate = front::Certificate::of(&options)?;
    let own_models = OwnModelTable::default();
    let workers = isolation::start(&options)?;
    let places = OwnerPlaces {
        root: options.path("root").unwrap_or_else(|| data.join("workspace")),
        in_memory: options.text("store") == Some("memory"),
        is_runner: runner.is_some(),
        keep_files: runner.and_then(|runner| runner.keep_files),
        own_models: own_models.clone(),
        isolation: isolation::isolation(workers.as_ref()),
        blobs: tasks::blobs(options.text("blobs"), environment)?,
        data: data.clone(),
        settings: settings.clone(),
        environment: environment.clone(),
    };
    let address = node_address(&options)?;
    check_local_folders(&options)?;
    let access_log = options.path("access_log").map(|path| access_log::start(&path)).transpose()?;
    Ok(Parts {
        access,
        access_log,
        certificate,
        session_by_user: settings.session_by_user.value,
        models: sessions::models(settings, environment)?.with_own(Arc::new(own_models)),
        settings: sessions::session_settings(settings)?,
        client_tools: sessions::client_tools(settings)?,
        first: if address.is_some() { None } else { Some(places.open(DEFAULT_OWNER, None)?) },
        address,
        places,
        keys,
        data,
        options,
        retries: settings.retries.clone(),
        workers,
    })
}

pub(super) fn listen(address: SocketAddr) -> Result<TcpListener, Failure> {
    let opened = || {
        let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
        // As the usual way to listen has it: a server that was just ended may begin again at its address.
        #[cfg(unix)]
        socket.set_reuseaddr(true)?;
        socket.bind(address)?;
        socket.listen(BACKLOG)
    };
    opened().map_err(|error| cannot_listen(address, &error))
}

/// The bounds of requests, as they are set.
fn limits(options: &ServeSettings) -> Limits {
    let seconds = |key| Duration::from_secs(options.number(key));
    let mib = |key| usize::try_from(options.number(key) << 20).unwrap_or(usize::MAX);
    Limits {
        body: mib("max_body_mib"),
        body_idle: seconds("body_idle_seconds"),
        body_whole: seconds("body_seconds"),
        bodies: BodyBudget::new(mib("max_bodies_mib").max(mib("max_body_mib"))),
        heartbeat: seconds("heartbeat_seconds"),
    }
}

/// Serves until `stop` says how long running turns may still go on. `ready` hears where, and with which model; before that `stop` is
/// called, so that nobody who was told that the server is there can end it in another way.
pub(super) async fn serve<F: Future<Output = Duration>>(
    parts: Parts,
    listener: impl Into<Listener>,
    stop: impl FnOnce() -> F,
    ready: impl FnOnce(&str, Option<&Bridge>),
) -> Result<(), Failure> {
    let Parts { options, data, models, settings, client_tools, access, certificate, .. } = parts;
    let Parts { session_by_user, places, first, address, keys, access_log, retries, workers, .. } = parts;
    let OpenedStore { store, shared } = open_any(options.text("store").unwrap_or("sqlite"), &data).await?;
    let spec = models.usual().info().spec;
    let transcripts = options.path("transcripts");
    let exports = Exports::start(&store, transcripts.as_deref(), options.text("traces")).await?;
    let metrics = Arc::new(Metrics::with(exports.arrears()));
    metrics.watch_retries(retries);
    let observers = || exports.observers().into_iter().chain([metrics.observer()]).collect();
    let toolboxes = if address.is_some() { OwnerToolboxes::shared() } else { OwnerToolboxes::default() };
    if let Some(first) = &first {
        toolboxes.add("", first.toolboxes());
    }
    let count = |key| usize::try_from(options.number(key)).unwrap_or(usize::MAX);
    let config = |store: Arc<dyn Store>, observers, node| SessionsConfig {
        clock: store.clock().unwrap_or_else(|| Arc::new(SystemClock)),
        store,
        models: models.clone(),
        rules: TurnRules::default(),
        settings: settings.clone(),
        client_tools: client_tools.clone(),
        toolboxes: Arc::new(toolboxes.clone()),
        observers,
        grace: Duration::from_secs(options.number("grace_seconds")),
        queue: count("max_waiting"),
        turns: count("max_turns"),
        working: count("max_working"),
        node,
        ids: Arc::new(RandomIds),
    };
    let node = (options.text("store") != Some("memory")).then(sessions::process_name);
    let service = Sessions::new(config(Arc::clone(&store), observers(), node.clone()));
    // What clients do not want stored is nowhere else.
    let passing = Sessions::new(config(Arc::new(MemoryStore::new()), vec![metrics.observer()], None));
    let all = AllSessions::new(service.clone(), passing.clone());
    if let Some(blobs) = &places.blobs {
        // Better now than in a warning of the first task.
        let asked = blobs.get([0; 32], 0..0);
        if options.switch("local_folders") {
            // A node that is needed by others does not stay away because the storage is: it has nobody's home until that is back.
            match tokio::time::timeout(STORAGE_PATIENCE, asked).await {
                Ok(Ok(_)) => {}
                Ok(Err(error)) => note(&format!("{error} [{}]", error.code())),
                Err(_) => note("The object storage does not answer; look at its log"),
            }
        } else {
            asked.await.map_err(|error| Failure::new(Exit::Io, error.code(), error.to_string()))?;
        }
    }
    let server = Arc::new(Server {
        service: all.clone(),
        model: spec.to_string(),
        documents: match &first {
            Some(first) => first.documents.clone(),
            None => places.documents_elsewhere(DEFAULT_OWNER)?,
        },
        clock: Arc::new(SystemClock),
        ids: Arc::new(RandomIds),
        access,
        access_log: access_log.clone().map(|log| log as Arc<dyn AccessLog>),
        brake: Brake::default(),
        strict_models: options.switch("strict_models"),
        session_by_user,
        codes: CODES,
        limits: limits(&options),
        quota: OwnerQuota::new(options.quota(DEFAULT_OWNER)),
        metrics: Arc::clone(&metrics),
    });
    let storage = places.blobs.clone().filter(|_| options.switch("local_folders"));
    let registry = Arc::new(OwnerRegistry {
        places: Arc::new(places),
        keys,
        toolboxes,
        sessions: service.clone(),
        first: Arc::clone(&server),
        routes: Owners::default(),
        has_homes: address.is_some(),
        known: Mutex::default(),
        working: Mutex::default(),
    });
    registry.know(DEFAULT_OWNER);
    let (further, bridge) = match first {
        Some(first) => {
            let (further, bridge) = registry.add_first(first).await?;
            (further, Some(bridge))
        }
        None => (Router::new(), None),
    };
    registry.take_keys().await?;
    let homes = match (address, shared) {
        (Some(address), Some(shared)) => {
            let node = node.unwrap_or_default();
            let is_secured = address.starts_with("https://");
            let keeper = Arc::new(HomeKeeper::new(shared.with_homes(storage).await?, node.clone(), address));
            let finder = Arc::clone(&keeper) as Arc<dyn HomeFinder>;
            let door = HomeDoor::new(finder, &node, is_secured);
            let failed = |message| Failure::new(Exit::Io, "LISTEN_FAILED", message);
            Some((keeper, door.map_err(failed)?))
        }
        _ => None,
    };
    let reloading = reload(certificate.as_ref(), access_log.as_deref(), &registry);
    let stop = stop();
    ready(&spec, bridge.as_ref());
    let stopping = Arc::new(tokio::sync::Notify::new());
    let stopped = Arc::clone(&stopping);
    let mut keeping = JoinSet::new();
    let keeper = homes.as_ref().map(|(keeper, _)| Arc::clone(keeper));
    let routes = match homes {
        None => app_of_owners(server, further, registry.routes.clone()),
        Some((keeper, door)) => {
            let owners = Arc::clone(&registry) as Arc<dyn HomeOwners>;
            // Homes are kept until what they hold is closed.
            keeping.spawn(async move { keeper.keep(&owners).await });
            app_of_homes(server, registry.routes.clone(), door)
        }
    };
    let tls = certificate.as_ref().map(|certificate| certificate.tls.clone());
    let accepting = engross_http::serve(listener, tls, routes, front::connections(&options), async move {
        stopped.notified().await;
    });
    let draining = async {
        let patience = stop.await;
        if let Some(keeper) = &keeper {
            keeper.begin_to_close();
        }
        // While answers are under way, who asks is told to come again, and a balancer sees it at /readyz; then nobody is let in. The
        // server ends with the last answer that somebody hears.
        let is_busy = service.running() + passing.running() > 0;
        let closing = async {
            tokio::time::sleep(if is_busy { patience.min(LAME_DUCK) } else { Duration::ZERO }).await;
            stopping.notify_one();
        };
        tokio::join!(all.drain(patience), registry.drain(patience), closing);
        // Connections that nobody closes do not hold up the end.
        tokio::time::sleep(patience.min(Duration::from_secs(5))).await;
    };
    let watching = async {
        tokio::join!(service.watch(WATCH_EVERY), passing.watch(WATCH_EVERY));
        // It ends when the server drains; what ends the server is the rest.
        std::future::pending::<()>().await;
    };
    let forgetting = async {
        loop {
            all.forget_old().await;
            if let Some(least) = options.fewest_keep_days() {
                all.delete_older(|principal| options.keep_days(owner_of(principal)), least).await;
            }
            tokio::time::sleep(FORGET_EVERY).await;
        }
    };
    let file = (options.text("store").unwrap_or("sqlite") == "sqlite").then(|| data.join(sessions::FILE));
    let catching_up = async {
        let mut before = store.sole_since();
        loop {
            tokio::time::sleep(WATCH_EVERY).await;
            // Others have come or gone.
            let now = store.sole_since();
            if let Some(file) = &file {
                metrics.store_bytes(by_path::size(file));
            }
            if std::mem::replace(&mut before, now) != now {
                exports.catch_up();
            }
        }
    };
    tokio::select! {
        () = watching => {}
        () = catching_up => {}
        () = registry.measure() => {}
        () = forgetting => {}
        () = accepting => {}
        () = draining => {}
        () = reloading => {}
    }
    all.drain(Duration::ZERO).await;
    if let Some(workers) = workers {
        // What still waits for one ends with it.
        let _ = tokio::task::spawn_blocking(move || workers.close()).await;
    }
    registry.close().await?;
    keeping.abort_all();
    if let Some(keeper) = &keeper {
        keeper.release_all().await;
    }
    exports.finish().await;
    store.close().await.map_err(|error| sessions::store_failure(&error))?;
    if let Some(log) = access_log {
        log.finish();
    }
    Ok(())
}

/// Where other nodes reach this one, if it is to share what owners have with them.
fn node_address(options: &ServeSettings) -> Result<Option<String>, Failure> {
    let Some(address) = options.text("node_address") else { return Ok(None) };
    let wrong = |problem: &str| {
        usage("CONFIG_INVALID", format!("{}: '{address}' {problem}", options.origin("node_address")))
    };
    if !["http://", "https://"].iter().any(|scheme| address.starts_with(scheme)) {
        return Err(wrong("is no address of a node; give one such as http://10.0.0.3:18789"));
    }
    let store = options.text("store").unwrap_or_default();
    if !["postgres://", "postgresql://"].iter().any(|scheme| store.starts_with(scheme)) {
        return Err(wrong("is given, but nodes need a database that they share: give --store postgres://…"));
    }
    if options.path("root").is_none() || options.path("data").is_none() {
        return Err(wrong("is given, but nodes need folders that they share: give --root and --data"));
    }
    Ok(Some(address.to_owned()))
}

/// Checks what nodes need whose folders are their own.
fn check_local_folders(options: &ServeSettings) -> Result<(), Failure> {
    if !options.switch("local_folders") {
        return Ok(());
    }
    let wrong =
        |problem: &str| usage("CONFIG_INVALID", format!("{}: {problem}", options.origin("local_folders")));
    if options.text("node_address").is_none() {
        return Err(wrong("is for nodes that share what owners have: give --node-address, too"));
    }
    if options.text("blobs").is_none() {
        return Err(wrong("needs object storage for the files of owners: give --blobs s3://…"));
    }
    let (root, data) = (options.path("root"), options.path("data"));
    if let (Some(root), Some(data)) = (root, data) {
        let (root, data) = (by_path::absolute(&root), by_path::absolute(&data));
        if root.starts_with(&data) || data.starts_with(&root) {
            return Err(wrong("needs a --root and a --data that are not one in the other"));
        }
    }
    Ok(())
}

/// A store of sessions, and what else nodes share that have it.
struct OpenedStore {
    store: Arc<dyn Store>,
    shared: Option<SharedStore>,
}

/// The database of several nodes.
struct SharedStore {
    #[cfg(feature = "cluster")]
    store: Arc<engross_store::PostgresStore>,
}

impl SharedStore {
    /// With the homes of owners in it.
    #[cfg(feature = "cluster")]
    async fn with_homes(self, storage: Option<Arc<dyn Blobs>>) -> Result<Arc<dyn SharedPlace>, Failure> {
        Ok(Arc::new(super::shared_database::SharedDatabase::open(self.store, storage).await?))
    }

    #[cfg(not(feature = "cluster"))]
    async fn with_homes(self, _: Option<Arc<dyn Blobs>>) -> Result<Arc<dyn SharedPlace>, Failure> {
        Err(Failure::left_out("--node-address", "cluster"))
    }
}

/// The store of sessions that a person names, with its file in the folder `data`.
pub async fn open_store(name: &str, data: &Path) -> Result<Arc<dyn Store>, Failure> {
    Ok(open_any(name, data).await?.store)
}

async fn open_any(name: &str, data: &Path) -> Result<OpenedStore, Failure> {
    let opened: Result<Arc<dyn Store>, engross_store::Error> = match name {
        "memory" => Ok(Arc::new(MemoryStore::new())),
        "sqlite" => {
            let store = sessions::open_file(data)?;
            Ok(Arc::new(store) as Arc<dyn Store>)
        }
        url if url.starts_with("postgres://") || url.starts_with("postgresql://") => {
            return open_postgres(url).await;
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
    let store = opened.map_err(|error| sessions::store_failure(&error))?;
    Ok(OpenedStore { store, shared: None })
}

#[cfg(feature = "cluster")]
async fn open_postgres(url: &str) -> Result<OpenedStore, Failure> {
    let store = engross_store::PostgresStore::open(url).await;
    let store = Arc::new(store.map_err(|error| sessions::store_failure(&error))?);
    let shared = Some(SharedStore { store: Arc::clone(&store) });
    Ok(OpenedStore { store, shared })
}

#[cfg(not(feature = "cluster"))]
async fn open_postgres(_: &str) -> Result<OpenedStore, Failure> {
    Err(Failure::left_out("--store postgres://…", "cluster"))
}

/// Reads what may be renewed again, each time the system asks for it. Never ends. The system may ask from now on, before this is awaited.
fn reload<'a>(
    certificate: Option<&'a front::Certificate>,
    access_log: Option<&'a RequestLog>,
    registry: &'a OwnerRegistry,
) -> impl Future<Output = ()> + 'a {
    #[cfg(unix)]
    let asked = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::hangup());
    async move {
        #[cfg(unix)]
        if let Ok(mut asked) = asked {
            while asked.recv().await.is_some() {
                if let Some(certificate) = certificate {
                    certificate.renew();
                }
                registry.renew_keys().await;
                if let Some(log) = access_log {
                    log.reopen();
                }
            }
        }
        std::future::pending::<()>().await;
    }
}

pub(super) fn cannot_listen(address: SocketAddr, error: &std::io::Error) -> Failure {
    let message = format!("{address} cannot be listened at: {error}; choose another address with --listen");
    Failure::new(Exit::Io, "LISTEN_FAILED", message)
}
