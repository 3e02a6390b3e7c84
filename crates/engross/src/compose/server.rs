//! `engross serve`: the composition of store, model and sessions behind the HTTP routes.
//!
//! Must never stop while somebody could be told that it does.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use engross_agent::session::{
    ClientTool, Models, Sessions, SessionsConfig, Settings as SessionSettings, TurnRules,
};
use engross_agent::workspace::Workspaces;
use engross_agent::writing::ContentTools;
use engross_documents::signature;
use engross_docx::Tracking;
use engross_protocol::{Clock, Exit, Failure, RandomIds, SystemClock, hex};
use engross_store::files::{Ages, Locks, RelPath, Root};
use engross_store::{MemoryStore, SqliteStore, Store};
use engross_write::runner::WriteService;
use sha2::{Digest, Sha256};
use tokio::net::TcpListener;
use tokio::task::JoinSet;

use super::tasks::TaskToolboxes;
use super::{front, sessions, tasks, writes};
use crate::cli::ServeArgs;
use crate::failure::usage;
use crate::files::{self, FolderLock};
use crate::output::note;
use crate::settings::{Environment, Flags, Settings};
use crate::signals;
use engross_http::exports::Exports;
use engross_http::{
    Access, AllSessions, Brake, Documents, Limits, Metrics, Server, app, task_routes, write_routes,
};

/// How long a server that is to stop still says so at /readyz before it closes its door, when it has something to do.
const LAME_DUCK: Duration = Duration::from_secs(2);

/// How often sessions that wait are looked after.
const WATCH_EVERY: Duration = Duration::from_secs(5);

/// Where unfinished content is kept beneath the root.
const SPOOL: &str = ".engross-writes";

/// How often the hashes of files are saved.
const SAVE_EVERY: Duration = Duration::from_secs(300);

/// How often runs that wait for a place are looked after.
const TASKS_EVERY: Duration = Duration::from_secs(1);

/// How often a folder that another process uses is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// Where a server of one command says how other commands of the person reach it.
const DOOR: &str = "door";

/// How long turns may go on once the server is asked to stop.
const PATIENCE: Duration = Duration::from_secs(20);

/// The same for a server of one command.
const SHORT_PATIENCE: Duration = Duration::from_secs(1);

/// What the server is made of, beside its store.
struct Parts {
    models: Models,
    settings: SessionSettings,
    client_tools: Vec<ClientTool>,
    documents: Documents,
    writes: WriteService,
    content: ContentTools,
    tasks: tasks::Parts,
    root: Root,
    locks: Locks,
    access: Access,
    certificate: Option<front::Certificate>,
    session_by_user: bool,
}

/// Serves until the person or the system wants an end.
pub(crate) fn run(args: &ServeArgs, environment: &Environment) -> Result<(), Failure> {
    let parts = parts(args, environment)?;
    sessions::runtime()?.block_on(async {
        let listener = listen(args.listen).await?;
        let stop = async {
            signals::asked_to_stop().await;
            note("Stopping: running turns are finished first");
            PATIENCE
        };
        let scheme = if args.tls_cert.is_some() { "https" } else { "http" };
        serve(args, parts, listener, stop, |address, spec| {
            note(&format!("Listening at {scheme}://{address}/v1 with the model {spec}; Ctrl-C stops"));
        })
        .await
    })
}

/// A server for one command of this process, at an address and with a token that nobody else knows.
pub(crate) struct EmbeddedServer {
    address: SocketAddr,
    token: String,
    stop: Arc<tokio::sync::Notify>,
    serving: JoinSet<Result<(), Failure>>,
    _lock: FolderLock,
}

impl EmbeddedServer {
    /// Where it is.
    pub(crate) fn address(&self) -> String {
        format!("http://{}", self.address)
    }

    /// What it asks for.
    pub(crate) fn token(&self) -> &str {
        &self.token
    }

    /// Stops it. What it has under way is kept.
    pub(crate) async fn stop(mut self) {
        self.stop.notify_one();
        while let Some(ended) = self.serving.join_next().await {
            if let Ok(Err(failure)) = ended {
                note(&format!("{} [{}]", failure.message, failure.code));
            }
        }
    }
}

