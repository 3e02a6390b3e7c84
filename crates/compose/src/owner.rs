//! What each owner of a server has alone: a folder, workspaces, write sessions, tasks, and the routes to them.
//!
//! Must never hand one owner anything of another: what they share is the store of sessions, which knows whose each is, and what
//! has no memory.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use engross_agent::session::Sessions;
use engross_agent::workspace::Workspaces;
use engross_agent::writing::ContentTools;
use engross_documents::{DeliveryListener, DocumentIsolation, signature};
use engross_docx::Tracking;
use engross_http::{
    DEFAULT_OWNER, Documents, Limits, PlaybookReviews, own_model_routes, review_routes, skill_routes,
    task_routes, thread_routes, write_routes,
};
use engross_protocol::{Clock, Exit, Failure, SystemClock, hex};
use engross_store::blobs::Blobs;
use engross_store::files::{Ages, FileChange, FileMirror, Locks, RelPath, Root, by_path};
use engross_store::{FencedStore, MemoryStore, SqliteStore, Store, WriteFence};
use engross_tasks::rpc::Bridge;
use engross_tasks::runs::Runs;
use engross_write::runner::WriteService;
use sha2::{Digest, Sha256};

use super::homes::{HomeParts, KeptFiles, OwnerFolders};
use super::own_model::{self, OwnModelKeeper, OwnModelTable};
use super::preferences::Preferences;
use super::skill_review::ReviewedBook;
use super::skillbook::book_paths;
use super::tasks::{self, KnownHashes, TaskToolboxes};
use super::thread_records::ThreadPlace;
use super::{sessions, writes};
use crate::console::note;
use crate::files;
use crate::settings::{Environment, ProgramSettings};

/// Where unfinished content is kept beneath a root.
const SPOOL: &str = ".engross-writes";

/// Where other owners' folders are, beneath the root and beneath the folder for data.
const OWNERS: (&str, &str) = (".owners", "owners");

/// The longest name of an owner.
const LONGEST_NAME: usize = 40;

/// The seconds of a day.
pub(super) const DAY: u64 = 24 * 60 * 60;

/// How often the hashes of files are saved.
const SAVE_EVERY: Duration = Duration::from_secs(300);

/// How often files of tasks that have ended, and what documents were, are looked through.
const COLLECT_EVERY: Duration = Duration::from_secs(3600);

/// How often runs that wait for a place are looked after.
const TASKS_EVERY: Duration = Duration::from_secs(1);

/// What is wrong with the name of an owner; it is the name of a folder on every system.
pub fn name_problem(name: &str) -> Option<&'static str> {
    let is_plain =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-' || byte == b'_';
    let is_good = name.len() <= LONGEST_NAME
        && name.bytes().all(is_plain)
        && name.bytes().next().is_some_and(|first| first.is_ascii_lowercase() || first.is_ascii_digit())
        && RelPath::parse(name).is_ok();
    (!is_good).then_some(
        "it must have 1 to 40 lower-case letters, digits, '-' and '_', and begin with a letter or digit",
    )
}

/// The owner in the words of sessions and tasks, which know the default one by no name.
pub fn principal_of(owner: &str) -> &str {
    if owner == DEFAULT_OWNER { "" } else { owner }
}

/// The owner of what sessions and tasks know by a principal.
pub fn owner_of(principal: &str) -> &str {
    if principal.is_empty() { DEFAULT_OWNER } else { principal }
}

/// What all owners of a server are made of.
pub(super) struct OwnerPlaces {
    /// The folder for data.
    pub(super) data: PathBuf,
    /// The root of the default owner.
    pub(super) root: PathBuf,
    /// Whether nothing outlives the process.
    pub(super) in_memory: bool,
    /// How long the files of tasks that have ended are kept; nothing is for ever.
    pub(super) keep_files: Option<Duration>,
    /// Whether this is the runner of a person's tasks.
    pub(super) is_runner: bool,
    /// Object storage for the files of tasks.
    pub(super) blobs: Option<Arc<dyn Blobs>>,
    /// The models that owners have brought.
    pub(super) own_models: OwnModelTable,
    pub(super) settings: ProgramSettings,
    pub(super) environment: Environment,
    /// Where documents that come from outside are worked on.
    pub(super) isolation: DocumentIsolation,
}

