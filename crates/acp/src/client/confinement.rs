//! Decides how an agent is fenced in: what is set for it, what the run asks for, and what this kernel can do.
//!
//! Must never start an agent with less than was asked for: what cannot be enforced is refused.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use engross_sandbox::{FenceRules, Quota, Support};
use engross_store::files::by_path::{self, make_private_folder};
use engross_store::files::{Precondition, RelPath, Root};
use engross_tasks::runner::Turn;
use engross_tasks::sandbox_request::SandboxRequest;

use super::error::AgentFault;
use super::fenced_settings;
use super::login::{LOGIN_BYTES, place, renewed};
use super::process::Supervision;
use super::provider::{AgentProvider, SandboxHost, SandboxMode};

/// The file in a home with what its program has to be told there.
const FENCED_SETTINGS: &str = "fenced-settings.json";

/// The folder for passing files, in the home of a thread.
const SCRATCH: &str = "tmp";

/// The variables that name it. The last is Claude Code's own, which looks at none of the others.
const SCRATCH_NAMES: &[&str] = &["TMPDIR", "TEMP", "TMP", "CLAUDE_CODE_TMPDIR"];

/// The most processes of an agent when nobody says.
const PROCESSES: u64 = 2048;

/// What of a home nobody's agent is to read, unless it is one of its login files.
const SECRETS: &[&str] = &[
    ".ssh",
    ".gnupg",
    ".aws",
    ".azure",
    ".kube",
    ".docker",
    ".netrc",
    ".git-credentials",
    ".password-store",
    ".config/gcloud",
    ".config/gh",
    ".mozilla",
    ".config/google-chrome",
    ".config/chromium",
    ".local/share/keyrings",
];

/// How a process is started, and in which environment.
pub(super) struct Confinement {
    pub(super) supervised: Option<Supervision>,
    /// Our environment as it may see it.
    pub(super) parent: Vec<(OsString, OsString)>,
    /// What it gets besides.
    pub(super) set: Vec<(String, String)>,
    /// What of the sandbox is not there, for people.
    pub(super) gap: Option<String>,
}

/// Whether an agent is to be fenced in, and whether it has to be.
enum SandboxNeed {
    No,
    Yes,
    IfPossible,
    /// It would be, but for a login that renews itself, which is here.
    NotWithLogin(String),
}

/// Whether an agent's processes are fenced in when a run asks for nothing.
pub(super) fn is_usual(
    provider: &AgentProvider,
    host: Option<&SandboxHost>,
    environment: &[(OsString, OsString)],
) -> bool {
    let Some(host) = host else { return false };
    match wanted(provider, host, &SandboxRequest::default(), environment) {
        SandboxNeed::No | SandboxNeed::NotWithLogin(_) => false,
        SandboxNeed::Yes => true,
        SandboxNeed::IfPossible => host.support.missing().is_none(),
    }
}

fn wanted(
    provider: &AgentProvider,
    host: &SandboxHost,
    asked: &SandboxRequest,
    environment: &[(OsString, OsString)],
) -> SandboxNeed {
    let set = match provider.sandbox {
        Some(true) => SandboxMode::On,
        Some(false) => SandboxMode::Off,
        None => host.mode,
    };
    let set_limits = !host.network || host.quota != Quota::default();
    match (set, asked.enabled) {
        (SandboxMode::On, _) => SandboxNeed::Yes,
        (_, Some(false)) if !set_limits => SandboxNeed::No,
        (SandboxMode::Off, _) if !asked.is_binding() => SandboxNeed::No,
        _ if asked.is_binding() || set_limits => SandboxNeed::Yes,
        // An agent whose login engross does not know would have none in a home of its own.
        _ if provider.login.is_empty() => SandboxNeed::No,
        _ => match renewed(&provider.login, environment) {
            Some(file) => SandboxNeed::NotWithLogin(file),
            None => SandboxNeed::IfPossible,
        },
    }
}

/// How a process of `provider` is started for `turn`, or for nobody yet, in `folder`.
///
/// # Errors
/// [`AgentFault::Sandbox`] when what was asked for cannot be enforced, [`AgentFault::Start`] when its home cannot be made.
pub(super) fn confine(
    provider: &AgentProvider,
    host: Option<&SandboxHost>,
    parent: &[(OsString, OsString)],
    folder: &Path,
    turn: Option<&Turn>,
) -> Result<Confinement, AgentFault> {
    let free = |supervised, gap| Confinement { supervised, parent: parent.to_vec(), set: Vec::new(), gap };
    let nothing = SandboxRequest::default();
    let asked = turn.map_or(&nothing, |turn| &turn.sandbox);
    let Some(host) = host else {
        return match asked.is_binding() {
            true => Err(AgentFault::Sandbox { problem: "this server has none".to_owned() }),
            false => Ok(free(None, None)),
        };
    };
    let open = Supervision { again: host.again.clone(), fence: None, quota: Quota::default() };
    match (wanted(provider, host, asked, parent), host.support.missing()) {
        (SandboxNeed::NotWithLogin(file), _) => {
            let gap = format!(
                "its login ({file}) renews itself, which holds in one place alone; [agents.{}] sandbox = true fences it in all the same",
                provider.id
            );
            return Ok(free(Some(open), Some(gap)));
        }
        (SandboxNeed::No, _) => return Ok(free(Some(open), None)),
        (SandboxNeed::IfPossible, Some(problem)) => return Ok(free(Some(open), Some(problem))),
        (SandboxNeed::Yes, Some(problem)) => return Err(AgentFault::Sandbox { problem }),
        (SandboxNeed::Yes | SandboxNeed::IfPossible, None) => {}
    }
    let home = home(host, provider, turn)?;
    let set = furnish(provider, parent, &home)?;
    let login_places = provider.login.iter().filter_map(|login| login.variable.as_deref());
    let replaced: Vec<&str> = login_places.collect();
    let parent: Vec<_> = parent
        .iter()
        .filter(|(name, _)| {
            name.to_str().is_some_and(|name| !name.starts_with("XDG_") && !replaced.contains(&name))
        })
        .cloned()
        .collect();
    let quota = Quota {
        files: least(host.quota.files, asked.max_files),
        bytes: least(host.quota.bytes, asked.max_bytes),
        processes: least(host.quota.processes, asked.max_processes).or(Some(PROCESSES)),
    };
    let mut write = vec![folder.to_owned(), home];
    write.extend(provider.write.iter().cloned());
    let fence = FenceRules {
        write,
        hide: hidden(host, &parent),
        network: host.network && asked.network != Some(false),
    };
    let gap = host.support.gap();
    let supervised = Some(Supervision { again: host.again.clone(), fence: Some(fence), quota });
    Ok(Confinement { supervised, parent, set, gap })
}

