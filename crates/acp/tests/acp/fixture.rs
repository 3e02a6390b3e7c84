//! A runner, a folder, turns, and what is heard of them.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use engross_acp::client::{AcpRunner, AgentProvider, AgentRegistry, Host, Limits, SandboxHost, SandboxMode};
use engross_artifacts::{RunId, SessionKey};
use engross_protocol::{Clock, SystemClock};
use engross_tasks::runner::{
    AgentError, AgentEvent, How, Policy, ProviderId, RunningTurn, TaskRunner, Turn, TurnEnd,
};
use engross_tasks::sandbox_request::SandboxRequest;

use super::fake::AGAIN;

/// Tests of this process, told apart.
static OWNERS: AtomicU64 = AtomicU64::new(0);

/// Longer than anything takes that works.
pub const SOON: Duration = Duration::from_secs(20);

pub struct TestBench {
    pub agents: AgentRegistry,
    pub owner: String,
    pub folder: tempfile::TempDir,
}

/// Short limits, so that what is late is so soon.
pub fn limits() -> Limits {
    Limits {
        start: Duration::from_secs(10),
        session: Duration::from_secs(10),
        cancel: Duration::from_millis(300),
        stop: Duration::from_millis(300),
        ..Limits::default()
    }
}

pub fn run<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async { tokio::time::timeout(Duration::from_secs(60), work).await.expect("it hangs") })
}

impl TestBench {
    pub fn new(provider: AgentProvider, limits: &Limits) -> Self {
        Self::watched(provider, limits, None)
    }

    /// The same, with this test binary as the one who watches over agents.
    pub fn watched(provider: AgentProvider, limits: &Limits, mode: Option<SandboxMode>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let owner = format!("test-{}-{}", std::process::id(), OWNERS.fetch_add(1, Ordering::Relaxed));
        let host = Host {
            environment: std::env::vars_os().chain([secret()]).collect(),
            folder: folder.path().to_owned(),
            owner: owner.clone(),
            clock: Arc::new(SystemClock),
            sandbox: mode.map(|mode| {
                let again = AGAIN.map(str::to_owned).to_vec();
                let name = |_: &str, thread: &str| thread.to_owned();
                let homes = folder.path().join("homes");
                SandboxHost { mode, ..SandboxHost::new(again, homes, name) }
            }),
        };
        Self { agents: AgentRegistry::new(vec![provider], &host, limits), owner, folder }
    }

    pub fn runner(&self) -> &AcpRunner {
        self.agents.runner(&ProviderId::new("fake").unwrap()).unwrap()
    }

    /// A folder of its own for each run, as scopes are.
    pub fn directory(&self, run: &str) -> PathBuf {
        let path = self.folder.path().join(run);
        std::fs::create_dir_all(&path).unwrap();
        path
    }

    pub fn turn(&self, run: &str, prompt: &str) -> Turn {
        let directory = self.directory(run);
        Turn {
            principal: "anna".to_owned(),
            thread: "thread".to_owned(),
            session_key: SessionKey::parse("agent:main:thread").unwrap(),
            run: RunId::parse(run).unwrap(),
            turn: format!("turn-{run}"),
            prompt: prompt.to_owned(),
            user_text: prompt.to_owned(),
            continues: false,
            conversation: None,
            environment: vec![
                ("XWORKMATE_RUN_ID".to_owned(), run.to_owned()),
                ("XWORKMATE_ARTIFACT_DIRECTORY".to_owned(), directory.to_str().unwrap().to_owned()),
            ],
            directory,
            attachments: Vec::new(),
            model: None,
            permissions: Policy::Allow,
            sandbox: SandboxRequest::default(),
            viewer: None,
            deadline: SystemClock.millis() + 60_000,
        }
    }

    pub async fn start(&self, turn: Turn) -> Result<RunningTurn, AgentError> {
        self.runner().start(turn).await
    }

    /// Everything that is heard of a turn.
    pub async fn hear(&self, turn: Turn) -> Vec<AgentEvent> {
        let mut running = self.start(turn).await.unwrap_or_else(|error| panic!("{}: {error}", error.code));
        rest(&mut running).await
    }

    /// What it says in a turn, and how that ends.
    pub async fn say(&self, turn: Turn) -> (String, How) {
        said(&self.hear(turn).await)
    }

    /// Processes of this world's agents, asked of the system.
    pub fn processes(&self) -> Vec<i32> {
        let mark = format!("ENGROSS_AGENT={}.", self.owner);
        let marked = |pid: &i32| {
            let Ok(environment) = std::fs::read(format!("/proc/{pid}/environ")) else { return false };
            environment.split(|byte| *byte == 0).any(|one| one.starts_with(mark.as_bytes()))
        };
        let all = std::fs::read_dir("/proc").unwrap();
        let numbers = all.filter_map(|entry| entry.unwrap().file_name().to_str()?.parse().ok());
        numbers.filter(marked).collect()
    }
}

fn secret() -> (OsString, OsString) {
    ("ENGROSS_TOKEN".into(), "not for agents".into())
}

/// Whether a process is there and is no corpse.
pub fn is_alive(pid: i32) -> bool {
    let stat = std::fs::read_to_string(Path::new("/proc").join(pid.to_string()).join("stat"));
    stat.is_ok_and(|stat| !stat.rsplit(')').next().unwrap_or_default().trim_start().starts_with(['Z', 'X']))
}

/// What is still to come.
pub async fn rest(running: &mut RunningTurn) -> Vec<AgentEvent> {
    let mut events = Vec::new();
    while let Some(event) = running.events.recv().await {
        events.push(event);
    }
    events
}

pub async fn next(running: &mut RunningTurn) -> AgentEvent {
    tokio::time::timeout(SOON, running.events.recv()).await.unwrap().unwrap()
}

/// Waits for the next text.
pub async fn next_text(running: &mut RunningTurn) -> String {
    loop {
        if let AgentEvent::Text(text) = next(running).await {
            return text;
        }
    }
}

/// All texts, a line each, and the end, which has to be there once and last.
pub fn said(events: &[AgentEvent]) -> (String, How) {
    let texts: Vec<&str> = events
        .iter()
        .filter_map(|event| if let AgentEvent::Text(text) = event { Some(text.as_str()) } else { None })
        .collect();
    let ends = events.iter().filter(|event| matches!(event, AgentEvent::Ended(_))).count();
    let Some(AgentEvent::Ended(TurnEnd { how, .. })) = events.last() else { panic!("no end: {events:?}") };
    assert_eq!(ends, 1);
    (texts.join("\n"), how.clone())
}

/// The code of a failure.
pub fn code(how: &How) -> &str {
    match how {
        How::Failed { code, message } => {
            assert!(!message.is_empty());
            code
        }
        other => panic!("it did not fail: {other:?}"),
    }
}