/// What tasks are kept with where nodes share them; nothing of it where they do not.
struct TaskHome<'a> {
    store: Option<Arc<dyn Store>>,
    fence: Option<&'a WriteFence>,
    files: Option<&'a Arc<dyn KeptFiles>>,
}

/// What one owner has, before it is served.
pub(super) struct OwnerParts {
    principal: String,
    root: Root,
    /// Who is told of written documents, and where the root is.
    listened: (Option<Arc<dyn DeliveryListener>>, PathBuf),
    locks: Locks,
    clock: Arc<dyn Clock>,
    writes: WriteService,
    content: ContentTools,
    tasks: tasks::Parts,
    /// The lessons of the server, which the default owner alone decides about.
    lessons: Option<ReviewedBook>,
    threads: ThreadPlace,
    own_model: OwnModelKeeper,
    /// How long the files of tasks that have ended are kept; nothing is for ever.
    keep_files: Option<Duration>,
    /// Whether what is told of tasks goes with their files.
    forgets: bool,
    /// The documents of the owner's workspaces.
    pub(super) documents: Documents,
    /// What keeps its files elsewhere.
    files: Option<Arc<dyn KeptFiles>>,
}

impl OwnerPlaces {
    /// The folders of an owner, made if they are missing: beneath the root, and for data.
    fn folders(&self, owner: &str) -> Result<(PathBuf, PathBuf), Failure> {
        Ok(if owner == DEFAULT_OWNER {
            (self.root.clone(), self.data.clone())
        } else {
            let data = self.data.join(OWNERS.1).join(owner);
            files::make_private_folder(&data)?;
            let root = self.root.join(OWNERS.0).join(owner);
            files::make_private_folder(&root)?;
            (root, data)
        })
    }

    /// The folder of the skillbook, if it is one of its own in the folder for data.
    fn skills_folder(&self, data: &Path) -> Option<PathBuf> {
        let folder = self.settings.skillbook.value.as_deref()?.parent()?;
        let (folder, data) = (std::path::absolute(folder).ok()?, std::path::absolute(data).ok()?);
        (folder != data && folder.starts_with(&data)).then_some(folder)
    }

    /// The same, as homes know them.
    pub(super) fn folders_of(&self, owner: &str) -> Result<OwnerFolders, Failure> {
        let (root, data) = self.folders(owner)?;
        let others = (owner == DEFAULT_OWNER).then_some(OWNERS.0);
        let skills = self.skills_folder(&data).filter(|_| owner == DEFAULT_OWNER);
        Ok(OwnerFolders { root, others, frozen: data.join(tasks::FROZEN), skills, data })
    }

    /// The documents of an owner who has them at another node: nothing of them is written.
    pub(super) fn documents_elsewhere(&self, owner: &str) -> Result<Documents, Failure> {
        let root = sessions::open_root(&self.folders(owner)?.0)?.fenced(WriteFence::closed());
        let workspaces = Workspaces::new(root, Locks::new(), Arc::new(SystemClock));
        self.documents(workspaces.isolated(self.isolation.clone()))
    }

    fn documents(&self, workspaces: Workspaces) -> Result<Documents, Failure> {
        Ok(Documents {
            workspaces,
            author: signature::author(&self.settings.author.value)?.to_owned(),
            tracking: if self.settings.untracked.value { Tracking::Untracked } else { Tracking::Tracked },
            clock: Arc::new(SystemClock),
            isolation: self.isolation.clone(),
        })
    }

