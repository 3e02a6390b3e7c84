//! An agent that can be started: its command, what it sees of the environment, and where it runs.
//!
//! Must never start anything.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use engross_protocol::Clock;
use engross_sandbox::{Quota, Support};

use super::command_line::split;
use super::error::AgentFault;
use super::login::{KnownLogin, files_of, of_program};
use super::login_files::LoginFiles;
use engross_tasks::runner::ProviderId;

/// When a process is started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StartMode {
    /// For each run, in its folder and with its names in the environment. A conversation goes on in the next process, if the
    /// agent can take it up; otherwise its process is kept.
    PerRun,
    /// Before anybody asks, as it takes long. It is told the names of a run in the prompt, and kept for the conversation.
    Warm,
}

/// An agent, and how it is started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentProvider {
    /// Its id in requests.
    pub id: ProviderId,
    /// For people.
    pub label: String,
    /// The program: a name to be looked for in `PATH`, or a path.
    pub program: String,
    /// What it is given.
    pub arguments: Vec<String>,
    /// What to do when it is missing, as an order: "install it with …".
    pub install: String,
    /// What it sees of our environment besides the usual. `NAME*` stands for all names that begin so.
    pub pass: Vec<String>,
    /// What it gets besides.
    pub set: Vec<(String, String)>,
    /// When it is started.
    pub start: StartMode,
    /// How many processes wait for a turn, where they are started before.
    pub warm: usize,
    /// Whether it is fenced in; `None` leaves it to the host.
    pub sandbox: Option<bool>,
    /// Where else it may write when it is fenced in.
    pub write: Vec<PathBuf>,
    /// What of the person's home it finds in its own when it is fenced in.
    pub login: Vec<LoginFiles>,
}

/// When agents are fenced in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SandboxMode {
    /// Where the kernel can do it, and told where not: agents whose login files are known, and do not renew themselves.
    Auto,
    /// Always: where it cannot be, none is started.
    On,
    /// Only when a run asks for it.
    #[default]
    Off,
}

/// How processes are fenced in on this machine.
#[derive(Debug, Clone)]
pub struct SandboxHost {
    /// How the running program is told to carry out an order of `engross_sandbox`.
    pub again: Vec<String>,
    /// Where homes of threads are.
    pub homes: PathBuf,
    /// The name of a home: of a principal and a thread.
    pub name: fn(&str, &str) -> String,
    /// When agents are fenced in.
    pub mode: SandboxMode,
    /// Whether they may use the network.
    pub network: bool,
    /// How much they may use.
    pub quota: Quota,
    /// What they may not read.
    pub hide: Vec<PathBuf>,
    /// What the kernel can do.
    pub support: Support,
}

impl AgentProvider {
    /// An agent by its command line. A process is started for each run.
    ///
    /// # Errors
    /// [`AgentFault::Command`].
    pub fn from_command(id: ProviderId, command: &str) -> Result<Self, AgentFault> {
        let mut words = split(command)?.into_iter();
        let program = words.next().unwrap_or_default();
        let login = of_program(&program);
        Ok(Self {
            label: id.as_str().to_owned(),
            id,
            install: format!("install `{program}`, or give its full path in the configuration"),
            program,
            arguments: words.collect(),
            pass: Vec::new(),
            set: Vec::new(),
            start: StartMode::PerRun,
            warm: 0,
            sandbox: None,
            write: Vec::new(),
            login,
        })
    }

    /// The agents that are known by name, in the order of the catalog: codex, opencode, gemini, hermes.
    #[must_use]
    pub fn known() -> Vec<Self> {
        KNOWN.iter().filter_map(KnownProvider::provider).collect()
    }
}

struct KnownProvider {
    id: &'static str,
    label: &'static str,
    command: &'static [&'static str],
    install: &'static str,
    pass: &'static [&'static str],
    start: StartMode,
    /// Folder, variable and names of login files.
    login: &'static [KnownLogin],
}

const KNOWN: &[KnownProvider] = &[
    KnownProvider {
        id: "codex",
        label: "Codex",
        command: &["codex-acp"],
        install: "install it with `npm install -g @zed-industries/codex-acp@0.16.0`",
        pass: &["CODEX_*", "OPENAI_*"],
        start: StartMode::PerRun,
        login: &[(".codex", Some("CODEX_HOME"), &["auth.json", "config.toml"])],
    },
    KnownProvider {
        id: "opencode",
        label: "OpenCode",
        command: &["opencode", "acp"],
        install: "install it with `npm install -g opencode-ai`",
        pass: &["OPENCODE_*", "OPENAI_*", "ANTHROPIC_*", "GEMINI_*", "GOOGLE_*", "OPENROUTER_*"],
        start: StartMode::Warm,
        login: &[
            (".local/share/opencode", None, &["auth.json"]),
            (".config/opencode", None, &["opencode.json", "opencode.jsonc"]),
        ],
    },
    KnownProvider {
        id: "gemini",
        label: "Gemini",
        command: &["gemini", "--acp", "--skip-trust"],
        install: "install it with `npm install -g @google/gemini-cli`",
        pass: &["GEMINI_*", "GOOGLE_*"],
        start: StartMode::Warm,
        login: &[(".gemini", None, &["settings.json", "oauth_creds.json", "google_accounts.json", ".env"])],
    },
    KnownProvider {
        id: "hermes",
        label: "Hermes",
        command: &["hermes-acp"],
        install: "install it with `pipx install 'hermes-agent[acp]'`",
        pass: &["HERMES_*", "OPENAI_*", "ANTHROPIC_*", "OPENROUTER_*"],
        start: StartMode::Warm,
        login: &[(".hermes", Some("HERMES_HOME"), &["config.yaml", ".env", "auth.json"])],
    },
];

impl KnownProvider {
    fn provider(&self) -> Option<AgentProvider> {
        let own = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let (program, arguments) = self.command.split_first()?;
        Some(AgentProvider {
            id: ProviderId::new(self.id).ok()?,
            label: self.label.to_owned(),
            program: (*program).to_owned(),
            arguments: own(arguments),
            install: self.install.to_owned(),
            pass: own(self.pass),
            set: Vec::new(),
            start: self.start,
            warm: 1,
            sandbox: None,
            write: Vec::new(),
            login: self.login.iter().map(files_of).collect(),
        })
    }
}

/// Where agents run.
#[derive(Clone)]
pub struct Host {
    /// Our environment, of which they see a part.
    pub environment: Vec<(OsString, OsString)>,
    /// Where a process starts that does not know its run yet. It is to be empty, and to be there.
    pub folder: PathBuf,
    /// What tells our agents from those of other servers on this machine; the same after a restart. Letters, digits, `-`, `_`.
    pub owner: String,
    /// Tells the time that deadlines are measured against.
    pub clock: Arc<dyn Clock>,
    /// How processes are watched over and fenced in; without, they are started as they are.
    pub sandbox: Option<SandboxHost>,
}