fn least(one: Option<u64>, other: Option<u64>) -> Option<u64> {
    one.into_iter().chain(other).min()
}

/// The home of a thread with an agent. What passed through it before is gone.
fn home(host: &SandboxHost, provider: &AgentProvider, turn: Option<&Turn>) -> Result<PathBuf, AgentFault> {
    let failed = |problem: String| AgentFault::Start { problem: format!("its home: {problem}") };
    let name = match turn {
        Some(turn) => (host.name)(&turn.principal, &turn.thread),
        None => "nobody".to_owned(),
    };
    let home = host.homes.join(provider.id.as_str()).join(name);
    make_private_folder(&home).map_err(|error| failed(error.to_string()))?;
    // An agent may have put a link there: the link goes, and not what it leads to.
    let scratch = home.join(SCRATCH);
    let _ = std::fs::remove_dir_all(&scratch);
    make_private_folder(&scratch).map_err(|error| failed(error.to_string()))?;
    Ok(home.canonicalize().unwrap_or(home))
}

/// Puts the agent's login files into its home, and says where that is. A file that is newer there stays: agents renew their
/// logins.
fn furnish(
    provider: &AgentProvider,
    parent: &[(OsString, OsString)],
    home: &Path,
) -> Result<Vec<(String, String)>, AgentFault> {
    let failed = |problem: String| AgentFault::Start { problem: format!("its login files: {problem}") };
    let told = |path: &Path| path.to_str().map(str::to_owned).ok_or_else(|| failed("not Unicode".to_owned()));
    // Never by its path: what an agent left there may lead anywhere.
    let there = Root::open(home).map_err(|error| failed(error.to_string()))?.top();
    let mut set = vec![("HOME".to_owned(), told(home)?)];
    for name in SCRATCH_NAMES {
        set.push(((*name).to_owned(), told(&home.join(SCRATCH))?));
    }
    if let Some((variable, text)) = fenced_settings::of_program(&provider.program)
        && !parent.iter().any(|(name, _)| name == variable)
    {
        let path = RelPath::parse(FENCED_SETTINGS).map_err(|error| failed(error.to_string()))?;
        let written = there.write_private(&path, text.as_bytes(), &Precondition::Any);
        written.map_err(|error| failed(error.to_string()))?;
        set.push((variable.to_owned(), told(&home.join(FENCED_SETTINGS))?));
    }
    for login in &provider.login {
        let from = place(login, parent);
        if let Some(variable) = &login.variable {
            set.push((variable.clone(), told(&home.join(&login.folder))?));
        }
        let Some(from) = from else { continue };
        for file in &login.files {
            let source = from.join(file);
            let target = home.join(&login.folder).join(file);
            let age = |path: &Path| path.symlink_metadata().and_then(|about| about.modified()).ok();
            let changed = |path: &Path| path.metadata().and_then(|about| about.modified()).ok();
            if changed(&source).is_none() || age(&target) > changed(&source) {
                continue;
            }
            let bytes = by_path::read(&source, LOGIN_BYTES).map_err(|error| failed(error.to_string()))?.0;
            let path = RelPath::parse(&login.path(file)).map_err(|error| failed(error.to_string()))?;
            there
                .write_private(&path, bytes.as_slice(), &Precondition::Any)
                .map_err(|error| failed(error.to_string()))?;
        }
    }
    Ok(set)
}

/// What it may not read: our own data, and secrets of the person.
fn hidden(host: &SandboxHost, parent: &[(OsString, OsString)]) -> Vec<PathBuf> {
    let home = parent.iter().find(|(name, _)| name == "HOME").map(|(_, home)| PathBuf::from(home));
    let secrets = home.into_iter().flat_map(|home| SECRETS.iter().map(move |name| home.join(name)));
    host.hide.iter().cloned().chain(secrets).collect()
}

impl SandboxHost {
    /// A host whose kernel is asked what it can do.
    #[must_use]
    pub fn new(again: Vec<String>, homes: PathBuf, name: fn(&str, &str) -> String) -> Self {
        Self {
            again,
            homes,
            name,
            mode: SandboxMode::Off,
            network: true,
            quota: Quota::default(),
            hide: Vec::new(),
            support: Support::of_kernel(),
        }
    }
}
