//! A gateway over its WebSocket, with one that plays: turns, lost lines, the plugin, and tasks from end to end.
#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]
#![expect(clippy::expect_used, clippy::panic, reason = "the helpers of the tests say what is missing")]
#![expect(
    clippy::disallowed_methods,
    reason = "the tests look at the disk, and attack it, behind engross's back"
)]

mod fake;
mod frames;
mod lines;
mod plugin;
mod tasks;
mod turns;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use engross_artifacts::{RunId, SessionKey};
use engross_openclaw::{GatewayConfig, GatewayLimits, GatewayRunner};
use engross_protocol::{Clock, SystemClock};
use engross_tasks::runner::{AgentEvent, How, Policy, RunningTurn, TaskRunner, Turn, TurnEnd};
use engross_tasks::sandbox_request::SandboxRequest;
use serde_json::{Value, json};
use tempfile::TempDir;

use self::fake::FakeGateway;
use engross_testkit::task_requests::within;

/// Limits in which nothing is asked unless a test waits for it.
fn patient() -> GatewayLimits {
    GatewayLimits {
        pause: Duration::from_millis(5),
        longest_pause: Duration::from_millis(20),
        silence: Duration::from_secs(600),
        recovery: Duration::from_millis(30),
        ..GatewayLimits::default()
    }
}

/// A gateway that plays, and a runner for it.
struct TestBench {
    folder: TempDir,
    gate: FakeGateway,
    runner: GatewayRunner,
}

impl TestBench {
    async fn new() -> Self {
        Self::with(patient()).await
    }

    async fn with(limits: GatewayLimits) -> Self {
        let gate = FakeGateway::open().await;
        let folder = tempfile::tempdir().unwrap();
        let runner = runner(&gate, folder.path(), limits);
        Self { folder, gate, runner }
    }

    fn turn(&self, prompt: &str) -> Turn {
        let directory = self.folder.path().join("run");
        std::fs::create_dir_all(&directory).unwrap();
        Turn {
            principal: "you".to_owned(),
            thread: "draft:the-raw-thread".to_owned(),
            session_key: SessionKey::parse("agent:main:draft:1").unwrap(),
            run: RunId::parse("run-1").unwrap(),
            turn: "turn-1".to_owned(),
            prompt: prompt.to_owned(),
            user_text: prompt.to_owned(),
            continues: false,
            conversation: None,
            directory,
            environment: Vec::new(),
            attachments: Vec::new(),
            model: None,
            permissions: Policy::Ask,
            sandbox: SandboxRequest::default(),
            viewer: None,
            deadline: SystemClock.millis() + 60_000,
        }
    }

    /// A turn that the gateway has accepted, without the plugin.
    async fn begun(&mut self, prompt: &str) -> RunningTurn {
        let turn = self.turn(prompt);
        let (running, ()) = within(async {
            tokio::join!(self.runner.start(turn), async {
                self.gate.without_plugin().await;
                self.gate.accept().await;
            })
        })
        .await;
        let mut running = running.unwrap();
        assert_eq!(next(&mut running).await, started());
        running
    }
}

fn runner(gate: &FakeGateway, data: &Path, limits: GatewayLimits) -> GatewayRunner {
    let config = GatewayConfig {
        url: gate.url.clone(),
        token: Some("secret".to_owned().into()),
        identity: data.to_owned(),
        clock: Arc::new(SystemClock),
    };
    GatewayRunner::new(config, limits).unwrap()
}

fn started() -> AgentEvent {
    AgentEvent::Started { agent_session: Some("agent:main:draft:1".to_owned()) }
}

fn ended(how: How, text: Option<&str>) -> AgentEvent {
    AgentEvent::Ended(TurnEnd { how, text: text.map(str::to_owned) })
}

fn text(text: &str) -> AgentEvent {
    AgentEvent::Text(text.to_owned())
}

async fn next(running: &mut RunningTurn) -> AgentEvent {
    within(running.events.recv()).await.expect("it goes on")
}

/// Everything until the agent has nothing more to tell.
async fn all(running: &mut RunningTurn) -> Vec<AgentEvent> {
    let mut events = Vec::new();
    while let Some(event) = within(running.events.recv()).await {
        events.push(event);
    }
    events
}

/// A piece of a run's answer, whole so far.
fn delta(text: &str) -> Value {
    chat("delta", text)
}

fn chat(state: &str, text: &str) -> Value {
    json!({
        "runId": "turn-1", "sessionKey": "agent:main:draft:1", "state": state,
        "message": { "role": "assistant", "content": [{ "type": "text", "text": text }] },
    })
}