    /// Opens what an owner has, and makes what is missing. `home` is with what, where nodes share it.
    pub(super) fn open(&self, owner: &str, home: Option<HomeParts>) -> Result<OwnerParts, Failure> {
        let (root, data) = self.folders(owner)?;
        let listened = (Preferences::listener(&self.settings, &self.isolation), by_path::absolute(&root));
        let fence = home.as_ref().map(|home| home.fence.clone());
        // Nodes that share something go by the clock of what they share.
        let shared = home.as_ref().and_then(|home| home.tasks.clock());
        let clock: Arc<dyn Clock> = shared.unwrap_or_else(|| Arc::new(SystemClock));
        let files = home.as_ref().and_then(|home| home.files.clone());
        let (root, place) = open_root(&root, (fence.as_ref(), files.as_ref()), &*clock)?;
        let locks = Locks::new();
        let spool = root.make_folder(&RelPath::parse(SPOOL)?)?;
        let keeper = Arc::new(writes::WorkspaceKeeper(root.clone(), Arc::clone(&clock)));
        let composer = writes::Typesetter(self.isolation.clone());
        let writes = writes::open(root.clone(), locks.clone(), spool, (keeper, composer), None, &clock)?;
        let content = self.settings.content_tools();
        let workspaces = Workspaces::new(root.clone(), locks.clone(), Arc::clone(&clock))
            .with_writes(writes.clone(), content)
            .heard_by(listened.0.clone(), listened.1.clone())
            .isolated(self.isolation.clone());
        let documents = self.documents(workspaces)?;
        let (tasks, shared_threads) = match home {
            Some(home) => (Some(fenced(home.tasks, &home.fence)), Some(fenced(home.threads, &home.fence))),
            None => (None, None),
        };
        let tasks = self.tasks(
            owner,
            &data,
            (root.clone(), place),
            TaskHome { store: tasks, fence: fence.as_ref(), files: files.as_ref() },
            Arc::clone(&clock),
        )?;
        if let Some(files) = &files {
            keep_secrets(&**files, owner)?;
        }
        let principal = principal_of(owner).to_owned();
        let table = self.own_models.clone();
        let own_model =
            OwnModelKeeper::open(&principal, &data, table, files.clone(), &self.settings, &self.environment);
        let named = self.settings.skillbook.value.as_deref();
        // A machine without a folder of a person has no lessons of theirs.
        let lessons = (owner == DEFAULT_OWNER).then(|| book_paths(named, &self.environment).ok()).flatten();
        let kept_skills = files.clone().filter(|_| self.skills_folder(&data).is_some());
        let lessons = lessons.map(|paths| ReviewedBook { paths, files: kept_skills });
        let threads = match (shared_threads, self.in_memory) {
            (Some(shared), _) => ThreadPlace::Shared(shared),
            (None, true) => ThreadPlace::Memory(Arc::new(MemoryStore::new())),
            (None, false) => ThreadPlace::File(data.join("threads.sqlite")),
        };
        let keep_days = self.settings.serve.keep_days(owner);
        let keep_files = match self.is_runner {
            true => self.keep_files,
            false => keep_days.map(|days| Duration::from_secs(days * DAY)),
        };
        Ok(OwnerParts {
            principal,
            root,
            listened,
            locks,
            clock,
            writes,
            content,
            tasks,
            lessons,
            threads,
            own_model,
            documents,
            files,
            keep_files,
            // A person's own list of tasks is theirs.
            forgets: !self.is_runner,
        })
    }

    /// The bytes of the files that an owner has: workspaces, what they were before, tasks. Blocks.
    pub(super) fn file_bytes(&self, owner: &str) -> u64 {
        if owner != DEFAULT_OWNER {
            let of = |place: &Path, name: &str| by_path::size_beneath(&place.join(name).join(owner), &[]);
            return of(&self.data, OWNERS.1).saturating_add(of(&self.root, OWNERS.0));
        }
        let files = by_path::size_beneath(&self.root, &[OWNERS.0]);
        let is_beneath = self.root.parent() == Some(&*self.data);
        let root = self.root.file_name().and_then(|name| name.to_str()).filter(|_| is_beneath);
        // Sessions are counted by whose they are.
        let mut leave_out = vec![OWNERS.1, sessions::FILE, "sessions.sqlite-wal", "sessions.sqlite-shm"];
        leave_out.extend(root);
        let others = if self.root == self.data { 0 } else { by_path::size_beneath(&self.data, &leave_out) };
        files.saturating_add(others)
    }