/// Serves beneath `data` until it is stopped. Waits while another process does.
pub(crate) async fn embed(
    data: &Path,
    model: Option<&str>,
    config: Option<&Path>,
    environment: &Environment,
) -> Result<EmbeddedServer, Failure> {
    let folder = data.join("tasks");
    files::make_folder(&folder)?;
    let lock = lock(&folder).await?;
    let door = folder.join(DOOR);
    let token = sessions::process_name();
    let args = ServeArgs {
        listen: SocketAddr::from(([127, 0, 0, 1], 0)),
        model: model.map(str::to_owned),
        data: Some(folder),
        root: None,
        store: "sqlite".to_owned(),
        transcripts: None,
        traces: None,
        blobs: None,
        token: Some(token.clone()),
        tls_cert: None,
        tls_key: None,
        cors: Vec::new(),
        strict_models: false,
        config: config.map(Path::to_owned),
    };
    let parts = parts(&args, environment)?;
    let listener = listen(args.listen).await?;
    let address = listener.local_addr().map_err(|error| cannot_listen(args.listen, &error))?;
    files::write_private(&door, format!("http://{address} {token}").as_bytes())?;
    let stop = Arc::new(tokio::sync::Notify::new());
    let stopped = Arc::clone(&stop);
    let mut serving = JoinSet::new();
    serving.spawn(async move {
        let stop = async move {
            stopped.notified().await;
            SHORT_PATIENCE
        };
        serve(&args, parts, listener, stop, |_, _| {}).await
    });
    Ok(EmbeddedServer { address, token, stop, serving, _lock: lock })
}

/// The server that another command of this person has beneath `data`, for as long as that lasts: its address and what it asks
/// for.
pub(crate) fn find(data: &Path) -> Result<Option<(String, String)>, Failure> {
    let folder = data.join("tasks");
    files::make_folder(&folder)?;
    if files::lock_folder(&folder)?.is_some() {
        return Ok(None);
    }
    let door = files::read_optional_text(&folder.join(DOOR))?.unwrap_or_default();
    Ok(door.split_once(' ').map(|(address, token)| (address.to_owned(), token.to_owned())))
}

