//! The bridge of tasks, put together: where threads and files are kept, who can carry them out.
//!
//! Must never hold a rule of runs or of the protocol.

mod gateway;
mod hashes;
mod own;
mod sandbox;
mod toolboxes;

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use engross_acp::client::{self, AgentRegistry, Host};
use engross_agent::session::Sessions;
use engross_artifacts::{ArtifactWorkspace, FrozenFiles, Keys, SigningKey};
use engross_attest::SigningIdentity;
use engross_protocol::{Clock, Exit, Failure, RandomIds, SystemClock, hex};
use engross_store::blobs::Blobs;
use engross_store::files::{FileMirror, Root};
use engross_store::{Store, WriteFence};
use engross_tasks::rpc::{Bridge, BridgeConfig};
use engross_tasks::runner::{Policy, ProviderId, TaskRunner};
use engross_tasks::runs::{Capacity, RunProvider, Runs, RunsConfig, Target};

use crate::homes::{KeptFiles, OwnerFolders};
use crate::settings::{AgentSetting, Environment, SandboxSetting};
use crate::signing::{fresh_secret, kept_secret};

pub use gateway::{Gateway, gateway};
pub use hashes::KnownHashes;
pub use own::OwnRunner;
pub use toolboxes::{OwnerToolboxes, TaskToolboxes};

/// The file with the secret that links and references are signed with.
pub const SECRET: &str = "tasks.key";

/// The file with what the folder for data is called in object storage.
pub const HOLDER: &str = "tasks.blobs";

/// The folder for the files of ended runs.
pub const FROZEN: &str = "tasks.files";

/// What the settings say of agents, by their ids.
type AgentSettings = BTreeMap<String, AgentSetting>;

/// How long links and references are good, in milliseconds: a day.
const LIFETIME: u64 = 24 * 60 * 60_000;

/// How long an agent has to stop by itself.
const GRACE: Duration = Duration::from_secs(2);

/// What the bridge is made of.
pub struct Parts {
    /// The only folder that runs may touch.
    pub root: Root,
    /// Where that is.
    pub place: String,
    /// Where threads are kept.
    pub store: Arc<dyn Store>,
    /// What links are signed with.
    pub keys: Keys,
    /// What receipts are signed with.
    pub signer: Option<Arc<SigningIdentity>>,
    /// Where the files of ended runs are kept as they were.
    pub frozen: Option<FrozenFiles>,
    /// Hashes of files that are known.
    pub hashes: Arc<KnownHashes>,
    /// Where files of ended runs are kept besides.
    pub blobs: Option<Arc<dyn Blobs>>,
    /// Other people's agents.
    pub agents: Arc<AgentRegistry>,
    /// The gateway to agents elsewhere.
    pub gateway: Gateway,
    /// Whether agents are given the environment of the one who looks on.
    pub waits_for_viewer: bool,
    /// What the time is.
    pub clock: Arc<dyn Clock>,
}

/// The bridge, with the product's own agent among the providers.
pub fn bridge(parts: Parts, sessions: Sessions) -> Result<Bridge, Failure> {
    let Parts { root, place, store, keys, signer, frozen, hashes, blobs, agents, gateway, .. } = parts;
    let (waits_for_viewer, clock) = (parts.waits_for_viewer, parts.clock);
    let workspace = ArtifactWorkspace::new(root.top(), &place);
    let workspace = match frozen {
        Some(frozen) => workspace.with_frozen(frozen),
        None => workspace,
    };
    let in_process: Arc<dyn TaskRunner> = Arc::new(OwnRunner::new(sessions));
    let others = agents.runners().iter().map(|runner| {
        let agent = runner.provider();
        let category = if agent.id.as_str() == "codex" { "native" } else { "protocol-adapter" };
        let carrier: Arc<dyn TaskRunner> = Arc::new(runner.clone());
        provider(
            agent.id.as_str(),
            &agent.label,
            Target::Agent,
            category,
            Some(carrier),
            agent.install.clone(),
        )
    });
    let Gateway { runner, help, sources } = gateway;
    let elsewhere = provider("openclaw", "OpenClaw", Target::Gateway, "native", runner, help);
    let own = [
        provider("engross", "engross", Target::Agent, "native", Some(in_process), String::new()),
        elsewhere.map(|provider| RunProvider { sources, ..provider }),
    ];
    let providers = others.chain(own).collect::<Result<Vec<_>, _>>();
    let runs = Runs::new(RunsConfig {
        store,
        workspace,
        place,
        keys,
        signer,
        hashes,
        blobs,
        threads: std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN),
        providers: providers.map_err(|problem| Failure::new(Exit::Usage, "USAGE", problem))?,
        waits_for_viewer,
        gateway: Capacity::default(),
        grace: GRACE,
        halt: std::sync::atomic::AtomicBool::default(),
        lifetime: LIFETIME,
        clock,
        ids: Arc::new(RandomIds),
    });
    let config = BridgeConfig { version: env!("CARGO_PKG_VERSION").to_owned(), permissions: Policy::Ask };
    Ok(Bridge::new(runs, config))
}

fn provider(
    id: &str,
    label: &str,
    target: Target,
    category: &'static str,
    runner: Option<Arc<dyn TaskRunner>>,
    help: String,
) -> Result<RunProvider, String> {
    let id = ProviderId::new(id)?;
    Ok(RunProvider { id, label: label.to_owned(), target, category, runner, help, sources: Vec::new() })
}