    /// What tasks are kept in. Their files are on this machine's disk, and so is their journal, wherever sessions are. Other
    /// people's agents and the gateway reach whatever the one reaches who started the server, so that only the default owner has them.
    fn tasks(
        &self,
        owner: &str,
        data: &Path,
        (root, place): (Root, String),
        home: TaskHome<'_>,
        clock: Arc<dyn Clock>,
    ) -> Result<tasks::Parts, Failure> {
        let TaskHome { store, fence, files } = home;
        let is_default = owner == DEFAULT_OWNER;
        let gateway =
            if is_default { tasks::gateway(data, &self.environment)? } else { tasks::Gateway::missing() };
        let folder = place.clone();
        let agents = |name: String| match is_default {
            true => {
                tasks::agents(data, Path::new(&folder), name, &self.settings.agents, &self.settings.sandbox)
            }
            false => Ok(tasks::no_agents(data)),
        };
        if self.in_memory {
            return Ok(tasks::Parts {
                root,
                place,
                store: Arc::new(MemoryStore::new()),
                keys: tasks::keys(None)?,
                signer: None,
                frozen: None,
                hashes: Arc::default(),
                // Nobody would find them again.
                blobs: None,
                agents: agents(sessions::process_name())?,
                gateway,
                waits_for_viewer: self.is_runner,
                clock,
            });
        }
        // The same after a restart, so that what was left behind is found; and no other folder's, whatever it is called from where.
        let whole = std::path::absolute(data).unwrap_or_else(|_| data.to_owned());
        let name = hex::encode(Sha256::digest(whole.as_os_str().as_encoded_bytes()));
        let store = match store {
            Some(shared) => shared,
            None => {
                let store = SqliteStore::open(&data.join("tasks.sqlite"));
                Arc::new(store.map_err(|error| sessions::store_failure(&error))?)
            }
        };
        Ok(tasks::Parts {
            root,
            place,
            store,
            keys: tasks::keys(Some(data))?,
            // Receipts are the server's, not those of one owner.
            signer: Some(Arc::new(super::signing::signer(&self.data, &self.environment)?)),
            frozen: Some(tasks::frozen(data, fence, files)?),
            hashes: Arc::new(KnownHashes::open(data)?),
            blobs: self.blobs.as_ref().map(|blobs| tasks::held_blobs(&**blobs, data)).transpose()?,
            agents: agents(name)?,
            gateway,
            waits_for_viewer: self.is_runner,
            clock,
        })
    }
}

/// The one folder that an owner's sessions and write sessions may touch. What killed processes have left there is removed.
fn open_root(
    path: &Path,
    (fence, files): (Option<&WriteFence>, Option<&Arc<dyn KeptFiles>>),
    clock: &dyn Clock,
) -> Result<(Root, String), Failure> {
    let root = sessions::open_root(path)?;
    let root = match fence {
        Some(fence) => root.fenced(fence.clone()),
        None => root,
    };
    let root = match files {
        Some(files) => root.mirrored(Arc::clone(files) as Arc<dyn FileMirror>, OwnerFolders::FILES),
        None => root,
    };
    let swept = root.top().sweep(clock.millis(), Ages::default()).map_err(Failure::from)?;
    if swept > 0 {
        note(&format!("Removed {swept} unfinished files beneath {}", path.display()));
    }
    let place = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    Ok((root, place.to_string_lossy().into_owned()))
}