/// The folder for this process alone.
async fn lock(folder: &Path) -> Result<FolderLock, Failure> {
    let mut told = false;
    loop {
        if let Some(lock) = files::lock_folder(folder)? {
            return Ok(lock);
        }
        if !std::mem::replace(&mut told, true) {
            note(
                "Another command carries out tasks here; waiting for it. `engross serve` and --server serve many at once",
            );
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

fn parts(args: &ServeArgs, environment: &Environment) -> Result<Parts, Failure> {
    let flags = Flags { config: args.config.clone(), model: args.model.clone(), ..Flags::default() };
    let settings = Settings::load(&flags, environment)?;
    let (root, place) = open_root(args)?;
    let locks = Locks::new();
    let spool = root.make_folder(&RelPath::parse(SPOOL)?)?;
    let keeper = Arc::new(writes::WorkspaceKeeper(root.clone()));
    let writes = writes::open(root.clone(), locks.clone(), spool, keeper, None)?;
    Ok(Parts {
        access: front::access(args, environment)?,
        certificate: front::Certificate::of(args)?,
        session_by_user: settings.session_by_user.value,
        models: sessions::models(&settings, environment)?,
        settings: sessions::session_settings(&settings)?,
        client_tools: sessions::client_tools(&settings)?,
        documents: documents(root.clone(), locks.clone(), &settings, writes.clone())?,
        writes,
        content: settings.content_tools(),
        tasks: tasks(args, &settings, root.clone(), place, environment)?,
        root,
        locks,
    })
}

async fn listen(address: SocketAddr) -> Result<TcpListener, Failure> {
    TcpListener::bind(address).await.map_err(|error| cannot_listen(address, &error))
}

/// Serves until `stop` says how long running turns may still go on. `ready` hears where, and with which model.
async fn serve(
    args: &ServeArgs,
    parts: Parts,
    listener: TcpListener,
    stop: impl Future<Output = Duration>,
    ready: impl FnOnce(SocketAddr, &str),
) -> Result<(), Failure> {
    let Parts { models, settings, client_tools, documents, writes, content, tasks, .. } = parts;
    let Parts { root, locks, access, certificate, session_by_user, .. } = parts;
    #[cfg(feature = "mcp")]
    let for_agents = super::mcp::routes(&root, &locks, &documents.author)?;
    let store = open_store(args).await?;
    let address = listener.local_addr().map_err(|error| cannot_listen(args.listen, &error))?;
    let spec = models.get(None).info().spec;
    let exports = Exports::start(&store, args.transcripts.as_deref(), args.traces.as_deref()).await?;
    let toolboxes = Arc::new(TaskToolboxes {
        usual: documents.workspaces.clone(),
        root,
        locks,
        clock: Arc::new(SystemClock),
        writes: writes.clone(),
        content,
    });
    let config = |store: Arc<dyn Store>, observers, node| SessionsConfig {
        store,
        models: models.clone(),
        rules: TurnRules::default(),
        settings: settings.clone(),
        client_tools: client_tools.clone(),
        toolboxes: Arc::<TaskToolboxes>::clone(&toolboxes),
        observers,
        grace: Duration::from_secs(30),
        queue: 32,
        turns: 4096,
        working: 1024,
        node,
        clock: Arc::new(SystemClock),
        ids: Arc::new(RandomIds),
    };
    let node = (args.store != "memory").then(sessions::process_name);
    let service = Sessions::new(config(Arc::clone(&store), exports.observers(), node));
    // What clients do not want stored is nowhere else.
    let passing = Sessions::new(config(Arc::new(MemoryStore::new()), Vec::new(), None));
    let all = AllSessions::new(service.clone(), passing.clone());
    let (threads, agents) = (Arc::clone(&tasks.store), Arc::clone(&tasks.agents));
    let hashes = Arc::clone(&tasks.hashes);
    if let Some(blobs) = &tasks.blobs {
        // Better now than in a warning of the first task.
        let asked = blobs.get([0; 32], 0..0).await;
        asked.map_err(|error| Failure::new(Exit::Io, error.code(), error.to_string()))?;
    }
    let bridge = tasks::bridge(tasks, service.clone())?;
    let runs = bridge.runs().clone();
    runs.recover().await.map_err(|error| Failure::new(Exit::Io, error.code(), error.to_string()))?;
    let limits = Limits::default();
    let server = Server {
        service: all.clone(),
        documents,
        clock: Arc::new(SystemClock),
        ids: Arc::new(RandomIds),
        access,
        brake: Brake::default(),
        strict_models: args.strict_models,
        session_by_user,
        limits: limits.clone(),
        metrics: Arc::new(Metrics::with(exports.arrears())),
    };
    let reloading = reload(certificate.as_ref());
    ready(address, &spec);
    let stopping = Arc::new(tokio::sync::Notify::new());
    let stopped = Arc::clone(&stopping);
    let further = write_routes(writes.clone(), limits.clone());
    #[cfg(feature = "mcp")]
    let further = further.merge(for_agents);
    let routes = app(Arc::new(server), further.merge(task_routes(bridge, limits)));
    let tls = certificate.as_ref().map(|certificate| certificate.tls.clone());
    let accepting =
        engross_http::serve(
            listener,
            tls,
            routes,
            front::connections(),
            async move { stopped.notified().await },
        );
    let draining = async {
        let patience = stop.await;
        // While answers are under way, who asks is told to come again, and a balancer sees it at /readyz; then nobody is let in. The
        // server ends with the last answer that somebody hears.
        let is_busy = service.running() + passing.running() > 0;
        let closing = async {
            tokio::time::sleep(if is_busy { patience.min(LAME_DUCK) } else { Duration::ZERO }).await;
            stopping.notify_one();
        };
        tokio::join!(all.drain(patience), runs.drain(patience), closing);
        // Connections that nobody closes do not hold up the end.
        tokio::time::sleep(patience.min(Duration::from_secs(5))).await;
    };
    let watching = async {
        tokio::join!(service.watch(WATCH_EVERY), passing.watch(WATCH_EVERY));
        // It ends when the server drains; what ends the server is the rest.
        std::future::pending::<()>().await;
    };
    let looking_after = async {
        runs.watch(TASKS_EVERY).await;
        std::future::pending::<()>().await;
    };
    let saving = async {
        loop {
            tokio::time::sleep(SAVE_EVERY).await;
            save(&hashes).await;
            all.forget_old().await;
        }
    };
    let catching_up = async {
        let mut before = store.sole_since();
        loop {
            tokio::time::sleep(WATCH_EVERY).await;
            // Others have come or gone.
            let now = store.sole_since();
            if std::mem::replace(&mut before, now) != now {
                exports.catch_up();
            }
        }
    };
    tokio::select! {
        () = watching => {}
        () = catching_up => {}
        never = writes::look_after(&writes) => match never {},
        () = looking_after => {}
        () = saving => {}
        () = accepting => {}
        () = draining => {}
        () = reloading => {}
    }
    all.drain(Duration::ZERO).await;
    runs.drain(Duration::ZERO).await;
    agents.shut_down().await;
    save(&hashes).await;
    threads.close().await.map_err(|error| sessions::store_failure(&error))?;
    exports.finish().await;
    store.close().await.map_err(|error| sessions::store_failure(&error))
}

async fn save(hashes: &Arc<tasks::KnownHashes>) {
    let hashes = Arc::clone(hashes);
    let _ = tokio::task::spawn_blocking(move || hashes.save()).await;
}

/// The one folder that sessions and write sessions may touch. What killed processes have left there is removed.
fn open_root(args: &ServeArgs) -> Result<(Root, String), Failure> {
    let path = match &args.root {
        Some(root) => root.clone(),
        None => crate::compose::data::data_folder(args.data.as_deref())?.join("workspace"),
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
fn tasks(
    args: &ServeArgs,
    settings: &Settings,
    root: Root,
    place: String,
    environment: &Environment,
) -> Result<tasks::Parts, Failure> {
    let data = crate::compose::data::data_folder(args.data.as_deref())?;
    let gateway = tasks::gateway(&data, environment)?;
    let blobs = tasks::blobs(args.blobs.as_deref(), environment)?;
    if args.store == "memory" {
        return Ok(tasks::Parts {
            root,
            place,
            store: Arc::new(MemoryStore::new()),
            keys: tasks::keys(None)?,
            hashes: Arc::default(),
            blobs,
            agents: tasks::agents(&data, sessions::process_name(), &settings.agents)?,
            gateway,
        });
    }
    // The same after a restart, so that what was left behind is found; and no other folder's, whatever it is called from where.
    let whole = std::path::absolute(&data).unwrap_or_else(|_| data.clone());
    let owner = hex::encode(Sha256::digest(whole.as_os_str().as_encoded_bytes()));
    let store =
        SqliteStore::open(&data.join("tasks.sqlite")).map_err(|error| sessions::store_failure(&error))?;
    Ok(tasks::Parts {
        root,
        place,
        store: Arc::new(store),
        keys: tasks::keys(Some(&data))?,
        hashes: Arc::new(tasks::KnownHashes::open(&data)?),
        blobs,
        agents: tasks::agents(&data, owner, &settings.agents)?,
        gateway,
    })
}

/// The documents beneath the root.
fn documents(
    root: Root,
    locks: Locks,
    settings: &Settings,
    writes: WriteService,
) -> Result<Documents, Failure> {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    Ok(Documents {
        workspaces: Workspaces::new(root, locks, Arc::clone(&clock))
            .with_writes(writes, settings.content_tools()),
        author: signature::author(&settings.author.value)?.to_owned(),
        tracking: if settings.untracked.value { Tracking::Untracked } else { Tracking::Tracked },
        clock,
    })
}

async fn open_store(args: &ServeArgs) -> Result<Arc<dyn Store>, Failure> {
    let opened: Result<Arc<dyn Store>, engross_store::Error> = match args.store.as_str() {
        "memory" => Ok(Arc::new(MemoryStore::new())),
        "sqlite" => {
            let store = sessions::open_file(&crate::compose::data::data_folder(args.data.as_deref())?)?;
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
    opened.map_err(|error| sessions::store_failure(&error))
}

#[cfg(feature = "cluster")]
async fn open_postgres(url: &str) -> Result<Arc<dyn Store>, Failure> {
    let store =
        engross_store::PostgresStore::open(url).await.map_err(|error| sessions::store_failure(&error))?;
    Ok(Arc::new(store))
}

#[cfg(not(feature = "cluster"))]
async fn open_postgres(_: &str) -> Result<Arc<dyn Store>, Failure> {
    Err(Failure::left_out("--store postgres://…", "cluster"))
}

/// Reads what may be renewed again, each time the system asks for it. Never ends. The system may ask from now on, before this is awaited.
fn reload(certificate: Option<&front::Certificate>) -> impl Future<Output = ()> {
    #[cfg(unix)]
    let asked = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::hangup());
    async move {
        #[cfg(unix)]
        if let Ok(mut asked) = asked {
            while asked.recv().await.is_some() {
                if let Some(certificate) = certificate {
                    certificate.renew();
                }
            }
        }
        std::future::pending::<()>().await;
    }
}

fn cannot_listen(address: SocketAddr, error: &std::io::Error) -> Failure {
    let message = format!("{address} cannot be listened at: {error}; choose another address with --listen");
    Failure::new(Exit::Io, "LISTEN_FAILED", message)
}