/// Other people's agents, as processes of this machine: those that are known, and those of the settings. What an earlier server
/// of the same `owner` left behind is ended.
pub fn agents(
    data: &Path,
    root: &Path,
    owner: String,
    settings: &AgentSettings,
    sandbox: &SandboxSetting,
) -> Result<Arc<AgentRegistry>, Failure> {
    let folder = data.join("agents");
    crate::files::make_folder(&folder)?;
    let sandbox = Some(sandbox::host(data, root, sandbox));
    let host =
        Host { environment: Environment::whole(), folder, owner, clock: Arc::new(SystemClock), sandbox };
    let agents = AgentRegistry::new(providers(settings)?, &host, &client::Limits::default());
    agents.sweep();
    Ok(Arc::new(agents))
}

/// What of this process's environment goes to the runner of tasks with a task for `provider`; nothing for one that is given none.
pub fn viewer_environment(
    provider: &str,
    settings: &AgentSettings,
) -> Result<Vec<(String, String)>, Failure> {
    let known = providers(settings)?;
    let agent = known.iter().find(|known| known.id.as_str() == provider);
    Ok(agent.map(|agent| client::viewer_environment(agent, &Environment::whole()).0).unwrap_or_default())
}

/// Nobody else's agents: for owners who may not reach what the one who started the server can.
pub fn no_agents(data: &Path) -> Arc<AgentRegistry> {
    let (folder, owner) = (data.join("agents"), String::new());
    let clock = Arc::new(SystemClock);
    let host = Host { environment: Vec::new(), folder, owner, clock, sandbox: None };
    Arc::new(AgentRegistry::new(Vec::new(), &host, &client::Limits::default()))
}

/// The agents that are known, each as the settings have it, and further ones.
fn providers(settings: &AgentSettings) -> Result<Vec<client::AgentProvider>, Failure> {
    let mut providers = client::AgentProvider::known();
    for (name, setting) in settings {
        let wrong = |problem: String| {
            Failure::new(Exit::Usage, "CONFIG_INVALID", format!("[agents.{name}] cannot be used: {problem}"))
        };
        if ["engross", "openclaw"].contains(&name.as_str()) {
            return Err(wrong("the name is taken; choose another one".to_owned()));
        }
        let id = ProviderId::new(name).map_err(wrong)?;
        let mut provider = client::AgentProvider::from_command(id.clone(), &setting.command)
            .map_err(|error| wrong(error.to_string()))?;
        let known = providers.iter().position(|known| known.id == id);
        if let Some(known) = known.map(|at| providers.remove(at)) {
            let client::AgentProvider { label, install, pass, set, start, warm, login, .. } = known;
            provider = client::AgentProvider { label, install, pass, set, start, warm, login, ..provider };
        }
        provider.sandbox = setting.sandbox;
        provider.write.extend(setting.write.iter().cloned());
        provider.login.extend(setting.login.iter().map(|path| client::LoginFiles::at(path)));
        provider.pass.extend(setting.pass.iter().cloned());
        provider.set.extend(setting.set.iter().map(|(name, value)| (name.clone(), value.clone())));
        providers.push(provider);
    }
    Ok(providers)
}

/// The secret of the folder for data, made if there is none; without a folder one for this process.
pub fn keys(data: Option<&Path>) -> Result<Keys, Failure> {
    let secret = match data {
        None => fresh_secret().to_vec(),
        Some(data) => kept_secret(data, SECRET)?,
    };
    Ok(Keys::new(vec![SigningKey::new("k1", secret, None)?]))
}

/// Where the files of ended runs are kept in the folder for data, which is not the one that agents work in.
pub(super) fn frozen(
    data: &Path,
    fence: Option<&WriteFence>,
    files: Option<&Arc<dyn KeptFiles>>,
) -> Result<FrozenFiles, Failure> {
    let root = Root::open(&data.join(FROZEN))?;
    let root = match fence {
        Some(fence) => root.fenced(fence.clone()),
        None => root,
    };
    let root = match files {
        Some(files) => root.mirrored(Arc::clone(files) as Arc<dyn FileMirror>, OwnerFolders::FROZEN),
        None => root,
    };
    Ok(FrozenFiles::new(root.top()))
}

/// The object storage at `url`, with the settings of the environment.
pub fn blobs(url: Option<&str>, environment: &Environment) -> Result<Option<Arc<dyn Blobs>>, Failure> {
    url.map(|url| open_blobs(url, environment)).transpose()
}

/// The part of an object storage that belongs to the folder for data alone: what is removed from it is needed by nobody else.
pub fn held_blobs(blobs: &dyn Blobs, data: &Path) -> Result<Arc<dyn Blobs>, Failure> {
    Ok(blobs.held_by(&hex::encode_prefix(kept_secret(data, HOLDER)?, 16)))
}

#[cfg(feature = "cluster")]
fn open_blobs(url: &str, environment: &Environment) -> Result<Arc<dyn Blobs>, Failure> {
    let blobs = engross_store::blobs::ObjectBlobs::open(url, environment.object_storage())
        .map_err(|error| Failure::new(Exit::Usage, error.code(), error.to_string()))?;
    Ok(Arc::new(blobs))
}

#[cfg(not(feature = "cluster"))]
fn open_blobs(_: &str, _: &Environment) -> Result<Arc<dyn Blobs>, Failure> {
    Err(Failure::left_out("--blobs", "cluster"))
}