/// Has the secrets of an owner kept elsewhere that are in the folder for data: links and keys are good at each node.
fn keep_secrets(files: &dyn KeptFiles, owner: &str) -> Result<(), Failure> {
    let secrets = [tasks::SECRET, tasks::HOLDER, own_model::FILE];
    let changes = secrets.map(|name| (format!("{}/{name}", OwnerFolders::DATA), FileChange::Replaced));
    match files.is_kept(files.changed(&changes)) {
        true => Ok(()),
        false => {
            let message = format!("what '{owner}' has is at another node by now");
            Err(Failure::of(engross_protocol::shared::HOME_AWAY, message))
        }
    }
}

fn fenced(store: Arc<dyn Store>, fence: &WriteFence) -> Arc<dyn Store> {
    Arc::new(FencedStore::new(store, fence.clone()))
}

/// What one owner has while it is served.
pub(super) struct ServedOwner {
    clock: Arc<dyn Clock>,
    workspaces: Workspaces,
    writes: WriteService,
    runs: Runs,
    store: Arc<dyn Store>,
    agents: Arc<engross_acp::client::AgentRegistry>,
    keep_files: Option<Duration>,
    forgets: bool,
    hashes: Arc<KnownHashes>,
    files: Option<Arc<dyn KeptFiles>>,
    own_model: Arc<OwnModelKeeper>,
}

impl OwnerParts {
    /// The workspaces and scopes that the owner's sessions may reach.
    pub(super) fn toolboxes(&self) -> TaskToolboxes {
        TaskToolboxes {
            usual: self.documents.workspaces.clone(),
            root: self.root.clone(),
            locks: self.locks.clone(),
            clock: Arc::clone(&self.clock),
            writes: self.writes.clone(),
            content: self.content,
            isolation: self.documents.isolation.clone(),
        }
    }

    /// The owner's write sessions.
    pub(super) fn writes(&self) -> &WriteService {
        &self.writes
    }

    /// Takes up the owner's runs, and gives the routes to what is no session.
    pub(super) async fn serve(
        self,
        sessions: Sessions,
        limits: &Limits,
        is_locked: bool,
    ) -> Result<(ServedOwner, Router, Bridge), Failure> {
        #[cfg(feature = "mcp")]
        let for_agents = super::mcp::routes(&self.root, &self.locks, &self.documents, self.listened)?;
        let reviews = reviews(&sessions, &self.documents, limits);
        let workspaces = self.documents.workspaces.clone();
        let Self {
            principal,
            clock,
            writes,
            tasks,
            lessons,
            threads,
            own_model,
            keep_files,
            forgets,
            files,
            ..
        } = self;
        let (store, agents) = (Arc::clone(&tasks.store), Arc::clone(&tasks.agents));
        let hashes = Arc::clone(&tasks.hashes);
        let bridge = tasks::bridge(tasks, sessions)?;
        let runs = bridge.runs().clone();
        runs.recover().await.map_err(|error| Failure::new(Exit::Io, error.code(), error.to_string()))?;
        let routes = write_routes(writes.clone(), limits.clone());
        let routes = routes.merge(task_routes(bridge.clone(), limits.clone(), &principal, is_locked));
        let routes = routes.merge(thread_routes(Arc::new(threads), limits.clone()));
        let own_model = Arc::new(own_model);
        let routes = routes.merge(own_model_routes(Arc::clone(&own_model) as _, limits.clone()));
        let routes = match lessons {
            Some(lessons) => routes.merge(skill_routes(Arc::new(lessons), limits.clone())),
            None => routes,
        };
        let routes = routes.merge(review_routes(reviews));
        #[cfg(feature = "mcp")]
        let routes = routes.merge(for_agents);
        let served = ServedOwner {
            clock,
            workspaces,
            writes,
            runs,
            store,
            agents,
            hashes,
            keep_files,
            forgets,
            files,
            own_model,
        };
        Ok((served, routes, bridge))
    }
}

/// Removes the files of tasks that ended longer ago than `keep`; with `forgets` also all that is told of them.
async fn collect(runs: &Runs, clock: &dyn Clock, keep: Duration, forgets: bool) {
    let keep = u64::try_from(keep.as_millis()).unwrap_or(u64::MAX);
    let before = clock.millis().saturating_sub(keep);
    match runs.collect(before).await {
        Ok(collected) if collected.files > 0 => {
            tracing::info!(
                files = collected.files,
                bytes = collected.bytes,
                "old files of tasks were removed"
            );
        }
        Ok(_) => {}
        // Where they are is told by the log alone.
        Err(error) => return tracing::warn!(%error, "old files of tasks could not be removed"),
    }
    if forgets {
        match runs.forget(before).await {
            Ok(0) => {}
            Ok(threads) => tracing::info!(threads, "old tasks were forgotten"),
            Err(error) => tracing::warn!(%error, "old tasks could not be forgotten"),
        }
    }
}

/// Forgets what documents were longer ago than `keep`. The documents stay.
async fn forget_documents(workspaces: &Workspaces, clock: &dyn Clock, keep: Duration) {
    let keep = u64::try_from(keep.as_millis()).unwrap_or(u64::MAX);
    let before = clock.millis().saturating_sub(keep);
    let workspaces = workspaces.clone();
    let forgotten = tokio::task::spawn_blocking(move || workspaces.forget_before(before)).await;
    match forgotten {
        Ok(Ok((count, problems))) => {
            if count > 0 {
                tracing::info!(count, "what documents were long ago was forgotten");
            }
            for problem in problems {
                tracing::warn!(code = problem.code(), "what documents were long ago is not all forgotten");
            }
        }
        Ok(Err(error)) => tracing::warn!(%error, "what documents were long ago is not forgotten"),
        Err(_) => {}
    }
}

/// What playbooks are answered with: the model of the sessions, if it can judge; the rules only know patterns of edits.
fn reviews(sessions: &Sessions, documents: &Documents, limits: &Limits) -> PlaybookReviews {
    let model = sessions.usual_model();
    let can_judge = model.info().spec != "rules";
    let Documents { author, clock, isolation, .. } = documents.clone();
    PlaybookReviews { model: can_judge.then_some(model), author, clock, limits: limits.clone(), isolation }
}

impl ServedOwner {
    /// Looks after write sessions and runs that wait. Never ends.
    pub(super) async fn look_after(&self) {
        let saving = async {
            loop {
                tokio::time::sleep(SAVE_EVERY).await;
                self.save().await;
            }
        };
        let writing = async { match writes::look_after(&self.writes).await {} };
        let running = async {
            self.runs.watch(TASKS_EVERY).await;
            // It ends when the server drains; what ends the server is the rest.
            std::future::pending::<()>().await;
        };
        let collecting = async {
            loop {
                if let Some(keep) = self.keep_files {
                    collect(&self.runs, &*self.clock, keep, self.forgets).await;
                    if self.forgets {
                        forget_documents(&self.workspaces, &*self.clock, keep).await;
                    }
                }
                tokio::time::sleep(COLLECT_EVERY).await;
            }
        };
        tokio::join!(saving, writing, running, collecting);
    }

    /// Whether no run is under way and none waits, and nothing is in the memory of this node alone: a key of the owner's, or a
    /// conversation with another agent.
    pub(super) fn may_move(&self) -> bool {
        self.runs.is_idle() && self.own_model.is_found_elsewhere() && !self.agents.have_conversations()
    }

    /// Answers nobody by the owner's key any more.
    pub(super) fn forget_key(&self) {
        self.own_model.leave();
    }

    /// Lets runs end that can.
    pub(super) async fn drain(&self, patience: Duration) {
        self.runs.drain(patience).await;
    }

    /// Ends what is left, and closes what is open.
    pub(super) async fn close(&self) -> Result<(), Failure> {
        self.runs.drain(Duration::ZERO).await;
        self.agents.shut_down().await;
        self.save().await;
        if let Some(files) = &self.files {
            files.close().await;
        }
        self.store.close().await.map_err(|error| sessions::store_failure(&error))
    }

    async fn save(&self) {
        let hashes = Arc::clone(&self.hashes);
        let _ = tokio::task::spawn_blocking(move || hashes.save()).await;
    }
}
